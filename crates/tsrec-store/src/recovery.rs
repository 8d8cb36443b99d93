//! Opening the store: compares the journal, sled and the mark, repairs damage, and reports
//! losses. It reads everything only if the ends of the files leave a doubt (`quick`).
//!
//! | finding | action |
//! |---|---|
//! | the journal ends with frames that neither sled nor the mark knows | drop them: they were never acknowledged |
//! | sled is behind the mark | replay the journal's later frames |
//! | sled does not open, panics, or an entry is missing | set it aside, and fill it again from the journal |
//! | both that and a gap in the journal | salvage the frontier's URLs from the damaged sled |
//! | a frame with live writes of a space is missing, and sled has them | write them into the journal again |
//! | segments have each other's names | rename them |
//! | a frame that sled needs is damaged, or the journal's end is missing | the page is lost: remove it, and begin a new epoch |
//!
//! A new epoch makes every reader of the feed start over. So no reader keeps data that the store
//! has lost. No reader mistakes a reused number for one that it has seen.

pub(crate) mod found;
mod lost;
pub(crate) mod mend;
mod quick;
mod raw;
mod replay;
pub(crate) mod salvaged;

use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use lost::{drop_lost, leave_what_comes_again, put_moved};
use raw::FoundBodies;
use replay::{Replay, replay};

use crate::Config;
use crate::collect::CollectProgress;
use crate::error::Error;
use crate::error::io as io_error;
use crate::index::base::{Base, Which, new_epoch};
use crate::index::heads::HeadSort;
use crate::index::seen::{Heads, Lost};
use crate::index::space;
use crate::index::state::{EPOCH_KEY, FRONTIER_URLS};
use crate::index::writer::{self, Writer};
use crate::index::{self, Index, Journals, Salvaged, Unsound};
use crate::key::Key;
use crate::log::mark::{DurableMark, MarkFile, MarkRead};
use crate::log::op::{JournalEntry, Op};
use crate::log::order;
use crate::log::scan::{self, ScannedJournal};
use crate::log::{BODIES, RECORDS};
use crate::log::{BODIES_SEGMENT_LEN, Journal, Place, SEGMENT_LEN, path_of};
use crate::losses;

pub use found::Recovery;

/// What is wrong with an index whose frames are at other places: bytes before them are gone, or a
/// copy of their segment has another name.
pub(crate) const MOVED: &str = "frames of the journal are not where they were";

/// Heads removed in one commit.
const BATCH: usize = 500;

/// Result of [`open`].
pub(crate) struct Opened {
    pub(crate) index: Index,
    pub(crate) records: Journal,
    pub(crate) bodies: Journal,
    pub(crate) mark: (MarkFile, u64),
    pub(crate) epoch: u64,
    pub(crate) recovery: Draft,
    pub(crate) progress: CollectProgress,
}

/// The steps left for `finish`.
pub(crate) struct Draft {
    recovery: Recovery,
    /// Replay the frames past this number.
    replay_after: Option<u64>,
    /// The index is empty.
    fills: bool,
    lost: Lost,
    /// Heads whose frames have moved.
    moved: Vec<(HeadSort, Key, u64)>,
    /// Bodies whose heads are lost.
    bodies: FoundBodies,
    live: BTreeMap<(Which, u32), u64>,
    /// Bytes of live writes of spaces, by the first number of their segment.
    live_writes: BTreeMap<u64, u64>,
    /// If the journal lacks frames of live writes: the runs of numbers that it has.
    unlogged: Option<Vec<RangeInclusive<u64>>>,
    salvaged: Vec<Salvaged>,
    last_sequence: u64,
    /// Whether the new epoch must be written into the index.
    epoch_is_new_to_index: bool,
    /// Whether everything was read.
    is_full: bool,
    /// Segments with damage.
    damaged: Vec<(Which, u32)>,
}

impl Draft {
    /// For a store of which only the ends were read, and were as they ought to be.
    fn nothing_but(dropped: u64, last_sequence: u64) -> Draft {
        Draft {
            recovery: Recovery { dropped, ..Recovery::default() },
            replay_after: None,
            fills: false,
            lost: Lost::default(),
            moved: Vec::new(),
            bodies: FoundBodies::default(),
            live: BTreeMap::new(),
            live_writes: BTreeMap::new(),
            unlogged: None,
            salvaged: Vec::new(),
            last_sequence,
            epoch_is_new_to_index: false,
            is_full: false,
            damaged: Vec::new(),
        }
    }
}

/// How much an opening reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// What came since the mark; everything if that leaves a doubt.
    SinceMark,
    Everything,
}

