//! The names of an index while it is compacted, and how that ends.

use std::path::Path;

use super::DIR;
use crate::error::{Error, io};

/// Compacting writes the new index here. The old one waits here until the new one is in its
/// place.
pub(crate) const NEW_INDEX: &str = "index.new";
pub(crate) const OLD_INDEX: &str = "index.old";

/// Finishes a compaction whose process was killed.
pub(crate) fn finish_compacting(dir: &Path) -> Result<(), Error> {
    let [current, old, new] = [DIR, OLD_INDEX, NEW_INDEX].map(|name| dir.join(name));
    if !current.exists() && old.exists() {
        std::fs::rename(&old, &current).map_err(|source| io("rename", &old, source))?;
    }
    for left in [old, new] {
        if left.exists() {
            std::fs::remove_dir_all(&left).map_err(|source| io("remove", &left, source))?;
        }
    }
    Ok(())
}
