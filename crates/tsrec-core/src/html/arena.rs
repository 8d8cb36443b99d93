//! The storage of a document: nodes, attributes, and one text that they all refer to.

use html5ever::{LocalName, Namespace, ns};

use super::document::NodeId;

/// A piece of the arena's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

/// An attribute; its value is in the arena's text.
#[derive(Clone, Debug)]
pub(super) struct StoredAttribute {
    pub(super) name: LocalName,
    pub(super) value: Span,
}

/// The attributes of an element: the index of the first in the arena, and their number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Owned {
    start: u32,
    count: u16,
}

/// The namespaces that elements of a page can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Html,
    Svg,
    MathMl,
}

impl Space {
    pub(super) fn from_namespace(namespace: &Namespace) -> Space {
        match *namespace {
            ns!(svg) => Space::Svg,
            ns!(mathml) => Space::MathMl,
            _ => Space::Html,
        }
    }

    #[inline]
    pub(super) fn namespace(self) -> &'static Namespace {
        static HTML: Namespace = ns!(html);
        static SVG: Namespace = ns!(svg);
        static MATHML: Namespace = ns!(mathml);
        match self {
            Space::Html => &HTML,
            Space::Svg => &SVG,
            Space::MathMl => &MATHML,
        }
    }
}

/// What a node is, in 16 bytes.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The document itself, and the detached holder of template contents.
    Root,
    /// See [`Kind::element`].
    Element {
        name: LocalName,
        space: Space,
        /// The two fields of [`Owned`]. As one field they would waste the padding.
        first_attribute: u32,
        attributes: u16,
    },
    Text(Span),
    /// A text that grew after other texts were stored behind it: its index in `Arena::grown`.
    Grown(u32),
}

impl Kind {
    pub(super) fn element(name: LocalName, space: Space, attributes: Owned) -> Kind {
        Kind::Element { name, space, first_attribute: attributes.start, attributes: attributes.count }
    }

    /// The attributes of an element. Other nodes have none.
    pub(super) fn attributes(&self) -> Owned {
        match *self {
            Kind::Element { first_attribute: start, attributes: count, .. } => Owned { start, count },
            _ => Owned::default(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct ArenaNode {
    pub(super) kind: Kind,
    pub(super) parent: Option<NodeId>,
    pub(super) previous: Option<NodeId>,
    pub(super) next: Option<NodeId>,
    pub(super) first_child: Option<NodeId>,
    pub(super) last_child: Option<NodeId>,
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    pub(super) nodes: Vec<ArenaNode>,
    pub(super) attributes: Vec<StoredAttribute>,
    text: String,
    /// Few texts grow.
    grown: Vec<String>,
}

impl Arena {
    /// The document and the holder of template contents. `bytes` is the size of the page.
    pub(super) fn new(bytes: usize) -> Arena {
        // The median page of 2012 to 2026 has one node per 36 bytes and one attribute per 50. Too
        // low an estimate costs a copy.
        let mut arena = Arena {
            nodes: Vec::with_capacity(bytes / 28 + 8),
            attributes: Vec::with_capacity(bytes / 64),
            text: String::with_capacity(bytes / 2),
            grown: Vec::new(),
        };
        arena.push(Kind::Root);
        arena.push(Kind::Root);
        arena
    }

    /// The bytes of all texts and attributes.
    pub(super) fn text_len(&self) -> usize {
        self.text.len() + self.grown.iter().map(String::len).sum::<usize>()
    }

    /// Frees reserved memory that is not needed, if it is much.
    pub(super) fn shrink(&mut self) {
        fn shrink<T>(list: &mut Vec<T>) {
            if list.capacity() > 2 * list.len() {
                list.shrink_to_fit();
            }
        }
        shrink(&mut self.nodes);
        shrink(&mut self.attributes);
        if self.text.capacity() > 2 * self.text.len() {
            self.text.shrink_to_fit();
        }
    }

    pub(super) fn push(&mut self, kind: Kind) -> NodeId {
        let id = NodeId::new(self.nodes.len());
        let [parent, previous, next, first_child, last_child] = [None; 5];
        self.nodes.push(ArenaNode { kind, parent, previous, next, first_child, last_child });
        id
    }

    #[inline]
    pub(super) fn node(&self, id: NodeId) -> &ArenaNode {
        &self.nodes[id.index()]
    }

    #[inline]
    pub(super) fn str(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Stores a text behind all others.
    #[inline]
    pub(super) fn store(&mut self, text: &str) -> Span {
        let start = self.end();
        self.text.push_str(text);
        Span { start, end: self.end() }
    }

    fn end(&self) -> u32 {
        u32::try_from(self.text.len()).expect("a page of 4 GiB would have more nodes than any limit allows")
    }

    /// Stores an attribute behind all others.
    pub(super) fn add_attribute(&mut self, name: LocalName, value: &str) {
        let value = self.store(value);
        self.attributes.push(StoredAttribute { name, value });
    }

    /// The index of the next attribute.
    pub(super) fn attributes_end(&self) -> u32 {
        u32::try_from(self.attributes.len()).expect("each takes a byte of a page that is bounded")
    }

    /// The attributes from `start` on. Those past the 65,535th are dropped; an element has that
    /// many only if the limit was raised above it.
    pub(super) fn attributes_from(&self, start: u32) -> Owned {
        Owned { start, count: u16::try_from(self.attributes_end() - start).unwrap_or(u16::MAX) }
    }

    pub(super) fn attributes(&self, owned: Owned) -> &[StoredAttribute] {
        &self.attributes[owned.start as usize..][..usize::from(owned.count)]
    }

    /// The value of an attribute of an element.
    pub(super) fn attribute(&self, id: NodeId, name: &LocalName) -> Option<&str> {
        let mut stored = self.attributes(self.node(id).kind.attributes()).iter();
        stored.find(|stored| stored.name == *name).map(|stored| self.str(stored.value))
    }

    /// Whether a node is an element of that name.
    pub(super) fn is_named(&self, id: NodeId, expect: &LocalName) -> bool {
        matches!(&self.node(id).kind, Kind::Element { name, .. } if name == expect)
    }

    /// The children of a node, in order.
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).first_child, |&child| self.node(child).next)
    }

    /// The elements above a node, the nearest first, the document last.
    pub(super) fn above(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).parent, |&node| self.node(node).parent)
    }

