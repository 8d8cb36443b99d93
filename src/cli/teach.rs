//! `tsrec teach`: what a person says of one page holds on its whole site, and can be taken back.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use url::Url;

use super::access::{self, Access, DataDir};
use super::template::{Where, read, read_or_new, write};
use crate::cli::input;
use crate::cli::input::PageReader;
use tsrec_core::extract::Page;
use tsrec_core::html::{Limits, parse};
use tsrec_core::taught::{Difference, MOST_TRIED, with_annotation};
use tsrec_core::template::{Learned, Site};
use tsrec_core::words::number_of;
use tsrec_server::http::teach::{FollowingPages, How, Lesson, undecided};
use tsrec_terminal::input::Input;
use tsrec_terminal::usage::wrong;

/// Arguments of `tsrec teach`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Before anything is saved it prints what would change on the page and on others: those that --other names and, of a data directory, those whose \
                  bytes are kept. Some are with [store] raw_bytes, which is 0 unless set; else those of first pages alone, until they are extracted again. \
                  What speaks against the lesson is said, and it is not entered then, unless --force says so. Every block must have a label: tsrec annotate \
                  goes on where it stopped."
)]
pub(super) struct Args {
    /// The page: a file or an http(s) URL. It must be the very bytes that were annotated: tsrec
    /// annotate keeps those that it fetched.
    #[arg(required_unless_present = "undo")]
    page: Option<String>,
    /// What tsrec annotate wrote of it.
    #[arg(long, value_name = "FILE", required_unless_present = "undo")]
    annotation: Option<PathBuf>,
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
    /// Take back what the template of this number was taught; tsrec template list prints the
    /// numbers.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["page", "annotation", "url", "other", "preview", "force"])]
    undo: Option<u32>,
    #[command(flatten)]
    of: Where,
    #[command(flatten)]
    data_dir: DataDir,
    #[command(flatten)]
    input: input::FetchArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    match (&args.page, &args.annotation, args.undo) {
        (Some(page), Some(annotation), None) => teach(args, page, annotation),
        (_, _, Some(number)) => undo(args, number),
        _ => Err(wrong("a page and its --annotation, or --undo")),
    }
}

fn teach(args: &Args, page: &str, file: &Path) -> Result<()> {
    let mut reader = PageReader::new(&args.input)?;
    let mut page = reader.read(page)?;
    page.url = args.url.clone().or(page.url);
    let annotation = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    if args.other.len() > MOST_TRIED {
        return Err(wrong(format!("--other was given {} times, {MOST_TRIED} at most", args.other.len())));
    }
    let others = args.other.iter().map(|name| reader.read(name)).collect::<Result<Vec<_>>>()?;
    let lesson = LabelledPage { page, file: file.to_owned(), annotation, others, limits: reader.limits().clone() };
    match &args.of.memory {
        Some(file) => lesson.enter(args, file),
        None => access::block_on(async {
            let host = args.of.host(lesson.page.url.as_ref())?;
            let access = Access::open_with_frontier(&args.data_dir).await?;
            lesson.enter_into(args, &access, &host).await
        }),
    }
}

fn undo(args: &Args, number: u32) -> Result<()> {
    let of = &args.of;
    let name = of.name()?;
    let follows = match &of.memory {
        Some(file) => forget_taught(file, number)?.then_some(None),
        None => access::block_on(async {
            let access = Access::open_with_frontier(&args.data_dir).await?;
            Ok(access.take_back(&name, number).await?.map(Some))
        })?,
    };
    let Some(follows) = follows else {
        return Err(of.lacks(&format!("template {number} that was taught anything")));
    };
    writeln!(std::io::stdout(), "template {number} of {name} is no longer taught")?;
    follows.map_or(Ok(()), tell_follows)
}

/// Takes back what a template of a file was taught; false when nothing was, or there is none of
/// that number.
fn forget_taught(file: &Path, number: u32) -> Result<bool> {
    let mut site = read(file)?;
    let was_taught = site.forget_taught(number);
    if was_taught {
        write(file, &site)?;
    }
    Ok(was_taught)
}

/// The labelled page, and others to try it on.
struct LabelledPage {
    page: Input,
    /// Where the annotation was read.
    file: PathBuf,
    annotation: String,
    others: Vec<Input>,
    limits: Limits,
}

