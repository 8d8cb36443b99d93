//! Empties journal segments that are mostly dead, a piece with each flush, and removes them.
//!
//! Each flush copies live frames to the end of the journal and updates their heads in the same
//! commit. The segment goes with the flush after the last copy, when the copies and their
//! heads are durable. So a journal takes at most about twice its live data.
//!
//! If bodies take more than their budget, the oldest of their segments is emptied, however much of
//! it is live ([`room`]). That waits for no verification: bodies can be had again.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bodies::room;
use crate::error::Error;
use crate::index::base::{Base, Frame, Which};
use crate::index::heads::{FollowingHead, HeadSort, MemoryHead, PageHead, Tombstone};
use crate::index::space;
use crate::index::writer::{Writer, begin_segment};
use crate::key::Key;
use crate::log::doubt;
use crate::log::frame;
use crate::log::op::Op;
use crate::log::packed::{damaged, unpack};
use crate::log::scan::next_frame;
use crate::log::{Place, Segment};

/// Bytes copied with one flush. Judgement: other writers wait a few milliseconds.
const COPY_LEN: u64 = 1 << 20;

/// Entries of spaces copied with one flush; one more frame may exceed it. Judgement: as above.
const COPY_ENTRIES: u64 = 1_000;

/// Bytes examined with one flush.
const READ_LEN: u64 = 4 << 20;

/// A segment is collected if less than this part is live.
const LEAST_LIVE: (u64, u64) = (1, 2);

/// The progress of collecting.
#[derive(Debug, Default)]
pub(crate) struct CollectProgress {
    current: Option<Collected>,
    /// An emptied segment, to be removed with the next flush.
    emptied: Option<(Which, u32)>,
    /// A segment of bodies with damage that nobody has counted.
    damaged: Option<u32>,
    has_warned: bool,
}

/// A segment that is being emptied.
#[derive(Debug, Clone, Copy)]
struct Collected {
    which: Which,
    segment: u32,
    /// How far it is.
    offset: u64,
    makes_room: bool,
}

/// Removes the emptied segment. Call it after a flush, so that the copies of its live frames are
/// durable. Call it before a new segment begins: a new segment lists the existing ones, and a
/// listed one that is gone would count as missing.
pub(crate) fn remove_emptied(base: &Base, progress: &Mutex<CollectProgress>) -> Result<(), Error> {
    let emptied = progress.lock().unwrap_or_else(PoisonError::into_inner).emptied.take();
    emptied.map_or(Ok(()), |(which, segment)| base.journal(which).remove_segment(segment))
}

/// Does a piece of the work. Call it after a flush: earlier writes are durable then.
pub(crate) fn step(base: &Base, progress: &Mutex<CollectProgress>) -> Result<(), Error> {
    let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
    warn_of_waiting(base, &mut progress);
    let is_verified = base.verified.is_done();
    let current = progress.current.take().filter(|current| is_verified || current.makes_room);
    let chosen = current.or_else(|| make_room(base, progress.damaged.filter(|_| !is_verified)));
    let Some(chosen) = chosen.or_else(|| choose(base).filter(|_| is_verified)) else { return Ok(()) };
    match copy(base, chosen)? {
        Some(offset) if offset > chosen.offset => progress.current = Some(Collected { offset, ..chosen }),
        // It waits for the verification.
        Some(_) => progress.damaged = Some(chosen.segment).filter(|_| chosen.which == Which::Bodies),
        None => progress.emptied = Some((chosen.which, chosen.segment)),
    }
    Ok(())
}

fn warn_of_waiting(base: &Base, progress: &mut CollectProgress) {
    let budget = base.config().bodies_bytes;
    if let Some(waiting) = room::waiting_beyond(base).filter(|_| !progress.has_warned) {
        progress.has_warned = true;
        tracing::warn!(
            waiting,
            budget,
            "pages that wait take more than bodies_bytes: they stay, and nothing else does"
        );
    }
}

/// The oldest closed segment of bodies, if bodies have to go. One with damage is passed over.
fn make_room(base: &Base, damaged: Option<u32>) -> Option<Collected> {
    let mut closed = base.journal(Which::Bodies).segments();
    closed.pop();
    let oldest = closed.into_iter().map(|(id, _)| id).find(|id| Some(*id) != damaged)?;
    room::is_over(base).then_some(Collected { which: Which::Bodies, segment: oldest, offset: 0, makes_room: true })
}

