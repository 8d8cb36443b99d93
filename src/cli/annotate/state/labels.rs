//! Labels given by keys: to a block, to a group, to the rest, or as they were suggested.

use std::ops::Range;

use super::{State, count};
use tsrec_core::block::block_label::BlockLabel;

impl State {
    pub(super) fn label(&mut self, label: BlockLabel) {
        if label == BlockLabel::Continuation && self.begins_nothing(self.cursor) {
            return self.say("Nothing above is content yet: there is nothing to go on with.");
        }
        self.last = Some(label);
        let next = self.next_listed(self.cursor + 1);
        self.change(vec![(self.cursor, Some(label))], next);
    }

    pub(super) fn label_group(&mut self, label: BlockLabel) {
        let blocks = self.group().blocks;
        if label == BlockLabel::Continuation && self.begins_nothing(blocks.start) {
            return self.say("Nothing above is content yet: there is nothing to go on with.");
        }
        self.last = Some(label);
        self.label_range(blocks, label, true);
    }

    pub(super) fn repeat(&mut self) {
        match self.last {
            Some(label) => self.label_range(self.cursor..self.group().blocks.end, label, false),
            None => self.say("No label was given yet that could be repeated."),
        }
    }

    /// Labels what is shown of a range and goes on behind it. What begins no line of its own goes on with what it follows; the first may begin
    /// whatever the tags say.
    pub(super) fn label_range(&mut self, blocks: Range<usize>, label: BlockLabel, mut first: bool) {
        let mut labels = Vec::new();
        for block in blocks.clone().filter(|&block| block == self.cursor || self.is_listed(block)) {
            let begins = std::mem::take(&mut first) || self.outline.blocks()[block].begins;
            let goes_on = label.is_content() && !begins;
            labels.push((block, Some(if goes_on { BlockLabel::Continuation } else { label })));
        }
        let told = format!("{} labelled {label}; u takes it back.", count(labels.len()));
        let next = self.next_listed(blocks.end);
        self.change(labels, next);
        self.tell(told);
    }

    pub(super) fn rest(&mut self) {
        let from_here = self.cursor..self.labels.len();
        let labels: Vec<_> = from_here
            .filter(|&block| self.labels[block].is_none())
            .map(|block| (block, Some(BlockLabel::Other)))
            .collect();
        if labels.is_empty() {
            return self.say("From here on every block is labelled.");
        }
        let told = format!("{} labelled other; u takes it back.", count(labels.len()));
        self.change(labels, None);
        self.tell(told);
    }

    pub(super) fn clear(&mut self) {
        self.change(vec![(self.cursor, None)], None);
    }

    pub(super) fn accept(&mut self) {
        let next = self.next_listed(self.cursor + 1);
        match (self.labels[self.cursor], self.suggestion(self.cursor)) {
            (None, Some(label)) => self.change(vec![(self.cursor, Some(label))], next),
            (Some(_), _) => self.go(next),
            (None, None) => self.say("Nothing is suggested here: start with --suggest to have suggestions."),
        }
    }

    pub(super) fn accept_within(&mut self, blocks: Range<usize>) {
        let listed = blocks.clone().filter(|&block| block == self.cursor || self.is_listed(block));
        let labels: Vec<_> =
            listed.filter_map(|block| self.suggestion(block).map(|label| (block, Some(label)))).collect();
        if labels.is_empty() {
            return self.say("Nothing is suggested here that is not labelled yet.");
        }
        let told = format!("{} accepted; u takes it back.", count(labels.len()));
        let next = self.next_listed(blocks.end);
        self.change(labels, next);
        self.tell(told);
    }

    /// True when every block before this one is labelled and none of them is content.
    fn begins_nothing(&self, block: usize) -> bool {
        self.labels[..block].iter().all(|label| *label == Some(BlockLabel::Other))
    }
}
