//! Pages annotated by hand: the file that `tsrec annotate` keeps and training reads.
//!
//! Victor's annotation tool (Marek 2007, section 2.3) writes one line for each text block, with the
//! label in brackets before the text. Ours does too, below a head that identifies the page:
//!
//! ```text
//! tsrec-annotation 1
//! page: ferry.html
//! sha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
//! blocks: 5
//!
//! [o] Home
//! [h] The ferry sails again
//! [p] See
//! [c] our website
//! [?] for more details.
//! ```
//!
//! - The file is plain UTF-8, and a person may edit it. Its first line names the format's version.
//! - The head: `page`, the file or URL as the user named it; `sha256`, the digest of the page's
//!   bytes; `blocks`, the number of the page's text blocks. Its lines may come in any order, each
//!   once. An empty line ends the head.
//! - The body: each of the page's [text blocks](crate::block::text_blocks), in document order, as
//!   `[label] text`. The labels are `h` header, `p` paragraph, `l` list item, `c` continuation, `o`
//!   other ([`BlockLabel`]), and `?` for a block without a label. Empty lines are skipped.
//! - A text is the block's text with white space folded, so it has no line break. Characters that
//!   could steer a terminal, end a line or turn the direction of writing are written by their
//!   number, `\u{1b}`. A backslash is written `\\` ([`escape()`]).
//!
//! [`Annotation::resume`] reads a file against a page. It checks that the file is of this page:
//! digest, number of blocks, and every text.

mod escape;
mod gold;
mod labelling;

use std::fmt;

use sha2::{Digest, Sha256};

pub use escape::escape;
pub use gold::{gold, read_gold};
pub use labelling::Labelling;

use crate::block::block_label::BlockLabel;
use crate::learn::model::hex;

/// The format's name and version: the first line of every file.
const MAGIC: &str = "tsrec-annotation";
const VERSION: &str = "1";

/// Marks a block without a label.
const UNLABELLED: char = '?';

/// A page's text blocks with the labels that a person gave them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    page: String,
    sha256: String,
    blocks: Vec<(Option<BlockLabel>, String)>,
}

impl Annotation {
    /// The annotation of a page without any labels. `page` is the page's name, `bytes` are its
    /// bytes, and `texts` are the texts of its text blocks, in order.
    pub fn new(page: &str, bytes: &[u8], texts: impl IntoIterator<Item = String>) -> Self {
        let sha256 = hex(&Sha256::digest(bytes));
        Annotation { page: page.to_owned(), sha256, blocks: texts.into_iter().map(|text| (None, text)).collect() }
    }

    /// Takes the labels from a file. The file must be of this page: its digest and every text must
    /// match. The name may differ, and the annotation then takes the file's name.
    pub fn resume(&mut self, file: &str) -> Result<(), Error> {
        let ParsedAnnotation { annotation, lines } = ParsedAnnotation::read(file)?;
        if annotation.sha256 != self.sha256 {
            let (theirs, ours) = (annotation.page, self.page.clone());
            return Err(Kind::OtherPage { theirs, ours }.into());
        }
        for (((_, expect), (_, found)), line) in self.blocks.iter().zip(&annotation.blocks).zip(lines) {
            if expect != found {
                return Err(Kind::Text { line, expect: escape(expect), found: escape(found) }.into());
            }
        }
        if annotation.blocks.len() != self.blocks.len() {
            return Err(Kind::PageCount { file: annotation.blocks.len(), page: self.blocks.len() }.into());
        }
        *self = annotation;
        Ok(())
    }

    /// The page's name at the first annotation.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// The labels, one for each text block, in order.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = Option<BlockLabel>> {
        self.blocks.iter().map(|(label, _)| *label)
    }

    /// All labels of a completely labelled page. Otherwise the error says how many are missing.
    pub fn complete(&self) -> Result<Vec<BlockLabel>, Error> {
        let labels: Vec<BlockLabel> = self.labels().flatten().collect();
        let missing = self.blocks.len() - labels.len();
        match missing {
            0 => Ok(labels),
            _ => Err(Kind::Incomplete { missing, blocks: self.blocks.len() }.into()),
        }
    }

    /// Replaces all labels. There must be one for each text block.
    pub fn set_labels(&mut self, labels: &[Option<BlockLabel>]) {
        assert_eq!(labels.len(), self.blocks.len(), "a label a text block");
        for ((label, _), new) in self.blocks.iter_mut().zip(labels) {
            *label = *new;
        }
    }
}

/// The file's text.
impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MAGIC} {VERSION}")?;
        writeln!(f, "page: {}", escape(&self.page))?;
        writeln!(f, "sha256: {}", self.sha256)?;
        writeln!(f, "blocks: {}\n", self.blocks.len())?;
        for (label, text) in &self.blocks {
            writeln!(f, "[{}] {}", label.map_or(UNLABELLED, BlockLabel::key), escape(text))?;
        }
        Ok(())
    }
}

/// A file as read, with the line number of each block.
struct ParsedAnnotation {
    annotation: Annotation,
    lines: Vec<usize>,
}

