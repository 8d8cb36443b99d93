//! Records as JSON lines or comma-separated values, plain or compressed.

use std::io::{self, Write};

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::out::Out;
use super::{ExportCompression, RecordSink};
use crate::cli::csv;
use tsrec_store::PageRecord;
use tsrec_terminal::json::json_line;

/// zstd's own default.
const ZSTD_LEVEL: i32 = 3;

/// The columns of comma-separated values.
const COLUMNS: [&str; 12] = [
    "url",
    "host",
    "title",
    "authors",
    "published",
    "language",
    "kind",
    "method",
    "confidence",
    "words",
    "fetched_at",
    "text",
];

/// A record per line.
pub(super) struct Lines {
    stream: LineStream,
    is_csv: bool,
}

enum LineStream {
    Plain(Out),
    Gzip(GzEncoder<Out>),
    Zstd(zstd::stream::write::Encoder<'static, Out>),
}

impl Lines {
    pub(super) fn new(out: Out, packing: Option<ExportCompression>, is_csv: bool) -> io::Result<Lines> {
        let stream = match packing {
            None => LineStream::Plain(out),
            Some(ExportCompression::Gzip) => LineStream::Gzip(GzEncoder::new(out, Compression::default())),
            Some(ExportCompression::Zstd) => LineStream::Zstd(zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?),
        };
        let mut lines = Lines { stream, is_csv };
        if is_csv {
            csv::row(&mut lines.out(), COLUMNS)?;
        }
        Ok(lines)
    }

    fn out(&mut self) -> &mut dyn Write {
        match &mut self.stream {
            LineStream::Plain(out) => out,
            LineStream::Gzip(out) => out,
            LineStream::Zstd(out) => out,
        }
    }
}

impl RecordSink for Lines {
    fn put(&mut self, record: PageRecord) -> Result<()> {
        match self.is_csv {
            true => Ok(csv::object_row(&mut self.out(), &serde_json::to_value(&record)?, &COLUMNS)?),
            false => json_line(&mut self.out(), &record),
        }
    }

    fn flush(&mut self) -> Result<()> {
        // Readers of plain lines should not wait for more than one answer of the feed. Flushing a
        // compressed stream would compress worse.
        match &mut self.stream {
            LineStream::Plain(out) => Ok(out.flush()?),
            LineStream::Gzip(_) | LineStream::Zstd(_) => Ok(()),
        }
    }

    fn close(self: Box<Self>) -> Result<()> {
        match self.stream {
            LineStream::Plain(out) => out,
            LineStream::Gzip(out) => out.finish()?,
            LineStream::Zstd(out) => out.finish()?,
        }
        .finish()
    }
}
