//! html5ever's [`TreeSink`], building straight into the arena of [`Document`].
//!
//! html5ever keeps a stack of handles and asks for names all the time. So a handle is a `u32`, and
//! a name is borrowed from the arena. Attributes of foreign elements lose their prefixes, which no
//! later stage reads.
//!
//! The tree builder reads the attributes of only a few elements. It also keeps those of formatting
//! elements, which it may make again. All other attributes bypass it: the tokenizer
//! [offers](DocumentSink::offer) them to the sink just before the tag, and the next element of that
//! name takes them.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;
use std::sync::OnceLock;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName};

use super::Cut;
use super::arena::{Arena, ArenaNode, Kind, Owned, Space};
use super::document::{Document, NodeId};
use super::shadow::Shadows;

/// Builds a [`Document`] from the tree builder's calls.
pub(super) struct DocumentSink {
    arena: RefCell<Arena>,
    /// The element name that attributes were offered for, and where they begin.
    offered: RefCell<Option<(LocalName, Owned)>>,
    /// Attributes of elements that may be made again, keyed by the address of a value: see
    /// [`DocumentSink::attributes`].
    repeated: RefCell<HashMap<usize, (Vec<html5ever::Attribute>, Owned)>>,
    /// MathML's `annotation-xml` elements that hold HTML. Few pages have any.
    holding_html: RefCell<Vec<NodeId>>,
    shadows: RefCell<Shadows>,
    quirks: Cell<bool>,
}

impl DocumentSink {
    /// Stands for every comment and processing instruction; never attached.
    const IGNORED: NodeId = NodeId::ROOT;

    /// Holds the contents of every template but shadow roots. They are never rendered, and no walk
    /// from the root reaches them.
    const TEMPLATES: NodeId = NodeId::TEMPLATES;

    /// `bytes` is the size of the page.
    pub(super) fn new(bytes: usize) -> Self {
        DocumentSink {
            arena: RefCell::new(Arena::new(bytes)),
            offered: RefCell::default(),
            repeated: RefCell::default(),
            holding_html: RefCell::default(),
            shadows: RefCell::default(),
            quirks: Cell::new(false),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.arena.borrow().nodes.len()
    }

    /// The document. Elements nest to `most_depth`.
    pub(super) fn into_document(self, encoding: &'static str, cuts: Vec<Cut>, most_depth: usize) -> Document {
        let mut arena = self.arena.into_inner();
        self.shadows.into_inner().fill_slots(&mut arena, most_depth);
        arena.shrink();
        Document { arena, encoding, quirks: self.quirks.get(), cuts, most_steps: u64::MAX, menus: OnceLock::new() }
    }

    /// Keeps attributes for the element of that name, if the next token makes one.
    pub(super) fn offer<'a>(&self, name: &LocalName, list: impl Iterator<Item = (LocalName, &'a str)>) {
        let arena = &mut self.arena.borrow_mut();
        let start = arena.attributes_end();
        list.for_each(|(name, value)| arena.add_attribute(name, value));
        *self.offered.borrow_mut() = Some((name.clone(), arena.attributes_from(start)));
    }

    /// Drops the offered attributes.
    pub(super) fn withdraw(&self) {
        *self.offered.borrow_mut() = None;
    }

    /// Stores attributes that came through the tree builder.
    ///
    /// The tree builder makes a formatting element again in each block that it spans. Its
    /// attributes are stored once; else a page would store a long one as often as it has
    /// paragraphs.
    fn attributes(&self, list: Vec<html5ever::Attribute>) -> Owned {
        /// Shorter attributes are stored again. Judgement: that is cheaper than a look-up.
        const SHORT: usize = 128;
        let longest = list.iter().max_by_key(|attribute| attribute.value.len32());
        let Some(longest) = longest else { return Owned::default() };
        if longest.value.len() < SHORT {
            return self.store(&list);
        }
        // All elements made from one tag share the value. We keep it, so that no other value can
        // get its address.
        let address = longest.value.as_ptr() as usize;
        if let Some((same, owned)) = self.repeated.borrow().get(&address)
            && same.len() == list.len()
            && same.iter().zip(&list).all(|(one, other)| one.name.local == other.name.local)
        {
            return *owned;
        }
        let owned = self.store(&list);
        self.repeated.borrow_mut().insert(address, (list, owned));
        owned
    }

    fn store(&self, list: &[html5ever::Attribute]) -> Owned {
        let arena = &mut self.arena.borrow_mut();
        let start = arena.attributes_end();
        list.iter().for_each(|attribute| arena.add_attribute(attribute.name.local.clone(), &attribute.value));
        arena.attributes_from(start)
    }

    /// Inserts a node or a text under `parent`, before `next` or last. Text joins a text node that
    /// it touches.
    fn insert(&self, parent: NodeId, child: NodeOrText<NodeId>, next: Option<NodeId>) {
        let arena = &mut self.arena.borrow_mut();
        match child {
            NodeOrText::AppendNode(Self::IGNORED) => {}
            NodeOrText::AppendNode(child) => {
                arena.detach(child);
                arena.attach(parent, child, next);
            }
            NodeOrText::AppendText(text) => {
                let before = match next {
                    Some(next) => arena.node(next).previous,
                    None => arena.node(parent).last_child,
                };
                if before.is_none_or(|before| !arena.grow_text(before, &text)) {
                    let span = arena.store(&text);
                    let child = arena.push(Kind::Text(span));
                    arena.attach(parent, child, next);
                }
            }
        }
    }
}

