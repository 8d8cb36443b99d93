//! Raw pages: pages as fetched, kept on request. A later version of the program can extract them
//! again without another fetch.
//!
//! They are in segments of their own (`raw/`), framed like the journals. sled does not know them,
//! so a raw page costs only its compressed bytes. The segments share a budget; when they exceed
//! it, the oldest goes. A raw page belongs to a record if both have the same fetch time. Reading
//! the segments skips superseded and deleted pages; they go with their segment.
//!
//! They can be had again, so the store does not sync them. A crash costs the last of them; damage
//! costs the pages it touches.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Store;
use crate::bodies::parked::Parked;
use crate::error::Error;
use crate::error::io as io_error;
use crate::index::heads::HeadSort;
use crate::instant;
use crate::key::Key;
use crate::log::frame::{self, FrameHead};
use crate::log::op::{JournalEntry, Op};
use crate::log::packed::{Packed, unpack};
use crate::log::{path_of, scan};

/// The directory of the raw pages.
pub(crate) const RAW: &str = "raw";

/// The number of segments in the budget. Making room removes one of them at a time. Judgement.
const SEGMENTS: u64 = 16;

/// The longest and the shortest segment, in bytes.
const SEGMENT_LEN: std::ops::RangeInclusive<u64> = (64 << 10)..=(32 << 20);

/// The value of a frame.
#[derive(Serialize, Deserialize)]
struct RawHead<'a> {
    status: u16,
    charset: Option<String>,
    #[serde(with = "instant")]
    fetched_at: Timestamp,
    truncated: bool,
    body: &'a [u8],
}

/// The raw pages of a directory.
pub(crate) struct Raw {
    dir: PathBuf,
    budget: u64,
    inner: Mutex<RawInner>,
    /// Whether [`RawInner::index`] contains the pages from before the process began. Locked
    /// during that read.
    is_indexed: Mutex<bool>,
}

/// Where a frame begins: segment and offset.
type At = (u32, u64);

#[derive(Default)]
struct RawInner {
    /// The segments with their lengths, the oldest first.
    segments: Vec<(u32, u64)>,
    /// The last segment, and its number of frames; `None` until this process keeps a page. Each
    /// process begins its own segment, so that no frame follows one that a crash tore.
    current: Option<(File, u32)>,
    /// The newest frame of each key, by the key's hash. It has this process's pages, and after
    /// the first request all pages. 24 bytes a page, plus the hash map's spare room.
    index: HashMap<u64, At>,
}

