//! The stores and the backup that are damaged, and what they hold.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tsrec_core::metadata::Metadata;
use tsrec_store::{Config, Database, DeletionReason, KeptBody, NewPage, Parked, SpaceBatch, Store, maintenance};

use crate::covered::Covered;

/// Pages and entries of the store. The journal then has some six segments. More of them take longer
/// and show no more.
const PAGES: u64 = 900;
const ENTRIES: u64 = 1_500;
/// Words of a page: some 5 KB after compression.
const WORDS: u64 = 550;
/// Entries written together.
const TOGETHER: u64 = 25;
pub(crate) const SPACE: &str = "example";

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

fn page(n: u64, version: u64) -> NewPage {
    let mut random = Random(n * 31 + version);
    NewPage {
        url: format!("http://h{}.example/{n}", n % 7),
        metadata: Metadata { title: Some(format!("Page {n}")), ..Default::default() },
        comments: String::new(),
        text: (0..WORDS).map(|_| format!("{:x} ", random.next())).collect(),
        html: None,
        words: WORDS,
        method: "template".into(),
        confidence: 0.9,
        kind: None,
        kind_probability: None,
        sibling: None,
        template: None,
        gates: serde_json::Value::Null,
        labels: Default::default(),
        fetched_at: jiff::Timestamp::UNIX_EPOCH,
        status: 200,
        charset: None,
        cut: vec![],
    }
}

/// Writes a part of the pages and entries: new, changed and deleted ones.
fn fill(dir: &Path, from: u64, to: u64) {
    let database = Database::open(dir, &Config::default()).unwrap();
    let (store, space) = (Store::new(&database), database.space(SPACE).unwrap());
    for n in from..to {
        let new = page(n, 0);
        store.put(&new).unwrap();
        let body = new.text.as_bytes()[..2_000].to_vec();
        let body = Parked { body, status: 200, charset: None, fetched_at: new.fetched_at, truncated: false };
        store.keep(&new.url, KeptBody { sibling: true, raw: true, ..KeptBody::new(&body) }).unwrap();
        if n % 5 == 4 {
            store.put(&page(n / 2, n)).unwrap();
        }
        if n % 50 == 49 {
            store.delete(&page(n - 7, 0).url, DeletionReason::Gone, jiff::Timestamp::UNIX_EPOCH).unwrap();
        }
        if n % 20 == 19 {
            database.durable().unwrap();
        }
    }
    for first in (from * ENTRIES / PAGES..to * ENTRIES / PAGES).step_by(TOGETHER as usize) {
        let mut batch = SpaceBatch::default();
        (first..first + TOGETHER).for_each(|n| batch.insert(format!("key {n}"), format!("value {n} of {to}")));
        batch.insert(format!("key {}", first / 2), format!("value {first} later"));
        batch.remove(format!("key {}", first / 3));
        database.write(&[(&space, &batch)]).unwrap();
    }
    database.durable().unwrap();
}

/// What a store serves: pages with their sequence numbers and texts, and entries of the space.
#[derive(Default)]
pub(crate) struct Holds {
    pub(crate) pages: BTreeMap<String, Option<(u64, String)>>,
    pub(crate) entries: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Holds {
    pub(crate) fn of(database: &Database) -> Result<Holds, tsrec_store::Error> {
        let store = Store::new(database);
        let mut holds = Holds::default();
        for page in store.list(None, None, usize::MAX)? {
            // A record that cannot be read is as good as lost.
            let record = store.get(&page.url).ok().flatten().map(|record| (record.seq, record.page.text));
            holds.pages.insert(page.url, record);
        }
        holds.entries = database.space(SPACE)?.iter().collect::<Result<_, _>>()?;
        Ok(holds)
    }

    /// Pages and entries of this that another store has not, or otherwise.
    pub(crate) fn lost_in(&self, other: &Holds) -> (u64, u64) {
        let pages = self.pages.iter().filter(|(url, page)| other.pages.get(*url) != Some(*page));
        let entries = self.entries.iter().filter(|(key, value)| other.entries.get(*key) != Some(*value));
        (pages.count() as u64, entries.count() as u64)
    }

    /// What a store with these files must serve, but does not; and what it serves though no frame
    /// has it. `whole` is of the journal before the damage. The newest frame of a page may be lost,
    /// and an older one may be there. Then the store serves the older one or none. An entry may be
    /// in the index too, so then it may also be as it was.
    pub(crate) fn not_as_covered(&self, covered: &Covered, whole: &Covered) -> Vec<String> {
        let mut wrong = Vec::new();
        for (url, newest) in &whole.pages {
            let frame = covered.pages.get(url);
            let served = self.pages.get(url).map(|page| page.as_ref().map(|(seq, _)| *seq));
            let of_frame = frame.filter(|(_, is_there)| *is_there).map(|(seq, _)| Some(*seq));
            let is_newest = frame == Some(newest);
            if served != of_frame && (is_newest || served.is_some()) {
                wrong.push(format!("{url}: {served:?}, but its frame says {frame:?}, and {newest:?} before"));
            }
        }
        for (key, newest) in &whole.entries {
            let (frame, served) = (covered.entries.get(key), self.entries.get(key));
            let is_of_frame = served == frame.and_then(Option::as_ref);
            let may_differ = frame != Some(newest) && (served.is_none() || served == newest.as_ref());
            if !is_of_frame && !may_differ {
                wrong.push(format!("{}: {served:?}", String::from_utf8_lossy(key)));
            }
        }
        let unknown = self.pages.keys().filter(|url| !whole.pages.contains_key(*url));
        wrong.extend(unknown.map(|url| format!("{url}: nobody wrote it")));
        wrong
    }
}

/// The stores to damage.
pub(crate) struct Sources {
    /// A store when it was half full.
    pub(crate) old: PathBuf,
    /// The same store later.
    pub(crate) new: PathBuf,
    /// Its backup.
    pub(crate) backup: PathBuf,
    /// A backup of the old store.
    pub(crate) old_backup: PathBuf,
    pub(crate) holds: Holds,
    /// What the journal of the new store has.
    pub(crate) whole: Covered,
}

impl Sources {
    pub(crate) fn make(dir: &Path) -> Sources {
        let [old, new, backup, old_backup] = ["old", "new", "backup", "old backup"].map(|name| dir.join(name));
        fill(&new, 0, PAGES / 2);
        copy(&new, &old);
        maintenance::backup(&new, &old_backup).unwrap();
        fill(&new, PAGES / 2, PAGES);
        maintenance::backup(&new, &backup).unwrap();
        let holds = Holds::of(&Database::open(&new, &Config::default()).unwrap()).unwrap();
        let whole = Covered::of(&new.join("records"), SPACE);
        let differs = holds.not_as_covered(&whole, &whole);
        assert!(differs.is_empty(), "without damage: {differs:?}");
        Sources { old, new, backup, old_backup, holds, whole }
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// The files below a directory that are not empty, in order.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.metadata().unwrap().len() > 0 => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}
