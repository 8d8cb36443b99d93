//! Turns bytes into a [`Document`]: the first stage of the data flow.
//!
//! Parsing never fails: any bytes give a document. [`encoding`] finds the character encoding, in
//! the HTML standard's order of sources. html5ever builds the tree straight into an arena
//! ([`document`]). Explicit [`Limits`] cut hostile input, and [`Document::cuts`] lists each cut.
//!
//! Two documented tables say what elements *mean* for extraction. [`elements`] says which tags
//! break the flow of text, [`visibility`] which text a reader never sees.

mod arena;
pub mod builder;
pub mod directives;
pub mod document;
pub mod elements;
pub mod encoding;
pub(crate) mod footnotes;
mod guard;
pub mod links;
pub(crate) mod menus;
mod outside;
mod page_steps;
mod path;
pub(crate) mod permalink;
mod printable;
pub mod refresh;
mod shadow;
mod sink;
pub mod sniff;
mod streamed;
mod tokenizer;
mod unclosed;
pub mod visibility;

use std::borrow::Cow;

use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use serde::{Deserialize, Serialize};

pub use document::{Document, NodeId};
pub use page_steps::PageSteps;
pub use path::Paths;
pub use printable::printable;
pub(crate) use tokenizer::reference::decode as decode_references;
use tokenizer::{Receiver, Tokenizer};

/// How much of a page is read. Each limit guards against input that would take quadratic time or
/// unbounded memory. A [`Cut`] reports what a limit removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the page that are decoded; the rest is ignored. Default 10 MiB, more than any
    /// article page.
    pub bytes: usize,
    /// Nodes of the tree; what comes later is not parsed. Default 250,000, ten times as many as in
    /// the largest of 3,250 real pages. 164 KB of unclosed `<font>` make 246,000 nodes.
    pub nodes: usize,
    /// Elements that may be open at once. Deeper start tags are dropped, and the element above
    /// keeps their text. Default 512, as in browsers.
    pub depth: usize,
    /// Attributes of one tag; further ones are dropped. Default 256, because html5ever compares
    /// each attribute with all before it.
    pub attributes: usize,
    /// Steps of all work on a page, from parsing to metadata: see [`PageSteps`]. Default
    /// 60,000,000, a hundred times as many as the largest of 3,471 real pages takes (619,519).
    /// Calibration: `cargo bench -p tsrec-lab --bench pages -- steps FILE…`.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10 * 1024 * 1024, nodes: 250_000, depth: 512, attributes: 256, steps: 60_000_000 }
    }
}

impl Limits {
    /// Sets the limit on bytes.
    pub fn with_bytes(self, bytes: usize) -> Self {
        Limits { bytes, ..self }
    }

    /// Sets the limit on nodes.
    pub fn with_nodes(self, nodes: usize) -> Self {
        Limits { nodes, ..self }
    }

    /// Sets the limit on open elements.
    pub fn with_depth(self, depth: usize) -> Self {
        Limits { depth, ..self }
    }

    /// Sets the limit on attributes of a tag.
    pub fn with_attributes(self, attributes: usize) -> Self {
        Limits { attributes, ..self }
    }

    /// Sets the limit on steps.
    pub fn with_steps(self, steps: u64) -> Self {
        Limits { steps, ..self }
    }
}

/// Which limit cut a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Cut {
    /// The page was longer than [`Limits::bytes`].
    Bytes,
    /// The page has more nodes than [`Limits::nodes`].
    Nodes,
    /// Tags were nested deeper than [`Limits::depth`]; no text was lost.
    Depth,
    /// A tag had more attributes than [`Limits::attributes`]; no text was lost.
    Attributes,
    /// The work on the page took more than [`Limits::steps`]. What was left out is content,
    /// metadata, or a comparison.
    Steps,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Cut::Bytes => "bytes",
            Cut::Nodes => "nodes",
            Cut::Depth => "depth",
            Cut::Attributes => "attributes",
            Cut::Steps => "steps",
        })
    }
}

/// Parses a page. `charset` is the label from the HTTP header, if any.
///
/// Linear in the length of `bytes` under fixed limits; never fails and never overflows the stack.
///
/// ```
/// let page = tsrec_core::html::parse(b"<p>Hello, <b>world", None, &Default::default());
/// assert_eq!(page.encoding(), "UTF-8");
/// assert!(page.cuts().is_empty());
/// ```
pub fn parse(bytes: &[u8], charset: Option<&str>, limits: &Limits) -> Document {
    build(SourceText::decode(bytes, charset, limits), limits)
}

/// The tree of a page as the HTML standard makes it, before text that stands outside of it is put
/// in its place. For comparisons with other parsers. As [`parse`] apart from that.
#[doc(hidden)]
pub fn standard_tree(bytes: &[u8], charset: Option<&str>, limits: &Limits) -> Document {
    tree(SourceText::decode(bytes, charset, limits), limits)
}

/// The text of a page as a browser should parse it, after the limits on text.
#[derive(Clone, Debug)]
pub struct SourceText<'b> {
    /// The page, decoded.
    pub text: Cow<'b, str>,
    /// The name of the encoding it was decoded with.
    pub encoding: &'static str,
    /// What [`Limits::bytes`] and [`Limits::attributes`] removed.
    pub cuts: Vec<Cut>,
}

