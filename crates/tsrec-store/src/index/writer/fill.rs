//! Fills an empty index. The entries go into each tree in their order and without a transaction,
//! which halves the time of it all. A crash may leave any part of them: until such an index has its
//! epoch, an opening fills it again.

use std::thread::Builder;

use super::Writer;
use crate::error::{Error, io};
use crate::index::digest::entry_digest;
use crate::index::space::{Stamp, is_logged_tree, unstamped};
use crate::index::state::encode_state;
use crate::index::tree::IndexTree;

/// What inserting entries into a tree changed.
#[derive(Default)]
struct Inserted {
    digest: u64,
    /// The stamps of the writes of spaces that were replaced.
    dead: Vec<Stamp>,
}

impl Writer<'_> {
    /// Inserts the gathered entries, and counts their digest.
    pub(super) fn fill(&mut self) -> Result<(), Error> {
        // Nothing of an earlier commit may come after these.
        self.settle()?;
        let trees = self.base.trees();
        let (heads, changes, spaces) = (&self.heads, &self.changes, &self.spaces);
        let inserted = std::thread::scope(|scope| {
            // The tree of the heads takes as long as all others together.
            let of_heads = move || insert(&trees.heads, heads.iter().map(|(key, head)| (&key[..], head.as_deref())));
            let of_heads = Builder::new().name("filling".to_owned()).spawn_scoped(scope, of_heads);
            let of_heads = of_heads.map_err(|source| io("fill the index of", self.base.path(), source))?;
            let changes = changes.iter().map(|(key, change)| (&key[..], change.as_deref()));
            let mut inserted = vec![insert(&trees.changes, changes)?];
            for space in spaces.values() {
                let entries = space.entries.iter().map(|(key, entry)| (&key[..], entry.as_deref()));
                inserted.push(insert(&space.tree, entries)?);
            }
            inserted.push(of_heads.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            Ok::<_, Error>(inserted)
        })?;
        for Inserted { digest, dead } in inserted {
            self.state.digest = self.state.digest.wrapping_add(digest);
            self.dead_writes.extend(dead);
        }
        let (key, state) = encode_state(&self.state)?;
        trees.meta.insert(key, state).map_err(Error::sled("write its state"))?;
        Ok(())
    }
}

fn insert<'e>(
    tree: &IndexTree,
    entries: impl Iterator<Item = (&'e [u8], Option<&'e [u8]>)>,
) -> Result<Inserted, Error> {
    let mut inserted = Inserted::default();
    let tree = tree.sled();
    let is_logged = is_logged_tree(&tree.name());
    for (key, after) in entries {
        let before = match after {
            Some(after) => tree.insert(key, after),
            None => tree.remove(key),
        };
        let before = before.map_err(Error::sled("fill a tree"))?;
        if let Some(before) = &before {
            inserted.digest = inserted.digest.wrapping_sub(entry_digest(key, before));
            inserted.dead.extend(unstamped(before).filter(|_| is_logged).map(|(stamp, _)| stamp));
        }
        if let Some(after) = after {
            inserted.digest = inserted.digest.wrapping_add(entry_digest(key, after));
        }
    }
    Ok(inserted)
}
