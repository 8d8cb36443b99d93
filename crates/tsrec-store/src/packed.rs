//! Values as they are kept: compressed by zstd, which knows beforehand what all records have.

use std::io::{BufRead, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zstd::bulk::Compressor;

use super::error::{Error, Kind};

/// zstd's own default. Judgement: a page is written more often than its smaller size would be
/// noticed.
const LEVEL: i32 = 3;

/// What stands before each value as far as zstd is concerned, so that what it says need not be said
/// again: a record without content. It takes a sixth off the record of an article. A part of the
/// store's format, never to be changed.
const BEFORE: &[u8] = br#"{"simhash":"","url":"https://www.example.com/","title":"","authors":[],"published":null,"modified":null,"language":"en","site_name":null,"description":null,"image":null,"canonical_url":"https://www.","tags":[],"license":null,"comments":"","text":"</p>\n<p></a></em><em><strong></strong><ul>\n<li></li>\n</ul><h2></h2>\n<a href=\"https://www.\">","html":"<h1></h1>\n<p>","words":100,"method":"template","confidence":0.9,"kind":"article","kind_probability":0.99,"sibling":null,"template":{"number":1,"pages":12,"replaces":null},"gates":[{"sibling":"","passed":true,"measured":0.25}],"labels":{"common":120,"content":30,"regular":10},"fetched_at":"2026-11-22T12:00:00.000000000Z","status":200,"charset":"utf-8","cut":[]}"#;

/// Compressors that nobody works with: to make one, with what stands before each value, takes
/// longer than to pack a record.
static AT_REST: Mutex<Vec<Compressor<'static>>> = Mutex::new(Vec::new());

/// How many are kept. Judgement: a page is packed by each processor at a time, and they take a
/// megabyte or two each.
const MOST_AT_REST: usize = 4;

fn at_rest() -> MutexGuard<'static, Vec<Compressor<'static>>> {
    AT_REST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value made ready for writing. Packing is the costly part, and is done before the writer's lock
/// is taken.
pub(super) struct Packed {
    bytes: Vec<u8>,
    raw_len: usize,
}

impl Packed {
    pub(super) fn new(raw: &[u8]) -> Result<Packed, Error> {
        let at_rest = at_rest().pop();
        let mut compressor = match at_rest {
            Some(compressor) => compressor,
            None => Compressor::with_dictionary(LEVEL, BEFORE).map_err(Error::encode("a value"))?,
        };
        let bytes = compressor.compress(raw).map_err(Error::encode("a value"))?;
        let mut at_rest = self::at_rest();
        if at_rest.len() < MOST_AT_REST {
            at_rest.push(compressor);
        }
        Ok(Packed { bytes, raw_len: raw.len() })
    }

    /// The compressed length, in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The length that it unpacks to, in bytes.
    pub(super) fn raw_len(&self) -> usize {
        self.raw_len
    }
}

/// Undoes [`Packed::new`]. The length is known beforehand, so a damaged value cannot grow past it.
pub(super) fn unpack(bytes: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut decompressor = zstd::bulk::Decompressor::with_dictionary(BEFORE).map_err(Error::decode("a value"))?;
    decompressor.decompress(bytes, raw_len).map_err(Error::decode("a value"))
}

/// The same, while it is read.
pub(super) fn unpack_from<'r, R: BufRead + Send + 'r>(from: R) -> Result<impl Read + Send + 'r, Error> {
    zstd::Decoder::with_dictionary(from, BEFORE).map_err(Error::decode("a value"))
}

pub(super) fn damaged(what: &'static str, key: &[u8]) -> Error {
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
        // Nearly half: the names of fields that came later are not among what stands before.
        assert!(packed * 5 < alone * 3, "{packed} bytes, {alone} alone");
    }

    /// Stores would not be read any more.
    #[test]
    fn what_stands_before_stays_as_it_is() {
        assert_eq!((BEFORE.len(), crc32fast::hash(BEFORE)), (717, 0x8db8bcf));
    }
}
