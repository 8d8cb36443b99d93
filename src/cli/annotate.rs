//! `tsrec annotate PAGE OUT`: a person labels a page by hand, block by block, in a browser (Marek
//! 2007, section 2.3).
//!
//! OUT is an [annotation](tsrec_core::annotation), which training reads. It is written as a whole
//! when the person saves. If OUT exists, its labels are loaded first, so that the work continues.

mod source;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};
use tokio::net::TcpListener;

use self::source::AnnotatedSource;
use super::daemon::told_to_stop;
use super::input::{self, PageReader};

use super::{teach, template};
use tsrec_core::annotation::{Annotation, Labelling};
use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::{TextBlock, text_blocks};
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::{Extract, Page};
use tsrec_core::html::{self, Document, Limits};
use tsrec_core::page::Content;
use tsrec_core::taught::{MOST_TRIED, with_annotation};
use tsrec_core::template::Site;
use tsrec_server::http::annotate::{self, AnnotationEnd};
use tsrec_server::inspector::{self, LabelSheet};
use tsrec_terminal::input::Input;
use tsrec_terminal::methods::MethodOptions;
use tsrec_terminal::whole_file;

/// A longer page, in bytes of markup, is not shown beside its blocks, since each part would carry
/// it. Judgement.
const LONGEST_FRAME: usize = 1 << 20;

/// Arguments of `tsrec annotate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page: a file, an http(s) URL, or - for standard input. If it is not a file, a copy is
    /// saved beside OUT, since labels without their page teach nothing.
    page: String,
    /// Where to write the labels, such as DIR/annotations/ID.anno in a set of pages. If the file
    /// exists, work continues where it stopped.
    out: PathBuf,
    /// Where to save a page that is not a file [default: OUT with the extension html]. Later runs
    /// read it from there.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Suggest labels from what a method extracts (default: auto). A label counts once you accept
    /// it.
    #[arg(long, value_parser = tsrec_terminal::methods::choice(), value_name = "METHOD", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    suggest: Option<Choice>,
    /// A page made by the same template, for --suggest. Repeat it for several pages.
    #[arg(long, value_name = "PAGE", requires = "suggest")]
    sibling: Vec<String>,
    /// A memory file of the page's site (tsrec template learn, export). Labels are suggested from
    /// it. At the end, tsrec shows what tsrec teach would change.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suggest", "sibling"])]
    site: Option<PathBuf>,
    /// Another page of the site, to show with --site what would change there. Give up to ten.
    #[arg(long, value_name = "PAGE", requires = "site")]
    other: Vec<String>,
    #[command(flatten)]
    options: MethodOptions,
    /// Write OUT without asking, for editing by hand. With --suggest or --site, the suggestions are
    /// accepted. Otherwise the labels stay as they are, or open.
    #[arg(long)]
    no_screen: bool,
    #[command(flatten)]
    input: input::FetchArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    ensure!(args.suggest.is_some() || !args.options.are_given(), "--model, --hr and --runs are for --suggest=METHOD");
    ensure!(args.other.len() <= MOST_TRIED, "--other was given {} times, {MOST_TRIED} at most", args.other.len());
    let mut reader = PageReader::new(&args.input)?;
    let site = args.site.as_deref().map(template::read).transpose()?;
    let source = Arc::new(source::read(args, &mut reader)?);
    let document = html::parse(&source.bytes, None, reader.limits());
    let blocks = text_blocks(&document);
    ensure!(!blocks.is_empty(), "page {:?} has no text that a reader sees: there is nothing to annotate", args.page);
    let mut annotation = resume(args, &source, &blocks)?;
    let page = Page::new(&document);
    let mut labelling = Labelling::new(&page, &blocks, annotation.labels().collect());
    let suggested = match (&site, args.suggest) {
        (Some(site), _) => Some(Extract::new(&page).site(site).run()?.content().clone()),
        (None, Some(method)) => Some(suggested(args, method, &mut reader, &document)?),
        (None, None) => None,
    };
    if let Some(content) = suggested {
        labelling.suggest(&document, &blocks, &content);
    }
    let others = args.other.iter().map(|name| reader.read(name)).collect::<Result<Vec<_>>>()?;
    // Checks now that OUT can be written, before there is work to lose.
    whole_file::check(&args.out)?;
    source.check()?;
    let (out, kept) = (args.out.clone(), Arc::clone(&source));
    let mut save = move |labels: &[Option<BlockLabel>]| {
        kept.keep()?;
        annotation.set_labels(labels);
        whole_file::write(&out, annotation.to_string().as_bytes())
    };
    if args.no_screen {
        labelling.accept();
        save(labelling.labels())?;
        writeln!(std::io::stdout(), "{}", done(args, labelling.labelled(), blocks.len()))?;
    } else {
        let sheet = LabelSheet::new(&page, &blocks);
        let frame = (source.bytes.len() <= LONGEST_FRAME).then(|| inspector::frame(&page));
        let save = Box::new(move |labels: &[Option<BlockLabel>]| save(labels).map_err(|error| format!("{error:#}")));
        let (name, out) = (args.page.clone(), args.out.display().to_string());
        ask(args, annotate::AnnotationForm { name, out, labelling, sheet, frame, save })?;
    }
    match &site {
        Some(site) => show(args, site, &page, &source, &others, reader.limits()),
        None => Ok(()),
    }
}

