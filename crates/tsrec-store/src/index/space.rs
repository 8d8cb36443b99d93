//! Named spaces: maps of opaque bytes that the layers above keep in the store, as the frontier
//! does.
//!
//! A *logged* space is in the journal of records and in sled, so the store can fill it again if
//! sled is lost. A *derived* space is in sled only. Its owner makes it again from logged spaces,
//! and the store empties it if it no longer fits them.
//!
//! A [`Database::write`] of several spaces is one frame of the journal and one commit. The
//! frame has one value: the writes, compressed together. In sled each value of a logged space
//! begins with its [`Stamp`], which says which frame has it. So the store knows which writes of a
//! frame are live.

mod wire;

use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};

use crate::error::Error;
use crate::index::base::Base;
use crate::index::tree::{IndexTree, TreeEntries};
use crate::index::writer::Writer;
use crate::log::Place;
use crate::log::op::Op;
use crate::log::packed::Packed;

pub(crate) use wire::{Stamp, decode, stamped, unstamped};

/// What the names of the trees of spaces begin with.
const LOGGED: &str = "space_";
const DERIVED: &str = "derived_";

/// The longest name of a space, in bytes.
const MAX_NAME_LEN: usize = 32;

/// An open space. Keys and values are any bytes; keys are in their order.
#[derive(Debug, Clone)]
pub struct Space {
    name: &'static str,
    tree: IndexTree,
    is_logged: bool,
}

/// Puts and removals of one space, to be written together. The last one of a key counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpaceBatch(BTreeMap<Vec<u8>, Option<Vec<u8>>>);

impl SpaceBatch {
    /// Gives a key this value.
    pub fn insert(&mut self, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) {
        self.0.insert(key.into(), Some(value.into()));
    }

    /// Removes a key.
    pub fn remove(&mut self, key: impl Into<Vec<u8>>) {
        self.0.insert(key.into(), None);
    }
}

impl Space {
    /// The value of a key. O(log entries).
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let value = self.tree.get(key).map_err(Error::sled("read an entry of a space"))?;
        Ok(value.map(|value| without_stamp(&value, self.is_logged)))
    }

    /// Whether a key has a value.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn contains_key(&self, key: &[u8]) -> Result<bool, Error> {
        Ok(self.tree.get(key).map_err(Error::sled("read an entry of a space"))?.is_some())
    }

    /// The entries of a range, in the order of their keys. They need not be of one moment.
    pub fn range<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> SpaceEntries {
        let owned = |bound: Bound<&K>| bound.map(|key| key.as_ref().to_vec());
        let range = (owned(range.start_bound()), owned(range.end_bound()));
        SpaceEntries { entries: self.tree.range::<Vec<u8>, _>(range), is_logged: self.is_logged }
    }

    /// All entries.
    pub fn iter(&self) -> SpaceEntries {
        SpaceEntries { entries: self.tree.iter(), is_logged: self.is_logged }
    }

    /// The number of entries. O(entries).
    pub fn count(&self) -> u64 {
        self.tree.iter().count() as u64
    }
}

/// A value without its stamp. A value whose stamp cannot be read is damaged; its owner sees that.
fn without_stamp(value: &[u8], is_logged: bool) -> Vec<u8> {
    match is_logged {
        true => unstamped(value).map_or(value, |(_, value)| value).to_vec(),
        false => value.to_vec(),
    }
}

/// Entries of a space: keys and values.
pub struct SpaceEntries {
    entries: TreeEntries,
    is_logged: bool,
}

impl SpaceEntries {
    fn read(&self, entry: sled::Result<(sled::IVec, sled::IVec)>) -> Result<(Vec<u8>, Vec<u8>), Error> {
        let (key, value) = entry.map_err(Error::sled("read a space"))?;
        Ok((key.to_vec(), without_stamp(&value, self.is_logged)))
    }
}

impl Iterator for SpaceEntries {
    type Item = Result<(Vec<u8>, Vec<u8>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entries.next()?;
        Some(self.read(entry))
    }
}

impl DoubleEndedIterator for SpaceEntries {
    fn next_back(&mut self) -> Option<Self::Item> {
        let entry = self.entries.next_back()?;
        Some(self.read(entry))
    }
}

