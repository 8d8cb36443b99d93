//! `aria-hidden`: text that is not read aloud, which may be a menu kept for scripts, or text that is seen but need not be spoken.

use crate::html::NodeId;

/// The elements that are marked so, decided as they close. Linear in the page, however deep they nest.
#[derive(Default)]
pub(super) struct AriaHidden {
    open: Vec<Open>,
    /// Characters of the text since the first of them opened.
    all: usize,
    /// Those of them that stand in links or buttons.
    clickable: usize,
    clickables_open: usize,
}

struct Open {
    node: NodeId,
    all: usize,
    clickable: usize,
    first_leaf: usize,
}

impl AriaHidden {
    /// An element opens that is marked so.
    pub(super) fn open(&mut self, node: NodeId, first_leaf: usize) {
        self.open.push(Open { node, all: self.all, clickable: self.clickable, first_leaf });
    }

    /// A link or a button opens.
    pub(super) fn open_clickable(&mut self) {
        self.clickables_open += 1;
    }

    /// A link or a button closes.
    pub(super) fn close_clickable(&mut self) {
        self.clickables_open -= 1;
    }

    /// Text. Costs nothing unless an element is open that is marked so.
    pub(super) fn text(&mut self, text: &str) {
        if self.open.is_empty() {
            return;
        }
        let characters = text.chars().filter(|c| !c.is_whitespace()).count();
        self.all += characters;
        self.clickable += if self.clickables_open > 0 { characters } else { 0 };
    }

    /// An element closes. The number of the first leaf in it, where it was marked and is a menu: at least half of the text (judgement)
    /// stands in links or buttons.
    pub(super) fn close(&mut self, node: NodeId) -> Option<usize> {
        let open = self.open.pop_if(|open| open.node == node)?;
        (2 * (self.clickable - open.clickable) >= self.all - open.all).then_some(open.first_leaf)
    }
}
