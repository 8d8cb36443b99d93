//! Site memories: bytes for each host, in the journal of records. The store does not know what they
//! mean. The crawl writes them with the page that changed them, or alone.

use std::ops::Bound;

use crate::Store;
use crate::error::Error;
use crate::index::base::Which;
use crate::index::heads;
use crate::index::heads::{HeadSort, MemoryHead};
use crate::index::writer::{self, Writer};
use crate::key::Key;
use crate::log::Place;
use crate::log::op::Op;
use crate::log::packed::Packed;

#[doc(hidden)]
impl Store {
    /// The memory of a host's site; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::is_damaged`]; the database's errors.
    pub fn memory(&self, host: &str) -> Result<Option<Vec<u8>>, Error> {
        let (key, place) = (Key::of_host(host), |head: &MemoryHead| head.place);
        let found = writer::value_in(self.database.base(), Which::Records, HeadSort::Memory, &key, place)?;
        Ok(found.map(|(_, memory)| memory))
    }

    /// Writes the memory of a host's site; durable after
    /// [`Database::durable`](super::Database::durable).
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn put_memory(&self, host: &str, memory: &[u8]) -> Result<(), Error> {
        let packed = Packed::new(memory)?;
        let mut writer = Writer::new(self.database.base());
        put(&mut writer, host, &packed)?;
        writer.commit()
    }

    /// Forgets the memory of a host's site. Returns whether there was any.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn forget_memory(&self, host: &str) -> Result<bool, Error> {
        let key = Key::of_host(host);
        let mut writer = Writer::new(self.database.base());
        let was_known = writer.head::<MemoryHead>(HeadSort::Memory, &key)?.is_some();
        if was_known {
            writer.append(Op::NoMemory { host: host.to_owned() }, None)?;
            take(&mut writer, &key)?;
            writer.commit()?;
        }
        Ok(was_known)
    }

    /// At most `limit` hosts with a site memory, in order; with `after`, only those past that
    /// host.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn hosts_with_memory(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, Error> {
        let start = match after {
            Some(after) => Bound::Excluded(heads::tree_key(HeadSort::Memory, &Key::of_host(after))),
            None => Bound::Included(heads::tree_prefix(HeadSort::Memory, None)),
        };
        let end = Bound::Excluded(vec![HeadSort::Memory as u8 + 1]);
        let entries = self.database.base().trees().heads.range::<Vec<u8>, _>((start, end)).take(limit);
        let host = |entry: sled::Result<(sled::IVec, sled::IVec)>| {
            let (tree_key, _) = entry.map_err(Error::sled("list what is remembered"))?;
            Ok(heads::url_key(&tree_key)?.host().to_owned())
        };
        entries.map(host).collect()
    }
}

/// Writes a site's memory in the caller's commit.
pub(crate) fn put(writer: &mut Writer<'_>, host: &str, memory: &Packed) -> Result<(), Error> {
    let place = writer.append(Op::Memory { host: host.to_owned() }, Some(memory))?;
    put_head(writer, &Key::of_host(host), place)
}

/// Sets the place of a site's memory.
pub(crate) fn put_head(writer: &mut Writer<'_>, key: &Key, place: Place) -> Result<(), Error> {
    if let Some(before) = writer.head::<MemoryHead>(HeadSort::Memory, key)? {
        writer.bury(Which::Records, before.place);
    }
    writer.put_head(HeadSort::Memory, key, &MemoryHead { place })
}

/// Removes a site's memory in the caller's commit.
pub(crate) fn take(writer: &mut Writer<'_>, key: &Key) -> Result<(), Error> {
    if let Some(before) = writer.head::<MemoryHead>(HeadSort::Memory, key)? {
        writer.remove_head(HeadSort::Memory, key);
        writer.bury(Which::Records, before.place);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::page;
    use crate::{Config, Database, PutExtras};

    #[test]
    fn a_memory_is_written_alone_or_with_a_page_and_never_without_the_page() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::new(&Database::open(dir.path(), &Config::default()).unwrap());
        let store = open();
        assert_eq!(store.memory("a.example").unwrap(), None);
        store.put_memory("a.example", b"first").unwrap();
        store.put_memory("b.example", b"other").unwrap();
        let record = page("http://a.example/1", "text");
        let put = |is_again, memory| {
            store.put_with(&record, PutExtras { memory: Some(memory), is_again, ..PutExtras::default() })
        };
        assert!(put(true, &b"late"[..]).unwrap_err().is_superseded());
        assert_eq!(store.memory("a.example").unwrap().as_deref(), Some(&b"first"[..]));
        assert!(put(false, &b"second"[..]).unwrap().changed);
        assert!(store.forget_memory("b.example").unwrap() && !store.forget_memory("b.example").unwrap());
        drop(store);

        for lost in ["nothing", "index"] {
            if lost == "index" {
                std::fs::remove_dir_all(dir.path().join("index")).unwrap();
            }
            let store = open();
            assert_eq!(store.memory("a.example").unwrap().as_deref(), Some(&b"second"[..]), "{lost}");
            assert_eq!((store.memory("b.example").unwrap(), store.memory("a").unwrap()), (None, None));
            assert_eq!(store.hosts_with_memory(None, 9).unwrap(), ["a.example"]);
            assert!(store.hosts_with_memory(Some("a.example"), 9).unwrap().is_empty());
        }
    }
}
