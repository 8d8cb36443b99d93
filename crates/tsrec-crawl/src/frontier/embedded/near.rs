//! The known URLs that are likely siblings of a page: its neighbours in the order of URLs.
//!
//! URLs are ordered by queue and then by themselves. So the ones before and after a URL share the
//! longest beginning with it: its folders, its section. The other scheme is elsewhere: a site that
//! moved to https is in the order twice, so both places are searched. A separate index would add
//! little: see `cargo bench --bench pairing`.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::super::error::Error;
use super::Embedded;
use tsrec_store::Key;

/// Of the URLs wanted on either side, one in this many is searched for at the place under the other
/// scheme. Calibration: `cargo bench --bench pairing` with sets of pages.
const UNDER_OTHER_SCHEME: usize = 8;

impl Embedded {
    /// The URLs of a queue next to one, at most `most` before it and after it, and some at its
    /// place under the other scheme. O(most), whatever the size of the queue.
    pub(super) fn next_to(&self, key: &Key, most: usize) -> Result<Vec<String>, Error> {
        let mut near = BTreeSet::new();
        self.beside(key, most, &mut near)?;
        if let Some(twin) = under_other_scheme(key) {
            self.beside(&twin, most / UNDER_OTHER_SCHEME, &mut near)?;
        }
        near.remove(key.url());
        Ok(near.into_iter().collect())
    }

    /// Adds the URLs of the queue before a key and after it, at most `most` each.
    fn beside(&self, key: &Key, most: usize, near: &mut BTreeSet<String>) -> Result<(), Error> {
        let own = key.as_bytes();
        let (first, last) = (Key::of_host(key.host()), past(key.host()));
        let before = self.urls.range::<&[u8]>(first.as_bytes()..own).rev();
        let after = self.urls.range::<&[u8]>((Bound::Excluded(own), Bound::Excluded(&*last)));
        for entry in before.take(most).chain(after.take(most)) {
            let (known, _) = entry.map_err(Error::store("read what stands next to a URL"))?;
            near.extend(Key::from_bytes(&known).map(|known| known.url().to_owned()));
        }
        Ok(())
    }
}

/// The key of the URL with https replaced by http, or the other way round.
fn under_other_scheme(key: &Key) -> Option<Key> {
    let (scheme, rest) = key.url().split_once(':')?;
    let other = match scheme {
        "http" => "https",
        "https" => "http",
        _ => return None,
    };
    Some(Key::in_queue(key.host(), &format!("{other}:{rest}")))
}

/// The first key after those of a host.
fn past(host: &str) -> Vec<u8> {
    [host.as_bytes(), &[1]].concat()
}
