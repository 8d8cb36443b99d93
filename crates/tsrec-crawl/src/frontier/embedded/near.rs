//! The known URLs that are likely siblings of a page: those that stand next to it in their order.
//!
//! URLs stand by queue and then by themselves, so that those before and after one share the most of
//! its beginning: its folders, its section. What they do not share is the other scheme: a site that
//! moved to https stands in the order twice, so it is looked there as well. An index of its own
//! would say little more: see `cargo bench --bench pairing`.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::super::error::Error;
use super::{Embedded, sled_failed};
use tsrec_store::Key;

/// Of those that are wanted on either side of a URL, one in so many is looked for where it would
/// stand under the other scheme. Calibration: `cargo bench --bench pairing` with sets of pages.
const UNDER_OTHER_SCHEME: usize = 8;

impl Embedded {
    /// The URLs of a queue that stand next to one, at most so many before it and so many after it,
    /// and some that do so under the other scheme. O(most), whatever the queue has.
    pub(super) fn next_to(&self, key: &Key, most: usize) -> Result<Vec<String>, Error> {
        let mut near = BTreeSet::new();
        self.beside(key, most, &mut near)?;
        if let Some(twin) = under_other_scheme(key) {
            self.beside(&twin, most / UNDER_OTHER_SCHEME, &mut near)?;
        }
        near.remove(key.url());
        Ok(near.into_iter().collect())
    }

    /// Adds the URLs of the queue before a key and after it, at most so many each.
    fn beside(&self, key: &Key, most: usize, near: &mut BTreeSet<String>) -> Result<(), Error> {
        let own = key.as_bytes();
        let (first, last) = (Key::of_host(key.host()), past(key.host()));
        let before = self.urls.range(first.as_bytes()..own).rev();
        let after = self.urls.range::<&[u8], _>((Bound::Excluded(own), Bound::Excluded(&*last)));
        for entry in before.take(most).chain(after.take(most)) {
            let (known, _) = entry.map_err(sled_failed("read what stands next to a URL"))?;
            near.extend(Key::from_bytes(&known).map(|known| known.url().to_owned()));
        }
        Ok(())
    }
}

/// The key that a URL would have under http, where it is of https, and the other way round.
fn under_other_scheme(key: &Key) -> Option<Key> {
    let (scheme, rest) = key.url().split_once(':')?;
    let other = match scheme {
        "http" => "https",
        "https" => "http",
        _ => return None,
    };
    Some(Key::filed(key.host(), &format!("{other}:{rest}")))
}

/// The first key after those of a host.
fn past(host: &str) -> Vec<u8> {
    [host.as_bytes(), &[1]].concat()
}
