//! What the annotator knows and how keys change it: no terminal, no files.

use std::ops::Range;

use super::outline::{Group, Outline};
use crate::block::block_label::BlockLabel;

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

/// Labels that were given with one key, for taking them back and giving them again.
#[derive(Clone, Debug)]
struct Change {
    labels: Vec<(usize, Option<BlockLabel>, Option<BlockLabel>)>,
    cursor_before: usize,
    cursor_after: usize,
}

/// Changes that can be undone, at most. Judgement: more keys than a page takes.
const UNDOABLE: usize = 10_000;

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
            Action::Filter => self.filter = self.filter.next(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Help => self.shows_help = true,
            Action::Quit => self.quits = true,
        }
    }

    fn label(&mut self, label: BlockLabel) {
        if label == BlockLabel::Continuation && self.begins_nothing(self.cursor) {
            return self.say("Nothing above is content yet: there is nothing to go on with.");
        }
        self.last = Some(label);
        let next = self.next_listed(self.cursor + 1);
        self.change(vec![(self.cursor, Some(label))], next);
    }

    fn label_group(&mut self, label: BlockLabel) {
        let blocks = self.group().blocks;
        if label == BlockLabel::Continuation && self.begins_nothing(blocks.start) {
            return self.say("Nothing above is content yet: there is nothing to go on with.");
        }
        self.last = Some(label);
        self.label_range(blocks, label, true);
    }

    fn repeat(&mut self) {
        match self.last {
            Some(label) => self.label_range(self.cursor..self.group().blocks.end, label, false),
            None => self.say("No label was given yet that could be repeated."),
        }
    }

    /// Labels what is shown of a range and goes on behind it. What begins no line of its own goes on with what it follows; the first may begin
    /// whatever the tags say.
    fn label_range(&mut self, blocks: Range<usize>, label: BlockLabel, mut first: bool) {
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

    fn rest(&mut self) {
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

    fn clear(&mut self) {
        self.change(vec![(self.cursor, None)], None);
    }

    fn accept(&mut self) {
        let next = self.next_listed(self.cursor + 1);
        match (self.labels[self.cursor], self.suggestion(self.cursor)) {
            (None, Some(label)) => self.change(vec![(self.cursor, Some(label))], next),
            (Some(_), _) => self.go(next),
            (None, None) => self.say("Nothing is suggested here: start with --suggest to have suggestions."),
        }
    }

    fn accept_within(&mut self, blocks: Range<usize>) {
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

    fn go_rows(&mut self, rows: isize) {
        let shown: Vec<usize> = self.shown().collect();
        let at = shown.partition_point(|&block| block < self.cursor);
        self.go(shown.get(at.saturating_add_signed(rows).min(shown.len() - 1)).copied());
    }

    fn go_unlabelled(&mut self) {
        let blocks = self.labels.len();
        let ahead = (self.cursor + 1..blocks).chain(0..=self.cursor).find(|&block| self.labels[block].is_none());
        match ahead {
            Some(block) => self.go(Some(block)),
            None => self.say("Every block is labelled: q writes and quits."),
        }
    }

    fn go(&mut self, block: Option<usize>) {
        if let Some(block) = block {
            if !self.group().blocks.contains(&block) {
                self.widen = 0;
            }
            self.cursor = block;
        }
    }

    fn widen(&mut self) {
        match self.outline.group(self.cursor, self.widen + 1) == self.group() {
            true => self.say("The group is the whole page already."),
            false => self.widen += 1,
        }
    }

    /// Gives labels, as one step that can be undone, and goes to a block.
    fn change(&mut self, labels: Vec<(usize, Option<BlockLabel>)>, to: Option<usize>) {
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

    fn undo(&mut self) {
        let Some(change) = self.undo.pop() else { return self.say("Nothing is left to undo.") };
        for &(block, old, _) in &change.labels {
            self.labels[block] = old;
        }
        self.revision += 1;
        self.go(Some(change.cursor_before));
        self.redo.push(change);
    }

    fn redo(&mut self) {
        let Some(change) = self.redo.pop() else { return self.say("Nothing is left to do again.") };
        for &(block, _, new) in &change.labels {
            self.labels[block] = new;
        }
        self.revision += 1;
        self.go(Some(change.cursor_after));
        self.undo.push(change);
    }

    /// Says what was done, or that nothing is left to do, which matters more.
    fn tell(&mut self, done: String) {
        let all = self.labels.len();
        self.message = match self.labelled() == all {
            true => format!("{done} Every block is labelled: q writes and quits.").trim_start().to_owned(),
            false => done,
        };
    }

    /// True when every block before this one is labelled and none of them is content.
    fn begins_nothing(&self, block: usize) -> bool {
        self.labels[..block].iter().all(|label| *label == Some(BlockLabel::Other))
    }

    fn is_listed(&self, block: usize) -> bool {
        let label = self.labels[block];
        match self.filter {
            Filter::All => true,
            Filter::Unlabelled => label.is_none(),
            Filter::Content => label.is_some_and(BlockLabel::is_content),
            Filter::Other => label == Some(BlockLabel::Other),
        }
    }

    fn next_listed(&self, from: usize) -> Option<usize> {
        (from..self.labels.len()).find(|&block| self.is_listed(block))
    }
}

/// So many blocks, in words.
pub(super) fn count(blocks: usize) -> String {
    format!("{blocks} block{}", if blocks == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::text_blocks::text_blocks;
    use crate::cli::annotate::keys;
    use crate::html::parse;

    /// A menu of two, a heading, a paragraph of three blocks, one of one, and a footer.
    const PAGE: &str = "<ul><li>Home<li>News</ul><div><h1>Ferry</h1><p>See <a>us</a> for more.<p>Soon</div><p>Imprint";

    fn state(labels: &str, suggestions: &str) -> State {
        let document = parse(format!("<!DOCTYPE html><body>{PAGE}").as_bytes(), None, &Default::default());
        let outline = Outline::new(&document, &text_blocks(&document));
        let suggestions = suggestions.chars().filter_map(BlockLabel::from_key).collect();
        State::new(outline, labels.chars().map(BlockLabel::from_key).collect(), suggestions)
    }

    /// The labels as keys, `.` where there is none, with `>` before the block that keys speak of.
    fn screen(state: &State) -> String {
        let mut screen = String::new();
        for (block, label) in state.labels().iter().enumerate() {
            if block == state.cursor() {
                screen.push('>');
            }
            screen.push(label.map_or('.', BlockLabel::key));
        }
        screen
    }

    fn press(state: &mut State, pressed: &str) {
        for key in pressed.chars() {
            // R stands for ctrl-r, which undoes an undo.
            let action = if key == 'R' { Some(Action::Redo) } else { keys::of_char(key) };
            state.apply(action.unwrap_or_else(|| panic!("{key} is no key")));
        }
    }

    fn check(labels: &str, pressed: &str, expect: &str) {
        let mut state = state(labels, "oohpccpo");
        press(&mut state, pressed);
        assert_eq!(screen(&state), expect, "{pressed:?} on {labels}: {}", state.message());
    }

    fn check_all(cases: &[(&str, &str, &str)]) {
        for (labels, pressed, expect) in cases {
            check(labels, pressed, expect);
        }
    }

    #[test]
    fn one_key_labels_a_block() {
        check_all(&[
            ("........", "", ">........"),
            ("........", "oohpcc", "oohpcc>.."),
            ("oohp....", "", "oohp>...."),
            ("oohpccpo", "", ">oohpccpo"),
            ("oohpccp.", "o", "oohpccp>o"),
            // A continuation needs something that it goes on with.
            ("........", "c", ">........"),
            ("oo......", "c", "oo>......"),
            ("........", "jc", ".c>......"),
            // The rest is other; what is labelled stays.
            ("oohp..p.", "x", "oohp>oopo"),
            ("ooh...p.", "gx", ">oohooopo"),
            // A label is taken away.
            ("oohpccpo", "jjd", "oo>.pccpo"),
        ]);
    }

    #[test]
    fn the_cursor_stays_on_the_page() {
        check_all(&[
            ("........", "jjk", ".>......."),
            ("........", "kk", ">........"),
            ("........", "Gj", ".......>."),
            ("........", "Gg", ">........"),
            ("o.h.cc..", "nn", "o.h.cc>.."),
            ("o.h.ccpo", "nnn", "o.h>.ccpo"),
            ("oohpccpo", "jn", "o>ohpccpo"),
        ]);
    }

    #[test]
    fn one_key_labels_a_group() {
        check_all(&[
            ("........", "O", "oo>......"),
            ("........", "L", "ll>......"),
            ("ooh.....", "O", "oohooo>.."),
            // A paragraph's later blocks go on with it, wherever in it the key is pressed.
            ("ooh.....", "P", "oohpcc>.."),
            ("ooh.....", "jP", "oohpcc>.."),
            // Each paragraph of a larger element begins.
            ("oo......", "P", "ooppccp>."),
            ("ooh.....", "+P", "ooppccp>."),
            ("ooh.....", "++P", "ppp>pccpp"),
            ("ooh.....", "+-P", "oohpcc>.."),
            ("........", "+O", ">oooooooo"),
            ("........", "+++++O", ">oooooooo"),
            // Away from the group it is small again.
            ("ooh.....", "+GgO", "oo>h....."),
            // What is repeated goes on where the first began.
            ("ooh.....", "pr", "oohpcc>.."),
            ("oo......", "hr", "oohhcc>.."),
            ("........", "or", "oo>......"),
            ("........", "r", ">........"),
        ]);
    }

    #[test]
    fn suggestions_are_taken_where_no_label_is() {
        check_all(&[
            ("........", "aa", "oo>......"),
            ("........", "A", "oo>......"),
            ("........", "e", ">oohpccpo"),
            ("..l.....", "e", ">oolpccpo"),
            ("l.......", "kA", "lo>......"),
            ("l.......", "ka", "l>......."),
            ("oohpccpo", "e", ">oohpccpo"),
        ]);
        let mut alone = state("........", "");
        press(&mut alone, "aAe");
        assert_eq!(screen(&alone), ">........");
        assert!(alone.message().starts_with("Nothing is suggested"));
        assert!(!alone.has_suggestions());
    }

    #[test]
    fn what_was_done_can_be_undone_and_done_again() {
        check_all(&[
            ("........", "u", ">........"),
            ("........", "R", ">........"),
            ("........", "Ou", ">........"),
            ("........", "OuR", "oo>......"),
            ("........", "OhuuR", "oo>......"),
            ("........", "OhuuRR", "ooh>....."),
            ("........", "OuhR", "h>......."),
            ("oohpccpo", "Gxdu", "oohpccp>o"),
            // What changes nothing is no step.
            ("oohpccpo", "oou", "oo>hpccpo"),
        ]);
    }

    #[test]
    fn only_what_is_shown_is_touched() {
        check_all(&[
            ("ooh.....", "+fO", "oohoooo>."),
            ("oohpccpo", "ffj", "oo>hpccpo"),
            ("oohpccpo", "fffGk", "o>ohpccpo"),
            ("oohpccpo", "ffffj", "o>ohpccpo"),
        ]);
        let mut state = state("oohpccpo", "");
        press(&mut state, "ff");
        assert_eq!(state.shown().collect::<Vec<_>>(), [0, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_help_takes_one_key_and_quitting_is_told() {
        let mut state = state("........", "");
        press(&mut state, "?");
        assert!(state.shows_help());
        press(&mut state, "o");
        assert!(!state.shows_help());
        assert_eq!((screen(&state).as_str(), state.revision()), (">........", 0));
        press(&mut state, "+O");
        assert_eq!(
            state.message(),
            "8 blocks labelled other; u takes it back. Every block is labelled: q writes and quits."
        );
        press(&mut state, "?q");
        assert!(state.quits());
        state.stay();
        assert!(!state.quits());
    }
}
