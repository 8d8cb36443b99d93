//! Finds the earlier answers that revisit records refer to.
//!
//! A `revisit` record marks an unchanged page and points to the earlier response (ISO 28500:2017,
//! section 6.7). It names that response by record name, by address and date, or by the digest of
//! the payload, and has no body. The earlier response is read again, if it comes before the
//! revisit.
//!
//! Nothing is remembered until the first revisit: most archives have none. Then all earlier headers
//! are read again. From there on each answer is remembered as it is passed. So a crawl that goes on
//! in the middle of an archive finds the same answers. The memory is limited: the latest answers
//! stay.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHasher};

use super::{AfterDamage, Error, Kind, WarcReader, WarcRecord};

/// Names of answers remembered, in each of two tables: 17 bytes each, as the tables are built. An
/// answer has up to three. So at least the last 300,000 answers are remembered, and both tables
/// take 36 MB at most.
const MOST: usize = (1 << 20) / 8 * 7;
/// Bits of a place for the offset in its file. The rest are the number of the file.
const OFFSET_BITS: u32 = 44;

/// The earlier answers, in files that are read one after the other.
pub struct Originals {
    /// The files entered; the last is the one being read.
    files: Vec<PathBuf>,
    is_awake: bool,
    /// Places by hashes of names: the latest. Older ones are in `old`, which is dropped when
    /// `fresh` is full.
    fresh: FxHashMap<u64, u64>,
    old: FxHashMap<u64, u64>,
    most: usize,
}

impl Default for Originals {
    fn default() -> Originals {
        Originals {
            files: Vec::new(),
            is_awake: false,
            fresh: FxHashMap::default(),
            old: FxHashMap::default(),
            most: MOST,
        }
    }
}

/// The names of an answer.
enum AnswerName<'a> {
    Id(&'a str),
    /// The latest answer of an address.
    Target(&'a str),
    Payload(&'a str),
}

impl AnswerName<'_> {
    fn hash(&self) -> u64 {
        let hasher = BuildHasherDefault::<FxHasher>::default();
        match self {
            AnswerName::Id(id) => hasher.hash_one((0u8, id)),
            AnswerName::Target(target) => hasher.hash_one((1u8, target)),
            AnswerName::Payload(digest) => hasher.hash_one((2u8, digest.to_ascii_lowercase())),
        }
    }
}

impl Originals {
    /// The next records come from this file, from `from` on. If `from` is past its end, nothing of
    /// the file will be read.
    pub fn enter(&mut self, path: &Path, from: u64) {
        self.files.push(path.to_owned());
        if self.is_awake && from > 0 {
            self.read_headers(self.files.len() - 1, from);
        }
    }

    /// Remembers the place of a record that was passed.
    pub fn pass(&mut self, record: &WarcRecord) {
        if self.is_awake
            && let Some(file) = self.files.len().checked_sub(1)
        {
            self.remember(file, record);
        }
    }

    /// The answer that a revisit refers to, and a reader at that record. `None` if it is not
    /// remembered.
    ///
    /// # Errors
    ///
    /// That record is damaged.
    pub fn find(&mut self, revisit: &WarcRecord) -> Result<Option<(WarcReader, WarcRecord)>, Error> {
        if !std::mem::replace(&mut self.is_awake, true) {
            let last = self.files.len().saturating_sub(1);
            for file in 0..self.files.len() {
                let until = if file == last { revisit.offset.unwrap_or(u64::MAX) } else { u64::MAX };
                self.read_headers(file, until);
            }
        }
        let payload = revisit.field("WARC-Payload-Digest");
        let (id, target) = (revisit.refers_to(), revisit.refers_to_target());
        let date = revisit.field("WARC-Refers-To-Date").map(moment);
        if let Some(id) = id
            && let Some(found) = self.read(AnswerName::Id(id), |record| record.id() == Some(id))?
        {
            return Ok(Some(found));
        }
        if let Some(target) = target {
            let is_it = |record: &WarcRecord| {
                let is_then = date.is_none() || record.field("WARC-Date").map(moment) == date;
                record.target() == Some(target) && is_then
            };
            if let Some(found) = self.read(AnswerName::Target(target), is_it)? {
                return Ok(Some(found));
            }
        }
        if let Some(payload) = payload {
            let is_it = |record: &WarcRecord| {
                record.field("WARC-Payload-Digest").is_some_and(|of| of.eq_ignore_ascii_case(payload))
            };
            return self.read(AnswerName::Payload(payload), is_it);
        }
        // "Not modified" without a reference: the same as the last answer.
        match revisit.target().filter(|_| id.is_none() && target.is_none()) {
            Some(target) => self.read(AnswerName::Target(target), |record| record.target() == Some(target)),
            None => Ok(None),
        }
    }

    /// Remembers the records of a file before a place, as far as it can be read.
    fn read_headers(&mut self, file: usize, until: u64) {
        let Ok(mut reader) = WarcReader::open(&self.files[file]) else { return };
        loop {
            let record = match reader.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => return,
                Err(_) if reader.recover().is_ok_and(|after| after != AfterDamage::Nothing) => continue,
                Err(_) => return,
            };
            if record.offset.is_some_and(|offset| offset >= until) {
                return;
            }
            self.remember(file, &record);
        }
    }

    fn remember(&mut self, file: usize, record: &WarcRecord) {
        // A record inside a packed member cannot be read from its own place.
        let (Kind::Response | Kind::Resource, Some(offset)) = (record.kind, record.offset) else { return };
        if offset >> OFFSET_BITS != 0 || file >= 1 << (u64::BITS - OFFSET_BITS) {
            return;
        }
        let place = (file as u64) << OFFSET_BITS | offset;
        let names = [
            record.id().map(AnswerName::Id),
            record.target().map(AnswerName::Target),
            record.field("WARC-Payload-Digest").map(AnswerName::Payload),
        ];
        for name in names.into_iter().flatten() {
            if self.fresh.len() >= self.most {
                self.old = std::mem::take(&mut self.fresh);
            }
            self.fresh.insert(name.hash(), place);
        }
    }

    /// The record with a name, if the record at its place has that name.
    fn read(
        &self,
        name: AnswerName<'_>,
        is_it: impl Fn(&WarcRecord) -> bool,
    ) -> Result<Option<(WarcReader, WarcRecord)>, Error> {
        let hash = name.hash();
        let Some(&place) = self.fresh.get(&hash).or_else(|| self.old.get(&hash)) else { return Ok(None) };
        let (file, offset) = ((place >> OFFSET_BITS) as usize, place & ((1 << OFFSET_BITS) - 1));
        let why = |why| Error::Read { offset, why };
        let mut reader = WarcReader::open_at(&self.files[file], offset).map_err(why)?;
        let record = reader.next_record()?;
        Ok(record.filter(is_it).map(|record| (reader, record)))
    }
}

