//! An extraction as text, HTML or JSON.

use std::io::Write;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};
use url::Url;

use super::explain::block_of_elements;
use crate::evidence::model::Reason;
use crate::extract::beside;
use crate::extract::report::{failures, gates};
use crate::extract::{Extraction, Page};
use crate::html::{Paths, links};
use crate::metadata::Described;
use crate::page::identity;
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
    /// Who wrote it, with commas between.
    #[value(alias = "byline")]
    Authors,
    /// When it was published.
    #[value(alias = "date")]
    Published,
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
    /// Whether JSON says where the metadata were found.
    pub(super) explain: bool,
    /// What was read of its siblings.
    pub(super) siblings: &'r [Described],
}

impl Report<'_> {
    /// What is said of the page, each value with where it was found.
    pub(super) fn metadata(&self) -> Described {
        beside::metadata(self.page, self.extraction.kind, self.siblings)
    }

    /// The metadata as one JSON object: the names of its fields are those of every other JSON. Explained, with where
    /// each value was found.
    pub(super) fn print_metadata(&self, explain: bool) -> Result<()> {
        let described = self.metadata();
        let mut object = serde_json::to_value(&described.metadata)?;
        object["kind"] = json!(self.extraction.kind.map(|(kind, _)| kind));
        if explain {
            object["sources"] = json!(described.sources);
            object["language_confidence"] = json!(described.language_confidence);
            object["kind_probability"] = json!(self.extraction.kind.map(|(_, probability)| probability));
        }
        writeln!(std::io::stdout().lock(), "{}", serde_json::to_string_pretty(&object)?)?;
        Ok(())
    }

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
        let metadata = self.metadata().metadata;
        Header {
            title: metadata.title,
            authors: metadata.authors,
            published: metadata.published,
            site: metadata.site_name.or_else(|| self.url.and_then(|url| url.host_str()).map(str::to_owned)),
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
        let Described { metadata, .. } = self.metadata();
        let comments = beside::comments(self.page, &self.extraction.content);
        let same_line = |title: &String| {
            let first = content.lines().next().unwrap_or_default();
            first.to_lowercase() == title.to_lowercase()
        };
        let asked =
            |field, value: Option<String>| value.filter(|value| self.with.contains(&field) && !value.is_empty());
        let title = asked(With::Title, metadata.title).filter(|title| !same_line(title));
        let comments = asked(With::Comments, Some(render::text::text(document, &comments)));
        let authors = asked(With::Authors, Some(metadata.authors.join(", ")));
        let before = [title, authors, asked(With::Published, metadata.published)];
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
        let described = self.metadata();
        let comments = beside::comments(self.page, &extraction.content);
        let text = render::text::text(document, &extraction.content);
        let mut object = json!({
            "input": self.name,
            "url": self.url,
            "comments": render::text::text(document, &comments),
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
            "content_hash": identity::content_hash_hex(described.metadata.title.as_deref(), &text),
            "simhash": identity::simhash_hex(&text),
        });
        if let (Some(object), Ok(Value::Object(metadata))) =
            (object.as_object_mut(), serde_json::to_value(&described.metadata))
        {
            object.extend(metadata);
            if self.explain {
                object.insert("sources".to_owned(), json!(described.sources));
                object.insert("language_confidence".to_owned(), json!(described.language_confidence));
            }
        }
        object
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
const FRONT_MATTER: [&str; 7] = ["title", "authors", "published", "url", "canonical_url", "kind", "confidence"];

/// Fields as YAML, of which JSON's values are a part, between lines of dashes; those that are empty are left out.
pub(super) fn front_matter(fields: &Value) -> String {
    let is_known = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    let known = FRONT_MATTER.iter().filter(|name| is_known(&fields[**name]));
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
