//! Reads records, one after the other.

use std::fs::File;
use std::io;
use std::path::Path;

use super::Error;
use super::members::{Members, RECORD};
use super::{Kind, WarcRecord};

/// The longest line of a header, and the longest header, in bytes. Judgement: addresses have up to
/// 64 KB.
const LONGEST_LINE: usize = 1 << 20;

/// The beginning of the first line of a record.
const VERSION: &str = "WARC/";

/// Whether a line is the first of a record.
fn is_version(line: &str) -> bool {
    let number = line.strip_prefix("WARC/").and_then(|number| number.split_once('.'));
    number.is_some_and(|(major, minor)| {
        matches!(major, "0" | "1") && !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Reads an archive from its beginning, or from a record on.
pub struct WarcReader {
    members: Members,
    /// Unread bytes of the block.
    left: u64,
    /// No record was met, and there can be none before.
    is_empty: bool,
    /// Where to look for the next record, should this one be damaged.
    resume: Resume,
    /// The first line of the next record and its place, if it was read already.
    version: Option<(Option<u64>, String)>,
}

/// What comes after damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterDamage {
    /// A record: only the damaged one is lost.
    Record,
    /// The next archive in a WACZ: the rest of this one is lost.
    NextArchive,
    /// The rest of the file is lost.
    Nothing,
}

/// A place in the unpacked bytes.
#[derive(Clone, Copy, Default)]
struct Resume {
    /// The member.
    member: u64,
    /// Unpacked bytes of the member before the place.
    within: u64,
}

impl WarcReader {
    /// Opens a file. Reads none of its records yet.
    pub fn open(path: &Path) -> io::Result<WarcReader> {
        WarcReader::open_at(path, 0)
    }

    /// Opens a file at the [offset](WarcRecord::offset) of a record.
    pub fn open_at(path: &Path, offset: u64) -> io::Result<WarcReader> {
        let members = Members::new(File::open(path)?, offset)?;
        let resume = Resume { member: offset, within: 0 };
        Ok(WarcReader { members, left: 0, is_empty: offset == 0, resume, version: None })
    }

    /// About where the reader is in the file: the beginning of the packed member.
    pub fn offset(&self) -> u64 {
        let (start, within) = self.members.position();
        if self.members.is_plain() { start + within } else { start }
    }

    /// The offset of the reader's packed member. Data too short to be recognised as packed or not
    /// counts as one member.
    pub(super) fn member(&self) -> u64 {
        self.members.position().0
    }

    /// The header of the next record. Skips the unread rest of the last block. `None` at the end.
    ///
    /// # Errors
    ///
    /// The file is damaged, ends within a record, or has none. [`recover`](WarcReader::recover) may
    /// find the next record.
    pub fn next_record(&mut self) -> Result<Option<WarcRecord>, Error> {
        while self.left > 0 {
            self.skip()?;
        }
        // Two line ends separate records. Some writers use more or fewer.
        let version = loop {
            if let Some(read) = self.version.take() {
                break read;
            }
            let at = self.place()?;
            match self.line()? {
                None => {
                    let offset = self.offset();
                    if !self.members.next_part().map_err(|why| Error::Read { offset, why })? {
                        return match self.is_empty {
                            true => Err(self.wrong("the archive holds no record".to_owned())),
                            false => Ok(None),
                        };
                    }
                }
                // The record before ended as it should.
                Some(line) if line.is_empty() => self.mark(),
                Some(line) => break (at, line),
            }
        };
        let (offset, version) = version;
        if !version.starts_with("WARC/1.") && !version.starts_with("WARC/0.") {
            let begin: String = version.chars().take(40).collect();
            return Err(self.wrong(format!("{begin:?} where a record should begin (\"WARC/1.0\" or \"WARC/1.1\")")));
        }
        self.mark();
        let fields = self.fields()?;
        self.mark();
        let field = |name: &str| fields.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        let Some((_, length)) = field("Content-Length") else {
            return Err(self.wrong("a record without a Content-Length".to_owned()));
        };
        let Ok(length) = length.trim().parse::<u64>() else {
            let begin: String = length.chars().take(40).collect();
            return Err(self.wrong(format!("{begin:?} as a Content-Length, which is no number")));
        };
        let (start, within) = self.members.position();
        if self.members.is_plain() && length > self.members.bytes_after(start + within) {
            return Err(self.wrong(format!("the file ends within a record of {length} bytes")));
        }
        let kind = match field("WARC-Type").map(|(_, kind)| kind.trim().to_ascii_lowercase()).as_deref() {
            Some("response") => Kind::Response,
            Some("resource") => Kind::Resource,
            Some("revisit") => Kind::Revisit,
            Some("conversion") => Kind::Conversion,
            _ => Kind::Other,
        };
        (self.left, self.is_empty) = (length, false);
        Ok(Some(WarcRecord { kind, offset, length, fields }))
    }

    /// The block of the record, up to `most` bytes. [`WarcRecord::length`] tells whether it is
    /// longer.
    ///
    /// # Errors
    ///
    /// The file is damaged, or ends within it.
    pub fn block(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        let wanted = self.left.min(most as u64);
        let mut block = Vec::with_capacity(wanted.min(1 << 20) as usize);
        while (block.len() as u64) < wanted {
            let bytes = self.fill()?;
            let taken = bytes.len().min(wanted as usize - block.len());
            block.extend_from_slice(&bytes[..taken]);
            self.members.take(taken);
            self.left -= taken as u64;
        }
        Ok(block)
    }

    /// Skips the rest of the block, and the line ends after it. In nearly all files the packed
    /// member ends there. Then the member's checksum has been read, and the record is as it was
    /// written.
    ///
    /// # Errors
    ///
    /// The file is damaged, or ends within it; or something else than a record follows, so that the
    /// record's length is wrong.
    pub fn finish(&mut self) -> Result<(), Error> {
        while self.left > 0 {
            self.skip()?;
        }
        let offset = self.offset();
        let is_plain = self.members.is_plain();
        let (line_ends, rest) = self.members.settle().map_err(|why| Error::Read { offset, why })?;
        // Without packed members, an empty line shows that the record ended as it should.
        let is_ended = is_plain && line_ends >= 2;
        if !is_ended && !rest.is_empty() && !RECORD.starts_with(&rest[..rest.len().min(RECORD.len())]) {
            return Err(self.wrong("a record with a wrong Content-Length: no record follows it".to_owned()));
        }
        self.mark();
        Ok(())
    }

    /// After an error: goes to the next record that can be read.
    ///
    /// Packed files go on at the next member that begins with a record. Others go on at the next
    /// line that begins one, and so do files with all records in one member.
    ///
    /// # Errors
    ///
    /// The disk's errors.
    pub fn recover(&mut self) -> io::Result<AfterDamage> {
        let Resume { member, within } = self.resume;
        self.left = 0;
        // A member whose first bytes are damaged looks plain.
        if self.members.is_plain() && !self.members.begins_packed()? {
            self.members.go_to_byte(member + within)?;
        } else if let Some(next) = self.members.member_after(member)? {
            self.members.go_to_member(next)?;
            self.resume = Resume { member: next, within: 0 };
            return Ok(AfterDamage::Record);
        }
        while let Ok(at) = self.place() {
            match self.line() {
                Ok(Some(line)) => {
                    // If the damaged record was cut off, the next one begins in the same line.
                    let Some(version) = line.rfind(VERSION).map(|begin| &line[begin..]).filter(|end| is_version(end))
                    else {
                        continue;
                    };
                    self.version = Some((at.filter(|_| version.len() == line.len()), version.to_owned()));
                    return Ok(AfterDamage::Record);
                }
                // A line that is too long is no header.
                Err(Error::NoRecord { .. }) => {}
                Ok(None) | Err(Error::Read { .. }) => break,
            }
        }
        Ok(if self.members.leave_part()? { AfterDamage::NextArchive } else { AfterDamage::Nothing })
    }

    /// If the rest is damaged, reading goes on from here.
    fn mark(&mut self) {
        let (member, within) = self.members.position();
        self.resume = Resume { member, within };
    }

    fn skip(&mut self) -> Result<(), Error> {
        let left = self.left;
        let taken = (self.fill()?.len() as u64).min(left);
        self.members.take(taken as usize);
        self.left -= taken;
        Ok(())
    }

    /// The next bytes, which must exist.
    fn fill(&mut self) -> Result<&[u8], Error> {
        let (offset, member) = (self.offset(), self.members.position().0);
        let begins_record = match self.members.fill() {
            Ok(bytes) => bytes.starts_with(&RECORD),
            Err(why) => return Err(Error::Read { offset, why }),
        };
        if begins_record && !self.members.is_plain() && self.members.position().0 != member {
            return Err(Error::NoRecord { offset, what: "a record that is longer than its packed member".to_owned() });
        }
        match self.members.fill() {
            Ok([]) => {
                let why = io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within a record");
                Err(Error::Read { offset, why })
            }
            Ok(bytes) => Ok(bytes),
            Err(why) => Err(Error::Read { offset, why }),
        }
    }

    /// The place from which a record that begins here can be read.
    fn place(&mut self) -> Result<Option<u64>, Error> {
        let offset = self.offset();
        self.members.fill().map_err(|why| Error::Read { offset, why })?;
        let (start, within) = self.members.position();
        Ok(match self.members.is_plain() {
            true => Some(start + within),
            false => (within == 0).then_some(start),
        })
    }

    /// A line without its end; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<String>, Error> {
        let mut line = Vec::new();
        let mut is_ended = false;
        while !is_ended {
            let offset = self.offset();
            let bytes = self.members.fill().map_err(|why| Error::Read { offset, why })?;
            if bytes.is_empty() {
                if line.is_empty() {
                    return Ok(None);
                }
                break;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            line.extend_from_slice(&bytes[..taken]);
            self.members.take(taken);
            is_ended = end.is_some();
            if line.len() > LONGEST_LINE {
                return Err(self.wrong(format!("a line of more than {LONGEST_LINE} bytes")));
            }
        }
        let line = String::from_utf8_lossy(&line);
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }

    fn fields(&mut self) -> Result<Vec<(String, String)>, Error> {
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut length = 0;
        loop {
            let Some(line) = self.line()? else { return Err(self.wrong("the file ends within a header".to_owned())) };
            if line.is_empty() {
                return Ok(fields);
            }
            length += line.len();
            if length > LONGEST_LINE {
                return Err(self.wrong(format!("a header of more than {LONGEST_LINE} bytes")));
            }
            match (line.split_once(':'), fields.last_mut()) {
                // A line that begins with a blank continues the line before.
                (_, Some((_, value))) if line.starts_with([' ', '\t']) => {
                    value.push(' ');
                    value.push_str(line.trim());
                }
                (Some((name, value)), _) => fields.push((name.trim().to_owned(), value.trim().to_owned())),
                (None, _) => {
                    let begin: String = line.chars().take(40).collect();
                    return Err(self.wrong(format!("{begin:?} in a header, which is no field")));
                }
            }
        }
    }

    fn wrong(&self, what: String) -> Error {
        Error::NoRecord { offset: self.offset(), what }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// A record of this kind and block, as writers write it.
    fn record(kind: &str, target: &str, block: &str) -> Vec<u8> {
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {target}\r\nwarc-record-id: <urn:uuid:{kind}-1>\r\nX-Long: a\r\n  b\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
        .into_bytes()
    }

    fn records() -> Vec<Vec<u8>> {
        vec![
            record("warcinfo", "", "software: x"),
            record("response", "http://x.example/a", &"body ".repeat(50_000)),
            record("revisit", "<http://x.example/b>", ""),
            record("resource", "http://x.example/c", "page"),
        ]
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 1).unwrap()
    }

    fn write(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    /// Kind, address, block and offset of each record.
    type Short = (Kind, String, String, Option<u64>);

    fn read(reader: &mut WarcReader) -> Result<Vec<Short>, Error> {
        let mut found = Vec::new();
        while let Some(record) = reader.next_record()? {
            assert_eq!(record.field("x-long"), Some("a b"));
            assert!(record.id().is_some_and(|id| id.ends_with("-1")));
            let block = String::from_utf8(reader.block(usize::MAX)?).unwrap();
            found.push((record.kind, record.target().unwrap_or_default().to_owned(), block, record.offset));
        }
        Ok(found)
    }

    #[test]
    fn records_are_read_however_they_are_packed_and_again_from_where_they_begin() {
        let plain = records();
        let packs: [(&str, Vec<Vec<u8>>); 3] = [
            ("plain", plain.clone()),
            ("gzip", plain.iter().map(|record| gzip(record)).collect()),
            ("zstd", plain.iter().map(|record| zstd(record)).collect()),
        ];
        for (name, members) in packs {
            let file = write(&members.concat());
            let all = read(&mut WarcReader::open(file.path()).unwrap()).unwrap();
            let kinds: Vec<Kind> = all.iter().map(|record| record.0).collect();
            assert_eq!(kinds, [Kind::Other, Kind::Response, Kind::Revisit, Kind::Resource], "{name}");
            assert_eq!((all[1].2.len(), all[2].1.as_str(), all[3].2.as_str()), (250_000, "http://x.example/b", "page"));
            let mut offset = 0;
            for (at, member) in members.iter().enumerate() {
                assert_eq!(all[at].3, Some(offset), "{name}");
                let from_here = read(&mut WarcReader::open_at(file.path(), offset).unwrap()).unwrap();
                assert_eq!(from_here, all[at..], "{name}");
                offset += member.len() as u64;
            }
            let mut reader = WarcReader::open(file.path()).unwrap();
            read(&mut reader).unwrap();
            assert_eq!(reader.offset(), offset, "{name}: the end is where the file ends");
        }
        // All records in one member: they have no offsets of their own, but are read.
        let file = write(&gzip(&plain.concat()));
        let all = read(&mut WarcReader::open(file.path()).unwrap()).unwrap();
        assert_eq!((all.len(), all[0].3, all[1].3), (4, Some(0), None));
    }

    #[test]
    fn a_dictionary_is_used_from_any_record_on() {
        let dictionary = records().concat()[..1000].to_vec();
        let pack =
            |record: &[u8]| zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap().compress(record).unwrap();
        for frame in [dictionary.clone(), zstd(&dictionary)] {
            let mut bytes = [b"\x5d\x2a\x4d\x18".as_slice(), &(frame.len() as u32).to_le_bytes(), &frame].concat();
            let begin = bytes.len() as u64;
            records().iter().for_each(|record| bytes.extend(pack(record)));
            let file = write(&bytes);
            let all = read(&mut WarcReader::open(file.path()).unwrap()).unwrap();
            assert_eq!((all.len(), all[0].3), (4, Some(begin)));
            let last = all[3].3.unwrap();
            assert_eq!(read(&mut WarcReader::open_at(file.path(), last).unwrap()).unwrap(), all[3..]);
        }
    }

    #[test]
    fn damage_is_told_with_its_place_and_what_came_before_is_read() {
        let members: Vec<Vec<u8>> = records().iter().map(|record| gzip(record)).collect();
        let second = members[0].len();
        let whole = members.concat();
        let first = |bytes: &[u8]| {
            let file = write(bytes);
            let mut reader = WarcReader::open(file.path()).unwrap();
            let mut count = 0;
            let error = loop {
                match reader.next_record() {
                    Ok(Some(_)) => count += 1,
                    Ok(None) => break String::new(),
                    Err(error) => break error.to_string(),
                }
            };
            (count, error)
        };
        let (count, error) = first(&whole[..second + 200]);
        assert!(count <= 2 && error.starts_with(&format!("at byte {second}")), "{count} {error}");
        assert_eq!(first(&records().concat()[..600]).0, 1);
        assert!(first(&records().concat()[..600]).1.contains("ends within a record"));
        assert!(first(b"<html>").1.contains("where a record should begin"));
        assert!(first(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n").1.contains("Content-Length"));
        assert!(first(b"WARC/1.0\r\nno field\r\n\r\n").1.contains("no field"));
        assert!(first(b"WARC/1.0\r\nContent-Length: abc\r\n\r\n").1.contains("\"abc\" as a Content-Length"));
        assert!(first(b"").1.contains("holds no record") && first(&gzip(b"")).1.contains("holds no record"));
    }
}
