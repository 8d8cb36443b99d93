//! The inside of a block: runs of text, each with one style. White space between two runs has their
//! common style.

use crate::html::is_space;

/// The style of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RunStyle {
    pub(super) strong: bool,
    pub(super) emphasis: bool,
    pub(super) deleted: bool,
    pub(super) code: bool,
    pub(super) superscript: bool,
    pub(super) subscript: bool,
    /// The number of a link within the block, from 1; 0 for none.
    pub(super) link: usize,
}

impl RunStyle {
    /// The style that both have.
    pub(super) fn common(self, other: RunStyle) -> RunStyle {
        RunStyle {
            strong: self.strong && other.strong,
            emphasis: self.emphasis && other.emphasis,
            deleted: self.deleted && other.deleted,
            code: self.code && other.code,
            superscript: self.superscript && other.superscript,
            subscript: self.subscript && other.subscript,
            link: if self.link == other.link { self.link } else { 0 },
        }
    }
}

/// The kind of a run.
#[derive(Clone, Debug)]
pub(super) enum RunKind {
    Text(String),
    /// Already in the output's markup: an image, a reference to a footnote.
    Raw(String),
    /// A quotation begins, within this many others.
    QuotationBegins(usize),
    /// It ends.
    QuotationEnds(usize),
    /// A line break within the block.
    Break,
}

/// Text of one style.
#[derive(Clone, Debug)]
pub(super) struct StyledRun {
    pub(super) what: RunKind,
    pub(super) style: RunStyle,
}

/// The runs of an unfinished block.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: Vec<StyledRun>,
    /// True if white space came after the last run.
    space: bool,
    /// The targets of the block's links.
    links: Vec<String>,
}

impl Runs {
    /// Adds a link and returns its number.
    pub(super) fn link(&mut self, target: String) -> usize {
        self.links.push(target);
        self.links.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// Adds text with folded white space.
    pub(super) fn text(&mut self, text: &str, style: RunStyle) {
        for word in text.split_inclusive(is_space) {
            let bare = word.trim_end_matches(is_space);
            if !bare.is_empty() {
                self.put_space(style);
                self.append(bare, style);
            }
            self.space |= bare.len() < word.len();
        }
    }

    pub(super) fn raw(&mut self, markup: String, style: RunStyle) {
        self.put_space(style);
        self.runs.push(StyledRun { what: RunKind::Raw(markup), style: RunStyle { code: false, ..style } });
    }

    /// Adds the beginning or the end of a quotation.
    pub(super) fn quotation(&mut self, what: RunKind, style: RunStyle) {
        self.put_space(style);
        self.runs.push(StyledRun { what, style: RunStyle { code: false, ..style } });
    }

    /// Adds our own mark directly after the text before it, without any white space.
    pub(super) fn touching(&mut self, mark: &str, style: RunStyle) {
        self.space = false;
        self.append(mark, style);
    }

    /// The last character, if the block ends with text so far.
    pub(super) fn last_character(&self) -> Option<char> {
        match &self.runs.last()?.what {
            RunKind::Text(text) if !self.space => text.chars().next_back(),
            _ => None,
        }
    }

    /// Removes an opening bracket that is all of the block so far. True if there was one.
    pub(super) fn take_bracket(&mut self) -> bool {
        let is_one = matches!(&*self.runs, [StyledRun { what: RunKind::Text(text), .. }] if text == "[");
        if is_one {
            self.runs.clear();
        }
        is_one
    }

    /// Adds a line break. True if it is the second in a row, which ends a paragraph.
    pub(super) fn line_break(&mut self) -> bool {
        self.space = false;
        match self.runs.last() {
            Some(StyledRun { what: RunKind::Break, .. }) => return true,
            Some(_) => self.runs.push(StyledRun { what: RunKind::Break, style: RunStyle::default() }),
            None => {}
        }
        false
    }

    fn put_space(&mut self, next: RunStyle) {
        let due = std::mem::take(&mut self.space);
        let Some(last) = self.runs.last() else { return };
        if due && !matches!(last.what, RunKind::Break) {
            let style = last.style.common(next);
            self.append(" ", style);
        }
    }

    fn append(&mut self, text: &str, style: RunStyle) {
        match self.runs.last_mut() {
            Some(StyledRun { what: RunKind::Text(last), style: same }) if *same == style => last.push_str(text),
            _ => self.runs.push(StyledRun { what: RunKind::Text(text.to_owned()), style }),
        }
    }

    /// Ends the block and returns its runs and link targets. A line break at the end is dropped.
    pub(super) fn take(&mut self) -> (Vec<StyledRun>, Vec<String>) {
        self.space = false;
        let mut runs = std::mem::take(&mut self.runs);
        while runs.last().is_some_and(|run| matches!(run.what, RunKind::Break)) {
            runs.pop();
        }
        (runs, std::mem::take(&mut self.links))
    }
}

/// Where a block stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockPlace {
    pub(super) is_heading: bool,
    pub(super) is_cell: bool,
}
