//! `tsrec teach` and `tsrec untaught`: what a person says of one page holds on its whole site, and can be taken back.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use url::{Host, Url};

use super::access::{self, Access, DataDir};
use super::input::{self, Input, Reader};
use super::template::{Where, read_or_new, write};
use super::usage::wrong;
use crate::eval::taught::{Difference, MOST_TRIED, with_annotation};
use crate::extract::Page;
use crate::html::{Limits, parse};
use crate::http::teach::{How, Lesson, Taught, Untaught, nothing_taught};
use crate::inspector::number_of;
use crate::template::{Learned, Site};

/// Arguments of `tsrec teach`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Before anything is saved it prints what would change on other pages: of a data directory on those whose bytes are kept, and on those \
                  that --other names. What speaks against the lesson is said, and it is not entered then, unless --force says so."
)]
pub(super) struct Args {
    /// The page: a file or an http(s) URL. It must be the very bytes that were annotated: tsrec annotate keeps those that it fetched.
    page: String,
    /// What tsrec annotate wrote of it.
    #[arg(long, value_name = "FILE")]
    annotation: PathBuf,
    /// The page's address, where the page is a file: its host is the site that is taught.
    #[arg(long, value_parser = super::input::url)]
    url: Option<Url>,
    /// Another page of the site, to show what changes there; up to ten.
    #[arg(long, value_name = "PAGE")]
    other: Vec<String>,
    /// Print what would change, and enter nothing.
    #[arg(long)]
    preview: bool,
    /// Enter the lesson whatever speaks against it.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    of: Where,
    #[command(flatten)]
    data_dir: DataDir,
    #[command(flatten)]
    input: input::FetchArgs,
}

/// Arguments of `tsrec untaught`.
#[derive(Debug, clap::Args)]
pub(super) struct UntaughtArgs {
    /// The template's number, as tsrec template list prints it.
    number: u32,
    #[command(flatten)]
    of: Where,
    #[command(flatten)]
    data_dir: DataDir,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut reader = Reader::new(&args.input)?;
    let mut page = reader.read(&args.page)?;
    page.url = args.url.clone().or(page.url);
    let annotation = std::fs::read_to_string(&args.annotation)
        .with_context(|| format!("{} cannot be read", args.annotation.display()))?;
    if args.other.len() > MOST_TRIED {
        return Err(wrong(format!("--other was given {} times, {MOST_TRIED} at most", args.other.len())));
    }
    let others = args.other.iter().map(|name| reader.read(name)).collect::<Result<Vec<_>>>()?;
    let lesson = Pupil { page, annotation, others, limits: reader.limits().clone() };
    match &args.of.memory {
        Some(file) => {
            let site = read_or_new(file)?;
            if let Some(taught) = lesson.enter(args, &site)? {
                write(file, &taught)?;
            }
            Ok(())
        }
        None => access::block_on(async {
            let host = args.of.host(lesson.page.url.as_ref())?;
            let access = Access::open(&args.data_dir).await?;
            lesson.enter_into(args, &access, &host).await
        }),
    }
}

pub(super) fn untaught(args: &UntaughtArgs) -> Result<()> {
    if let Some(file) = &args.of.memory {
        let mut site = super::template::read(file)?;
        if !site.forget_taught(args.number) {
            bail!(nothing_taught(args.number));
        }
        return write(file, &site);
    }
    access::block_on(async {
        let host = args.of.host(None)?;
        let access = Access::open(&args.data_dir).await?;
        match access.take_back(&host, args.number).await? {
            Some(follows) => tell_follows(follows),
            None => bail!(nothing_taught(args.number)),
        }
    })
}

/// The labelled page, and others to try it on.
struct Pupil {
    page: Input,
    annotation: String,
    others: Vec<Input>,
    limits: Limits,
}

impl Pupil {
    /// Enters it into a memory; `None` where that was only to be shown.
    fn enter(&self, args: &Args, site: &Site) -> Result<Option<Site>> {
        let (taught, learned, objections) = self.learned_by(site, args)?;
        self.show_others(site, &taught)?;
        tell_template(learned.number, learned.is_new, &args.page)?;
        check(&objections, args)?;
        Ok((!args.preview).then_some(taught))
    }

