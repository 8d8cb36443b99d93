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

/// Memory for documents that are not yet written, in bytes.
const BUDGET: usize = 64 << 20;

/// The fields of a document. A copy at another URL is a separate document, because the index must
/// not depend on which came first. A search shows one of them.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The whole URL. A new document replaces the one with the same URL.
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
    /// Equal for pages with the same title and text.
    pub content_hash: Field,
}

/// An index, open for searches.
#[derive(Clone)]
pub struct Pages {
    /// The tantivy index.
    pub index: Index,
    /// Its fields.
    pub fields: Fields,
    /// What searches see: the last commit, after a [reload](IndexReader::reload).
    pub reader: IndexReader,
}

/// An index, open for changes by one process at a time.
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
    /// Opens the index in a folder, or creates one.
    ///
    /// # Errors
    ///
    /// If the index cannot be opened or has another version.
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

    /// The feed cursor of the last commit, or `None` before the first.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn cursor(&self) -> Result<Option<String>> {
        Ok(self.index.load_metas()?.payload)
    }

    /// All documents by URL, field by field, to compare one index with another.
    ///
    /// # Errors
    ///
    /// If the index cannot be read, or a URL has two documents.
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

/// The text of a stored field, or an empty string.
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
    /// If another process writes to it.
    pub fn new(pages: &Pages) -> Result<Writer> {
        // One thread: the feed is the slow part, and one thread makes fewer segments.
        let writer = pages.index.writer_with_num_threads(1, BUDGET).context(
            "the index cannot be written to: if another indexer has it, stop that one, or give this one its own --index",
        )?;
        Ok(Writer { pages: pages.clone(), writer })
    }

    /// Enters a change. Searches do not see it before the next [commit](Writer::commit).
    ///
    /// # Errors
    ///
    /// If the index cannot be written.
    pub fn enter(&mut self, change: &Change) -> Result<()> {
        self.writer.delete_term(Term::from_field_text(self.pages.fields.url, &change.url));
        change.page.as_ref().map_or(Ok(()), |page| self.add(page))
    }

    /// Adds a page that is not in the index.
    ///
    /// # Errors
    ///
    /// If the index cannot be written.
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

    /// Starts over: the next commit removes all documents.
    ///
    /// # Errors
    ///
    /// If the index cannot be written.
    pub fn clear(&mut self) -> Result<()> {
        self.writer.rollback()?;
        self.writer.delete_query(Box::new(AllQuery))?;
        Ok(())
    }

    /// Writes all changes and, in the same commit, the feed cursor. After that they are durable and
    /// searches see them.
    ///
    /// # Errors
    ///
    /// If the index cannot be written.
    pub fn commit(&mut self, cursor: &str) -> Result<()> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(cursor);
        commit.commit()?;
        Ok(self.pages.reader.reload()?)
    }
}