/// Removes all dead frames from both journals, however few.
pub(crate) fn all(base: &Base, progress: &Mutex<CollectProgress>) -> Result<(), Error> {
    // Finish what was begun.
    let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
    *progress = CollectProgress::default();
    for which in [Which::Records, Which::Bodies] {
        begin_segment(base, which, base.epoch())?;
        base.flush()?;
        let mut closed = base.journal(which).segments();
        closed.pop();
        for (id, segment) in closed {
            if segment.live == segment.len {
                continue;
            }
            let mut offset = 0;
            while let Some(next) = copy(base, Collected { which, segment: id, offset, makes_room: false })? {
                if next == offset {
                    // It is damaged, and the next opening reads everything.
                    return Ok(());
                }
                offset = next;
                if base.journal(which).is_full() {
                    begin_segment(base, which, base.epoch())?;
                }
            }
            // Durable first, so that nothing is removed that a power cut would need.
            base.flush()?;
            base.journal(which).remove_segment(id)?;
        }
    }
    Ok(())
}

/// A segment that is mostly dead.
fn choose(base: &Base) -> Option<Collected> {
    [Which::Records, Which::Bodies].into_iter().find_map(|which| {
        let mut closed = base.journal(which).segments();
        closed.pop();
        let is_dead = |segment: &Segment| segment.live * LEAST_LIVE.1 < segment.len * LEAST_LIVE.0;
        let (segment, _) = closed.into_iter().find(|(_, segment)| is_dead(segment))?;
        Some(Collected { which, segment, offset: 0, makes_room: false })
    })
}

/// Copies live frames from an offset on. Returns the next offset, or `None` if the segment is
/// done.
fn copy(base: &Base, collected: Collected) -> Result<Option<u64>, Error> {
    let Collected { which, segment, mut offset, makes_room } = collected;
    let io = |source| crate::error::io("collect a segment of", base.path(), source);
    let mut writer = Writer::new(base);
    let journal = base.journal(which);
    let segments = journal.segments();
    let Some((_, Segment { len, .. })) = segments.iter().find(|(id, _)| *id == segment) else { return Ok(None) };
    let is_oldest = segments.first().is_some_and(|(id, _)| *id == segment);
    let file = journal.file_of(segment)?;
    let (from, before) = (offset, journal.size().0);
    let mut entries = 0;
    while offset < *len && offset - from < READ_LEN && journal.size().0 - before < COPY_LEN && entries < COPY_ENTRIES {
        let Some((head, entry, value)) = frame::read(&file, offset).map_err(io)? else {
            if !base.verified.is_known_damaged(which, segment) {
                // Nobody has counted what is lost with it: the next opening reads everything.
                tracing::error!(segment, "a segment is damaged: it is not collected before everything was read");
                base.verified.set_done(false);
                doubt::note(base.path());
                return Ok(Some(from));
            }
            offset = next_frame(&file, offset + 1, *len, 0).map_err(io)?.unwrap_or(*len);
            continue;
        };
        let place = Place { segment, offset, len: head.frame_len() as u32, number: head.number, raw_len: head.raw_len };
        match &entry.op {
            Op::Spaces => {
                let writes = unpack(&value, head.raw_len as usize)?;
                entries += space::copy_live(&mut writer, place, &writes, is_oldest)?;
            }
            op => keep(&mut writer, Frame { which, place, op, value: &value, makes_room }, is_oldest)?,
        }
        offset += head.frame_len();
    }
    let is_done = offset >= *len;
    if is_done {
        let dead = writer.append_again(which, Op::Collected { segment }, &[], 0)?;
        writer.bury(which, dead);
    }
    writer.commit()?;
    Ok((!is_done).then_some(offset))
}

