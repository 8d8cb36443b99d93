//! Document to [`TagSequence`]: the paper's `buildTSReC` (Li et al. 2006, figure 3).
//!
//! Deviations from the print, each needed for the rest of the paper to work:
//! - Line 12 swaps two fields. Here `parent` is the begin code of the element on top of the stack,
//!   and `level` its level plus one.
//! - The print appends an element when it closes. Here elements are in the order in which they
//!   open, as in figure 6.
//! - The print joins all text of an element, even text after a nested block. Here such text gets
//!   its own anonymous element, which keeps the reading order.
//!
//! The table in [`crate::html::elements`] says what breaks the flow of text.

use html5ever::{LocalName, local_name};

use super::sequence::{ANONYMOUS, Element, Inline, TagSequence};
use crate::analysis::Analysis;
use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::{strip_and_collapse, visibility};

/// The tag sequence of a page: one pass, linear in the page.
///
/// ```
/// let page = tsrec_core::html::parse(b"<div>one<p>two</p>three</div>", None, &Default::default());
/// let sequence = tsrec_core::tsrec::build::tag_sequence(&page);
/// let names: Vec<&str> = sequence.elements().iter().map(|e| &*e.name).collect();
/// assert_eq!(names, ["html", "body", "div", "p", ""]);
/// ```
pub fn tag_sequence(document: &Document) -> TagSequence<'_> {
    sequence_by(document, document)
}

/// The same, with hidden elements and their text as if they were visible: what the paper matches
/// without its heuristic against its failure F2.
pub(crate) fn sequence_with_hidden(document: &Document) -> TagSequence<'_> {
    sequence_by(document, &AllVisible(document))
}

/// The same for an analysed page, using the results of the analysis.
pub(crate) fn sequence_of_analysed<'d>(document: &'d Document, analysis: &Analysis) -> TagSequence<'d> {
    let words = analysis.leaves().iter().map(|leaf| (leaf.node, leaf.words));
    sequence_by(document, analysis).with_words(words)
}

/// What a sequence needs to know of its page's nodes.
trait Nodes {
    /// Whether an element is hidden, by itself or by an ancestor.
    fn is_hidden(&self, element: NodeId) -> bool;
    fn display(&self, element: NodeId, name: &str) -> DefaultDisplay;
    /// True of texts known to be blank.
    fn is_blank(&self, text: NodeId) -> bool;
}

impl Nodes for Document {
    fn is_hidden(&self, element: NodeId) -> bool {
        visibility::is_hidden(self, element)
    }

    fn display(&self, _: NodeId, name: &str) -> DefaultDisplay {
        default_display(name)
    }

    fn is_blank(&self, _: NodeId) -> bool {
        false
    }
}

/// A document without its hints of what is hidden.
struct AllVisible<'d>(&'d Document);

impl Nodes for AllVisible<'_> {
    fn is_hidden(&self, _: NodeId) -> bool {
        false
    }

    fn display(&self, element: NodeId, name: &str) -> DefaultDisplay {
        self.0.display(element, name)
    }

    fn is_blank(&self, text: NodeId) -> bool {
        self.0.is_blank(text)
    }
}

impl Nodes for Analysis {
    fn is_hidden(&self, element: NodeId) -> bool {
        self.is_hidden(element)
    }

    fn display(&self, element: NodeId, _: &str) -> DefaultDisplay {
        self.display(element)
    }

    fn is_blank(&self, text: NodeId) -> bool {
        self.is_blank(text)
    }
}

