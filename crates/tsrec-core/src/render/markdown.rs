//! Content as Markdown: CommonMark 0.31 with GitHub's tables, strikethrough and footnotes.
//!
//! Headings, lists, tasks, quotes, code with its language, links, images, emphasis and tables of
//! data are written as such; tables that only lay out are not tables. What Markdown has no marks
//! for is in HTML, as it allows: `<sup>`, `<sub>`, and `<br>` in a cell. The text is that of
//! [`text`](super::text), with the marks of quotations, which browsers add: what Markdown would
//! read as a mark is escaped, and a mark that would not be read as one is left out.

mod blocks;
mod escape;
mod inline;

use url::Url;

use self::blocks::MarkdownBlocks;
use super::kept::{Along, Image};
use super::outline::{self, Output};
use super::runs::{BlockPlace, StyledRun};
use super::table::TableRows;
use crate::html::document::{Document, NodeId};
use crate::page::Content;

/// The content as Markdown, without a line break at its end. Links and images are made absolute
/// against `base` (the document base URL), where one is known; other schemes than http, https and
/// mailto are dropped. Linear in the page, and in the depth of lists and quotes, which is bounded.
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

    /// Markdown knows no table without a header: where the page has none it is empty.
    fn table(&mut self, rows: &TableRows) {
        let columns = rows.cells.first().map_or(0, Vec::len);
        let mut lines: Vec<String> = rows.cells.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
        if !rows.has_header {
            lines.insert(0, format!("|{}", "  |".repeat(columns)));
        }
        lines.insert(1, format!("|{}", " --- |".repeat(columns)));
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
