//! Mends a store that is in use, after the background verification found damage in a segment: the
//! same as an opening does, and counted in the same way.

use std::collections::BTreeMap;

use super::lost::lose_value;
use super::{list_loss, say};
use crate::error::Error;
use crate::index::base::{Base, Which, new_epoch};
use crate::index::check::{PlacedHead, placed, which};
use crate::index::heads::{HeadSort, place_of};
use crate::index::space;
use crate::index::state::EPOCH_KEY;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::Place;
use crate::log::check::SegmentCheck;
use crate::records::apply;
use crate::recovery::Recovery;

/// Segments with damage, as read.
pub(crate) type DamagedSegments = BTreeMap<(Which, u32), SegmentCheck>;

/// Removes what is lost with these frames, counts it, and writes entries of spaces again. `outside`
/// are heads whose frames are in no segment. Returns what it found and did; `None` if frames have
/// moved, so that the index must be filled again.
pub(crate) fn mend(
    base: &Base,
    damaged: &DamagedSegments,
    outside: Vec<PlacedHead>,
) -> Result<Option<Recovery>, Error> {
    let mut lost = outside;
    for entry in base.trees().heads.iter() {
        let (key, value) = entry.map_err(Error::sled("read an entry"))?;
        let head = placed(b"heads", &key, &value)?.filter(|head| is_lost(damaged, head));
        if head.as_ref().is_some_and(|head| has_moved(damaged, head)) {
            return Ok(None);
        }
        lost.extend(head);
    }
    let mut found =
        Recovery { lost_frames: damaged.values().map(SegmentCheck::lost_frames).sum(), ..Recovery::default() };
    for (sort, ..) in &lost {
        match sort {
            HeadSort::Page => found.lost_pages += 1,
            HeadSort::Tombstone => found.new_epoch = true,
            _ => found.lost_values += 1,
        }
    }
    found.new_epoch |= found.lost_pages > 0;
    // Before the repair: after it, nothing shows the loss.
    let now = jiff::Timestamp::now();
    list_loss(base.path(), now, &found);
    drop_lost(base, &lost, found.new_epoch)?;
    let records = base.journal(Which::Records);
    found.logged_again = space::log_missing(base, |number| {
        let segment = records.segment_of(number).and_then(|id| damaged.get(&(Which::Records, id)));
        segment.is_none_or(|segment| segment.has(number))
    })?;
    base.flush()?;
    damaged.keys().for_each(|(which, segment)| base.verified.note_damage(*which, *segment));
    say(base.path(), &found);
    Ok(Some(found))
}

fn is_lost(damaged: &DamagedSegments, (sort, _, place): &PlacedHead) -> bool {
    let segment = damaged.get(&(which(*sort), place.segment));
    segment.is_some_and(|segment| !segment.holds(place))
}

/// Whether the segment of a lost frame has it at another place. Values come again.
fn has_moved(damaged: &DamagedSegments, (sort, _, place): &PlacedHead) -> bool {
    let which = which(*sort);
    which == Which::Records && damaged.get(&(which, place.segment)).is_some_and(|segment| segment.has(place.number))
}

/// Removes the heads, and begins a new epoch, in one commit: no reader sees one without the
/// other. Heads that another writer has changed meanwhile stay.
fn drop_lost(base: &Base, lost: &[PlacedHead], is_new_epoch: bool) -> Result<(), Error> {
    let mut writer = Writer::new(base);
    writer.settle()?;
    if is_new_epoch {
        let epoch = new_epoch();
        let (last_sequence, floor) = (writer.state.last_sequence, writer.state.floor);
        base.journal(Which::Records).begin_segment(epoch, last_sequence, floor)?;
        let bytes = epoch.to_be_bytes();
        base.trees().meta.insert(EPOCH_KEY, &bytes).map_err(Error::sled("write its epoch"))?;
        base.set_epoch(epoch);
    }
    for (sort, key, place) in lost {
        if !names(&writer, *sort, key, *place)? {
            continue;
        }
        match sort {
            HeadSort::Page => apply::lose(&mut writer, key)?,
            HeadSort::Tombstone => apply::forget(&mut writer, std::slice::from_ref(key))?,
            _ => lose_value(&mut writer, *sort, key)?,
        }
    }
    writer.commit()?;
    base.settle()
}

/// Whether a head still names a place.
fn names(writer: &Writer<'_>, sort: HeadSort, key: &Key, place: Place) -> Result<bool, Error> {
    let head = writer.head_bytes(sort, key)?;
    Ok(head.map(|head| place_of(sort, &head)).transpose()?.flatten() == Some(place))
}