/// Opens the files of a directory and finds what is wrong with them.
pub(crate) fn open(dir: &Path, config: &Config, reading: Reading) -> Result<Opened, Error> {
    crate::index::compacted::finish_compacting(dir)?;
    index::check_layout(dir)?;
    for name in [RECORDS, BODIES, index::DIR] {
        std::fs::create_dir_all(dir.join(name)).map_err(|source| io_error("make", &dir.join(name), source))?;
    }
    for name in [RECORDS, BODIES] {
        let journal = dir.join(name);
        let moved = order::put_in_order(&journal).map_err(|source| io_error("put in order", &journal, source))?;
        if moved > 0 {
            tracing::warn!(store = %dir.display(), name, moved, "segments of the journal had the names of others");
        }
    }
    let read_mark = MarkFile::read(dir).map_err(|source| io_error("read the mark of", dir, source))?;
    if reading == Reading::SinceMark {
        match quick::open(dir, config, read_mark)? {
            Ok(opened) => return Ok(opened),
            Err(why) => tracing::debug!(store = %dir.display(), why, "opening reads everything"),
        }
    }
    let mut records = scan_journal(dir, RECORDS, |_, _, _| Ok(()))?;
    let bodies = scan_journal(dir, BODIES, |_, _, _| Ok(()))?;
    [&records, &bodies].into_iter().try_for_each(|journal| index::check_journal(journal, dir))?;
    let mut recovery = Recovery::default();
    let mut salvaged = Vec::new();
    let had_frames = records.last_number > 0;
    let mark = match read_mark {
        MarkRead::Found(mark) => Some(mark),
        MarkRead::Absent | MarkRead::Damaged => None,
    };
    let journals = Journals { records: &records, bodies: &bodies };
    // If the journal lacks frames, only the old index may know some URLs.
    let lacks_frames = records.has_gaps() || mark.is_none_or(|mark| mark.number > records.last_number);
    let mut index = match index::open(dir, config.cache_capacity, journals) {
        Ok(index) => index,
        Err(Unsound::Error(error)) => return Err(error),
        Err(Unsound::Damaged(why)) => {
            if lacks_frames {
                salvaged = index::salvage(dir, config.cache_capacity);
            }
            let aside = index::set_aside(dir)?;
            tracing::error!(%why, kept = %aside.display(), "the index is damaged: it is filled again from the journal");
            recovery.rebuilt = Some(why);
            fresh_index(dir, config, journals)?
        }
    };
    index::check_format(&index, dir)?;
    if let Some(why) = cannot_be_replayed(&index, &records, mark).filter(|_| recovery.rebuilt.is_none()) {
        tracing::warn!(store = %dir.display(), why, "the index is filled again from the journal");
        salvaged = salvaged::read(&index.sled)?;
        if lacks_frames {
            salvaged.extend(index::urls_in(&index.sled));
        }
        drop(index);
        index::remove(dir)?;
        recovery.rebuilt = Some(why.to_owned());
        index = fresh_index(dir, config, journals)?;
        index::check_format(&index, dir)?;
    }
    // A backup has the journal only.
    let was_emptied = had_frames && index.is_fresh && recovery.rebuilt.is_none();
    let is_behind =
        was_emptied || mark.is_some_and(|mark| mark.flush > index.flush) || is_of_earlier_segment(&index, &records);
    let replay_after = match () {
        () if recovery.rebuilt.is_some() => Some(0),
        () if is_behind || mark.is_none() => Some(index.state.number),
        () => None,
    };
    if replay_after.is_none() && index.state.number < records.last_number {
        recovery.dropped = drop_tail(dir, &mut records, index.state.number)?;
    }
    let known = mark.unwrap_or_default().number.max(index.state.number);
    let lost_end = known.saturating_sub(records.last_number);
    let Heads { mut lost, live, live_writes, unlogged, moved } = std::mem::take(&mut index.heads);
    if let Some(after) = replay_after {
        leave_what_comes_again(dir, &mut lost, after)?;
    }
    recovery.lost_frames = records.lost_frames + records.missing.len() as u64 + lost_end;
    recovery.lost_pages = lost.pages.len() as u64;
    recovery.lost_values = lost.values.len() as u64;
    let mut found = FoundBodies::default();
    if recovery.rebuilt.is_some() || was_emptied {
        found = FoundBodies::read(dir)?;
        recovery.lost_values += found.lost();
    }
    let cannot_tell = (recovery.rebuilt.is_some() || was_emptied) && mark.is_none() && had_frames;
    let lost_in_replay =
        replay_after.is_some_and(|after| after == 0 && records.has_gaps() || records.lost_until > after);
    recovery.new_epoch =
        lost_end > 0 || cannot_tell || lost_in_replay || !lost.pages.is_empty() || !lost.tombstones.is_empty();
    let known_epoch = if is_behind { records.epoch.or(index.epoch) } else { index.epoch.or(records.epoch) };
    let epoch = known_epoch.filter(|_| !recovery.new_epoch).unwrap_or_else(new_epoch);
    if replay_after.is_some() && (lost_in_replay || lost_end > 0 || cannot_tell) {
        recovery.salvaged = Some(0);
    }
    let last_sequence = records.last_sequence.max(mark.unwrap_or_default().sequence);
    let flush = index.flush.max(mark.unwrap_or_default().flush);
    let draft = Draft {
        replay_after,
        fills: index.is_fresh && index.epoch.is_none(),
        lost,
        moved,
        bodies: found,
        live,
        live_writes,
        unlogged: (unlogged > 0).then(|| std::mem::take(&mut records.runs)),
        salvaged,
        last_sequence,
        epoch_is_new_to_index: index.epoch != Some(epoch),
        is_full: true,
        damaged: [(Which::Records, &records), (Which::Bodies, &bodies)].into_iter().flat_map(damaged_of).collect(),
        recovery,
    };
    let progress = CollectProgress::default();
    let mark_file = MarkFile::open(dir).map_err(|source| io_error("open the mark of", dir, source))?;
    Ok(Opened {
        records: Journal::open(dir, (RECORDS, SEGMENT_LEN), &records, epoch)?,
        bodies: Journal::open(dir, (BODIES, BODIES_SEGMENT_LEN), &bodies, epoch)?,
        index,
        mark: (mark_file, flush),
        epoch,
        recovery: draft,
        progress,
    })
}