impl<'b> SourceText<'b> {
    /// Decodes a page. `charset` is the label from the HTTP header, if any. Linear; never fails.
    pub fn read(bytes: &'b [u8], charset: Option<&str>, limits: &Limits) -> Self {
        let mut source = SourceText::decode(bytes, charset, limits);
        let bounded = match guard::bound_attributes(&source.text, limits.attributes) {
            Cow::Owned(bounded) => Some(bounded),
            Cow::Borrowed(_) => None,
        };
        if let Some(bounded) = bounded {
            source.cuts.push(Cut::Attributes);
            source.text = Cow::Owned(bounded);
        }
        source
    }

    /// Like `read`, but does not limit attributes: our tokenizer counts them itself.
    fn decode(bytes: &'b [u8], charset: Option<&str>, limits: &Limits) -> Self {
        let mut cuts = Vec::new();
        let bytes = match bytes.get(..limits.bytes) {
            Some(head) if head.len() < bytes.len() => {
                cuts.push(Cut::Bytes);
                head
            }
            _ => bytes,
        };
        let (mut text, encoding) = encoding::decode(bytes, charset);
        if let Cow::Owned(closed) = unclosed::close_title(&text) {
            text = Cow::Owned(closed);
        }
        SourceText { text, encoding: encoding.name(), cuts }
    }
}

fn build(source: SourceText<'_>, limits: &Limits) -> Document {
    let mut document = tree(source, limits);
    outside::put_in_place(&mut document.arena, limits);
    document.most_steps = limits.steps;
    document
}

/// The tree as the standard makes it, with shadow roots.
fn tree(source: SourceText<'_>, limits: &Limits) -> Document {
    let SourceText { text, encoding, mut cuts } = source;
    // We run no scripts, so the content of `noscript` is part of the page.
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(sink::DocumentSink::new(text.len()), options);
    let text = tokenizer::normalised(&text);
    let mut tokenizer = Tokenizer::new(&text, guard::DepthGuard::new(builder, limits), limits.attributes);
    tokenizer.run();
    if tokenizer.had_more_attributes() {
        cuts.push(Cut::Attributes);
    }
    let guard = tokenizer.receiver;
    if guard.is_full() {
        cuts.push(Cut::Nodes);
    }
    if guard.was_too_deep() {
        cuts.push(Cut::Depth);
    }
    cuts.sort_unstable();
    guard.into_builder().sink.into_document(encoding, cuts, limits.depth)
}

/// True of white space in HTML and CSS, and of the no-break space, which pages use in the same way.
#[inline]
pub fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// True of a text that is only white space.
pub(crate) fn is_blank(text: &str) -> bool {
    // Most white space is ASCII, which needs no decoding.
    text.trim_ascii_start().chars().all(is_space)
}

