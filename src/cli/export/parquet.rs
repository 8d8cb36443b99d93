//! Records as Apache Parquet.

use std::sync::Arc;

use ::parquet::basic::{Compression, GzipLevel, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;
use anyhow::{Context, Result};
use jiff::Timestamp;

use super::out::Out;
use super::{ExportCompression, RecordSink};
use tsrec_store::{OfTemplate, PageRecord};

/// Bytes of records in a row group. They stay in memory until it is written. Judgement: a few
/// thousand pages; readers skip by row group.
const ROW_GROUP: usize = 64 << 20;

/// A column: its name, its Parquet type, and its value for a record.
struct ParquetColumn {
    name: &'static str,
    of: fn(&PageRecord) -> Cell,
    kind: &'static str,
}

/// The value of a record in a column.
enum Cell {
    Text(Option<String>),
    Texts(Vec<String>),
    Int(Option<i32>),
    Long(i64),
    Double(Option<f64>),
}

/// A text that is always present.
const TEXT: &str = "required binary NAME (STRING);";
/// An optional text.
const MAYBE_TEXT: &str = "optional binary NAME (STRING);";
/// A list of texts, possibly empty.
const TEXTS: &str = "required group NAME (LIST) { repeated group list { required binary element (STRING); } }";
/// JSON, as text.
const JSON: &str = "required binary NAME (JSON);";
/// A time, in UTC.
const TIME: &str = "required int64 NAME (TIMESTAMP(MICROS,true));";

fn text(text: &str) -> Cell {
    Cell::Text(Some(text.to_owned()))
}

fn time(time: Timestamp) -> Cell {
    Cell::Long(time.as_microsecond())
}

fn template(record: &PageRecord, of: fn(OfTemplate) -> Option<u32>) -> Cell {
    Cell::Int(record.template.and_then(of).and_then(|number| i32::try_from(number).ok()))
}

/// The columns, in order; `docs/export.md` describes their contents.
const COLUMNS: [ParquetColumn; 36] = [
    ParquetColumn { name: "url", kind: TEXT, of: |record| text(&record.url) },
    ParquetColumn { name: "host", kind: TEXT, of: |record| text(&record.host) },
    ParquetColumn { name: "seq", kind: "required int64 NAME;", of: |record| Cell::Long(record.seq as i64) },
    ParquetColumn { name: "title", kind: MAYBE_TEXT, of: |record| Cell::Text(record.metadata.title.clone()) },
    ParquetColumn { name: "authors", kind: TEXTS, of: |record| Cell::Texts(record.metadata.authors.clone()) },
    ParquetColumn { name: "published", kind: MAYBE_TEXT, of: |record| Cell::Text(record.metadata.published.clone()) },
    ParquetColumn { name: "modified", kind: MAYBE_TEXT, of: |record| Cell::Text(record.metadata.modified.clone()) },
    ParquetColumn { name: "language", kind: MAYBE_TEXT, of: |record| Cell::Text(record.metadata.language.clone()) },
    ParquetColumn {
        name: "language_confidence",
        kind: "optional double NAME;",
        of: |record| Cell::Double(record.metadata.language_confidence),
    },
    ParquetColumn { name: "site_name", kind: MAYBE_TEXT, of: |record| Cell::Text(record.metadata.site_name.clone()) },
    ParquetColumn {
        name: "description",
        kind: MAYBE_TEXT,
        of: |record| Cell::Text(record.metadata.description.clone()),
    },
    ParquetColumn { name: "image", kind: MAYBE_TEXT, of: |record| Cell::Text(record.metadata.image.clone()) },
    ParquetColumn {
        name: "canonical_url",
        kind: MAYBE_TEXT,
        of: |record| Cell::Text(record.metadata.canonical_url.clone()),
    },
    ParquetColumn { name: "tags", kind: TEXTS, of: |record| Cell::Texts(record.metadata.tags.clone()) },
    ParquetColumn { name: "license", kind: MAYBE_TEXT, of: |record| Cell::Text(record.metadata.license.clone()) },
    ParquetColumn { name: "kind", kind: MAYBE_TEXT, of: |record| Cell::Text(record.kind.clone()) },
    ParquetColumn {
        name: "kind_probability",
        kind: "optional double NAME;",
        of: |record| Cell::Double(record.kind_probability),
    },
    ParquetColumn { name: "text", kind: TEXT, of: |record| text(&record.text) },
    ParquetColumn { name: "html", kind: MAYBE_TEXT, of: |record| Cell::Text(record.html.clone()) },
    ParquetColumn { name: "comments", kind: TEXT, of: |record| text(&record.comments) },
    ParquetColumn { name: "words", kind: "required int64 NAME;", of: |record| Cell::Long(record.words as i64) },
    ParquetColumn { name: "method", kind: TEXT, of: |record| text(&record.method) },
    ParquetColumn {
        name: "confidence",
        kind: "required double NAME;",
        of: |record| Cell::Double(Some(record.confidence)),
    },
    ParquetColumn { name: "sibling", kind: MAYBE_TEXT, of: |record| Cell::Text(record.sibling.clone()) },
    ParquetColumn {
        name: "template_number",
        kind: "optional int32 NAME;",
        of: |record| template(record, |of| Some(of.number)),
    },
    ParquetColumn {
        name: "template_pages",
        kind: "optional int32 NAME;",
        of: |record| template(record, |of| Some(of.pages)),
    },
    ParquetColumn {
        name: "template_replaces",
        kind: "optional int32 NAME;",
        of: |record| template(record, |of| of.replaces),
    },
    ParquetColumn { name: "gates", kind: JSON, of: |record| text(&record.gates.to_string()) },
    ParquetColumn { name: "labels", kind: JSON, of: |record| text(&serde_json::json!(record.labels).to_string()) },
    ParquetColumn { name: "content_hash", kind: TEXT, of: |record| text(&record.content_hash) },
    ParquetColumn { name: "simhash", kind: MAYBE_TEXT, of: |record| Cell::Text(record.simhash.clone()) },
    ParquetColumn { name: "fetched_at", kind: TIME, of: |record| time(record.fetched_at) },
    ParquetColumn { name: "changed_at", kind: TIME, of: |record| time(record.changed_at) },
    ParquetColumn { name: "status", kind: "required int32 NAME;", of: |record| Cell::Int(Some(record.status.into())) },
    ParquetColumn { name: "charset", kind: MAYBE_TEXT, of: |record| Cell::Text(record.charset.clone()) },
    ParquetColumn { name: "cut", kind: TEXTS, of: |record| Cell::Texts(record.cut.clone()) },
];

/// A Parquet file with one row per record.
pub(super) struct Parquet {
    writer: SerializedFileWriter<Out>,
    group: Vec<Values>,
    bytes: usize,
}

/// The values of a column in a row group. The column's type decides which list holds them. The
/// levels are Dremel's, as in Parquet.
#[derive(Default)]
struct Values {
    texts: Vec<ByteArray>,
    ints: Vec<i32>,
    longs: Vec<i64>,
    doubles: Vec<f64>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl Parquet {
    pub(super) fn new(out: Out, packing: ExportCompression) -> Result<Parquet> {
        let schema: String = COLUMNS.iter().map(|column| column.kind.replace("NAME", column.name)).collect();
        let schema = parse_message_type(&format!("message page {{ {schema} }}"))?;
        let packing = match packing {
            ExportCompression::Zstd => Compression::ZSTD(ZstdLevel::default()),
            ExportCompression::Gzip => Compression::GZIP(GzipLevel::default()),
        };
        let properties = WriterProperties::builder()
            .set_compression(packing)
            .set_created_by(format!("tsrec version {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
        Ok(Parquet { writer, group: empty_group(), bytes: 0 })
    }

    /// Writes the buffered rows as a row group.
    fn end_group(&mut self) -> Result<()> {
        self.bytes = 0;
        let group = std::mem::replace(&mut self.group, empty_group());
        let mut writer = self.writer.next_row_group()?;
        for values in &group {
            let mut column = writer.next_column()?.context("the schema has fewer columns than there are")?;
            values.write(&mut column)?;
            column.close()?;
        }
        writer.close()?;
        Ok(())
    }
}

fn empty_group() -> Vec<Values> {
    COLUMNS.iter().map(|_| Values::default()).collect()
}

impl RecordSink for Parquet {
    fn put(&mut self, record: PageRecord) -> Result<()> {
        for (column, values) in COLUMNS.iter().zip(&mut self.group) {
            self.bytes += values.push((column.of)(&record));
        }
        if self.bytes >= ROW_GROUP { self.end_group() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        if self.bytes > 0 {
            self.end_group()?;
        }
        self.writer.into_inner()?.finish()
    }
}

impl Values {
    /// Takes a cell and returns its approximate size in bytes.
    fn push(&mut self, cell: Cell) -> usize {
        fn keep<T>(values: &mut Vec<T>, definition: &mut Vec<i16>, value: Option<T>) {
            definition.push(i16::from(value.is_some()));
            values.extend(value);
        }
        let definition = &mut self.definition;
        match cell {
            Cell::Text(value) => {
                let len = value.as_ref().map_or(0, String::len);
                keep(&mut self.texts, definition, value.map(|value| ByteArray::from(value.into_bytes())));
                return len + size_of::<ByteArray>();
            }
            Cell::Texts(values) if values.is_empty() => {
                definition.push(0);
                self.repetition.push(0);
            }
            Cell::Texts(values) => {
                let len = values.iter().map(|value| value.len() + size_of::<ByteArray>()).sum();
                for (at, value) in values.into_iter().enumerate() {
                    keep(&mut self.texts, definition, Some(ByteArray::from(value.into_bytes())));
                    self.repetition.push(i16::from(at > 0));
                }
                return len;
            }
            Cell::Int(value) => keep(&mut self.ints, definition, value),
            Cell::Long(value) => keep(&mut self.longs, definition, Some(value)),
            Cell::Double(value) => keep(&mut self.doubles, definition, value),
        }
        size_of::<i64>()
    }

    fn write(&self, column: &mut SerializedColumnWriter<'_>) -> Result<()> {
        use ::parquet::column::writer::ColumnWriter;
        let definition = Some(self.definition.as_slice());
        let repetition = Some(self.repetition.as_slice()).filter(|levels| !levels.is_empty());
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(_) => {
                column.typed::<ByteArrayType>().write_batch(&self.texts, definition, repetition)?
            }
            ColumnWriter::Int32ColumnWriter(_) => {
                column.typed::<Int32Type>().write_batch(&self.ints, definition, repetition)?
            }
            ColumnWriter::Int64ColumnWriter(_) => {
                column.typed::<Int64Type>().write_batch(&self.longs, definition, repetition)?
            }
            _ => column.typed::<DoubleType>().write_batch(&self.doubles, definition, repetition)?,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_says_what_each_column_is() {
        let guide = include_str!("../../../docs/export.md");
        let rows: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(rows, names);
    }
}
