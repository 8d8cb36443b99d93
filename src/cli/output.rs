//! An extraction as text, HTML or JSON.

use std::io::Write;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::json;

use tsrec_core::extract::report::{Report, failures, front_matter};
use tsrec_core::extract::{Extraction, beside};
use tsrec_core::html::links;
use tsrec_core::metadata::Described;
use tsrec_core::render;
use tsrec_core::render::Along;
use tsrec_core::words::number_of;
use tsrec_terminal::usage;

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The text, one block a line.
    Text,
    /// The text in the markup that carries meaning, safe to be shown anywhere: no scripts, no
    /// styles, links of harmless schemes alone.
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
    /// With --format markdown, html or tei: whether images amid the text are there, with their
    /// alternative text.
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "on|off", hide_possible_values = true)]
    images: Switch,
    /// With --format markdown: begin with what is known of the page, as YAML.
    #[arg(long)]
    front_matter: bool,
}

/// The same, checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutputShape {
    pub(super) along: Along,
    pub(super) front_matter: bool,
}

impl ShapeArgs {
    /// For this format.
    ///
    /// # Errors
    ///
    /// When it is none that they go with.
    pub(super) fn check(&self, format: Format) -> Result<OutputShape> {
        let along = Along { links: self.links == Switch::On, images: self.images == Switch::On };
        let has_markup = matches!(format, Format::Markdown | Format::Html | Format::Tei);
        usage::ensure(
            has_markup || along == Along::default(),
            "--links and --images are for --format markdown, html and tei",
        )?;
        usage::ensure(!self.front_matter || format == Format::Markdown, "--front-matter is for --format markdown")?;
        Ok(OutputShape { along, front_matter: self.front_matter })
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
    /// With --format text: print these beside the content, each where the page has it; several with
    /// commas between. JSON has all of them anyway.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FIELDS")]
    with: Vec<With>,
}

impl WithArgs {
    pub(super) fn is_given(&self) -> bool {
        !self.with.is_empty()
    }

    /// For this format.
    ///
    /// # Errors
    ///
    /// When it is none that they go with.
    pub(super) fn check(&self, format: Format) -> Result<&[With]> {
        usage::ensure(
            self.with.is_empty() || format == Format::Text,
            "--with is for --format text: JSON has every field, others have the content alone",
        )?;
        Ok(&self.with)
    }
}

/// An extraction as it is to be shown.
pub(super) struct ShownExtraction<'r> {
    pub(super) report: Report<'r>,
    /// What the text has beside the content.
    pub(super) with: &'r [With],
    /// What goes along with it.
    pub(super) shape: OutputShape,
}

impl ShownExtraction<'_> {
    /// The metadata as one JSON object: the names of its fields are those of every other JSON.
    /// Explained, with where each value was found.
    pub(super) fn print_metadata(&self, explain: bool) -> Result<()> {
        let described = self.report.metadata();
        let mut object = serde_json::to_value(&described.metadata)?;
        object["kind"] = json!(self.report.extraction.kind.map(|(kind, _)| kind));
        if explain {
            object["sources"] = json!(described.sources);
            object["kind_probability"] = json!(self.report.extraction.kind.map(|(_, probability)| probability));
        }
        writeln!(std::io::stdout().lock(), "{}", serde_json::to_string_pretty(&object)?)?;
        Ok(())
    }

    pub(super) fn print(&self, format: Format) -> Result<()> {
        let output = match format {
            Format::Json => serde_json::to_string_pretty(&self.report.json())?,
            format => self.content(format),
        };
        writeln!(std::io::stdout().lock(), "{output}")?;
        Ok(())
    }

    /// The content in a format; for JSON, which has more, its text.
    pub(super) fn content(&self, format: Format) -> String {
        let (document, content) = (self.report.page.document(), &self.report.extraction.content);
        let base = self.report.url.map(|url| links::base_url(document, url));
        let along = self.shape.along;
        match format {
            Format::Text | Format::Json => self.text(),
            Format::Html => render::html::html(document, content, base.as_ref(), along),
            Format::Markdown => {
                self.front_matter() + &render::markdown::markdown(document, content, base.as_ref(), along)
            }
            Format::Tei => render::tei::tei(document, content, base.as_ref(), along, &self.report.header()),
            Format::Cleaneval => self.cleaneval(),
        }
    }

    /// What is known of the page, as YAML between lines of dashes; nothing where it was not asked
    /// for.
    fn front_matter(&self) -> String {
        if self.shape.front_matter { front_matter(&self.report.fields()) } else { String::new() }
    }

    /// The content, and what was asked for beside it, with blank lines between.
    fn text(&self) -> String {
        let document = self.report.page.document();
        let content = render::text::text(document, &self.report.extraction.content);
        if self.with.is_empty() {
            return content;
        }
        let Described { metadata, .. } = self.report.metadata();
        let comments = beside::comments(self.report.page, &self.report.extraction.content);
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
        let name = self.report.url.map(|url| format!("URL: {url}\n\n")).unwrap_or_default();
        name + &self.report.extraction.cleaneval(self.report.page.document())
    }

    /// One line for a person, to standard error: how the content was found.
    pub(super) fn summarise(&self) -> Result<()> {
        let Extraction { method, confidence, attempts, content, notes, .. } = self.report.extraction;
        let mut out = std::io::stderr().lock();
        for attempt in attempts.iter().filter(|attempt| !attempt.passed()) {
            writeln!(out, "tsrec: {}: not compared with {}: {}", self.report.name, attempt.sibling, failures(attempt))?;
        }
        let with = self.report.extraction.sibling().map(|sibling| format!(" against {sibling}")).unwrap_or_default();
        let words = number_of(content.words(self.report.page.document()), "word");
        let known = match self.report.extraction.remembered {
            0 => String::new(),
            pages => format!(", {} known", number_of(pages, "other page")),
        };
        writeln!(out, "tsrec: {}: {words} by {method}{with}{known}, confidence {confidence:.2}", self.report.name)?;
        for note in notes {
            writeln!(out, "tsrec: {}: {note}", self.report.name)?;
        }
        let cuts: Vec<String> = self.report.page.document().cuts().iter().map(ToString::to_string).collect();
        if !cuts.is_empty() {
            writeln!(out, "tsrec: {}: the page is past a limit and was cut: {}", self.report.name, cuts.join(", "))?;
        }
        Ok(())
    }
}
