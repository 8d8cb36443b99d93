//! Limits on what reaches the parser.
//!
//! Three kinds of input make a standard parser quadratic: a tag with very many attributes (in the
//! tokenizer), very deep nesting, and formatting elements that are reopened in every block (both in
//! the tree builder). Our tokenizer limits attributes; for a browser, [`bound_attributes`] does.
//! [`DepthGuard`], between tokenizer and tree builder, limits the other two.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::Tracer;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use html5ever::{LocalName, local_name};

use super::Limits;
use super::document::NodeId;
use super::sink::DocumentSink;
use super::tokenizer::Receiver;

/// Drops start tags below the depth limit and everything past the node limit. The element above
/// keeps the text of dropped tags.
pub(super) struct DepthGuard {
    builder: TreeBuilder<NodeId, DocumentSink>,
    limits: Limits,
    start_tags: Cell<usize>,
    too_deep: Cell<bool>,
    /// True if a tag went to the tree builder after the last count of its stack.
    changed: Cell<bool>,
    was_too_deep: Cell<bool>,
    full: Cell<bool>,
    /// True while the sink holds attributes for the next token's element.
    offered: Cell<bool>,
    /// Start tags that were dropped and not yet closed; their end tags are dropped too.
    dropped: RefCell<Vec<LocalName>>,
}

/// The open elements are counted once per this many start tags. That keeps counting cheap, and the
/// stack exceeds its limit by at most this many. Past the limit they are counted after every tag
/// that changed the stack.
const COUNT_EVERY: usize = 64;

impl DepthGuard {
    pub(super) fn new(builder: TreeBuilder<NodeId, DocumentSink>, limits: &Limits) -> Self {
        DepthGuard {
            builder,
            limits: limits.clone(),
            start_tags: Cell::new(0),
            too_deep: Cell::new(false),
            changed: Cell::new(true),
            was_too_deep: Cell::new(false),
            full: Cell::new(false),
            offered: Cell::new(false),
            dropped: RefCell::default(),
        }
    }

    /// True if start tags were dropped for their depth.
    pub(super) fn was_too_deep(&self) -> bool {
        self.was_too_deep.get()
    }

    pub(super) fn into_builder(self) -> TreeBuilder<NodeId, DocumentSink> {
        self.builder
    }

    /// Whether to drop this tag because too many elements are open.
    fn drops(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => {
                self.start_tags.set(self.start_tags.get() + 1);
                let is_due = self.too_deep.get() || self.start_tags.get().is_multiple_of(COUNT_EVERY);
                if is_due && self.changed.replace(false) {
                    let open = self.open_elements();
                    self.too_deep.set(open > self.limits.depth);
                    if open <= self.limits.depth {
                        self.dropped.borrow_mut().clear();
                    }
                }
                // If a raw text tag were dropped, its script or style would become text of the
                // page.
                let drop = self.too_deep.get() && !holds_raw_text(&tag.name);
                if drop {
                    self.was_too_deep.set(true);
                    if !tag.self_closing {
                        self.dropped.borrow_mut().push(tag.name.clone());
                    }
                }
                drop
            }
            TagKind::EndTag => {
                let mut dropped = self.dropped.borrow_mut();
                let drop = dropped.last() == Some(&tag.name);
                if drop {
                    dropped.pop();
                }
                drop
            }
        }
    }

    /// Open elements plus active formatting elements: the two lists that html5ever searches.
    fn open_elements(&self) -> usize {
        struct Count(Cell<usize>);
        impl Tracer for Count {
            type Handle = NodeId;
            fn trace_handle(&self, _node: &NodeId) {
                self.0.set(self.0.get() + 1);
            }
        }
        let count = Count(Cell::new(0));
        self.builder.trace_handles(&count);
        count.0.get()
    }
}

impl TokenSink for DepthGuard {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        if self.builder.sink.len() > self.limits.nodes {
            self.full.set(true);
        }
        let offered = self.offered.take();
        let goes_on = match &token {
            Token::EOFToken => true,
            _ if self.full.get() => false,
            Token::TagToken(tag) => {
                let passes = !self.drops(tag);
                self.changed.set(passes || self.changed.get());
                passes
            }
            _ => true,
        };
        let result = if goes_on { self.builder.process_token(token, line) } else { TokenSinkResult::Continue };
        if offered {
            self.builder.sink.withdraw();
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Receiver for DepthGuard {
    fn take_attributes<'a>(&self, name: &LocalName, list: impl Iterator<Item = (LocalName, &'a str)>) -> bool {
        // The tree builder adjusts names of foreign attributes.
        if concern_the_tree(name) || self.builder.adjusted_current_node_present_but_not_in_html_namespace() {
            return false;
        }
        self.builder.sink.offer(name, list);
        self.offered.set(true);
        true
    }

    fn is_full(&self) -> bool {
        self.full.get()
    }
}

