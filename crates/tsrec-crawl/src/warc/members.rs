//! The bytes of an archive, unpacked, and which packed member they come from.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::ops::Range;

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::wacz;

/// What gzip members and zstd frames begin with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The frame that holds the dictionary of all others: one of zstd's skippable frames ("WARC with
/// zstd compression", IIPC 2021).
const DICTIONARY: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// The longest dictionary that is read. Judgement: those in use have 100 KB to 1 MB.
const LONGEST_DICTIONARY: u64 = 16 << 20;
/// Bytes unpacked at a time.
const BUFFER: usize = 64 << 10;

/// An archive: all of a file, or a part of it.
type FilePart = Take<BufReader<File>>;

/// Where the next bytes come from.
enum Member {
    /// Between two members.
    Between(FilePart),
    Plain(FilePart),
    Gzip(Box<GzDecoder<FilePart>>),
    Zstd(Box<ZstdDecoder<'static, FilePart>>),
    /// The end of the part.
    AtEnd(BufReader<File>),
    /// An error.
    Failed,
}

/// An archive's bytes, unpacked. What is in the buffer at a time comes from one member.
pub(super) struct Members {
    member: Member,
    /// Where in the file the part begins that the member is in.
    begin: u64,
    /// The parts of the file that come after that, the next one last.
    parts: Vec<Range<u64>>,
    dictionary: Vec<u8>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were taken.
    taken: usize,
    /// Where the member begins that the buffer comes from.
    start: u64,
    /// Unpacked bytes of that member before the buffer.
    before: u64,
    /// That member is not packed.
    is_plain: bool,
}

impl Members {
    /// Of a file from `offset` on, where a member begins.
    pub(super) fn new(mut file: File, offset: u64) -> io::Result<Self> {
        // A file is one archive, or a zip of some.
        let mut parts = wacz::archives(&mut file)?.unwrap_or_else(|| std::iter::once(0..u64::MAX).collect());
        let file = BufReader::with_capacity(BUFFER, file);
        parts.retain(|part| part.end > offset);
        parts.reverse();
        let mut members = Members {
            member: Member::AtEnd(file),
            begin: 0,
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
            // The dictionary stands at the beginning, whichever record is wanted.
            members.dictionary = read_dictionary(part)?.unwrap_or_default();
            part.seek(SeekFrom::Start(offset - members.begin))?;
        }
        Ok(members)
    }

    /// Goes on to the next part of the file, where this one is at its end; false where there is
    /// none.
    pub(super) fn next_part(&mut self) -> io::Result<bool> {
        match std::mem::replace(&mut self.member, Member::Failed) {
            Member::AtEnd(mut file) if !self.parts.is_empty() => {
                let part = self.parts.pop().unwrap_or_default();
                self.begin = part.start;
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

    /// Where the member begins that the next byte comes from, and how many of its unpacked bytes
    /// stand before that.
    pub(super) fn position(&self) -> (u64, u64) {
        (self.start, self.before + self.taken as u64)
    }

    /// Whether the bytes are not packed: then each has its own place in the file.
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

    /// Takes the line ends that come next in the member; where nothing else does, its end was read,
    /// and its checksum with it.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        loop {
            let rest = &self.buffer[self.taken..];
            self.taken += rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if self.taken < self.buffer.len() || !matches!(self.member, Member::Gzip(_) | Member::Zstd(_)) {
                return Ok(());
            }
            self.empty();
            self.read_on()?;
        }
    }

    /// Lets go of the buffer, which was taken.
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

    /// A step: into the next member, some bytes of it, or to its end.
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

/// The next four bytes, or as many as there are, which stay to be read.
fn head(file: &mut (impl Read + Seek)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.by_ref().take(4).read_to_end(&mut head)?;
    file.seek(SeekFrom::Current(-(head.len() as i64)))?;
    Ok(head)
}

/// The dictionary that begins here, if one does. It may be packed itself.
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
