//! sled's directory: opens it, reads every entry, and sets it aside if it is damaged.

pub(crate) mod base;
pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod compacted;
mod digest;
pub(crate) mod guarded;
pub(crate) mod heads;
pub(crate) mod quick;
pub(crate) mod seen;
pub(crate) mod settle;
mod sled_log;
pub(crate) mod snapshot;
pub(crate) mod space;
pub(crate) mod state;
pub(crate) mod stored;
pub(crate) mod superseded;
pub(crate) mod tree;
pub(crate) mod verified;
pub(crate) mod writer;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use self::seen::Heads;
use crate::error::{Error, Kind, io};
use crate::index::digest::entry_digest;
use crate::index::guarded::guarded;
use crate::index::state::{EPOCH_KEY, FLUSH_KEY, FORMAT_KEY, FRONTIER_URLS, STATE_KEY, State, Trees};
use crate::log::frame::FORMAT;
use crate::log::scan::{self, ScannedJournal};

/// The directory's name in the data directory.
pub(crate) const DIR: &str = "index";

/// Where a damaged index is kept, until the next one.
pub(crate) const DAMAGED_DIR: &str = "index.damaged";

/// The name sled gives its log.
pub(crate) const LOG_FILE: &str = "db";

/// How often sled's own thread runs, in milliseconds. Each round empties at most one segment of
/// half a megabyte that is mostly dead. With sled's default, 500, it falls behind a crawl: its
/// files grow to seven times their live data. Calibration: `cargo bench --bench disk`.
const FLUSH_EVERY_MS: u64 = 100;

/// How long opening waits for sled's lock. sled's own threads keep it for some milliseconds after
/// the last handle is dropped.
const LOCK_PATIENCE: Duration = Duration::from_millis(900);

/// The wait between two attempts at the lock.
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// How errors call the layout of stores from before the release.
const BEFORE_RELEASE: &str = "1 of before the release";

/// Trees of stores from before the frontier was in the journal.
const OLD_TREES: [&[u8]; 2] = [b"frontier_urls", b"consumers"];

/// A URL and what the frontier wrote about it: nothing, if only the URL is known.
pub(crate) type Salvaged = (String, Vec<u8>);

/// sled, open and sound.
pub(crate) struct Index {
    pub(crate) trees: Trees,
    pub(crate) sled: sled::Db,
    /// Its log, opened a second time for syncing.
    pub(crate) file: File,
    pub(crate) state: State,
    pub(crate) epoch: Option<u64>,
    /// The number of the last flush in it.
    pub(crate) flush: u64,
    /// Nothing had been written yet, not even frontier entries.
    pub(crate) is_fresh: bool,
    /// The journal frames that its heads name.
    pub(crate) heads: Heads,
}

/// The two scanned journals: records, and bodies.
#[derive(Clone, Copy)]
pub(crate) struct Journals<'f> {
    pub(crate) records: &'f ScannedJournal,
    pub(crate) bodies: &'f ScannedJournal,
}

/// Why an index cannot be used. The caller reports [`Unsound::Error`]; the store repairs the
/// others.
pub(crate) enum Unsound {
    Damaged(String),
    Error(Error),
}

impl From<Error> for Unsound {
    fn from(error: Error) -> Self {
        if error.is_damaged() || error.is_sled() { Unsound::Damaged(chain(&error)) } else { Unsound::Error(error) }
    }
}

/// Opens the index only to check it, and returns the frames that its heads name. Why it cannot be
/// used is an error of this.
pub(crate) fn check(dir: &Path, cache_capacity: u64, journals: Journals<'_>) -> Result<Index, Unsound> {
    let dir = dir.join(DIR);
    if let Some(why) = sled_log::doubt(&dir).map_err(|source| io("read", &dir, source))? {
        return Err(Unsound::Damaged(why.to_owned()));
    }
    open_as_it_is(&dir, cache_capacity, journals)
}

/// Opens the index. It puts aside a snapshot or settings file that sled cannot read: sled can do
/// without.
pub(crate) fn open(dir: &Path, cache_capacity: u64, journals: Journals<'_>) -> Result<Index, Unsound> {
    let dir = dir.join(DIR);
    match open_as_it_is(&dir, cache_capacity, journals) {
        Err(Unsound::Damaged(why)) if dir.is_dir() => {
            if !set_dispensable_aside(&dir) {
                return Err(Unsound::Damaged(why));
            }
            tracing::warn!(%why, "sled does not open: trying without its snapshot and settings");
            open_as_it_is(&dir, cache_capacity, journals)
        }
        result => result,
    }
}

