//! `tsrec extract --batch`: many pages, streamed.
//!
//! Threads take the pages one by one, in the order of the input, read and extract them; the main
//! thread writes the results in that order. What is in memory does not depend on how many pages
//! there are: the pages in work, results that wait for one before them, and the sites that are
//! remembered.

mod archive;
mod entry;
mod folder;
mod list;
mod sink;
mod sites;
mod stats;
mod work;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};

pub(super) use self::archive::is_archive;
use self::entry::{BatchPage, BatchSource, Unusable};
use self::sink::{BatchOutput, Ids};
use self::sites::{RecentSites, Slots};
use self::stats::BatchStats;
use self::work::{BatchJob, BatchResult, BatchSettings};
use crate::cli::output::{Format, OutputShape};
use tsrec_core::extract::choice::Choice;
use tsrec_core::html::Limits;
use tsrec_core::template::Site;
use tsrec_terminal::methods::MethodOptions;
use tsrec_terminal::parallel::{Ahead, in_order, processors};
use tsrec_terminal::show::Show;
use tsrec_terminal::usage;
use tsrec_terminal::usage::wrong;

/// The exit code of a batch of which some pages could not be extracted.
const SOME_FAILED: u8 = 5;

/// Bytes of results that wait for a page before them. Judgement: a page that takes a second lets a
/// few hundred others pass.
const AHEAD: usize = 32 << 20;

/// Arguments of `tsrec extract --batch`.
#[derive(Debug, clap::Args)]
pub(super) struct BatchArgs {
    /// Extract many pages instead of one. A folder: its .html, .htm and .html.gz files, also in
    /// folders within, or those that a meta.jsonl in it or above it names (id, url, site). A web
    /// archive (.warc, .warc.gz, .warc.zst, .wacz): its HTML pages that were answered with success,
    /// by their addresses. Another file, or - for standard input: a page a line, as a path, as a
    /// path, a tab and its URL, or as a JSON object with path (or html), url, id, site.
    #[arg(long, value_name = "LIST|DIR", conflicts_with_all = ["page", "sibling", "url", "with", "explain", "render"])]
    pub(super) batch: Option<PathBuf>,
    /// With --batch: where results go, in the order of the input. A file whose name ends with
    /// .jsonl: a JSON object a line, as on standard output; any other name is a folder, which gets
    /// a file a page, called by its id.
    #[arg(long, value_name = "DIR|FILE.jsonl")]
    out: Option<PathBuf>,
    /// With --batch: pages that are worked on at once [default: as many as there are processors].
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// With --batch: remember each site's templates as its pages come, and extract the pages after
    /// from that. Pages are of one site by the site that the input names, or else by the
    /// registrable domain of their URL. The last 256 sites that were met are remembered.
    #[arg(long, conflicts_with = "memory")]
    sites: bool,
    /// With --batch: end with a JSON line on standard error: pages, errors, bytes, parse_seconds
    /// and extract_seconds (the latter from bytes to content, parsing included; of processor time,
    /// summed over threads, without files), wall_seconds, peak_rss_bytes.
    #[arg(long)]
    stats: bool,
}

impl BatchArgs {
    /// Refuses what means nothing for one page.
    pub(super) fn check_for_one(&self) -> Result<()> {
        let given = [
            ("--out", self.out.is_some()),
            ("--jobs", self.jobs.is_some()),
            ("--sites", self.sites),
            ("--stats", self.stats),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(wrong(format!("{name} is for many pages: it goes with --batch"))),
            None => Ok(()),
        }
    }
}

/// What the rest of the command line says.
pub(super) struct BatchOptions<'a> {
    pub(super) choice: Choice,
    pub(super) options: &'a MethodOptions,
    pub(super) format: Format,
    pub(super) shape: OutputShape,
    /// What is remembered of the site that all pages are of.
    pub(super) memory: Option<Site>,
    pub(super) limits: &'a Limits,
}

/// Extracts the pages of a list or folder.
pub(super) fn run(args: &BatchArgs, input: &Path, asked: BatchOptions<'_>) -> Result<ExitCode> {
    let BatchOptions { choice, options, format, shape, memory, limits } = asked;
    usage::ensure(
        !args.sites || choice == Choice::Auto,
        "--sites is for --method auto: no other method asks what is remembered of a site",
    )?;
    let tool = options.tool(choice)?;
    if tool.learns() {
        return Err(wrong(format!(
            "--method {choice} learns from a page and its siblings, which a batch does not know"
        )));
    }
    if tool.extractor(Vec::new(), memory.as_ref()).is_none() {
        return Err(wrong(format!(
            "--method {choice} compares a page with a sibling, which a batch does not name; --method auto with --sites remembers instead"
        )));
    }
    if let Some(out) = args.out.as_deref().filter(|out| is_folder_of(input, out)) {
        return Err(wrong(format!(
            "{} is where the pages are: results could take the place of pages; name another folder with --out",
            out.display()
        )));
    }
    let source = BatchSource::open(input, limits.bytes)?;
    let mut sink = BatchOutput::open(args.out.as_deref())?;
    let jobs = args.jobs.map_or_else(processors, NonZeroUsize::get);
    // A page waits for those of its site before it: then another thread has its processor.
    let threads = if args.sites { 2 * jobs } else { jobs };
    let settings = BatchSettings {
        tool,
        memory,
        limits,
        format,
        shape,
        folder: sink.folder().map(Path::to_owned),
        slots: Slots::new(jobs),
    };
    let mut stats = BatchStats::new(jobs, source.skipped());
    let mut show = Show::new("pages extracted", args.out.is_none());
    let mut sites = args.sites.then(RecentSites::default);
    let share = source.share();
    let mut ids = settings.folder.is_some().then(Ids::default);
    let pages = source.map(|entry| {
        let entry = entry.and_then(|entry| match ids.as_mut().is_none_or(|ids| ids.add(&entry.id)) {
            true => Ok(entry),
            false => Err(Unusable { why: anyhow!("a page before it has the same id"), id: entry.id }),
        });
        let site = entry.as_ref().ok().and_then(BatchPage::site_name);
        let turn = site.and_then(|site| Some(sites.as_mut()?.turn(&site)));
        BatchJob { entry, turn }
    });
    let ahead = Ahead { threads, bytes: AHEAD };
    let done = in_order(
        pages,
        ahead,
        |job| settings.work(job),
        BatchResult::size,
        |done| {
            stats.add(&done);
            show.step(stats.pages, stats.errors, share.done());
            sink.write(&done)
        },
    );
    show.end();
    done.and_then(|()| sink.close())?;
    stats.tell(args.stats)?;
    Ok(if stats.errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// Whether a folder is the one that pages are read from.
fn is_folder_of(input: &Path, folder: &Path) -> bool {
    let Some(folder) = folder.canonicalize().ok().filter(|_| input.is_dir()) else { return false };
    [input.to_owned(), input.join("html")].iter().any(|pages| pages.canonicalize().is_ok_and(|pages| pages == folder))
}
