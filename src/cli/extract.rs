//! `tsrec extract PAGE`: extracts the content of one page.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

use anyhow::Result;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use url::Url;

use super::{batch, compare, explain, template};
use crate::cli::input;
use crate::cli::output::{ElementsArgs, Format, ShapeArgs, ShownExtraction, WithArgs};
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::{Extract, Extracted, Method, Page};
use tsrec_core::pairing;
use tsrec_core::template::Site;
use tsrec_papers::learn::threads::Threads;
use tsrec_papers::style::Styles;
use tsrec_terminal::methods::{MethodOptions, possible_choice};
use tsrec_terminal::usage;
use tsrec_terminal::usage::wrong;
use tsrec_terminal::viewer::{RenderArgs, View, Viewer};

/// Arguments of `tsrec extract`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page: a file, an http(s) URL, or - for standard input. It may be compressed with gzip.
    #[arg(required_unless_present = "batch")]
    page: Option<String>,
    /// A page made by the same template. Repeat it for several pages. A sibling is used if it
    /// passes the gates, or is built like the page.
    #[arg(long, value_name = "PAGE")]
    sibling: Vec<String>,
    /// The memory file of the page's site (tsrec template learn). If it knows the page's template,
    /// no sibling is used. For --method auto.
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// The page's URL, which makes links absolute. If siblings are URLs, it also sets their order.
    #[arg(long, value_parser = input::url)]
    url: Option<Url>,
    /// How to find the content.
    #[arg(long, value_enum, default_value_t = MethodChoice::One(Choice::Auto))]
    method: MethodChoice,
    #[command(flatten)]
    options: MethodOptions,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    elements: ElementsArgs,
    /// Print the page's metadata instead, as one JSON object. Fields: title, authors, published,
    /// modified, language, site_name, description, image, canonical_url, tags, license, kind. A
    /// field is null or empty if it was not found. With --explain, also print where each was found.
    #[arg(long, conflicts_with_all = ["batch", "format", "with"])]
    only_metadata: bool,
    /// Print one row per element instead, as tsrec diff --explain does. With --format json, the
    /// JSON has the evidence of each element and the sources of the metadata. For auto and blocks.
    /// Takes some two milliseconds per block.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    render: RenderArgs,
    #[command(flatten)]
    input: input::FetchArgs,
    #[command(flatten)]
    batch: batch::BatchArgs,
}

/// One method, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MethodChoice {
    One(Choice),
    All,
}

impl ValueEnum for MethodChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static VALUES: LazyLock<Vec<MethodChoice>> =
            LazyLock::new(|| Choice::all().map(MethodChoice::One).chain([MethodChoice::All]).collect());
        &VALUES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            MethodChoice::One(choice) => Some(possible_choice(*choice)),
            MethodChoice::All => Some(PossibleValue::new("all").help("All methods except auto, side by side")),
        }
    }
}

