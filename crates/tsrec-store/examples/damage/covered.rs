//! Reads the journal of a store by `docs/store.md` alone, without the code of the store: which
//! frames have sound checksums, and what they say of each page and of each entry of a space.

use std::collections::BTreeMap;
use std::path::Path;

use crate::sources::files;

const MAGIC: &[u8] = b"\xa7Tsr";
const HEAD: usize = 32;

/// The file with the dictionary of the values.
const PACKED: &str = include_str!("../../src/log/packed.rs");

/// What the newest sound frames say. A page has the sequence number of its record, or none if it is
/// deleted.
#[derive(Default)]
pub(crate) struct Covered {
    pub(crate) pages: BTreeMap<String, (u64, bool)>,
    pub(crate) entries: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Covered {
    /// What is in the segments of a folder, whatever their names are. `space` is the space whose
    /// entries count.
    pub(crate) fn of(records: &Path, space: &str) -> Covered {
        let mut frames = BTreeMap::new();
        for path in files(records) {
            let bytes = std::fs::read(path).unwrap();
            let mut at = 0;
            while let Some(from) = bytes.get(at..).and_then(|left| memchr::memmem::find(left, MAGIC)) {
                at += from;
                match frame(&bytes[at..]) {
                    Some(frame) => {
                        at += frame.len;
                        frames.insert(frame.number, (frame.op.to_vec(), frame.value.to_vec(), frame.raw_len));
                    }
                    None => at += 1,
                }
            }
        }
        let mut covered = Covered::default();
        for (op, value, raw_len) in frames.into_values() {
            covered.take(&op, &value, raw_len, space).expect("a sound frame is as docs/store.md says");
        }
        covered
    }

    fn take(&mut self, op: &[u8], value: &[u8], raw_len: usize, space: &str) -> Option<()> {
        let mut op = Parts(op);
        let (_sequence, _floor) = (op.number()?, op.number()?);
        match op.number()? {
            name @ (1 | 2) => {
                let key = std::str::from_utf8(op.bytes()?).ok()?;
                let (_, url) = key.split_once('\0')?;
                self.pages.insert(url.to_owned(), (op.number()?, name == 1));
            }
            9 => {
                let dictionary = PACKED.split_once("br#\"")?.1.split_once("\"#;")?.0;
                let mut unpacker = zstd::bulk::Decompressor::with_dictionary(dictionary.as_bytes()).ok()?;
                let value = unpacker.decompress(value, raw_len).ok()?;
                let mut writes = Parts(&value);
                while !writes.0.is_empty() {
                    let is_wanted = writes.bytes()? == space.as_bytes();
                    for _ in 0..writes.number()? {
                        let key = writes.bytes()?.to_vec();
                        let len = writes.number()?;
                        let value = if len == 0 { None } else { Some(writes.take(len as usize - 1)?.to_vec()) };
                        if is_wanted {
                            self.entries.insert(key, value);
                        }
                    }
                }
            }
            _ => {}
        }
        Some(())
    }
}

struct Frame<'b> {
    number: u64,
    op: &'b [u8],
    value: &'b [u8],
    raw_len: usize,
    len: usize,
}

/// The frame that begins these bytes, if both of its checksums hold.
fn frame(bytes: &[u8]) -> Option<Frame<'_>> {
    let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (op_len, value_len, raw_len) = (u32_at(4)? as usize, u32_at(8)? as usize, u32_at(12)? as usize);
    let number = u64::from_le_bytes(bytes.get(16..24)?.try_into().ok()?);
    if u32_at(28)? != crc32fast::hash(&bytes[..28]) || op_len > 1 << 20 {
        return None;
    }
    let body = bytes.get(HEAD..HEAD + op_len + value_len)?;
    if u32_at(24)? != crc32fast::hash(body) {
        return None;
    }
    let (op, value) = body.split_at(op_len);
    Some(Frame { number, op, value, raw_len, len: HEAD + body.len() })
}

/// Parts that follow each other.
struct Parts<'b>(&'b [u8]);

impl<'b> Parts<'b> {
    /// A varint.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Bytes after their length.
    fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = self.number()?;
        self.take(len as usize)
    }

    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }
}