fn open_as_it_is(dir: &Path, cache_capacity: u64, journals: Journals<'_>) -> Result<Index, Unsound> {
    match guarded(|| open_and_walk(dir, cache_capacity, journals)) {
        Ok(opened) => opened,
        Err(panic) => Err(Unsound::Damaged(panic)),
    }
}

/// Reads the whole index once and collects everything from that pass. If the index is larger than
/// the cache, this read takes most of the opening time.
fn open_and_walk(dir: &Path, cache_capacity: u64, journals: Journals<'_>) -> Result<Index, Unsound> {
    let sled = open_sled(dir, cache_capacity)?;
    let names = sled.tree_names();
    let trees = Trees::open(&sled)?;
    let format = trees.meta.get(FORMAT_KEY).map_err(Error::sled("read its format"))?;
    let is_foreign = format.is_some_and(|format| *format != FORMAT.to_be_bytes());
    let mut is_fresh = true;
    let mut digest = 0u64;
    let mut heads = Heads::default();
    for name in names {
        let tree = sled.open_tree(&name).map_err(Error::sled("open a tree"))?;
        let is_heads = name == b"heads";
        let is_logged = space::is_logged_tree(&name);
        let counts = check::is_counted(&name);
        for entry in &tree {
            let (key, value) = entry.map_err(Error::sled("read an entry"))?;
            is_fresh = false;
            if counts {
                digest = digest.wrapping_add(entry_digest(&key, &value));
            }
            if is_heads && !is_foreign {
                heads.see(journals, &key, &value)?;
            }
            if is_logged && !is_foreign {
                heads.see_written(journals.records, &value);
            }
        }
    }
    let number = |key| {
        let bytes = trees.meta.get(key).map_err(Error::sled("read a number"))?;
        Ok::<_, Error>(bytes.and_then(|bytes| Some(u64::from_be_bytes((*bytes).try_into().ok()?))))
    };
    let (epoch, flush) = (number(EPOCH_KEY)?, number(FLUSH_KEY)?.unwrap_or(0));
    let file = open_to_sync(dir)?;
    if is_foreign {
        // Another program wrote this state: do not read it.
        return Ok(Index { trees, sled, file, state: State::default(), epoch, flush, is_fresh, heads });
    }
    let state = match trees.meta.get(STATE_KEY).map_err(Error::sled("read its state"))? {
        Some(bytes) => postcard::from_bytes(&bytes).map_err(Error::decode("its state"))?,
        None => State::default(),
    };
    // Without an epoch it is not filled yet.
    if state.digest != digest && epoch.is_some() {
        return Err(Unsound::Damaged("entries are missing, or are not the latest".to_owned()));
    }
    Ok(Index { trees, sled, file, state, epoch, flush, is_fresh, heads })
}

/// Waits for the lock: a thread of sled may hold it for a moment after the store is dropped.
pub(crate) fn open_sled(dir: &Path, cache_capacity: u64) -> Result<sled::Db, Error> {
    let sled = sled::Config::new().path(dir).cache_capacity(cache_capacity).flush_every_ms(Some(FLUSH_EVERY_MS));
    let give_up = Instant::now() + LOCK_PATIENCE;
    loop {
        match sled.open() {
            // sled has no error kind for a taken lock. It returns an I/O error whose text begins
            // so (in the release we pin).
            Err(sled::Error::Io(io))
                if io.to_string().starts_with("could not acquire lock") && Instant::now() < give_up =>
            {
                std::thread::sleep(LOCK_RETRY);
            }
            result => return result.map_err(Error::sled("open")),
        }
    }
}

/// Refuses a directory with sled at the top: a program before the first release made it.
pub(crate) fn check_layout(dir: &Path) -> Result<(), Error> {
    let found = "none (sled lies at its top)".to_owned();
    match dir.join(LOG_FILE).exists() {
        true => Err(Kind::Format { path: dir.to_owned(), found, expected: FORMAT }.into()),
        false => Ok(()),
    }
}

