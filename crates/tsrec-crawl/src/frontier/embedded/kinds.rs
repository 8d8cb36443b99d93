//! After a failure another kind of URL is asked for next.
//!
//! URLs of one kind stand side by side in their queue: found on one page, they are due at one time.
//! A section that is broken, a port at which nobody listens, `https` without a certificate would be
//! the host's failure again and again, and its back-off grow up to a day for each of them, while
//! all else that the host has waits behind them; whoever can place a thousand such links would have
//! taken the host away. So the next request is for a URL of a kind that has not failed in this row,
//! where one is due: if the host is well it says so, and the back-off is over; if not, it costs no
//! request more. In memory only, and the host's turn comes no sooner for it.

use url::Url;

use super::super::error::Error;
use super::layout::{Due, DueClass, due_key, due_prefix, parse_due};
use super::queues::{QueueHead, Queues};
use super::{Embedded, sled_failed};
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_store::Key;

/// Places in a queue that are looked at, of those that are due for longest and of those that have
/// just become due. Judgement: a millisecond, once a failure.
const LOOKED_AT: usize = 250;

/// What URLs have in common that may fail together: scheme and port, and the pattern.
pub(super) type Kind = (bool, Option<u16>, u32);

fn kind(url: &Url) -> Kind {
    (url.scheme() == "https", url.port_or_known_default(), pattern_hash(url))
}

impl Embedded {
    /// A request has failed, and perhaps not for its URL alone: a URL of another kind is the next
    /// of its queue, where one is due.
    pub(super) fn ask_another_kind(&self, queues: &mut Queues, key: &Key, now: u64) -> Result<(), Error> {
        let Ok(failed) = Url::parse(key.url()) else { return Ok(()) };
        let Some(failed) = queues.note_failed(key.host(), kind(&failed)) else { return Ok(()) };
        let prefix = due_prefix(key.host());
        let end = due_key(key.host(), Due { class: DueClass::Normal, at: now.saturating_add(1) }, "");
        let due = || self.due.range(&*prefix..&*end).keys();
        for place in due().take(LOOKED_AT).chain(due().rev().take(LOOKED_AT)) {
            let place = place.map_err(sled_failed("read what is due"))?;
            // What cannot be read is put right where it is served.
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
