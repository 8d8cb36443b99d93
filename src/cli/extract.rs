//! `tsrec extract PAGE`: the content of one page.

use std::sync::LazyLock;

use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use url::Url;

use super::methods::Options;
use super::output::{Format, Report};
use super::viewer::{RenderArgs, View, Viewer};
use super::{compare, input};
use crate::extract::registry::Choice;
use crate::extract::{Extraction, Method, Page, Sibling};
use crate::html::Document;
use crate::pairing;
use crate::style::Styles;
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
    #[arg(long, value_enum, default_value_t = Asked::One(Choice::Auto))]
    method: Asked,
    #[command(flatten)]
    options: Options,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    render: RenderArgs,
    #[command(flatten)]
    input: input::FetchArgs,
}

/// One method, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    One(Choice),
    All,
}

impl ValueEnum for Asked {
    fn value_variants<'a>() -> &'a [Self] {
        static VALUES: LazyLock<Vec<Asked>> =
            LazyLock::new(|| Choice::all().map(Asked::One).chain([Asked::All]).collect());
        &VALUES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Asked::One(choice) => choice.to_possible_value(),
            Asked::All => Some(PossibleValue::new("all").help("Every method but auto, side by side")),
        }
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
    let mut viewer = Viewer::new(&args.render)?;
    let View { document, styles } = viewer.view(&page, reader.limits())?;
    let documents: Vec<_> = siblings
        .iter()
        .map(|sibling| viewer.view(sibling, reader.limits()).map(|view| view.document))
        .collect::<Result<_>>()?;
    let sequences: Vec<_> = documents.iter().map(tag_sequence).collect();
    let siblings: Vec<_> = siblings
        .iter()
        .zip(&sequences)
        .map(|(sibling, sequence)| Sibling { name: sibling.name.clone(), sequence })
        .collect();
    let sequence = tag_sequence(&document);
    let subject = Page { document: &document, sequence: &sequence };
    let styles = styles.as_ref();
    let source: Vec<_> = std::iter::once(&document).chain(&documents).collect();
    let Asked::One(choice) = args.method else {
        let one = |method: Method| {
            let options = args.options.clone().for_method(method);
            let outcome = extract(Choice::One(method), &options, &source, siblings.clone(), &subject, styles);
            (method, outcome.map_err(|why| format!("{why:#}")))
        };
        return compare::print(&subject, &Method::ALL.map(one));
    };
    let extraction = extract(choice, &args.options, &source, siblings, &subject, styles)?;
    let report = Report { name: &page.name, url, page: &subject, extraction: &extraction };
    report.summarise()?;
    report.print(args.format)
}

/// Extracts by one method. `source` is the page with its siblings, `styles` what it looks like where it was rendered.
fn extract(
    choice: Choice,
    options: &Options,
    source: &[&Document],
    siblings: Vec<Sibling<'_>>,
    page: &Page<'_>,
    styles: Option<&Styles>,
) -> Result<Extraction> {
    let mut tool = options.tool(choice)?;
    tool.learn(&[source.to_vec()]);
    let extractor = tool
        .extractor(siblings, styles)
        .context("the template diff needs a page to compare with: name one with --sibling, or use --method auto")?;
    Ok(extractor.extract(page))
}
