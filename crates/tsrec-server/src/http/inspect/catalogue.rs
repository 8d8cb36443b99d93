//! The in-memory index behind the overview: URL, title, method and confidence of every page. The
//! change feed keeps it current.
//!
//! The first requests build it, some thousands of heads at a time, so that no request reads the
//! whole store. An unchanged page makes no change when it is fetched again, so its confidence
//! here may be older. What the inspector shows of a page is read anew.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::memmem::Finder;

use tsrec_store::{ChangeKind, Cursor, Error, PageSummary, Store};

/// The most pages held. Judgement: some 50 MB. If the store is larger, the search covers the
/// first pages, and each host by itself.
pub(super) const MOST_HELD: usize = 250_000;

/// Heads or changes read in one step. Judgement: some tens of milliseconds.
pub(super) const STEP: usize = 5_000;

/// Heads read at a time.
const BATCH: usize = 1_000;

/// The pages of a store. Shared by all requests.
#[derive(Default)]
pub(in crate::http) struct Catalogue {
    held: Mutex<Held>,
    /// Whether a task reads the rest already.
    is_filling: AtomicBool,
}

#[derive(Default)]
struct Held {
    /// By `host\0url`, as the store orders them.
    pages: BTreeMap<Box<str>, CatalogueRow>,
    methods: Vec<String>,
    /// Where the feed continues, taken before the first head was read; `None` before that.
    since: Option<Cursor>,
    listed: ListingProgress,
    is_cut: bool,
}

/// How far the listing of the store's heads is.
#[derive(Default)]
enum ListingProgress {
    #[default]
    Nothing,
    UpTo(String),
    All,
}

struct CatalogueRow {
    /// In lower case.
    title: Box<str>,
    /// Index into [`Held::methods`].
    method: u8,
    tenth: u8,
}

/// How much is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CatalogueState {
    pub(super) pages: usize,
    /// Whether that is the whole store as of now.
    pub(super) is_whole: bool,
    /// Whether the store has more pages than are held.
    pub(super) is_cut: bool,
}

/// What was found.
#[derive(Default)]
pub(super) struct SearchResult {
    /// Pages that match, in order.
    pub(super) urls: Vec<String>,
    /// Whether more follow.
    pub(super) more: bool,
    /// The number of matches.
    pub(super) matching: usize,
    /// Over all searched pages, matching or not: counts by host, by method, by tenth of
    /// confidence.
    pub(super) hosts: BTreeMap<String, usize>,
    pub(super) methods: BTreeMap<String, usize>,
    pub(super) tenths: [usize; 10],
}

/// What is looked for.
pub(super) struct CatalogueQuery<'w> {
    pub(super) words: &'w str,
    pub(super) host: Option<&'w str>,
    pub(super) after: Option<&'w str>,
    pub(super) limit: usize,
}

impl Catalogue {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next [`STEP`]. Blocks.
    pub(super) fn catch_up(&self, store: &Store) -> Result<CatalogueState, Error> {
        let mut held = self.held();
        match held.catch_up(store) {
            // The store has forgotten this cursor's past: read everything again.
            Err(error) if error.is_gone() => {
                *held = Held::default();
                held.catch_up(store)
            }
            caught_up => caught_up,
        }
    }

    /// Reads to the end, a step at a time, unless a task does so already. Blocks.
    pub(super) fn fill(&self, store: &Store) {
        if self.is_filling.swap(true, Ordering::AcqRel) {
            return;
        }
        while self.catch_up(store).is_ok_and(|state| !state.is_whole) {}
        self.is_filling.store(false, Ordering::Release);
    }

    /// Searches everything held. Linear in that.
    pub(super) fn find(&self, wanted: &CatalogueQuery<'_>) -> SearchResult {
        self.held().find(wanted)
    }
}

