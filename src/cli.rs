//! The command line: one file a subcommand, and nothing that the library could do.

mod access;
mod annotate;
mod batch;
mod changes;
mod compare;
mod completions;
mod configuration;
mod crawl;
mod daemon;
mod demo;
mod diff;
mod explain;
mod export;
mod extract;
mod file_name;
mod frontier;
mod get;
mod input;
mod list;
mod listing;
mod moved;
mod output;
mod pair;
mod robots;
mod seeds;
mod store;
mod teach;
mod telemetry;
mod template;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use tsrec_terminal::usage;

use crate::config;
use crate::crawler::CrawlError;

/// Takes the boilerplate off web pages by comparing them with each other.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// How much to log to standard error: a level, or `tracing` directives such as
    /// tsrec_crawl::fetch=debug [default: warn; for crawl what the configuration says, which is
    /// info].
    #[arg(long, global = true, env = "TSREC_LOG", value_name = "FILTER", value_parser = telemetry::filter)]
    log: Option<String>,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 an error, named on standard error, or a crawl --once of which nothing came; 2 wrong arguments; \
                          3 what was asked for is not there (get); 4 damage was found (store); \
                          5 some pages of a batch could not be extracted, each named with its error (extract --batch); \
                          78 a configuration that cannot be used; \
                          130 a crawl that was told to stop a second time, and ended at once.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Crawl a small site of our own on loopback and show what came of it.
    Demo(demo::Args),
    /// Print the content of one page, with any number of siblings to compare it with; or, with
    /// --batch, of many.
    Extract(extract::Args),
    /// Print the content of page A, found by comparing it with page B.
    Diff(diff::Args),
    /// Crawl: fetch, pair, extract and store, until told to stop.
    Crawl(crawl::Args),
    /// List the pages of the store.
    List(list::Args),
    /// Print what the store has of a page.
    Get(get::Args),
    /// Print the change feed, a JSON object a line.
    Changes(changes::Args),
    /// Write the records of the store: as JSON lines, Parquet, a web archive, or a folder of
    /// Markdown.
    Export(export::Args),
    /// Print all that is known of a URL: found where, what came of it, how its content was found.
    Why(frontier::WhyArgs),
    /// See and change what the frontier knows of URLs and hosts.
    Frontier(frontier::Args),
    /// Verify, repair, compact, back up or restore a store.
    Store(store::Args),
    /// Check a configuration, or print what holds.
    Config(configuration::Args),
    /// What is remembered of a site's templates, in a file or a data directory: learn pages, list,
    /// show, drop, export, import.
    Template(template::Args),
    /// Label a page by hand, block for block, in a browser.
    Annotate(annotate::Args),
    /// Enter what a person labelled of one page (tsrec annotate): it holds on the whole site, and
    /// outweighs the score there. --undo takes it back.
    Teach(Box<teach::Args>),
    #[command(hide = true)]
    Untaught(moved::Args),
    #[command(hide = true)]
    Eval(moved::Args),
    #[command(hide = true)]
    Train(moved::Args),
    /// Rate pages by their URLs as siblings of a page, and say why.
    Pair(pair::Args),
    /// Print what robots.txt says to a crawler about URLs: allowed or disallowed, the URL, and the
    /// rule that says so.
    Robots(robots::Args),
    /// Print a script that completes the command line in a shell.
    Completions(completions::Args),
    /// Print the manual, or write a page for each command.
    Man(completions::ManArgs),
}

/// Runs the command. Its output goes to standard output, everything else to standard error.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let log = cli.log.as_deref();
    let done = match cli.command {
        Command::Diff(args) => diff::run(&args),
        Command::Extract(args) => return extract::run(&args),
        Command::Pair(args) => pair::run(&args),
        Command::Template(args) => template::run(&args),
        Command::Teach(args) => teach::run(&args),
        Command::Untaught(args) => moved::run("untaught", "tsrec teach --undo NUMBER", &args),
        Command::Eval(args) => moved::run("eval", moved::LAB, &args),
        Command::Train(args) => moved::run("train", moved::LAB, &args),
        Command::Robots(args) => robots::run(&args),
        Command::Annotate(args) => annotate::run(&args),
        Command::Crawl(args) => crawl::run(&args, log),
        Command::Demo(args) => demo::run(&args, log),
        Command::Get(args) => return get::run(&args),
        Command::List(args) => list::run(&args),
        Command::Changes(args) => changes::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Store(args) => return store::run(&args),
        Command::Frontier(args) => frontier::run(&args),
        Command::Why(args) => frontier::why(&args),
        Command::Config(args) => configuration::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => completions::man(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// The exit code of an error. What a service manager should not try again is told apart: wrong
/// arguments, and `EX_CONFIG` of `sysexits.h`.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    const EX_CONFIG: u8 = 78;
    let is_setting = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<config::Error>() || cause.downcast_ref::<CrawlError>().is_some_and(CrawlError::is_setting)
    };
    match error {
        error if error.is::<usage::Usage>() => ExitCode::from(usage::WRONG_ARGUMENTS),
        error if error.chain().any(is_setting) => ExitCode::from(EX_CONFIG),
        _ => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_fit_together() {
        <super::Cli as clap::CommandFactory>::command().debug_assert();
    }
}