/// Whether the tree builder uses the attributes of a start tag of that name. It may read them, give
/// them to an existing or renamed element, or keep them to make the element again.
fn concern_the_tree(name: &LocalName) -> bool {
    matches!(
        *name,
        // Repeated tags add attributes to the first element.
        local_name!("html") | local_name!("body") | local_name!("frameset")
            // The tree builder reads the type of an input and the mode of a shadow root.
            | local_name!("input") | local_name!("template")
            // Renamed to `img`.
            | local_name!("image")
            // Foreign elements.
            | local_name!("svg") | local_name!("math")
            // Formatting elements (13.2.4.3), which may be made again.
            | local_name!("a") | local_name!("b") | local_name!("big") | local_name!("code") | local_name!("em")
            | local_name!("font") | local_name!("i") | local_name!("nobr") | local_name!("s") | local_name!("small")
            | local_name!("strike") | local_name!("strong") | local_name!("tt") | local_name!("u")
    )
}

fn holds_raw_text(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("script")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("xmp")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("plaintext")
    )
}

/// Removes the attributes past the first `most` from every tag. Borrowed when nothing changes.
///
/// It scans tags, quotes, comments and raw text as the HTML standard's tokenizer does. It is less
/// exact for scripts that write comments; that matters only for a tag with more than `most`
/// attributes. Linear.
pub(super) fn bound_attributes(text: &str, most: usize) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut kept = 0; // what stands before is copied to `out`, or dropped
    let mut at = 0;
    while let Some(open) = find(bytes, at, b"<") {
        at = open + 1;
        if bytes[at..].starts_with(b"!--") {
            at = find(bytes, at + 3, b"-->").map_or(bytes.len(), |end| end + 3);
            continue;
        }
        let closing = bytes.get(at) == Some(&b'/');
        let name_start = at + usize::from(closing);
        if !bytes.get(name_start).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let name_end = skip_while(bytes, name_start, |b| !b.is_ascii_whitespace() && b != b'/' && b != b'>');
        let tag = scan_attributes(bytes, name_end, most);
        if let Some(cut) = tag.cut {
            out.push_str(&text[kept..cut]);
            kept = tag.end;
        }
        at = tag.end;
        if !closing && RAW_TEXT.iter().any(|raw| raw.eq_ignore_ascii_case(&text[name_start..name_end])) {
            at = find_end_tag(text, at, &text[name_start..name_end]);
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// Elements whose text holds no tags.
const RAW_TEXT: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

struct ScannedTag {
    /// Where the surplus attributes begin, if any.
    cut: Option<usize>,
    /// Where the tag's `>` is, or the end of the text.
    end: usize,
}

fn scan_attributes(bytes: &[u8], mut at: usize, most: usize) -> ScannedTag {
    let mut cut = None;
    let mut seen = 0;
    loop {
        at = skip_while(bytes, at, |b| b.is_ascii_whitespace() || b == b'/');
        match bytes.get(at) {
            None | Some(b'>') => return ScannedTag { cut, end: at },
            Some(_) => {}
        }
        if seen == most && cut.is_none() {
            cut = Some(at);
        }
        seen += 1;
        // A name may begin with `=`. Then comes a value, quoted or not.
        at = skip_while(bytes, at + 1, |b| !b.is_ascii_whitespace() && !matches!(b, b'/' | b'>' | b'='));
        let equals = skip_while(bytes, at, |b| b.is_ascii_whitespace());
        if bytes.get(equals) != Some(&b'=') {
            continue;
        }
        at = skip_while(bytes, equals + 1, |b| b.is_ascii_whitespace());
        at = match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => find(bytes, at + 1, &[quote]).map_or(bytes.len(), |end| end + 1),
            _ => skip_while(bytes, at, |b| !b.is_ascii_whitespace() && b != b'>'),
        };
    }
}

fn skip_while(bytes: &[u8], at: usize, test: impl Fn(u8) -> bool) -> usize {
    bytes.get(at..).and_then(|rest| rest.iter().position(|&b| !test(b))).map_or(bytes.len(), |n| at + n)
}

fn find(bytes: &[u8], at: usize, needle: &[u8]) -> Option<usize> {
    let rest = bytes.get(at..)?;
    match needle {
        [byte] => rest.iter().position(|b| b == byte),
        _ => rest.windows(needle.len()).position(|window| window == needle),
    }
    .map(|n| at + n)
}

/// Where the end tag of a raw text element begins, or the end of the text.
fn find_end_tag(text: &str, mut at: usize, name: &str) -> usize {
    while let Some(open) = find(text.as_bytes(), at, b"</") {
        at = open + 2;
        if text.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return open;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::bound_attributes;

    #[test]
    fn surplus_attributes_go_and_nothing_else() {
        for (input, expect) in [
            ("plain", "plain"),
            ("<p a b>x", "<p a b>x"),
            ("<p a b c>x", "<p a b >x"),
            ("<p a='>' b=\"c d\" e f=g>x</p>", "<p a='>' b=\"c d\" >x</p>"),
            ("<p a b c='un closed >x", "<p a b "),
            ("<!-- <p a b c d> --><i a b>", "<!-- <p a b c d> --><i a b>"),
            ("<script>if (a<b c d e) x</script><p a b c>", "<script>if (a<b c d e) x</script><p a b >"),
            ("a < b c d e", "a < b c d e"),
            ("<br / / />é<p ä ö ü>", "<br / / />é<p ä ö >"),
            ("<p = = = b c>", "<p = = = b >"),
        ] {
            assert_eq!(bound_attributes(input, 2), expect, "{input}");
        }
    }
}
