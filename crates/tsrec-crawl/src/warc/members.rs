//! The unpacked bytes of an archive, with the packed member that they come from.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::ops::Range;

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::wacz;

/// The first bytes of gzip members and zstd frames.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The frame that holds the dictionary for all others: one of zstd's skippable frames ("WARC with
/// zstd compression", IIPC 2021).
const DICTIONARY: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// The longest dictionary that is read. Judgement: those in use have 100 KB to 1 MB.
const LONGEST_DICTIONARY: u64 = 16 << 20;
/// Bytes unpacked at a time.
const BUFFER: usize = 64 << 10;

/// The first bytes of a record.
pub(super) const RECORD: [u8; 5] = *b"WARC/";
/// Bytes read where a gzip member may begin, and where a zstd frame may. A block of zstd has up to
/// 128 KB and is unpacked as a whole (RFC 8878, section 3.1.1.2).
const GZIP_BEGINNING: u64 = 512;
const ZSTD_BEGINNING: u64 = 200 << 10;
/// Places tried after damage. Judgement: in packed bytes the first bytes of a gzip member occur by
/// chance once in 16 MB.
const MOST_CANDIDATES: usize = 10_000;

/// An archive: all of a file, or a part of it.
type FilePart = Take<BufReader<File>>;

/// Where the next bytes come from.
enum Member {
    /// Between two members.
    Between(FilePart),
    Plain(FilePart),
    Gzip(Box<GzDecoder<FilePart>>),
    Zstd(Box<ZstdDecoder<'static, FilePart>>),
    /// At the end of the part.
    AtEnd(BufReader<File>),
    /// After an error.
    Failed,
}

/// An archive's unpacked bytes. All bytes in the buffer come from one member.
pub(super) struct Members {
    member: Member,
    /// The file, opened once more: an error takes the reader with it.
    file: File,
    /// Where in the file the part with the member begins, and where it ends.
    begin: u64,
    end: u64,
    /// The later parts of the file, the next one last.
    parts: Vec<Range<u64>>,
    dictionary: Vec<u8>,
    buffer: Vec<u8>,
    /// Bytes taken from the buffer.
    taken: usize,
    /// The offset of the buffer's member.
    start: u64,
    /// Unpacked bytes of that member before the buffer.
    before: u64,
    /// Whether that member is not packed.
    is_plain: bool,
}

impl Members {
    /// Reads a file from `offset`, where a member begins.
    pub(super) fn new(mut file: File, offset: u64) -> io::Result<Self> {
        // A file is one archive, or a zip of several.
        let mut parts = wacz::archives(&mut file)?.unwrap_or_else(|| std::iter::once(0..u64::MAX).collect());
        let (again, length) = (file.try_clone()?, file.metadata()?.len());
        parts.iter_mut().for_each(|part| part.end = part.end.min(length));
        let file = BufReader::with_capacity(BUFFER, file);
        parts.retain(|part| part.end > offset);
        parts.reverse();
        let mut members = Members {
            member: Member::AtEnd(file),
            file: again,
            begin: 0,
            end: 0,
            parts,
            dictionary: Vec::new(),
            buffer: Vec::new(),
            taken: 0,
            start: offset,
            before: 0,
            is_plain: false,
        };
        if members.next_part()?
            && offset > members.begin
            && let Member::Between(part) = &mut members.member
        {
            // The dictionary is at the beginning, whatever the record.
            members.dictionary = read_dictionary(part)?.unwrap_or_default();
            part.seek(SeekFrom::Start(offset - members.begin))?;
        }
        Ok(members)
    }

    /// Goes on to the next part of the file, if this one is at its end. False if there is none.
    pub(super) fn next_part(&mut self) -> io::Result<bool> {
        match std::mem::replace(&mut self.member, Member::Failed) {
            Member::AtEnd(mut file) if !self.parts.is_empty() => {
                let part = self.parts.pop().unwrap_or_default();
                (self.begin, self.end) = (part.start, part.end);
                self.dictionary.clear();
                file.seek(SeekFrom::Start(part.start))?;
                self.member = Member::Between(file.take(part.end - part.start));
                Ok(true)
            }
            member => {
                self.member = member;
                Ok(false)
            }
        }
    }

    /// Goes to a packed member of this part of the file.
    pub(super) fn go_to_member(&mut self, offset: u64) -> io::Result<()> {
        let part = self.part_from(offset)?;
        self.go_on_with(Member::Between(part));
        Ok(())
    }

