//! The content as an outline: headings, paragraphs, lists, quotes, code and tables, in the page's order, for whatever writes them.

use super::code::language;
use super::kept::{Image, Kept};
use super::notes::Notes;
use super::runs::{Place, Run, Runs, Style};
use super::table::Table;
use crate::html::document::{Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;
use crate::page::{Content, Piece};

/// What writes an outline. Text comes escaped from [`Output::inline`], and is never empty.
pub(super) trait Output {
    /// The inside of a block.
    fn inline(&self, runs: Vec<Run>, links: &[String], place: Place) -> String;
    /// An image within a block.
    fn image(&self, image: &Image<'_>, place: Place) -> String;
    /// A reference to a footnote, within a block.
    fn reference(&self, label: &str) -> String;
    /// A paragraph, of several lines maybe.
    fn paragraph(&mut self, text: &str);
    /// A heading of level 1 to 6.
    fn heading(&mut self, level: usize, text: &str);
    /// Preformatted text, as it is.
    fn code(&mut self, language: &str, text: &str);
    /// Rows of as many cells each; at least one row.
    fn table(&mut self, rows: &[Vec<String>]);
    /// A line across the page.
    fn rule(&mut self);
    /// What follows is a quote, until `close` of the same node; so with those below.
    fn quote(&mut self, node: NodeId);
    /// A list, with the number of its first item where they are numbered.
    fn list(&mut self, node: NodeId, first: Option<u64>);
    /// An item of the list that is open, or of one of its own.
    fn item(&mut self, node: NodeId);
    /// The text of a footnote.
    fn note(&mut self, node: NodeId, label: &str);
    /// Ends what was opened with a node, if anything was.
    fn close(&mut self, node: NodeId);
}

/// Writes the content. Linear in the page.
pub(super) fn write<O: Output>(kept: Kept<'_>, content: &Content, out: O) -> O {
    let document = kept.document;
    let notes = Notes::find(&kept);
    let mut walker = Walker {
        kept,
        notes,
        out,
        runs: Runs::default(),
        styles: Vec::new(),
        heading: None,
        code: None,
        table: None,
        skipped: None,
    };
    let mut pieces = content.pieces().iter().peekable();
    for edge in document.walk(document.root()) {
        match edge {
            Edge::Open(node) => match document.text(node) {
                Some(text) => walker.text(text, pieces.next_if(|piece| piece.node == node)),
                None => walker.open(node),
            },
            Edge::Close(node) if document.text(node).is_none() => walker.close(node),
            Edge::Close(_) => {}
        }
    }
    walker.end_paragraph();
    walker.out
}

struct Walker<'d, O> {
    kept: Kept<'d>,
    notes: Notes,
    out: O,
    runs: Runs,
    /// The style within each inline element that is open and has one.
    styles: Vec<(NodeId, Style)>,
    /// The heading that is open, and its level.
    heading: Option<(NodeId, usize)>,
    /// The preformatted text that is open: its element, its language, what it holds.
    code: Option<(NodeId, String, String)>,
    /// The table of data that is open.
    table: Option<Table>,
    /// An element whose text was written in another way.
    skipped: Option<NodeId>,
}

impl<O: Output> Walker<'_, O> {
    fn style(&self) -> Style {
        self.styles.last().map_or_else(Style::default, |(_, style)| *style)
    }

    fn text(&mut self, text: &str, piece: Option<&Piece>) {
        if self.skipped.is_some() {
            return;
        }
        let is_blank = text.chars().all(is_space);
        match (&mut self.code, piece) {
            (Some((_, _, code)), Some(piece)) => code.push_str(&text[piece.range.clone()]),
            (Some((_, _, code)), None) if is_blank && !code.is_empty() => code.push_str(text),
            (None, Some(piece)) => {
                let style = self.style();
                // A segmentation cuts at words: what stood around them still keeps them apart.
                if text[..piece.range.start].ends_with(is_space) {
                    self.runs.space();
                }
                self.runs.text(&text[piece.range.clone()], style);
                if text[piece.range.end..].starts_with(is_space) {
                    self.runs.space();
                }
            }
            (None, None) if is_blank => self.runs.space(),
            _ => {}
        }
    }

    fn open(&mut self, node: NodeId) {
        let document = self.kept.document;
        let Some(name) = document.local_name(node) else { return };
        if self.skipped.is_some() {
            return;
        }
        if let Some((_, _, code)) = &mut self.code {
            if &**name == "br" || default_display(name) == DefaultDisplay::Block {
                end_line(code, &**name == "br");
            }
            return;
        }
        match default_display(name) {
            DefaultDisplay::Block => self.separate(),
            DefaultDisplay::LineBreak => {
                if self.table.is_none() && self.runs.line_break() {
                    self.separate();
                }
                self.runs.space();
            }
            DefaultDisplay::Replaced => self.replaced(node),
            _ => {}
        }
        if self.kept.holds(node) {
            self.begin(node, name);
        } else if &**name == "hr" && self.table.is_none() && self.heading.is_none() {
            self.out.rule();
        }
    }

    /// Begins what an element that holds kept text means.
    fn begin(&mut self, node: NodeId, name: &str) {
        if let Some(label) = self.notes.reference(node) {
            let mark = self.out.reference(label);
            self.runs.raw(mark, Style { link: 0, ..self.style() });
            self.skipped = Some(node);
        } else if self.notes.is_way_back(node) {
            self.skipped = Some(node);
        } else if let Some(style) = self.inline(node, name) {
            self.styles.push((node, style));
        } else if self.table.is_none() && self.heading.is_none() {
            self.begin_block(node, name);
        }
    }

    fn begin_block(&mut self, node: NodeId, name: &str) {
        let document = self.kept.document;
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.heading = Some((node, usize::from(name.as_bytes()[1] - b'0')));
            }
            "pre" => self.code = Some((node, language(document, node), String::new())),
            "table" => self.table = Table::of_data(&self.kept, node),
            "blockquote" => self.out.quote(node),
            "ul" | "menu" | "dir" => self.out.list(node, None),
            "ol" => {
                let start = document.attribute(node, "start").and_then(|start| start.trim().parse().ok());
                self.out.list(node, Some(start.unwrap_or(1)));
            }
            _ => match self.notes.note(node) {
                Some(label) => self.out.note(node, label),
                None if name == "li" => self.out.item(node),
                None => {}
            },
        }
    }

    /// The style within an inline element, if it changes any.
    fn inline(&mut self, node: NodeId, name: &str) -> Option<Style> {
        let style = self.style();
        Some(match name {
            "b" | "strong" | "dt" | "th" if self.table.is_none() || name == "b" || name == "strong" => {
                Style { strong: true, ..style }
            }
            "i" | "em" | "cite" | "dfn" => Style { emphasis: true, ..style },
            "del" | "s" | "strike" => Style { deleted: true, ..style },
            "code" | "samp" | "kbd" | "tt" => Style { code: true, ..style },
            "a" => {
                let target = self.kept.link(node)?;
                Style { link: self.runs.link(target), ..style }
            }
            _ => return None,
        })
    }

    fn replaced(&mut self, node: NodeId) {
        self.runs.space();
        let Some(image) = self.kept.image(node) else { return };
        let markup = self.out.image(&image, self.place());
        let style = self.style();
        self.runs.raw(markup, Style { link: style.link, ..Style::default() });
        self.runs.space();
    }

    fn close(&mut self, node: NodeId) {
        if let Some(skipped) = self.skipped {
            if skipped == node {
                self.skipped = None;
            }
            return;
        }
        if let Some((_, language, text)) = self.code.take_if(|(code, _, _)| *code == node) {
            let text = text.trim_start_matches('\n').trim_end();
            if !text.is_empty() {
                self.out.code(&language, text);
            }
        }
        let Some(name) = self.kept.document.local_name(node) else { return };
        if let Some((_, _, code)) = &mut self.code {
            if default_display(name) == DefaultDisplay::Block {
                end_line(code, false);
            }
            return;
        }
        if let Some(table) = &mut self.table {
            match &**name {
                "td" | "th" => {
                    let (runs, links) = take_runs(&self.kept, &mut self.runs, &mut self.styles);
                    let text = self.out.inline(runs, &links, Place { is_cell: true, is_heading: false });
                    table.cell(self.kept.document, node, text);
                }
                "tr" => table.end_row(),
                // It stands before the rows.
                "caption" => {
                    let (runs, links) = take_runs(&self.kept, &mut self.runs, &mut self.styles);
                    let text = self.out.inline(runs, &links, Place::default());
                    if !text.is_empty() {
                        self.out.paragraph(&text);
                    }
                }
                _ => {}
            }
        }
        if let Some(table) = self.table.take_if(|table| table.node == node) {
            let rows = table.finish();
            if !rows.is_empty() {
                self.out.table(&rows);
            }
        }
        if default_display(name) == DefaultDisplay::Block {
            self.separate();
        }
        if self.heading.is_some_and(|(heading, _)| heading == node) {
            self.end_paragraph();
            self.heading = None;
        }
        while self.styles.last().is_some_and(|(styled, _)| *styled == node) {
            self.styles.pop();
        }
        self.out.close(node);
    }

    /// The boundary of a block, which in a heading or a cell is but a space.
    fn separate(&mut self) {
        match self.heading.is_some() || self.table.is_some() {
            true => self.runs.space(),
            false => self.end_paragraph(),
        }
    }

    fn place(&self) -> Place {
        Place { is_heading: self.heading.is_some(), is_cell: self.table.is_some() }
    }

    fn end_paragraph(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let (runs, links) = take_runs(&self.kept, &mut self.runs, &mut self.styles);
        let text = self.out.inline(runs, &links, self.place());
        match self.heading {
            _ if text.is_empty() => {}
            Some((_, level)) => self.out.heading(level, &text),
            None => self.out.paragraph(&text),
        }
    }
}

/// Ends a block or a cell: its runs, and where their links lead. Links that are open go on in the next.
fn take_runs(kept: &Kept<'_>, runs: &mut Runs, styles: &mut [(NodeId, Style)]) -> (Vec<Run>, Vec<String>) {
    let taken = runs.take();
    for (node, style) in styles {
        if style.link > 0 {
            style.link = 0;
            let target = kept.document.ancestors(*node).find_map(|around| kept.link(around));
            style.link = kept.link(*node).or(target).map_or(0, |target| runs.link(target));
        }
    }
    taken
}

/// Ends a line of preformatted text: a block ends it once, a line break each time.
fn end_line(code: &mut String, always: bool) {
    if !code.is_empty() && (always || !code.ends_with('\n')) {
        code.push('\n');
    }
}
