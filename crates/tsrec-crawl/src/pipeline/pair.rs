//! The pages to compare a page with: held siblings, and links of its own that are still in the
//! frontier.

use url::Url;

use super::again::is_served;
use super::method::CrawlMethod;
use super::parsed::Parsing;
use super::recent::RecentSiblings;
use crate::frontier::{Frontier, UrlState};
use crate::memories::SiteMemories;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Page, Sibling};
use tsrec_core::pairing;
use tsrec_core::pairing::Rated;
use tsrec_core::template::Memory;
use tsrec_core::tsrec::TagSequence;
use tsrec_store::{HeldSibling, Parked, Store};

/// Least similarity of URLs for which waiting is worthwhile. Judgement: two pages of one section
/// score 0.5 to 0.9, a front page and an article near 0.
const WORTH_WAITING: f64 = 0.5;
/// Links rated as candidates: the first of the page. Judgement, like the paper's choice of the
/// page's own links.
const MOST_CANDIDATES: usize = 300;

/// The held siblings of a page, the most similar URL first.
pub(super) fn held(store: &Store, url: &Url) -> Result<Vec<Rated<Url>>, tsrec_store::Error> {
    let held = store.held(url.host_str().unwrap_or_default())?;
    let urls = held.iter().filter_map(|held| Url::parse(held).ok());
    Ok(pairing::rank(url, urls, |candidate| candidate))
}

/// The page worth waiting for. It is the most similar among this page's links and the URLs of its
/// host near its own. It must be in the frontier, not fetched yet, and clearly better than the best
/// sibling at hand.
pub(super) async fn worth_waiting_for(
    frontier: &impl Frontier,
    url: &Url,
    links: &[Url],
    at_hand: Option<&Rated<Url>>,
) -> Result<Option<Url>, crate::frontier::Error> {
    let best_at_hand = at_hand.map_or(0.0, |rated| rated.similarity.score);
    let least = WORTH_WAITING.max(best_at_hand + pairing::CLEARLY_BETTER);
    let near = frontier.near(url.as_str(), pairing::NEAR).await?;
    let near = near.iter().filter_map(|near| Url::parse(near).ok());
    let candidates = links.iter().take(MOST_CANDIDATES).cloned().chain(near);
    for rated in pairing::rank(url, candidates, |candidate| candidate) {
        if rated.similarity.score < least || !rated.similarity.same_host {
            break;
        }
        let status = frontier.status(rated.candidate.as_str()).await?;
        if status.is_some_and(|status| status.state == UrlState::Discovered) {
            return Ok(Some(rated.candidate));
        }
    }
    Ok(None)
}

/// A held sibling, by its URL: from memory if it was extracted a short while ago, or else parsed
/// again. A page that asks for no copy has only its sequence and its memory. `None` if it is no
/// longer held. If it takes too much work, or this version cannot read it, it is held no more.
pub(super) fn load<'s>(
    (store, recent): (&Store, &RecentSiblings),
    url: &Url,
    parsing: &Parsing,
    method: CrawlMethod,
) -> Result<Option<Sibling<'s>>, tsrec_store::Error> {
    if let Some(sibling) = recent.get(url.as_str())
        && store.keeps_bytes_of(url.as_str(), sibling.fetched_at)?
    {
        return Ok(from_bytes(url, &sibling.bytes));
    }
    let read = match store.sibling(url.as_str())? {
        Some(HeldSibling::Page(page)) => {
            let read = read_page(&page, url, parsing, method);
            if let Some((sequence, memory)) = &read {
                recent.note(url.as_str(), page.fetched_at, to_bytes(sequence, memory));
            }
            read.map(|(sequence, memory)| sibling(url, sequence, memory))
        }
        Some(HeldSibling::Sequence(bytes)) => from_bytes(url, &bytes),
        None => return Ok(None),
    };
    if read.is_none() {
        store.let_go([url.as_str()])?;
    }
    Ok(read)
}