    /// Goes to a byte of this part of the file, which is not packed.
    pub(super) fn go_to_byte(&mut self, offset: u64) -> io::Result<()> {
        let part = self.part_from(offset)?;
        self.go_on_with(Member::Plain(part));
        (self.start, self.before) = (offset, 0);
        Ok(())
    }

    /// Leaves this part of the file. False if it is the last.
    pub(super) fn leave_part(&mut self) -> io::Result<bool> {
        let file = BufReader::with_capacity(BUFFER, self.file.try_clone()?);
        self.go_on_with(Member::AtEnd(file));
        Ok(!self.parts.is_empty())
    }

    fn go_on_with(&mut self, member: Member) {
        self.member = member;
        self.buffer.clear();
        self.taken = 0;
    }

    /// Bytes of this part of the file after a place in it.
    pub(super) fn bytes_after(&self, offset: u64) -> u64 {
        self.end.saturating_sub(offset)
    }

    /// The rest of this part of the file, from a place in the file on.
    fn part_from(&self, offset: u64) -> io::Result<FilePart> {
        let mut file = BufReader::with_capacity(BUFFER, self.file.try_clone()?);
        file.seek(SeekFrom::Start(self.begin))?;
        let mut part = file.take(self.end - self.begin);
        part.seek(SeekFrom::Start(offset - self.begin))?;
        Ok(part)
    }

    /// The next packed member of this part of the file that begins after `after` and holds a
    /// record.
    pub(super) fn member_after(&mut self, after: u64) -> io::Result<Option<u64>> {
        let mut from = after + 1;
        for _ in 0..MOST_CANDIDATES {
            let Some(candidate) = self.magic_from(from)? else { return Ok(None) };
            if self.holds_record(candidate)? {
                return Ok(Some(candidate));
            }
            from = candidate + 1;
        }
        Ok(None)
    }

    /// The next place from `from` on with the first bytes of a packed member.
    fn magic_from(&self, from: u64) -> io::Result<Option<u64>> {
        let mut part = self.part_from(from)?;
        let (mut at, mut last) = (from, Vec::new());
        loop {
            let bytes = part.fill_buf()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            // The first bytes may lie in two buffers.
            let (kept, len) = (last.len() as u64, bytes.len());
            last.extend_from_slice(bytes);
            part.consume(len);
            let found = last.windows(ZSTD.len()).position(|at| at == ZSTD || at[..3] == [GZIP[0], GZIP[1], 8]);
            if let Some(found) = found {
                return Ok(Some(at - kept + found as u64));
            }
            at += len as u64;
            last.drain(..last.len().saturating_sub(ZSTD.len() - 1));
        }
    }

    /// Whether this part of the file begins with a packed member.
    pub(super) fn begins_packed(&self) -> io::Result<bool> {
        let mut first = [0; ZSTD.len()];
        let read = self.part_from(self.begin)?.read_exact(&mut first);
        Ok(read.is_ok() && (first.starts_with(&GZIP) || [ZSTD, DICTIONARY].contains(&first)))
    }

    /// Whether a packed member begins here, with a record.
    fn holds_record(&self, offset: u64) -> io::Result<bool> {
        let mut packed = Vec::new();
        let mut part = self.part_from(offset)?;
        part.by_ref().take(GZIP_BEGINNING).read_to_end(&mut packed)?;
        let mut head = [0; RECORD.len()];
        let read = if packed.starts_with(&GZIP) {
            GzDecoder::new(packed.as_slice()).read_exact(&mut head)
        } else {
            part.take(ZSTD_BEGINNING).read_to_end(&mut packed)?;
            let packed = packed.as_slice();
            let decoder = match self.dictionary.is_empty() {
                true => ZstdDecoder::with_buffer(packed),
                false => ZstdDecoder::with_dictionary(packed, &self.dictionary),
            };
            decoder.and_then(|mut decoder| decoder.read_exact(&mut head))
        };
        Ok(read.is_ok() && head == RECORD)
    }

    /// The offset of the next byte's member, and the number of its unpacked bytes before that byte.
    pub(super) fn position(&self) -> (u64, u64) {
        (self.start, self.before + self.taken as u64)
    }

