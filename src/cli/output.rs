//! An extraction as text, HTML or JSON.

use std::io::Write;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};
use url::Url;

use super::explain::block_of_elements;
use crate::evidence::model::Reason;
use crate::extract::beside::Beside;
use crate::extract::report::{failures, gates};
use crate::extract::{Extraction, Page};
use crate::html::{Paths, links, metadata};
use crate::render::tei::Header;
use crate::render::{self, Along};

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The text, one block a line.
    Text,
    /// The text in the markup that carries meaning, safe to be shown anywhere: no scripts, no styles, links of harmless schemes alone.
    Html,
    /// The text as CommonMark, with GitHub's tables and footnotes.
    Markdown,
    /// The text as a TEI document, for corpora.
    Tei,
    /// The text with CleanEval's marks: <h>, <p> or <l> before each block.
    Cleaneval,
    /// Content, method, gates, confidence, and a label for every element.
    Json,
}

impl Format {
    /// The name of the content in a JSON object.
    pub(super) fn field(self) -> &'static str {
        match self {
            Format::Text | Format::Json => "text",
            Format::Html => "html",
            Format::Markdown => "markdown",
            Format::Tei => "tei",
            Format::Cleaneval => "cleaneval",
        }
    }

    /// What the names of its files end with.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Format::Text | Format::Cleaneval => "txt",
            Format::Html => "html",
            Format::Markdown => "md",
            Format::Tei => "xml",
            Format::Json => "json",
        }
    }
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// What goes along with the text in formats that have markup.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ShapeArgs {
    /// With --format markdown, html or tei: whether links say where they lead.
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "on|off", hide_possible_values = true)]
    links: Switch,
    /// With --format markdown, html or tei: whether images amid the text are there, with their alternative text.
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "on|off", hide_possible_values = true)]
    images: Switch,
    /// With --format markdown: begin with what is known of the page, as YAML.
    #[arg(long)]
    front_matter: bool,
}

/// The same, checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    along: Along,
    front_matter: bool,
}

impl ShapeArgs {
    /// For this format.
    ///
    /// # Errors
    ///
    /// When it is none that they go with.
    pub(super) fn check(&self, format: Format) -> Result<Shape> {
        let along = Along { links: self.links == Switch::On, images: self.images == Switch::On };
        let has_markup = matches!(format, Format::Markdown | Format::Html | Format::Tei);
        ensure!(
            has_markup || along == Along::default(),
            "--links and --images are for --format markdown, html and tei"
        );
        ensure!(!self.front_matter || format == Format::Markdown, "--front-matter is for --format markdown");
        Ok(Shape { along, front_matter: self.front_matter })
    }
}

/// What a text can have beside the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum With {
    /// The title, where the content does not begin with it.
    Title,
    /// Who wrote it.
    Byline,
    /// When it was published.
    Date,
    /// What readers said, after the content.
    Comments,
}

/// Which of them it has.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct WithArgs {
    /// With --format text: print these beside the content, each where the page has it; several with commas between. JSON has all
    /// of them anyway.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FIELDS")]
    with: Vec<With>,
}

impl WithArgs {
    /// For this format.
    ///
    /// # Errors
    ///
    /// When it is none that they go with.
    pub(super) fn check(&self, format: Format) -> Result<&[With]> {
        ensure!(
            self.with.is_empty() || format == Format::Text,
            "--with is for --format text: JSON has every field, others have the content alone"
        );
        Ok(&self.with)
    }
}

/// An extraction with the page it was made from.
pub(super) struct Report<'r> {
    pub(super) name: &'r str,
    pub(super) url: Option<&'r Url>,
    pub(super) page: &'r Page<'r>,
    pub(super) extraction: &'r Extraction,
    /// What the text has beside the content.
    pub(super) with: &'r [With],
    /// What goes along with it.
    pub(super) shape: Shape,
}

