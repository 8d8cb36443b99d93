//! Records as JSON lines, plain or compressed.

use std::io::{self, Write};

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::out::Out;
use super::{ExportCompression, RecordSink};
use tsrec_store::PageRecord;
use tsrec_terminal::json::json_line;

/// zstd's own default.
const ZSTD_LEVEL: i32 = 3;

/// One JSON object per line.
pub(super) enum Lines {
    Plain(Out),
    Gzip(GzEncoder<Out>),
    Zstd(zstd::stream::write::Encoder<'static, Out>),
}

impl Lines {
    pub(super) fn new(out: Out, packing: Option<ExportCompression>) -> io::Result<Lines> {
        Ok(match packing {
            None => Lines::Plain(out),
            Some(ExportCompression::Gzip) => Lines::Gzip(GzEncoder::new(out, Compression::default())),
            Some(ExportCompression::Zstd) => Lines::Zstd(zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?),
        })
    }

    fn out(&mut self) -> &mut dyn Write {
        match self {
            Lines::Plain(out) => out,
            Lines::Gzip(out) => out,
            Lines::Zstd(out) => out,
        }
    }
}

impl RecordSink for Lines {
    fn put(&mut self, record: PageRecord) -> Result<()> {
        json_line(&mut self.out(), &record)
    }

    fn flush(&mut self) -> Result<()> {
        // Readers of plain lines should not wait for more than one answer of the feed. Flushing a
        // compressed stream would compress worse.
        match self {
            Lines::Plain(out) => Ok(out.flush()?),
            Lines::Gzip(_) | Lines::Zstd(_) => Ok(()),
        }
    }

    fn close(self: Box<Self>) -> Result<()> {
        match *self {
            Lines::Plain(out) => out,
            Lines::Gzip(out) => out.finish()?,
            Lines::Zstd(out) => out.finish()?,
        }
        .finish()
    }
}
