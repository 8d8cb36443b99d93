//! An extraction as text, HTML or JSON.

use std::io::Write;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::{Value, json};
use url::Url;

use super::explain::block_of_elements;
use crate::evidence::model::Reason;
use crate::extract::report::{failures, gates};
use crate::extract::{Extraction, Page};
use crate::html::{Paths, links, metadata};
use crate::render;

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The text, one block a line.
    Text,
    /// The text in the markup that carries meaning.
    Html,
    /// The text with CleanEval's marks: <h>, <p> or <l> before each block.
    Cleaneval,
    /// Content, method, gates, confidence, and a label for every element.
    Json,
}

/// An extraction with the page it was made from.
pub(super) struct Report<'r> {
    pub(super) name: &'r str,
    pub(super) url: Option<&'r Url>,
    pub(super) page: &'r Page<'r>,
    pub(super) extraction: &'r Extraction,
}

impl Report<'_> {
    pub(super) fn print(&self, format: Format) -> Result<()> {
        let (document, content) = (self.page.document(), &self.extraction.content);
        let output = match format {
            Format::Text => render::text::text(document, content),
            Format::Html => {
                let base = self.url.map(|url| links::base_url(document, url));
                render::html::html(document, content, base.as_ref())
            }
            Format::Cleaneval => self.cleaneval(),
            Format::Json => serde_json::to_string_pretty(&self.json())?,
        };
        writeln!(std::io::stdout().lock(), "{output}")?;
        Ok(())
    }

    /// As CleanEval had it, with the line that names the page where its address is known.
    fn cleaneval(&self) -> String {
        let name = self.url.map(|url| format!("URL: {url}\n\n")).unwrap_or_default();
        name + &self.extraction.cleaneval(self.page.document())
    }

    /// One line for a person, to standard error: how the content was found.
    pub(super) fn summarise(&self) -> Result<()> {
        let Extraction { method, confidence, attempts, content, notes, .. } = self.extraction;
        let mut out = std::io::stderr().lock();
        for attempt in attempts.iter().filter(|attempt| !attempt.passed()) {
            writeln!(out, "tsrec: {}: not compared with {}: {}", self.name, attempt.sibling, failures(attempt))?;
        }
        let with = self.extraction.sibling().map(|sibling| format!(" against {sibling}")).unwrap_or_default();
        let words = content.words(self.page.document());
        writeln!(out, "tsrec: {}: {words} words by {method}{with}, confidence {confidence:.2}", self.name)?;
        for note in notes {
            writeln!(out, "tsrec: {}: {note}", self.name)?;
        }
        let cuts: Vec<String> = self.page.document().cuts().iter().map(ToString::to_string).collect();
        if !cuts.is_empty() {
            writeln!(out, "tsrec: {}: the page is past a limit and was cut: {}", self.name, cuts.join(", "))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let (document, extraction) = (self.page.document(), self.extraction);
        let metadata = metadata::metadata(document);
        let canonical = self.url.and_then(|url| metadata.canonical_url(url)).map(String::from).or(metadata.canonical);
        let paths = Paths::new(document);
        let blocks = block_of_elements(self.page);
        let elements = self.page.sequence().elements.iter().enumerate().map(|(index, element)| {
            json!({
                "number": index + 1,
                "name": &*element.name,
                "begin": element.begin,
                "end": element.end,
                "parent": element.parent,
                "level": element.level,
                "label": extraction.labels[index],
                "partner": extraction.partners.get(index).copied().flatten().map(|partner| partner + 1),
                "probability": blocks[index].and_then(|block| extraction.likely.get(block)),
                "evidence": blocks[index].and_then(|block| extraction.reasons.get(block)).map(|of| evidence(of)),
                "path": paths.of(element.node),
            })
        });
        json!({
            "input": self.name,
            "url": self.url,
            "title": metadata.title,
            "canonical_url": canonical,
            "charset": document.encoding(),
            "cut": document.cuts(),
            "method": extraction.method,
            "sibling": extraction.sibling(),
            "confidence": extraction.confidence,
            "kind": extraction.kind.map(|(kind, _)| kind),
            "kind_probability": extraction.kind.map(|(_, probability)| probability),
            "gates": gates(&extraction.attempts),
            "notes": extraction.notes,
            "words": extraction.content.words(document),
            "text": render::text::text(document, &extraction.content),
            "elements": elements.collect::<Vec<_>>(),
        })
    }
}

/// The evidence that moved a block's score by a hundredth and more, for machines.
fn evidence(reasons: &[Reason]) -> Value {
    let told = reasons.iter().filter(|reason| reason.moves.abs() >= 0.01);
    told.map(|reason| {
        let Reason { column, value, moves } = reason;
        json!({ "name": column.name, "kind": column.kind, "value": (!value.is_nan()).then_some(value), "moves": moves })
    })
    .collect()
}

/// Writes a line of JSON Lines. The text is made first, so that a broken pipe stays an I/O error and is not one of JSON.
pub(super) fn json_line(out: &mut impl Write, value: &impl serde::Serialize) -> Result<()> {
    let line = serde_json::to_string(value)?;
    writeln!(out, "{line}")?;
    Ok(())
}
