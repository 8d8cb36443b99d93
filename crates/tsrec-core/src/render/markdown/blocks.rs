//! Blocks one below the other, in lists, quotes and footnotes.

use crate::html::document::NodeId;

/// Lists and quotes within each other at most; what is deeper stands in the last. Judgement:
/// beyond, a page is hostile, and each line would begin with its depth in marks.
const DEEPEST: usize = 16;

/// What blocks stand in.
#[derive(Debug)]
struct MarkdownContainer {
    node: NodeId,
    kind: Kind,
    /// A block was written in it.
    is_begun: bool,
}

#[derive(Debug)]
enum Kind {
    Quote,
    /// The number of the next item where they are numbered, and the mark of items.
    List(Option<u64>, char),
    /// What the first line begins with; the others begin with as many spaces.
    Item(String),
}

/// The list that was closed last, where nothing came after it: one that follows needs other marks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Closed {
    depth: usize,
    mark: char,
}

/// Markdown, block by block.
#[derive(Debug, Default)]
pub(super) struct MarkdownBlocks {
    out: String,
    containers: Vec<MarkdownContainer>,
    closed: Option<Closed>,
    /// A rule is due before the next block, if one came before it.
    rule: bool,
}

impl MarkdownBlocks {
    pub(super) fn open_quote(&mut self, node: NodeId) {
        self.open(node, Kind::Quote);
    }

    /// A list, with the number of its first item where they are numbered.
    pub(super) fn open_list(&mut self, node: NodeId, first: Option<u64>) {
        let marks = if first.is_some() { ['.', ')'] } else { ['-', '*'] };
        let taken = self.closed.filter(|closed| closed.depth == self.containers.len()).map(|closed| closed.mark);
        let mark = if taken == Some(marks[0]) { marks[1] } else { marks[0] };
        self.open(node, Kind::List(first, mark));
    }

    /// An item of the list that is open, or of one of its own; with its number where the page gives
    /// it one.
    pub(super) fn open_item(&mut self, node: NodeId, given: Option<u64>) {
        if !matches!(self.containers.last().map(|container| &container.kind), Some(Kind::List(..))) {
            self.open_list(node, None);
        }
        let Some(MarkdownContainer { kind: Kind::List(number, mark), .. }) = self.containers.last_mut() else { return };
        let marker = match number {
            Some(number) => {
                *number = given.unwrap_or(*number);
                // Nine digits are what Markdown reads.
                let marker = format!("{}{mark} ", *number % 1_000_000_000);
                *number += 1;
                marker
            }
            None => format!("{mark} "),
        };
        self.open(node, Kind::Item(marker));
    }

    /// The text of a footnote.
    pub(super) fn open_note(&mut self, node: NodeId, label: &str) {
        self.open(node, Kind::Item(format!("[^{label}]: ")));
    }

    fn open(&mut self, node: NodeId, kind: Kind) {
        if self.containers.len() < DEEPEST {
            self.containers.push(MarkdownContainer { node, kind, is_begun: false });
        }
    }

    /// Ends what was opened with an element.
    pub(super) fn close_at(&mut self, node: NodeId) {
        while let Some(closed) = self.containers.pop_if(|container| container.node == node) {
            if let MarkdownContainer { kind: Kind::List(_, mark), is_begun: true, .. } = closed {
                self.closed = Some(Closed { depth: self.containers.len(), mark });
            }
        }
    }

    /// A line across the page. It is written where there is something before it and after it.
    pub(super) fn rule_due(&mut self) {
        self.rule = !self.out.is_empty();
    }

    /// A block of these lines.
    pub(super) fn lines(&mut self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        if std::mem::take(&mut self.rule) {
            self.write(&["***".to_owned()]);
        }
        self.write(lines);
    }

    fn write(&mut self, lines: &[String]) {
        self.gap(lines);
        for line in lines {
            let mut whole = String::new();
            for container in &mut self.containers {
                match (&container.kind, container.is_begun) {
                    (Kind::Quote, _) => whole.push_str("> "),
                    (Kind::Item(marker), false) => whole.push_str(marker),
                    (Kind::Item(marker), true) => whole.extend(std::iter::repeat_n(' ', indent(marker))),
                    (Kind::List(..), _) => {}
                }
                container.is_begun = true;
            }
            whole.push_str(line);
            self.out.push_str(whole.trim_end());
            self.out.push('\n');
        }
        // Text that stands in a list but in no item is a paragraph before it.
        let lists = self.containers.iter_mut().rev().take_while(|container| matches!(container.kind, Kind::List(..)));
        lists.for_each(|list| list.is_begun = false);
        self.closed = None;
    }

    /// What keeps a block from the one before: a blank line, but for items of one list, and a list
    /// below the text of its item.
    fn gap(&mut self, lines: &[String]) {
        if self.out.is_empty() {
            return;
        }
        let begun = self.containers.iter().take_while(|container| container.is_begun);
        let deepest = begun.clone().last().map(|container| &container.kind);
        let next = self.containers.get(begun.clone().count()).map(|container| &container.kind);
        let is_tight = match (deepest, next) {
            (Some(Kind::List(..)), Some(Kind::Item(_))) => true,
            // A numbered list goes on from a paragraph only where it begins with 1.
            (Some(Kind::Item(_)), Some(Kind::List(None | Some(2), _))) => !lines[0].is_empty(),
            _ => false,
        };
        if is_tight {
            return;
        }
        let mut blank = String::new();
        for container in begun {
            match &container.kind {
                Kind::Quote => blank.push_str("> "),
                Kind::Item(marker) => blank.extend(std::iter::repeat_n(' ', indent(marker))),
                Kind::List(..) => {}
            }
        }
        self.out.push_str(blank.trim_end());
        self.out.push('\n');
    }

    pub(super) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out
    }
}

/// How far the lines of an item stand in. Those of a footnote do so by four.
fn indent(marker: &str) -> usize {
    if marker.starts_with('[') { 4 } else { marker.len() }
}
