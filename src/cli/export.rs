//! `tsrec export`: the records of the store, in the order of their changes, for other programs.

mod folder;
mod lines;
mod out;
mod parquet;
mod warc;

use std::hash::BuildHasher;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use rustc_hash::FxBuildHasher;
use url::Host;

use self::folder::Folder;
use self::lines::Lines;
use self::out::Out;
use self::parquet::Parquet;
use self::warc::WarcExport;
use super::access::{self, Access, ChangesRequest, DataDir};
use super::filter::{FilterArgs, FilterTraits, PageFilter};
use super::loss;
use tsrec_core::evidence::kind::PageKind;
use tsrec_core::words::number_of;
use tsrec_server::http::MAX_LIMIT_WITH_CONTENT;
use tsrec_store::{ChangeKind, Cursor, PageRecord};
use tsrec_terminal::show::Show;
use tsrec_terminal::usage;

/// Arguments of `tsrec export`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Records come in the order of their changes, oldest first. With --host and without --since, they come by URL. If a running daemon changes a page \
                  during the export, the page comes again; the later record counts. The last line on standard error is a cursor. Pass it to --since to export \
                  only what changed after it."
)]
pub(super) struct Args {
    /// The output format.
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    format: ExportFormat,
    /// Where to write [default: standard output]. A file appears once it is complete. With --format
    /// markdown-dir, this is a folder.
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// The compression. The default is none for JSON lines and CSV, gzip for web archives, and zstd
    /// for Parquet.
    #[arg(long, value_enum)]
    compress: Option<ExportCompression>,
    /// Only changes after this cursor. The previous export printed it as its last line on standard
    /// error.
    #[arg(long, value_name = "CURSOR")]
    since: Option<Cursor>,
    /// Only pages of this host.
    #[arg(long, value_parser = super::input::host)]
    host: Option<Host>,
    /// Only pages of these kinds. Separate several with commas.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(PageKind::ALL.map(PageKind::as_str)), value_name = "KINDS")]
    kind: Vec<String>,
    /// Only pages with at least this confidence, from 0 to 1.
    #[arg(long, value_name = "P", value_parser = probability)]
    min_confidence: Option<f64>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    data_dir: DataDir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// JSON lines: one record per line, as `tsrec get --format json` prints it.
    Jsonl,
    /// Comma-separated values with a head: url, host, title, authors, published, language, kind,
    /// method, confidence, words, fetched_at, text.
    Csv,
    /// Apache Parquet, one row per record. docs/export.md lists the columns.
    Parquet,
    /// A web archive (WARC 1.1). It has each record's text, as in Common Crawl's WET files, and its
    /// other fields as metadata.
    Warc,
    /// A folder with one Markdown file per page, and one subfolder per host. With --since, files of
    /// pages that are gone or no longer match the filters are removed.
    MarkdownDir,
}

/// Compression of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportCompression {
    Zstd,
    Gzip,
}

fn probability(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| "it must be a number from 0 to 1".to_owned())
}

/// Takes the exported records.
trait RecordSink {
    fn put(&mut self, record: PageRecord) -> Result<()>;

    /// Called for a page that no longer has a record, or none that matches the filters.
    fn remove(&mut self, _url: &str) -> Result<()> {
        Ok(())
    }

    /// Called between two answers of the feed: buffered records may be written.
    fn flush(&mut self) -> Result<()>;

    /// Ends the output.
    fn close(self: Box<Self>) -> Result<()>;
}

pub(super) fn run(args: &Args) -> Result<()> {
    access::block_on(export(args))
}

async fn export(args: &Args) -> Result<()> {
    let access = Access::open(&args.data_dir).await?;
    let mut sink = args.sink()?;
    let mut show = Show::new("records", args.out.is_none());
    let mut wanted = Wanted { args, filter: args.filter.filter() };
    let cursor = match args.whole_host() {
        Some(host) => put_host(&mut wanted, &access, &host, &mut *sink, &mut show).await?,
        None => put_changes(&mut wanted, &access, &mut *sink, &mut show).await?,
    };
    show.end();
    sink.close()?;
    if args.filter.is_given() {
        writeln!(std::io::stderr(), "tsrec: {} dropped", number_of(wanted.filter.dropped, "record"))?;
    }
    writeln!(std::io::stderr(), "{cursor}")?;
    Ok(())
}

