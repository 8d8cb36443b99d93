//! `tsrec get URL`: prints the store's record of a page.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use url::Url;

use super::access::{self, Access, DataDir};
use crate::cli::output;
use crate::cli::output::ShapeArgs;
use tsrec_core::html::printable;

/// The exit code for a page that is not in the store.
const ABSENT: u8 = 3;

/// Arguments of `tsrec get`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page's URL.
    #[arg(value_parser = super::input::url)]
    url: Url,
    /// What to print.
    #[arg(long, value_enum, default_value_t = GetFormat::Text)]
    format: GetFormat,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    data_dir: DataDir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GetFormat {
    /// The content as text.
    Text,
    /// The content in the markup that carries meaning.
    Html,
    /// The content as CommonMark, with GitHub's tables and footnotes.
    Markdown,
    /// The content as a TEI document.
    Tei,
    /// The whole record.
    Json,
}

pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let shape = args.shape.check(match args.format {
        GetFormat::Text => output::Format::Text,
        GetFormat::Html => output::Format::Html,
        GetFormat::Markdown => output::Format::Markdown,
        GetFormat::Tei => output::Format::Tei,
        GetFormat::Json => output::Format::Json,
    })?;
    let page = access::block_on(async { Access::open(&args.data_dir).await?.page(&args.url).await })?;
    let Some(page) = page else {
        writeln!(std::io::stderr(), "tsrec: {} is not in the store", args.url)?;
        return Ok(ExitCode::from(ABSENT));
    };
    let output = match args.format {
        // Programs that embed the store may have put any text there.
        GetFormat::Text => printable(&page.page.text).into_owned(),
        GetFormat::Html => page.content_html(shape.along),
        GetFormat::Markdown if shape.front_matter => page.front_matter() + &page.markdown(shape.along),
        GetFormat::Markdown => page.markdown(shape.along),
        GetFormat::Tei => page.tei(shape.along),
        GetFormat::Json => serde_json::to_string_pretty(&page)?,
    };
    writeln!(std::io::stdout().lock(), "{output}")?;
    Ok(ExitCode::SUCCESS)
}