/// If two keys have the same hash, reading their frames tells them apart.
fn hash_of(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

impl Raw {
    /// Opens the raw pages of a data directory.
    pub(crate) fn open(dir: &Path, budget: u64) -> Result<Raw, Error> {
        let dir = dir.join(RAW);
        let mut segments = Vec::new();
        if dir.is_dir() {
            for id in scan::segment_ids(&dir).map_err(|source| io_error("list", &dir, source))? {
                let path = path_of(&dir, id);
                let len = path.metadata().map_err(|source| io_error("measure", &path, source))?.len();
                segments.push((id, len));
            }
        }
        Ok(Raw {
            dir,
            budget,
            inner: Mutex::new(RawInner { segments, ..RawInner::default() }),
            is_indexed: Mutex::default(),
        })
    }

    /// Bytes of the files.
    pub(crate) fn size(&self) -> u64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).segments.iter().map(|(_, len)| len).sum()
    }

    fn keep(&self, key: &Key, packed: &Packed) -> Result<(), Error> {
        let failed = |source| io_error("write to", &self.dir, source);
        let inner = &mut *self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = JournalEntry {
            last_sequence: 0,
            floor: 0,
            op: Op::Value { sort: HeadSort::Parked as u8, key: key.as_str().to_owned() },
        };
        let longest = (self.budget / SEGMENTS).clamp(*SEGMENT_LEN.start(), *SEGMENT_LEN.end());
        if inner.current.is_none() || inner.segments.last().is_some_and(|(_, len)| *len >= longest) {
            self.begin_segment(inner).map_err(failed)?;
        }
        let RawInner { segments, current, index } = &mut *inner;
        let (Some((file, frames)), Some((id, len))) = (current, segments.last_mut()) else { return Ok(()) };
        *frames += 1;
        let number = u64::from(*id) << 32 | u64::from(*frames);
        let (head, bytes) =
            frame::encode(&entry, packed.bytes(), packed.raw_len(), number).map_err(Error::encode("a frame"))?;
        if head.frame_len() > self.budget {
            return Ok(());
        }
        file.write_all_at(&bytes, *len).map_err(failed)?;
        index.insert(hash_of(key.as_str()), (*id, *len));
        *len += head.frame_len();
        self.make_room(inner, 1)
    }

    fn begin_segment(&self, inner: &mut RawInner) -> io::Result<()> {
        std::fs::create_dir_all(&self.dir)?;
        let id = inner.segments.last().map_or(1, |(id, _)| id + 1);
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(path_of(&self.dir, id))?;
        inner.segments.push((id, 0));
        inner.current = Some((file, 0));
        Ok(())
    }

    /// A segment, unless the budget has removed it.
    fn segment(&self, id: u32) -> Result<Option<File>, Error> {
        let path = path_of(&self.dir, id);
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(io_error("read", &path, source)),
        }
    }

    /// Reads where each page is, at the first call. Pages kept meanwhile are newer, and stay.
    fn index_all(&self) -> Result<(), Error> {
        let mut is_indexed = self.is_indexed.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_indexed {
            return Ok(());
        }
        let segments = self.inner.lock().unwrap_or_else(PoisonError::into_inner).segments.clone();
        let mut found: HashMap<u64, At> = HashMap::new();
        for (id, len) in segments {
            let failed = |source| io_error("read", &path_of(&self.dir, id), source);
            let Some(file) = self.segment(id)? else { continue };
            let mut offset = 0;
            while let Some((at, head, entry)) = next_op(&file, offset, len).map_err(failed)? {
                if let Op::Value { key, .. } = &entry.op {
                    found.insert(hash_of(key), (id, at));
                }
                offset = at + head.frame_len();
            }
        }
        let index = &mut self.inner.lock().unwrap_or_else(PoisonError::into_inner).index;
        for (key, at) in found {
            index.entry(key).or_insert(at);
        }
        *is_indexed = true;
        Ok(())
    }

    /// Removes the oldest segments until the rest is within the budget; `least` of them stay.
    fn make_room(&self, inner: &mut RawInner, least: usize) -> Result<(), Error> {
        while inner.segments.len() > least && inner.segments.iter().map(|(_, len)| len).sum::<u64>() > self.budget {
            let (id, _) = inner.segments.remove(0);
            inner.index.retain(|_, (segment, _)| *segment != id);
            let path = path_of(&self.dir, id);
            std::fs::remove_file(&path).map_err(|source| io_error("remove", &path, source))?;
        }
        Ok(())
    }
}

/// The next frame at or past an offset, and its operation; skips damage.
fn next_op(file: &File, mut offset: u64, len: u64) -> io::Result<Option<(u64, FrameHead, JournalEntry)>> {
    while offset < len {
        match frame::read_op(file, offset)? {
            Some((head, entry)) => return Ok(Some((offset, head, entry))),
            None => offset = scan::next_frame(file, offset + 1, len, 0)?.unwrap_or(len),
        }
    }
    Ok(None)
}

#[doc(hidden)]
impl Store {
    /// Whether the setting `raw_bytes` keeps raw pages.
    pub fn keeps_raw(&self) -> bool {
        self.database.base().config().raw_bytes > 0
    }

    /// Removes raw pages beyond the setting `raw_bytes`, which may have become smaller. Only the
    /// daemon knows the wanted size: other programs that open the store remove nothing.
    ///
    /// # Errors
    ///
    /// The disk's errors.
    pub fn trim_raw(&self) -> Result<(), Error> {
        let raw = self.database.raw();
        raw.make_room(&mut raw.inner.lock().unwrap_or_else(PoisonError::into_inner), 0)
    }

    /// Keeps a raw page within the setting `raw_bytes`. If that is 0, it keeps nothing.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the disk's errors.
    pub fn keep_raw(&self, url: &str, page: &Parked) -> Result<(), Error> {
        if !self.keeps_raw() {
            return Ok(());
        }
        let key = Key::parse(url)?;
        let Parked { body, status, charset, fetched_at, truncated } = page;
        let (charset, fetched_at) = (charset.clone(), *fetched_at);
        let kept = RawHead { status: *status, charset, fetched_at, truncated: *truncated, body };
        let bytes = postcard::to_stdvec(&kept).map_err(Error::encode("a page as it was fetched"))?;
        self.database.raw().keep(&key, &Packed::new(&bytes)?)
    }