/// Reads the feed. Memory holds one answer at a time, and what the format buffers.
async fn put_changes(
    records: &mut Wanted<'_>,
    access: &Access,
    sink: &mut dyn RecordSink,
    show: &mut Show,
) -> Result<Cursor> {
    let args = records.args;
    let all = access.pages_there().filter(|_| args.since.is_none());
    let (mut since, mut read) = (args.since, 0u64);
    loop {
        let wanted = ChangesRequest { since, limit: MAX_LIMIT_WITH_CONTENT, content: true, wait: false };
        let feed = access.changes(&wanted).await?;
        let is_end = feed.changes.is_empty();
        for row in feed.changes {
            if let Some(why) = &row.unreadable {
                loss::report_unreadable(&row.change.url, why);
            }
            match row.page {
                Some(record) if records.has(&record) => sink.put(record)?,
                // A folder keeps what an earlier export wrote of it.
                None if row.unreadable.is_some() => {}
                _ => sink.remove(&row.change.url)?,
            }
            read += u64::from(row.change.kind == ChangeKind::Upsert);
            show.step(read, 0, all.map(|all| (read as f64 / all.max(1) as f64).min(1.0)));
        }
        if is_end {
            return Ok(feed.next);
        }
        since = Some(feed.next);
        sink.flush()?;
    }
}

/// Reads only the records of a host, which are stored together.
async fn put_host(
    wanted: &mut Wanted<'_>,
    access: &Access,
    host: &str,
    sink: &mut dyn RecordSink,
    show: &mut Show,
) -> Result<Cursor> {
    let (cursor, mut records) = access.records_of(host).await?;
    let mut read = 0u64;
    while let Some(record) = records.next().await? {
        if wanted.has(&record) {
            sink.put(record)?;
        }
        read += 1;
        show.step(read, 0, None);
        if read.is_multiple_of(MAX_LIMIT_WITH_CONTENT as u64) {
            sink.flush()?;
        }
    }
    Ok(cursor)
}

/// The wanted records.
struct Wanted<'a> {
    args: &'a Args,
    filter: PageFilter,
}

impl Wanted<'_> {
    /// Whether a record is wanted. Call it in their order.
    fn has(&mut self, record: &PageRecord) -> bool {
        let traits = || FilterTraits {
            language: record.metadata.language.clone(),
            simhash: record.simhash.as_deref().and_then(|digits| u64::from_str_radix(digits, 16).ok()),
            id: FxBuildHasher.hash_one(&record.url),
        };
        self.args.wants(record) && self.filter.keeps(&traits())
    }
}

impl Args {
    fn wants(&self, record: &PageRecord) -> bool {
        let of_host = self.host.as_ref().is_none_or(|host| host.to_string() == record.host);
        let of_kind = self.kind.is_empty() || record.kind.as_ref().is_some_and(|kind| self.kind.contains(kind));
        of_host && of_kind && self.min_confidence.is_none_or(|least| record.confidence >= least)
    }

    /// The host, if all of its records and nothing else are wanted: then the feed is not needed. A
    /// folder removes deleted pages, which only the feed reports.
    fn whole_host(&self) -> Option<String> {
        let is_whole = self.since.is_none() && self.format != ExportFormat::MarkdownDir;
        self.host.as_ref().filter(|_| is_whole).map(ToString::to_string)
    }

    fn sink(&self) -> Result<Box<dyn RecordSink>> {
        if self.format == ExportFormat::MarkdownDir {
            usage::ensure(self.compress.is_none(), "--compress is for one file: --format markdown-dir has many")?;
            let Some(out) = &self.out else {
                return Err(usage::wrong("--format markdown-dir wants a folder: name it with --out"));
            };
            return Ok(Box::new(Folder::open(out)?));
        }
        let is_text = matches!(self.format, ExportFormat::Jsonl | ExportFormat::Csv) && self.compress.is_none();
        let out = Out::open(self.out.as_deref(), is_text)?;
        Ok(match self.format {
            ExportFormat::Parquet => Box::new(Parquet::new(out, self.compress.unwrap_or(ExportCompression::Zstd))?),
            ExportFormat::Warc => Box::new(WarcExport::new(out, self.compress.unwrap_or(ExportCompression::Gzip))?),
            ExportFormat::Jsonl | ExportFormat::Csv | ExportFormat::MarkdownDir => {
                let is_csv = self.format == ExportFormat::Csv;
                Box::new(Lines::new(out, self.compress, is_csv).context("the packing cannot be begun")?)
            }
        })
    }
}
