//! Prints an extraction as text, HTML or JSON.

use std::io::Write;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::{Value, json};

use tsrec_core::extract::report::failures;
use tsrec_core::extract::{Extracted, Extraction};
use tsrec_core::render::Along;
use tsrec_core::words::number_of;
use tsrec_terminal::usage;

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The text, one block per line.
    Text,
    /// The text in the markup that carries meaning. It is safe to show anywhere: it has no scripts,
    /// no styles, and only links with harmless schemes.
    Html,
    /// The text as CommonMark, with GitHub's tables and footnotes.
    Markdown,
    /// The text as a TEI document, for corpora.
    Tei,
    /// The text with CleanEval's marks: <h>, <p> or <l> before each block.
    Cleaneval,
    /// Content, metadata, method, gates and confidence. --elements adds a label for every element.
    Json,
}

impl Format {
    /// The field of the content in a JSON object.
    pub(super) fn field(self) -> &'static str {
        match self {
            Format::Text | Format::Json => "text",
            Format::Html => "html",
            Format::Markdown => "markdown",
            Format::Tei => "tei",
            Format::Cleaneval => "cleaneval",
        }
    }

    /// The extension of its files.
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

/// Options for formats that have markup.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ShapeArgs {
    /// Whether links keep their targets. For --format markdown, html and tei.
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "on|off", hide_possible_values = true)]
    links: Switch,
    /// Whether to keep images in the text, with their alternative text. For --format markdown, html
    /// and tei.
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "on|off", hide_possible_values = true)]
    images: Switch,
    /// Begin with YAML front matter that describes the page. For --format markdown.
    #[arg(long)]
    front_matter: bool,
}

/// The checked options.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutputShape {
    pub(super) along: Along,
    pub(super) front_matter: bool,
    /// Whether JSON has the elements.
    pub(super) elements: bool,
}

impl ShapeArgs {
    /// Checks the options for this format.
    ///
    /// # Errors
    ///
    /// If the format does not support them.
    pub(super) fn check(&self, format: Format) -> Result<OutputShape> {
        let along = Along { links: self.links == Switch::On, images: self.images == Switch::On };
        let has_markup = matches!(format, Format::Markdown | Format::Html | Format::Tei);
        usage::ensure(
            has_markup || along == Along::default(),
            "--links and --images are for --format markdown, html and tei",
        )?;
        usage::ensure(!self.front_matter || format == Format::Markdown, "--front-matter is for --format markdown")?;
        Ok(OutputShape { along, front_matter: self.front_matter, elements: false })
    }
}

/// Whether JSON has the elements of the page, which are most of it.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ElementsArgs {
    /// With --format json: add the elements of the page, each with its label and its path. They are
    /// most of the output. --explain adds them too.
    #[arg(long)]
    elements: bool,
}

impl ElementsArgs {
    /// Adds the elements to the shape of this format, if they are asked for.
    ///
    /// # Errors
    ///
    /// If the format has none.
    pub(super) fn check(&self, shape: OutputShape, format: Format, explains: bool) -> Result<OutputShape> {
        usage::ensure(!self.elements || format == Format::Json, "--elements is for --format json")?;
        Ok(OutputShape { elements: self.elements || explains, ..shape })
    }
}

/// Fields that a text can have besides the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum With {
    /// The title, unless the content begins with it.
    Title,
    /// The authors, separated by commas.
    #[value(alias = "byline")]
    Authors,
    /// The date of publication.
    #[value(alias = "date")]
    Published,
    /// Readers' comments, after the content.
    Comments,
}

/// The fields to print.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct WithArgs {
    /// Also print these fields, if the page has them. Separate several with commas. For --format
    /// text; JSON always has all fields.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FIELDS")]
    with: Vec<With>,
}

impl WithArgs {
    pub(super) fn is_given(&self) -> bool {
        !self.with.is_empty()
    }

    /// Checks the options for this format.
    ///
    /// # Errors
    ///
    /// If the format does not support them.
    pub(super) fn check(&self, format: Format) -> Result<&[With]> {
        usage::ensure(
            self.with.is_empty() || format == Format::Text,
            "--with is for --format text: JSON has every field, others have the content alone",
        )?;
        Ok(&self.with)
    }
}

