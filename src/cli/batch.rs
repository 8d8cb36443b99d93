//! `tsrec extract --batch`: extracts many pages, as a stream.
//!
//! Threads take the pages one by one, in the order of the input, then read and extract them. The
//! main thread writes the results in that order. Memory does not depend on the number of pages. It
//! holds the pages in work, the results that wait for an earlier one, and the remembered sites.

mod archive;
mod entry;
mod folder;
mod list;
mod sink;
mod sites;
mod stats;
mod work;

use std::io::Write;
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
use crate::cli::filter::FilterArgs;
use crate::cli::output::{Format, OutputShape};
use tsrec_core::extract::PageContext;
use tsrec_core::extract::choice::Choice;
use tsrec_core::html::{Limits, parse};
use tsrec_core::template::Site;
use tsrec_core::words::number_of;
use tsrec_terminal::methods::MethodOptions;
use tsrec_terminal::parallel::{Ahead, in_order, processors};
use tsrec_terminal::show::Show;
use tsrec_terminal::usage;
use tsrec_terminal::usage::wrong;

/// The exit code of a batch with some failed pages.
const SOME_FAILED: u8 = 5;

/// The most bytes of results that wait for an earlier page. Judgement: while one page takes a
/// second, a few hundred others can finish.
const AHEAD: usize = 32 << 20;

/// Arguments of `tsrec extract --batch`.
#[derive(Debug, clap::Args)]
pub(super) struct BatchArgs {
    /// Extract many pages instead of one. LIST|DIR is a folder, a web archive, another file, or -
    /// for standard input. Folder: its .html, .htm and .html.gz files, including those in
    /// subfolders. If the folder or one above it has a meta.jsonl (id, url, site), only the files
    /// that it names. Web archive (.warc, .warc.gz, .warc.zst, .wacz): its HTML pages with a
    /// successful response, with their URLs. Other file or standard input: one page per line. A
    /// line is a path, or a path, a tab and its URL, or a JSON object with path (or html), url, id,
    /// site.
    #[arg(long, value_name = "LIST|DIR", conflicts_with_all = ["page", "sibling", "url", "with", "explain", "render"])]
    pub(super) batch: Option<PathBuf>,
    /// With --batch: where to write the results, in input order. If the name ends with .jsonl, it
    /// is a file with one JSON object per line, as on standard output. If it ends with .csv, it has
    /// comma-separated values: id, url, site, title, authors, published, language, kind, method,
    /// confidence, words, and the content. Any other name is a folder with one file per page. It is
    /// named by the id that the input gives, else by the page's URL, in folders as the site has
    /// them. index.jsonl lists file and URL of each.
    #[arg(long, value_name = "DIR|FILE.jsonl|FILE.csv")]
    out: Option<PathBuf>,
    /// With --batch: the number of parallel workers [default: as many as there are processors].
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// With --batch: learn each site's templates as its pages come, and use them to extract later
    /// pages. The input can name the site of a page. If it does not, the site is the registrable
    /// domain of the URL. Only the last 256 sites are remembered.
    #[arg(long, conflicts_with = "memory")]
    sites: bool,
    /// With --batch: end with a JSON line on standard error. Its fields: pages, errors, bytes,
    /// parse_seconds, extract_seconds, wall_seconds, peak_rss_bytes. extract_seconds runs from
    /// bytes to content and includes parsing. parse_seconds and extract_seconds are processor time,
    /// summed over threads, without file access.
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

impl BatchArgs {
    /// Refuses options that have no meaning for one page.
    pub(super) fn check_for_one(&self) -> Result<()> {
        let given = [
            ("--out", self.out.is_some()),
            ("--jobs", self.jobs.is_some()),
            ("--sites", self.sites),
            ("--stats", self.stats),
            ("--language and --dedupe", self.filter.is_given()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(wrong(format!("{name} is for many pages: it goes with --batch"))),
            None => Ok(()),
        }
    }
}

/// Options from the rest of the command line.
pub(super) struct BatchOptions<'a> {
    pub(super) choice: Choice,
    pub(super) options: &'a MethodOptions,
    pub(super) format: Format,
    pub(super) shape: OutputShape,
    /// The memory of the site, if all pages are of one site.
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
    let method = options.extractor(choice)?;
    if method.learns() {
        return Err(wrong(format!(
            "--method {choice} learns from a page and its siblings, which a batch does not know"
        )));
    }
    if method.extract(&PageContext::alone(&parse(b"", None, limits))).is_err() {
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
    let mut sink = BatchOutput::open(args.out.as_deref(), format)?;
    let jobs = args.jobs.map_or_else(processors, NonZeroUsize::get);
    // A page waits for earlier pages of its site. Meanwhile another thread uses its processor.
    let threads = if args.sites { 2 * jobs } else { jobs };
    let settings = BatchSettings {
        method,
        memory,
        limits,
        format,
        shape,
        folder: sink.folder().map(Path::to_owned),
        slots: Slots::new(jobs),
        has_filter: args.filter.is_given(),
    };
    let mut filter = args.filter.filter();
    let mut stats = BatchStats::new(jobs, source.skipped());
    let mut show = Show::new("pages extracted", args.out.is_none());
    let mut sites = args.sites.then(RecentSites::default);
    let share = source.share();
    let mut ids = settings.folder.is_some().then(Ids::default);
    let pages = source.map(|entry| {
        let entry =
            entry.and_then(|entry| match ids.as_mut().is_none_or(|ids| ids.add(&entry.file(format.ending()))) {
                true => Ok(entry),
                false => {
                    Err(Unusable { why: anyhow!("a page before it has the same id, or the same URL"), id: entry.id })
                }
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
            match done.traits.as_ref().is_none_or(|traits| filter.keeps(traits)) {
                true => sink.write(&done),
                false => settings.remove(&done),
            }
        },
    );
    show.end();
    done.and_then(|()| sink.close())?;
    if settings.has_filter {
        writeln!(std::io::stderr(), "tsrec: {} dropped", number_of(filter.dropped, "page"))?;
    }
    stats.tell(args.stats)?;
    Ok(if stats.errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

/// Whether this folder is the one that the batch reads.
fn is_folder_of(input: &Path, folder: &Path) -> bool {
    let Some(folder) = folder.canonicalize().ok().filter(|_| input.is_dir()) else { return false };
    [input.to_owned(), input.join("html")].iter().any(|pages| pages.canonicalize().is_ok_and(|pages| pages == folder))
}