impl Base {
    /// Opens a logged space; creates it if there is none. `name` has 1 to 32 letters.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub(crate) fn space(&self, name: &'static str) -> Result<Space, Error> {
        debug_assert!(is_name(name), "{name}");
        Ok(Space { name, tree: self.space_tree(&format!("{LOGGED}{name}"))?, is_logged: true })
    }

    /// Opens a derived space. It is empty after the store filled logged spaces again, as it is when
    /// it is created.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub(crate) fn derived_space(&self, name: &'static str) -> Result<Space, Error> {
        debug_assert!(is_name(name), "{name}");
        Ok(Space { name, tree: self.space_tree(&format!("{DERIVED}{name}"))?, is_logged: false })
    }

    /// Writes batches of some spaces in one commit, each space at most once. Durable after
    /// [`Database::durable`]. O(entries × log space).
    ///
    /// # Errors
    ///
    /// The errors of the disk or of the database; then nothing is written.
    pub(crate) fn write(&self, batches: &[(&Space, &SpaceBatch)]) -> Result<(), Error> {
        self.write_where(batches, || Ok(true)).map(drop)
    }

    /// The same, if a key of a space still has this value. Returns whether it has.
    ///
    /// # Errors
    ///
    /// As [`Database::write`].
    pub(crate) fn write_if(
        &self,
        (space, key, value): (&Space, &[u8], &[u8]),
        batches: &[(&Space, &SpaceBatch)],
    ) -> Result<bool, Error> {
        self.write_where(batches, || Ok(space.get(key)?.as_deref() == Some(value)))
    }

    fn write_where(
        &self,
        batches: &[(&Space, &SpaceBatch)],
        still_holds: impl FnOnce() -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let changes = batches.iter().map(|(space, batch)| Ok((*space, changes(space, batch)?)));
        let changes = changes.filter(|change| !matches!(change, Ok((_, entries)) if entries.is_empty()));
        let changes: Vec<(&Space, Entries<'_>)> = changes.collect::<Result<_, Error>>()?;
        if changes.is_empty() {
            return still_holds();
        }
        // Before the lock, since packing takes some microseconds.
        let logged: Vec<_> =
            changes.iter().filter(|(space, _)| space.is_logged).map(|(space, of)| (space.name, of)).collect();
        let written: u64 = logged.iter().map(|(_, entries)| entries.len() as u64).sum();
        let packed = (written > 0).then(|| Packed::new(&wire::encode(&logged))).transpose()?;
        let mut writer = Writer::new(self);
        if !still_holds()? {
            return Ok(false);
        }
        let stamp = match &packed {
            Some(packed) => Stamp::of(writer.append(Op::Spaces, Some(packed))?, written),
            None => Stamp::default(),
        };
        for (space, entries) in changes {
            for (key, value) in entries {
                match (space.is_logged, value) {
                    (true, value) => writer.put_logged(&space.tree, key, value, stamp)?,
                    (false, value) => writer.put_derived(&space.tree, key, value)?,
                }
            }
        }
        writer.commit()?;
        Ok(true)
    }
}

/// Borrowed writes of a space.
type Entries<'b> = Vec<(&'b [u8], Option<&'b [u8]>)>;

/// The writes of a batch that change anything.
fn changes<'b>(space: &Space, batch: &'b SpaceBatch) -> Result<Entries<'b>, Error> {
    let mut changes = Vec::with_capacity(batch.0.len());
    for (key, value) in &batch.0 {
        if space.get(key)?.as_deref() != value.as_deref() {
            changes.push((key.as_slice(), value.as_deref()));
        }
    }
    Ok(changes)
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_LEN).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Whether a tree holds a logged space.
pub(crate) fn is_logged_tree(tree: &[u8]) -> bool {
    tree.starts_with(LOGGED.as_bytes())
}

/// Whether a tree holds a derived space.
pub(crate) fn is_derived_tree(tree: &[u8]) -> bool {
    tree.starts_with(DERIVED.as_bytes())
}

/// Applies the writes of a frame again, as in a replay.
pub(crate) fn apply(writer: &mut Writer<'_>, place: Place, value: &[u8]) -> Result<(), Error> {
    let spaces = decode(value)?;
    let stamp = Stamp::of(place, spaces.iter().map(|(_, entries)| entries.len() as u64).sum());
    for (name, entries) in spaces {
        let tree = writer.base().space_tree(&format!("{LOGGED}{name}"))?;
        for (key, value) in entries {
            writer.put_logged(&tree, key, value, stamp)?;
        }
    }
    Ok(())
}

