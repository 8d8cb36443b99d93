//! URLs that wait to enter the frontier again, after index and journal were both damaged.

use crate::error::Error;
use crate::index::Salvaged;
use crate::index::base::Base;

/// The tree that has them.
pub(crate) const SALVAGED: &str = "salvaged";

/// Adds some. Returns how many there are in all.
pub(super) fn note(base: &Base, urls: impl IntoIterator<Item = Salvaged>) -> Result<u64, Error> {
    let tree = base.open_tree(SALVAGED)?;
    for (url, entry) in urls {
        // Existing data about a URL wins over the URL alone.
        let is_known = entry.is_empty() && tree.contains_key(&url).map_err(Error::sled("find what was salvaged"))?;
        if !is_known {
            tree.insert(url, entry).map_err(Error::sled("keep what was salvaged"))?;
        }
    }
    Ok(tree.len() as u64)
}
