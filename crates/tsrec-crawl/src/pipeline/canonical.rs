//! Pages that call another page canonical. The content is stored once, under the canonical address.
//!
//! Sites are often wrong about it: every page names the front page, page two names page one, the
//! canonical page is gone, or its server does not answer. So the crawl checks it: the canonical URL
//! must be another URL of the same host and have a record with the content of this page. If the
//! canonical page is not fetched yet, this page is stored, the canonical page is fetched next, and
//! the two are compared then.

use std::collections::HashSet;

use url::Url;

use super::fate::{Fate, Visited};
use super::parsed::Parsed;
use super::visit::PageVisit;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::{Discovered, Frontier};
use tsrec_store::{DeletionReason, PageRecord};

/// The share of the shorter text's triples of words that must be in the longer one. Judgement: a
/// print view has all of them, another page of the same article hardly any. The extraction of two
/// views differs by a caption or a line.
const ALIKE: f64 = 0.8;

/// What marks a page, among those that wait for another in the frontier, as one that calls that
/// other page canonical. URLs of the frontier have no fragment of their own.
const CALLS_CANONICAL: &str = "#canonical";

/// What the crawl does about a page's canonical address.
pub(super) enum Canonical {
    /// The page is stored under its own URL.
    Itself,
    /// The page is stored unless this record, of its canonical page, has its content.
    Unless(Box<PageRecord>),
    /// The page is stored, and compared with its canonical page when that is stored.
    Until(Url),
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// What a page's canonical address means for its record. Puts its canonical page into the
    /// frontier, if that is not known.
    pub(super) async fn stands_for_itself(&self, visit: &PageVisit<'_>, parsed: &Parsed) -> Result<Canonical, Error> {
        let url = &visit.lease.url;
        let canonical = parsed.canonical.clone().or_else(|| visit.canonical.clone());
        let canonical = canonical.map(|canonical| self.addresses.normal(&canonical).into_owned());
        let canonical = canonical.and_then(|canonical| another(url, canonical));
        let Some(canonical) = canonical.filter(|canonical| self.scope.holds(canonical, url)) else {
            return Ok(Canonical::Itself);
        };
        if let Some(record) = self.record(&canonical).await? {
            return Ok(Canonical::Unless(Box::new(record)));
        }
        // It counts as a link like others. Otherwise a chain of canonical pages could go on without
        // end.
        let Some(depth) = self.depth_beyond(visit.lease) else { return Ok(Canonical::Itself) };
        self.put(&[Discovered::page(canonical.clone(), depth, Some(url.clone()))]).await?;
        Ok(Canonical::Until(canonical))
    }

    /// A stored page is compared with its canonical page when that is stored, or at once if that
    /// was fetched meanwhile. A canonical page that has no record by then leaves the page its own.
    pub(super) async fn compare_later(&self, page: &Url, canonical: &Url) -> Result<(), Error> {
        let waits = format!("{page}{CALLS_CANONICAL}");
        match self.parts.frontier.wait_for(&waits, canonical.as_str()).await.map_err(Error::because)? {
            true => Ok(()),
            false => self.compare(page, canonical).await,
        }
    }

    /// The canonical page of a page came. `false` if the one that waits does so for another reason.
    pub(super) async fn canonical_came(&self, waits: &str, canonical: &str) -> Result<bool, Error> {
        let Some(page) = waits.strip_suffix(CALLS_CANONICAL) else { return Ok(false) };
        if let (Ok(page), Ok(canonical)) = (Url::parse(page), Url::parse(canonical)) {
            self.compare(&page, &canonical).await?;
        }
        Ok(true)
    }

    /// Deletes the record of a page if the record of its canonical page has its content.
    async fn compare(&self, page: &Url, canonical: &Url) -> Result<(), Error> {
        let (Some(own), Some(other)) = (self.record(page).await?, self.record(canonical).await?) else {
            return Ok(());
        };
        if are_alike(&own.text, &other.text) {
            self.forget(page, DeletionReason::Duplicate, None).await?;
            self.tell(Visited { url: page.clone(), fate: Fate::Deleted(DeletionReason::Duplicate) });
        }
        Ok(())
    }

    async fn record(&self, url: &Url) -> Result<Option<PageRecord>, Error> {
        let (store, key) = (self.store(), url.clone());
        match blocking(move || store.get(key.as_str())).await? {
            Err(error) if !error.is_invalid() => Err(Error::because(error)),
            Err(_) => Ok(None),
            Ok(record) => Ok(record),
        }
    }
}

/// The canonical URL, if it is another URL of the same host.
pub(super) fn another(url: &Url, mut canonical: Url) -> Option<Url> {
    canonical.set_fragment(None);
    let is_page = matches!(canonical.scheme(), "http" | "https") && canonical.username().is_empty();
    (is_page && canonical.host_str() == url.host_str() && canonical != *url).then_some(canonical)
}

/// Whether one of two texts contains the other. Linear.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    let (one, other) = (words(one), words(other));
    let (one, other): (HashSet<_>, HashSet<_>) = (one.windows(3).collect(), other.windows(3).collect());
    let shorter = one.len().min(other.len());
    shorter > 0 && one.intersection(&other).count() as f64 >= ALIKE * shorter as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_alike_where_one_holds_the_other() {
        let article = "the council met on the quay and spoke for an hour about the ferry and its winter timetable";
        for (one, other, expect) in [
            (article.to_owned(), article.to_owned(), true),
            (article.to_owned(), format!("print this page {article} by our own reporter"), true),
            (article.to_owned(), article.replace("winter timetable", "summer timetable"), true),
            (article.to_owned(), "something else was said at the railway yard before dawn".to_owned(), false),
            (article.to_owned(), String::new(), false),
            (String::new(), String::new(), true),
            ("too short".to_owned(), "too short, too".to_owned(), false),
        ] {
            assert_eq!(are_alike(&one, &other), expect, "{one} | {other}");
            assert_eq!(are_alike(&other, &one), expect, "{other} | {one}");
        }
    }

    #[test]
    fn only_another_page_of_the_host_is_another() {
        let url = |text: &str| text.parse::<Url>().unwrap();
        for (canonical, expect) in [
            ("http://a.example/b", true),
            ("https://a.example/a?x", true),
            ("http://a.example/a?x", false),
            ("http://a.example/a?x#top", false),
            ("http://b.example/b", false),
            ("mailto:a@a.example", false),
        ] {
            assert_eq!(another(&url("http://a.example/a?x"), url(canonical)).is_some(), expect, "{canonical}");
        }
    }
}
