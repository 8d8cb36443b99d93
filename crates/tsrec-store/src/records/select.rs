//! Pages by what their heads say: kind, method, confidence, language, date; in any order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use jiff::Timestamp;

use crate::Store;
use crate::error::{Error, Kind};
use crate::index::heads;
use crate::index::heads::{HeadSort, PageHead};
use crate::index::writer;
use crate::key::Key;
use crate::record::PageSummary;

/// Which pages a listing has, and in which order. The default is all pages, by URL.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Only pages of this kind.
    pub kind: Option<String>,
    /// Only pages whose content this method found.
    pub method: Option<String>,
    /// Only pages in this language.
    pub language: Option<String>,
    /// Only pages with at least this confidence.
    pub least_confidence: Option<f64>,
    /// Only pages with at most this confidence.
    pub most_confidence: Option<f64>,
    /// Only pages fetched at this time or later.
    pub fetched_from: Option<Timestamp>,
    /// Only pages fetched before this time.
    pub fetched_before: Option<Timestamp>,
    /// The order.
    pub order: PageOrder,
    /// Whether the order is reversed. Pages that are equal in another order than that by URL are
    /// ordered by URL, not reversed.
    pub is_descending: bool,
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageOrder {
    /// By host, then URL.
    #[default]
    Url,
    /// By confidence.
    Confidence,
    /// By the time of the fetch.
    Fetched,
    /// By the number of words.
    Words,
    /// By the name of the kind; pages without one come first.
    Kind,
    /// By the name of the method.
    Method,
    /// By the code of the language; pages without one come first.
    Language,
}

/// The place of a page in an order.
#[derive(Debug, PartialEq, Eq)]
struct PagePlace {
    number: u64,
    name: Option<Box<str>>,
    key: Key,
    order: PageOrder,
    is_descending: bool,
}

impl Ord for PagePlace {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_rank = self.number.cmp(&other.number).then_with(|| self.name.cmp(&other.name));
        let by_key = self.key.cmp(&other.key);
        match (self.is_descending, self.order) {
            (true, PageOrder::Url) => by_key.reverse(),
            (true, _) => by_rank.reverse().then(by_key),
            (false, _) => by_rank.then(by_key),
        }
    }
}

impl PartialOrd for PagePlace {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Selection {
    fn has(&self, head: &PageHead) -> bool {
        let PageHead { page, sort, .. } = head;
        let is = |wanted: &Option<String>, given: Option<&str>| wanted.is_none() || wanted.as_deref() == given;
        is(&self.kind, sort.kind())
            && is(&self.method, Some(&page.method))
            && is(&self.language, sort.language())
            && self.least_confidence.is_none_or(|least| page.confidence >= least)
            && self.most_confidence.is_none_or(|most| page.confidence <= most)
            && self.fetched_from.is_none_or(|from| page.fetched_at >= from)
            && self.fetched_before.is_none_or(|before| page.fetched_at < before)
    }

    /// The place of a page in the order, which its URL decides if it is equal.
    fn place(&self, head: &PageHead, key: Key) -> PagePlace {
        let PageHead { page, sort, .. } = head;
        let (number, name) = match self.order {
            PageOrder::Url => (0, None),
            // The bits of positive numbers are ordered as they are.
            PageOrder::Confidence => (page.confidence.to_bits(), None),
            PageOrder::Fetched => (u64::try_from(page.fetched_at.as_microsecond()).unwrap_or(0), None),
            PageOrder::Words => (page.words, None),
            PageOrder::Kind => (0, sort.kind()),
            PageOrder::Method => (0, Some(page.method.as_str())),
            PageOrder::Language => (0, sort.language()),
        };
        self.place_of(number, name, key)
    }

