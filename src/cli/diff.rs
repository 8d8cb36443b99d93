//! `tsrec diff A B`: the content of one page, by comparing it with another.

use anyhow::Result;

use super::output::{Format, Report};
use super::{explain, input};
use crate::extract::cascade::Cascade;
use crate::extract::{Extractor, Page, Sibling};
use crate::html;
use crate::tsrec::build::tag_sequence;

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
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print every element as a row instead: number, tag, region code, label, partner, excerpt.
    #[arg(long, conflicts_with = "format")]
    explain: bool,
    #[command(flatten)]
    input: input::FetchArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut reader = input::Reader::new(&args.input)?;
    let (page, sibling) = (reader.read(&args.page)?, reader.read(&args.sibling)?);
    let document = html::parse(&page.bytes, page.charset.as_deref(), reader.limits());
    let sibling_document = html::parse(&sibling.bytes, sibling.charset.as_deref(), reader.limits());
    let (page_sequence, sequence) = (tag_sequence(&document), tag_sequence(&sibling_document));
    let subject = Page { document: &document, sequence: &page_sequence };
    let extraction = Cascade::new(vec![Sibling { name: sibling.name, sequence: &sequence }]).extract(&subject);
    let report = Report { name: &page.name, url: page.url.as_ref(), page: &subject, extraction: &extraction };
    report.summarise()?;
    match args.explain {
        true => explain::print(subject.sequence, &extraction),
        false => report.print(args.format),
    }
}
