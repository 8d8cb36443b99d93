//! The page as a tree: an arena of nodes, addressed by number.
//!
//! It has no comments, doctypes, processing instructions or contents of `template`: no later stage
//! reads them. Every walk over the tree is iterative, so that deep nesting cannot overflow the
//! stack.

use std::num::NonZeroU32;
use std::sync::OnceLock;

use html5ever::LocalName;

use super::arena::{Arena, ArenaNode, Kind, StoredAttribute};
use super::menus;
use super::{Cut, PageSteps};

/// A node of a [`Document`]: an index into its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(
    /// The index plus 1, so that `Option` needs no extra space.
    NonZeroU32,
);

impl Default for NodeId {
    fn default() -> Self {
        NodeId::ROOT
    }
}

impl NodeId {
    pub(super) const ROOT: NodeId = NodeId(NonZeroU32::MIN);
    pub(super) const TEMPLATES: NodeId = NodeId(NonZeroU32::MIN.saturating_add(1));

    pub(super) fn new(index: usize) -> Self {
        let number = u32::try_from(index).ok().and_then(|index| NonZeroU32::MIN.checked_add(index));
        NodeId(number.expect("the node limit is far below u32::MAX"))
    }

    /// The node's index in its document's arena: below [`Document::len`].
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'d> {
    /// The name, in lower case for HTML elements.
    pub name: &'d str,
    /// The value, with character references resolved.
    pub value: &'d str,
}

/// The attributes of an element, in source order.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'d> {
    arena: &'d Arena,
    stored: &'d [StoredAttribute],
}

impl<'d> Attributes<'d> {
    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = Attribute<'d>> {
        self.stored.iter().map(move |stored| Attribute { name: &stored.name, value: self.arena.str(stored.value) })
    }

    /// The value of one attribute. Linear in their number.
    pub fn get(self, name: &str) -> Option<&'d str> {
        self.stored.iter().find(|stored| &*stored.name == name).map(|stored| self.arena.str(stored.value))
    }

    /// Those with one of these names. Comparing atoms is faster than comparing texts, and other
    /// values are not read.
    #[inline]
    pub(crate) fn of_names(
        self,
        is_one: impl Fn(&LocalName) -> bool,
    ) -> impl Iterator<Item = (&'d LocalName, &'d str)> {
        let of_names = self.stored.iter().filter(move |stored| is_one(&stored.name));
        of_names.map(move |stored| (&stored.name, self.arena.str(stored.value)))
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty, reason = "nothing asks")]
    pub fn len(self) -> usize {
        self.stored.len()
    }
}

/// A parsed page. Made by [`parse`](super::parse); never changed afterwards.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) arena: Arena,
    pub(super) encoding: &'static str,
    pub(super) quirks: bool,
    pub(super) cuts: Vec<Cut>,
    /// [`Limits::steps`](super::Limits::steps).
    pub(super) most_steps: u64,
    /// Elements with `aria-hidden` that are menus, computed on first use.
    pub(super) menus: OnceLock<Vec<NodeId>>,
}

/// One step of a walk in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// A node begins: its start tag, or a text.
    Open(NodeId),
    /// A node ends; text nodes end too.
    Close(NodeId),
}

impl Document {
    /// The document node, parent of `html`.
    pub fn root(&self) -> NodeId {
        NodeId::ROOT
    }