    /// Passes raw pages to `take`, the oldest first, if their fetch time is that of their record.
    /// One at a time is in memory. Stops when `take` returns `false`.
    ///
    /// # Errors
    ///
    /// The errors of the disk and the database.
    pub fn raw_pages(&self, mut take: impl FnMut(String, Parked) -> bool) -> Result<(), Error> {
        let dir = &self.database.raw().dir;
        if !dir.is_dir() {
            return Ok(());
        }
        let mut ended = None;
        let found = scan::scan(dir, |place, entry, value| {
            let Op::Value { key, .. } = &entry.op else { return Ok(()) };
            let goes_on = match self.raw_page(key, value, place.raw_len) {
                Ok(Some((url, page))) => take(url, page),
                Ok(None) => true,
                Err(error) if error.is_damaged() => {
                    tracing::warn!(%error, "a page as it was fetched cannot be read");
                    true
                }
                Err(error) => {
                    ended = Some(error);
                    false
                }
            };
            if goes_on { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
        });
        match (found, ended) {
            (_, Some(error)) => Err(error),
            (Err(error), None) if error.kind() != io::ErrorKind::Interrupted => Err(io_error("read", dir, error)),
            _ => Ok(()),
        }
    }

    /// A page's bytes, if they are of its record's fetch. They are parked for another extraction,
    /// or raw. The first request reads the heads of all raw pages, not their bytes.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the errors of the disk and the
    /// database.
    pub fn bytes_of(&self, url: &str) -> Result<Option<Parked>, Error> {
        if let Some(parked) = self.parked(url)? {
            return Ok(Some(parked));
        }
        let (raw, key) = (self.database.raw(), Key::parse(url)?);
        raw.index_all()?;
        let at = raw.inner.lock().unwrap_or_else(PoisonError::into_inner).index.get(&hash_of(key.as_str())).copied();
        let Some((id, offset)) = at else { return Ok(None) };
        let Some(file) = raw.segment(id)? else { return Ok(None) };
        let failed = |source| io_error("read", &path_of(&raw.dir, id), source);
        let Some((head, entry, value)) = frame::read(&file, offset).map_err(failed)? else { return Ok(None) };
        match &entry.op {
            Op::Value { key: found, .. } if found == key.as_str() => {
                Ok(self.raw_page(found, &value, head.raw_len)?.map(|(_, page)| page))
            }
            _ => Ok(None),
        }
    }

    /// Whether [`Store::bytes_of`] has a page's bytes, without reading them. For raw pages it
    /// does not check whether the record is newer, which is rare.
    pub fn keeps_bytes_of(&self, url: &str, fetched_at: Timestamp) -> Result<bool, Error> {
        if self.parked_at(url)? == Some(fetched_at) {
            return Ok(true);
        }
        let (raw, key) = (self.database.raw(), Key::parse(url)?);
        raw.index_all()?;
        Ok(raw.inner.lock().unwrap_or_else(PoisonError::into_inner).index.contains_key(&hash_of(key.as_str())))
    }

    /// Passes the raw pages of a host, as [`Store::raw_pages`] does, those of the newest segment
    /// first. Of other hosts' pages it reads the heads, not the bytes.
    ///
    /// # Errors
    ///
    /// Those of [`Store::raw_pages`].
    pub fn raw_pages_of(&self, host: &str, mut take: impl FnMut(String, Parked) -> bool) -> Result<(), Error> {
        let raw = self.database.raw();
        let segments = raw.inner.lock().unwrap_or_else(PoisonError::into_inner).segments.clone();
        for (id, len) in segments.into_iter().rev() {
            let failed = |source| io_error("read", &path_of(&raw.dir, id), source);
            let Some(file) = raw.segment(id)? else { continue };
            let mut offset = 0;
            while let Some((at, head, entry)) = next_op(&file, offset, len).map_err(failed)? {
                let key = match &entry.op {
                    Op::Value { key, .. } => Key::from_bytes(key.as_bytes()).filter(|key| key.host() == host),
                    _ => None,
                };
                if let Some(key) = key
                    && let Some((_, _, value)) = frame::read(&file, at).map_err(failed)?
                    && let Some((url, page)) = self.raw_page(key.as_str(), &value, head.raw_len)?
                    && !take(url, page)
                {
                    return Ok(());
                }
                offset = at + head.frame_len();
            }
        }
        Ok(())
    }

    /// A raw page, unless it is superseded.
    fn raw_page(&self, key: &str, value: &[u8], raw_len: u32) -> Result<Option<(String, Parked)>, Error> {
        let Some(key) = Key::from_bytes(key.as_bytes()) else { return Ok(None) };
        let Some(fetched_at) = self.fetched_at(key.url())? else { return Ok(None) };
        let bytes = unpack(value, raw_len as usize)?;
        let kept: RawHead<'_> = postcard::from_bytes(&bytes).map_err(Error::decode("a page as it was fetched"))?;
        if kept.fetched_at != fetched_at {
            return Ok(None);
        }
        let RawHead { status, charset, truncated, body, .. } = kept;
        Ok(Some((key.url().to_owned(), Parked { body: body.to_vec(), status, charset, fetched_at, truncated })))
    }
}