impl Args {
    /// Refuses options that the method does not use.
    fn check_method(&self) -> Result<()> {
        let is_plain = self.format == Format::Text && !self.with.is_given() && !self.explain && !self.only_metadata;
        usage::ensure(
            self.method != MethodChoice::All || is_plain,
            "--method all prints a table of methods: it goes without --format, --with, --explain and --only-metadata",
        )?;
        usage::ensure(
            self.memory.is_none() || self.method == MethodChoice::One(Choice::Auto),
            "--memory is for --method auto: no other method asks what is remembered of a site",
        )
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode> {
    match (&args.batch.batch, &args.page) {
        (Some(input), _) => many(args, input),
        (None, Some(page)) => one(args, page).map(|()| ExitCode::SUCCESS),
        (None, None) => Err(wrong("name a page, or many with --batch")),
    }
}

fn many(args: &Args, input: &Path) -> Result<ExitCode> {
    let MethodChoice::One(choice) = args.method else { return Err(wrong("--method all is for one page")) };
    let config = args.input.configuration()?;
    let memory = args.memory.as_deref().map(template::read).transpose()?;
    let shape = args.elements.check(args.shape.check(args.format)?, args.format, args.explain)?;
    let (options, format, limits) = (&args.options, args.format, &config.html);
    let asked = batch::BatchOptions { choice, options, format, shape, memory, limits };
    batch::run(&args.batch, input, asked)
}

fn one(args: &Args, page: &str) -> Result<()> {
    args.batch.check_for_one()?;
    let with = args.with.check(args.format)?;
    let shape = args.elements.check(args.shape.check(args.format)?, args.format, args.explain)?;
    args.check_method()?;
    let mut reader = input::PageReader::new(&args.input)?;
    let page = reader.read(page)?;
    let url = args.url.as_ref().or(page.url.as_ref());
    let mut siblings = args.sibling.iter().map(|name| reader.read(name)).collect::<Result<Vec<_>>>()?;
    if let Some(url) = url {
        pairing::most_similar_first(url, &mut siblings, |sibling| sibling.url.as_ref());
    }
    let site = args.memory.as_deref().map(template::read).transpose()?;
    let mut viewer = Viewer::new(&args.render)?;
    let View { document, styles } = viewer.view(&page, reader.limits())?;
    let documents: Vec<_> = siblings
        .iter()
        .map(|sibling| viewer.view(sibling, reader.limits()).map(|view| view.document))
        .collect::<Result<_>>()?;
    let others: Vec<Page<'_>> =
        documents.iter().zip(&siblings).map(|(document, input)| Page::new(document).at(input.url.as_ref())).collect();
    let subject = Page::new(&document).at(url);
    let names = siblings.iter().map(|sibling| sibling.name.as_str());
    let known = KnownOfPage {
        name: &page.name,
        page: &subject,
        siblings: names.zip(&others).collect(),
        site: site.as_ref(),
        styles: styles.as_ref(),
    };
    let MethodChoice::One(choice) = args.method else {
        let one = |method: Method| {
            let options = args.options.clone().for_method(method);
            let found = known.extract(Choice::One(method), &options, false);
            (method, found.map_err(|why| format!("{why:#}")))
        };
        return compare::print(&subject, &Method::ALL.map(one));
    };
    let found = known.extract(choice, &args.options, args.explain && !args.only_metadata)?;
    if let Some(memory) = args.memory.as_deref().filter(|_| !found.extraction().is_from_memory()) {
        let memory = memory.display();
        writeln!(
            std::io::stderr(),
            "tsrec: {}: {memory} has no template of this page, or too few pages of it: it is extracted without",
            page.name
        )?;
    }
    let shown = ShownExtraction { found: &found, with, shape };
    if args.only_metadata {
        return shown.print_metadata(args.explain);
    }
    shown.summarise()?;
    match args.explain && args.format != Format::Json {
        true => explain::print(&found),
        false => shown.print(args.format),
    }
}

/// A page, and the data for its extraction.
struct KnownOfPage<'a> {
    name: &'a str,
    page: &'a Page<'a>,
    /// The siblings, by name.
    siblings: Vec<(&'a str, &'a Page<'a>)>,
    /// The memory of their site.
    site: Option<&'a Site>,
    /// The page's look, if it was rendered.
    styles: Option<&'a Styles>,
}

impl<'a> KnownOfPage<'a> {
    /// Extracts by one method.
    fn extract(&self, choice: Choice, options: &MethodOptions, explains: bool) -> Result<Extracted<'a>> {
        let extractor = options.extractor(choice)?;
        let request = Extract::new(self.page).name(self.name);
        let siblings = self.siblings.iter();
        let mut request = siblings.fold(request, |request, (name, page)| request.sibling(*name, *page));
        request = match options.for_rendered(choice, self.styles) {
            Some(segments) => request.method(segments),
            None => request.method(&*extractor),
        };
        if let Some(site) = self.site {
            request = request.site(site);
        }
        if explains {
            request = request.explained_by(&Threads);
        }
        request.run().map_err(|_| {
            wrong("the template diff needs a page to compare with: name one with --sibling, or use --method auto")
        })
    }
}