impl Held {
    fn catch_up(&mut self, store: &Store) -> Result<CatalogueState, Error> {
        let since = *self.since.get_or_insert_with(|| store.end());
        let mut left = STEP;
        while left > 0 && !matches!(self.listed, ListingProgress::All) {
            let after = match &self.listed {
                ListingProgress::UpTo(url) => Some(url.as_str()),
                _ => None,
            };
            let pages = store.list(None, after, BATCH)?;
            left = left.saturating_sub(pages.len());
            self.listed = match pages.last() {
                Some(last) if self.pages.len() < MOST_HELD => ListingProgress::UpTo(last.url.clone()),
                last => {
                    self.is_cut = last.is_some();
                    ListingProgress::All
                }
            };
            pages.into_iter().for_each(|page| self.insert(page));
        }
        let mut is_whole = false;
        if left > 0 {
            let changes = store.changes(Some(since), left)?;
            is_whole = changes.changes.is_empty();
            for change in changes.changes {
                match change.kind {
                    ChangeKind::Upsert => store.summary(&change.url)?.into_iter().for_each(|page| self.insert(page)),
                    ChangeKind::Delete => drop(key(&change.url).map(|key| self.pages.remove(&*key))),
                }
            }
            self.since = Some(changes.next);
        }
        Ok(CatalogueState { pages: self.pages.len(), is_whole, is_cut: self.is_cut })
    }

    fn insert(&mut self, page: PageSummary) {
        let Some(key) = key(&page.url) else { return };
        if self.pages.len() >= MOST_HELD && !self.pages.contains_key(&*key) {
            self.is_cut = true;
            return;
        }
        let known = self.methods.iter().position(|method| *method == page.method);
        let method = known.unwrap_or_else(|| {
            self.methods.push(page.method);
            self.methods.len() - 1
        });
        let entry = CatalogueRow {
            title: page.title.unwrap_or_default().to_lowercase().into(),
            method: u8::try_from(method).unwrap_or(u8::MAX),
            tenth: ((page.confidence * 10.0) as u8).min(9),
        };
        self.pages.insert(key.into(), entry);
    }

    fn find(&self, wanted: &CatalogueQuery<'_>) -> SearchResult {
        let words = wanted.words.to_lowercase();
        let words: Vec<Finder<'_>> = words.split_whitespace().map(Finder::new).collect();
        let from = wanted.host.map(|host| format!("{host}\0")).unwrap_or_default();
        let after = wanted.after.and_then(key);
        let mut found = SearchResult::default();
        let (mut methods, mut host) = (vec![0; self.methods.len()], ("", 0));
        let pages = self
            .pages
            .range::<str, _>((Bound::Included(&*from), Bound::Unbounded))
            .take_while(|(key, _)| key.starts_with(&from));
        for (key, page) in pages {
            let Some((of, url)) = key.split_once('\0') else { continue };
            if of != host.0 {
                found.add_host(host);
                host = (of, 0);
            }
            host.1 += 1;
            methods.get_mut(usize::from(page.method)).into_iter().for_each(|count| *count += 1);
            found.tenths[usize::from(page.tenth)] += 1;
            if !words.iter().all(|word| has(page, url, word)) {
                continue;
            }
            found.matching += 1;
            if after.as_deref().is_some_and(|after| **key <= *after) {
                continue;
            }
            match found.urls.len() < wanted.limit {
                true => found.urls.push(url.to_owned()),
                false => found.more = true,
            }
        }
        found.add_host(host);
        found.methods = self
            .methods
            .iter()
            .zip(methods)
            .filter(|(_, count)| *count > 0)
            .map(|(name, n)| (name.clone(), n))
            .collect();
        found
    }
}

impl SearchResult {
    fn add_host(&mut self, (host, pages): (&str, usize)) {
        if pages > 0 {
            self.hosts.insert(host.to_owned(), pages);
        }
    }
}

/// Whether a page's URL or title contains a lower-case word.
fn has(page: &CatalogueRow, url: &str, word: &Finder<'_>) -> bool {
    let in_url = |url: &str| word.find(url.as_bytes()).is_some();
    word.find(page.title.as_bytes()).is_some()
        || match url.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => in_url(&url.to_ascii_lowercase()),
            false => in_url(url),
        }
}

/// `host\0url`; `None` if the text is no URL with a host.
fn key(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).ok()?;
    Some(format!("{}\0{}", parsed.host_str()?, parsed.as_str()))
}

#[cfg(test)]
mod tests;
