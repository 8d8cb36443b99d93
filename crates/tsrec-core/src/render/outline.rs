//! The content as an outline for all outline formats: headings, paragraphs, lists, quotes, code and
//! tables, in the page's order.

use url::Url;

use super::code::Code;
use super::formula::{self, Formula, FormulaPart};
use super::images::{self, Image, is_image};
use super::items;
use super::kept::{Along, KeptContent};
use super::language::language;
use super::notes::Notes;
use super::quotations::has_marks;
use super::runs::{BlockPlace, RunKind, RunStyle, Runs, StyledRun};
use super::table::{Table, TableRows};
use super::written::{Pieces, WrittenText, written};
use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;
use crate::page::Content;

/// Writes an outline in one format. Text arrives escaped by [`Output::inline`], and is never empty.
pub(super) trait Output {
    /// The inside of a block.
    fn inline(&self, runs: Vec<StyledRun>, links: &[String], place: BlockPlace) -> String;
    /// An image within a block.
    fn image(&self, image: &Image<'_>, place: BlockPlace) -> String;
    /// A formula within a block.
    fn formula(&self, formula: Formula<'_>, place: BlockPlace) -> String;
    /// A reference to a footnote, within a block.
    fn reference(&self, label: &str) -> String;
    /// The box of a task, ticked or not, before its text.
    fn task(&self, is_done: bool) -> String;
    /// A paragraph of one or more lines.
    fn paragraph(&mut self, text: &str);
    /// A heading of level 1 to 6.
    fn heading(&mut self, level: usize, text: &str);
    /// Preformatted text, unescaped.
    fn code(&mut self, language: &str, text: &str);
    /// A table of at least one row.
    fn table(&mut self, rows: &TableRows);
    /// A line across the page.
    fn rule(&mut self);
    /// A quote begins. It ends at `close` of the same node; so do the containers below.
    fn quote(&mut self, node: NodeId);
    /// A list, with the number of its first item if they are numbered.
    fn list(&mut self, node: NodeId, first: Option<u64>);
    /// An item of the open list, or of a new one, with the number that the page gives it.
    fn item(&mut self, node: NodeId, number: Option<u64>);
    /// The text of a footnote.
    fn note(&mut self, node: NodeId, label: &str);
    /// Ends what was opened for a node, if anything.
    fn close(&mut self, node: NodeId);
}

/// Writes the content, with links and images absolute against `base`. Linear in the page.
pub(super) fn write<O: Output>(document: &Document, content: &Content, base: Option<&Url>, along: Along, out: O) -> O {
    let content = written(document, content);
    let kept = KeptContent::new(document, &content, base, along);
    let notes = Notes::find(&kept);
    let mut walker = OutlineWalker {
        kept,
        notes,
        out,
        runs: Runs::default(),
        styles: Vec::new(),
        quotations: Vec::new(),
        annotation: None,
        reversed: Vec::new(),
        task: None,
        heading: None,
        code: None,
        table: None,
        skipped: None,
        is_bracketed: false,
    };
    let mut pieces = Pieces::new(document, &content);
    for edge in document.walk(document.root()) {
        match edge {
            Edge::Open(node) => match document.text(node) {
                Some(text) => walker.text(text, pieces.at(node)),
                None => walker.open(node),
            },
            Edge::Close(node) if document.text(node).is_none() => walker.close(node),
            Edge::Close(_) => {}
        }
    }
    walker.end_paragraph();
    walker.out
}

struct OutlineWalker<'d, O> {
    kept: KeptContent<'d>,
    notes: Notes,
    out: O,
    runs: Runs,
    /// The open inline elements that have a style, each with the style within it.
    styles: Vec<(NodeId, RunStyle)>,
    /// The open quotations, with the style around each. Those begun in this block come first.
    quotations: Vec<Quotation>,
    /// The open ruby annotation, and whether it has begun.
    annotation: Option<(NodeId, bool)>,
    /// The open lists that count down, each with the number of its next item.
    reversed: Vec<(NodeId, u64)>,
    /// The box of a task, until its text begins.
    task: Option<String>,
    /// The open heading and its level.
    heading: Option<(NodeId, usize)>,
    /// The open preformatted text: element, language, text.
    code: Option<(NodeId, String, Code)>,
    /// The open table of data.
    table: Option<Table>,
    /// An element whose text was already written in another way.
    skipped: Option<NodeId>,
    /// True after the number of a note, of which the opening bracket was taken back.
    is_bracketed: bool,
}

/// A quotation within a line.
struct Quotation {
    node: NodeId,
    style: RunStyle,
    /// True once some of its text is written.
    is_begun: bool,
}

impl<O: Output> OutlineWalker<'_, O> {
    fn style(&self) -> RunStyle {
        self.styles.last().map_or_else(RunStyle::default, |(_, style)| *style)
    }

