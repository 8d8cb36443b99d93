//! Records, one after the other.

use std::fs::File;
use std::io;
use std::path::Path;

use super::Error;
use super::members::Members;

/// The longest line of a header, and the most that a header has in all, in bytes. Judgement:
/// addresses have up to 64 KB.
const LONGEST_LINE: usize = 1 << 20;

/// What a record is (ISO 28500, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What a server answered, with its head.
    Response,
    /// A page without the head of an answer.
    Resource,
    /// That an answer was the same as one before.
    Revisit,
    /// What something was converted to: text, without its markup.
    Conversion,
    /// What was asked, about the file, metadata, or more.
    Other,
}

/// A record's header.
#[derive(Clone, Debug)]
pub struct WarcRecord {
    /// What it is.
    pub kind: Kind,
    /// Where it begins in the file, if it can be read from there: where it is the first of its
    /// packed member.
    pub offset: Option<u64>,
    /// Bytes of its block.
    pub length: u64,
    fields: Vec<(String, String)>,
}

impl WarcRecord {
    /// The first field of a name, whatever the case of its letters.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The address that it is about.
    pub fn target(&self) -> Option<&str> {
        self.uri("WARC-Target-URI")
    }

    /// Its name, without `urn:uuid:` and angle brackets.
    pub fn id(&self) -> Option<&str> {
        self.uri("WARC-Record-ID").map(without_urn)
    }

    /// The name of the record that a revisit refers to, as [`id`](WarcRecord::id) has it.
    pub(super) fn refers_to(&self) -> Option<&str> {
        self.uri("WARC-Refers-To").map(without_urn)
    }

    /// The address of the record that a revisit refers to.
    pub(super) fn refers_to_target(&self) -> Option<&str> {
        self.uri("WARC-Refers-To-Target-URI")
    }

    /// A URI. Some writers put it between angle brackets where none belong.
    fn uri(&self, name: &str) -> Option<&str> {
        self.field(name).map(|uri| uri.trim_start_matches('<').trim_end_matches('>'))
    }
}

fn without_urn(id: &str) -> &str {
    id.strip_prefix("urn:uuid:").unwrap_or(id)
}

/// Reads an archive from its beginning, or from a record on.
pub struct WarcReader {
    members: Members,
    /// Bytes of the block that were not read yet.
    left: u64,
    /// No record was met, and none can stand before.
    is_empty: bool,
}

impl WarcReader {
    /// Opens a file. Nothing is read of its records yet.
    pub fn open(path: &Path) -> io::Result<WarcReader> {
        WarcReader::open_at(path, 0)
    }

    /// Opens a file at the [offset](WarcRecord::offset) of a record.
    pub fn open_at(path: &Path, offset: u64) -> io::Result<WarcReader> {
        Ok(WarcReader { members: Members::new(File::open(path)?, offset)?, left: 0, is_empty: offset == 0 })
    }

    /// Where in the file the reader is, about: the beginning of the packed member.
    pub fn offset(&self) -> u64 {
        let (start, within) = self.members.position();
        if self.members.is_plain() { start + within } else { start }
    }

    /// Where the packed member begins that the reader is in; what is too short to be told from one
    /// that is not packed counts as one.
    pub(super) fn member(&self) -> u64 {
        self.members.position().0
    }

    /// The header of the next record; what was not read of the block before is passed over. `None`
    /// at the end.
    ///
    /// # Errors
    ///
    /// The file is damaged, ends within a record, or has none. There is no reading on.
    pub fn next_record(&mut self) -> Result<Option<WarcRecord>, Error> {
        while self.left > 0 {
            self.skip()?;
        }
        // Two line ends stand between records; some writers have more, or less.
        let version = loop {
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
                Some(line) if line.is_empty() => {}
                Some(line) => break (at, line),
            }
        };
        let (offset, version) = version;
        if !version.starts_with("WARC/1.") && !version.starts_with("WARC/0.") {
            let begin: String = version.chars().take(40).collect();
            return Err(self.wrong(format!("{begin:?} where a record should begin (\"WARC/1.0\" or \"WARC/1.1\")")));
        }
        let fields = self.fields()?;
        let field = |name: &str| fields.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        let Some((_, length)) = field("Content-Length") else {
            return Err(self.wrong("a record without a Content-Length".to_owned()));
        };
        let Ok(length) = length.trim().parse::<u64>() else {
            let begin: String = length.chars().take(40).collect();
            return Err(self.wrong(format!("{begin:?} as a Content-Length, which is no number")));
        };
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

    /// The block of the record, as much of it as `most` allows; whether there was more is told by
    /// [`WarcRecord::length`].
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

    /// Passes over the rest of the block, and over the line ends behind it: where its packed member
    /// ends there, as it does in the files of nearly all writers, the member's checksum was read,
    /// and what was read of the record is as it was written.
    ///
    /// # Errors
    ///
    /// The file is damaged, or ends within it.
    pub fn finish(&mut self) -> Result<(), Error> {
        while self.left > 0 {
            self.skip()?;
        }
        let offset = self.offset();
        self.members.settle().map_err(|why| Error::Read { offset, why })
    }

    fn skip(&mut self) -> Result<(), Error> {
        let left = self.left;
        let taken = (self.fill()?.len() as u64).min(left);
        self.members.take(taken as usize);
        self.left -= taken;
        Ok(())
    }

    /// The bytes that come next, which must be there.
    fn fill(&mut self) -> Result<&[u8], Error> {
        let offset = self.offset();
        match self.members.fill() {
            Ok([]) => {
                let why = io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within a record");
                Err(Error::Read { offset, why })
            }
            Ok(bytes) => Ok(bytes),
            Err(why) => Err(Error::Read { offset, why }),
        }
    }

    /// Where a record that begins here can be read from.
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
                // A line that begins with a blank goes on with the one before.
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
        // All in one: records have no place of their own, but are read.
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
        assert_eq!(first(&records().concat()[..600]).0, 2);
        assert!(first(&records().concat()[..600]).1.contains("ends within a record"));
        assert!(first(b"<html>").1.contains("where a record should begin"));
        assert!(first(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n").1.contains("Content-Length"));
        assert!(first(b"WARC/1.0\r\nno field\r\n\r\n").1.contains("no field"));
        assert!(first(b"WARC/1.0\r\nContent-Length: abc\r\n\r\n").1.contains("\"abc\" as a Content-Length"));
        assert!(first(b"").1.contains("holds no record") && first(&gzip(b"")).1.contains("holds no record"));
    }
}
