//! A document built node by node, from a tree that a browser parsed.
//!
//! The limits are those of [`parse`](super::parse), with the same effect. Elements that are too
//! deep are left out, and the element above gets their content. Past the node limit nothing more is
//! taken.

use std::sync::OnceLock;

use html5ever::LocalName;

use super::arena::{Arena, Kind, Space};
use super::document::{Document, NodeId};
use super::{Cut, Limits};

/// Builds a [`Document`] in document order, without recursion.
#[derive(Debug)]
pub struct DocumentBuilder {
    arena: Arena,
    /// The number of elements above each node.
    depths: Vec<usize>,
    limits: Limits,
    cuts: Vec<Cut>,
}

impl DocumentBuilder {
    /// An empty document. `cuts` are those made before there was a tree.
    pub fn new(limits: &Limits, cuts: Vec<Cut>) -> Self {
        DocumentBuilder { arena: Arena::new(0), depths: vec![0, 0], limits: limits.clone(), cuts }
    }

    /// The document node.
    pub fn root(&self) -> NodeId {
        NodeId::ROOT
    }

    /// True once the node limit is reached. Then the builder takes only text that joins another
    /// text.
    pub fn is_full(&self) -> bool {
        self.arena.nodes.len() > self.limits.nodes
    }

    /// Appends an element to `parent`. `None` if a limit forbids it: then append its content to
    /// `parent`.
    ///
    /// For HTML elements, `name` and the attribute names must be lower case. Each attribute must
    /// come once.
    pub fn element<'a>(
        &mut self,
        parent: NodeId,
        name: &str,
        attributes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Option<NodeId> {
        if self.depths[parent.index()] >= self.limits.depth {
            self.cut(Cut::Depth);
            return None;
        }
        if self.is_full() {
            self.cut(Cut::Nodes);
            return None;
        }
        let mut attributes = attributes.into_iter();
        let start = self.arena.attributes_end();
        for (name, value) in attributes.by_ref().take(self.limits.attributes) {
            self.arena.add_attribute(LocalName::from(name), value);
        }
        if attributes.next().is_some() {
            self.cut(Cut::Attributes);
        }
        // Callers ask only for names in documents built here.
        let (name, attributes) = (LocalName::from(name), self.arena.attributes_from(start));
        Some(self.append(parent, Kind::element(name, Space::Html, attributes)))
    }

    /// Appends text to `parent`, or joins it to a text that it touches. `None` if the node limit
    /// forbids it.
    pub fn text(&mut self, parent: NodeId, text: &str) -> Option<NodeId> {
        if let Some(last) = self.arena.node(parent).last_child
            && self.arena.grow_text(last, text)
        {
            return Some(last);
        }
        if self.is_full() {
            self.cut(Cut::Nodes);
            return None;
        }
        let text = self.arena.store(text);
        Some(self.append(parent, Kind::Text(text)))
    }

    /// The document. `encoding` is the encoding of the page, `quirks` the answer of
    /// [`Document::has_quirks`].
    pub fn finish(mut self, encoding: &'static str, quirks: bool) -> Document {
        self.arena.shrink();
        self.cuts.sort_unstable();
        let (cuts, most_steps) = (self.cuts, self.limits.steps);
        Document { arena: self.arena, encoding, quirks, cuts, most_steps, menus: OnceLock::new() }
    }

    fn append(&mut self, parent: NodeId, kind: Kind) -> NodeId {
        let id = self.arena.push(kind);
        self.arena.attach(parent, id, None);
        self.depths.push(self.depths[parent.index()] + 1);
        id
    }

    fn cut(&mut self, cut: Cut) {
        if !self.cuts.contains(&cut) {
            self.cuts.push(cut);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    /// The tree as text: `name(children)`, texts in quotes.
    fn shape(document: &Document) -> String {
        use crate::html::document::Edge;
        let mut out = String::new();
        for edge in document.walk(document.root()) {
            match edge {
                Edge::Open(node) => match (document.local_name(node), document.text(node)) {
                    (Some(name), _) => {
                        let attributes: String =
                            document.attributes(node).iter().map(|a| format!(" {}={}", a.name, a.value)).collect();
                        out.push_str(&format!("{}{attributes}(", &**name));
                    }
                    (_, Some(text)) => out.push_str(&format!("{text:?}")),
                    _ => {}
                },
                Edge::Close(node) if document.local_name(node).is_some() => out.push(')'),
                Edge::Close(_) => {}
            }
        }
        out
    }

    #[test]
    fn what_is_built_is_what_would_be_parsed() {
        let parsed = parse(b"<!doctype html><head></head><p id=a class=b>one<b>two</b>three", None, &Limits::default());
        let mut builder = DocumentBuilder::new(&Limits::default(), Vec::new());
        let html = builder.element(builder.root(), "html", []).unwrap();
        builder.element(html, "head", []).unwrap();
        let body = builder.element(html, "body", []).unwrap();
        let p = builder.element(body, "p", [("id", "a"), ("class", "b")]).unwrap();
        let one = builder.text(p, "o").unwrap();
        assert_eq!(builder.text(p, "ne"), Some(one), "texts that touch are one");
        let b = builder.element(p, "b", []).unwrap();
        builder.text(b, "two").unwrap();
        builder.text(p, "three").unwrap();
        let built = builder.finish("UTF-8", false);
        assert_eq!(shape(&built), shape(&parsed));
        assert!(built.cuts().is_empty());
    }

    #[test]
    fn each_limit_cuts_and_says_so() {
        let limits = Limits { nodes: 6, depth: 2, attributes: 1, ..Limits::default() };
        let mut builder = DocumentBuilder::new(&limits, vec![Cut::Bytes]);
        let html = builder.element(builder.root(), "html", [("a", "1"), ("b", "2")]).unwrap();
        let body = builder.element(html, "body", []).unwrap();
        assert_eq!(builder.element(body, "div", []), None, "too deep");
        assert!(builder.text(body, "text is never too deep").is_some());
        while builder.element(html, "p", []).is_some() {}
        assert_eq!(builder.text(html, "too late"), None);
        let document = builder.finish("UTF-8", false);
        assert_eq!(document.cuts(), [Cut::Bytes, Cut::Nodes, Cut::Depth, Cut::Attributes]);
        assert_eq!(document.len(), 7);
        assert_eq!(shape(&document), "html a=1(body(\"text is never too deep\")p()p())");
    }
}
