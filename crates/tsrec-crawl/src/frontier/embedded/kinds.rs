//! After a failure, the next request asks for another kind of URL.
//!
//! URLs of one kind are next to each other in their queue: one page links to them, so they are due
//! at one time. They may all fail: a broken section, a port without a listener, `https` without a
//! certificate. Each would count as the host's failure, and the back-off would grow up to a day for
//! each, while all other URLs of the host wait. So whoever can place a thousand such links could
//! stop the host. Therefore the next request is for a URL of a kind that has not failed in this
//! row, if one is due. If the host is well, it answers, and the back-off ends. If not, this costs
//! no extra request. In memory only, and it does not bring the host's turn forward.

use url::Url;

use super::super::error::Error;
use super::Embedded;
use super::layout::{Due, DueClass, due_key, due_prefix, parse_due};
use super::queues::{QueueHead, Queues};
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_store::Key;

/// Places in a queue that are looked at: those due longest, and those that just became due.
/// Judgement: a millisecond, once a failure.
const LOOKED_AT: usize = 250;

/// What URLs that may fail together have in common: scheme and port, and the pattern.
pub(super) type Kind = (bool, Option<u16>, u32);

fn kind(url: &Url) -> Kind {
    (url.scheme() == "https", url.port_or_known_default(), pattern_hash(url))
}

impl Embedded {
    /// A request has failed, and perhaps not for its URL alone. Makes a URL of another kind the
    /// next of its queue, if one is due.
    pub(super) fn ask_another_kind(&self, queues: &mut Queues, key: &Key, now: u64) -> Result<(), Error> {
        let Ok(failed) = Url::parse(key.url()) else { return Ok(()) };
        let Some(failed) = queues.note_failed(key.host(), kind(&failed)) else { return Ok(()) };
        let prefix = due_prefix(key.host());
        let end = due_key(key.host(), Due { class: DueClass::Normal, at: now.saturating_add(1) }, "");
        let due = || self.due.range(&*prefix..&*end);
        for place in due().take(LOOKED_AT).chain(due().rev().take(LOOKED_AT)) {
            let (place, _) = place.map_err(Error::store("read what is due"))?;
            // Unreadable places are repaired when they are served.
            let Some((due, url)) = parse_due(&place[prefix.len()..]) else { continue };
            let Ok(parsed) = Url::parse(url) else { continue };
            if failed.contains(&kind(&parsed)) || queues.is_leased(key.host(), url) {
                continue;
            }
            queues.prefer(key.host(), Some(QueueHead { due, url: url.to_owned() }));
            break;
        }
        Ok(())
    }
}
