//! A document's elements for selector matching, with a bound on the work.
//!
//! Every step of a match, to a parent or a sibling, to a class or an attribute, goes through
//! [`Element`] here and is counted.

use std::cell::Cell;
use std::ops::Range;

use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::MatchingContext;
use selectors::matching::ElementSelectorFlags;
use selectors::{Element, OpaqueElement};

use super::name::CssName;
use super::selector::{PseudoClass, PseudoElement, SelectorNames};
use tsrec_core::html::{Document, NodeId};

/// The elements of a document, linked to each other without the text between them.
pub(super) struct StyleTree<'d> {
    document: &'d Document,
    links: Vec<Links>,
    classes: Vec<CssName>,
    steps_left: Cell<u64>,
}

/// An element's neighbours and names, by [`NodeId::index`].
#[derive(Default)]
struct Links {
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first_child: Option<NodeId>,
    id: Option<CssName>,
    classes: Range<usize>,
}

impl<'d> StyleTree<'d> {
    /// Links the elements. Linear. `steps` is the most steps of matching.
    pub(super) fn new(document: &'d Document, steps: u64) -> Self {
        let mut tree = StyleTree {
            document,
            links: (0..document.len()).map(|_| Links::default()).collect(),
            classes: Vec::new(),
            steps_left: Cell::new(steps),
        };
        for parent in document.descendants(document.root()) {
            let mut previous: Option<NodeId> = None;
            for child in document.children(parent).filter(|&child| document.local_name(child).is_some()) {
                tree.links[child.index()].previous = previous;
                match previous {
                    Some(previous) => tree.links[previous.index()].next = Some(child),
                    None => tree.links[parent.index()].first_child = Some(child),
                }
                previous = Some(child);
            }
            tree.name(parent);
        }
        tree
    }

    fn name(&mut self, id: NodeId) {
        let from = self.classes.len();
        if let Some(class) = self.document.attribute(id, "class") {
            self.classes.extend(class.split_ascii_whitespace().map(CssName::from));
        }
        let links = &mut self.links[id.index()];
        links.classes = from..self.classes.len();
        links.id = self.document.attribute(id, "id").map(CssName::from);
    }

    /// An element of the document.
    pub(super) fn node(&self, id: NodeId) -> StyleNode<'_> {
        StyleNode { tree: self, id }
    }

    /// True if matching needed more steps than allowed. Then do not trust the matches.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps_left.get() == 0
    }

    /// Counts work. False if none is left.
    pub(super) fn step(&self, steps: usize) -> bool {
        self.steps_left.set(self.steps_left.get().saturating_sub(steps as u64));
        !self.is_exhausted()
    }
}

/// An element of a [`StyleTree`].
#[derive(Clone, Copy)]
pub(super) struct StyleNode<'t> {
    tree: &'t StyleTree<'t>,
    id: NodeId,
}

impl<'t> StyleNode<'t> {
    /// The value of its `id` attribute.
    pub(super) fn own_id(&self) -> Option<&'t CssName> {
        self.links().id.as_ref()
    }

    /// Its classes.
    pub(super) fn classes(&self) -> &'t [CssName] {
        &self.tree.classes[self.links().classes.clone()]
    }

    fn links(&self) -> &'t Links {
        &self.tree.links[self.id.index()]
    }

    /// A neighbour, if there is work left.
    fn at(&self, id: Option<NodeId>) -> Option<Self> {
        let id = id.filter(|_| self.tree.step(1))?;
        Some(StyleNode { tree: self.tree, id })
    }
}

impl std::fmt::Debug for StyleNode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.id.fmt(f)
    }
}

fn is_same(a: &CssName, b: &CssName, case: CaseSensitivity) -> bool {
    a == b || (case == CaseSensitivity::AsciiCaseInsensitive && a.0.eq_ignore_ascii_case(&b.0))
}

impl Element for StyleNode<'_> {
    type Impl = SelectorNames;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.links())
    }

    fn parent_element(&self) -> Option<Self> {
        self.at(self.tree.document.parent(self.id).filter(|&parent| self.tree.document.local_name(parent).is_some()))
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.at(self.links().previous)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.at(self.links().next)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.at(self.links().first_child)
    }

    fn is_html_element_in_html_document(&self) -> bool {
        true
    }

    fn has_local_name(&self, name: &CssName) -> bool {
        self.tree.document.local_name(self.id) == Some(&name.0)
    }

    fn has_namespace(&self, _namespace: &CssName) -> bool {
        true
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.tree.document.local_name(self.id) == self.tree.document.local_name(other.id)
    }

    fn attr_matches(
        &self,
        _namespace: &NamespaceConstraint<&CssName>,
        name: &CssName,
        operation: &AttrSelectorOperation<&CssName>,
    ) -> bool {
        let attributes = self.tree.document.attributes(self.id);
        let value = attributes.get(&name.0);
        // A long value takes longer to search.
        let cost = attributes.len() + value.map_or(0, str::len) / 8;
        self.tree.step(cost) && value.is_some_and(|value| operation.eval_str(value))
    }

    fn match_non_ts_pseudo_class(
        &self,
        class: &PseudoClass,
        _context: &mut MatchingContext<'_, SelectorNames>,
    ) -> bool {
        match class {
            PseudoClass::Link => self.is_link(),
            PseudoClass::Never => false,
        }
    }

    fn match_pseudo_element(
        &self,
        _element: &PseudoElement,
        _context: &mut MatchingContext<'_, SelectorNames>,
    ) -> bool {
        false
    }

    fn is_link(&self) -> bool {
        let document = self.tree.document;
        (document.is_element(self.id, "a") || document.is_element(self.id, "area"))
            && document.attribute(self.id, "href").is_some()
    }

    fn has_id(&self, id: &CssName, case: CaseSensitivity) -> bool {
        self.own_id().is_some_and(|own| is_same(own, id, case))
    }

    fn has_class(&self, class: &CssName, case: CaseSensitivity) -> bool {
        let classes = self.classes();
        self.tree.step(classes.len() / 8) && classes.iter().any(|own| is_same(own, class, case))
    }

    fn is_empty(&self) -> bool {
        let document = self.tree.document;
        document.children(self.id).all(|child| document.text(child).is_some_and(str::is_empty))
    }

    fn is_root(&self) -> bool {
        self.tree.document.parent(self.id) == Some(self.tree.document.root())
    }

    // Features that HTML without shadow trees, custom states and incremental styling does not have.

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn apply_selector_flags(&self, _flags: ElementSelectorFlags) {}

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_custom_state(&self, _name: &CssName) -> bool {
        false
    }

    fn imported_part(&self, _name: &CssName) -> Option<CssName> {
        None
    }

    fn is_part(&self, _name: &CssName) -> bool {
        false
    }

    fn add_element_unique_hashes(&self, _filter: &mut BloomFilter) -> bool {
        false
    }
}
