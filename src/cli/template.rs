//! `tsrec template`: what is remembered of a site's templates, in a file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Subcommand;

use super::viewer::{RenderArgs, Viewer};
use super::{input, whole_file};
use crate::eval::annotation;
use crate::evidence;
use crate::evidence::lesson::Lesson;
use crate::extract::Page;
use crate::extract::scored::Scored;
use crate::html::parse;
use crate::template::{Learned, Site, Template};

/// Arguments of `tsrec template`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Remember pages of a site: extract --memory then needs no sibling.
    Learn(Learn),
    /// Remember a page together with what a person labelled of it (tsrec annotate): at its places that outweighs the score, on all pages of the template.
    Teach(Teach),
    /// Take back what was taught of a template.
    Untaught(One),
    /// List the templates: number, pages, places, bytes, and between which of the pages they were served.
    List(Of),
    /// Print the places of a template: pages, blocks and words there, what repeats, what the score thinks of them, and what was taught.
    Show(One),
    /// Forget a template.
    Drop(One),
}

#[derive(Debug, clap::Args)]
struct Learn {
    /// Pages of one site, in the order in which they are remembered: files or http(s) URLs.
    #[arg(required = true, value_name = "PAGE")]
    pages: Vec<String>,
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    render: RenderArgs,
    #[command(flatten)]
    input: input::FetchArgs,
}

#[derive(Debug, clap::Args)]
struct Teach {
    /// The page: a file or an http(s) URL.
    page: String,
    /// What tsrec annotate wrote of it.
    #[arg(long, value_name = "FILE")]
    annotation: PathBuf,
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    input: input::FetchArgs,
}

#[derive(Debug, clap::Args)]
struct Of {
    /// The memory. For learn and teach a file that need not be there yet.
    #[arg(long, value_name = "FILE")]
    memory: PathBuf,
}

#[derive(Debug, clap::Args)]
struct One {
    /// The template's number, as list prints it.
    number: u32,
    #[command(flatten)]
    of: Of,
}

pub(super) fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Learn(args) => learn(args),
        Command::Teach(args) => teach(args),
        Command::Untaught(one) => change(one, Site::forget_taught),
        Command::List(of) => list(&read(&of.memory)?),
        Command::Show(one) => show(&read(&one.of.memory)?, one.number),
        Command::Drop(one) => change(one, Site::forget),
    }
}

/// Reads a memory that was made with the model that ships.
pub(super) fn read(path: &Path) -> Result<Site> {
    let file = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Site::from_file(&file, &Scored::shipped().digest()).with_context(|| path.display().to_string())
}

fn read_or_new(path: &Path) -> Result<Site> {
    if path.exists() { read(path) } else { Ok(Site::default()) }
}

fn write(path: &Path, site: &Site) -> Result<()> {
    whole_file::write(path, &site.to_file(&Scored::shipped().digest()))
}

fn learn(args: &Learn) -> Result<()> {
    let mut site = read_or_new(&args.of.memory)?;
    let mut reader = input::Reader::new(&args.input)?;
    let mut viewer = Viewer::new(&args.render)?;
    let mut out = std::io::stdout().lock();
    for name in &args.pages {
        let input = reader.read(name)?;
        let document = viewer.view(&input, reader.limits())?.document;
        let memory = Scored::shipped().remember(&Page::new(&document).at(input.url.as_ref()));
        let Learned { number, is_new } = site.learn(&memory);
        writeln!(out, "template {number}{}  {name}", if is_new { " (new)" } else { "" })?;
    }
    write(&args.of.memory, &site)
}

fn teach(args: &Teach) -> Result<()> {
    let mut site = read_or_new(&args.of.memory)?;
    let mut reader = input::Reader::new(&args.input)?;
    let input = reader.read(&args.page)?;
    let document = parse(&input.bytes, input.charset.as_deref(), reader.limits());
    let page = Page::new(&document).at(input.url.as_ref());
    let labels = std::fs::read_to_string(&args.annotation)
        .with_context(|| format!("{} cannot be read", args.annotation.display()))?;
    let gold = annotation::read_gold(&input.name, &input.bytes, &document, &labels)
        .with_context(|| format!("{} cannot be used", args.annotation.display()))?;
    let mut memory = Scored::shipped().remember(&page);
    let lesson = Lesson::new(page.analysis().clone(), None, None, None, &gold);
    evidence::teach(&mut memory, page.analysis(), &lesson.kept);
    let Learned { number, is_new } = site.learn(&memory);
    let new = if is_new { " (new)" } else { "" };
    writeln!(std::io::stdout().lock(), "template {number}{new} was taught by {}", args.page)?;
    write(&args.of.memory, &site)
}

fn list(site: &Site) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "template  pages  places    bytes  served")?;
    for template in site.templates() {
        let Template { number, memory, first, last, .. } = template;
        let (pages, places, bytes) = (memory.pages(), memory.places().len(), template.bytes());
        writeln!(out, "{number:>8} {pages:>6} {places:>7} {bytes:>8}  {first} to {last} of {}", site.pages())?;
    }
    Ok(())
}

fn show(site: &Site, number: u32) -> Result<()> {
    let template = find(site, number)?;
    let judged = Scored::shipped().places(&template.memory);
    let mut out = std::io::stdout().lock();
    writeln!(out, "place             pages blocks   words repeats  blocks'  place's  taught")?;
    for ((key, place), likely) in template.memory.places().zip(judged) {
        let (pages, blocks, words, repeats) = (place.pages(), place.blocks(), place.words(), place.repeated());
        let taught = place.taught().map_or_else(|| "-".to_owned(), |share| format!("{share:.2}"));
        let own = place.likely().0;
        writeln!(
            out,
            "{key:016x} {pages:>6} {blocks:>6} {words:>7} {repeats:>7.2} {own:>8.2} {likely:>8.2} {taught:>7}"
        )?;
    }
    Ok(())
}

/// Does something to a template, and writes the memory.
fn change(one: &One, change: impl Fn(&mut Site, u32) -> bool) -> Result<()> {
    let mut site = read(&one.of.memory)?;
    find(&site, one.number)?;
    change(&mut site, one.number);
    write(&one.of.memory, &site)
}

fn find(site: &Site, number: u32) -> Result<&Template> {
    let found = site.templates().iter().find(|template| template.number == number);
    match found {
        Some(template) => Ok(template),
        None => bail!("there is no template {number}: tsrec template list shows those that there are"),
    }
}
