//! Damages a data directory (flips bits, truncates or removes files) and checks a store that opens
//! after it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tsrec_store::{Config, Cursor, Database, KeptBody, Parked, Recovery, Store};

use crate::support::serving::page;

/// Keeps a body of a page's fetch: as a sibling, and raw.
pub(crate) fn hold(store: &Store, url: &str, text: &str) {
    let (body, fetched_at) = (text.as_bytes().to_vec(), page(url, "").fetched_at);
    let body = Parked { body, status: 200, charset: None, fetched_at, truncated: false };
    assert!(store.keep(url, KeptBody { sibling: true, raw: true, ..KeptBody::new(&body) }).unwrap());
}

/// SplitMix64, seeded so that a failure can be repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }
}

pub(crate) fn copy_all(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            copy_all(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.metadata().unwrap().len() > 0 {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Flips bits of a file, truncates it or removes it. Returns a description.
pub(crate) fn damage(dir: &Path, random: &mut Random) -> String {
    let files = files(dir);
    let mut done = String::new();
    for _ in 0..=random.below(2) {
        let path = &files[random.below(files.len() as u64) as usize];
        let Ok(mut bytes) = std::fs::read(path) else { continue };
        let name = path.strip_prefix(dir).unwrap().display().to_string();
        match random.below(6) {
            0 => {
                let len = random.below(bytes.len() as u64);
                bytes.truncate(len as usize);
                std::fs::write(path, bytes).unwrap();
                done += &format!("{name} cut to {len}; ");
            }
            1 if random.below(4) == 0 => {
                std::fs::remove_file(path).unwrap();
                done += &format!("{name} removed; ");
            }
            _ if !bytes.is_empty() => {
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len() as u64) as usize;
                    bytes[at] ^= 1 << random.below(8);
                    done += &format!("{name} flipped at {at}; ");
                }
                std::fs::write(path, bytes).unwrap();
            }
            _ => {}
        }
    }
    done
}

pub(crate) fn open(dir: &Path) -> Result<(Database, Store), tsrec_store::Error> {
    let database = Database::open(dir, &Config::default())?;
    let store = Store::new(&database);
    Ok((database, store))
}

/// The state that a reader had seen: the latest change of each URL with its text (`None` if
/// deleted), and the reader's cursor.
pub(crate) struct Seen {
    pub(crate) pages: BTreeMap<String, Option<String>>,
    /// The sequence numbers of those changes.
    numbers: BTreeMap<String, u64>,
    pub(crate) cursor: Cursor,
}

impl Seen {
    pub(crate) fn of(store: &Store) -> Seen {
        let (mut pages, mut numbers, mut since) = (BTreeMap::new(), BTreeMap::new(), None);
        loop {
            let (changes, records) = store.changes_with_pages(since, 50, 1 << 20).unwrap();
            if changes.changes.is_empty() {
                return Seen { pages, numbers, cursor: changes.next };
            }
            for (change, record) in changes.changes.into_iter().zip(records) {
                numbers.insert(change.url.clone(), change.seq);
                pages.insert(change.url, record.map(|record| record.page.text));
            }
            since = Some(changes.next);
        }
    }

    /// The pages that are not deleted.
    pub(crate) fn live(&self) -> usize {
        self.pages.values().flatten().count()
    }
}

/// Results of the tries.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    untouched: u32,
    mended: u32,
    lost_and_said: u32,
    refused: u32,
}

impl Tally {
    /// Prints the totals, and checks that the store opened in at least nine of ten tries.
    pub(crate) fn judge(&self, tries: u32) {
        std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{tries} tries: {self:?}\n")).unwrap();
        assert!(self.refused * 10 <= tries, "{self:?}");
    }

    /// Opens a damaged store and checks it. What a reader had seen is there, or the store reports
    /// its loss. No sequence number occurs twice in an epoch. A second opening finds nothing more
    /// to repair. Returns the findings if the store opens.
    pub(crate) fn check(&mut self, before: &Seen, dir: &Path, what: &str) -> Option<Recovery> {
        let (database, store) = match open(dir) {
            Ok(opened) => opened,
            Err(error) => {
                // The store refuses to open with a message, and takes no damage for sound data.
                assert!(!error.to_string().is_empty(), "{what}");
                self.refused += 1;
                return None;
            }
        };
        let recovery = database.recovery().clone();
        let after = Seen::of(&store);
        let rest = store.changes(Some(before.cursor), 1_000);
        // Changes after the last flush may be there or not, in a new epoch too. If neither sled nor
        // the mark can be read, the whole journal counts.
        let is_newer = |url: &String| after.numbers.get(url).is_some_and(|&number| number > before.cursor.sequence());
        let is_whole = before.pages.iter().filter(|(url, _)| !is_newer(url)).all(|(url, text)| {
            // A tombstone has no text. If the store reports the loss, it may be gone with its
            // record.
            after.pages.get(url) == Some(text)
        });
        match (is_whole, recovery.new_epoch) {
            (true, false) if recovery.is_quiet() => self.untouched += 1,
            (true, _) => self.mended += 1,
            (false, true) => {
                self.lost_and_said += 1;
                let is_said = recovery.lost_pages + recovery.lost_frames > 0 && store.counts().losses > 0;
                assert!(is_said, "{what}: {recovery:?}");
            }
            (false, false) => panic!("{what}: pages are lost in silence: {recovery:?}"),
        }
        // A reader continues if nothing is lost, and starts over otherwise.
        match rest {
            Ok(_) => assert!(!recovery.new_epoch, "{what}: {recovery:?}"),
            Err(error) => assert!(recovery.new_epoch && error.is_gone(), "{what}: {recovery:?} {error}"),
        }
        let next = store.put(&crate::support::serving::page("http://127.0.0.1/new", "new")).unwrap();
        // No flush covered what the killed process wrote after the last mark, and none of its
        // readers saw it. If all trace of it is lost, its sequence numbers are used again, in an
        // epoch in which readers start over.
        let is_new = next.seq > before.cursor.sequence() || recovery.new_epoch;
        assert!(is_new, "{what}: a number is given twice: {recovery:?}");
        drop((database, store));
        let (database, store) = open(dir).unwrap();
        assert!(!database.recovery().new_epoch, "{what}: {:?}", database.recovery());
        assert!(database.recovery().rebuilt.is_none(), "{what}: {:?}", database.recovery());
        assert_eq!(Seen::of(&store).live(), after.live() + 1, "{what}");
        Some(recovery)
    }
}
