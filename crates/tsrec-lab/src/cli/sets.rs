//! The sets of pages that a command reads, and the options that describe them.

use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Result;

use super::corpus::Corpus;
use tsrec_core::evidence::kind::PageKind;
use tsrec_terminal::progress::progress;
use tsrec_terminal::usage;

/// Options about sets.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct SetArgs {
    /// The kind of a set's pages, such as news=article. It applies to pages whose line in
    /// meta.jsonl names no kind. Repeat it for several sets.
    #[arg(long = "kind", value_name = "SET=KIND")]
    kinds: Vec<SetKind>,
}

/// The kind of a set's pages.
#[derive(Clone, Debug, PartialEq)]
struct SetKind {
    set: String,
    kind: PageKind,
}

impl FromStr for SetKind {
    type Err = String;

    fn from_str(text: &str) -> Result<SetKind, String> {
        let (set, kind) = text.split_once('=').ok_or("it is the name of a set, = and a kind, such as news=article")?;
        let kind = kind.parse::<PageKind>().map_err(|error| error.to_string())?;
        Ok(SetKind { set: set.to_owned(), kind })
    }
}

impl SetArgs {
    /// The sets in these folders.
    ///
    /// # Errors
    ///
    /// If a set cannot be read, or an option describes a set that is not given.
    pub(super) fn read(&self, folders: &[PathBuf]) -> Result<Vec<Corpus>> {
        let mut corpora = Vec::new();
        for folder in folders {
            if folder.is_file() {
                // A glob over a folder of sets also matches the notes beside them.
                progress(&format!("{} is a file, not a set of pages: passed over\n", folder.display()));
                continue;
            }
            corpora.push(Corpus::read(folder)?);
        }
        for SetKind { set, kind } in &self.kinds {
            let mut of_set = corpora.iter_mut().filter(|corpus| corpus.name() == set).peekable();
            let wrong = || usage::wrong(format!("--kind {set}={kind}: none of the sets is called {set}"));
            of_set.peek().ok_or_else(wrong)?;
            of_set.for_each(|corpus| corpus.set.assume_kind(kind.as_str()));
        }
        Ok(corpora)
    }

    /// The given options, each with a space before it.
    pub(super) fn options(&self) -> String {
        self.kinds.iter().fold(String::new(), |mut options, SetKind { set, kind }| {
            write!(options, " --kind {set}={kind}").expect("writing to a string cannot fail");
            options
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(kind: &str) -> SetArgs {
        SetArgs { kinds: vec![kind.parse().unwrap()] }
    }

    #[test]
    fn pages_without_a_kind_are_of_what_is_said_and_others_stay() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("news");
        std::fs::create_dir(&folder).unwrap();
        let lines = "{\"id\": \"a\"}\n{\"id\": \"b\", \"page_type\": \"forum\"}";
        std::fs::write(folder.join("meta.jsonl"), lines).unwrap();
        let folders = [folder.clone(), folder.join("meta.jsonl")];

        let corpora = args("news=article").read(&folders).unwrap();
        let kinds: Vec<_> = corpora[0].entries().map(|entry| entry.info.kind.clone().unwrap()).collect();
        assert_eq!((corpora.len(), kinds), (1, vec!["article".to_owned(), "forum".to_owned()]));
        assert_eq!(args("news=article").options(), " --kind news=article");

        let Err(error) = args("papers=article").read(&folders) else { panic!("there is no such set") };
        assert_eq!(error.to_string(), "--kind papers=article: none of the sets is called papers");
    }

    #[test]
    fn what_is_no_set_and_kind_is_an_error() {
        for (text, expect) in [("news", "such as news=article"), ("news=blog", "unknown kind of page \"blog\"")] {
            let error = text.parse::<SetKind>().unwrap_err();
            assert!(error.contains(expect), "{error}");
        }
    }
}
