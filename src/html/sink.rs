//! html5ever's [`TreeSink`], building straight into the arena of [`Document`].
//!
//! html5ever keeps a stack of handles and asks for names all the time; a handle is a `u32`, and a name is borrowed
//! from the arena. Attributes of foreign elements lose their prefixes, which nothing downstream reads.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName};

use super::Cut;
use super::document::{Attribute, Document, Kind, Node, NodeId};

/// Builds a [`Document`] from what the tree builder says.
pub(super) struct Sink {
    nodes: RefCell<Vec<Node>>,
    /// Full names by node: the tree builder needs namespaces, the document does not.
    names: RefCell<Vec<Option<QualName>>>,
    quirks: Cell<bool>,
}

impl Sink {
    /// Stands for every comment and processing instruction; never attached.
    const IGNORED: NodeId = NodeId::ROOT;

    /// Holds the contents of every template: they are never rendered, and no walk from the root reaches them.
    const TEMPLATES: NodeId = NodeId::TEMPLATES;

    pub(super) fn new() -> Self {
        let detached = vec![Node::new(Kind::Root), Node::new(Kind::Root)];
        Sink { nodes: RefCell::new(detached), names: RefCell::new(vec![None, None]), quirks: Cell::new(false) }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    pub(super) fn into_document(self, encoding: &'static str, cuts: Vec<Cut>) -> Document {
        let mut nodes = self.nodes.into_inner();
        nodes.shrink_to_fit();
        Document { nodes, encoding, quirks: self.quirks.get(), cuts }
    }

    fn create(&self, kind: Kind, name: Option<QualName>) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        let id = NodeId::new(nodes.len());
        nodes.push(Node::new(kind));
        self.names.borrow_mut().push(name);
        id
    }

    fn detach(nodes: &mut [Node], id: NodeId) {
        let Node { parent, previous, next, .. } = nodes[id.index()];
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

    /// Links `child` under `parent`, before `next` or last.
    fn attach(nodes: &mut [Node], parent: NodeId, child: NodeId, next: Option<NodeId>) {
        Self::detach(nodes, child);
        let previous = match next {
            Some(next) => nodes[next.index()].previous,
            None => nodes[parent.index()].last_child,
        };
        match previous {
            Some(previous) => nodes[previous.index()].next = Some(child),
            None => nodes[parent.index()].first_child = Some(child),
        }
        match next {
            Some(next) => nodes[next.index()].previous = Some(child),
            None => nodes[parent.index()].last_child = Some(child),
        }
        let node = &mut nodes[child.index()];
        (node.parent, node.previous, node.next) = (Some(parent), previous, next);
    }

    /// Inserts a node or a text under `parent`, before `next` or last. Text joins a text node that it touches.
    fn insert(&self, parent: NodeId, child: NodeOrText<NodeId>, next: Option<NodeId>) {
        match child {
            NodeOrText::AppendNode(Self::IGNORED) => {}
            NodeOrText::AppendNode(child) => Self::attach(&mut self.nodes.borrow_mut(), parent, child, next),
            NodeOrText::AppendText(text) => {
                let before = match next {
                    Some(next) => self.nodes.borrow()[next.index()].previous,
                    None => self.nodes.borrow()[parent.index()].last_child,
                };
                if let Some(before) = before
                    && let Kind::Text(existing) = &mut self.nodes.borrow_mut()[before.index()].kind
                {
                    existing.push_str(&text);
                    return;
                }
                let child = self.create(Kind::Text(text.into()), None);
                Self::attach(&mut self.nodes.borrow_mut(), parent, child, next);
            }
        }
    }
}

/// An element's full name, borrowed from the sink.
#[derive(Debug)]
pub(super) struct Name<'a>(Ref<'a, QualName>);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

fn attributes(list: Vec<html5ever::Attribute>) -> Vec<Attribute> {
    list.into_iter().map(|a| Attribute { name: a.name.local, value: (&*a.value).into() }).collect()
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Self;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name<'a> {
        Name(Ref::map(self.names.borrow(), |names| {
            names[target.index()].as_ref().expect("the tree builder asks for names of elements alone")
        }))
    }

    fn create_element(&self, name: QualName, list: Vec<html5ever::Attribute>, _flags: ElementFlags) -> NodeId {
        let kind = Kind::Element { name: name.local.clone(), attributes: attributes(list) };
        self.create(kind, Some(name))
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
        let has_parent = self.nodes.borrow()[element.index()].parent.is_some();
        match has_parent {
            true => self.append_before_sibling(element, child),
            false => self.append(previous, child),
        }
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.nodes.borrow()[sibling.index()].parent;
        if let Some(parent) = parent {
            self.insert(parent, child, Some(*sibling));
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, _target: &NodeId) -> NodeId {
        Self::TEMPLATES
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        // Limited quirks change the heights of lines alone.
        self.quirks.set(mode == QuirksMode::Quirks);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, list: Vec<html5ever::Attribute>) {
        /// `html` and `body` tags may be repeated without end; nobody needs more of their attributes.
        const MOST: usize = 256;
        if let Kind::Element { attributes: own, .. } = &mut self.nodes.borrow_mut()[target.index()].kind {
            for attribute in attributes(list) {
                if own.len() < MOST && own.iter().all(|a| a.name != attribute.name) {
                    own.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        Self::detach(&mut self.nodes.borrow_mut(), *target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let nodes = &mut self.nodes.borrow_mut();
        while let Some(child) = nodes[node.index()].first_child {
            Self::attach(nodes, *new_parent, child, None);
        }
    }
}
