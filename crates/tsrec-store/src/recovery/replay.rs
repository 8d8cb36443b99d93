//! Replays the journal's frames that sled does not have.

use std::io;

use crate::bodies::uses;
use crate::error::Error;
use crate::index::Salvaged;
use crate::index::base::Base;
use crate::index::heads::PageHead;
use crate::index::space;
use crate::index::state::State;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::Place;
use crate::log::RECORDS;
use crate::log::op::{JournalEntry, Op};
use crate::log::packed::{damaged, unpack};
use crate::records::apply::{self, Deletion};
use crate::records::following;
use crate::records::memories;
use crate::recovery::scan_journal;

/// Bytes of entries in one commit.
const BATCH_BYTES: usize = 1 << 20;

/// The same while an empty index is filled: many, so that neighbours in the trees are written
/// together. Calibration: with 400,000 records, 4 MiB take a tenth longer, and 64 MiB no less.
#[cfg(not(test))]
const FILL_BYTES: usize = 16 << 20;
/// Few, so that tests see many batches.
#[cfg(test)]
const FILL_BYTES: usize = 16 << 10;

/// What to replay.
pub(super) struct Replay<'u> {
    /// The frames past this number.
    pub(super) after: u64,
    /// The index is empty, and has no epoch yet: an opening that crashes begins again.
    pub(super) fills: bool,
    /// Takes the URLs of pages, if they are wanted.
    pub(super) urls: Option<&'u mut Vec<Salvaged>>,
}

/// Replays frames. Returns how many.
pub(super) fn replay(base: &Base, replay: Replay<'_>) -> Result<u64, Error> {
    let Replay { after, fills, mut urls } = replay;
    let begin = || {
        let mut writer = Writer::new(base);
        writer.replays = true;
        writer.fills = fills;
        writer
    };
    let most = if fills { FILL_BYTES } else { BATCH_BYTES };
    let (mut writer, mut count, mut failed) = (Some(begin()), 0, None);
    let found = scan_journal(base.path(), RECORDS, |place, entry, value| {
        if place.number <= after {
            return Ok(());
        }
        if let (Some(urls), Op::Put { key, .. }) = (&mut urls, &entry.op) {
            urls.extend(key.split_once('\0').map(|(_, url)| (url.to_owned(), Vec::new())));
        }
        count += u64::from(!matches!(entry.op, Op::Segment { .. }));
        let step = || {
            let open = writer.get_or_insert_with(&begin);
            apply_again(open, place, entry, value)?;
            if open.bytes < most { Ok(()) } else { writer.take().map_or(Ok(()), Writer::commit) }
        };
        step().map_err(|error| {
            failed = Some(error);
            io::ErrorKind::Interrupted.into()
        })
    });
    match failed {
        Some(error) => Err(error),
        None => found.and_then(|_| writer.map_or(Ok(()), Writer::commit)).map(|()| count),
    }
}

