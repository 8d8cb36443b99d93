//! Chooses the sibling: the page with the most similar URL.
//!
//! The paper (Li et al. 2006, section 6) takes the page with the most similar URL from the page's
//! own links. Two URLs of one template differ in the article's date, number or slug, so those
//! differences weigh little here. Digits are folded, and each path segment is compared with its
//! counterpart.

pub mod pattern;

use std::cmp::Ordering;

use serde::Serialize;
use url::{Host, Url};

/// How similar two URLs are, and why: see [`similarity`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Similarity {
    /// The total: 0 for URLs of different registrable domains, 1 for URLs that differ only in
    /// digits.
    pub score: f64,
    /// True if the hosts are equal; otherwise only their registrable domains are.
    pub same_host: bool,
    /// The similarity of the paths, 0 to 1.
    pub path: f64,
    /// The similarity of the queries, 0 to 1; 1 if neither has one.
    pub query: f64,
}

/// A candidate with its similarity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rated<T> {
    /// The candidate as it was given.
    pub candidate: T,
    /// Its similarity to the page.
    pub similarity: Similarity,
}

/// How much more similar a sibling must be to count as better. Judgement: any two pages of a
/// section are closer.
pub const CLEARLY_BETTER: f64 = 0.15;

/// How many known URLs before and after a page's own, in sort order, are searched for its best
/// sibling. Calibration: `cargo bench --bench pairing`.
pub const NEAR: usize = 64;

/// The penalty for another host of the same registrable domain. Judgement: enough that the same
/// host always comes first.
const OTHER_HOST: f64 = 0.5;
/// The query's share of the score. Judgement: sites that address pages by query have little path to
/// compare.
const QUERY_SHARE: f64 = 0.3;
/// How many path segments or query parts are compared; hostile URLs have thousands.
const MOST_PARTS: usize = 32;
/// How many characters of a segment are compared: strsim is quadratic.
const MOST_CHARACTERS: usize = 64;

/// The similarity of two URLs. `None` if they are equal except for scheme and fragment (a page is
/// not its own sibling), or if their registrable domains differ.
///
/// O(parts × characters²), both limited.
pub fn similarity(page: &Url, other: &Url) -> Option<Similarity> {
    let own = url::Position::AfterScheme..url::Position::AfterQuery;
    if page[own.clone()] == other[own] {
        return None;
    }
    let same_host = page.host_str()? == other.host_str()?;
    if !same_host && registrable_domain(page)? != registrable_domain(other)? {
        return None;
    }
    let path = parts_similarity(path_parts(page), path_parts(other));
    let query = match (page.query(), other.query()) {
        (None, None) => 1.0,
        (page, other) => parts_similarity(query_parts(page), query_parts(other)),
    };
    let address = (1.0 - QUERY_SHARE) * path + QUERY_SHARE * query;
    let score = if same_host { address } else { OTHER_HOST * address };
    Some(Similarity { score, same_host, path, query })
}

/// Sorts pages, the most similar URL first. Pages of other domains and pages without a URL come
/// last, in their old order.
///
/// O(pages × [`similarity`] + n log n).
pub fn most_similar_first<T>(page: &Url, pages: &mut [T], url_of: impl Fn(&T) -> Option<&Url>) {
    // Scores are at most 1; as integers they can be compared.
    let score =
        |other: &T| url_of(other).and_then(|other| similarity(page, other)).map(|found| (found.score * 1e9) as u64);
    pages.sort_by_cached_key(|other| std::cmp::Reverse(score(other)));
}

/// Rates candidates, the most similar first. Pages of the same host come before those of the
/// domain's other hosts. If equal, the page's own scheme comes first, since the other scheme often
/// redirects to it. The URL breaks other ties, so the candidates' order never matters.
///
/// `url_of` gives a candidate's URL. O(candidates × [`similarity`] + n log n).
pub fn rank<T>(page: &Url, candidates: impl IntoIterator<Item = T>, url_of: impl Fn(&T) -> &Url) -> Vec<Rated<T>> {
    let mut rated: Vec<Rated<T>> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let similarity = similarity(page, url_of(&candidate))?;
            Some(Rated { candidate, similarity })
        })
        .collect();
    let same_scheme = |rated: &Rated<T>| url_of(&rated.candidate).scheme() == page.scheme();
    rated.sort_by(|a, b| {
        let (x, y) = (&a.similarity, &b.similarity);
        y.same_host
            .cmp(&x.same_host)
            .then(y.score.partial_cmp(&x.score).unwrap_or(Ordering::Equal))
            .then_with(|| same_scheme(b).cmp(&same_scheme(a)))
            .then_with(|| url_of(&a.candidate).as_str().cmp(url_of(&b.candidate).as_str()))
    });
    rated
}