fn read_page<'s>(
    page: &Parked,
    url: &Url,
    parsing: &Parsing,
    method: CrawlMethod,
) -> Option<(TagSequence<'s>, Memory)> {
    let parsed = parsing.parse(page, url);
    let page = Page::new(&parsed.document).at(Some(url));
    if page.is_too_much_work() {
        return None;
    }
    let memory = match method {
        CrawlMethod::Auto => Scored::shipped().remember(&page),
        CrawlMethod::Template | CrawlMethod::Mss => Memory::default(),
    };
    Some((page.sequence().clone().into_owned(), memory))
}

/// A crawl without a score holds siblings without memory.
fn sibling<'s>(url: &Url, sequence: TagSequence<'s>, memory: Memory) -> Sibling<'s> {
    Sibling::of_sequence(url.as_str(), sequence, Some(memory).filter(|memory| !memory.is_empty()))
}

/// Drops siblings whose template is known well enough, or is not known at all. No page is compared
/// with them any more.
pub(super) fn let_go(memories: &SiteMemories, host: &str) -> Result<(), tsrec_store::Error> {
    let (store, site) = (memories.store(), memories.site(host)?);
    let mut going = Vec::new();
    for url in store.held(host)? {
        let template = store.get(&url)?.and_then(|record| record.template);
        if template.is_none_or(|template| is_served(&site, Some(template.number))) {
            going.push(url);
        }
    }
    store.let_go(going.iter().map(String::as_str))
}

/// A sibling's tag sequence and memory: what stays of one that asks for no copy, and what is in
/// memory of the others.
pub(super) fn to_bytes(sequence: &TagSequence<'_>, memory: &Memory) -> Vec<u8> {
    postcard::to_stdvec(&(sequence, memory)).expect("a Vec takes all")
}

/// The sibling that [`to_bytes`] wrote. `None` if another version of the program wrote it.
fn from_bytes<'s>(url: &Url, bytes: &[u8]) -> Option<Sibling<'s>> {
    let (sequence, memory) = postcard::from_bytes::<(TagSequence<'_>, Memory)>(bytes).ok()?;
    Some(sibling(url, sequence.into_owned(), memory))
}

#[cfg(test)]
mod tests {
    use tsrec_core::extract::Extract;
    use tsrec_core::html;

    use super::super::parsed::Parsed;
    use super::*;

    /// A sibling must be the same whether it is still in memory or is parsed again. Otherwise what
    /// a page says would depend on when its siblings came.
    #[test]
    fn a_recent_sibling_is_what_is_parsed_again() {
        let page = |number: u32| {
            let story =
                format!("The ferry sailed at {number}, and the harbour master waved until it was out of sight.");
            format!(
                "<title>Story {number}</title><nav><a href=/>Home</a><a href=/map>Map</a></nav><h1>Story {number}</h1><p>{story}<p>{story}<footer>All rights reserved</footer>"
            )
        };
        let [url, other]: [Url; 2] = ["http://a.example/1", "http://a.example/2"].map(|url| url.parse().unwrap());
        let limits = html::Limits::default();
        let parse = |number| html::parse(page(number).as_bytes(), None, &limits);
        let (first, second) = (parse(1), parse(2));
        let sibling = Sibling::new(other.as_str(), &second);
        let found = Extract::new(&first).url(&url).siblings(|| vec![sibling]).run().unwrap();
        let extracted = to_bytes(found.page().sequence(), &found.memory());

        let parsing = Parsing {
            parse: Parsed::new,
            limits: limits.clone(),
            most_links: tsrec_core::html::links::MostLinks { within: 9, beyond: 9 },
            product_token: "x".to_owned(),
        };
        let body = page(1).into_bytes();
        let kept =
            Parked { body, charset: None, fetched_at: jiff::Timestamp::UNIX_EPOCH, status: 200, truncated: false };
        let (sequence, memory) = read_page(&kept, &url, &parsing, CrawlMethod::Auto).unwrap();
        assert!(extracted == to_bytes(&sequence, &memory));
        assert!(!memory.is_empty() && from_bytes(&url, &extracted).is_some() && from_bytes(&url, b"x").is_none());
    }
}