    /// Whether the bytes are not packed. Then each has its own place in the file.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The next bytes; none at the end of the part.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.buffer.len() {
            self.refill()?;
        }
        Ok(&self.buffer[self.taken..])
    }

    pub(super) fn take(&mut self, bytes: usize) {
        self.taken += bytes;
    }

    /// Takes the line ends that come next in the member. Returns their number, and the first bytes
    /// after them. If nothing else follows, this reads the member's end and its checksum.
    pub(super) fn settle(&mut self) -> io::Result<(usize, &[u8])> {
        let mut line_ends = 0;
        loop {
            let rest = &self.buffer[self.taken..];
            let taken = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            line_ends += rest[..taken].iter().filter(|byte| **byte == b'\n').count();
            self.taken += taken;
            let is_within = matches!(self.member, Member::Plain(_) | Member::Gzip(_) | Member::Zstd(_));
            if self.taken < self.buffer.len() || !is_within {
                return Ok((line_ends, &self.buffer[self.taken..]));
            }
            self.empty();
            self.read_on()?;
        }
    }

    /// Drops the buffer, all of which was taken.
    fn empty(&mut self) {
        self.before += self.buffer.len() as u64;
        self.taken = 0;
        self.buffer.clear();
    }

    fn refill(&mut self) -> io::Result<()> {
        self.empty();
        while self.buffer.is_empty() && !matches!(self.member, Member::Failed | Member::AtEnd(_)) {
            self.read_on()?;
        }
        Ok(())
    }

    /// One step: into the next member, some bytes of it, or to its end.
    fn read_on(&mut self) -> io::Result<()> {
        self.member = match std::mem::replace(&mut self.member, Member::Failed) {
            Member::Failed => Member::Failed,
            Member::AtEnd(file) => Member::AtEnd(file),
            Member::Between(mut part) => {
                (self.start, self.before) = (self.begin + part.stream_position()?, 0);
                self.begin(part)?
            }
            Member::Plain(mut part) => match fill(&mut part, &mut self.buffer)? {
                0 => Member::AtEnd(part.into_inner()),
                _ => Member::Plain(part),
            },
            Member::Gzip(mut decoder) => match fill(&mut *decoder, &mut self.buffer)? {
                0 => Member::Between(decoder.into_inner()),
                _ => Member::Gzip(decoder),
            },
            Member::Zstd(mut decoder) => match fill(&mut *decoder, &mut self.buffer)? {
                0 => Member::Between(decoder.finish()),
                _ => Member::Zstd(decoder),
            },
        };
        Ok(())
    }

    /// The member that begins here.
    fn begin(&mut self, mut part: FilePart) -> io::Result<Member> {
        if let Some(dictionary) = read_dictionary(&mut part)? {
            self.dictionary = dictionary;
            return Ok(Member::Between(part));
        }
        let head = head(&mut part)?;
        if head.is_empty() {
            return Ok(Member::AtEnd(part.into_inner()));
        }
        self.is_plain = false;
        if head.starts_with(&GZIP) {
            return Ok(Member::Gzip(Box::new(GzDecoder::new(part))));
        }
        if head.starts_with(&ZSTD) {
            let decoder = match self.dictionary.is_empty() {
                true => ZstdDecoder::with_buffer(part)?,
                false => ZstdDecoder::with_dictionary(part, &self.dictionary)?,
            };
            return Ok(Member::Zstd(Box::new(decoder.single_frame())));
        }
        self.is_plain = true;
        Ok(Member::Plain(part))
    }
}

/// Peeks at the next four bytes, or fewer at the end.
fn head(file: &mut (impl Read + Seek)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.by_ref().take(4).read_to_end(&mut head)?;
    file.seek(SeekFrom::Current(-(head.len() as i64)))?;
    Ok(head)
}

/// The dictionary that begins here, if there is one. It may be packed itself.
fn read_dictionary(file: &mut (impl Read + Seek)) -> io::Result<Option<Vec<u8>>> {
    if head(file)? != DICTIONARY {
        return Ok(None);
    }
    file.seek(SeekFrom::Current(4))?;
    let mut length = [0; 4];
    file.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > LONGEST_DICTIONARY {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a zstd dictionary of {length} bytes")));
    }
    let mut frame = vec![0; length as usize];
    file.read_exact(&mut frame)?;
    if !frame.starts_with(&ZSTD) {
        return Ok(Some(frame));
    }
    let mut dictionary = Vec::new();
    ZstdDecoder::new(frame.as_slice())?.take(LONGEST_DICTIONARY).read_to_end(&mut dictionary)?;
    Ok(Some(dictionary))
}

/// Reads some bytes into the empty buffer.
fn fill(from: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<usize> {
    buffer.resize(BUFFER, 0);
    let read = from.read(buffer);
    buffer.truncate(*read.as_ref().unwrap_or(&0));
    read
}
