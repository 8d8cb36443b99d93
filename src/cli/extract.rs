//! `tsrec extract PAGE`: the content of one page.

use anyhow::{Context, Result};
use clap::ValueEnum;
use url::Url;

use super::input;
use super::output::{Format, Report};
use crate::extract::blocks::Blocks;
use crate::extract::cascade::Cascade;
use crate::extract::longest::Longest;
use crate::extract::mss::Mss;
use crate::extract::template::Template;
use crate::extract::template_paper::TemplatePaper;
use crate::extract::{Extraction, Extractor, Page, Sibling};
use crate::html;
use crate::pairing;
use crate::tsrec::build::tag_sequence;

/// Arguments of `tsrec extract`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page: a file, an http(s) URL, or - for standard input.
    page: String,
    /// A page made by the same template; may be given several times. The first that passes the gates is used.
    #[arg(long, value_name = "PAGE")]
    sibling: Vec<String>,
    /// The page's address, for links and, with siblings that are URLs, for their order.
    #[arg(long)]
    url: Option<Url>,
    /// How to find the content.
    #[arg(long, value_enum, default_value_t = MethodChoice::Auto)]
    method: MethodChoice,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    input: input::FetchArgs,
}

/// The methods that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodChoice {
    /// The template diff where a sibling passes its gates; otherwise MSS, over blocks where that is unsure.
    Auto,
    /// The template diff against the first sibling, whatever its gates say.
    Template,
    /// The template diff as the paper prints it, against the first sibling.
    TemplatePaper,
    /// Maximum subsequence segmentation of the page alone.
    Mss,
    /// The same over blocks: links inside a sentence do not break it up.
    #[value(name = "mss-blocks")]
    Blocks,
    /// The table cell or div with the most characters.
    Longest,
}

impl MethodChoice {
    /// Extracts with this method. `None` when it needs a sibling and there is none.
    pub(super) fn extract(self, page: &Page<'_>, siblings: Vec<Sibling<'_>>) -> Option<Extraction> {
        Some(match self {
            MethodChoice::Auto => Cascade::new(siblings).extract(page),
            MethodChoice::Template => Template::new(siblings.into_iter().next()?).extract(page),
            MethodChoice::TemplatePaper => TemplatePaper::new(siblings.into_iter().next()?).extract(page),
            MethodChoice::Mss => Mss::default().extract(page),
            MethodChoice::Blocks => Blocks.extract(page),
            MethodChoice::Longest => Longest.extract(page),
        })
    }
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut reader = input::Reader::new(&args.input)?;
    let page = reader.read(&args.page)?;
    let url = args.url.as_ref().or(page.url.as_ref());
    let mut siblings = args.sibling.iter().map(|name| reader.read(name)).collect::<Result<Vec<_>>>()?;
    if let Some(url) = url {
        siblings.sort_by_cached_key(|sibling| {
            let similarity = sibling.url.as_ref().and_then(|other| pairing::similarity(url, other));
            std::cmp::Reverse(similarity.map(|similarity| (similarity.score * 1e9) as u64))
        });
    }
    let document = html::parse(&page.bytes, page.charset.as_deref(), reader.limits());
    let documents: Vec<_> = siblings
        .iter()
        .map(|sibling| html::parse(&sibling.bytes, sibling.charset.as_deref(), reader.limits()))
        .collect();
    let sequences: Vec<_> = documents.iter().map(tag_sequence).collect();
    let siblings = siblings
        .iter()
        .zip(&sequences)
        .map(|(sibling, sequence)| Sibling { name: sibling.name.clone(), sequence })
        .collect();
    let sequence = tag_sequence(&document);
    let subject = Page { document: &document, sequence: &sequence };
    let extraction = args
        .method
        .extract(&subject, siblings)
        .context("the template diff needs a page to compare with: name one with --sibling, or use --method auto")?;
    let report = Report { name: &page.name, url, page: &subject, extraction: &extraction };
    report.summarise()?;
    report.print(args.format)
}
