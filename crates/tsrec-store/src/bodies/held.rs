//! Siblings held for pairing: opaque bytes, a bounded number for each host. The oldest goes
//! first.

use crate::error::Error;
use crate::index::base::Base;
use crate::index::heads;
use crate::index::heads::{HeadSort, HeldHead};
use crate::index::writer::{self, Writer};
use crate::key::Key;
use crate::log::packed::Packed;
use crate::{Config, Store};

#[doc(hidden)]
impl Store {
    /// Holds a sibling and replaces what was held for its URL. If the host then has too many, the
    /// oldest goes. Returns `false` and does nothing if the sibling is larger than the setting
    /// `max_held_bytes` after compression, or if the setting `held_per_host` is 0.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn hold(&self, url: &str, bytes: &[u8]) -> Result<bool, Error> {
        let key = Key::parse(url)?;
        let Some(packed) = pack(self.database.base().config(), bytes)? else { return Ok(false) };
        let mut writer = Writer::new(self.database.base());
        put(&mut writer, &key, &packed)?;
        writer.commit()?;
        Ok(true)
    }

    /// The URLs of the siblings held for a host, newest first.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn held(&self, host: &str) -> Result<Vec<String>, Error> {
        let heads = heads(self.database.base(), host)?;
        Ok(heads.into_iter().map(|(key, _)| key.url().to_owned()).collect())
    }

    /// The sibling held for a URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn held_bytes(&self, url: &str) -> Result<Option<Vec<u8>>, Error> {
        let value =
            writer::value(self.database.base(), HeadSort::Held, &Key::parse(url)?, |head: &HeldHead| head.place)?;
        Ok(value.map(|(_, bytes)| bytes))
    }

    /// Drops the siblings of these URLs, in one transaction.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn let_go<'u>(&self, urls: impl IntoIterator<Item = &'u str>) -> Result<(), Error> {
        let keys = urls.into_iter().map(Key::parse).collect::<Result<Vec<_>, _>>()?;
        let mut writer = Writer::new(self.database.base());
        let mut is_any = false;
        for key in &keys {
            if let Some(head) = writer.head::<HeldHead>(HeadSort::Held, key)? {
                remove(&mut writer, key, &head);
                is_any = true;
            }
        }
        if is_any { writer.commit() } else { Ok(()) }
    }
}

/// A sibling ready for writing. `None` if it is larger than the setting `max_held_bytes` after
/// compression, or if the settings hold none.
pub(crate) fn pack(config: &Config, bytes: &[u8]) -> Result<Option<Packed>, Error> {
    if config.held_per_host == 0 {
        return Ok(None);
    }
    Ok(Some(Packed::new(bytes)?).filter(|packed| packed.len() <= config.max_held_bytes))
}

/// Holds a sibling within a larger transaction: see [`Store::hold`].
pub(crate) fn put(writer: &mut Writer<'_>, key: &Key, packed: &Packed) -> Result<(), Error> {
    let mut others = heads(writer.base(), key.host())?;
    let before = others.iter().position(|(other, _)| other == key).map(|at| others.remove(at).1.place);
    for (oldest, head) in others.split_off((writer.config().held_per_host - 1).min(others.len())) {
        remove(writer, &oldest, &head);
    }
    writer.state.held += u64::from(before.is_none());
    writer.state.held_order += 1;
    let order = writer.state.held_order;
    let place = writer.put_value(HeadSort::Held, key, packed, before)?;
    writer.put_head(HeadSort::Held, key, &HeldHead { order, place })
}

fn remove(writer: &mut Writer<'_>, key: &Key, head: &HeldHead) {
    writer.remove_value(HeadSort::Held, key, head.place);
    writer.state.held -= 1;
}

/// The heads of a host, newest first. There are few.
fn heads(base: &Base, host: &str) -> Result<Vec<(Key, HeldHead)>, Error> {
    let entries = base.trees().heads.scan_prefix(heads::tree_prefix(HeadSort::Held, Some(host)));
    let mut heads = entries
        .map(|entry| {
            let (tree_key, head) = entry.map_err(Error::sled("list what is held"))?;
            Ok((heads::url_key(&tree_key)?, heads::decode::<HeldHead>(&head)?))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    heads.sort_by_key(|(_, head)| std::cmp::Reverse(head.order));
    Ok(heads)
}
