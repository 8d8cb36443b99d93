//! What the annotator knows and how keys change it: no terminal, no files.

mod cursor;
mod labels;
mod undo;

use self::undo::Change;
use super::outline::{Group, Outline};
use tsrec_core::block::block_label::BlockLabel;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Label the block and go on to the next.
    Label(BlockLabel),
    /// Label the group that the block is in, and go on behind it.
    LabelGroup(BlockLabel),
    /// Give the label last given to the block and all after it in its group.
    Repeat,
    /// Label everything other that has no label from here on.
    Rest,
    /// Take the block's label away.
    Clear,
    /// Take the block's suggestion as its label and go on.
    Accept,
    /// Take the group's suggestions where no label is.
    AcceptGroup,
    /// Take all suggestions where no label is.
    AcceptAll,
    /// Go up or down.
    Rows(isize),
    First,
    Last,
    /// Go to the next block without a label, from the end on to the beginning.
    NextUnlabelled,
    /// Make the group that of the next larger element, or smaller again.
    Widen,
    Narrow,
    /// Show the next kind of blocks.
    Filter,
    Undo,
    Redo,
    Help,
    Quit,
}

/// Which blocks are shown, and touched by what labels several of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    All,
    Unlabelled,
    Content,
    Other,
}

impl Filter {
    fn next(self) -> Filter {
        match self {
            Filter::All => Filter::Unlabelled,
            Filter::Unlabelled => Filter::Content,
            Filter::Content => Filter::Other,
            Filter::Other => Filter::All,
        }
    }

    /// What is shown, in words.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Filter::All => "all blocks",
            Filter::Unlabelled => "blocks without a label",
            Filter::Content => "content",
            Filter::Other => "what is labelled other",
        }
    }
}

/// A page being annotated. It has a block at least.
#[derive(Debug)]
pub(super) struct State {
    outline: Outline,
    labels: Vec<Option<BlockLabel>>,
    /// None at all, or one a block.
    suggestions: Vec<BlockLabel>,
    cursor: usize,
    widen: usize,
    filter: Filter,
    last: Option<BlockLabel>,
    undo: Vec<Change>,
    redo: Vec<Change>,
    revision: u64,
    message: String,
    shows_help: bool,
    quits: bool,
}

impl State {
    /// Begins at the first block without a label. There are as many labels as blocks, and as many suggestions or none.
    pub(super) fn new(outline: Outline, labels: Vec<Option<BlockLabel>>, suggestions: Vec<BlockLabel>) -> State {
        assert!(!labels.is_empty() && labels.len() == outline.blocks().len(), "a label a block");
        assert!(suggestions.is_empty() || suggestions.len() == labels.len(), "a suggestion a block");
        let cursor = labels.iter().position(Option::is_none).unwrap_or(0);
        State {
            outline,
            labels,
            suggestions,
            cursor,
            widen: 0,
            filter: Filter::All,
            last: None,
            undo: Vec::new(),
            redo: Vec::new(),
            revision: 0,
            message: String::new(),
            shows_help: false,
            quits: false,
        }
    }

    /// The page.
    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The labels given.
    pub(super) fn labels(&self) -> &[Option<BlockLabel>] {
        &self.labels
    }

    /// What is suggested for a block that has no label.
    pub(super) fn suggestion(&self, block: usize) -> Option<BlockLabel> {
        self.suggestions.get(block).copied().filter(|_| self.labels[block].is_none())
    }

    /// True when some blocks have a suggestion and no label.
    pub(super) fn has_suggestions(&self) -> bool {
        !self.suggestions.is_empty() && self.labelled() < self.labels.len()
    }

    /// The block that keys speak of.
    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    /// The group that the block is in.
    pub(super) fn group(&self) -> Group<'_> {
        self.outline.group(self.cursor, self.widen)
    }

    /// Which blocks are shown.
    pub(super) fn filter(&self) -> Filter {
        self.filter
    }

    /// The blocks that are shown. The one that keys speak of always is.
    pub(super) fn shown(&self) -> impl Iterator<Item = usize> {
        (0..self.labels.len()).filter(|&block| block == self.cursor || self.is_listed(block))
    }

    /// How many blocks are labelled.
    pub(super) fn labelled(&self) -> usize {
        self.labels.iter().flatten().count()
    }

    /// A number that grows with every change of a label.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// What the last key did, where that is not plain to see.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Says something on the message line, until the next key.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.message = message.into();
    }

    /// True while the help is shown.
    pub(super) fn shows_help(&self) -> bool {
        self.shows_help
    }

    /// True once the annotator is told to quit.
    pub(super) fn quits(&self) -> bool {
        self.quits
    }

    /// Goes on after all.
    pub(super) fn stay(&mut self) {
        self.quits = false;
    }

    /// Does what a key asks for.
    pub(super) fn apply(&mut self, action: Action) {
        self.message.clear();
        if std::mem::take(&mut self.shows_help) && action != Action::Quit {
            // Any key leaves the help, and does nothing else.
            return;
        }
        match action {
            Action::Label(label) => self.label(label),
            Action::LabelGroup(label) => self.label_group(label),
            Action::Repeat => self.repeat(),
            Action::Rest => self.rest(),
            Action::Clear => self.clear(),
            Action::Accept => self.accept(),
            Action::AcceptGroup => self.accept_within(self.group().blocks),
            Action::AcceptAll => self.accept_within(0..self.labels.len()),
            Action::Rows(rows) => self.go_rows(rows),
            Action::First => self.go_rows(isize::MIN),
            Action::Last => self.go_rows(isize::MAX),
            Action::NextUnlabelled => self.go_unlabelled(),
            Action::Widen => self.widen(),
            Action::Narrow => self.widen = self.widen.saturating_sub(1),
            Action::Filter => self.filter_next(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Help => self.shows_help = true,
            Action::Quit => self.quits = true,
        }
    }
}

/// So many blocks, in words.
pub(super) fn count(blocks: usize) -> String {
    format!("{blocks} block{}", if blocks == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
