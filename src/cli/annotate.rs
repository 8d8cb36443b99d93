//! `tsrec annotate PAGE OUT`: a page labelled by hand, block for block, on the terminal (Marek 2007, section 2.3).
//!
//! OUT is an [annotation](tsrec_core::annotation); training reads it. It is written after every change, whole or not at all, and read first if it is
//! there, so that work goes on where it was left.

mod keys;
mod outline;
mod run;
mod source;
mod state;
mod suggest;
mod view;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use self::outline::Outline;
use self::source::Source;
use self::state::{Action, State};
use super::{teach, template};
use crate::cli::input;
use crate::cli::input::Reader;
use tsrec_core::annotation::{Annotation, escape};
use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::{TextBlock, text_blocks};
use tsrec_core::extract::cascade::Cascade;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::{Extractor, Page, Sibling};
use tsrec_core::html;
use tsrec_core::html::{Document, Limits};
use tsrec_core::taught::{MOST_TRIED, with_annotation};
use tsrec_core::template::Site;
use tsrec_core::tsrec::build::tag_sequence;
use tsrec_terminal::input::Input;
use tsrec_terminal::methods::Options;
use tsrec_terminal::whole_file;

/// Arguments of `tsrec annotate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page: a file, an http(s) URL, or - for standard input. One that is no file is kept beside OUT, since labels without their page teach
    /// nothing.
    page: String,
    /// Where the labels go, such as DIR/annotations/ID.anno in a set of pages. If it is there, work goes on where it was left.
    out: PathBuf,
    /// Where a page that is no file is kept [default: OUT with the extension html]. From then on it is read from there.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Suggest labels by what a method extracts; they count when they are accepted.
    #[arg(long, value_parser = tsrec_terminal::methods::choice(), value_name = "METHOD", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    suggest: Option<Choice>,
    /// A page made by the same template, for --suggest; may be given several times.
    #[arg(long, value_name = "PAGE", requires = "suggest")]
    sibling: Vec<String>,
    /// What is remembered of the page's site (tsrec template learn, export): suggest what that believes, and show in the end what tsrec teach would change.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suggest", "sibling"])]
    site: Option<PathBuf>,
    /// Another page of the site, to show with --site what would change there; up to ten.
    #[arg(long, value_name = "PAGE", requires = "site")]
    other: Vec<String>,
    #[command(flatten)]
    options: Options,
    /// Write OUT without opening the screen, to be edited by hand: with --suggest what is suggested is accepted, without it the labels are left as they
    /// are, or open.
    #[arg(long)]
    no_screen: bool,
    #[command(flatten)]
    input: input::FetchArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    ensure!(
        args.no_screen || std::io::stdout().is_terminal(),
        "annotating needs a terminal, and standard output is none: run it without redirection (the labels go to {}), or with --no-screen \
         write the file to edit by hand",
        args.out.display()
    );
    ensure!(args.suggest.is_some() || !args.options.are_given(), "--model, --hr and --runs are for --suggest=METHOD");
    ensure!(args.other.len() <= MOST_TRIED, "--other was given {} times, {MOST_TRIED} at most", args.other.len());
    let mut reader = Reader::new(&args.input)?;
    let site = args.site.as_deref().map(template::read).transpose()?;
    let source = source::read(args, &mut reader)?;
    let document = html::parse(&source.bytes, None, reader.limits());
    let blocks = text_blocks(&document);
    ensure!(!blocks.is_empty(), "page {:?} has no text that a reader sees: there is nothing to annotate", args.page);
    let annotation = resume(args, &source, &blocks)?;
    let outline = Outline::new(&document, &blocks);
    let page = Page::new(&document);
    let suggestions = match (&site, args.suggest) {
        (Some(site), _) => {
            let believed = Cascade::default().with_site(Some(site)).extract(&page);
            suggest::suggest(&document, &blocks, &outline, &believed.content)
        }
        (None, Some(method)) => suggestions(args, method, &mut reader, &document, &blocks, &outline)?,
        (None, None) => Vec::new(),
    };
    let others = args.other.iter().map(|name| reader.read(name)).collect::<Result<Vec<_>>>()?;
    source.keep()?;
    let state = State::new(outline, annotation.labels().collect(), suggestions);
    label(args, annotation, state)?;
    match &site {
        Some(site) => show(args, site, &page, &source, &others, reader.limits()),
        None => Ok(()),
    }
}

/// Prints what teaching the site by these labels would change, and how that is done.
fn show(args: &Args, site: &Site, page: &Page<'_>, source: &Source, others: &[Input], limits: &Limits) -> Result<()> {
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

/// The labels that OUT has, if it is there. It must be this page's.
fn resume(args: &Args, source: &Source, blocks: &[TextBlock]) -> Result<Annotation> {
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

/// What the method's extraction says each block is.
fn suggestions(
    args: &Args,
    method: Choice,
    reader: &mut Reader,
    document: &Document,
    blocks: &[TextBlock],
    outline: &Outline,
) -> Result<Vec<BlockLabel>> {
    let mut siblings = Vec::new();
    for name in &args.sibling {
        let page = reader.read(name)?;
        siblings.push(html::parse(&page.bytes, page.charset.as_deref(), reader.limits()));
    }
    let mut tool = args.options.tool(method)?;
    tool.learn(&[std::iter::once(document).chain(&siblings).collect()]);
    let others: Vec<_> = siblings.iter().map(tag_sequence).collect();
    let others =
        args.sibling.iter().zip(&others).map(|(name, sequence)| Sibling { name: name.clone(), sequence, memory: None });
    let extractor = tool
        .extractor(others.collect(), None)
        .context("the template diff needs a page to compare with: name one with --sibling, or use --suggest=auto")?;
    let extraction = extractor.extract(&Page::new(document));
    Ok(suggest::suggest(document, blocks, outline, &extraction.content))
}

/// Lets a person label the page, or accepts what is suggested, and says how far it is labelled.
fn label(args: &Args, mut annotation: Annotation, mut state: State) -> Result<()> {
    let write = |annotation: &mut Annotation, state: &State| {
        annotation.set_labels(state.labels());
        whole_file::write(&args.out, annotation.to_string().as_bytes())
    };
    // A place that cannot be written to is found before there is work to lose.
    write(&mut annotation, &state)?;
    if args.no_screen {
        if args.suggest.is_some() || args.site.is_some() {
            state.apply(Action::AcceptAll);
            write(&mut annotation, &state)?;
        }
    } else {
        let page = escape(&args.page);
        run::run(&mut state, &page, |state| write(&mut annotation, state))?;
    }
    let (done, all) = (state.labelled(), state.labels().len());
    let rest = if done < all { "; the same command goes on with them" } else { "" };
    writeln!(std::io::stdout(), "{}: {done} of {all} blocks are labelled{rest}", args.out.display())?;
    Ok(())
}