fn apply_again(writer: &mut Writer<'_>, place: Place, entry: JournalEntry, value: &[u8]) -> Result<(), Error> {
    let JournalEntry { last_sequence, floor, op } = entry;
    let key = |key: &str| Key::from_bytes(key.as_bytes()).ok_or_else(|| damaged("a key", key.as_bytes()));
    match op {
        Op::Put { key: of, page, sort } => {
            writer.revive(place);
            let (key, fetched_at) = (key(&of)?, page.fetched_at);
            apply::put(writer, &key, PageHead { page, place, sort })?;
            uses::follow_record(writer, &key, fetched_at)?;
        }
        Op::Delete { key: of, seq, reason, at } => {
            writer.revive(place);
            apply::delete(writer, &key(&of)?, Deletion { seq, reason, at }, place)?;
        }
        Op::Forget { keys } => {
            let keys = keys.iter().map(|of| key(of)).collect::<Result<Vec<_>, _>>()?;
            apply::forget(writer, &keys)?;
        }
        Op::Memory { host } => {
            writer.revive(place);
            memories::put_head(writer, &Key::of_host(&host), place)?;
        }
        Op::NoMemory { host } => memories::take(writer, &Key::of_host(&host))?,
        Op::Following { host, entries } => {
            writer.revive(place);
            following::put(writer, &Key::of_host(&host), entries, place)?;
        }
        Op::Spaces => {
            writer.revive(place);
            space::apply(writer, place, &unpack(value, place.raw_len as usize)?)?;
        }
        Op::OldSegment { .. } | Op::Segment { .. } | Op::Collected { .. } | Op::Body { .. } => {}
    }
    let State { last_sequence: newest, floor: highest, number, .. } = &mut writer.state;
    *newest = (*newest).max(last_sequence);
    *highest = (*highest).max(floor);
    *number = place.number;
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use crate::index::base::Which;
    use crate::index::{DAMAGED_DIR, DIR, check};
    use crate::record::tests::page;
    use crate::{Config, Database, DeletionReason, SpaceBatch, Store};

    const PAGES: u64 = 300;

    fn url(n: u64) -> String {
        format!("http://h{}.example/{n}", n % 3)
    }

    /// Pages and entries that were changed, deleted and deleted again.
    fn filled() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let (store, space) = (Store::new(&database), database.space("example").unwrap());
        for n in 0..PAGES {
            store.put(&page(&url(n), &format!("text {n} ").repeat(40))).unwrap();
            if n % 2 == 0 {
                store.put(&page(&url(n / 3), &format!("later {n} ").repeat(40))).unwrap();
            }
            if n % 10 == 9 {
                store.delete(&url(n / 2), DeletionReason::Gone, Timestamp::UNIX_EPOCH).unwrap();
            }
            let mut batch = SpaceBatch::default();
            (n..n + 5).for_each(|key| batch.insert(key.to_be_bytes(), format!("entry of {n}").repeat(5)));
            batch.remove((n / 2).to_be_bytes());
            database.write(&[(&space, &batch)]).unwrap();
            if n % 20 == 19 {
                database.durable().unwrap();
            }
        }
        database.durable().unwrap();
        drop((store, space, database));
        dir
    }

    /// What the store shows.
    fn shown(database: &Database) -> String {
        let store = Store::new(database);
        let entries: Vec<_> = database.space("example").unwrap().iter().collect::<Result<_, _>>().unwrap();
        let pages = store.list(None, None, 1_000).unwrap();
        let pages: Vec<_> = pages.into_iter().map(|page| store.get(&page.url)).collect();
        format!("{entries:?} {pages:?} {:?}", store.changes(None, 1_000).unwrap().changes)
    }

    #[test]
    fn a_filled_index_is_the_same_and_counts_the_same() {
        let dir = filled();
        let before = shown(&Database::open(dir.path(), &Config::default()).unwrap());
        std::fs::remove_dir_all(dir.path().join(DIR)).unwrap();
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let found = database.recovery();
        assert!(!found.has_losses() && found.replayed > PAGES, "{found:?}");
        assert!(shown(&database) == before);
        // Digest and live bytes are those of its entries.
        let base = database.base();
        let counted = base.journal(Which::Records).segments();
        assert!(counted.len() > 3, "{counted:?}");
        check::begin(base);
        while check::step(base).unwrap().is_some() {}
        assert!(check::end(base).unwrap().is_some_and(|outside| outside.is_empty()));
        for ((_, counted), (_, live)) in counted.iter().zip(base.journal(Which::Records).segments()) {
            // Removals, a tenth of this journal, count until the next opening.
            assert!((live.live..live.live + live.len / 10).contains(&counted.live), "{counted:?} {live:?}");
        }
    }

    /// A crash while the index is filled leaves some of its entries, and no epoch.
    #[test]
    fn a_half_filled_index_is_filled_again() {
        let dir = filled();
        let before = shown(&Database::open(dir.path(), &Config::default()).unwrap());
        {
            let sled = crate::index::open_sled(&dir.path().join(DIR), 1 << 20).unwrap();
            sled.open_tree("meta").unwrap().remove(crate::index::state::EPOCH_KEY).unwrap();
            let heads = sled.open_tree("heads").unwrap();
            heads.iter().keys().step_by(2).for_each(|key| drop(heads.remove(key.unwrap()).unwrap()));
        }
        let database = Database::open(dir.path(), &Config::default()).unwrap();
        let found = database.recovery();
        assert_eq!(found.rebuilt.as_deref(), Some("an earlier opening did not end"));
        assert!(!found.has_losses(), "{found:?}");
        assert!(shown(&database) == before);
        assert!(!dir.path().join(DAMAGED_DIR).exists(), "it replaces no damaged index that is kept");
    }
}
