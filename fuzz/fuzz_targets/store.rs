//! A store beside a model of it: puts, deletions, entries of a space, flushes, readers of the
//! feed, clean stops, kills, and power cuts that lose or damage what no flush covered.
//!
//! After each opening the store has the model's state of some moment since the last flush. What was
//! flushed is never lost, unless damage past the flush took what replaced it, and the opening says
//! so. A reader that follows the feed has the store's pages.

#![no_main]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use libfuzzer_sys::fuzz_target;
use tsrec_core::metadata::Metadata;
use tsrec_store::{
    ChangeKind, Config, Cursor, Database, DeletionReason, KeptBody, NewPage, Parked, PutExtras, SpaceBatch, Store,
};

/// The pages, and the keys of the space.
const KEYS: u8 = 8;
/// The steps of a run. Judgement: an opening takes tens of milliseconds.
const MOST_STEPS: usize = 48;
const SPACE: &str = "example";

/// The versions of pages, and the values of the space.
#[derive(Clone, Debug, Default, PartialEq)]
struct Held {
    pages: BTreeMap<String, u8>,
    entries: BTreeMap<u8, u8>,
}

/// A reader of the feed.
#[derive(Default)]
struct Reader {
    cursor: Option<Cursor>,
    pages: BTreeMap<String, String>,
}

struct Run {
    dir: PathBuf,
    database: Option<Database>,
    /// The model at the last flush, and after each later step.
    moments: Vec<Held>,
    /// The lengths of the files at the last flush.
    flushed: BTreeMap<PathBuf, u64>,
    reader: Reader,
}

fn new_dir() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("tsrec-fuzz-store-{}-{number}", std::process::id()))
}

fn url(key: u8) -> String {
    format!("http://h{}.example/{key}", key % 2)
}

fn page(key: u8, version: u8) -> NewPage {
    NewPage {
        url: url(key),
        metadata: Metadata::default(),
        comments: String::new(),
        text: format!("{version} {}", "word ".repeat(usize::from(version) * 8)),
        html: None,
        words: u64::from(version),
        method: "blocks".to_owned(),
        confidence: 0.5,
        kind: None,
        kind_probability: None,
        sibling: None,
        template: None,
        gates: serde_json::Value::Null,
        labels: Default::default(),
        fetched_at: Default::default(),
        status: 200,
        charset: None,
        cut: vec![],
    }
}

/// The files of a store by their paths in it.
fn files(dir: &Path, within: &Path, found: &mut BTreeMap<PathBuf, u64>) {
    for entry in std::fs::read_dir(dir.join(within)).unwrap() {
        let entry = entry.unwrap();
        let path = within.join(entry.file_name());
        match entry.metadata().unwrap() {
            meta if meta.is_dir() => files(dir, &path, found),
            meta => drop(found.insert(path, meta.len())),
        }
    }
}

impl Run {
    fn database(&self) -> &Database {
        self.database.as_ref().unwrap()
    }

    fn store(&self) -> Store {
        Store::new(self.database())
    }

    fn open(dir: PathBuf) -> Run {
        let mut run = Run {
            dir,
            database: None,
            moments: vec![Held::default()],
            flushed: BTreeMap::new(),
            reader: Reader::default(),
        };
        run.reopen();
        run
    }

    /// Opens the files, and compares the store with the model.
    fn reopen(&mut self) {
        self.database = Some(Database::open(&self.dir, &Config::default()).unwrap());
        let has_losses = self.database().recovery().has_losses();
        let held = self.held();
        assert!(has_losses || self.moments.contains(&held), "{held:?} was never the state: {:?}", self.moments);
        self.moments = vec![held];
        self.note_flushed();
    }

    /// What the store has.
    fn held(&self) -> Held {
        let store = self.store();
        let mut held = Held::default();
        for listed in store.list(None, None, 100).unwrap() {
            let record = store.get(&listed.url).unwrap().unwrap();
            let version = record.page.text.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(record.page.text, page(0, version).text);
            held.pages.insert(listed.url, version);
        }
        assert_eq!(store.counts().pages, held.pages.len() as u64);
        for entry in self.database().space(SPACE).unwrap().iter() {
            let (key, value) = entry.unwrap();
            held.entries.insert(key[0], value[0]);
        }
        held
    }

    fn note_flushed(&mut self) {
        self.flushed.clear();
        files(&self.dir, Path::new(""), &mut self.flushed);
    }

    fn change(&mut self, change: impl FnOnce(&mut Held)) {
        let mut held = self.moments.last().unwrap().clone();
        change(&mut held);
        self.moments.push(held);
    }