/// Copies a frame if it is live.
fn keep(writer: &mut Writer<'_>, frame: Frame<'_>, is_oldest: bool) -> Result<(), Error> {
    match frame.op {
        Op::Put { key, .. } => keep_if::<PageHead>(writer, HeadSort::Page, &parse(key)?, frame, |head| &mut head.place),
        Op::Delete { key, .. } => {
            let key = parse(key)?;
            if writer.head::<Tombstone>(HeadSort::Tombstone, &key)?.is_some() {
                return keep_if::<Tombstone>(writer, HeadSort::Tombstone, &key, frame, |head| &mut head.place);
            }
            // Without it, a record in an older segment would come back in a replay.
            forget_again(writer, frame.which, vec![key], is_oldest)
        }
        Op::Forget { keys } => {
            let keys = keys.iter().map(|key| parse(key)).collect::<Result<_, _>>()?;
            forget_again(writer, frame.which, keys, is_oldest)
        }
        Op::Body { key, .. } => room::collect(writer, &parse(key)?, frame),
        Op::Memory { host } => {
            keep_if::<MemoryHead>(writer, HeadSort::Memory, &Key::of_host(host), frame, |head| &mut head.place)
        }
        // Without it, a memory in an older segment would come back in a replay.
        Op::NoMemory { host } => {
            let is_back = writer.head::<MemoryHead>(HeadSort::Memory, &Key::of_host(host))?.is_some();
            if !is_back && !is_oldest {
                writer.append_again(frame.which, frame.op.clone(), &[], 0)?;
            }
            Ok(())
        }
        Op::Following { host, entries } if entries.is_empty() => {
            let is_back = writer.head::<FollowingHead>(HeadSort::Following, &Key::of_host(host))?.is_some();
            if !is_back && !is_oldest {
                let dead = writer.append_again(frame.which, frame.op.clone(), &[], 0)?;
                writer.bury(frame.which, dead);
            }
            Ok(())
        }
        Op::Following { host, .. } => {
            keep_if::<FollowingHead>(writer, HeadSort::Following, &Key::of_host(host), frame, |head| &mut head.place)
        }
        Op::OldSegment { .. } | Op::Segment { .. } | Op::Collected { .. } | Op::Spaces => Ok(()),
    }
}

/// Copies a frame if the head names it, and updates the head.
fn keep_if<H: Serialize + DeserializeOwned>(
    writer: &mut Writer<'_>,
    sort: HeadSort,
    key: &Key,
    frame: Frame<'_>,
    place_in: fn(&mut H) -> &mut Place,
) -> Result<(), Error> {
    let Frame { which, place, op, value, .. } = frame;
    let Some(mut head) = writer.head::<H>(sort, key)? else { return Ok(()) };
    if *place_in(&mut head) != place {
        return Ok(());
    }
    writer.bury(which, place);
    *place_in(&mut head) = writer.append_again(which, op.clone(), value, place.raw_len as usize)?;
    writer.put_head(sort, key, &head)
}

/// Writes again that these pages are gone, unless a page is back, or no older frame is left to
/// forget.
fn forget_again(writer: &mut Writer<'_>, which: Which, keys: Vec<Key>, is_oldest: bool) -> Result<(), Error> {
    let mut gone = Vec::new();
    for key in keys {
        let is_there = writer.head::<PageHead>(HeadSort::Page, &key)?.is_some()
            || writer.head::<Tombstone>(HeadSort::Tombstone, &key)?.is_some();
        if !is_there {
            gone.push(key.as_str().to_owned());
        }
    }
    if !gone.is_empty() && !is_oldest {
        writer.append_again(which, Op::Forget { keys: gone }, &[], 0)?;
    }
    Ok(())
}

