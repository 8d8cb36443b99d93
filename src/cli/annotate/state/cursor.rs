//! Where keys lead: along what is shown, to what has no label, to wider groups.

use super::{Filter, State};
use tsrec_core::block::block_label::BlockLabel;

impl State {
    pub(super) fn go_rows(&mut self, rows: isize) {
        let shown: Vec<usize> = self.shown().collect();
        let at = shown.partition_point(|&block| block < self.cursor);
        self.go(shown.get(at.saturating_add_signed(rows).min(shown.len() - 1)).copied());
    }

    pub(super) fn go_unlabelled(&mut self) {
        let blocks = self.labels.len();
        let ahead = (self.cursor + 1..blocks).chain(0..=self.cursor).find(|&block| self.labels[block].is_none());
        match ahead {
            Some(block) => self.go(Some(block)),
            None => self.say("Every block is labelled: q writes and quits."),
        }
    }

    pub(super) fn go(&mut self, block: Option<usize>) {
        if let Some(block) = block {
            if !self.group().blocks.contains(&block) {
                self.widen = 0;
            }
            self.cursor = block;
        }
    }

    pub(super) fn widen(&mut self) {
        match self.outline.group(self.cursor, self.widen + 1) == self.group() {
            true => self.say("The group is the whole page already."),
            false => self.widen += 1,
        }
    }

    /// Shows the next kind of blocks, and goes to the nearest of them.
    pub(super) fn filter_next(&mut self) {
        self.filter = self.filter.next();
        let above = || (0..self.cursor).rev().find(|&block| self.is_listed(block));
        self.go(self.next_listed(self.cursor).or_else(above));
    }

    pub(super) fn is_listed(&self, block: usize) -> bool {
        let label = self.labels[block];
        match self.filter {
            Filter::All => true,
            Filter::Unlabelled => label.is_none(),
            Filter::Content => label.is_some_and(BlockLabel::is_content),
            Filter::Other => label == Some(BlockLabel::Other),
        }
    }

    pub(super) fn next_listed(&self, from: usize) -> Option<usize> {
        (from..self.labels.len()).find(|&block| self.is_listed(block))
    }
}
