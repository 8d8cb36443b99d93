//! Tells apart two uses of `aria-hidden`: menus kept for scripts, and visible text that need not be
//! spoken.

use super::document::{Document, Edge, NodeId};
use super::visibility::is_no_text;

/// Tells menus from other elements with `aria-hidden`, as they close. In a menu, at least half of
/// the text (judgement) is in links or buttons that open within it. The element itself counts if it
/// is a link or button.
///
/// A walk over the page calls it for each node. O(n log n) in the page, however deep the marked
/// elements nest.
#[derive(Default)]
pub(crate) struct Menus {
    /// The marked elements that are open. When one closes, its counts are added to the one around
    /// it.
    open: Vec<Marked>,
    /// The number of open links and buttons.
    clickables: usize,
}

/// An open element with `aria-hidden`.
struct Marked {
    node: NodeId,
    /// A value that the caller gets back when the element closes.
    begins_at: usize,
    /// Links and buttons around it.
    around: usize,
    /// Characters of text.
    all: usize,
    /// Characters of text in links or buttons.
    clickable: usize,
}

impl Menus {
    /// A marked element opens; `close` returns `begins_at`.
    pub(crate) fn open(&mut self, node: NodeId, begins_at: usize) {
        self.open.push(Marked { node, begins_at, around: self.clickables, all: 0, clickable: 0 });
    }

    /// A link or a button opens. If it is marked too, call [`Menus::open`] first.
    pub(crate) fn open_clickable(&mut self) {
        self.clickables += 1;
    }

    /// A link or a button closes.
    pub(crate) fn close_clickable(&mut self) {
        self.clickables -= 1;
    }

    /// Adds text. This costs nothing unless a marked element is open.
    pub(crate) fn text(&mut self, text: &str) {
        let Some(last) = self.open.last_mut() else { return };
        let characters = text.chars().filter(|c| !c.is_whitespace()).count();
        last.all += characters;
        // The text is in a link of every marked element that has fewer links around it than are
        // open now.
        let own = self.open.partition_point(|marked| marked.around < self.clickables);
        if let Some(innermost) = own.checked_sub(1) {
            self.open[innermost].clickable += characters;
        }
    }

    /// An element closes. Returns where it began, if it was marked and is a menu.
    pub(crate) fn close(&mut self, node: NodeId) -> Option<usize> {
        let closed = self.open.pop_if(|open| open.node == node)?;
        if let Some(around) = self.open.last_mut() {
            around.all += closed.all;
            around.clickable += closed.clickable;
        }
        (2 * closed.clickable >= closed.all).then_some(closed.begins_at)
    }
}

/// True of an element that is clicked.
pub(crate) fn is_clickable(name: &str) -> bool {
    matches!(name, "a" | "button")
}

/// The menus of a page, in document order.
pub(super) fn menus(document: &Document) -> Vec<NodeId> {
    let (mut counting, mut menus) = (Menus::default(), Vec::new());
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(node) => {
                let Some(name) = document.local_name(node) else {
                    counting.text(document.text(node).unwrap_or_default());
                    continue;
                };
                let marked = document.attribute(node, "aria-hidden");
                if marked.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
                    counting.open(node, 0);
                }
                if is_clickable(name) {
                    counting.open_clickable();
                }
                if is_no_text(name) {
                    walk.skip_children(node);
                }
            }
            Edge::Close(node) => {
                if document.local_name(node).is_some_and(|name| is_clickable(name)) {
                    counting.close_clickable();
                }
                if counting.close(node).is_some() {
                    menus.push(node);
                }
            }
        }
    }
    menus.sort_unstable();
    menus
}