    fn text(&mut self, text: &str, piece: Option<WrittenText<'_>>) {
        if self.skipped.is_some() {
            return;
        }
        let is_blank = text.chars().all(is_space);
        match (&mut self.code, piece) {
            (Some((_, _, code)), Some(piece)) => code.text(&piece.text),
            (Some((_, _, code)), None) if is_blank => code.text(text),
            (None, Some(piece)) => self.piece(&piece),
            (None, None) if is_blank => self.runs.space(),
            _ => {}
        }
    }

    fn piece(&mut self, piece: &WrittenText<'_>) {
        if piece.begins_paragraph {
            self.separate();
        }
        let style = self.style();
        if piece.is_apart_before {
            self.runs.space();
        }
        let text = Some(&*piece.text).filter(|_| std::mem::take(&mut self.is_bracketed));
        let text = text.and_then(|text| text.strip_prefix(']')).unwrap_or(&piece.text);
        if !text.chars().all(is_space) {
            self.begin_inline(style);
        }
        let parts = if style.code { vec![FormulaPart::Text(text)] } else { formula::parts(text) };
        for part in parts {
            match part {
                FormulaPart::Text(text) => self.runs.text(text, style),
                FormulaPart::Formula(formula) => {
                    let markup = self.out.formula(formula, self.place());
                    self.runs.raw(markup, style);
                }
            }
        }
        if piece.is_apart_after {
            self.runs.space();
        }
    }

    /// Writes what must come before the next text.
    fn begin_inline(&mut self, style: RunStyle) {
        if let Some(task) = self.task.take() {
            self.runs.raw(task, RunStyle::default());
            self.runs.space();
        }
        for (depth, quotation) in self.quotations.iter_mut().enumerate().filter(|(_, one)| !one.is_begun) {
            quotation.is_begun = true;
            self.runs.quotation(RunKind::QuotationBegins(depth), style.common(quotation.style));
        }
        if let Some((_, is_begun @ false)) = &mut self.annotation {
            *is_begun = true;
            self.runs.touching("(", style);
        }
    }

    fn open(&mut self, node: NodeId) {
        let document = self.kept.document;
        let Some(name) = document.local_name(node) else { return };
        if self.skipped.is_some() {
            return;
        }
        if let Some((_, _, code)) = &mut self.code {
            code.boundary(name);
            return;
        }
        match default_display(name) {
            DefaultDisplay::Block => self.separate(),
            DefaultDisplay::LineBreak => {
                if self.runs.line_break() {
                    self.separate();
                }
                self.runs.space();
            }
            DefaultDisplay::Replaced => self.replaced(node),
            _ if is_image(name) => self.replaced(node),
            _ => {}
        }
        if self.kept.holds(node) {
            self.begin(node, name);
        } else if &**name == "hr" && self.table.is_none() && self.heading.is_none() && self.kept.holds_around(node) {
            self.out.rule();
        }
    }