/// The domain whose owner can register all names below it, such as `example.co.uk`. For an IP
/// address, the address.
pub fn registrable_domain(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(domain) => Some(
            tsrec_suffixes::registrable_domain(domain.trim_end_matches('.')).unwrap_or(domain).to_ascii_lowercase(),
        ),
        address => Some(address.to_string()),
    }
}

fn path_parts(url: &Url) -> Vec<String> {
    url.path_segments().into_iter().flatten().filter(|s| !s.is_empty()).take(MOST_PARTS).map(normalise).collect()
}

fn query_parts(query: Option<&str>) -> Vec<String> {
    query.unwrap_or_default().split('&').filter(|s| !s.is_empty()).take(MOST_PARTS).map(normalise).collect()
}

/// Folds each run of digits to one `0`, so that all dates and numbers are equal, and lowers the
/// case.
fn normalise(part: &str) -> String {
    let mut out = String::with_capacity(part.len().min(MOST_CHARACTERS));
    for c in part.chars().take(MOST_CHARACTERS) {
        match c {
            '0'..='9' if out.ends_with('0') => {}
            '0'..='9' => out.push('0'),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Compares part by part. The first parts name the section, so each weighs more than the next.
/// Parts without a counterpart count as different.
fn parts_similarity(page: Vec<String>, other: Vec<String>) -> f64 {
    let longest = page.len().max(other.len());
    if longest == 0 {
        return 1.0;
    }
    let (mut sum, mut weights) = (0.0, 0.0);
    for index in 0..longest {
        let weight = 1.0 / (index + 1) as f64;
        weights += weight;
        if let (Some(a), Some(b)) = (page.get(index), other.get(index)) {
            sum += weight * strsim::normalized_levenshtein(a, b);
        }
    }
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn the_most_similar_url_comes_first() {
        for (page, candidates, best) in [
            (
                "https://n.example/world/2026/03/12/a-ferry-sinks.html",
                &[
                    "https://n.example/",
                    "https://n.example/about.html",
                    "https://n.example/sport/2026/03/12/a-match-is-won.html",
                    "https://n.example/world/2025/11/2/the-harbour-freezes.html",
                ][..],
                "https://n.example/world/2025/11/2/the-harbour-freezes.html",
            ),
            (
                "http://n.example/story.php?id=12&lang=en",
                &["http://n.example/story.php?id=9&lang=en", "http://n.example/list.php?id=12&lang=en"],
                "http://n.example/story.php?id=9&lang=en",
            ),
            (
                "http://www.n.example/a/1",
                &["http://news.n.example/a/2", "http://www.n.example/x/y/z", "http://other.example/a/2"],
                "http://www.n.example/x/y/z",
            ),
            (
                "https://n.example/news/14",
                &["http://n.example/news/16", "https://n.example/news/17"],
                "https://n.example/news/17",
            ),
        ] {
            let candidates: Vec<Url> = candidates.iter().map(|c| url(c)).collect();
            assert_eq!(rank(&url(page), &candidates, |c| c)[0].candidate.as_str(), best);
        }
    }

    #[test]
    fn ties_do_not_depend_on_the_order_given() {
        let page = url("http://n.example/a/1");
        let (x, y) = (url("http://n.example/a/2"), url("http://n.example/a/3"));
        for candidates in [[&x, &y], [&y, &x]] {
            assert_eq!(*rank(&page, candidates, |c| c)[0].candidate, x);
        }
    }

    #[test]
    fn a_page_is_not_its_own_sibling_and_strangers_are_none() {
        let page = url("http://n.example/a?b#c");
        assert_eq!(similarity(&page, &url("http://n.example/a?b#d")), None);
        assert_eq!(similarity(&page, &url("https://n.example/a?b")), None);
        assert_eq!(similarity(&page, &url("http://m.example/a?b")), None);
        assert_eq!(similarity(&url("http://a.co.uk/"), &url("http://b.co.uk/x")), None);
        assert!(similarity(&url("http://a.b.co.uk/"), &url("http://b.co.uk/x")).is_some());
        assert_eq!(similarity(&page, &url("data:text/html,x")), None);
    }

    #[test]
    fn hostile_urls_are_bounded() {
        let page = url(&format!("http://n.example/{}?{}", "a/".repeat(20_000), "b".repeat(50_000)));
        let other = url(&format!("http://n.example/{}?{}", "c".repeat(50_000), "d&".repeat(20_000)));
        assert!(similarity(&page, &other).unwrap().score < 0.5);
    }
}
