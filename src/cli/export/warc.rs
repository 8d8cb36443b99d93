//! Records as a web archive: their text, as in Common Crawl's WET files, with their metadata.

use anyhow::Result;
use serde_json::json;

use super::out::Out;
use super::{ExportCompression, RecordSink};
use tsrec_crawl::warc;
use tsrec_crawl::warc::WarcWriter;
use tsrec_store::PageRecord;

/// An archive with two records per page.
pub(super) struct WarcExport {
    writer: WarcWriter<Out>,
}

impl WarcExport {
    pub(super) fn new(out: Out, packing: ExportCompression) -> Result<WarcExport> {
        let packing = match packing {
            ExportCompression::Gzip => warc::Packing::Gzip,
            ExportCompression::Zstd => warc::Packing::Zstd,
        };
        let mut writer = WarcWriter::new(out, packing);
        let about = [("description", "the content of pages, as text, and what is known of them")];
        writer.write(&warc::NewRecord::about(jiff::Timestamp::now(), None, &about))?;
        Ok(WarcExport { writer })
    }
}

impl RecordSink for WarcExport {
    fn put(&mut self, record: PageRecord) -> Result<()> {
        let (target, date) = (record.url.as_str(), record.fetched_at);
        let text = warc::NewRecord {
            target: Some(target),
            content_type: "text/plain",
            block: record.text.as_bytes().into(),
            ..warc::NewRecord::new("conversion", date)
        };
        let fields = json!(record).as_object().map(warc::fields).unwrap_or_default();
        let metadata = warc::NewRecord {
            target: Some(target),
            content_type: "application/warc-fields",
            fields: vec![("WARC-Refers-To", text.id())],
            block: fields.into(),
            ..warc::NewRecord::new("metadata", date)
        };
        self.writer.write(&text)?;
        Ok(self.writer.write(&metadata)?)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.writer.into_inner().finish()
    }
}
