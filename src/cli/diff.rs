//! `tsrec diff A B`: the content of one page, by comparing it with another.

use anyhow::Result;

use super::output::{Format, ShapeArgs, Shown, WithArgs};
use super::{explain, input};
use crate::extract::cascade::Cascade;
use crate::extract::report::Report;
use crate::extract::scored::Scored;
use crate::extract::{Extractor, Page, Sibling};
use crate::html;

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
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    /// Print every element as a row instead: number, tag, region code, label, probability, partner, excerpt; and which evidence moved the probability.
    #[arg(long, conflicts_with = "format")]
    explain: bool,
    #[command(flatten)]
    input: input::FetchArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let with = args.with.check(args.format)?;
    let shape = args.shape.check(args.format)?;
    let mut reader = input::Reader::new(&args.input)?;
    let (page, sibling) = (reader.read(&args.page)?, reader.read(&args.sibling)?);
    let document = html::parse(&page.bytes, page.charset.as_deref(), reader.limits());
    let sibling_document = html::parse(&sibling.bytes, sibling.charset.as_deref(), reader.limits());
    let subject = Page::new(&document).at(page.url.as_ref());
    let other = Page::new(&sibling_document).at(sibling.url.as_ref());
    let scored = Scored::shipped();
    let scored = if args.explain { scored.explaining() } else { scored.clone() };
    let memory = scored.remember(&other);
    let beside = Sibling { name: sibling.name, sequence: other.sequence(), memory: Some(&memory) };
    let extraction = Cascade::new(vec![beside]).with_score(&scored).extract(&subject);
    let siblings = [crate::extract::beside::metadata(&other, None, &[])];
    let report = Report {
        name: &page.name,
        url: page.url.as_ref(),
        page: &subject,
        extraction: &extraction,
        explain: false,
        siblings: &siblings,
    };
    let shown = Shown { report, with, shape };
    shown.summarise()?;
    match args.explain {
        true => explain::print(&subject, &extraction),
        false => shown.print(args.format),
    }
}
