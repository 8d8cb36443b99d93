//! Large values: compressed, then cut into chunks.
//!
//! sled splits a leaf when it has more than sixteen entries, whatever their size, and a leaf that outgrows a quarter of its segment becomes
//! a separate file that is never synced. So a large value is many small entries: `key\0` and the chunk's number, big-endian.
//! How many there are stands in the value's head (its [`Extent`]), which is written in the same transaction.

use std::io::{Cursor, Read};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::{Error, Kind};

/// The size of a chunk in bytes. A leaf holds seventeen entries at the moment it splits; with the longest key (about 2,310 bytes) each, that
/// is 17 × 7,430 = 126,310 bytes, under the 128 KiB (a quarter of sled's segment) past which a leaf leaves the log.
const CHUNK_LEN: usize = 5 * 1024;

/// zstd's own default. Judgement: a page is written more often than its smaller size would be noticed.
const LEVEL: i32 = 3;

/// Where a value ends, and how large it was: kept in its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Extent {
    chunks: u32,
    packed_len: u64,
    raw_len: u64,
}

/// A value made ready for writing. Packing is the costly part, and is done before the writer's lock is taken.
#[derive(Clone)]
pub(super) struct Packed {
    bytes: Arc<[u8]>,
    raw_len: usize,
}

impl Packed {
    pub(super) fn new(raw: &[u8]) -> Result<Packed, Error> {
        let bytes = zstd::bulk::compress(raw, LEVEL).map_err(Error::encode("a value"))?;
        Ok(Packed { bytes: bytes.into(), raw_len: raw.len() })
    }

    /// The compressed length, in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The length that it unpacks to, in bytes.
    pub(super) fn raw_len(&self) -> usize {
        self.raw_len
    }

    fn extent(&self) -> Extent {
        let chunks = self.bytes.len().div_ceil(CHUNK_LEN) as u32;
        Extent { chunks, packed_len: self.bytes.len() as u64, raw_len: self.raw_len as u64 }
    }
}

/// Adds the chunks to the batch, and takes out those that only the value before had.
pub(super) fn write(batch: &mut sled::Batch, key: &[u8], packed: &Packed, before: Option<Extent>) -> Extent {
    for (number, chunk) in (0u32..).zip(packed.bytes.chunks(CHUNK_LEN)) {
        batch.insert(chunk_key(key, number), chunk);
    }
    let extent = packed.extent();
    for number in extent.chunks..before.map_or(0, |before| before.chunks) {
        batch.remove(chunk_key(key, number));
    }
    extent
}

/// Takes all chunks of a value out.
pub(super) fn remove(batch: &mut sled::Batch, key: &[u8], extent: Extent) {
    for number in 0..extent.chunks {
        batch.remove(chunk_key(key, number));
    }
}

/// Reads the chunks of a value. The caller holds the reader's lock, so that head and chunks are of one transaction.
pub(super) fn read(tree: &sled::Tree, key: &[u8], extent: Extent) -> Result<Packed, Error> {
    let mut bytes = Vec::with_capacity(extent.packed_len as usize);
    for number in 0..extent.chunks {
        let chunk = tree.get(chunk_key(key, number)).map_err(Error::sled("read a chunk"))?;
        bytes.extend_from_slice(&chunk.ok_or_else(|| damaged("a chunk is missing", key))?);
    }
    if bytes.len() as u64 != extent.packed_len {
        return Err(damaged("the chunks have another length than their head says", key));
    }
    Ok(Packed { bytes: bytes.into(), raw_len: extent.raw_len as usize })
}

/// Undoes [`Packed::new`]. The length is known beforehand, so a damaged value cannot grow past it.
pub(super) fn unpack(packed: &Packed) -> Result<Vec<u8>, Error> {
    zstd::bulk::decompress(&packed.bytes, packed.raw_len).map_err(Error::decode("a value"))
}

/// Undoes [`Packed::new`] while it is read, and not past the length that is known.
pub(super) fn reader(packed: Packed) -> Result<impl Read + Send + use<>, Error> {
    let Packed { bytes, raw_len } = packed;
    let decoder = zstd::Decoder::with_buffer(Cursor::new(bytes)).map_err(Error::decode("a value"))?;
    Ok(decoder.take(raw_len as u64))
}

pub(super) fn damaged(what: &'static str, key: &[u8]) -> Error {
    Kind::Damaged { what, key: String::from_utf8_lossy(key).into_owned() }.into()
}

fn chunk_key(key: &[u8], number: u32) -> Vec<u8> {
    [key, b"\0", &number.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that do not compress: a multiplicative generator's high byte.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 1u64;
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .take(len)
        .collect()
    }

    #[test]
    fn values_of_every_size_come_back_and_leave_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let tree = sled::Config::new().path(dir.path()).open().unwrap().open_tree("chunks").unwrap();
        let mut before = None;
        for len in [0, 1, CHUNK_LEN - 20, CHUNK_LEN, 3 * CHUNK_LEN, 1_000_000, 2 * CHUNK_LEN, 0] {
            let value = noise(len);
            let mut batch = sled::Batch::default();
            let extent = write(&mut batch, b"key", &Packed::new(&value).unwrap(), before);
            tree.apply_batch(batch).unwrap();
            assert_eq!(unpack(&read(&tree, b"key", extent).unwrap()).unwrap(), value, "{len} bytes");
            assert_eq!(tree.len(), extent.chunks as usize, "{len} bytes");
            assert!(tree.iter().values().all(|chunk| chunk.unwrap().len() <= CHUNK_LEN));
            before = Some(extent);
        }
        let mut batch = sled::Batch::default();
        remove(&mut batch, b"key", before.unwrap());
        tree.apply_batch(batch).unwrap();
        assert!(tree.is_empty());
    }

    #[test]
    fn missing_and_foreign_chunks_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let tree = sled::Config::new().path(dir.path()).open().unwrap().open_tree("chunks").unwrap();
        let mut batch = sled::Batch::default();
        let extent = write(&mut batch, b"key", &Packed::new(&noise(3 * CHUNK_LEN)).unwrap(), None);
        tree.apply_batch(batch).unwrap();
        tree.insert(chunk_key(b"key", 1), "short").unwrap();
        assert!(read(&tree, b"key", extent).err().unwrap().is_damaged());
        tree.remove(chunk_key(b"key", 1)).unwrap();
        assert!(read(&tree, b"key", extent).err().unwrap().is_damaged());
    }
}
