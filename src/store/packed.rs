//! Values as they are kept: compressed.

use super::error::{Error, Kind};

/// zstd's own default. Judgement: a page is written more often than its smaller size would be noticed.
const LEVEL: i32 = 3;

/// A value made ready for writing. Packing is the costly part, and is done before the writer's lock is taken.
pub(super) struct Packed {
    bytes: Vec<u8>,
    raw_len: usize,
}

impl Packed {
    pub(super) fn new(raw: &[u8]) -> Result<Packed, Error> {
        let bytes = zstd::bulk::compress(raw, LEVEL).map_err(Error::encode("a value"))?;
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
    zstd::bulk::decompress(bytes, raw_len).map_err(Error::decode("a value"))
}

pub(super) fn damaged(what: &'static str, key: &[u8]) -> Error {
    Kind::Damaged { what, key: String::from_utf8_lossy(key).into_owned() }.into()
}