    fn place_of(&self, number: u64, name: Option<&str>, key: Key) -> PagePlace {
        let Selection { order, is_descending, .. } = *self;
        PagePlace { number, name: name.map(Box::from), key, order, is_descending }
    }
}

#[doc(hidden)]
impl Store {
    /// At most `limit` selected pages of a host, or of all. With `after`, only those past that page
    /// in their order. Reads all heads of the host or the store, except in the order by URL that is
    /// not reversed.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] if `after` cannot be a key, or if its page has gone and the order is
    /// not by URL; the database's errors.
    pub fn select(
        &self,
        host: Option<&str>,
        after: Option<&str>,
        limit: usize,
        selection: &Selection,
    ) -> Result<Vec<PageSummary>, Error> {
        if selection.order == PageOrder::Url && !selection.is_descending {
            return self.select_by_url(host, after, limit, selection);
        }
        let after = after.map(|after| self.place_of(after, selection)).transpose()?;
        let mut best: BinaryHeap<PagePlace> = BinaryHeap::new();
        for entry in self.heads(HeadSort::Page, host, None)? {
            let (key, head) = entry?;
            let head = heads::decode::<PageHead>(&head)?;
            if !selection.has(&head) {
                continue;
            }
            let place = selection.place(&head, key);
            if after.as_ref().is_some_and(|after| place <= *after) {
                continue;
            }
            if best.len() < limit {
                best.push(place);
            } else if best.peek().is_some_and(|last| place < *last) {
                best.pop();
                best.push(place);
            }
        }
        // A page may have gone in the meantime.
        let rows = best.into_sorted_vec().into_iter().map(|place| self.summary(place.key.url()));
        rows.filter_map(Result::transpose).collect()
    }

    fn select_by_url(
        &self,
        host: Option<&str>,
        after: Option<&str>,
        limit: usize,
        selection: &Selection,
    ) -> Result<Vec<PageSummary>, Error> {
        let mut rows = Vec::new();
        for entry in self.heads(HeadSort::Page, host, after)? {
            if rows.len() >= limit {
                break;
            }
            let (key, head) = entry?;
            let head = heads::decode::<PageHead>(&head)?;
            if selection.has(&head) {
                rows.push(head.summary(&key));
            }
        }
        Ok(rows)
    }