impl LabelledPage {
    /// Enters it into a memory file, unless that was only to be shown.
    fn enter(&self, args: &Args, file: &Path) -> Result<()> {
        let site = read_or_new(file)?;
        let entered = self.entered_into(&site)?;
        tell(&entered.own)?;
        self.show_others(&site, &entered.site)?;
        tell_undecided(entered.undecided_words)?;
        check(&entered.objections, args)?;
        if !args.preview {
            write(file, &entered.site)?;
        }
        tell_template(args, entered.learned.number, entered.learned.is_new)
    }

    /// Enters it into what a store remembers.
    async fn enter_into(&self, args: &Args, access: &Access, host: &str) -> Result<()> {
        let Input { url, bytes, charset, .. } = &self.page;
        let lesson = Lesson::of_bytes(url.clone(), bytes, charset.clone(), self.annotation.clone());
        let shown = access.teach(host, &lesson, How { force: args.force, preview: true }).await?;
        std::iter::once(&shown.own).chain(&shown.differences).try_for_each(tell)?;
        if !self.others.is_empty() {
            let site = access.site(host).await?;
            self.show_others(&site, &self.entered_into(&site)?.site)?;
        } else if shown.differences.is_empty() {
            let none = "no bytes of other pages of the template are kept ([store] raw_bytes): --other PAGE shows what changes there";
            writeln!(std::io::stderr(), "tsrec: {none}")?;
        }
        tell_undecided(shown.undecided_words)?;
        check(&shown.objections, args)?;
        if args.preview {
            return tell_template(args, shown.template, shown.is_new);
        }
        let taught = access.teach(host, &lesson, How { force: args.force, preview: false }).await?;
        // The site may have learned since it was shown.
        ensure!(taught.applied, taught.refusal());
        tell_template(args, taught.template, taught.is_new)?;
        tell_follows(taught.follows)
    }

    /// What the lesson makes of a memory.
    fn entered_into(&self, before: &Site) -> Result<Entered> {
        let Input { name, bytes, charset, url } = &self.page;
        let document = parse(bytes, charset.as_deref(), &self.limits);
        let page = Page::new(&document).at(url.as_ref());
        let memory = with_annotation(&page, name, bytes, &self.annotation)
            .with_context(|| format!("{} cannot be used", self.file.display()))?;
        let objections = before.objections(&memory).iter().map(ToString::to_string).collect();
        let mut site = before.clone();
        let learned = site.learn(&memory);
        let own = Difference::between(name, &page, before, &site);
        Ok(Entered { site, learned, objections, own, undecided_words: memory.undecided_words() })
    }

    fn show_others(&self, before: &Site, after: &Site) -> Result<()> {
        self.others.iter().try_for_each(|other| show_difference(other, &self.limits, before, after))
    }
}

/// A memory with a lesson.
struct Entered {
    site: Site,
    learned: Learned,
    /// What speaks against the lesson.
    objections: Vec<String>,
    /// What it changes on the page itself.
    own: Difference,
    /// See [`Taught::undecided_words`](tsrec_server::http::teach::Taught::undecided_words).
    undecided_words: u64,
}

/// Prints what a change of memory changes on a page.
pub(super) fn show_difference(other: &Input, limits: &Limits, before: &Site, after: &Site) -> Result<()> {
    let document = parse(&other.bytes, other.charset.as_deref(), limits);
    tell(&Difference::between(&other.name, &Page::new(&document).at(other.url.as_ref()), before, after))
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

/// Prints which template is taught, or would be: last, since until it is entered none is.
fn tell_template(args: &Args, number: u32, is_new: bool) -> Result<()> {
    let (new, is) = (if is_new { " (new)" } else { "" }, if args.preview { "would be" } else { "is" });
    Ok(writeln!(
        std::io::stdout(),
        "template {number}{new} {is} taught by {}",
        args.page.as_deref().unwrap_or_default()
    )?)
}

fn tell_undecided(words: u64) -> Result<()> {
    undecided(words).map_or(Ok(()), |said| Ok(writeln!(std::io::stderr(), "tsrec: {said}")?))
}

fn tell_follows(follows: FollowingPages) -> Result<()> {
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
