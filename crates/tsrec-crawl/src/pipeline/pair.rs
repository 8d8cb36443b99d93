//! The pages to compare a page with: held siblings, and links of its own that are still in the
//! frontier.

use url::Url;

use crate::frontier::{Frontier, UrlState};
use tsrec_core::extract::Sibling;
use tsrec_core::pairing;
use tsrec_core::pairing::Rated;
use tsrec_core::template::{Memory, Template};
use tsrec_core::tsrec::TagSequence;
use tsrec_store::Store;

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

/// A held sibling, by its URL: its sequence, and its memory. `None` if it is no longer held, or
/// this version cannot read it.
pub(super) fn load<'s>(store: &Store, url: &Url) -> Result<Option<Sibling<'s>>, tsrec_store::Error> {
    read(store, url, |sequence, memory| {
        // A crawl without a score holds siblings without memory.
        let memory = Some(memory).filter(|memory| !memory.is_empty());
        Sibling::of_sequence(url.as_str(), sequence.into_owned(), memory)
    })
}

/// Reads a held sibling, by its URL.
fn read<R>(
    store: &Store,
    url: &Url,
    take: impl FnOnce(TagSequence<'_>, Memory) -> R,
) -> Result<Option<R>, tsrec_store::Error> {
    let bytes = store.held_bytes(url.as_str())?;
    let held = bytes.as_deref().and_then(|bytes| postcard::from_bytes::<(TagSequence<'_>, Memory)>(bytes).ok());
    Ok(held.map(|(sequence, memory)| take(sequence, memory)))
}

/// Drops siblings whose template is known well enough, and those without memory, of which that
/// cannot be told. No page is compared with them any more.
pub(super) fn let_go(store: &Store, host: &str) -> Result<(), tsrec_store::Error> {
    let site = store.site(host)?;
    let mut going = Vec::new();
    for url in store.held(host)?.iter().filter_map(|held| Url::parse(held).ok()) {
        let memory = read(store, &url, |_, memory| memory)?;
        if memory.is_none_or(|memory| memory.is_empty() || site.template_of(&memory).is_some_and(Template::serves)) {
            going.push(url);
        }
    }
    store.let_go(going.iter().map(Url::as_str))
}

/// Holds a page's data for its later siblings.
pub(super) fn hold(
    store: &Store,
    url: &Url,
    sequence: &TagSequence<'_>,
    memory: &Memory,
) -> Result<(), tsrec_store::Error> {
    // A page that is too large is not held. Its siblings find others.
    store.hold(url.as_str(), &to_bytes(sequence, memory)).map(drop)
}

/// A page's data for its later siblings, in its stored form.
pub(super) fn to_bytes(sequence: &TagSequence<'_>, memory: &Memory) -> Vec<u8> {
    postcard::to_stdvec(&(sequence, memory)).expect("a Vec takes all")
}