/// Refuses a journal of another version.
pub(crate) fn check_journal(found: &ScannedJournal, dir: &Path) -> Result<(), Error> {
    let found = match found.format {
        None => return Ok(()),
        Some(scan::BEFORE_RELEASE) => BEFORE_RELEASE.to_owned(),
        Some(number) => number.to_string(),
    };
    Err(Kind::Format { path: dir.to_owned(), found, expected: FORMAT }.into())
}

/// Checks the format's number, or writes it if the index is empty.
pub(crate) fn check_format(index: &Index, dir: &Path) -> Result<(), Error> {
    let other = |found: String| Err(Kind::Format { path: dir.to_owned(), found, expected: FORMAT }.into());
    match index.trees.meta.get(FORMAT_KEY).map_err(Error::sled("read its format"))? {
        Some(found) => match <[u8; 4]>::try_from(&*found).map(u32::from_be_bytes) {
            Ok(FORMAT) if has_old_trees(index) => other(BEFORE_RELEASE.to_owned()),
            Ok(FORMAT) => Ok(()),
            Ok(number) => other(number.to_string()),
            Err(_) => other(format!("{:?}", String::from_utf8_lossy(&found))),
        },
        None if index.is_fresh => {
            index.trees.meta.insert(FORMAT_KEY, &FORMAT.to_be_bytes()).map_err(Error::sled("write its format"))?;
            Ok(())
        }
        None => other("none (it is not a store of tsrec)".into()),
    }
}

/// Whether the index has the frontier outside the journal, as before the release.
fn has_old_trees(index: &Index) -> bool {
    index.sled.tree_names().iter().any(|name| OLD_TREES.contains(&&**name))
}

/// The URLs that can still be read from a damaged index, each with what the frontier wrote about
/// it.
pub(crate) fn salvage(dir: &Path, cache_capacity: u64) -> Vec<Salvaged> {
    let mut urls = Vec::new();
    let _ = guarded(|| {
        if let Ok(sled) = open_sled(&dir.join(DIR), cache_capacity) {
            urls = urls_in(&sled);
        }
    });
    urls
}

/// The same of an open index.
pub(crate) fn urls_in(sled: &sled::Db) -> Vec<Salvaged> {
    let mut urls = Vec::new();
    // A panic ends the reading; the URLs read before it count.
    let _ = guarded(|| {
        let Ok(tree) = sled.open_tree(format!("space_{FRONTIER_URLS}")) else { return };
        for entry in &tree {
            let Ok((key, value)) = entry else { break };
            let url = std::str::from_utf8(&key).ok().and_then(|key| key.split_once('\0'));
            let value = space::unstamped(&value).map_or(&value[..], |(_, value)| value);
            urls.extend(url.map(|(_, url)| (url.to_owned(), value.to_vec())));
        }
    });
    urls
}

/// Removes an index that can be filled again.
pub(crate) fn remove(dir: &Path) -> Result<(), Error> {
    let dir = dir.join(DIR);
    std::fs::remove_dir_all(&dir).map_err(|source| io("remove", &dir, source))
}

/// Moves an unusable index aside, in place of the previous one.
pub(crate) fn set_aside(dir: &Path) -> Result<PathBuf, Error> {
    let (from, to) = (dir.join(DIR), dir.join(DAMAGED_DIR));
    let io = |doing| move |source| Error::from(Kind::Io { doing, path: dir.join(DAMAGED_DIR), source });
    if to.exists() {
        std::fs::remove_dir_all(&to).map_err(io("remove"))?;
    }
    if from.exists() {
        std::fs::rename(&from, &to).map_err(io("set aside"))?;
    }
    Ok(to)
}

/// Renames the files that sled can make again by itself. `false` if there was none.
fn set_dispensable_aside(dir: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(dir) else { return false };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let dispensable = names.filter(|name| (name == "conf" || name.starts_with("snap.")) && !name.ends_with(".damaged"));
    let mut any = false;
    for name in dispensable {
        any |= std::fs::rename(dir.join(&name), dir.join(format!("{name}.damaged"))).is_ok();
    }
    any
}

/// Opens sled's log a second time, for syncing. A new file's name is durable only once its
/// directory is synced too.
fn open_to_sync(dir: &Path) -> Result<File, Error> {
    let path = dir.join(LOG_FILE);
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::from(Kind::Io { doing: "open", path, source })
    };
    let file = File::options().write(true).open(&path).map_err(io(&path))?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io(dir))?;
    Ok(file)
}

fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
