//! Journal frames. Each has a checksum over its head and one over its body.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | [`MAGIC`], to find the next frame after damage |
//! | 4 | length of the operation |
//! | 4 | length of the value, as stored |
//! | 4 | length of the value, unpacked |
//! | 8 | number of the frame: one more than the previous frame's |
//! | 4 | CRC-32 of operation and value |
//! | 4 | CRC-32 of the previous 28 bytes |
//! | … | the operation, in postcard; the value, compressed with zstd (`packed`) |
//!
//! Numbers are little-endian.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::key::Key;
use crate::log::op::JournalEntry;

/// The first bytes of a frame.
pub(crate) const MAGIC: [u8; 4] = *b"\xa7Tsr";

/// The version of the layout of the journal, of keys and of values. A program refuses every number
/// but its own.
pub(crate) const FORMAT: u32 = 1;

/// The length of a frame's head, in bytes.
pub(crate) const HEAD_LEN: usize = 32;

/// The longest operation, in bytes. Judgement: a batch of forgotten pages has at most 256 keys of
/// 2,310 bytes.
const MAX_OP_LEN: u32 = 1 << 20;

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameHead {
    pub(crate) op_len: u32,
    pub(crate) value_len: u32,
    pub(crate) raw_len: u32,
    pub(crate) number: u64,
    pub(crate) body_crc: u32,
}

impl FrameHead {
    /// The length of the whole frame, in bytes.
    pub(crate) fn frame_len(&self) -> u64 {
        HEAD_LEN as u64 + self.body_len()
    }

    pub(crate) fn body_len(&self) -> u64 {
        u64::from(self.op_len) + u64::from(self.value_len)
    }

    fn encode(&self) -> [u8; HEAD_LEN] {
        let mut bytes = [0; HEAD_LEN];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.op_len.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.value_len.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.raw_len.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.body_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..28]);
        bytes[28..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// `None` if these bytes are no head, or a damaged one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<FrameHead> {
        let bytes: &[u8; HEAD_LEN] = bytes.get(..HEAD_LEN)?.try_into().ok()?;
        let number_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if bytes[..4] != MAGIC || number_at(28) != crc32fast::hash(&bytes[..28]) {
            return None;
        }
        let number = u64::from(number_at(16)) | u64::from(number_at(20)) << 32;
        let head = FrameHead {
            op_len: number_at(4),
            value_len: number_at(8),
            raw_len: number_at(12),
            number,
            body_crc: number_at(24),
        };
        (head.op_len <= MAX_OP_LEN).then_some(head)
    }
}

/// A frame with its head, ready for writing.
pub(crate) fn encode(
    entry: &JournalEntry,
    value: &[u8],
    raw_len: usize,
    number: u64,
) -> Result<(FrameHead, Vec<u8>), postcard::Error> {
    let mut bytes = vec![0; HEAD_LEN];
    bytes = postcard::to_extend(entry, bytes)?;
    let op_len = (bytes.len() - HEAD_LEN) as u32;
    bytes.extend_from_slice(value);
    let body_crc = crc32fast::hash(&bytes[HEAD_LEN..]);
    let head = FrameHead { op_len, value_len: value.len() as u32, raw_len: raw_len as u32, number, body_crc };
    bytes[..HEAD_LEN].copy_from_slice(&head.encode());
    Ok((head, bytes))
}

/// Reads the frame at an offset, if it is sound.
pub(crate) fn read(file: &File, offset: u64) -> io::Result<Option<(FrameHead, JournalEntry, Vec<u8>)>> {
    let Some(head) = read_head(file, offset)? else { return Ok(None) };
    let mut body = vec![0; head.body_len() as usize];
    file.read_exact_at(&mut body, offset + HEAD_LEN as u64)?;
    if crc32fast::hash(&body) != head.body_crc {
        return Ok(None);
    }
    let value = body.split_off(head.op_len as usize);
    Ok(decoded(&body).map(|entry| (head, entry, value)))
}

/// The operation in these bytes. `None` also if it names a page by an invalid key: nobody could
/// ask for that page.
pub(crate) fn decoded(bytes: &[u8]) -> Option<JournalEntry> {
    postcard::from_bytes(bytes)
        .ok()
        .filter(|entry: &JournalEntry| entry.op.pages().iter().all(|key| Key::is_sound(key)))
}

/// Reads the head at an offset, if there is one and its frame fits into the file.
pub(crate) fn read_head(file: &File, offset: u64) -> io::Result<Option<FrameHead>> {
    let len = file.metadata()?.len();
    let mut bytes = [0; HEAD_LEN];
    if offset + HEAD_LEN as u64 > len {
        return Ok(None);
    }
    file.read_exact_at(&mut bytes, offset)?;
    Ok(FrameHead::decode(&bytes).filter(|head| offset + head.frame_len() <= len))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::log::op::{DeletionReason, Op, Uses};

    /// Writes a file with this one operation and reads it back.
    fn read_again(op: Op) -> Option<Op> {
        let file = tempfile::tempfile().unwrap();
        let (_, bytes) = encode(&JournalEntry { last_sequence: 1, floor: 0, op }, b"", 0, 1).unwrap();
        file.write_all_at(&bytes, 0).unwrap();
        read(&file, 0).unwrap().map(|(_, entry, _)| entry.op)
    }

    #[test]
    fn a_frame_that_speaks_of_a_page_that_no_url_names_is_none() {
        for (key, is_sound) in [
            ("a.example\0http://a.example/", true),
            ("a.example\0http://b.example/", false),
            ("a.example\0a page", false),
            ("\0", false),
            ("", false),
        ] {
            let key = key.to_owned();
            let at = Timestamp::UNIX_EPOCH;
            let delete = Op::Delete { key: key.clone(), seq: 1, reason: DeletionReason::Gone, at };
            let forget = Op::Forget { keys: vec!["a.example\0http://a.example/x".to_owned(), key.clone()] };
            let body = Op::Body { key, fetched_at: at, uses: Uses::default() };
            for op in [delete, forget, body] {
                assert_eq!(read_again(op.clone()), is_sound.then(|| op.clone()), "{op:?}");
            }
        }
    }
}
