//! `tsrec completions` and `tsrec man`: shell completions and manual pages, generated from the
//! command line's definition.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

/// Arguments of `tsrec completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "For bash: tsrec completions bash > ~/.local/share/bash-completion/completions/tsrec\n\
                        For zsh: tsrec completions zsh > DIR/_tsrec, where DIR is in $fpath\n\
                        For fish: tsrec completions fish > ~/.config/fish/completions/tsrec.fish")]
pub(super) struct Args {
    /// The shell.
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "tsrec", &mut script);
    Ok(std::io::stdout().lock().write_all(&script)?)
}

/// Arguments of `tsrec man`.
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Write one page per command into this folder: tsrec.1, tsrec-crawl.1 and so on. The folder is
    /// created if it does not exist. Without --out, this command prints tsrec.1 (`tsrec man | man
    /// -l -`).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> Result<()> {
    let command = super::Cli::command();
    let Some(out) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return Ok(std::io::stdout().lock().write_all(&page)?);
    };
    std::fs::create_dir_all(out)
        .and_then(|()| clap_mangen::generate_to(command, out))
        .with_context(|| format!("the manual cannot be written to {}", out.display()))
}

/// The full names of a command and its subcommands.
#[cfg(test)]
fn all(command: &clap::Command, name: &str) -> Vec<String> {
    let below = command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set());
    let names = below.flat_map(|below| all(below, &format!("{name}-{}", below.get_name())));
    std::iter::once(name.to_owned()).chain(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_page_and_every_shell_its_script() {
        let dir = tempfile::tempdir().unwrap();
        man(&ManArgs { out: Some(dir.path().join("new")) }).unwrap();
        let names = all(&super::super::Cli::command(), "tsrec");
        assert!(names.len() > 25 && names.contains(&"tsrec-store-verify".to_owned()), "{names:?}");
        for name in names {
            let page = std::fs::read_to_string(dir.path().join(format!("new/{name}.1"))).unwrap();
            assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}: {page}");
        }
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut super::super::Cli::command(), "tsrec", &mut script);
            let script = String::from_utf8(script).unwrap();
            assert!(script.contains("markdown-dir") && script.contains("min-confidence"), "{shell}");
        }
    }
}