fn sequence_by<'d>(document: &'d Document, nodes: &impl Nodes) -> TagSequence<'d> {
    let mut builder = SequenceBuilder::for_nodes(document.len());
    let mut hidden_below = None; // the outermost hidden block that is open
    let mut links = 0;
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        let (id, opens) = match edge {
            Edge::Open(id) => (id, true),
            Edge::Close(id) => (id, false),
        };
        let Some(name) = document.local_name(id) else {
            if opens
                && !nodes.is_blank(id)
                && let Some(text) = document.text(id)
            {
                builder.text(id, text, links > 0);
            }
            continue;
        };
        // Everything below a hidden block is hidden, and stored as hidden.
        let hides = || hidden_below.is_none() && nodes.is_hidden(id);
        let display = nodes.display(id, name);
        match (display, opens) {
            (DefaultDisplay::None, true) => walk.skip_children(id),
            (DefaultDisplay::None, false) => {}
            (DefaultDisplay::Block, true) => {
                if hides() {
                    hidden_below = Some(id);
                }
                builder.open(name.clone(), id, hidden_below.is_some());
            }
            (DefaultDisplay::Block, false) => {
                builder.close();
                if hidden_below == Some(id) {
                    hidden_below = None;
                }
            }
            (_, true) if hides() => walk.skip_children(id),
            (_, true) => {
                builder.tag(name.clone());
                match display {
                    DefaultDisplay::Replaced => walk.skip_children(id),
                    _ if is_link(name) => links += 1,
                    _ => {}
                }
            }
            // Every skipped inline element closes too, but only one that was entered counted as a
            // link.
            (DefaultDisplay::Inline, false) if is_link(name) && !hides() => links -= 1,
            (_, false) => {}
        }
    }
    builder.finish()
}

fn is_link(name: &LocalName) -> bool {
    *name == local_name!("a")
}

/// Numbers a stream of tags and texts. It knows nothing about HTML: the caller says which tags open
/// elements.
#[derive(Default)]
pub struct SequenceBuilder<'d> {
    elements: Vec<Element>,
    /// The content of all elements, in their order. Content goes to one element until the next
    /// opens, and never to that one again.
    content: Vec<Inline<'d>>,
    stack: Vec<OpenElement>,
    /// The next region code.
    count: u32,
    /// Inline tags since the last block boundary that no text has followed yet.
    pending: Vec<LocalName>,
}

/// An open element.
struct OpenElement {
    index: usize,
    /// The anonymous element that takes inline content now, if the element already has a nested
    /// block.
    anonymous: Option<usize>,
    had_block: bool,
}

impl<'d> SequenceBuilder<'d> {
    /// Reserves memory for a typical page with `nodes` nodes. Pages of 2012 to 2026 have an element
    /// per four nodes and a piece of content per two.
    fn for_nodes(nodes: usize) -> Self {
        let (elements, content) = (Vec::with_capacity(nodes / 4), Vec::with_capacity(nodes / 2));
        SequenceBuilder { elements, content, ..SequenceBuilder::default() }
    }

    /// Opens a tag that breaks the flow of text.
    pub fn open(&mut self, name: LocalName, node: NodeId, hidden: bool) {
        self.break_flow();
        if let Some(top) = self.stack.last_mut() {
            top.had_block = true;
        }
        let index = self.push(name, node, hidden);
        self.stack.push(OpenElement { index, anonymous: None, had_block: false });
    }

    /// Closes the element opened last.
    pub fn close(&mut self) {
        self.break_flow();
        if let Some(frame) = self.stack.pop() {
            self.elements[frame.index].end = self.step();
        }
    }

    /// Adds a tag that does not break the flow.
    pub fn tag(&mut self, name: LocalName) {
        match self.current() {
            Some(index) => self.append(index, Inline::Tag(name)),
            None => self.pending.push(name),
        }
    }

    /// Adds a text; blank ones are skipped.
    pub fn text(&mut self, node: NodeId, text: &'d str, linked: bool) {
        let text = strip_and_collapse(text);
        if text.is_empty() {
            return;
        }
        let Some(index) = self.current().or_else(|| self.open_anonymous()) else { return };
        self.append(index, Inline::Text { text, linked, node });
    }

    fn append(&mut self, index: usize, piece: Inline<'d>) {
        self.content.push(piece);
        self.elements[index].content.end = self.content_end();
    }

    fn content_end(&self) -> u32 {
        u32::try_from(self.content.len()).expect("a piece is a node of a document, whose number is bounded")
    }