/// Does the remaining steps with the assembled store, and reports the result.
pub(crate) fn finish(base: &Base, draft: Draft) -> Result<Recovery, Error> {
    let Draft { mut recovery, replay_after, lost, live, live_writes, unlogged, salvaged, .. } = draft;
    let Draft { fills, moved, bodies, last_sequence, epoch_is_new_to_index, is_full, damaged, .. } = draft;
    // Before the repair: after it, nothing shows the loss.
    let now = jiff::Timestamp::now();
    list_loss(base.path(), now, &recovery);
    for ((which, segment), len) in live {
        base.journal(which).revive(segment, len);
    }
    for (number, len) in live_writes {
        let records = base.journal(Which::Records);
        records.segment_of(number).into_iter().for_each(|segment| records.revive(segment, len));
    }
    put_moved(base, moved)?;
    drop_lost(base, lost, last_sequence)?;
    // At once, so that a crash in the replay does not forget them.
    salvaged::keep(base, &salvaged)?;
    let mut urls = salvaged::read(&base.sled)?;
    if let Some(after) = replay_after {
        space::clear_derived(base)?;
        let urls = recovery.salvaged.is_some().then_some(&mut urls);
        recovery.replayed = replay(base, Replay { after, fills, urls })?;
    }
    bodies.put(base)?;
    if let Some(runs) = unlogged {
        recovery.logged_again = space::log_missing(base, |number| scan::is_in(&runs, number))?;
    }
    if let Some(count) = &mut recovery.salvaged {
        let known = base.space(FRONTIER_URLS)?;
        let mut unknown = Vec::new();
        for (url, entry) in urls {
            let is_known = Key::parse(&url).map_or(Ok(true), |key| known.contains_key(key.as_bytes()))?;
            unknown.extend((!is_known).then_some((url, entry)));
        }
        *count = salvaged::replace(base, unknown)?;
    }
    if epoch_is_new_to_index {
        // An index with an epoch counts as filled.
        base.settle()?;
        let epoch = base.epoch().to_be_bytes();
        base.trees().meta.insert(EPOCH_KEY, &epoch).map_err(Error::sled("write its epoch"))?;
    }
    if recovery.new_epoch {
        writer::begin_segment(base, Which::Records, base.epoch())?;
    }
    // The journals may end elsewhere than the index knew. The next flush tells it.
    Writer::new(base).commit()?;
    if is_full {
        // The next opening reads the last segment whole, so that should be a sound one.
        for which in [Which::Records, Which::Bodies] {
            let last = base.journal(which).segments().last().map(|(id, _)| (which, *id));
            if last.is_some_and(|last| damaged.contains(&last)) {
                writer::begin_segment(base, which, base.epoch())?;
            }
        }
    }
    say(base.path(), &recovery);
    list_loss(base.path(), now, &recovery);
    damaged.into_iter().for_each(|(which, segment)| base.verified.note_damage(which, segment));
    base.verified.set_done(is_full);
    Ok(recovery)
}

/// Adds what is lost to the list of losses. A full disk does not keep the store from opening.
fn list_loss(dir: &Path, now: jiff::Timestamp, recovery: &Recovery) {
    if recovery.has_losses()
        && let Err(error) = losses::note(dir, now, recovery)
    {
        tracing::error!(%error, "the loss cannot be listed: it is reported only this once");
    }
}

