//! `tsrec teach`: applies a person's labels of one page to its whole site. They can be taken back.

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
    after_help = "Before it saves anything, tsrec teach prints what would change on this page and on others. The others are the pages that --other names and, in a \
                  data directory, the pages whose bytes are kept. [store] bodies_bytes sets how many bytes are kept (default: 1 GB). If something speaks against the lesson, tsrec teach reports it and does not save the lesson. \
                  Give --force to save it anyway. Every block must have a label. If some are missing, run tsrec annotate again: it continues where it stopped."
)]
pub(super) struct Args {
    /// The page: a file or an http(s) URL. Its bytes must be exactly those that were annotated.
    /// tsrec annotate keeps the bytes that it fetched.
    #[arg(required_unless_present = "undo")]
    page: Option<String>,
    /// The file that tsrec annotate wrote for this page.
    #[arg(long, value_name = "FILE", required_unless_present = "undo")]
    annotation: Option<PathBuf>,
    /// The page's URL, if the page is a file. Its host is the site to teach.
    #[arg(long, value_parser = super::input::url)]
    url: Option<Url>,
    /// Another page of the site, to show what would change there. Give up to ten.
    #[arg(long, value_name = "PAGE")]
    other: Vec<String>,
    /// Print what would change, and save nothing.
    #[arg(long)]
    preview: bool,
    /// Save the lesson even if something speaks against it.
    #[arg(long)]
    force: bool,
    /// Undo what was taught to the template with this number. tsrec template list prints the
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

/// Removes the lessons of a template in a file. False if it had none, or if there is no template
/// with that number.
fn forget_taught(file: &Path, number: u32) -> Result<bool> {
    let mut site = read(file)?;
    let was_taught = site.forget_taught(number);
    if was_taught {
        write(file, &site)?;
    }
    Ok(was_taught)
}

/// The labelled page, and other pages to test the labels on.
struct LabelledPage {
    page: Input,
    /// The file of the annotation.
    file: PathBuf,
    annotation: String,
    others: Vec<Input>,
    limits: Limits,
}

impl LabelledPage {
    /// Adds the lesson to a memory file, except in a preview.
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

    /// Adds the lesson to a store's memory.
    async fn enter_into(&self, args: &Args, access: &Access, host: &str) -> Result<()> {
        let Input { url, bytes, charset, .. } = &self.page;
        let lesson = Lesson::of_bytes(url.clone(), bytes, charset.clone(), self.annotation.clone());
        let shown = access.teach(host, &lesson, How { force: args.force, preview: true, ..How::default() }).await?;
        std::iter::once(&shown.own).chain(&shown.differences).try_for_each(tell)?;
        if !self.others.is_empty() {
            let site = access.site(host).await?;
            self.show_others(&site, &self.entered_into(&site)?.site)?;
        } else if shown.differences.is_empty() {
            let none = "no bytes of other pages of the template are kept ([store] bodies_bytes): --other PAGE shows what changes there";
            writeln!(std::io::stderr(), "tsrec: {none}")?;
        }
        tell_undecided(shown.undecided_words)?;
        check(&shown.objections, args)?;
        if args.preview {
            return tell_template(args, shown.template, shown.is_new);
        }
        let taught = access.teach(host, &lesson, How { force: args.force, ..How::default() }).await?;
        // The site may have learned more since the preview.
        ensure!(taught.applied, taught.refusal());
        tell_template(args, taught.template, taught.is_new)?;
        tell_follows(taught.follows)
    }

    /// A memory with the lesson added.
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
    /// Reasons against the lesson.
    objections: Vec<String>,
    /// The changes on the page itself.
    own: Difference,
    /// See [`Taught::undecided_words`](tsrec_server::http::teach::Taught::undecided_words).
    undecided_words: u64,
}

/// Prints how a change of memory changes a page.
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

/// Number of characters of a line to show.
const EXCERPT: usize = 100;

fn excerpt(line: &str) -> String {
    let mut letters = line.chars();
    let start: String = letters.by_ref().take(EXCERPT).collect();
    if letters.next().is_some() { start + "…" } else { start }
}

/// Prints which template is taught, or would be. It comes last, since no template is taught before
/// the lesson is entered.
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

/// Prints the objections to a lesson. If there are any, it fails without `--force` or `--preview`.
fn check(objections: &[String], args: &Args) -> Result<()> {
    for objection in objections {
        writeln!(std::io::stderr(), "tsrec: {objection}")?;
    }
    if !objections.is_empty() && !args.force && !args.preview {
        bail!("the lesson was not entered: --force enters it all the same");
    }
    Ok(())
}
