//! What a key changed, to be taken back and done again.

use super::State;
use tsrec_core::block::block_label::BlockLabel;

/// Labels that were given with one key, for taking them back and giving them again.
#[derive(Clone, Debug)]
pub(super) struct Change {
    labels: Vec<(usize, Option<BlockLabel>, Option<BlockLabel>)>,
    cursor_before: usize,
    cursor_after: usize,
}

/// Changes that can be undone, at most. Judgement: more keys than a page takes.
const UNDOABLE: usize = 10_000;

impl State {
    /// Gives labels, as one step that can be undone, and goes to a block.
    pub(super) fn change(&mut self, labels: Vec<(usize, Option<BlockLabel>)>, to: Option<usize>) {
        let labels: Vec<_> = labels
            .into_iter()
            .map(|(block, new)| (block, self.labels[block], new))
            .filter(|(_, old, new)| old != new)
            .collect();
        let cursor_before = self.cursor;
        for &(block, _, new) in &labels {
            self.labels[block] = new;
        }
        self.go(to);
        if labels.is_empty() {
            return;
        }
        self.revision += 1;
        self.redo.clear();
        if self.undo.len() == UNDOABLE {
            self.undo.remove(0);
        }
        self.undo.push(Change { labels, cursor_before, cursor_after: self.cursor });
        self.tell(String::new());
    }

    pub(super) fn undo(&mut self) {
        let Some(change) = self.undo.pop() else { return self.say("Nothing is left to undo.") };
        for &(block, old, _) in &change.labels {
            self.labels[block] = old;
        }
        self.revision += 1;
        self.go(Some(change.cursor_before));
        self.redo.push(change);
    }

    pub(super) fn redo(&mut self) {
        let Some(change) = self.redo.pop() else { return self.say("Nothing is left to do again.") };
        for &(block, _, new) in &change.labels {
            self.labels[block] = new;
        }
        self.revision += 1;
        self.go(Some(change.cursor_after));
        self.undo.push(change);
    }

    /// Says what was done, or that nothing is left to do, which matters more.
    pub(super) fn tell(&mut self, done: String) {
        let all = self.labels.len();
        self.message = match self.labelled() == all {
            true => format!("{done} Every block is labelled: q writes and quits.").trim_start().to_owned(),
            false => done,
        };
    }
}
