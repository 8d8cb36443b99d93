//! Writes records: WARC 1.1, each in a packed member of its own.

use std::borrow::Cow;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::digest;

/// zstd's own default.
const ZSTD_LEVEL: i32 = 3;

/// How a record is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// A gzip member, which every reader of archives accepts.
    Gzip,
    /// A zstd frame ("WARC with zstd compression", IIPC 2021), without a dictionary.
    Zstd,
}

/// A record to write.
#[derive(Clone, Debug)]
pub struct NewRecord<'a> {
    /// Its kind (ISO 28500, section 6): `response`, `metadata` and so on.
    pub kind: &'static str,
    /// The address that the record is about.
    pub target: Option<&'a str>,
    /// When its content was obtained.
    pub date: Timestamp,
    /// The media type of the block.
    pub content_type: &'static str,
    /// Other fields of its header.
    pub fields: Vec<(&'static str, String)>,
    /// Its content.
    pub block: Cow<'a, [u8]>,
}

impl<'a> NewRecord<'a> {
    /// A record without target, fields and block.
    pub fn new(kind: &'static str, date: Timestamp) -> NewRecord<'a> {
        NewRecord {
            kind,
            target: None,
            date,
            content_type: "application/octet-stream",
            fields: Vec::new(),
            block: Cow::Borrowed(&[]),
        }
    }

    /// The first record of an archive: the software that wrote it, and further information by names
    /// of Dublin Core.
    pub fn about(date: Timestamp, file_name: Option<&str>, said: &[(&str, &str)]) -> NewRecord<'static> {
        let version = env!("CARGO_PKG_VERSION");
        let mut block = format!("software: tsrec/{version}\r\nformat: WARC File Format 1.1\r\n");
        for (name, value) in said {
            block.push_str(&format!("{name}: {}\r\n", one_line(value)));
        }
        NewRecord {
            content_type: "application/warc-fields",
            fields: file_name.iter().map(|name| ("WARC-Filename", (*name).to_owned())).collect(),
            block: block.into_bytes().into(),
            ..NewRecord::new("warcinfo", date)
        }
    }

    /// Its name: a UUID of version 8 (RFC 9562), made from all its content. So the same record has
    /// the same name in every file.
    pub fn id(&self) -> String {
        let mut digest = Sha256::new();
        for part in [self.kind, self.target.unwrap_or_default(), &self.date.to_string()] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        for (name, value) in &self.fields {
            digest.update(format!("{name}: {value}\n"));
        }
        let digest = digest.chain_update(&self.block).finalize();
        let mut id: [u8; 16] = digest[..16].try_into().unwrap_or_default();
        id[6] = (id[6] & 0x0f) | 0x80;
        id[8] = (id[8] & 0x3f) | 0x80;
        let hex = tsrec_core::learn::model::hex(&id);
        format!("<urn:uuid:{}-{}-{}-{}-{}>", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// Header and block.
    fn bytes(&self) -> Vec<u8> {
        let mut head = format!("WARC/1.1\r\nWARC-Type: {}\r\nWARC-Record-ID: {}\r\n", self.kind, self.id());
        let mut field = |name: &str, value: &str| head.push_str(&format!("{name}: {}\r\n", one_line(value)));
        field("WARC-Date", &self.date.to_string());
        if let Some(target) = self.target {
            field("WARC-Target-URI", target);
        }
        for (name, value) in &self.fields {
            field(name, value);
        }
        field("Content-Type", self.content_type);
        field("WARC-Block-Digest", &digest(&self.block));
        field("Content-Length", &self.block.len().to_string());
        [head.as_bytes(), b"\r\n", &self.block, b"\r\n\r\n"].concat()
    }
}

/// A header's value has no line ends.
fn one_line(value: &str) -> String {
    value.chars().filter(|c| !c.is_control()).collect()
}

/// A record in a packed member of its own.
pub(super) fn member(record: &NewRecord<'_>, packing: Packing) -> io::Result<Vec<u8>> {
    let bytes = record.bytes();
    match packing {
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&bytes)?;
            encoder.finish()
        }
        Packing::Zstd => zstd::bulk::compress(&bytes, ZSTD_LEVEL),
    }
}

/// Writes records, each with one write.
#[derive(Debug)]
pub struct WarcWriter<W> {
    out: W,
    packing: Packing,
    written: u64,
}

impl<W: Write> WarcWriter<W> {
    /// A writer that appends to `out`.
    pub fn new(out: W, packing: Packing) -> WarcWriter<W> {
        WarcWriter { out, packing, written: 0 }
    }

    /// Writes a record.
    ///
    /// # Errors
    ///
    /// Errors of `out`. How much of the record was written is unknown.
    pub fn write(&mut self, record: &NewRecord<'_>) -> io::Result<()> {
        let member = member(record, self.packing)?;
        self.out.write_all(&member)?;
        self.written += member.len() as u64;
        Ok(())
    }

    /// Bytes written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Returns the underlying writer.
    pub fn into_inner(self) -> W {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warc::{Kind, WarcReader};

    #[test]
    fn what_is_written_is_read() {
        for packing in [Packing::Gzip, Packing::Zstd] {
            let mut writer = WarcWriter::new(Vec::new(), packing);
            let date = "2026-11-21T00:00:00.5Z".parse().unwrap();
            writer.write(&NewRecord::about(date, Some("a.warc.gz"), &[("operator", "us\r\nX: y")])).unwrap();
            let blocks = [&b"HTTP/1.1 200 OK\r\n\r\nbody"[..], b"", b"\r\n\r\nWARC/1.1\r\n"];
            for block in blocks {
                let record = NewRecord {
                    target: Some("http://a.example/ \r\nEvil: 1"),
                    block: block.into(),
                    ..NewRecord::new("response", date)
                };
                writer.write(&record).unwrap();
            }
            let written = writer.written();
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), writer.into_inner()).unwrap();
            assert_eq!(file.path().metadata().unwrap().len(), written);
            let mut reader = WarcReader::open(file.path()).unwrap();
            let about = reader.next_record().unwrap().unwrap();
            assert_eq!((about.kind, about.field("WARC-Filename")), (Kind::Other, Some("a.warc.gz")));
            let said = String::from_utf8(reader.block(usize::MAX).unwrap()).unwrap();
            assert!(said.contains("\r\noperator: usX: y\r\n"), "{said}");
            for block in blocks {
                let record = reader.next_record().unwrap().unwrap();
                assert!(record.offset.is_some() && record.field("Evil").is_none());
                assert_eq!(record.field("WARC-Date"), Some("2026-11-21T00:00:00.5Z"));
                assert_eq!(reader.block(usize::MAX).unwrap(), block);
                let again =
                    WarcReader::open_at(file.path(), record.offset.unwrap()).unwrap().next_record().unwrap().unwrap();
                assert_eq!(again.id(), record.id());
            }
            assert!(reader.next_record().unwrap().is_none());
        }
    }

    #[test]
    fn names_are_those_of_the_standard() {
        let record = NewRecord::new("metadata", "2026-11-21T00:00:00Z".parse().unwrap());
        let id = record.id();
        assert_eq!((id.len(), &id[..10], id.as_bytes()[24]), (47, "<urn:uuid:", b'8'));
        assert_eq!(record.id(), id);
        assert_ne!(NewRecord { block: b"x"[..].into(), ..record }.id(), id);
    }
}
