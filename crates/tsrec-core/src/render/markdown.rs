//! Content as Markdown: CommonMark 0.31 with GitHub's tables, strikethrough and footnotes.
//!
//! Headings, lists, tasks, quotes, code with its language, links, images, emphasis and tables of
//! data get Markdown's marks; layout tables do not. Markdown allows HTML for the rest: `<sup>`,
//! `<sub>`, and `<br>` in a cell. The text is that of [`text`](super::text), plus the quotation
//! marks that browsers add. Text that Markdown would read as a mark is escaped. A mark that
//! Markdown would not read is left out.

mod blocks;
mod escape;
mod inline;

use url::Url;

use self::blocks::MarkdownBlocks;
use super::alignment::ColumnSide;
use super::formula::Formula;
use super::images::Image;
use super::kept::Along;
use super::outline::{self, Output};
use super::runs::{BlockPlace, StyledRun};
use super::table::TableRows;
use crate::html::document::{Document, NodeId};
use crate::page::Content;

/// The content as Markdown, without a line break at its end. If `base` (the document base URL) is
/// known, links and images become absolute. URLs of schemes other than http, https and mailto are
/// dropped. Linear in the page, and in the depth of lists and quotes, which is limited.
pub fn markdown(document: &Document, content: &Content, base: Option<&Url>, along: Along) -> String {
    outline::write(document, content, base, along, MarkdownBlocks::default()).finish()
}

impl Output for MarkdownBlocks {
    fn inline(&self, runs: Vec<StyledRun>, links: &[String], place: BlockPlace) -> String {
        inline::write(runs, links, place)
    }

    fn image(&self, image: &Image<'_>, place: BlockPlace) -> String {
        let mut out = "![".to_owned();
        let alternative = image.alternative.split_whitespace().collect::<Vec<_>>().join(" ");
        escape::text(
            &mut out,
            &alternative,
            escape::Surroundings { in_table: place.is_cell, in_link: true, after: ']' },
        );
        out.push_str("](");
        escape::target(&mut out, &image.source);
        out.push(')');
        out
    }

    fn formula(&self, formula: Formula<'_>, place: BlockPlace) -> String {
        let mark = if formula.is_display { "$$" } else { "$" };
        format!("{mark}{}{mark}", escape::tex(formula.tex, place.is_cell))
    }

    fn reference(&self, label: &str) -> String {
        format!("[^{label}]")
    }

    fn task(&self, is_done: bool) -> String {
        if is_done { "[x]" } else { "[ ]" }.to_owned()
    }

    fn paragraph(&mut self, text: &str) {
        self.lines(&text.split('\n').map(str::to_owned).collect::<Vec<_>>());
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.lines(&[format!("{} {text}", "#".repeat(level))]);
    }

    fn code(&mut self, language: &str, text: &str) {
        let fence = "`".repeat((escape::longest_run(text, '`') + 1).max(3));
        let mut lines = vec![format!("{fence}{language}")];
        lines.extend(text.split('\n').map(|line| line.trim_end_matches('\r').to_owned()));
        lines.push(fence);
        self.lines(&lines);
    }

    /// A Markdown table must have a header: if the page has none, it is empty.
    fn table(&mut self, rows: &TableRows) {
        let columns = rows.cells.first().map_or(0, Vec::len);
        let mut lines: Vec<String> = rows.cells.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
        if !rows.has_header {
            lines.insert(0, format!("|{}", "  |".repeat(columns)));
        }
        let sides = rows.sides.iter().map(|side| match side {
            None => " --- |",
            Some(ColumnSide::Left) => " :--- |",
            Some(ColumnSide::Center) => " :---: |",
            Some(ColumnSide::Right) => " ---: |",
        });
        lines.insert(1, format!("|{}", sides.collect::<String>()));
        self.lines(&lines);
    }

    fn rule(&mut self) {
        self.rule_due();
    }

    fn quote(&mut self, node: NodeId) {
        self.open_quote(node);
    }

    fn list(&mut self, node: NodeId, first: Option<u64>) {
        self.open_list(node, first);
    }

    fn item(&mut self, node: NodeId, number: Option<u64>) {
        self.open_item(node, number);
    }

    fn note(&mut self, node: NodeId, label: &str) {
        self.open_note(node, label);
    }

    fn close(&mut self, node: NodeId) {
        self.close_at(node);
    }
}
