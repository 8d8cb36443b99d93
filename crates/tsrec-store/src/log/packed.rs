//! Stored values, compressed by zstd with a dictionary of what all records share.

use std::io::{BufRead, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zstd::bulk::{Compressor, Decompressor};

use crate::error::{Error, Kind};

/// zstd's own default. Judgement: the store writes pages too often for a smaller size to be worth
/// more time.
const LEVEL: i32 = 3;

/// The zstd dictionary: a record without content. It saves a sixth of an article's record. It is
/// part of the store's format: never change it.
const BEFORE: &[u8] = br#"{"simhash":"","url":"https://www.example.com/","title":"","authors":[],"published":null,"modified":null,"language":"en","site_name":null,"description":null,"image":null,"canonical_url":"https://www.","tags":[],"license":null,"comments":"","text":"</p>\n<p></a></em><em><strong></strong><ul>\n<li></li>\n</ul><h2></h2>\n<a href=\"https://www.\">","html":"<h1></h1>\n<p>","words":100,"method":"template","confidence":0.9,"kind":"article","kind_probability":0.99,"sibling":null,"template":{"number":1,"pages":12,"replaces":null},"gates":[{"sibling":"","passed":true,"measured":0.25}],"labels":{"common":120,"content":30,"regular":10},"fetched_at":"2026-11-22T12:00:00.000000000Z","status":200,"charset":"utf-8","cut":[]}"#;

/// Idle compressors. Making one with its dictionary takes longer than packing a record.
static AT_REST: Idle<Compressor<'static>> = Idle::new();

/// Idle decompressors, for the same reason.
static UNPACKERS: Idle<Decompressor<'static>> = Idle::new();

/// The number of idle ones kept of each. Judgement: each processor packs one page at a time, and a
/// compressor takes a megabyte or two.
const MOST_AT_REST: usize = 4;

struct Idle<T>(Mutex<Vec<T>>);

impl<T> Idle<T> {
    const fn new() -> Idle<T> {
        Idle(Mutex::new(Vec::new()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<T> {
        self.lock().pop()
    }

    fn put(&self, idle: T) {
        let mut at_rest = self.lock();
        if at_rest.len() < MOST_AT_REST {
            at_rest.push(idle);
        }
    }
}

/// A value ready for writing. Packing is costly, so it happens before taking the writer's lock.
pub(crate) struct Packed {
    bytes: Vec<u8>,
    raw_len: usize,
}

impl Packed {
    pub(crate) fn new(raw: &[u8]) -> Result<Packed, Error> {
        let mut compressor = match AT_REST.take() {
            Some(compressor) => compressor,
            None => Compressor::with_dictionary(LEVEL, BEFORE).map_err(Error::encode("a value"))?,
        };
        let bytes = compressor.compress(raw).map_err(Error::encode("a value"))?;
        AT_REST.put(compressor);
        Ok(Packed { bytes, raw_len: raw.len() })
    }

    /// The compressed length, in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The length that it unpacks to, in bytes.
    pub(crate) fn raw_len(&self) -> usize {
        self.raw_len
    }
}

/// Reverses [`Packed::new`]. The caller knows the length, so a damaged value cannot grow past it.
pub(crate) fn unpack(bytes: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut decompressor = match UNPACKERS.take() {
        Some(decompressor) => decompressor,
        None => Decompressor::with_dictionary(BEFORE).map_err(Error::decode("a value"))?,
    };
    let raw = decompressor.decompress(bytes, raw_len).map_err(Error::decode("a value"))?;
    UNPACKERS.put(decompressor);
    Ok(raw)
}

/// As above, but unpacks while reading.
pub(crate) fn unpack_from<'r, R: BufRead + Send + 'r>(from: R) -> Result<impl Read + Send + 'r, Error> {
    zstd::Decoder::with_dictionary(from, BEFORE).map_err(Error::decode("a value"))
}

pub(crate) fn damaged(what: &'static str, key: &[u8]) -> Error {
    Kind::Damaged { what, key: String::from_utf8_lossy(key).into_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_also_those_that_an_earlier_program_wrote() {
        for raw in [&b""[..], b"a", &[7; 100_000], BEFORE, &BEFORE[..300]] {
            let packed = Packed::new(raw).unwrap();
            let before = zstd::bulk::compress(raw, LEVEL).unwrap();
            for bytes in [packed.bytes(), &before] {
                assert_eq!(unpack(bytes, raw.len()).unwrap(), raw);
                let mut read = Vec::new();
                unpack_from(bytes).unwrap().read_to_end(&mut read).unwrap();
                assert_eq!(read, raw);
            }
        }
    }

    #[test]
    fn a_record_is_smaller_for_what_all_records_have() {
        let page =
            crate::record::tests::page("http://a.example/ferry", "The ferry left the quay at nine, with a band.");
        let json = serde_json::to_vec(&page).unwrap();
        let (packed, alone) = (Packed::new(&json).unwrap().len(), zstd::bulk::compress(&json, LEVEL).unwrap().len());
        // Nearly half: the dictionary lacks the names of fields that were added later.
        assert!(packed * 5 < alone * 3, "{packed} bytes, {alone} alone");
    }

    /// With another dictionary, existing stores would be unreadable.
    #[test]
    fn what_stands_before_stays_as_it_is() {
        assert_eq!((BEFORE.len(), crc32fast::hash(BEFORE)), (717, 0x8db8bcf));
    }
}