    /// Begins an element that holds kept text.
    fn begin(&mut self, node: NodeId, name: &str) {
        if let Some(label) = self.notes.reference(node) {
            let mark = self.out.reference(label);
            self.runs.raw(mark, RunStyle { link: 0, ..self.style() });
            self.skipped = Some(node);
        } else if self.notes.is_way_back(node) {
            self.skipped = Some(node);
            self.is_bracketed = self.runs.take_bracket();
        } else if let Some(formula) = formula::of_element(self.kept.document, node) {
            let style = self.style();
            self.begin_inline(style);
            let markup = self.out.formula(formula, self.place());
            self.runs.raw(markup, style);
            self.skipped = Some(node);
        } else if name == "q" && !has_marks(self.kept.document, node, self.runs.last_character()) {
            self.quotations.push(Quotation { node, style: self.style(), is_begun: false });
        } else if name == "rt" && self.annotation.is_none() {
            self.annotation = Some((node, false));
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
                self.heading = Some((node, level_of(name)));
            }
            "pre" => self.code = Some((node, language(document, node), Code::default())),
            "table" => self.table = Table::of_data(&self.kept, node),
            "blockquote" => self.out.quote(node),
            "ul" | "menu" | "dir" => self.out.list(node, None),
            "ol" => {
                let first = u64::from(items::first(document, node));
                if items::is_reversed(document, node) {
                    self.reversed.push((node, first));
                }
                self.out.list(node, Some(first));
            }
            _ => match self.notes.note(node) {
                Some(label) => self.out.note(node, label),
                None if name == "li" => {
                    let number = self.number(node);
                    self.out.item(node, number);
                }
                None => {}
            },
        }
    }

    /// The number that the page gives an item.
    fn number(&mut self, item: NodeId) -> Option<u64> {
        let given = items::number(self.kept.document, item, "value").map(u64::from);
        let list = self.kept.document.parent(item);
        let Some((_, next)) = self.reversed.last_mut().filter(|(node, _)| Some(*node) == list) else { return given };
        let number = given.unwrap_or(*next);
        *next = number.saturating_sub(1);
        Some(number)
    }

    /// The style within an inline element, if it changes any.
    fn inline(&mut self, node: NodeId, name: &str) -> Option<RunStyle> {
        let style = self.style();
        Some(match name {
            // A mark in the middle of code would cut it.
            "b" | "strong" | "i" | "em" | "cite" | "dfn" | "del" | "s" | "strike" if style.code => return None,
            "b" | "strong" | "dt" | "th" if self.table.is_none() || name == "b" || name == "strong" => {
                RunStyle { strong: true, ..style }
            }
            "i" | "em" | "cite" | "dfn" => RunStyle { emphasis: true, ..style },
            "del" | "s" | "strike" => RunStyle { deleted: true, ..style },
            "code" | "samp" | "kbd" | "tt" => RunStyle { code: true, ..style },
            "pre" if self.table.is_some() => RunStyle { code: true, ..style },
            "sup" if !self.notes.raises_reference(node) => RunStyle { superscript: true, ..style },
            "sub" => RunStyle { subscript: true, ..style },
            "a" => {
                let target = self.kept.link(node)?;
                RunStyle { link: self.runs.link(target), ..style }
            }
            _ => return None,
        })
    }

    fn replaced(&mut self, node: NodeId) {
        self.runs.space();
        if let Some(is_done) = items::task(self.kept.document, node).filter(|_| self.is_in_kept_item(node)) {
            self.task = Some(self.out.task(is_done));
        }
        let Some(image) = self.kept.image(node) else { return };
        let markup = match images::is_emoji(self.kept.document, node, &image.alternative) {
            true => image.alternative.to_string(),
            false => self.out.image(image, self.place()),
        };
        let style = self.style();
        self.runs.raw(markup, RunStyle { link: style.link, ..RunStyle::default() });
        self.runs.space();
    }

    fn close(&mut self, node: NodeId) {
        if let Some(skipped) = self.skipped {
            if skipped == node {
                self.skipped = None;
            }
            return;
        }
        if let Some((_, language, code)) = self.code.take_if(|(code, _, _)| *code == node) {
            let text = code.finish();
            if !text.is_empty() {
                self.out.code(&language, text);
            }
        }
        let Some(name) = self.kept.document.local_name(node) else { return };
        if let Some((_, _, code)) = &mut self.code {
            if default_display(name) == DefaultDisplay::Block {
                code.boundary(name);
            }
            return;
        }
        self.close_inline(node);
        self.close_in_table(node, name);
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
        self.task = self.task.take().filter(|_| &**name != "li");
        self.reversed.pop_if(|(list, _)| *list == node);
        self.out.close(node);
    }

    /// Ends what was written for an element within a block.
    fn close_inline(&mut self, node: NodeId) {
        let style = self.style();
        if self.quotations.pop_if(|quotation| quotation.node == node).is_some_and(|quotation| quotation.is_begun) {
            self.runs.quotation(RunKind::QuotationEnds(self.quotations.len()), style);
        }
        if self.annotation.take_if(|(annotation, _)| *annotation == node).is_some_and(|(_, is_begun)| is_begun) {
            self.runs.touching(")", style);
        }
    }

    /// Ends a part of the open table, or the table.
    fn close_in_table(&mut self, node: NodeId, name: &str) {
        if self.table.is_none() {
            return;
        }
        let place = BlockPlace { is_cell: name != "caption", is_heading: false };
        let text = if matches!(name, "td" | "th" | "caption") { self.inside(place) } else { String::new() };
        let Some(table) = &mut self.table else { return };
        match name {
            "td" | "th" => table.cell(self.kept.document, node, text),
            "tr" => table.end_row(),
            // It comes before the rows.
            "caption" if !text.is_empty() => match heading_in(self.kept.document, node) {
                Some(level) => self.out.heading(level, &text),
                None => self.out.paragraph(&text),
            },
            _ => {}
        }
        if let Some(table) = self.table.take_if(|table| table.node == node) {
            let rows = table.finish();
            if !rows.cells.is_empty() {
                self.out.table(&rows);
            }
        }
    }

    /// The boundary of a block. In a heading it is only a space, in a cell a line break.
    fn separate(&mut self) {
        if self.heading.is_some() {
            self.runs.space();
        } else if self.table.is_some() {
            self.runs.line_break();
        } else {
            self.end_paragraph();
        }
    }

    /// Whether the list item around a node holds kept text.
    fn is_in_kept_item(&self, node: NodeId) -> bool {
        let document = self.kept.document;
        let item = document.ancestors(node).find(|&around| document.is_element(around, "li"));
        item.is_some_and(|item| self.kept.holds(item))
    }

    fn place(&self) -> BlockPlace {
        BlockPlace { is_heading: self.heading.is_some(), is_cell: self.table.is_some() }
    }

    fn end_paragraph(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let text = self.inside(self.place());
        match self.heading {
            _ if text.is_empty() => {}
            Some((_, level)) => self.out.heading(level, &text),
            None => self.out.paragraph(&text),
        }
    }

    /// Ends a block or a cell and returns its text. Quotations and annotations end with it; open
    /// links go on in the next.
    fn inside(&mut self, place: BlockPlace) -> String {
        let style = self.style();
        let begun = self.quotations.iter().take_while(|quotation| quotation.is_begun).count();
        for depth in (0..begun).rev() {
            self.runs.quotation(RunKind::QuotationEnds(depth), style);
        }
        self.quotations.drain(..begun);
        if self.annotation.take_if(|(_, is_begun)| *is_begun).is_some() {
            self.runs.touching(")", style);
        }
        let (runs, links) = self.runs.take();
        for (node, style) in &mut self.styles {
            if style.link > 0 {
                style.link = 0;
                let target = self.kept.document.ancestors(*node).find_map(|around| self.kept.link(around));
                style.link = self.kept.link(*node).or(target).map_or(0, |target| self.runs.link(target));
            }
        }
        self.out.inline(runs, &links, place)
    }
}

/// The level of a heading.
fn level_of(name: &str) -> usize {
    name.as_bytes().get(1).map_or(1, |digit| usize::from(digit.saturating_sub(b'0')))
}

/// The level of the heading that a caption is.
fn heading_in(document: &Document, caption: NodeId) -> Option<usize> {
    let mut below = document.descendants(caption);
    below.find(|&node| document.is_heading(node)).and_then(|heading| document.name(heading)).map(level_of)
}
