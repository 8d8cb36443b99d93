//! The mark: a small file, written with each flush, that says how far the store was durable. It
//! shows whether the end of the journal or a part of sled is missing.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The file's name.
pub(crate) const FILE_NAME: &str = "mark";

/// The length of a slot, in bytes: three numbers and a CRC-32.
const SLOT_LEN: usize = 3 * 8 + 4;

/// How far the store was durable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DurableMark {
    /// Grows with each flush; sled holds the same number.
    pub(crate) flush: u64,
    /// The last frame of the journal.
    pub(crate) number: u64,
    /// The newest sequence.
    pub(crate) sequence: u64,
}

/// Result of reading the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkRead {
    /// There is no file.
    Absent,
    /// No slot is sound.
    Damaged,
    /// The later of its two slots.
    Found(DurableMark),
}

/// The open file. The store writes two slots in turn, so that one is whole at any moment.
#[derive(Debug)]
pub(crate) struct MarkFile(File);

impl MarkFile {
    pub(crate) fn open(dir: &Path) -> io::Result<MarkFile> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        options.open(dir.join(FILE_NAME)).map(MarkFile)
    }

    /// Writes a mark, without a sync. The mark guards against damage after a process has ended.
    /// After a power cut the mark may be older, and then it only requires less.
    pub(crate) fn write(&self, mark: DurableMark) -> io::Result<()> {
        let mut slot = [0; SLOT_LEN];
        for (at, number) in [mark.flush, mark.number, mark.sequence].into_iter().enumerate() {
            slot[at * 8..at * 8 + 8].copy_from_slice(&number.to_le_bytes());
        }
        let crc = crc32fast::hash(&slot[..24]);
        slot[24..].copy_from_slice(&crc.to_le_bytes());
        self.0.write_all_at(&slot, mark.flush % 2 * SLOT_LEN as u64)
    }

    /// Reads the last process's mark. A damaged slot may have been the latest, so then the result
    /// is not certain.
    pub(crate) fn read(dir: &Path) -> io::Result<MarkRead> {
        let bytes = match std::fs::read(dir.join(FILE_NAME)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(MarkRead::Absent),
            Err(error) => return Err(error),
        };
        if bytes.len() != 2 * SLOT_LEN {
            return Ok(MarkRead::Damaged);
        }
        let slots = [decode(&bytes[..SLOT_LEN]), decode(&bytes[SLOT_LEN..])];
        Ok(match slots {
            [Some(one), Some(other)] => MarkRead::Found(if one.flush > other.flush { one } else { other }),
            _ => MarkRead::Damaged,
        })
    }
}

fn decode(slot: &[u8]) -> Option<DurableMark> {
    let number = |at: usize| slot.get(at * 8..at * 8 + 8)?.try_into().ok().map(u64::from_le_bytes);
    let crc = u32::from_le_bytes(slot.get(24..)?.try_into().ok()?);
    let mark = DurableMark { flush: number(0)?, number: number(1)?, sequence: number(2)? };
    (crc32fast::hash(&slot[..24]) == crc).then_some(mark)
}