/// Why replaying the frames that a sound index lacks would not make it whole, if so.
fn cannot_be_replayed(index: &Index, records: &ScannedJournal, mark: Option<DurableMark>) -> Option<&'static str> {
    if index.is_fresh || records.last_number == 0 {
        return None;
    }
    if index.epoch.is_none() {
        return Some("an earlier opening did not end");
    }
    let is_behind = mark.is_none_or(|mark| mark.flush > index.flush) || is_of_earlier_segment(index, records);
    let is_collected = records.runs.last().is_some_and(|run| *run.start() > index.state.number + 1);
    // Collecting drops a removal once no older frame is left. An older index still has what it
    // removed.
    (is_behind && is_collected && !records.has_gaps()).then_some("frames that it lacks were collected")
}

/// Whether the journal had more operations before its last segment began. A flush comes before
/// that, so then both the index and the mark are old, and the operations were acknowledged.
pub(crate) fn is_of_earlier_segment(index: &Index, records: &ScannedJournal) -> bool {
    let first = records.segments.last_key_value().and_then(|(_, segment)| segment.first);
    first.is_some_and(|first| first > index.state.number + 1)
}

/// The segments of a journal that have damage.
fn damaged_of((which, found): (Which, &ScannedJournal)) -> impl Iterator<Item = (Which, u32)> {
    found.segments.iter().filter(|(_, segment)| !segment.damaged.is_empty()).map(move |(&id, _)| (which, id))
}

fn say(dir: &Path, recovery: &Recovery) {
    let store = dir.display();
    let Recovery { replayed, dropped, lost_pages, lost_frames, lost_values, .. } = recovery;
    let Recovery { salvaged, rebuilt, new_epoch, logged_again, .. } = recovery;
    if *new_epoch {
        tracing::error!(
            %store, lost_pages, lost_frames, lost_values, replayed, ?salvaged,
            "part of the store is lost: readers of the feed start over, and what is lost is fetched again when it is due"
        );
    } else if rebuilt.is_some() || *lost_values > 0 || *logged_again > 0 {
        // The log may be read by who asks what is lost: see `salvaged`, which is none without a new
        // epoch.
        tracing::warn!(
            %store, replayed, lost_values, logged_again,
            "the store was damaged and is mended; no record and no URL of the frontier is lost"
        );
    } else if *dropped > 0 || *replayed > 0 {
        tracing::info!(%store, dropped, replayed, "the store was not closed; what was not acknowledged is dropped");
    }
}

fn fresh_index(dir: &Path, config: &Config, journals: Journals<'_>) -> Result<Index, Error> {
    index::open(dir, config.cache_capacity, journals).map_err(|unsound| match unsound {
        Unsound::Error(error) => error,
        Unsound::Damaged(why) => io_error("make an index in", dir, io::Error::other(why)),
    })
}

fn scan_journal(
    dir: &Path,
    name: &'static str,
    take: impl FnMut(Place, JournalEntry, &[u8]) -> io::Result<()>,
) -> Result<ScannedJournal, Error> {
    let dir = dir.join(name);
    scan::scan(&dir, take).map_err(|source| io_error("read", &dir, source))
}

/// Cuts the journal after the frame with this number. Returns how many operations it dropped.
fn drop_tail(dir: &Path, records: &mut ScannedJournal, number: u64) -> Result<u64, Error> {
    let mut first: Option<Place> = None;
    let (mut dropped, mut last_sequence) = (0, 0);
    scan_journal(dir, RECORDS, |place, entry, _| {
        if place.number <= number {
            last_sequence = entry.last_sequence.max(last_sequence);
        } else {
            first.get_or_insert(place);
            dropped += u64::from(!matches!(entry.op, Op::Segment { .. }));
        }
        Ok(())
    })?;
    let Some(first) = first else { return Ok(0) };
    let dir = dir.join(RECORDS);
    let cut = |source| io_error("cut the end of", &dir, source);
    records.segments.retain(|&id, segment| {
        if id == first.segment {
            segment.len = first.offset;
        }
        id < first.segment || id == first.segment && first.offset > 0
    });
    for id in scan::segment_ids(&dir).map_err(cut)? {
        if !records.segments.contains_key(&id) {
            std::fs::remove_file(path_of(&dir, id)).map_err(cut)?;
        }
    }
    records.last_number = number;
    records.forget_after(number);
    // No reader has seen the dropped numbers.
    records.last_sequence = last_sequence;
    Ok(dropped)
}

fn transact(base: &Base, work: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>) -> Result<(), Error> {
    let mut writer = Writer::new(base);
    writer.replays = true;
    work(&mut writer)?;
    writer.commit()
}