    fn put(&mut self, key: u8, version: u8) {
        let page = page(key, version);
        let body = Parked {
            body: page.text.clone().into_bytes(),
            status: 200,
            charset: None,
            fetched_at: page.fetched_at,
            truncated: false,
        };
        let uses = KeptBody { waits: version % 3 == 0, sibling: version % 2 == 0, raw: true, ..KeptBody::new(&body) };
        self.store().put_with(&page, PutExtras { kept: Some(uses), ..PutExtras::default() }).unwrap();
        self.change(|held| drop(held.pages.insert(page.url, version)));
    }

    fn write(&mut self, key: u8, value: Option<u8>) {
        let space = self.database().space(SPACE).unwrap();
        let mut batch = SpaceBatch::default();
        match value {
            Some(value) => batch.insert([key], [value]),
            None => batch.remove([key]),
        }
        self.database().write(&[(&space, &batch)]).unwrap();
        self.change(|held| match value {
            Some(value) => drop(held.entries.insert(key, value)),
            None => drop(held.entries.remove(&key)),
        });
    }

    fn flush(&mut self) {
        self.database().durable().unwrap();
        self.moments.drain(..self.moments.len() - 1);
        self.note_flushed();
    }

    /// Follows the feed. It shows the pages of the last flush.
    fn read(&mut self) {
        let store = self.store();
        let changes = match store.changes(self.reader.cursor, 1_000) {
            Ok(changes) => changes,
            Err(error) => {
                assert!(error.is_gone(), "{error}");
                self.reader = Reader::default();
                store.changes(None, 1_000).unwrap()
            }
        };
        self.reader.cursor = Some(changes.next);
        for change in changes.changes {
            match change.kind {
                ChangeKind::Upsert => drop(self.reader.pages.insert(change.url, change.content_hash.unwrap())),
                ChangeKind::Delete => drop(self.reader.pages.remove(&change.url)),
            }
        }
        let followed: Vec<&String> = self.reader.pages.keys().collect();
        assert_eq!(followed, self.moments[0].pages.keys().collect::<Vec<_>>(), "the feed");
    }

    /// Ends as a kill does: only what is in the files stays.
    fn kill(&mut self) {
        let killed = new_dir();
        let mut all = BTreeMap::new();
        files(&self.dir, Path::new(""), &mut all);
        for path in all.keys() {
            let to = killed.join(path);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(self.dir.join(path), to).unwrap();
        }
        self.database = None;
        std::fs::remove_dir_all(&self.dir).unwrap();
        self.dir = killed;
    }

    /// Loses, or damages, a part of a journal that no flush covered.
    fn lose(&self, part: u8, at: u8) {
        let mut all = BTreeMap::new();
        files(&self.dir, Path::new(""), &mut all);
        let is_journal = |path: &Path| path.starts_with("records") || path.starts_with("bodies");
        let grown: Vec<_> = all
            .iter()
            .filter(|(path, _)| is_journal(path))
            .map(|(path, &len)| (path, self.flushed.get(path).copied().unwrap_or(0), len))
            .filter(|(_, before, len)| before < len)
            .collect();
        if grown.is_empty() {
            return;
        }
        let (path, before, len) = grown[usize::from(part / 2) % grown.len()];
        let at = before + (len - before) * u64::from(at) / 256;
        let mut bytes = std::fs::read(self.dir.join(path)).unwrap();
        match part % 2 {
            0 => bytes.truncate(at as usize),
            _ => bytes[at as usize] ^= 0x10,
        }
        std::fs::write(self.dir.join(path), bytes).unwrap();
    }
}

fuzz_target!(|input: &[u8]| {
    let mut run = Run::open(new_dir());
    for step in input.chunks_exact(3).take(MOST_STEPS) {
        let (key, value) = (step[1] % KEYS, step[2]);
        match step[0] % 16 {
            0..=4 => run.put(key, value),
            5 => {
                run.store().delete(&url(key), DeletionReason::Gone, Default::default()).unwrap();
                run.change(|held| drop(held.pages.remove(&url(key))));
            }
            6..=7 => run.write(key, Some(value)),
            8 => run.write(key, None),
            9..=10 => run.flush(),
            11 => run.read(),
            12 => {
                run.database = None;
                run.moments.drain(..run.moments.len() - 1);
                run.reopen();
            }
            13 => {
                run.kill();
                run.reopen();
            }
            14 => {
                run.kill();
                run.lose(step[1], step[2]);
                run.reopen();
            }
            _ => assert_eq!(run.held(), *run.moments.last().unwrap()),
        }
    }
    run.database = None;
    std::fs::remove_dir_all(&run.dir).unwrap();
});
