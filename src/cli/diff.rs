//! `tsrec diff A B`: extracts the content of one page by comparing it with another.

use std::io::Write;
use std::sync::LazyLock;
use tsrec_papers::learn::threads::Threads;

use anyhow::Result;
use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::explain;
use crate::cli::input;
use crate::cli::output::{ElementsArgs, Format, ShapeArgs, ShownExtraction, WithArgs};
use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::{Extract, Page};
use tsrec_core::html;
use tsrec_server::inspector;
use tsrec_terminal::favor::FavorArgs;

/// Arguments of `tsrec diff`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page to extract: a file, an http(s) URL, or - for standard input.
    #[arg(value_name = "A")]
    page: String,
    /// A page made by the same template: a file, an http(s) URL, or - for standard input.
    #[arg(value_name = "B")]
    sibling: String,
    /// What to print.
    #[arg(long, value_enum, default_value_t = DiffFormat::One(Format::Text))]
    format: DiffFormat,
    #[command(flatten)]
    favor: FavorArgs,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    elements: ElementsArgs,
    /// Print one row per element instead: number, tag, region code, label, probability, partner,
    /// excerpt. Each row also names the evidence that moved the probability.
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
                "One HTML file to look at. It colours every element of both pages by its label and shows its evidence. It runs no scripts",
            )),
        }
    }
}

pub(super) fn run(args: &Args) -> Result<()> {
    // A report includes all of it, and so does JSON.
    let format = match args.format {
        DiffFormat::One(format) => format,
        DiffFormat::Report => Format::Json,
    };
    let with = args.with.check(format)?;
    let shape = args.elements.check(args.shape.check(format)?, format, args.explain)?;
    let mut reader = input::PageReader::new(&args.input)?;
    let (page, sibling) = (reader.read(&args.page)?, reader.read(&args.sibling)?);
    let document = html::parse(&page.bytes, page.charset.as_deref(), reader.limits());
    let sibling_document = html::parse(&sibling.bytes, sibling.charset.as_deref(), reader.limits());
    let subject = Page::new(&document).at(page.url.as_ref());
    let other = Page::new(&sibling_document).at(sibling.url.as_ref());
    let explains = args.explain || args.format == DiffFormat::Report;
    let against = |page, other| {
        let request = against(page, other).method(Auto::shipped().favoring(args.favor.favor()));
        if explains { request.explained_by(&Threads).run() } else { request.run() }
    };
    let found = against((&page.name, &subject), (&sibling.name, &other))?;
    let shown = ShownExtraction { found: &found, with, shape };
    shown.summarise()?;
    match args.format {
        _ if args.explain => explain::print(&found),
        DiffFormat::One(format) => shown.print(format),
        DiffFormat::Report => {
            let turned = against((&sibling.name, &other), (&page.name, &subject))?;
            Ok(write!(std::io::stdout().lock(), "{}", inspector::report(&found, &turned))?)
        }
    }
}

/// A page that is compared with another, each with its name.
fn against<'p>(
    (name, page): (&str, &'p Page<'p>),
    (other_name, other): (&str, &'p Page<'p>),
) -> Extract<'p, 'p, 'static> {
    Extract::new(page).name(name).sibling(other_name, other)
}