    /// How many nodes are above one, if it is in the document and they are at most `most`.
    pub(super) fn depth(&self, id: NodeId, most: usize) -> Option<usize> {
        self.above(id).take(most + 1).position(|above| above == NodeId::ROOT)
    }

    /// Removes all children of a node.
    pub(super) fn detach_children(&mut self, id: NodeId) {
        while let Some(child) = self.node(id).first_child {
            self.detach(child);
        }
    }

    #[inline]
    pub(super) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).kind {
            Kind::Text(span) => Some(self.str(*span)),
            Kind::Grown(number) => Some(&self.grown[*number as usize]),
            _ => None,
        }
    }

    /// Lengthens a text node. False when the node is not a text node.
    pub(super) fn grow_text(&mut self, id: NodeId, more: &str) -> bool {
        match &mut self.nodes[id.index()].kind {
            Kind::Grown(number) => self.grown[*number as usize].push_str(more),
            Kind::Text(span) if span.end as usize == self.text.len() => {
                self.text.push_str(more);
                span.end += more.len() as u32;
            }
            kind @ Kind::Text(_) => {
                let Kind::Text(span) = *kind else { return false };
                *kind = Kind::Grown(self.grown.len() as u32);
                self.grown.push([&self.text[span.start as usize..span.end as usize], more].concat());
            }
            _ => return false,
        }
        true
    }

    /// Removes a node from its parent.
    pub(super) fn detach(&mut self, id: NodeId) {
        let nodes = &mut self.nodes;
        let ArenaNode { parent, previous, next, .. } = nodes[id.index()];
        match previous {
            Some(previous) => nodes[previous.index()].next = next,
            None if parent.is_some_and(|p| nodes[p.index()].first_child == Some(id)) => {
                nodes[parent.expect("just looked at").index()].first_child = next;
            }
            None => {}
        }
        match next {
            Some(next) => nodes[next.index()].previous = previous,
            None if parent.is_some_and(|p| nodes[p.index()].last_child == Some(id)) => {
                nodes[parent.expect("just looked at").index()].last_child = previous;
            }
            None => {}
        }
        let node = &mut nodes[id.index()];
        (node.parent, node.previous, node.next) = (None, None, None);
    }

    /// Links `child`, which has no parent, under `parent`, before `next` or last.
    pub(super) fn attach(&mut self, parent: NodeId, child: NodeId, next: Option<NodeId>) {
        let nodes = &mut self.nodes;
        let previous = match next {
            Some(next) => nodes[next.index()].previous.replace(child),
            None => nodes[parent.index()].last_child.replace(child),
        };
        match previous {
            Some(previous) => nodes[previous.index()].next = Some(child),
            None => nodes[parent.index()].first_child = Some(child),
        }
        let node = &mut nodes[child.index()];
        (node.parent, node.previous, node.next) = (Some(parent), previous, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_forty_bytes() {
        assert_eq!((size_of::<Kind>(), size_of::<ArenaNode>()), (16, 40));
    }
}
