//! A value in a journal: finds it by its head, checks it, and unpacks it whole or while reading.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::log::frame::{self, FrameHead, HEAD_LEN};
use crate::log::packed::{damaged, unpack, unpack_from};
use crate::log::{Journal, Place};

/// Bytes read from a file at a time.
const PIECE: usize = 64 << 10;

/// A value that is not read yet. It stays readable after the store removes its segment. Clones
/// share it.
#[derive(Clone)]
pub(crate) struct StoredValue {
    file: Arc<File>,
    place: Place,
    /// Counts the frames of its journal that could not be read.
    unreadable: Arc<AtomicU64>,
}

impl StoredValue {
    /// The value at a place. The caller holds the reader's lock, so that the segment exists.
    pub(crate) fn at(journal: &Journal, place: Place) -> Result<StoredValue, Error> {
        Ok(StoredValue { file: journal.file(place)?, place, unreadable: journal.unreadable_counter() })
    }

    /// The unpacked length, in bytes.
    pub(crate) fn raw_len(&self) -> u64 {
        u64::from(self.place.raw_len)
    }

    /// The number of its frame in the journal.
    pub(crate) fn number(&self) -> u64 {
        self.place.number
    }

    /// The value, unpacked.
    pub(crate) fn unpack(&self) -> Result<Vec<u8>, Error> {
        let head = self.check()?;
        let mut bytes = vec![0; head.value_len as usize];
        let at = self.place.offset + HEAD_LEN as u64 + u64::from(head.op_len);
        self.file.read_exact_at(&mut bytes, at).map_err(Error::decode("a value"))?;
        unpack(&bytes, head.raw_len as usize)
    }

    /// The value, unpacked while reading.
    pub(crate) fn reader(&self) -> Result<impl Read + Send + use<>, Error> {
        let head = self.check()?;
        let at = self.place.offset + HEAD_LEN as u64 + u64::from(head.op_len);
        let part = ValuePart { file: Arc::clone(&self.file), at, left: u64::from(head.value_len) };
        let decoder = unpack_from(BufReader::with_capacity(PIECE, part))?;
        Ok(decoder.take(u64::from(head.raw_len)))
    }

    /// Reads the frame once and compares its checksum, before a caller gets any byte of it.
    pub(crate) fn check(&self) -> Result<FrameHead, Error> {
        self.compare().inspect_err(|_| {
            self.unreadable.fetch_add(1, Ordering::Relaxed);
        })
    }

    fn compare(&self) -> Result<FrameHead, Error> {
        let wrong = || damaged("a value is not what was written", format!("{:?}", self.place).as_bytes());
        let head = frame::read_head(&self.file, self.place.offset).map_err(Error::decode("a value"))?;
        let head = head.filter(|head| head.number == self.place.number).ok_or_else(wrong)?;
        let mut part =
            ValuePart { file: Arc::clone(&self.file), at: self.place.offset + HEAD_LEN as u64, left: head.body_len() };
        let mut crc = crc32fast::Hasher::new();
        let mut piece = vec![0; PIECE.min(head.body_len() as usize).max(1)];
        loop {
            match part.read(&mut piece).map_err(Error::decode("a value"))? {
                0 => break,
                len => crc.update(&piece[..len]),
            }
        }
        if crc.finalize() == head.body_crc { Ok(head) } else { Err(wrong()) }
    }
}

/// A part of a file.
struct ValuePart {
    file: Arc<File>,
    at: u64,
    left: u64,
}

impl Read for ValuePart {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let len = self.file.read_at(&mut into[..most], self.at)?;
        self.at += len as u64;
        self.left -= len as u64;
        Ok(len)
    }
}