/// A message with the number of labelled blocks.
fn done(args: &Args, labelled: usize, blocks: usize) -> String {
    let rest = if labelled < blocks { "; the same command goes on with them" } else { "" };
    format!("{}: {labelled} of {blocks} blocks are labelled{rest}", args.out.display())
}

/// Lets a person label the page in a browser, until they save.
fn ask(args: &Args, annotation: annotate::AnnotationForm) -> Result<()> {
    let blocks = annotation.sheet.len();
    let runtime = tokio::runtime::Runtime::new().context("the async runtime cannot be started")?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("the page cannot be served on 127.0.0.1")?;
        let secret = annotate::secret().context("no secret address can be made")?;
        let address = annotate::address(&listener, &secret)?;
        writeln!(
            std::io::stderr(),
            "tsrec: label the page in a browser: {address}; save there, or press Ctrl-C to leave without saving"
        )?;
        Ok::<_, anyhow::Error>(annotate::serve(listener, secret, annotation, told_to_stop()).await)
    })?;
    match ended {
        AnnotationEnd::Saved(labelled) => Ok(writeln!(std::io::stderr(), "tsrec: {}", done(args, labelled, blocks))?),
        AnnotationEnd::Left => bail!("the labels were not saved: {} is as it was", args.out.display()),
    }
}

/// Prints what teaching the site with these labels would change, and how to do it.
fn show(
    args: &Args,
    site: &Site,
    page: &Page<'_>,
    source: &AnnotatedSource,
    others: &[Input],
    limits: &Limits,
) -> Result<()> {
    let labels = std::fs::read_to_string(&args.out)?;
    let Ok(memory) = with_annotation(page, &source.name, &source.bytes, &labels) else { return Ok(()) };
    let mut taught = site.clone();
    taught.learn(&memory);
    let mut errors = std::io::stderr().lock();
    for objection in site.objections(&memory) {
        writeln!(errors, "tsrec: {objection}")?;
    }
    others.iter().try_for_each(|other| teach::show_difference(other, limits, site, &taught))?;
    let file = args.site.as_deref().unwrap_or(std::path::Path::new("FILE"));
    let (page, out, file) = (&args.page, args.out.display(), file.display());
    Ok(writeln!(errors, "tsrec: tsrec teach {page} --annotation {out} --memory {file} enters it")?)
}

/// The labels in OUT, if it exists. They must be this page's.
fn resume(args: &Args, source: &AnnotatedSource, blocks: &[TextBlock]) -> Result<Annotation> {
    let mut annotation = Annotation::new(&source.name, &source.bytes, blocks.iter().map(|block| block.text.clone()));
    let out = args.out.display();
    match std::fs::read(&args.out) {
        Ok(bytes) => {
            let file =
                String::from_utf8(bytes).with_context(|| format!("{out} cannot be gone on with: it is no UTF-8"))?;
            annotation.resume(&file).with_context(|| format!("{out} cannot be gone on with"))?;
            let same =
                annotation.page() == source.name || !source::is_url(&source.name) || !source::is_url(annotation.page());
            ensure!(same, "{out} has the labels of {}: name another file for {}", annotation.page(), source.name);
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("{out} cannot be read")),
    }
    Ok(annotation)
}

/// The content that the method keeps of the page.
fn suggested(args: &Args, method: Choice, reader: &mut PageReader, document: &Document) -> Result<Content> {
    let mut siblings = Vec::new();
    for name in &args.sibling {
        let page = reader.read(name)?;
        siblings.push(html::parse(&page.bytes, page.charset.as_deref(), reader.limits()));
    }
    let method = args.options.extractor(method)?;
    let others = args.sibling.iter().zip(&siblings);
    let request = others.fold(Extract::new(document), |request, (name, other)| request.sibling(name, other));
    let found = request.method(&*method).run().map_err(|_| {
        anyhow!("the template diff needs a page to compare with: name one with --sibling, or use --suggest=auto")
    })?;
    Ok(found.content().clone())
}
