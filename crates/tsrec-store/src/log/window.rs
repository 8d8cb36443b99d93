//! Reads the frames of a segment one after another, through a window. So a scan of small frames
//! needs few system calls, and copies no value.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use crate::log::frame::{self, FrameHead, HEAD_LEN};
use crate::log::op::JournalEntry;

/// Bytes read at a time. Judgement: a processor's cache holds them, so their checksum is cheap.
const WINDOW: usize = 256 << 10;

/// A segment, or its first part.
pub(crate) struct FrameWindow {
    file: Arc<File>,
    len: u64,
    /// The bytes from `start` on.
    bytes: Vec<u8>,
    start: u64,
}

impl FrameWindow {
    pub(crate) fn open(path: &Path) -> io::Result<FrameWindow> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(FrameWindow::new(Arc::new(file), len))
    }

    pub(crate) fn new(file: Arc<File>, len: u64) -> FrameWindow {
        FrameWindow { file, len, bytes: Vec::new(), start: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The frame at an offset with its value, if it is sound and its number is past `after`.
    pub(crate) fn read(&mut self, offset: u64, after: u64) -> io::Result<Option<(FrameHead, JournalEntry, &[u8])>> {
        if self.len.saturating_sub(offset) < HEAD_LEN as u64 {
            return Ok(None);
        }
        let head = FrameHead::decode(self.bytes(offset, HEAD_LEN)?);
        let fits = |head: &FrameHead| head.number > after && head.frame_len() <= self.len - offset;
        let Some(head) = head.filter(fits) else { return Ok(None) };
        let body = self.bytes(offset + HEAD_LEN as u64, head.body_len() as usize)?;
        if crc32fast::hash(body) != head.body_crc {
            return Ok(None);
        }
        let (op, value) = body.split_at(head.op_len as usize);
        Ok(frame::decoded(op).map(|entry| (head, entry, value)))
    }

    /// Bytes of the segment, all of which exist.
    fn bytes(&mut self, offset: u64, len: usize) -> io::Result<&[u8]> {
        if offset < self.start || offset + len as u64 > self.start + self.bytes.len() as u64 {
            let size = (self.len - offset).min(WINDOW.max(len) as u64) as usize;
            self.bytes.resize(size, 0);
            self.start = offset;
            self.file.read_exact_at(&mut self.bytes, offset)?;
        }
        let at = (offset - self.start) as usize;
        Ok(&self.bytes[at..at + len])
    }
}