fn parse(key: &str) -> Result<Key, Error> {
    Key::from_bytes(key.as_bytes()).ok_or_else(|| damaged("a key", key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::log::SEGMENT_LEN;
    use crate::record::tests::{hold, page};
    use crate::{Config, Database, DeletionReason, SpaceBatch, Store, maintenance};

    /// Text that zstd can hardly compress.
    fn noise(seed: u64) -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b' ' + (state >> 57) as u8 % 94)
        };
        std::iter::repeat_with(letter).take(2_000).collect()
    }

    fn texts(store: &Store) -> BTreeMap<String, String> {
        let urls = store.list(None, None, 1_000).unwrap().into_iter().map(|page| page.url);
        urls.map(|url| (url.clone(), store.get(&url).unwrap().unwrap().page.text)).collect()
    }

    #[test]
    fn rewriting_takes_no_more_and_more_space_and_nothing_dead_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut expect = BTreeMap::new();
        {
            let database = Database::open(dir.path(), &Config::default()).unwrap();
            let store = Store::new(&database);
            for round in 0..12u64 {
                for n in 0..60u64 {
                    let url = format!("http://h{}/{n}", n % 3);
                    // Some are written once, some deleted, some deleted and forgotten; some come
                    // back.
                    if n % 5 == 0 && round > 0 || n % 7 == 3 && round > 5 {
                        continue;
                    }
                    if n % 7 == 3 && round == 5 {
                        store.delete(&url, DeletionReason::Gone, "2026-11-21T00:00:05Z".parse().unwrap()).unwrap();
                        expect.remove(&url);
                    } else {
                        store.put(&page(&url, &noise(round * 1_000 + n))).unwrap();
                        expect.insert(url.clone(), noise(round * 1_000 + n));
                    }
                    hold(&store, &url, &noise(n + round));
                    if n % 4 == 3 {
                        database.durable().unwrap();
                        let verified = maintenance::verify(dir.path()).unwrap();
                        assert!(!verified.is_damaged(), "round {round}, page {n}: {verified:?}");
                    }
                }
                if round == 7 {
                    assert!(store.prune_tombstones("2027-01-01T00:00:00Z".parse().unwrap()).unwrap() > 0);
                }
            }
            (0..40).for_each(|_| database.durable().unwrap());
            for (name, journal) in [("records", &database.0.base.records), ("bodies", &database.0.base.bodies)] {
                let (len, live) = journal.size();
                assert!(live > 50_000 && len < 2 * live + 2 * SEGMENT_LEN, "{name}: {len} bytes, {live} live");
            }
            assert!(texts(&store) == expect);
        }
        for lost in ["nothing", "index"] {
            if lost == "index" {
                std::fs::remove_dir_all(dir.path().join("index")).unwrap();
            }
            let database = Database::open(dir.path(), &Config::default()).unwrap();
            let store = Store::new(&database);
            assert!(texts(&store) == expect, "{lost}");
            assert!(!database.recovery().new_epoch, "{:?}", database.recovery());
            let counts = store.counts();
            assert_eq!((counts.pages, counts.changes - counts.tombstones), (expect.len() as u64, expect.len() as u64));
            let changes = store.changes(None, 1_000).unwrap().changes;
            assert_eq!(changes.len() as u64, counts.changes);
        }
    }

    /// The removal is in no frame any more, so the frames that are left cannot tell an older index.
    #[test]
    fn an_older_index_forgets_no_removal_that_was_collected() {
        let [dir, old] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let open = || Database::open(dir.path(), &Config::default()).unwrap();
        let write = |keys: std::ops::Range<u64>, value: Option<u64>| {
            let database = open();
            let space = database.space("example").unwrap();
            for key in keys {
                let mut batch = SpaceBatch::default();
                match value {
                    Some(seed) => batch.insert(key.to_be_bytes(), noise(seed + key)),
                    None => batch.remove(key.to_be_bytes()),
                }
                database.write(&[(&space, &batch)]).unwrap();
                database.durable().unwrap();
            }
        };
        write(0..40, Some(0));
        for file in std::fs::read_dir(dir.path().join("index")).unwrap().flatten().filter(|file| file.path().is_file())
        {
            std::fs::copy(file.path(), old.path().join(file.file_name())).unwrap();
        }
        write(3..5, None);
        write(5..40, Some(1_000));
        maintenance::compact(dir.path(), &Config::default()).unwrap();
        std::fs::remove_dir_all(dir.path().join("index")).unwrap();
        std::fs::rename(old.path(), dir.path().join("index")).unwrap();
        let database = open();
        let space = database.space("example").unwrap();
        assert_eq!(space.get(&3u64.to_be_bytes()).unwrap(), None);
        assert_eq!(space.count(), 38);
        assert_eq!(space.get(&7u64.to_be_bytes()).unwrap(), Some(noise(1_007).into_bytes()));
        assert!(!database.recovery().has_losses(), "{:?}", database.recovery());
    }
}