/// An element's full name, borrowed from the sink.
#[derive(Debug)]
pub(super) struct ElementName<'a>(Ref<'a, ArenaNode>);

impl ElemName for ElementName<'_> {
    #[inline]
    fn ns(&self) -> &Namespace {
        match &self.0.kind {
            Kind::Element { space, .. } => space.namespace(),
            _ => Space::Html.namespace(),
        }
    }

    #[inline]
    fn local_name(&self) -> &LocalName {
        match &self.0.kind {
            Kind::Element { name, .. } => name,
            _ => unreachable!("the tree builder asks for names of elements alone"),
        }
    }
}

impl TreeSink for DocumentSink {
    type Handle = NodeId;
    type Output = Self;
    type ElemName<'a> = ElementName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId::ROOT
    }

    #[inline]
    fn elem_name<'a>(&'a self, target: &'a NodeId) -> ElementName<'a> {
        ElementName(Ref::map(self.arena.borrow(), |arena| arena.node(*target)))
    }

    fn create_element(&self, name: QualName, list: Vec<html5ever::Attribute>, flags: ElementFlags) -> NodeId {
        let attributes = match list.is_empty() {
            true => {
                let offered = self.offered.borrow_mut().take_if(|(of, _)| *of == name.local);
                offered.map_or_else(Owned::default, |(_, attributes)| attributes)
            }
            false => self.attributes(list),
        };
        let kind = Kind::element(name.local, Space::from_namespace(&name.ns), attributes);
        let id = self.arena.borrow_mut().push(kind);
        if flags.mathml_annotation_xml_integration_point {
            self.holding_html.borrow_mut().push(id);
        }
        id
    }

    fn is_mathml_annotation_xml_integration_point(&self, id: &NodeId) -> bool {
        self.holding_html.borrow().contains(id)
    }

    fn create_comment(&self, _text: StrTendril) -> NodeId {
        Self::IGNORED
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> NodeId {
        Self::IGNORED
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert(*parent, child, None);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.arena.borrow().node(*element).parent.is_some();
        match has_parent {
            true => self.append_before_sibling(element, child),
            false => self.append(previous, child),
        }
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.arena.borrow().node(*sibling).parent;
        if let Some(parent) = parent {
            self.insert(parent, child, Some(*sibling));
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.shadows.borrow().root_of(*target).unwrap_or(Self::TEMPLATES)
    }

    fn attach_declarative_shadow(&self, host: &NodeId, template: &NodeId, _: &[html5ever::Attribute]) -> bool {
        self.shadows.borrow_mut().attach(&mut self.arena.borrow_mut(), *host, *template)
    }

    #[inline]
    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        // Limited quirks only change line heights.
        self.quirks.set(mode == QuirksMode::Quirks);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, list: Vec<html5ever::Attribute>) {
        /// `html` and `body` tags may repeat without end; more of their attributes are not needed.
        const MOST: usize = 256;
        let arena = &mut self.arena.borrow_mut();
        let own = arena.attributes(arena.node(*target).kind.attributes());
        let room = MOST.saturating_sub(own.len());
        let is_missing = |attribute: &html5ever::Attribute| own.iter().all(|known| known.name != attribute.name.local);
        let missing: Vec<_> = list.into_iter().filter(is_missing).take(room).collect();
        if missing.is_empty() {
            return;
        }
        let own = own.to_vec();
        let start = arena.attributes_end();
        arena.attributes.extend(own);
        missing.into_iter().for_each(|attribute| arena.add_attribute(attribute.name.local, &attribute.value));
        let all = arena.attributes_from(start);
        let kind = &mut arena.nodes[target.index()].kind;
        if let Kind::Element { name, space, .. } = kind {
            *kind = Kind::element(name.clone(), *space, all);
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.arena.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let arena = &mut self.arena.borrow_mut();
        while let Some(child) = arena.node(*node).first_child {
            arena.detach(child);
            arena.attach(*new_parent, child, None);
        }
    }
}