    fn place_of(&self, url: &str, selection: &Selection) -> Result<PagePlace, Error> {
        let key = Key::parse(url)?;
        if selection.order == PageOrder::Url {
            return Ok(selection.place_of(0, None, key));
        }
        let head = writer::head::<PageHead>(self.database.base(), HeadSort::Page, &key)?;
        let gone = || {
            let reason = "its page has gone, so that the order cannot go on after it: begin anew".to_owned();
            Error::from(Kind::Url { url: url.to_owned(), reason })
        };
        head.map(|head| selection.place(&head, key)).ok_or_else(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::page;
    use crate::{Config, Database, NewPage};

    fn filled(dir: &std::path::Path, pages: usize) -> Store {
        let database = Database::open(dir, &Config::default()).unwrap();
        let store = Store::new(&database);
        for number in 0..pages {
            let url = format!("http://{}.example/{number:06}", ["a", "b"][number % 2]);
            let fetched_at = Timestamp::from_second(1_700_000_000 + number as i64 * 7_919 % 5_000).unwrap();
            let mut page = NewPage { words: (number % 10) as u64, fetched_at, ..page(&url, "x") };
            page.confidence = (number % 5) as f64 / 4.0;
            page.kind = ["article", "forum"].get(number % 3).map(|kind| (*kind).to_owned());
            page.metadata.language = ["de", "en"].get(number % 5).map(|language| (*language).to_owned());
            page.method = ["memory", "blocks"][number / 2 % 2].to_owned();
            store.put(&page).unwrap();
        }
        store
    }

    fn all(store: &Store, host: Option<&str>, selection: &Selection) -> Vec<PageSummary> {
        let (mut all, mut after) = (Vec::new(), None::<String>);
        loop {
            let part = store.select(host, after.as_deref(), 7, selection).unwrap();
            let Some(last) = part.last() else { return all };
            after = Some(last.url.clone());
            all.extend(part);
        }
    }

    #[test]
    fn pages_are_selected_and_ordered_over_parts() {
        let dir = tempfile::tempdir().unwrap();
        let store = filled(dir.path(), 120);
        let everything = store.list(None, None, 1_000).unwrap();
        let of = |text: &str| Some(text.to_owned());
        let (from, before) =
            (Timestamp::from_second(1_700_001_000).unwrap(), Timestamp::from_second(1_700_002_000).unwrap());
        type Filter = fn(&PageSummary) -> bool;
        let table: [(Selection, Filter); 6] = [
            (Selection::default(), |_| true),
            (Selection { kind: of("forum"), ..Selection::default() }, |page| page.kind.as_deref() == Some("forum")),
            (Selection { language: of("de"), ..Selection::default() }, |page| page.language.as_deref() == Some("de")),
            (Selection { method: of("memory"), least_confidence: Some(0.5), ..Selection::default() }, |page| {
                page.method == "memory" && page.confidence >= 0.5
            }),
            (Selection { most_confidence: Some(0.25), ..Selection::default() }, |page| page.confidence <= 0.25),
            (Selection { fetched_from: Some(from), fetched_before: Some(before), ..Selection::default() }, |page| {
                (1_700_001_000..1_700_002_000).contains(&page.fetched_at.as_second())
            }),
        ];
        for (selection, filter) in table {
            for host in [None, Some("a.example"), Some("c.example")] {
                let is_of = |page: &&PageSummary| host.is_none_or(|host| page.url.contains(host)) && filter(page);
                let mut expect: Vec<PageSummary> = everything.iter().filter(is_of).cloned().collect();
                assert!(host == Some("c.example") || !expect.is_empty());
                assert_eq!(all(&store, host, &selection), expect, "{selection:?}");
                let reversed = Selection { is_descending: true, ..selection.clone() };
                assert_eq!(all(&store, host, &reversed), expect.iter().rev().cloned().collect::<Vec<_>>());
                for is_descending in [false, true] {
                    let by = |order| Selection { order, is_descending, ..selection.clone() };
                    let turned = |order: std::cmp::Ordering| if is_descending { order.reverse() } else { order };
                    expect.sort_by(|a, b| turned(a.confidence.total_cmp(&b.confidence)).then(a.url.cmp(&b.url)));
                    assert_eq!(all(&store, host, &by(PageOrder::Confidence)), expect, "{selection:?}");
                    expect.sort_by(|a, b| turned(a.words.cmp(&b.words)).then(a.url.cmp(&b.url)));
                    assert_eq!(all(&store, host, &by(PageOrder::Words)), expect, "{selection:?}");
                    expect.sort_by(|a, b| turned(a.fetched_at.cmp(&b.fetched_at)).then(a.url.cmp(&b.url)));
                    assert_eq!(all(&store, host, &by(PageOrder::Fetched)), expect, "{selection:?}");
                    type Name = fn(&PageSummary) -> Option<&str>;
                    let names: [(PageOrder, Name); 3] = [
                        (PageOrder::Kind, |page| page.kind.as_deref()),
                        (PageOrder::Method, |page| Some(&page.method)),
                        (PageOrder::Language, |page| page.language.as_deref()),
                    ];
                    for (order, name) in names {
                        expect.sort_by(|a, b| turned(name(a).cmp(&name(b))).then(a.url.cmp(&b.url)));
                        assert_eq!(all(&store, host, &by(order)), expect, "{order:?}, {selection:?}");
                    }
                }
            }
        }
        let by_words = Selection { order: PageOrder::Words, ..Selection::default() };
        let error = store.select(None, Some("http://a.example/gone"), 7, &by_words).unwrap_err();
        assert!(error.is_invalid() && error.to_string().contains("begin anew"), "{error}");
    }
}