    /// Closes all open elements and returns the sequence.
    pub fn finish(mut self) -> TagSequence<'d> {
        while !self.stack.is_empty() {
            self.close();
        }
        TagSequence::new(self.elements, self.content)
    }

    /// The element that takes inline content now. None after a nested block until text comes.
    fn current(&self) -> Option<usize> {
        let top = self.stack.last()?;
        if top.had_block { top.anonymous } else { Some(top.index) }
    }

    fn open_anonymous(&mut self) -> Option<usize> {
        let parent = &self.elements[self.stack.last()?.index];
        let (node, hidden) = (parent.node, parent.hidden);
        let index = self.push(LocalName::from(ANONYMOUS), node, hidden);
        self.content.extend(self.pending.drain(..).map(Inline::Tag));
        self.elements[index].content.end = self.content_end();
        self.stack.last_mut()?.anonymous = Some(index);
        Some(index)
    }

    /// A block boundary: ends the open anonymous element, and drops tags that no text followed.
    fn break_flow(&mut self) {
        self.pending.clear();
        if let Some(index) = self.stack.last_mut().and_then(|top| top.anonymous.take()) {
            self.elements[index].end = self.step();
        }
    }

    fn push(&mut self, name: LocalName, node: NodeId, hidden: bool) -> usize {
        let (parent, level) = match self.stack.last() {
            Some(top) => (self.elements[top.index].begin, self.elements[top.index].level + 1),
            None => (0, 0),
        };
        let begin = self.step();
        let index = self.elements.len();
        let content = self.content_end()..self.content_end();
        self.elements.push(Element { name, begin, end: begin, parent, level, hidden, node, content });
        index
    }

    fn step(&mut self) -> u32 {
        let code = self.count;
        self.count += 1;
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    fn rows(sequence: &TagSequence<'_>) -> Vec<String> {
        let content = |element: &Element| -> String {
            sequence
                .content(element)
                .iter()
                .map(|piece| match piece {
                    Inline::Tag(name) => format!("<{name}>"),
                    Inline::Text { text, .. } => text.to_string(),
                })
                .collect()
        };
        sequence
            .elements()
            .iter()
            .map(|e| format!("{}({}, {}, {}, {}): {}", e.name, e.begin, e.end, e.parent, e.level, content(e)))
            .collect()
    }

    fn of_page(page: &str) -> Vec<String> {
        rows(&tag_sequence(&parse(page.as_bytes(), None, &Default::default())))
    }

    /// The stream of tags of the paper's figure 6, read with that figure's own table of breaking
    /// tags: it folds `table` and `tr` into the `form`. We add a root around it, so that its `div`
    /// begins at 1. Three empty cells stand for the rest of the form, which the figure leaves out.
    #[test]
    fn figure_6_is_numbered_as_printed() {
        let stream = "<root><div><form><input><table><tr><td><a>Yahoo! <a><div><script></div></td><td><spacer></td>\
                      <td></td><td><input><input><tr></td><td><a></td><td><a>Sign In<strong>New User? <a>Sign Up</strong></td>\
                      <td></td><td></td><td></td></form></div>";
        let breaks = ["root", "div", "form", "td", "strong"];
        let mut builder = SequenceBuilder::default();
        for part in stream.split_inclusive('>').flat_map(|s| match s.find('<') {
            Some(at) => [&s[..at], &s[at..]],
            None => [s, ""],
        }) {
            match part.strip_prefix('<').and_then(|p| p.strip_suffix('>')) {
                None => builder.text(NodeId::default(), part, false),
                Some(tag) if breaks.contains(&tag) => builder.open(tag.into(), NodeId::default(), false),
                Some(tag) if tag.starts_with('/') => builder.close(),
                Some(tag) => builder.tag(tag.into()),
            }
        }
        assert_eq!(
            rows(&builder.finish())[1..],
            [
                "div(1, 26, 0, 1): ",
                "form(2, 25, 1, 2): <input><table><tr>",
                "td(3, 6, 2, 3): <a>Yahoo!<a>",
                "div(4, 5, 3, 4): <script>",
                "td(7, 8, 2, 3): <spacer>",
                "td(9, 10, 2, 3): ",
                "td(11, 12, 2, 3): <input><input><tr>",
                "td(13, 14, 2, 3): <a>",
                "td(15, 18, 2, 3): <a>Sign In",
                "strong(16, 17, 15, 4): New User?<a>Sign Up",
                "td(19, 20, 2, 3): ",
                "td(21, 22, 2, 3): ",
                "td(23, 24, 2, 3): ",
            ]
        );
    }

    #[test]
    fn reading_order_survives_nested_blocks() {
        assert_eq!(
            of_page("<div>one<p>two</p>three <b>four</b><p>five</p> <i> </i></div>six"),
            [
                "html(0, 13, 0, 0): ",
                "body(1, 12, 0, 1): ",
                "div(2, 9, 1, 2): one",
                "p(3, 4, 2, 3): two",
                "(5, 6, 2, 3): three<b>four",
                "p(7, 8, 2, 3): five",
                "(10, 11, 1, 2): six",
            ]
        );
    }

    #[test]
    fn inline_tags_fold_into_content_and_blocks_inside_them_nest() {
        assert_eq!(
            of_page("<p>a <b>b</b> <img> c</p><a href=x>d<h2>e</h2>f</a>"),
            [
                "html(0, 11, 0, 0): ",
                "body(1, 10, 0, 1): ",
                "p(2, 3, 1, 2): a<b>b<img>c",
                "(4, 5, 1, 2): <a>d",
                "h2(6, 7, 1, 2): e",
                "(8, 9, 1, 2): f",
            ]
        );
    }

    #[test]
    fn links_are_known_across_blocks() {
        let document = parse(b"<a href=x>d<h2>e <b>f</b></h2>g</a>h", None, &Default::default());
        let sequence = tag_sequence(&document);
        let texts: Vec<(String, bool)> =
            sequence.elements().iter().flat_map(|e| sequence.texts(e).map(|(t, l)| (t.to_owned(), l))).collect();
        let expect = [("d", true), ("e", true), ("f", true), ("g", true), ("h", false)];
        assert_eq!(texts, expect.map(|(t, l)| (t.to_owned(), l)));
    }

    #[test]
    fn hidden_blocks_are_marked_with_all_they_hold_and_hidden_inline_text_goes() {
        let page =
            b"<ul style='display:none'><li>menu</ul><p>seen<span hidden> not <a>x</a></span><script>s</script></p>";
        let document = parse(page, None, &Default::default());
        let sequence = tag_sequence(&document);
        let hidden: Vec<(&str, bool)> = sequence.elements().iter().map(|e| (&*e.name, e.hidden)).collect();
        assert_eq!(hidden, [("html", false), ("body", false), ("ul", true), ("li", true), ("p", false)]);
        assert_eq!(sequence.texts(&sequence.elements()[4]).collect::<Vec<_>>(), [("seen", false)]);
    }

    #[test]
    fn hidden_text_can_be_left_in() {
        let page = b"<ul style='display:none'><li>menu</ul><p>seen<span hidden> not</span><script>s</script></p>";
        let document = parse(page, None, &Default::default());
        let sequence = sequence_with_hidden(&document);
        assert!(sequence.elements().iter().all(|element| !element.hidden));
        let texts: Vec<&str> =
            sequence.elements().iter().flat_map(|e| sequence.texts(e)).map(|(text, _)| text).collect();
        assert_eq!(texts, ["menu", "seen", "not"]);
    }

    #[test]
    fn region_codes_nest() {
        let document =
            parse(b"<div>a<table><tr><td>b<td>c</table>d<ul><li>e<li>f</ul></div>", None, &Default::default());
        let sequence = tag_sequence(&document);
        let parents = sequence.parents();
        for (index, element) in sequence.elements().iter().enumerate().skip(1) {
            let parent = &sequence.elements()[parents[index]];
            assert!(element.is_inside(parent));
            assert_eq!((element.parent, element.level), (parent.begin, parent.level + 1));
        }
    }
}
