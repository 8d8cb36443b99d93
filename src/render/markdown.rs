//! Content as Markdown: CommonMark 0.31 with GitHub's tables, strikethrough and footnotes.
//!
//! Headings, lists, quotes, code with its language, links, images, emphasis and tables of data are written as such; tables that only lay out are not tables.
//! The text is that of [`text`](super::text): what Markdown would read as a mark is escaped, and a mark that would not be read as one is left out.

mod blocks;
mod escape;
mod inline;

use url::Url;

use self::blocks::Blocks;
use super::kept::{Along, Image, Kept};
use super::outline::{self, Output};
use super::runs::{Place, Run};
use crate::html::document::{Document, NodeId};
use crate::page::Content;

/// The content as Markdown, without a line break at its end. Links and images are made absolute against `base` (the document base URL), where one is known;
/// other schemes than http, https and mailto are dropped. Linear in the page, and in the depth of lists and quotes, which is bounded.
pub fn markdown(document: &Document, content: &Content, base: Option<&Url>, along: Along) -> String {
    outline::write(Kept::new(document, content, base, along), content, Blocks::default()).finish()
}

impl Output for Blocks {
    fn inline(&self, runs: Vec<Run>, links: &[String], place: Place) -> String {
        inline::write(runs, links, place)
    }

    fn image(&self, image: &Image<'_>, place: Place) -> String {
        let mut out = "![".to_owned();
        let alternative = image.alternative.split_whitespace().collect::<Vec<_>>().join(" ");
        escape::text(&mut out, &alternative, place.is_cell);
        out.push_str("](");
        escape::target(&mut out, &image.source);
        out.push(')');
        out
    }

    fn reference(&self, label: &str) -> String {
        format!("[^{label}]")
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

    /// The first row is the header: Markdown knows no table without.
    fn table(&mut self, rows: &[Vec<String>]) {
        let columns = rows.first().map_or(0, Vec::len);
        let mut lines: Vec<String> = rows.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
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

    fn item(&mut self, node: NodeId) {
        self.open_item(node);
    }

    fn note(&mut self, node: NodeId, label: &str) {
        self.open_note(node, label);
    }

    fn close(&mut self, node: NodeId) {
        self.close_at(node);
    }
}
