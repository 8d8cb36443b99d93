//! The frames that the index names: which the journals lack, and how many bytes of each segment are
//! live.

use std::collections::BTreeMap;

use super::Journals;
use super::base::Which;
use super::heads::{self, HeadSort, place_of};
use super::space;
use crate::error::Error;
use crate::key::Key;
use crate::log::Place;
use crate::log::scan::ScannedJournal;

/// Heads whose frames are missing.
#[derive(Default)]
pub(crate) struct Lost {
    pub(crate) pages: Vec<Key>,
    pub(crate) tombstones: Vec<Key>,
    pub(crate) values: Vec<(HeadSort, Key, Place)>,
}

/// The journal frames that the heads name.
#[derive(Default)]
pub(crate) struct Heads {
    pub(crate) lost: Lost,
    /// Bytes of live frames, by journal and segment.
    pub(crate) live: BTreeMap<(Which, u32), u64>,
    /// Bytes of live writes of spaces, by the first number of their segment.
    pub(crate) live_writes: BTreeMap<u64, u64>,
    /// Live writes of spaces whose frames the journal has not.
    pub(crate) unlogged: u64,
    /// Heads whose frames the journal of records has at another place, with their numbers.
    pub(crate) moved: Vec<(HeadSort, Key, u64)>,
}

impl Heads {
    /// Adds an entry of a logged space.
    pub(crate) fn see_written(&mut self, records: &ScannedJournal, value: &[u8]) {
        let stamp = space::unstamped(value).map(|(stamp, _)| stamp).unwrap_or_default();
        self.unlogged += u64::from(!records.has(stamp.number));
        let first = records.first_before(stamp.number);
        *self.live_writes.entry(first).or_default() += stamp.weight;
    }

    /// Adds one head.
    pub(crate) fn see(&mut self, journals: Journals<'_>, tree_key: &[u8], head: &[u8]) -> Result<(), Error> {
        let Some(sort) = HeadSort::from_key(tree_key) else { return Ok(()) };
        let Some(place) = place_of(sort, head)? else { return Ok(()) };
        let (which, found) = match sort.can_be_had_again() {
            true => (Which::Bodies, journals.bodies),
            false => (Which::Records, journals.records),
        };
        let is_there = found.holds(&place);
        let has_moved = !is_there && which == Which::Records && found.has(place.number);
        if has_moved {
            self.moved.push((sort, heads::url_key(tree_key)?, place.number));
            return Ok(());
        }
        *self.live.entry((which, place.segment)).or_default() += u64::from(place.len);
        if is_there {
            return Ok(());
        }
        let key = heads::url_key(tree_key)?;
        match sort {
            HeadSort::Page => self.lost.pages.push(key),
            HeadSort::Tombstone => self.lost.tombstones.push(key),
            _ => self.lost.values.push((sort, key, place)),
        }
        Ok(())
    }
}
