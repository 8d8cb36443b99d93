//! Which page a page is compared with: held siblings, and links of its own that are still in the
//! frontier.

use url::Url;

use crate::frontier::{Frontier, UrlState};
use tsrec_core::pairing;
use tsrec_core::pairing::Rated;
use tsrec_core::template::{Memory, Template};
use tsrec_core::tsrec::TagSequence;
use tsrec_store::Store;

/// A sibling whose URL is less alike than this is not worth waiting for: judgement; two pages of
/// one section score 0.5 to 0.9, a front page and an article near 0.
const WORTH_WAITING: f64 = 0.5;
/// Links that are rated as candidates: the first of the page. Judgement, like the paper's choice of
/// the page's own links.
const MOST_CANDIDATES: usize = 300;

/// The held siblings of a page, the most similar URL first.
pub(super) fn held(store: &Store, url: &Url) -> Result<Vec<Rated<Url>>, tsrec_store::Error> {
    let held = store.held(url.host_str().unwrap_or_default())?;
    let urls = held.iter().filter_map(|held| Url::parse(held).ok());
    Ok(pairing::rank(url, urls, |candidate| candidate))
}

/// The page worth waiting for: the most similar of this page's links, and of the URLs of its host
/// that stand near its own, that is in the frontier, not fetched yet, and clearly better than the
/// best sibling at hand.
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

/// A held sibling, by its URL: its sequence, and what is remembered of it. `None` when it is held
/// no more, or not readable by this version.
pub(super) fn load(store: &Store, url: &Url) -> Result<Option<(TagSequence<'static>, Memory)>, tsrec_store::Error> {
    read(store, url, |sequence, memory| (sequence.into_owned(), memory))
}

/// What is taken of a held sibling, by its URL.
fn read<R>(
    store: &Store,
    url: &Url,
    take: impl FnOnce(TagSequence<'_>, Memory) -> R,
) -> Result<Option<R>, tsrec_store::Error> {
    let bytes = store.held_bytes(url.as_str())?;
    let held = bytes.as_deref().and_then(|bytes| postcard::from_bytes::<(TagSequence<'_>, Memory)>(bytes).ok());
    Ok(held.map(|(sequence, memory)| take(sequence, memory)))
}

/// Lets those go whose template is remembered well enough: no page is compared with them any more.
pub(super) fn let_go(store: &Store, host: &str) -> Result<(), tsrec_store::Error> {
    let site = store.site(host)?;
    let mut going = Vec::new();
    for url in store.held(host)?.iter().filter_map(|held| Url::parse(held).ok()) {
        let memory = read(store, &url, |_, memory| memory)?;
        if memory.is_none_or(|memory| site.template_of(&memory).is_some_and(Template::serves)) {
            going.push(url);
        }
    }
    store.let_go(going.iter().map(Url::as_str))
}

/// Holds what a page says to its siblings to come.
pub(super) fn hold(
    store: &Store,
    url: &Url,
    sequence: &TagSequence<'_>,
    memory: &Memory,
) -> Result<(), tsrec_store::Error> {
    // One that is too large is not held: its siblings find others.
    store.hold(url.as_str(), &to_bytes(sequence, memory)).map(drop)
}

/// What a page says to its siblings to come, as it is held.
pub(super) fn to_bytes(sequence: &TagSequence<'_>, memory: &Memory) -> Vec<u8> {
    postcard::to_stdvec(&(sequence, memory)).expect("a Vec takes all")
}