/// Copies the live writes of a frame to the end of the journal. A removal is live as long as an
/// older segment may have what it removed. Returns how many writes it copied.
pub(crate) fn copy_live(writer: &mut Writer<'_>, place: Place, value: &[u8], is_oldest: bool) -> Result<u64, Error> {
    let spaces = decode(value)?;
    let mut live = Vec::new();
    for (name, entries) in &spaces {
        let tree = writer.base().space_tree(&format!("{LOGGED}{name}"))?;
        let mut of_space = Vec::new();
        for (key, value) in entries {
            let now = writer.in_space(&tree, key)?;
            let is_live = match (&now, value) {
                (Some(now), Some(_)) => unstamped(now).is_some_and(|(stamp, _)| stamp.number == place.number),
                (None, None) => !is_oldest,
                _ => false,
            };
            if is_live {
                of_space.push((*key, *value));
            }
        }
        if !of_space.is_empty() {
            live.push((*name, tree, of_space));
        }
    }
    log_again(writer, &live)
}

/// Writes entries of logged spaces into the journal, though sled has them. Returns how many.
pub(crate) fn log_again(writer: &mut Writer<'_>, spaces: &[(&str, IndexTree, Entries<'_>)]) -> Result<u64, Error> {
    let written = spaces.iter().map(|(_, _, entries)| entries.len() as u64).sum();
    if written == 0 {
        return Ok(0);
    }
    let named: Vec<_> = spaces.iter().map(|(name, _, entries)| (*name, entries)).collect();
    let packed = Packed::new(&wire::encode(&named))?;
    let stamp = Stamp::of(writer.append(Op::Spaces, Some(&packed))?, written);
    for (_, tree, entries) in spaces {
        for (key, value) in entries.iter().filter(|(_, value)| value.is_some()) {
            writer.put_logged(tree, key, *value, stamp)?;
        }
    }
    Ok(written)
}

/// Entries read at a time by the functions below.
const PIECE: usize = 1_000;

/// Writes the entries into the journal whose frames it has not. Returns how many.
pub(crate) fn log_missing(base: &Base, is_in_log: impl Fn(u64) -> bool) -> Result<u64, Error> {
    let mut written = 0;
    for tree_name in base.tree_names().into_iter().filter(|name| is_logged_tree(name)) {
        let tree_name = String::from_utf8_lossy(&tree_name).into_owned();
        let tree = base.space_tree(&tree_name)?;
        let mut entries = tree.iter();
        loop {
            let piece = entries.by_ref().take(PIECE).collect::<Result<Vec<_>, _>>();
            let piece = piece.map_err(Error::sled("read a space"))?;
            let missing = piece.iter().filter_map(|(key, value)| {
                let (stamp, value) = unstamped(value).unwrap_or((Stamp::default(), value));
                (!is_in_log(stamp.number)).then_some((&key[..], Some(value)))
            });
            let missing: Entries<'_> = missing.collect();
            if !missing.is_empty() {
                let mut writer = Writer::new(base);
                // Another writer may have come before.
                let is_as_read = |key: &[u8], value: Option<&[u8]>| {
                    let now = writer.in_space(&tree, key)?;
                    let now = now.as_deref().map(|now| unstamped(now).map_or(now, |(_, value)| value));
                    Ok::<_, Error>(now == value)
                };
                let mut still = Vec::with_capacity(missing.len());
                for (key, value) in missing {
                    if is_as_read(key, value)? {
                        still.push((key, value));
                    }
                }
                let missing = still;
                let name = tree_name.strip_prefix(LOGGED).unwrap_or(&tree_name);
                written += log_again(&mut writer, &[(name, tree.clone(), missing)])?;
                writer.commit()?;
            }
            if piece.len() < PIECE {
                break;
            }
        }
    }
    Ok(written)
}

/// Empties the derived spaces.
pub(crate) fn clear_derived(base: &Base) -> Result<(), Error> {
    for name in base.tree_names().into_iter().filter(|name| is_derived_tree(name)) {
        let tree = base.space_tree(&String::from_utf8_lossy(&name))?;
        loop {
            let piece = tree.iter().take(PIECE).map(|entry| entry.map(|(key, _)| key)).collect::<Result<Vec<_>, _>>();
            let piece = piece.map_err(Error::sled("read a space"))?;
            if piece.is_empty() {
                break;
            }
            let mut writer = Writer::new(base);
            writer.replays = true;
            piece.iter().try_for_each(|key| writer.put_derived(&tree, key, None))?;
            writer.commit()?;
        }
    }
    Ok(())
}
