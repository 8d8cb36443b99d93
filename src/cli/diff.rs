//! `tsrec diff A B`: the content of one page, by comparing it with another.

use std::io::Write;
use std::sync::LazyLock;
use tsrec_papers::learn::threads::Threads;

use anyhow::Result;
use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::explain;
use crate::cli::input;
use crate::cli::output::{Format, ShapeArgs, ShownExtraction, WithArgs};
use tsrec_core::extract::beside::stated;
use tsrec_core::extract::cascade::Cascade;
use tsrec_core::extract::report::Report;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Extraction, Extractor, Page, Sibling};
use tsrec_core::html;
use tsrec_server::inspector;

/// Arguments of `tsrec diff`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page whose content is wanted: a file, an http(s) URL, or - for standard input.
    #[arg(value_name = "A")]
    page: String,
    /// A page made by the same template: a file, an http(s) URL, or - for standard input.
    #[arg(value_name = "B")]
    sibling: String,
    /// What to print.
    #[arg(long, value_enum, default_value_t = DiffFormat::One(Format::Text))]
    format: DiffFormat,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    /// Print every element as a row instead: number, tag, region code, label, probability, partner,
    /// excerpt; and which evidence moved the probability.
    #[arg(long, conflicts_with = "format")]
    explain: bool,
    #[command(flatten)]
    input: input::FetchArgs,
}

/// A format of the content, or a report on both pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffFormat {
    One(Format),
    Report,
}

impl ValueEnum for DiffFormat {
    fn value_variants<'a>() -> &'a [Self] {
        static VALUES: LazyLock<Vec<DiffFormat>> = LazyLock::new(|| {
            Format::value_variants().iter().copied().map(DiffFormat::One).chain([DiffFormat::Report]).collect()
        });
        &VALUES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            DiffFormat::One(format) => format.to_possible_value(),
            DiffFormat::Report => Some(PossibleValue::new("report").help(
                "One HTML file to look at: every element of both pages coloured by its label, with its evidence; nothing in it runs",
            )),
        }
    }
}

pub(super) fn run(args: &Args) -> Result<()> {
    // A report has all of it anyway, as JSON has.
    let format = match args.format {
        DiffFormat::One(format) => format,
        DiffFormat::Report => Format::Json,
    };
    let with = args.with.check(format)?;
    let shape = args.shape.check(format)?;
    let mut reader = input::PageReader::new(&args.input)?;
    let (page, sibling) = (reader.read(&args.page)?, reader.read(&args.sibling)?);
    let document = html::parse(&page.bytes, page.charset.as_deref(), reader.limits());
    let sibling_document = html::parse(&sibling.bytes, sibling.charset.as_deref(), reader.limits());
    let subject = Page::new(&document).at(page.url.as_ref());
    let other = Page::new(&sibling_document).at(sibling.url.as_ref());
    let scored = Scored::shipped();
    let explains = args.explain || args.format == DiffFormat::Report;
    let scored = if explains { scored.explaining(&Threads) } else { scored.clone() };
    let extraction = against(&scored, &subject, (&sibling.name, &other));
    let siblings = stated(std::iter::once(&other));
    let report = Report {
        name: &page.name,
        url: page.url.as_ref(),
        page: &subject,
        extraction: &extraction,
        explain: false,
        siblings: &siblings,
    };
    let shown = ShownExtraction { report, with, shape };
    shown.summarise()?;
    match args.format {
        _ if args.explain => explain::print(&subject, &extraction),
        DiffFormat::One(format) => shown.print(format),
        DiffFormat::Report => {
            let turned = against(&scored, &other, (&page.name, &subject));
            let (name, url) = (&sibling.name, sibling.url.as_ref());
            let siblings = &stated(std::iter::once(&subject));
            let beside = Report { name, url, page: &other, extraction: &turned, explain: false, siblings };
            Ok(write!(std::io::stdout().lock(), "{}", inspector::report(&report, &beside))?)
        }
    }
}

/// What is found on a page by comparing it with another.
fn against(scored: &Scored, page: &Page<'_>, (name, other): (&str, &Page<'_>)) -> Extraction {
    let memory = scored.remember(other);
    let sibling = Sibling { name: name.to_owned(), sequence: other.sequence(), memory: Some(&memory) };
    Cascade::new(vec![sibling]).with_score(scored).extract(page)
}
