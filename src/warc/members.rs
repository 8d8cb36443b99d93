//! The bytes of an archive, unpacked, and which packed member they come from.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

/// What gzip members and zstd frames begin with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The frame that holds the dictionary of all others: one of zstd's skippable frames ("WARC with zstd compression", IIPC 2021).
const DICTIONARY: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// The longest dictionary that is read. Judgement: those in use have 100 KB to 1 MB.
const LONGEST_DICTIONARY: u64 = 16 << 20;
/// Bytes unpacked at a time.
const BUFFER: usize = 64 << 10;

/// Where the next bytes come from.
enum Member {
    /// Between two members.
    Between(BufReader<File>),
    Plain(BufReader<File>),
    Gzip(Box<GzDecoder<BufReader<File>>>),
    Zstd(Box<ZstdDecoder<'static, BufReader<File>>>),
    /// The end, or an error.
    Ended,
}

/// An archive's bytes, unpacked. What is in the buffer at a time comes from one member.
pub(super) struct Members {
    member: Member,
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
        let mut dictionary = Vec::new();
        if offset > 0 {
            // The dictionary stands at the beginning, whichever record is wanted.
            dictionary = read_dictionary(&mut BufReader::new(&mut file))?.unwrap_or_default();
        }
        file.seek(SeekFrom::Start(offset))?;
        let member = Member::Between(BufReader::with_capacity(BUFFER, file));
        Ok(Members { member, dictionary, buffer: Vec::new(), taken: 0, start: offset, before: 0, is_plain: false })
    }

    /// Where the member begins that the next byte comes from, and how many of its unpacked bytes stand before that.
    pub(super) fn position(&self) -> (u64, u64) {
        (self.start, self.before + self.taken as u64)
    }

    /// Whether the bytes are not packed: then each has its own place in the file.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The next bytes; none at the end.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.buffer.len() {
            self.refill()?;
        }
        Ok(&self.buffer[self.taken..])
    }

    pub(super) fn take(&mut self, bytes: usize) {
        self.taken += bytes;
    }

    fn refill(&mut self) -> io::Result<()> {
        self.before += self.buffer.len() as u64;
        self.taken = 0;
        self.buffer.clear();
        loop {
            match std::mem::replace(&mut self.member, Member::Ended) {
                Member::Ended => return Ok(()),
                Member::Between(mut file) => {
                    (self.start, self.before) = (file.stream_position()?, 0);
                    self.member = self.begin(file)?;
                }
                Member::Plain(mut file) => {
                    if fill(&mut file, &mut self.buffer)? > 0 {
                        self.member = Member::Plain(file);
                    }
                    return Ok(());
                }
                Member::Gzip(mut decoder) => match fill(&mut *decoder, &mut self.buffer)? {
                    0 => self.member = Member::Between(decoder.into_inner()),
                    _ => {
                        self.member = Member::Gzip(decoder);
                        return Ok(());
                    }
                },
                Member::Zstd(mut decoder) => match fill(&mut *decoder, &mut self.buffer)? {
                    0 => self.member = Member::Between(decoder.finish()),
                    _ => {
                        self.member = Member::Zstd(decoder);
                        return Ok(());
                    }
                },
            }
        }
    }

    /// The member that begins here.
    fn begin(&mut self, mut file: BufReader<File>) -> io::Result<Member> {
        if let Some(dictionary) = read_dictionary(&mut file)? {
            self.dictionary = dictionary;
            return Ok(Member::Between(file));
        }
        let head = head(&mut file)?;
        if head.is_empty() {
            return Ok(Member::Ended);
        }
        if head.starts_with(&GZIP) {
            self.is_plain = false;
            return Ok(Member::Gzip(Box::new(GzDecoder::new(file))));
        }
        if head.starts_with(&ZSTD) {
            let decoder = match self.dictionary.is_empty() {
                true => ZstdDecoder::with_buffer(file)?,
                false => ZstdDecoder::with_dictionary(file, &self.dictionary)?,
            };
            return Ok(Member::Zstd(Box::new(decoder.single_frame())));
        }
        self.is_plain = true;
        Ok(Member::Plain(file))
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