    /// Enters it into what a store remembers.
    async fn enter_into(&self, args: &Args, access: &Access, host: &str) -> Result<()> {
        let Input { url, bytes, charset, .. } = &self.page;
        let lesson = Lesson::of_bytes(url.clone(), bytes, charset.clone(), self.annotation.clone());
        let shown = access.teach(host, &lesson, How { force: args.force, preview: true }).await?;
        tell_template(shown.template, shown.is_new, &args.page)?;
        shown.differences.iter().try_for_each(tell)?;
        if !self.others.is_empty() {
            let site = access.site(host).await?;
            let (taught, ..) = self.learned_by(&site, args)?;
            self.show_others(&site, &taught)?;
        } else if shown.differences.is_empty() {
            let none = "no bytes of other pages of the template are kept: --other PAGE shows what changes there";
            writeln!(std::io::stderr(), "tsrec: {none}")?;
        }
        check(&shown.objections, args)?;
        if args.preview {
            return Ok(());
        }
        let Taught { follows, .. } = access.teach(host, &lesson, How { force: args.force, preview: false }).await?;
        tell_follows(follows)
    }

    /// The memory with the lesson, what came of learning it, and what speaks against it.
    fn learned_by(&self, site: &Site, args: &Args) -> Result<(Site, Learned, Vec<String>)> {
        let Input { name, bytes, charset, url } = &self.page;
        let document = parse(bytes, charset.as_deref(), &self.limits);
        let page = Page::new(&document).at(url.as_ref());
        let memory = with_annotation(&page, name, bytes, &self.annotation)
            .with_context(|| format!("{} cannot be used", args.annotation.display()))?;
        let objections = site.objections(&memory).iter().map(ToString::to_string).collect();
        let mut taught = site.clone();
        let learned = taught.learn(&memory);
        Ok((taught, learned, objections))
    }

    fn show_others(&self, before: &Site, after: &Site) -> Result<()> {
        self.others.iter().try_for_each(|other| show_difference(other, &self.limits, before, after))
    }
}

/// Prints what a change of memory changes on a page.
pub(super) fn show_difference(other: &Input, limits: &Limits, before: &Site, after: &Site) -> Result<()> {
    let document = parse(&other.bytes, other.charset.as_deref(), limits);
    tell(&Difference::of(&other.name, &Page::new(&document).at(other.url.as_ref()), before, after))
}

fn tell(difference: &Difference) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let Difference { page, words_before, words_after, gone, come } = difference;
    if difference.is_none() {
        writeln!(out, "{page}: {}, as before", number_of(words_before, "word"))?;
    } else {
        writeln!(out, "{page}: {}, then {words_after}", number_of(words_before, "word"))?;
    }
    for (mark, lines) in [('-', gone), ('+', come)] {
        lines.iter().try_for_each(|line| writeln!(out, "  {mark} {}", excerpt(line)))?;
    }
    Ok(())
}

/// Letters of a line that are shown.
const EXCERPT: usize = 100;

fn excerpt(line: &str) -> String {
    let mut letters = line.chars();
    let start: String = letters.by_ref().take(EXCERPT).collect();
    if letters.next().is_some() { start + "…" } else { start }
}

fn tell_template(number: u32, is_new: bool, page: &str) -> Result<()> {
    let new = if is_new { " (new)" } else { "" };
    Ok(writeln!(std::io::stdout(), "template {number}{new} is taught by {page}")?)
}

fn tell_follows(follows: Untaught) -> Result<()> {
    Ok(writeln!(std::io::stderr(), "tsrec: {follows}")?)
}

/// Asks for leave where something speaks against a lesson.
fn check(objections: &[String], args: &Args) -> Result<()> {
    for objection in objections {
        writeln!(std::io::stderr(), "tsrec: {objection}")?;
    }
    if !objections.is_empty() && !args.force && !args.preview {
        bail!("the lesson was not entered: --force enters it all the same");
    }
    Ok(())
}

/// The host as URLs write it.
pub(super) fn host_of(url: Option<&Url>, host: Option<&Host>) -> Option<String> {
    host.map(Host::to_string).or_else(|| url.and_then(Url::host_str).map(str::to_owned))
}