    /// The number of nodes in the arena, detached ones included; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.arena.nodes.len()
    }

    /// The name of the encoding that the page was decoded with, such as `UTF-8` or `windows-1252`.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }

    /// True when the page has no doctype or an old one, so that browsers use their pre-standard
    /// layout.
    pub fn has_quirks(&self) -> bool {
        self.quirks
    }

    /// The budget of the work on the page, of which parsing is made.
    #[doc(hidden)]
    pub fn steps(&self) -> PageSteps {
        PageSteps::new(self.most_steps, self.steps_of_pass())
    }

    /// The steps of a pass over the page: its nodes, and its bytes.
    pub(crate) fn steps_of_pass(&self) -> u64 {
        self.len() as u64 + PageSteps::of_bytes(self.arena.text_len())
    }

    /// What the limits removed, in ascending order, each at most once.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    #[inline]
    fn node(&self, id: NodeId) -> &ArenaNode {
        self.arena.node(id)
    }

    /// The parent of a node: `None` for the document itself.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent
    }

    /// True of `h1` to `h6`.
    #[doc(hidden)]
    pub fn is_heading(&self, id: NodeId) -> bool {
        self.name(id).is_some_and(|name| matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
    }

    /// The name of an element: `None` for other nodes.
    pub fn name(&self, id: NodeId) -> Option<&str> {
        self.local_name(id).map(|name| &**name)
    }

    /// Like `name`, but as an atom, which is faster to compare and copy.
    #[inline]
    #[doc(hidden)]
    pub fn local_name(&self, id: NodeId) -> Option<&LocalName> {
        match &self.node(id).kind {
            Kind::Element { name, .. } => Some(name),
            _ => None,
        }
    }

    /// True when the node is an element of that name.
    pub fn is_element(&self, id: NodeId, name: &str) -> bool {
        self.name(id) == Some(name)
    }

    /// True when any node is an element of that name, in the tree or detached. It walks nothing,
    /// and so takes less than a tenth of a walk's time.
    pub(super) fn has_any(&self, name: &LocalName) -> bool {
        self.arena.nodes.iter().any(|node| matches!(&node.kind, Kind::Element { name: of, .. } if of == name))
    }

    /// The elements of that name, in document order.
    pub(super) fn named(&self, name: LocalName) -> impl Iterator<Item = NodeId> + '_ {
        let walked = self.has_any(&name).then(|| self.descendants(self.root()));
        walked.into_iter().flatten().filter(move |&id| self.local_name(id) == Some(&name))
    }

    /// The elements with their names, in the tree or detached, in the order in which they were
    /// made. It walks nothing.
    pub(crate) fn all_elements(&self) -> impl Iterator<Item = (NodeId, &LocalName)> + '_ {
        self.arena.nodes.iter().enumerate().filter_map(|(index, node)| match &node.kind {
            Kind::Element { name, .. } => Some((NodeId::new(index), name)),
            _ => None,
        })
    }

    /// The text of a text node: `None` for other nodes.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        self.arena.text(id)
    }

    /// The attributes of an element, in source order; none for other nodes.
    #[inline]
    #[doc(hidden)]
    pub fn attributes(&self, id: NodeId) -> Attributes<'_> {
        Attributes { arena: &self.arena, stored: self.arena.attributes(self.node(id).kind.attributes()) }
    }

    /// The value of an attribute. Linear in the number of attributes.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).get(name)
    }

    /// True of an element with `aria-hidden` that is a menu: at least half of its text is in links
    /// or buttons.
    pub(super) fn is_menu(&self, id: NodeId) -> bool {
        self.menus.get_or_init(|| menus::menus(self)).binary_search(&id).is_ok()
    }

    /// The children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).first_child, |&child| self.node(child).next)
    }

    /// The nodes after a node under its parent, in order.
    pub(crate) fn siblings_after(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).next, |&sibling| self.node(sibling).next)
    }

    /// The ancestors of a node, nearest first, the document last.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&node| self.parent(node))
    }

    /// The node and all below it, in document order.
    pub fn descendants(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.walk(id).filter_map(|edge| match edge {
            Edge::Open(node) => Some(node),
            Edge::Close(_) => None,
        })
    }

    /// Walks over the node and all below it, in document order, with a step at each beginning and
    /// each end.
    #[doc(hidden)]
    pub fn walk(&self, id: NodeId) -> Walk<'_> {
        Walk { document: self, top: id, next: Some(Edge::Open(id)) }
    }
}

/// A walk over a subtree in document order: see [`Document::walk`].
pub struct Walk<'d> {
    document: &'d Document,
    top: NodeId,
    next: Option<Edge>,
}

impl Walk<'_> {
    /// After an [`Edge::Open`], goes to that node's end without visiting what is below it.
    pub fn skip_children(&mut self, opened: NodeId) {
        self.next = Some(Edge::Close(opened));
    }
}

impl Iterator for Walk<'_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        let edge = self.next?;
        self.next = match edge {
            Edge::Open(id) => match self.document.node(id).first_child {
                Some(child) => Some(Edge::Open(child)),
                None => Some(Edge::Close(id)),
            },
            Edge::Close(id) if id == self.top => None,
            Edge::Close(id) => match self.document.node(id).next {
                Some(sibling) => Some(Edge::Open(sibling)),
                None => self.document.parent(id).map(Edge::Close),
            },
        };
        Some(edge)
    }
}
