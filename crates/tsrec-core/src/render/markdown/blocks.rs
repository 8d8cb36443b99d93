//! Writes blocks in lists, quotes and footnotes.

use crate::html::document::NodeId;

/// Deepest nesting of lists and quotes; deeper ones go into the last. Judgement: a deeper page is
/// hostile, and each line would begin with as many marks.
const DEEPEST: usize = 16;

/// What contains blocks.
#[derive(Debug)]
struct MarkdownContainer {
    node: NodeId,
    kind: Kind,
    /// True once a block was written in it.
    is_begun: bool,
}

#[derive(Debug)]
enum Kind {
    Quote,
    /// The number of the next item if they are numbered, the mark of items, and the marker of the
    /// item that was closed last.
    List(Option<u64>, char, Option<String>),
    /// The first line's prefix. The other lines begin with as many spaces.
    Item(String),
}

/// The list that was just closed. A list directly after it needs other marks.
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
    /// The number of begun containers around a rule that must come before the next block.
    rule: Option<usize>,
}

impl MarkdownBlocks {
    pub(super) fn open_quote(&mut self, node: NodeId) {
        self.open(node, Kind::Quote);
    }

    /// Begins a list, with the number of its first item if they are numbered. Directly in a list it
    /// belongs to the item before it.
    pub(super) fn open_list(&mut self, node: NodeId, first: Option<u64>) {
        if let Some(MarkdownContainer { kind: Kind::List(_, _, last), is_begun: true, .. }) = self.containers.last_mut()
            && let Some(marker) = last.take()
        {
            self.open(node, Kind::Item(marker));
            self.containers.iter_mut().for_each(|container| container.is_begun |= container.node == node);
        }
        let marks = if first.is_some() { ['.', ')'] } else { ['-', '*'] };
        let taken = self.closed.filter(|closed| closed.depth == self.containers.len()).map(|closed| closed.mark);
        let mark = if taken == Some(marks[0]) { marks[1] } else { marks[0] };
        self.open(node, Kind::List(first, mark, None));
    }

    /// Begins an item of the open list, or of a new one, with the number that the page gives it.
    pub(super) fn open_item(&mut self, node: NodeId, given: Option<u64>) {
        if !matches!(self.containers.last().map(|container| &container.kind), Some(Kind::List(..))) {
            self.open_list(node, None);
        }
        let Some(MarkdownContainer { kind: Kind::List(number, mark, _), .. }) = self.containers.last_mut() else {
            return;
        };
        let marker = match number {
            Some(number) => {
                *number = given.unwrap_or(*number);
                // Markdown reads up to nine digits.
                let marker = format!("{}{mark} ", *number % 1_000_000_000);
                *number += 1;
                marker
            }
            None => format!("{mark} "),
        };
        self.open(node, Kind::Item(marker));
    }

    /// Begins the text of a footnote.
    pub(super) fn open_note(&mut self, node: NodeId, label: &str) {
        self.open(node, Kind::Item(format!("[^{label}]: ")));
    }

    fn open(&mut self, node: NodeId, kind: Kind) {
        if self.containers.len() < DEEPEST {
            self.containers.push(MarkdownContainer { node, kind, is_begun: false });
        }
    }

    /// Ends what was opened for an element.
    pub(super) fn close_at(&mut self, node: NodeId) {
        while let Some(closed) = self.containers.pop_if(|container| container.node == node) {
            match closed {
                MarkdownContainer { kind: Kind::List(_, mark, _), is_begun: true, .. } => {
                    self.closed = Some(Closed { depth: self.containers.len(), mark });
                }
                MarkdownContainer { kind: Kind::Item(marker), is_begun: true, .. } => {
                    if let Some(MarkdownContainer { kind: Kind::List(_, _, last), .. }) = self.containers.last_mut() {
                        *last = Some(marker);
                    }
                }
                _ => {}
            }
            self.rule = self.rule.map(|depth| depth.min(self.containers.len()));
        }
    }

    /// A line across the page. It is written only between two blocks, in the containers that hold
    /// the one before it and the line.
    pub(super) fn rule_due(&mut self) {
        let begun = self.containers.iter().take_while(|container| container.is_begun).count();
        self.rule = Some(begun).filter(|_| !self.out.is_empty());
        // A list behind it needs no other marks.
        self.closed = self.closed.filter(|_| self.rule.is_none());
    }

    /// Writes a block of these lines.
    pub(super) fn lines(&mut self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        if let Some(depth) = self.rule.take() {
            let inner = self.containers.split_off(depth.min(self.containers.len()));
            self.write(&["***".to_owned()]);
            self.containers.extend(inner);
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
        // Text in a list but in no item becomes a paragraph before it.
        let lists = self.containers.iter_mut().rev().take_while(|container| matches!(container.kind, Kind::List(..)));
        for list in lists {
            list.is_begun = false;
            if let Kind::List(_, _, last) = &mut list.kind {
                *last = None;
            }
        }
        self.closed = None;
    }

    /// Separates a block from the one before: with a blank line, except between items of one list,
    /// and before a list within an item.
    fn gap(&mut self, lines: &[String]) {
        if self.out.is_empty() {
            return;
        }
        let begun = self.containers.iter().take_while(|container| container.is_begun);
        let deepest = begun.clone().last().map(|container| &container.kind);
        let next = self.containers.get(begun.clone().count()).map(|container| &container.kind);
        let is_tight = match (deepest, next) {
            (Some(Kind::List(..)), Some(Kind::Item(_))) => true,
            // A numbered list can follow a paragraph directly only if it begins with 1.
            (Some(Kind::Item(_)), Some(Kind::List(None | Some(2), ..))) => !lines[0].is_empty(),
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

/// The indent of an item's lines. For a footnote it is four.
fn indent(marker: &str) -> usize {
    if marker.starts_with('[') { 4 } else { marker.len() }
}