/// An extraction with its output options.
pub(super) struct ShownExtraction<'r> {
    pub(super) found: &'r Extracted<'r>,
    /// What to print beside the content.
    pub(super) with: &'r [With],
    /// The checked options.
    pub(super) shape: OutputShape,
}

impl ShownExtraction<'_> {
    /// The metadata as one JSON object, with the same field names as all other JSON. With
    /// `explain`, also where each value was found.
    pub(super) fn print_metadata(&self, explain: bool) -> Result<()> {
        let described = self.found.described();
        let mut object = serde_json::to_value(&described.metadata)?;
        object["kind"] = json!(self.found.kind().map(|(kind, _)| kind));
        if explain {
            object["sources"] = json!(described.sources);
            object["kind_probability"] = json!(self.found.kind().map(|(_, probability)| probability));
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

    /// The fields and the text, and the elements if they are asked for.
    pub(super) fn json(&self) -> Value {
        if self.shape.elements {
            return self.found.json();
        }
        let text = self.found.text();
        let mut fields = self.found.fields_beside(&text);
        fields["text"] = text.into();
        fields
    }

    /// The content in a format. For JSON, which has more, only the text.
    pub(super) fn content(&self, format: Format) -> String {
        let along = self.shape.along;
        match format {
            Format::Text | Format::Json => self.text(),
            Format::Html => self.found.html(along),
            Format::Markdown => self.front_matter() + &self.found.markdown(along),
            Format::Tei => self.found.tei(along),
            Format::Cleaneval => self.found.cleaneval(),
        }
    }

    /// The page's metadata, as YAML between lines of dashes; empty if it was not requested.
    fn front_matter(&self) -> String {
        if self.shape.front_matter { self.found.front_matter() } else { String::new() }
    }

    /// The content, and the other requested parts, separated by blank lines.
    fn text(&self) -> String {
        let content = self.found.text();
        if self.with.is_empty() {
            return content;
        }
        let metadata = self.found.described().metadata.clone();
        let same_line = |title: &String| {
            let first = content.lines().next().unwrap_or_default();
            first.to_lowercase() == title.to_lowercase()
        };
        let asked =
            |field, value: Option<String>| value.filter(|value| self.with.contains(&field) && !value.is_empty());
        let title = asked(With::Title, metadata.title).filter(|title| !same_line(title));
        let comments = asked(With::Comments, Some(self.found.comments()));
        let authors = asked(With::Authors, Some(metadata.authors.join(", ")));
        let before = [title, authors, asked(With::Published, metadata.published)];
        before.into_iter().flatten().chain([content.clone()]).chain(comments).collect::<Vec<_>>().join("\n\n")
    }

    /// Prints one line for people to standard error: how the content was found.
    pub(super) fn summarise(&self) -> Result<()> {
        let (name, extraction) = (self.found.name(), self.found.extraction());
        let Extraction { method, confidence, attempts, notes, .. } = extraction;
        let mut out = std::io::stderr().lock();
        for attempt in attempts.iter().filter(|attempt| !attempt.passed()) {
            writeln!(out, "tsrec: {name}: not compared with {}: {}", attempt.sibling, failures(attempt))?;
        }
        let with = extraction.sibling().map(|sibling| format!(" against {sibling}")).unwrap_or_default();
        let words = number_of(self.found.words(), "word");
        let known = match self.found.remembered() {
            0 => String::new(),
            pages => format!(", {} known", number_of(pages, "other page")),
        };
        writeln!(out, "tsrec: {name}: {words} by {method}{with}{known}, confidence {confidence:.2}")?;
        for note in notes {
            writeln!(out, "tsrec: {name}: {note}")?;
        }
        let cuts: Vec<String> = self.found.cuts().iter().map(ToString::to_string).collect();
        if !cuts.is_empty() {
            writeln!(out, "tsrec: {name}: the page is past a limit and was cut: {}", cuts.join(", "))?;
        }
        Ok(())
    }
}