/// A date in any form; its text if it has none.
fn moment(text: &str) -> Result<Timestamp, String> {
    super::date(text).ok_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warc::{NewRecord, Packing, WarcWriter};

    fn answer(target: &'static str, date: &str, payload: &str) -> NewRecord<'static> {
        NewRecord {
            target: Some(target),
            fields: vec![("WARC-Payload-Digest", format!("sha1:{payload}"))],
            block: payload.as_bytes().to_owned().into(),
            ..NewRecord::new("response", date.parse().unwrap())
        }
    }

    fn file(records: &[NewRecord<'_>]) -> tempfile::NamedTempFile {
        let mut writer = WarcWriter::new(Vec::new(), Packing::Gzip);
        for record in records {
            writer.write(record).unwrap();
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), writer.into_inner()).unwrap();
        file
    }

    const ONE: &str = "http://a.example/1";
    const TWO: &str = "http://a.example/2";
    const OLD: &str = "2020-01-01T00:00:00Z";
    const NEW: &str = "2021-01-01T00:00:00Z";

    /// The blocks of the answers that revisits refer to, in files read one after the other.
    /// `is_done` says that the first file is done.
    fn found(files: &[&tempfile::NamedTempFile], is_done: bool, most: usize) -> Vec<Option<String>> {
        let (mut originals, mut found) = (Originals { most, ..Originals::default() }, Vec::new());
        for (at, file) in files.iter().enumerate() {
            let from = if is_done && at == 0 { u64::MAX } else { 0 };
            originals.enter(file.path(), from);
            if from > 0 {
                continue;
            }
            let mut reader = WarcReader::open(file.path()).unwrap();
            while let Some(record) = reader.next_record().unwrap() {
                originals.pass(&record);
                if record.kind == Kind::Revisit {
                    let original = originals.find(&record).unwrap();
                    found.push(
                        original.map(|(mut reader, _)| String::from_utf8(reader.block(usize::MAX).unwrap()).unwrap()),
                    );
                }
            }
        }
        found
    }

    #[test]
    fn an_answer_is_found_by_each_name_that_a_revisit_can_call_it_by() {
        let first = answer(ONE, OLD, "a");
        let id = first.id();
        let revisit = |fields: &[(&'static str, &str)]| NewRecord {
            target: Some(ONE),
            fields: fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
            ..NewRecord::new("revisit", "2022-01-01T00:00:00Z".parse().unwrap())
        };
        let by_address = |date| revisit(&[("WARC-Refers-To-Target-URI", ONE), ("WARC-Refers-To-Date", date)]);
        let answers = file(&[first, answer(ONE, NEW, "b"), answer(TWO, NEW, "c")]);
        let revisits = file(&[
            revisit(&[("WARC-Refers-To", &id)]),
            by_address("2021-01-01T00:00:00.000Z"),
            // The address has a newer answer. The old one is found by its date, if the revisit
            // gives it.
            by_address(OLD),
            revisit(&[
                ("WARC-Refers-To-Target-URI", ONE),
                ("WARC-Refers-To-Date", OLD),
                ("WARC-Payload-Digest", "SHA1:A"),
            ]),
            revisit(&[("WARC-Payload-Digest", "sha1:c")]),
            revisit(&[("WARC-Payload-Digest", "sha1:unknown")]),
            revisit(&[("WARC-Refers-To", "<urn:uuid:unknown>")]),
            revisit(&[]),
        ]);
        let expect = [Some("a"), Some("b"), None, Some("a"), Some("c"), None, None, Some("b")];
        for is_done in [false, true] {
            let found = found(&[&answers, &revisits], is_done, MOST);
            assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expect, "{is_done}");
        }
        // Later answers are not known yet. After the first revisit, answers are remembered as they
        // come.
        let all = found(&[&revisits, &answers, &revisits], false, MOST);
        assert!(all[..8].iter().all(Option::is_none), "{all:?}");
        assert_eq!(all[8..].iter().map(Option::as_deref).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn the_latest_answers_stay_when_there_are_many() {
        const ADDRESSES: [&str; 6] =
            ["http://a/0", "http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/5"];
        let answers: Vec<_> = ADDRESSES.iter().map(|address| answer(address, OLD, address)).collect();
        let revisits: Vec<_> = ADDRESSES
            .iter()
            .map(|address| NewRecord { target: Some(address), ..NewRecord::new("revisit", Timestamp::UNIX_EPOCH) })
            .collect();
        let (answers, revisits) = (file(&answers), file(&revisits));
        let found = found(&[&answers, &revisits], false, 6);
        // Each answer has three names.
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true, true, true, true]);
    }
}
