//! Searches the index.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::Result;
use tantivy::TantivyDocument;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::QueryParser;
use tantivy::snippet::SnippetGenerator;

use crate::index::{Pages, text};

/// Characters of a hit's text in the results.
const SNIPPET: usize = 240;
/// How many times more documents to read than to show, since each copy is shown once.
const COPIES: usize = 3;
/// Weight of a word in the title, compared with one in the text. Judgement.
const TITLE: f32 = 2.0;

/// A page that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its URL.
    pub url: String,
    /// Its title, or its URL if it has none.
    pub title: String,
    /// Its publication date, kind and language; empty if unknown.
    pub about: [String; 3],
    /// A piece of its text with the search words.
    pub snippet: Snippet,
    /// Pages found with the same title and text, which are not shown.
    pub copies: usize,
}

/// A piece of a text, and the byte ranges of the search words in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snippet {
    /// The piece.
    pub text: String,
    /// In order, without overlaps.
    pub found: Vec<Range<usize>>,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The best pages, at most as many as requested.
    pub hits: Vec<Hit>,
    /// Number of pages found, including copies.
    pub count: usize,
    /// Parts of the query that were not understood and ignored.
    pub unclear: Vec<String>,
}

/// Searches titles and texts for all words of a query. `"a b"` is a phrase, `-a` excludes, `a OR b`
/// is either. `host:example.org`, `kind:article`, `language:en` and
/// `published:[2026-01 TO 2026-04]` search their fields.
///
/// # Errors
///
/// If the index cannot be read.
pub fn search(pages: &Pages, query: &str, most: usize) -> Result<Found> {
    let fields = &pages.fields;
    let mut parser = QueryParser::for_index(&pages.index, vec![fields.title, fields.text]);
    parser.set_conjunction_by_default();
    parser.set_field_boost(fields.title, TITLE);
    let (query, unclear) = parser.parse_query_lenient(query);

    let searcher = pages.reader.searcher();
    let best = TopDocs::with_limit(most.max(1) * COPIES).order_by_score();
    let (best, count) = searcher.search(&query, &(best, Count))?;
    let mut snippets = SnippetGenerator::create(&searcher, &query, fields.text)?;
    snippets.set_max_num_chars(SNIPPET);

    let mut found = Found { count, unclear: unclear.iter().map(ToString::to_string).collect(), ..Found::default() };
    let mut shown: HashMap<String, usize> = HashMap::new();
    for (_, address) in best {
        let document: TantivyDocument = searcher.doc(address)?;
        if let Some(at) = shown.get(&text(&document, fields.content_hash)) {
            found.hits[*at].copies += 1;
            continue;
        }
        if found.hits.len() == most {
            continue;
        }
        shown.insert(text(&document, fields.content_hash), found.hits.len());
        let snippet = snippets.snippet(&text(&document, fields.text));
        let url = text(&document, fields.url);
        let title = Some(text(&document, fields.title)).filter(|title| !title.is_empty());
        found.hits.push(Hit {
            title: title.unwrap_or_else(|| url.clone()),
            url,
            about: [fields.published, fields.kind, fields.language].map(|field| text(&document, field)),
            snippet: Snippet { text: snippet.fragment().to_owned(), found: snippet.highlighted().to_vec() },
            copies: 0,
        });
    }
    Ok(found)
}
