//! Pages that call another their canonical one: the content is stored once, under the canonical
//! address.
//!
//! Sites are often wrong about it (every page names the front page, page two names page one), so
//! they are not believed blindly: it must be another URL of the same host, have a record, and that
//! record must have the content of this page. While the canonical page is still to be fetched, it
//! goes first, and this one comes again.

use std::collections::HashSet;

use url::Url;

use super::parsed::Parsed;
use super::visit::PageVisit;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::{Discovered, Frontier, UrlState};
use tsrec_store::PageRecord;

/// Of the shorter text's triples of words so many must be in the longer one. Judgement: a print
/// view has all of them, another page of the same article hardly any; the extraction of two views
/// differs by a caption or a line.
const ALIKE: f64 = 0.8;

/// What follows from what a page calls its canonical address.
pub(super) enum Canonical {
    /// It stands for itself.
    Itself,
    /// Its content is stored unless this record, of its canonical page, has it.
    Unless(Box<PageRecord>),
    /// The canonical page, which is still to be fetched, goes first.
    After(Url),
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Whether a page stands for itself; puts its canonical page into the frontier, where that is
    /// not known.
    pub(super) async fn stands_for_itself(&self, visit: &PageVisit<'_>, parsed: &Parsed) -> Result<Canonical, Error> {
        let url = &visit.lease.url;
        let canonical = parsed.canonical.clone().and_then(|canonical| another(url, canonical));
        let Some(canonical) = canonical.filter(|canonical| self.scope.holds(canonical, url)) else {
            return Ok(Canonical::Itself);
        };
        let (store, key) = (self.parts.store.clone(), canonical.clone());
        match blocking(move || store.get(key.as_str())).await? {
            Ok(Some(record)) => return Ok(Canonical::Unless(Box::new(record))),
            Err(error) if !error.is_invalid() => return Err(Error::because(error)),
            Ok(None) | Err(_) => {}
        }
        // It is a link like others, or one canonical page after the other would lead on without
        // end.
        let Some(depth) = self.depth_beyond(visit.lease) else { return Ok(Canonical::Itself) };
        self.put(&[Discovered::page(canonical.clone(), depth, Some(url.clone()))]).await?;
        let frontier = &self.parts.frontier;
        let status = frontier.status(canonical.as_str()).await.map_err(Error::because)?;
        if !status.is_some_and(|status| status.state == UrlState::Discovered) {
            // It was asked for, and is none: gone, forbidden, or it calls another canonical.
            return Ok(Canonical::Itself);
        }
        frontier.promote(canonical.as_str()).await.map_err(Error::because)?;
        Ok(Canonical::After(canonical))
    }
}

/// The canonical URL, if it is another of the same host.
fn another(url: &Url, mut canonical: Url) -> Option<Url> {
    canonical.set_fragment(None);
    let is_page = matches!(canonical.scheme(), "http" | "https") && canonical.username().is_empty();
    (is_page && canonical.host_str() == url.host_str() && canonical != *url).then_some(canonical)
}

/// Whether one of two texts says what the other does. Linear.
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