/// Removes white space at both ends and turns each run within into one space. The Infra standard
/// has the same function for ASCII white space; this one takes all [white space](is_space).
/// Borrowed when nothing changes.
pub fn strip_and_collapse(text: &str) -> Cow<'_, str> {
    let text = strip(text);
    if is_surely_collapsed(text.as_bytes()) || is_collapsed(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

/// Removes white space at both ends of a text.
fn strip(text: &str) -> &str {
    let text = text.trim_ascii();
    match text.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}

/// Whether a text has only single spaces. It must not begin with white space.
fn is_collapsed(text: &str) -> bool {
    let mut previous_space = false;
    text.chars().all(|c| {
        let fine = !is_space(c) || (c == ' ' && !previous_space);
        previous_space = is_space(c);
        fine
    })
}

/// A quick check by bytes. False means that the characters must be checked. The processor compares
/// several bytes in one instruction.
fn is_surely_collapsed(text: &[u8]) -> bool {
    match text.len() {
        0..=8 => !has_doubtful_pair::<1>(text),
        9..=16 => !has_doubtful_pair::<8>(text),
        _ => !has_doubtful_pair::<16>(text),
    }
}

/// Whether any pair of neighbouring bytes may be more white space than one space. Checks `TOGETHER`
/// pairs at a time; the text has at least as many, or none.
fn has_doubtful_pair<const TOGETHER: usize>(text: &[u8]) -> bool {
    let Some(pairs) = text.len().checked_sub(1).filter(|&pairs| pairs > 0) else { return false };
    let is_any_doubtful = |at: usize| {
        let pairs = &text[at..at + TOGETHER + 1];
        (0..TOGETHER).fold(false, |found, at| found | is_doubtful(pairs[at], pairs[at + 1]))
    };
    let (mut at, last) = (0, pairs - TOGETHER);
    while at < last {
        if is_any_doubtful(at) {
            return true;
        }
        at += TOGETHER;
    }
    // The last group overlaps the one before.
    is_any_doubtful(last)
}

/// True of two spaces, and of a second byte that may be other white space. That is a control
/// character or the first byte of white space past ASCII (U+0085 and U+00A0, U+1680, U+2000 to
/// U+205F, U+3000).
#[inline]
fn is_doubtful(first: u8, second: u8) -> bool {
    (second < b' ') | ((first == b' ') & (second == b' ')) | (second == 0xc2) | matches!(second, 0xe1..=0xe3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(document: &Document) -> String {
        let mut out = String::new();
        for node in document.descendants(document.root()) {
            if let Some(text) = document.text(node) {
                out.push_str(text);
            }
        }
        out
    }

    /// A browser ends the text of `noscript` at its end tag.
    #[test]
    fn nothing_in_noscript_takes_what_comes_after_it() {
        for (inner, expect) in [
            ("<iframe src=x />", "a b"),
            ("<iframe src=x></iframe>", "a b"),
            ("<textarea>t", "a tb"),
            ("<style>s</style><iframe>", "a sb"),
            ("<noscript><iframe></noscript>", "a b"),
        ] {
            let page = format!("<p>a <noscript>{inner}</noscript><p>b<iframe></iframe>");
            let document = parse(page.as_bytes(), None, &Limits::default());
            assert_eq!(text_of(&document), expect, "{inner}");
            let paragraphs = document.descendants(document.root()).filter(|&node| document.is_element(node, "p"));
            assert_eq!(paragraphs.count(), 2, "{inner}");
        }
        assert_eq!(text_of(&parse(b"<noscript>a<iframe>b", None, &Limits::default())), "ab");
    }

    #[test]
    fn spaces_are_collapsed_and_clean_text_is_borrowed() {
        for (input, expect) in [
            ("", ""),
            ("a b", "a b"),
            ("\u{a0} a\n\tb \u{2003}", "a b"),
            ("a\u{b}b", "a b"),
            ("a\u{a0}\u{a0}b", "a b"),
            ("é\n", "é"),
        ] {
            assert_eq!(strip_and_collapse(input), expect);
        }
        assert!(matches!(strip_and_collapse(" plain text "), Cow::Borrowed(_)));
    }

    /// At any place of a text of any length, and for any number of bytes compared together.
    #[test]
    fn every_run_of_white_space_is_found() {
        for space in ["  ", "\t", "\u{b}", "\u{a0}", "\u{2028}", "\u{3000}"] {
            for (before, after) in (1..40).flat_map(|before| [1, 2, 9, 40].map(|after| (before, after))) {
                let (before, after) = ("é".repeat(before), "x".repeat(after));
                let (text, expect) = (format!("{before}{space}{after}"), format!("{before} {after}"));
                assert_eq!(strip_and_collapse(&text), expect, "{text:?}");
                assert!(matches!(strip_and_collapse(&expect), Cow::Borrowed(_)), "{expect:?}");
            }
        }
        assert!(is_blank("") && is_blank(" \n\u{a0}") && !is_blank(" \u{a0}a"));
    }

    #[test]
    fn deep_nesting_keeps_the_text() {
        let page = format!("{}deep{} after", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let document = parse(page.as_bytes(), None, &Limits::default());
        assert_eq!(document.cuts(), [Cut::Depth]);
        assert_eq!(text_of(&document), "deep after");
        assert!(document.len() < 1_000);
    }

    #[test]
    fn deep_nesting_does_not_hide_what_comes_later() {
        let page = format!("{}x{}<p>one<p>two", "<div>".repeat(2_000), "</div>".repeat(2_000));
        let document = parse(page.as_bytes(), None, &Limits::default());
        let paragraphs = document.descendants(document.root()).filter(|&n| document.is_element(n, "p")).count();
        assert_eq!(paragraphs, 2);
    }

    #[test]
    fn what_closes_after_deep_nesting_makes_room_again() {
        let (open, close) = ("<div>".repeat(700), "</div>".repeat(650));
        let document = parse(format!("{open}{close}<p>a<p>b").as_bytes(), None, &Limits::default());
        let paragraphs = document.descendants(document.root()).filter(|&n| document.is_element(n, "p")).count();
        assert_eq!((paragraphs, document.cuts()), (2, &[Cut::Depth][..]));
    }

    #[test]
    fn attributes_beyond_the_limit_are_dropped() {
        let attributes: String = (0..40_000).map(|i| format!(" a{i}=x")).collect();
        let document = parse(format!("<p{attributes}>text</p>").as_bytes(), None, &Limits::default());
        assert_eq!(document.cuts(), [Cut::Attributes]);
        assert_eq!(text_of(&document), "text");
    }

    #[test]
    fn nodes_are_bounded() {
        let page: String = (0..20_000).map(|i| format!("<font size={i}>x<p>")).collect();
        let document = parse(page.as_bytes(), None, &Limits { nodes: 10_000, ..Limits::default() });
        assert!(document.cuts().contains(&Cut::Nodes));
        assert!(document.len() < 12_000, "{} nodes", document.len());
    }

    #[test]
    fn bytes_are_bounded() {
        let document = parse("x".repeat(100).as_bytes(), None, &Limits { bytes: 10, ..Limits::default() });
        assert_eq!(document.cuts(), [Cut::Bytes]);
        assert_eq!(text_of(&document), "x".repeat(10));
    }
}
