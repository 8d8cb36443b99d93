//! The index on disk.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use tantivy::directory::MmapDirectory;
use tantivy::query::AllQuery;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, OwnedValue, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError, Term};

use crate::api::{Change, Record};
use crate::words;

/// Memory for documents that are not written yet, in bytes.
const BUDGET: usize = 64 << 20;

/// The fields of a document. A copy under another address is a document of its own: which of them
/// came first is nothing that an index may depend on. Searches show one.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The address, whole: what documents are replaced by.
    pub url: Field,
    /// The host, whole.
    pub host: Field,
    /// The title's words.
    pub title: Field,
    /// The words of the content.
    pub text: Field,
    /// The language, such as `en`.
    pub language: Field,
    /// The kind, such as `article`.
    pub kind: Field,
    /// The date, ISO 8601, which sorts as text: `published:[2026-01 TO 2026-04]`.
    pub published: Field,
    /// The same for the same title and text.
    pub content_hash: Field,
}

/// An index, open for searches.
#[derive(Clone)]
pub struct Pages {
    /// tantivy's own.
    pub index: Index,
    /// What its fields are.
    pub fields: Fields,
    /// What searches see: the last commit, once it was [reloaded](IndexReader::reload).
    pub reader: IndexReader,
}

/// An index, open for changes: by one process at a time.
pub struct Writer {
    pages: Pages,
    writer: IndexWriter,
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer(words::NAME)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let words = TextOptions::default().set_indexing_options(words) | STORED;
    let fields = Fields {
        url: schema.add_text_field("url", STRING | STORED),
        host: schema.add_text_field("host", STRING | STORED | FAST),
        title: schema.add_text_field("title", words.clone()),
        text: schema.add_text_field("text", words),
        language: schema.add_text_field("language", STRING | STORED | FAST),
        kind: schema.add_text_field("kind", STRING | STORED | FAST),
        published: schema.add_text_field("published", STRING | STORED | FAST),
        content_hash: schema.add_text_field("content_hash", STRING | STORED),
    };
    (schema.build(), fields)
}

impl Pages {
    /// Opens the index in a folder, or makes one.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or is of another version.
    pub fn open(folder: &Path) -> Result<Pages> {
        let cannot = || format!("the index in {} cannot be opened", folder.display());
        std::fs::create_dir_all(folder).with_context(cannot)?;
        let (schema, fields) = schema();
        let index = match Index::open_or_create(MmapDirectory::open(folder).with_context(cannot)?, schema) {
            Err(TantivyError::SchemaError(_)) => bail!(
                "the index in {} has other fields than this version's: remove the folder, and it is made anew",
                folder.display()
            ),
            index => index.with_context(cannot)?,
        };
        index.tokenizers().register(words::NAME, words::analyzer());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Pages { index, fields, reader })
    }

    /// How far the feed was read into the last commit; `None` before the first.
    ///
    /// # Errors
    ///
    /// The index cannot be read.
    pub fn cursor(&self) -> Result<Option<String>> {
        Ok(self.index.load_metas()?.payload)
    }

    /// All documents by their addresses, field by field: to compare an index with another.
    ///
    /// # Errors
    ///
    /// The index cannot be read; an address has two documents.
    pub fn all(&self) -> Result<BTreeMap<String, Vec<(String, String)>>> {
        let mut all = BTreeMap::new();
        for segment in self.reader.searcher().segment_readers() {
            for document in segment.get_store_reader(1)?.iter::<TantivyDocument>(segment.alive_bitset()) {
                let document = document?;
                let mut values: Vec<(String, String)> = Vec::new();
                for (field, value) in document.field_values() {
                    let OwnedValue::Str(value) = OwnedValue::from(value) else { bail!("a value that is no text") };
                    values.push((self.index.schema().get_field_name(field).to_owned(), value));
                }
                values.sort();
                let url = text(&document, self.fields.url);
                if all.insert(url.clone(), values).is_some() {
                    bail!("{url} is there twice");
                }
            }
        }
        Ok(all)
    }
}

/// The text of a stored field; empty where there is none.
pub(crate) fn text(document: &TantivyDocument, field: Field) -> String {
    match document.get_first(field).map(OwnedValue::from) {
        Some(OwnedValue::Str(text)) => text,
        _ => String::new(),
    }
}

impl Writer {
    /// Opens an index for changes.
    ///
    /// # Errors
    ///
    /// Another process writes to it.
    pub fn new(pages: &Pages) -> Result<Writer> {
        // One thread: the feed is what is slow, and segments are fewer.
        let writer = pages.index.writer_with_num_threads(1, BUDGET).context(
            "the index cannot be written to: if another indexer has it, stop that one, or give this one its own --index",
        )?;
        Ok(Writer { pages: pages.clone(), writer })
    }

    /// Enters a change. Nothing of it is seen before the next [commit](Writer::commit).
    ///
    /// # Errors
    ///
    /// The index cannot be written.
    pub fn enter(&mut self, change: &Change) -> Result<()> {
        self.writer.delete_term(Term::from_field_text(self.pages.fields.url, &change.url));
        change.page.as_ref().map_or(Ok(()), |page| self.add(page))
    }

    /// Adds a page that is not there.
    ///
    /// # Errors
    ///
    /// The index cannot be written.
    pub fn add(&mut self, page: &Record) -> Result<()> {
        let fields = &self.pages.fields;
        let mut document = TantivyDocument::new();
        document.add_text(fields.url, &page.url);
        document.add_text(fields.host, &page.host);
        document.add_text(fields.text, &page.text);
        document.add_text(fields.content_hash, &page.content_hash);
        let optional = [
            (fields.title, &page.title),
            (fields.language, &page.language),
            (fields.kind, &page.kind),
            (fields.published, &page.published),
        ];
        for (field, value) in optional {
            if let Some(value) = value {
                document.add_text(field, value);
            }
        }
        self.writer.add_document(document)?;
        Ok(())
    }

    /// Begins anew: all that is there goes, with the next commit.
    ///
    /// # Errors
    ///
    /// The index cannot be written.
    pub fn clear(&mut self) -> Result<()> {
        self.writer.rollback()?;
        self.writer.delete_query(Box::new(AllQuery))?;
        Ok(())
    }

    /// Writes what was entered and, in the same commit, how far the feed was read. It is durable
    /// then, and searches see it.
    ///
    /// # Errors
    ///
    /// The index cannot be written.
    pub fn commit(&mut self, cursor: &str) -> Result<()> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(cursor);
        commit.commit()?;
        Ok(self.pages.reader.reload()?)
    }
}
