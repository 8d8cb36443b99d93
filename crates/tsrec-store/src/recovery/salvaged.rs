//! URLs that wait to enter the frontier again, after index and journal were both damaged.

use std::collections::BTreeSet;

use crate::error::{Error, io};
use crate::index::Salvaged;
use crate::index::base::Base;

/// The tree that has them.
pub(crate) const SALVAGED: &str = "salvaged";

/// Those of an index that is not in use yet.
pub(super) fn read(sled: &sled::Db) -> Result<Vec<Salvaged>, Error> {
    let tree = sled.open_tree(SALVAGED).map_err(Error::sled("open a tree"))?;
    let read = |entry: sled::Result<(sled::IVec, sled::IVec)>| {
        let (url, value) = entry.map_err(Error::sled("read what was salvaged"))?;
        Ok((String::from_utf8_lossy(&url).into_owned(), value.to_vec()))
    };
    tree.iter().map(read).collect()
}

/// Adds some, and gets them to the disk. This must not write the mark: the index may be half full.
pub(super) fn keep(base: &Base, urls: &[Salvaged]) -> Result<(), Error> {
    if urls.is_empty() {
        return Ok(());
    }
    note(base, urls.iter().cloned())?;
    base.sled.flush().map_err(Error::sled("flush"))?;
    base.file.sync_data().map_err(|source| io("sync", base.path(), source))
}

/// Adds these and removes all others. Returns how many there are.
pub(super) fn replace(base: &Base, urls: Vec<Salvaged>) -> Result<u64, Error> {
    let wanted: BTreeSet<&str> = urls.iter().map(|(url, _)| url.as_str()).collect();
    let tree = base.open_tree(SALVAGED)?;
    for key in tree.iter().keys() {
        let key = key.map_err(Error::sled("read what was salvaged"))?;
        if !wanted.contains(&*String::from_utf8_lossy(&key)) {
            tree.remove(key).map_err(Error::sled("forget what was salvaged"))?;
        }
    }
    note(base, urls)
}

/// Adds some. Returns how many there are in all.
fn note(base: &Base, urls: impl IntoIterator<Item = Salvaged>) -> Result<u64, Error> {
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

#[cfg(test)]
mod tests {
    use crate::index::DIR;
    use crate::index::state::{FORMAT_KEY, FRONTIER_URLS};
    use crate::log::frame::FORMAT;
    use crate::{Config, Database, SpaceBatch};

    use super::*;

    /// As after a crash in a rebuild: an index without an epoch, with what was salvaged.
    #[test]
    fn a_crash_in_a_rebuild_forgets_no_salvaged_url() {
        let dir = tempfile::tempdir().unwrap();
        {
            let database = Database::open(dir.path(), &Config::default()).unwrap();
            let space = database.space(FRONTIER_URLS).unwrap();
            for n in 0..30 {
                let mut batch = SpaceBatch::default();
                batch.insert(format!("a.example\0http://a.example/{n}"), format!("entry {n}"));
                database.write(&[(&space, &batch)]).unwrap();
            }
        }
        let segment = dir.path().join("records/00000001");
        let mut bytes = std::fs::read(&segment).unwrap();
        bytes[500] ^= 1;
        std::fs::write(&segment, bytes).unwrap();
        let index = dir.path().join(DIR);
        std::fs::remove_dir_all(&index).unwrap();
        {
            let sled = sled::open(&index).unwrap();
            sled.open_tree("meta").unwrap().insert(FORMAT_KEY, &FORMAT.to_be_bytes()).unwrap();
            for n in 0..30 {
                sled.open_tree(SALVAGED).unwrap().insert(format!("http://a.example/{n}"), "entry").unwrap();
            }
            sled.flush().unwrap();
        }
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let (found, salvaged) = (database.recovery().clone(), database.salvaged().unwrap());
        assert!(found.new_epoch && found.salvaged == Some(salvaged.len() as u64), "{found:?}");
        // What the journal still has needs no salvaging.
        let known = database.space(FRONTIER_URLS).unwrap();
        assert_eq!(known.count() + salvaged.len() as u64, 30, "{found:?}");
        assert!((1..10).contains(&salvaged.len()), "{salvaged:?}");
        drop((database, known));
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        assert_eq!(database.salvaged().unwrap(), salvaged, "they stay until somebody takes them");
    }
}
