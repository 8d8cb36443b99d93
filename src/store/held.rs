//! Siblings held for pairing: bytes that are opaque here, a bounded number for each host, the oldest out first.

use serde::{Deserialize, Serialize};

use super::Store;
use super::error::Error;
use super::journal::Place;
use super::key::Key;
use super::packed::Packed;
use super::writer::{self, Sort, Writer};

/// The head of a held sibling.
#[derive(Serialize, Deserialize)]
pub(super) struct HeldHead {
    /// Larger for what was held later.
    order: u64,
    pub(super) place: Place,
}

#[doc(hidden)]
impl Store {
    /// Holds a sibling, in the place of what was held for its URL before; if its host has too many then, the oldest goes. `false`, and nothing
    /// done, if it is larger than the setting `max_held_bytes` after compression, or the setting `held_per_host` is 0.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's.
    pub fn hold(&self, url: &str, bytes: &[u8]) -> Result<bool, Error> {
        let key = Key::parse(url)?;
        let packed = Packed::new(bytes)?;
        let config = self.database.config();
        if packed.len() > config.max_held_bytes || config.held_per_host == 0 {
            return Ok(false);
        }
        let mut writer = Writer::new(&self.database);
        let mut others = self.held_heads(key.host())?;
        let before = others.iter().position(|(other, _)| *other == key).map(|at| others.remove(at).1.place);
        for (oldest, head) in others.split_off((config.held_per_host - 1).min(others.len())) {
            writer.remove_value(Sort::Held, &oldest, head.place);
            writer.state.held -= 1;
        }
        writer.state.held += u64::from(before.is_none());
        writer.state.held_order += 1;
        let order = writer.state.held_order;
        let place = writer.put_value(Sort::Held, &key, &packed, before)?;
        writer.put_head(Sort::Held, &key, &HeldHead { order, place })?;
        writer.commit()?;
        Ok(true)
    }

    /// The URLs of the siblings held for a host, the newest first.
    ///
    /// # Errors
    ///
    /// The database's.
    pub fn held(&self, host: &str) -> Result<Vec<String>, Error> {
        let heads = self.held_heads(host)?;
        Ok(heads.into_iter().map(|(key, _)| key.url().to_owned()).collect())
    }

    /// What is held for a URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn held_bytes(&self, url: &str) -> Result<Option<Vec<u8>>, Error> {
        let value = writer::value(&self.database, Sort::Held, &Key::parse(url)?, |head: &HeldHead| head.place)?;
        Ok(value.map(|(_, bytes)| bytes))
    }

    /// Holds nothing for a URL any more.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's.
    pub fn let_go(&self, url: &str) -> Result<(), Error> {
        let key = Key::parse(url)?;
        let mut writer = Writer::new(&self.database);
        if let Some(head) = writer.head::<HeldHead>(Sort::Held, &key)? {
            writer.remove_value(Sort::Held, &key, head.place);
            writer.state.held -= 1;
            writer.commit()?;
        }
        Ok(())
    }

    /// The heads of a host, the newest first. There are few.
    fn held_heads(&self, host: &str) -> Result<Vec<(Key, HeldHead)>, Error> {
        let entries = self.database.trees().heads.scan_prefix(writer::tree_prefix(Sort::Held, Some(host)));
        let mut heads = entries
            .map(|entry| {
                let (tree_key, head) = entry.map_err(Error::sled("list what is held"))?;
                Ok((writer::url_key(&tree_key)?, writer::decode::<HeldHead>(&head)?))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        heads.sort_by_key(|(_, head)| std::cmp::Reverse(head.order));
        Ok(heads)
    }
}