impl ParsedAnnotation {
    fn read(file: &str) -> Result<ParsedAnnotation, Error> {
        let mut lines = (1..).zip(file.trim_start_matches('\u{feff}').lines());
        check_magic(lines.next().map_or("", |(_, line)| line))?;
        let [page, sha256, count] = read_head(&mut lines)?;
        let count: usize = count.parse().map_err(|_| Kind::Count { found: count })?;
        let (mut blocks, mut places) = (Vec::new(), Vec::new());
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            blocks.push(read_block(number, line)?);
            places.push(number);
        }
        if blocks.len() != count {
            return Err(Kind::FileCount { head: count, lines: blocks.len() }.into());
        }
        Ok(ParsedAnnotation { annotation: Annotation { page, sha256, blocks }, lines: places })
    }
}

fn check_magic(line: &str) -> Result<(), Error> {
    match line.split_once(' ') {
        Some((MAGIC, VERSION)) => Ok(()),
        Some((MAGIC, version)) => Err(Kind::Version { found: escape(version) }.into()),
        _ => Err(Kind::NotAnAnnotation.into()),
    }
}

const HEAD: [&str; 3] = ["page", "sha256", "blocks"];

/// The values of [`HEAD`], from the lines up to the first empty one.
fn read_head<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Result<[String; 3], Error> {
    let mut values: [Option<String>; 3] = Default::default();
    for (number, line) in lines.take_while(|(_, line)| !line.trim().is_empty()) {
        let place = line.split_once(": ").and_then(|(name, _)| HEAD.iter().position(|known| *known == name));
        let Some(place) = place.filter(|&place| values[place].is_none()) else {
            return Err(Kind::HeadLine { line: number, found: escape(line) }.into());
        };
        let value = &line[HEAD[place].len() + ": ".len()..];
        values[place] = Some(unescape(number, value)?);
    }
    let [page, sha256, count] = values;
    let have = |value: Option<String>, name| value.ok_or(Kind::HeadMissing { name });
    Ok([have(page, HEAD[0])?, have(sha256, HEAD[1])?, have(count, HEAD[2])?])
}

/// `[label] text`.
fn read_block(number: usize, line: &str) -> Result<(Option<BlockLabel>, String), Error> {
    let (label, text) = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        .ok_or_else(|| Kind::Line { line: number, found: escape(line) })?;
    let mut letters = label.chars();
    let label = match (letters.next(), letters.next()) {
        (Some(UNLABELLED), None) => None,
        (Some(key), None) if BlockLabel::from_key(key).is_some() => BlockLabel::from_key(key),
        _ => return Err(Kind::Label { line: number, found: escape(label) }.into()),
    };
    Ok((label, unescape(number, text)?))
}

fn unescape(line: usize, text: &str) -> Result<String, Kind> {
    escape::unescape(text).map_err(|found| Kind::Escape { line, found })
}

/// Why a file is not the annotation of a page, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(#[from] Kind);

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error("it is no annotation, which begins with the line {MAGIC} {VERSION}; name another file")]
    NotAnAnnotation,
    #[error("its format is version {found}, this program reads version {VERSION}; use the program that wrote it")]
    Version { found: String },
    #[error(
        "line {line} is {found:?}: the head has the lines page, sha256 and blocks, each once and followed by a colon and a value, and then an empty line"
    )]
    HeadLine { line: usize, found: String },
    #[error("its head does not say {name}; put the line back, or start again with another file")]
    HeadMissing { name: &'static str },
    #[error("its head says blocks: {found}, which is no number")]
    Count { found: String },
    #[error(
        "its head says {head} blocks, and {lines} lines follow: some were lost or added; put them back, or start again with another file"
    )]
    FileCount { head: usize, lines: usize },
    #[error("line {line} is {found:?}: a block is a label in brackets, a space and its text, such as [p] See")]
    Line { line: usize, found: String },
    #[error("line {line} has the label [{found}]: it is one of [h] [p] [l] [c] [o], or [?] where none is given yet")]
    Label { line: usize, found: String },
    #[error(
        "line {line} has {found}, which is no escape: a backslash is written \\\\, a character by its number \\u{{1b}}"
    )]
    Escape { line: usize, found: String },
    #[error(
        "it holds the labels of another page, {theirs:?}, or of other bytes of it: their digest is not that of {ours:?}; \
         name another file to write to, or the very page that was annotated"
    )]
    OtherPage { theirs: String, ours: String },
    #[error(
        "line {line} has the text {found:?} where the page has {expect:?}: undo the change if it was edited; if not, another version of \
         tsrec split the page in another way, and it must be annotated again into another file"
    )]
    Text { line: usize, expect: String, found: String },
    #[error("it has {file} blocks where the page has {page}: the page must be annotated again into another file")]
    PageCount { file: usize, page: usize },
    #[error("{missing} of its {blocks} blocks have no label yet: finish it with tsrec annotate")]
    Incomplete { missing: usize, blocks: usize },
}