impl Report<'_> {
    pub(super) fn print(&self, format: Format) -> Result<()> {
        let output = match format {
            Format::Json => serde_json::to_string_pretty(&self.json())?,
            format => self.content(format),
        };
        writeln!(std::io::stdout().lock(), "{output}")?;
        Ok(())
    }

    /// The content in a format; for JSON, which has more, its text.
    pub(super) fn content(&self, format: Format) -> String {
        let (document, content) = (self.page.document(), &self.extraction.content);
        let base = self.url.map(|url| links::base_url(document, url));
        let along = self.shape.along;
        match format {
            Format::Text | Format::Json => self.text(),
            Format::Html => render::html::html(document, content, base.as_ref(), along),
            Format::Markdown => {
                self.front_matter() + &render::markdown::markdown(document, content, base.as_ref(), along)
            }
            Format::Tei => render::tei::tei(document, content, base.as_ref(), along, &self.header()),
            Format::Cleaneval => self.cleaneval(),
        }
    }

    /// What is known of the page, as YAML between lines of dashes; nothing where it was not asked for.
    fn front_matter(&self) -> String {
        if self.shape.front_matter { front_matter(&self.fields()) } else { String::new() }
    }

    fn header(&self) -> Header {
        let metadata = metadata::metadata(self.page.document());
        let Beside { byline, date, .. } = Beside::of(self.page, &metadata, &self.extraction.content);
        Header {
            title: metadata.title,
            authors: byline.into_iter().collect(),
            published: date,
            site: self.url.and_then(|url| url.host_str()).map(str::to_owned),
            url: self.url.map(Url::to_string),
            language: metadata.language,
        }
    }

    /// The content, and what was asked for beside it, with blank lines between.
    fn text(&self) -> String {
        let document = self.page.document();
        let content = render::text::text(document, &self.extraction.content);
        if self.with.is_empty() {
            return content;
        }
        let metadata = metadata::metadata(document);
        let Beside { byline, date, comments } = Beside::of(self.page, &metadata, &self.extraction.content);
        let same_line = |title: &String| {
            let first = content.lines().next().unwrap_or_default();
            first.to_lowercase() == title.to_lowercase()
        };
        let asked =
            |field, value: Option<String>| value.filter(|value| self.with.contains(&field) && !value.is_empty());
        let title = asked(With::Title, metadata.title).filter(|title| !same_line(title));
        let comments = asked(With::Comments, Some(render::text::text(document, &comments)));
        let before = [title, asked(With::Byline, byline), asked(With::Date, date)];
        before.into_iter().flatten().chain([content.clone()]).chain(comments).collect::<Vec<_>>().join("\n\n")
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
        let known = match self.extraction.remembered {
            0 => String::new(),
            pages => format!(", {pages} other page{} known", if pages == 1 { "" } else { "s" }),
        };
        writeln!(out, "tsrec: {}: {words} words by {method}{with}{known}, confidence {confidence:.2}", self.name)?;
        for note in notes {
            writeln!(out, "tsrec: {}: {note}", self.name)?;
        }
        let cuts: Vec<String> = self.page.document().cuts().iter().map(ToString::to_string).collect();
        if !cuts.is_empty() {
            writeln!(out, "tsrec: {}: the page is past a limit and was cut: {}", self.name, cuts.join(", "))?;
        }
        Ok(())
    }

    /// All that is known, for machines.
    pub(super) fn json(&self) -> Value {
        let mut all = self.fields();
        all["text"] = render::text::text(self.page.document(), &self.extraction.content).into();
        all["elements"] = self.elements();
        all
    }

    /// The same without the text, and without its elements, which are most of it.
    pub(super) fn fields(&self) -> Value {
        let (document, extraction) = (self.page.document(), self.extraction);
        let metadata = metadata::metadata(document);
        let Beside { byline, date, comments } = Beside::of(self.page, &metadata, &extraction.content);
        let canonical = self.url.and_then(|url| metadata.canonical_url(url)).map(String::from).or(metadata.canonical);
        json!({
            "input": self.name,
            "url": self.url,
            "title": metadata.title,
            "byline": byline,
            "date": date,
            "comments": render::text::text(document, &comments),
            "canonical_url": canonical,
            "charset": document.encoding(),
            "cut": document.cuts(),
            "method": extraction.method,
            "sibling": extraction.sibling(),
            "remembered": extraction.remembered,
            "confidence": extraction.confidence,
            "kind": extraction.kind.map(|(kind, _)| kind),
            "kind_probability": extraction.kind.map(|(_, probability)| probability),
            "gates": gates(&extraction.attempts),
            "notes": extraction.notes,
            "words": extraction.content.words(document),
        })
    }

    /// What was made of each element.
    fn elements(&self) -> Value {
        let (document, extraction) = (self.page.document(), self.extraction);
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
        elements.collect()
    }
}

/// The fields of a page that say what it is, in this order.
const FRONT_MATTER: [&str; 7] = ["title", "byline", "date", "url", "canonical_url", "kind", "confidence"];

/// Fields as YAML, of which JSON's values are a part, between lines of dashes; those that are empty are left out.
pub(super) fn front_matter(fields: &Value) -> String {
    let known = FRONT_MATTER.iter().filter(|name| !fields[**name].is_null());
    let lines: String = known.map(|name| format!("{name}: {}\n", fields[*name])).collect();
    format!("---\n{lines}---\n\n")
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
