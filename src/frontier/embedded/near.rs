//! The known URLs that are likely siblings of a page: those that stand next to it in their order.
//!
//! URLs stand by queue and then by themselves, so that those before and after one share the most of its beginning: its folders, its section. An index of its own would say
//! little more: see `cargo bench --bench pairing`.

use std::ops::Bound;

use super::super::error::Error;
use super::{Embedded, sled_failed};
use crate::store::Key;

impl Embedded {
    /// The URLs of a queue that stand next to one, at most so many before it and so many after it. O(most), whatever the queue has.
    pub(super) fn next_to(&self, key: &Key, most: usize) -> Result<Vec<String>, Error> {
        let own = key.as_bytes();
        let (first, last) = (Key::of_host(key.host()), past(key.host()));
        let before = self.urls.range(first.as_bytes()..own).rev();
        let after = self.urls.range::<&[u8], _>((Bound::Excluded(own), Bound::Excluded(&*last)));
        let known = before.take(most).chain(after.take(most)).filter_map(|entry| match entry {
            Ok((key, _)) => Some(Ok(Key::from_bytes(&key)?.url().to_owned())),
            Err(error) => Some(Err(sled_failed("read what stands next to a URL")(error))),
        });
        known.collect()
    }
}

/// The first key after those of a host.
fn past(host: &str) -> Vec<u8> {
    [host.as_bytes(), &[1]].concat()
}