impl Error {
    /// The file has the labels of another page, or of other bytes of the same page.
    pub fn is_other_page(&self) -> bool {
        matches!(self.0, Kind::OtherPage { .. })
    }

    /// Some blocks have no label yet.
    pub fn is_incomplete(&self) -> bool {
        matches!(self.0, Kind::Incomplete { .. })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page() -> Annotation {
        Annotation::new("ferry.html", b"<p>See <a>our site</a>", ["See".to_owned(), "our site".to_owned()])
    }

    #[test]
    fn the_file_reads_as_documented() {
        let mut annotation = page();
        annotation.set_labels(&[Some(BlockLabel::Paragraph), None]);
        let expect = "tsrec-annotation 1\n\
                      page: ferry.html\n\
                      sha256: b31ebb0d408b35ba867cebe5655d20890aee79331f6e34e5395bd0298e3d9932\n\
                      blocks: 2\n\
                      \n\
                      [p] See\n\
                      [?] our site\n";
        assert_eq!(annotation.to_string(), expect);
        assert!(annotation.complete().unwrap_err().is_incomplete());
        annotation.set_labels(&[Some(BlockLabel::Paragraph), Some(BlockLabel::Continuation)]);
        assert_eq!(annotation.complete().unwrap(), [BlockLabel::Paragraph, BlockLabel::Continuation]);
    }

    #[test]
    fn what_editors_do_to_a_file_is_forgiven() {
        let mut annotation = page();
        annotation.set_labels(&[Some(BlockLabel::Paragraph), Some(BlockLabel::Continuation)]);
        let file = annotation.to_string();
        for edited in [file.replace('\n', "\r\n"), format!("\u{feff}{file}"), format!("{file}\n\n")] {
            let mut read = page();
            read.resume(&edited).unwrap();
            assert_eq!(read, annotation, "{edited:?}");
        }
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let file = page().to_string();
        for (damaged, expect) in [
            (String::new(), "it is no annotation, which begins with the line tsrec-annotation 1"),
            ("<html>\n".to_owned(), "it is no annotation"),
            (file.replace("annotation 1", "annotation 2"), "its format is version 2, this program reads version 1"),
            (file.replace("page: ferry.html\n", ""), "its head does not say page"),
            (
                file.replace("page:", "pages:"),
                "line 2 is \"pages: ferry.html\": the head has the lines page, sha256 and blocks",
            ),
            (file.replace("blocks: 2", "page: twice"), "line 4 is \"page: twice\""),
            (file.replace("blocks: 2", "blocks: two"), "its head says blocks: two, which is no number"),
            (file.replace("[?] our site\n", ""), "its head says 2 blocks, and 1 lines follow"),
            (file.replace("[?] See", "[x] See"), "line 6 has the label [x]: it is one of [h] [p] [l] [c] [o], or [?]"),
            (file.replace("[?] See", "[\u{1b}[31m] See"), "line 6 has the label [\\u{1b}[31m]"),
            (file.replace("[?] See", "[po] See"), "line 6 has the label [po]"),
            (file.replace("[?] See", "See"), "line 6 is \"See\": a block is a label in brackets"),
            (file.replace("[?] See", "[?] S\\ee"), "line 6 has \\e, which is no escape"),
            (
                file.replace("our site", "your site"),
                "line 7 has the text \"your site\" where the page has \"our site\"",
            ),
            (
                file.replace("[?] our site\n", "").replace("blocks: 2", "blocks: 1"),
                "it has 1 blocks where the page has 2",
            ),
            (
                Annotation::new("tram.html", b"other", ["See".to_owned()]).to_string(),
                "it holds the labels of another page, \"tram.html\"",
            ),
        ] {
            let mut annotation = page();
            let error = annotation.resume(&damaged).unwrap_err();
            assert!(error.to_string().starts_with(expect), "{error}\ninstead of {expect}");
            assert_eq!(error.is_other_page(), expect.contains("another page"));
            assert_eq!(annotation, page(), "a damaged file changes nothing");
        }
    }

    fn label() -> impl Strategy<Value = Option<BlockLabel>> {
        prop_oneof![Just(None), prop::sample::select(&BlockLabel::ALL[..]).prop_map(Some)]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in ".*", blocks in prop::collection::vec((label(), any::<String>()), 0..20)) {
            let texts = || blocks.iter().map(|(_, text)| text.clone());
            let mut annotation = Annotation::new(&name, name.as_bytes(), texts());
            annotation.set_labels(&blocks.iter().map(|(label, _)| *label).collect::<Vec<_>>());
            let file = annotation.to_string();
            prop_assert!(file.chars().all(|c| c == '\n' || !c.is_control()));
            let mut read = Annotation::new(&name, name.as_bytes(), texts());
            read.resume(&file).unwrap();
            prop_assert_eq!(read, annotation);
        }

        #[test]
        fn no_file_makes_reading_panic(file in "(tsrec-annotation 1\n)?(page: a\n)?(sha256: \\PC*\n)?(blocks: [0-9]+\n)?(\n)?(\\[.\\] .*\n){0,3}") {
            let _ = page().resume(&file);
        }
    }
}
