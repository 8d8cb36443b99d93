//! Where the answers stand that revisit records refer to.
//!
//! Who archives a page again that has not changed writes that it has not (ISO 28500:2017, section
//! 6.7): the record says which answer it was the same as, by the name of its record, by its address
//! and date, or by the digest of its payload, and has no body. That answer is read again from where
//! it stands, if it stands before.
//!
//! Nothing is remembered until the first revisit is met: most archives have none. Then the headers
//! of all that stands before are read once more, and from there on each answer is remembered as it
//! is passed. So it is the same where a crawl of an archive goes on amid it. What is remembered is
//! bounded: the latest answers stay.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHasher};

use super::{Error, Kind, WarcReader, WarcRecord};

/// Names of answers that are remembered, in each of two tables: 17 bytes each, as the tables are
/// built. An answer has up to three, so that at least the last 300,000 answers are remembered, and
/// both take 36 MB at most.
const MOST: usize = (1 << 20) / 8 * 7;
/// Bits of a place that say where in its file it is. The rest number the file.
const OFFSET_BITS: u32 = 44;

/// The answers that stand before, in files that are read one after the other.
pub struct Originals {
    /// Those that were entered; the last is the one that is read.
    files: Vec<PathBuf>,
    is_awake: bool,
    /// Places by hashes of names: the latest, and those before, which go when there are enough of
    /// the latest.
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

/// What an answer can be called by.
enum AnswerName<'a> {
    Id(&'a str),
    /// The latest of an address.
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
    /// The records that come next are those of this file, from `from` on: nothing of it will be
    /// read where that is past its end.
    pub fn enter(&mut self, path: &Path, from: u64) {
        self.files.push(path.to_owned());
        if self.is_awake && from > 0 {
            self.read_headers(self.files.len() - 1, from);
        }
    }

    /// Remembers where a record stands that was come to.
    pub fn pass(&mut self, record: &WarcRecord) {
        if self.is_awake
            && let Some(file) = self.files.len().checked_sub(1)
        {
            self.remember(file, record);
        }
    }

    /// The answer that a revisit was the same as, and a reader that has come to it; `None` where
    /// none that is remembered is it.
    ///
    /// # Errors
    ///
    /// It is damaged.
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
        // "Not modified", and nothing said of since when: since the last answer.
        match revisit.target().filter(|_| id.is_none() && target.is_none()) {
            Some(target) => self.read(AnswerName::Target(target), |record| record.target() == Some(target)),
            None => Ok(None),
        }
    }

    /// Remembers what stands in a file before a place, as far as it can be read.
    fn read_headers(&mut self, file: usize, until: u64) {
        let Ok(mut reader) = WarcReader::open(&self.files[file]) else { return };
        while let Ok(Some(record)) = reader.next_record() {
            if record.offset.is_some_and(|offset| offset >= until) {
                return;
            }
            self.remember(file, &record);
        }
    }

    fn remember(&mut self, file: usize, record: &WarcRecord) {
        // What stands amid a packed member cannot be read from where it stands.
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

    /// The record that is called so, where what stands there is it.
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

/// A date, whatever of its seconds is written.
fn moment(date: &str) -> Result<Timestamp, String> {
    date.parse().map_err(|_| date.to_owned())
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

    /// The blocks of the answers that revisits refer to, in files that are read one after the
    /// other; the first is done where it is said to be.
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
            // The address has another answer since: it is found by what it was, if that is said.
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
        // What comes later is not known yet, and once revisits are met what comes is.
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
        // Of each three names are remembered.
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true, true, true, true]);
    }
}
