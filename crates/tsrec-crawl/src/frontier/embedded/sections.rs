//! Sections of hosts: URLs of one pattern, or below the same folder. A host may have only so many
//! URLs in each.
//!
//! A trap whose pages are not copies of each other shows only by its size. The limit keeps it to a
//! part of its host's room. Each URL that comes or goes updates the section counts on disk, in its
//! transaction. So nothing ever counts a host's URLs under the lock of the queues.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;

use super::super::Trap;
use super::super::error::{Error, Kind};
use super::super::host::{from_millis, to_millis};
use super::Embedded;
use super::change::encode;
use super::layout::{can_be_queue, decode};
use tsrec_core::pairing::pattern::pattern;
use tsrec_core::words::beginning;
use tsrec_store::{Key, Space, SpaceBatch};

/// Sections that one listing reads at most before it returns. Judgement: some hundred milliseconds.
const MOST_READ: usize = 100_000;

/// Written once all URLs of a frontier are counted. No section's key is empty.
const COUNTED: &[u8] = b"";

/// The longest refused URL kept as an example, in bytes. Judgement: it is only an illustration.
const MAX_EXAMPLE_LEN: usize = 512;

/// A value of `sections`.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SectionRecord {
    urls: u64,
    refused: u64,
    last_refused: String,
    /// `None` if it is no trap.
    trap: Option<Caught>,
}

impl SectionRecord {
    fn into_section(self, host: &str, section: &str) -> Section {
        let SectionRecord { urls, refused, last_refused, trap } = self;
        Section {
            host: host.into(),
            section: section.into(),
            urls,
            refused,
            last_refused,
            trap: trap.map(Caught::trap),
        }
    }
}

/// A [`Trap`] in its stored form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Caught {
    until: u64,
    times: u32,
    prints: Vec<u64>,
}

/// What a change does to a section.
#[derive(Default)]
struct Delta {
    urls: i64,
    refused: u64,
    last_refused: String,
}

/// What a change does to sections, by their keys.
#[derive(Default)]
pub(super) struct Deltas(HashMap<Vec<u8>, Delta>);

/// A section of a host, as listings show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Section {
    /// The host.
    pub host: String,
    /// A pattern of URLs, with numbers as `#` and the last name as `*`, or a folder. It is empty
    /// for the host as a whole, which is listed if it refused links.
    pub section: String,
    /// The number of its URLs in the frontier. The URLs of the host as a whole are counted
    /// elsewhere.
    pub urls: u64,
    /// The number of refused links. The frontier refuses a link if the section is full, or if an
    /// operator dropped the host. A link counts each time that the crawl finds it.
    pub refused: u64,
    /// The last refused link; empty if there is none.
    pub last_refused: String,
    /// Set if its pages are copies of each other, or were at the last check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trap: Option<Trap>,
}

impl Deltas {
    /// A URL is added.
    pub(super) fn come(&mut self, key: &Key) {
        self.count(key, 1);
    }

    /// A URL is removed.
    pub(super) fn go(&mut self, key: &Key) {
        self.count(key, -1);
    }

    fn count(&mut self, key: &Key, by: i64) {
        // An unparsable URL is damage, and about to be removed.
        let Ok(url) = Url::parse(key.url()) else { return };
        for section in sections(&url) {
            self.0.entry(section_key(key.host(), &section)).or_default().urls += by;
        }
    }

    /// A link is refused because a section is full. With an empty name, the host is full or
    /// dropped.
    pub(super) fn refuse(&mut self, host: &str, section: &str, url: &Url) {
        let delta = self.0.entry(section_key(host, section)).or_default();
        delta.refused += 1;
        delta.last_refused = beginning(url.as_str(), MAX_EXAMPLE_LEN).to_owned();
    }

    /// The sections to write, updated from their stored state.
    pub(super) fn encode(&self, space: &Space) -> Result<SpaceBatch, Error> {
        let mut batch = SpaceBatch::default();
        for (key, delta) in &self.0 {
            let mut record = read(space, key)?;
            record.urls = record.urls.saturating_add_signed(delta.urls);
            record.refused += delta.refused;
            if delta.refused > 0 {
                record.last_refused.clone_from(&delta.last_refused);
            }
            if record.urls == 0 {
                record.trap = None;
            }
            match record == SectionRecord::default() {
                true => batch.remove(key.as_slice()),
                false => batch.insert(key.as_slice(), encode(&record)?),
            }
        }
        Ok(batch)
    }
}

impl Embedded {
    /// The full section of a URL after a change, if there is one.
    pub(super) fn full_section(&self, deltas: &Deltas, host: &str, url: &Url) -> Result<Option<String>, Error> {
        for section in sections(url) {
            let key = section_key(host, &section);
            let change = deltas.0.get(&key).map_or(0, |delta| delta.urls);
            if read(&self.sections, &key)?.urls.saturating_add_signed(change) >= self.config.max_urls_per_section {
                return Ok(Some(section));
            }
        }
        Ok(None)
    }

    /// Counts the URLs of a frontier whose sections are lost, host by host. O(URLs), once.
    pub(super) fn count_sections(&self) -> Result<(), Error> {
        let counted = self.sections.contains_key(COUNTED).map_err(Error::store("read its sections"))?;
        if counted {
            return Ok(());
        }
        let mut half = SpaceBatch::default();
        for entry in self.sections.iter() {
            half.remove(entry.map_err(Error::store("read its sections"))?.0);
        }
        self.write_spaces(&[(&self.sections, &half)])?;
        let mut of_host: (String, Deltas) = Default::default();
        for entry in self.entries_from(Vec::new()) {
            let (key, _) = entry?;
            if key.host() != of_host.0 {
                self.write_sections(&of_host.1)?;
                of_host = (key.host().to_owned(), Deltas::default());
            }
            of_host.1.come(&key);
        }
        self.write_sections(&of_host.1)?;
        let mut counted = SpaceBatch::default();
        counted.insert(COUNTED, []);
        self.write_spaces(&[(&self.sections, &counted)])
    }

    fn write_sections(&self, deltas: &Deltas) -> Result<(), Error> {
        self.write_spaces(&[(&self.sections, &deltas.encode(&self.sections)?)])
    }

    pub(super) fn trap_of(&self, host: &str, section: &str) -> Result<Option<Trap>, Error> {
        Ok(read(&self.sections, &section_key(host, section))?.trap.map(Caught::trap))
    }

    pub(super) fn remember_trap(&self, host: &str, section: &str, trap: Option<Trap>) -> Result<(), Error> {
        if !can_be_queue(host) {
            return Err(Kind::Queue { name: host.to_owned() }.into());
        }
        self.write_trap(&section_key(host, section), trap.map(Caught::from_trap))
    }

    /// Forgets all traps of a host, on an operator's request.
    pub(super) fn forget_traps(&self, host: &str) -> Result<(), Error> {
        let prefix = section_key(host, "");
        for entry in self.sections.range(&prefix[..]..) {
            let (key, _) = entry.map_err(Error::store("read its sections"))?;
            if !key.starts_with(&prefix) {
                break;
            }
            self.write_trap(&key, None)?;
        }
        Ok(())
    }

    /// Forgets the trap that a URL is in.
    pub(super) fn forget_trap_around(&self, key: &Key) -> Result<(), Error> {
        let Ok(url) = Url::parse(key.url()) else { return Ok(()) };
        self.write_trap(&section_key(key.host(), &pattern(&url)), None)
    }

    fn write_trap(&self, key: &[u8], trap: Option<Caught>) -> Result<(), Error> {
        // All writes to sections hold this lock.
        let _lock = self.lock();
        let before = read(&self.sections, key)?;
        if before.trap == trap {
            return Ok(());
        }
        let record = SectionRecord { trap, ..before };
        let mut batch = SpaceBatch::default();
        match record == SectionRecord::default() {
            true => batch.remove(key),
            false => batch.insert(key, encode(&record)?),
        }
        self.write_spaces(&[(&self.sections, &batch)])
    }

    /// The sections that a URL is in, and its host as a whole, if there is anything to report of
    /// them.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn sections_of(&self, url: &Url) -> Result<Vec<Section>, Error> {
        let host = url.host_str().unwrap_or_default();
        let mut found = Vec::new();
        for section in sections(url).chain([String::new()]) {
            let record = read(&self.sections, &section_key(host, &section))?;
            if record != SectionRecord::default() {
                found.push(record.into_section(host, &section));
            }
        }
        Ok(found)
    }

    /// At most `limit` sections of a host, or of all, in the order of host and section. With
    /// `after`, only those past that host and section, written as one. With `refusing`, only those
    /// that refused links, or were traps. Reads at most 100,000, which takes some tenths of a
    /// second. The second value is the `after` of the next call, `None` at the end.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn list_sections(
        &self,
        refusing: bool,
        host: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Section>, Option<String>), Error> {
        let prefix = host.map_or(Vec::new(), |host| section_key(host, ""));
        let after = after.map(|after| {
            let (host, section) = after.split_at(after.find('/').unwrap_or(after.len()));
            [&*section_key(host, section), b"\0"].concat()
        });
        // A section of an earlier host comes before this whole host.
        let from = after.unwrap_or_default().max(prefix.clone()).max(b"\0".to_vec());
        let mut listed = Vec::new();
        for (read, entry) in self.sections.range(from..).enumerate() {
            let (key, record) = entry.map_err(Error::store("list its sections"))?;
            if !key.starts_with(&prefix) {
                break;
            }
            let Some((host, section)) = parse_key(&key) else { continue };
            let record = read_bytes(&key, &record);
            let here = format!("{host}{section}");
            if !refusing || record.refused > 0 || record.trap.is_some() {
                listed.push(record.into_section(host, section));
            }
            if listed.len() >= limit || read + 1 >= MOST_READ {
                return Ok((listed, Some(here)));
            }
        }
        Ok((listed, None))
    }
}

impl Caught {
    fn from_trap(mut trap: Trap) -> Caught {
        trap.prints.truncate(Trap::MOST_PRINTS);
        Caught { until: to_millis(trap.until), times: trap.times, prints: trap.prints }
    }

    fn trap(self) -> Trap {
        Trap { until: from_millis(self.until), times: self.times, prints: self.prints }
    }
}

fn read(space: &Space, key: &[u8]) -> Result<SectionRecord, Error> {
    let Some(bytes) = space.get(key).map_err(Error::store("read a section"))? else {
        return Ok(SectionRecord::default());
    };
    Ok(read_bytes(key, &bytes))
}

/// A section's record. If it is damaged, an empty one, which the next change writes.
fn read_bytes(key: &[u8], bytes: &[u8]) -> SectionRecord {
    decode(bytes).unwrap_or_else(|| {
        tracing::warn!(section = %key.escape_ascii(), "the record of a section is damaged: its counts begin at nothing");
        SectionRecord::default()
    })
}

/// The key of a section: `queue\0section`.
fn section_key(host: &str, section: &str) -> Vec<u8> {
    [host.as_bytes(), b"\0", section.as_bytes()].concat()
}

fn parse_key(key: &[u8]) -> Option<(&str, &str)> {
    std::str::from_utf8(key).ok()?.split_once('\0')
}

/// The sections that a URL is in: its pattern, and the first folder of its path.
fn sections(url: &Url) -> impl Iterator<Item = String> {
    let folder = url.path().get(1..).and_then(|path| path.split_once('/')).map(|(first, _)| format!("/{first}/"));
    std::iter::once(pattern(url)).chain(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::{Config, Discovered, Frontier};
    use tsrec_store;
    use tsrec_store::Database;

    fn url(path: &str) -> Url {
        format!("http://a.example{path}").parse().unwrap()
    }

    #[test]
    fn a_url_is_in_the_section_of_its_pattern_and_of_its_folder() {
        for (path, expect) in [
            ("/", &["/*"][..]),
            ("/about", &["/*"]),
            ("/news/2026/ferry", &["/news/#/*", "/news/"]),
            ("/shop?sort=a", &["/shop?sort"]),
            ("/shop/?sort=a", &["/shop/?sort", "/shop/"]),
        ] {
            assert_eq!(sections(&url(path)).collect::<Vec<_>>(), expect, "{path}");
        }
    }

    /// Sections are counted anew if their tree is lost.
    #[tokio::test]
    async fn a_frontier_without_sections_is_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
        let open = || Embedded::new(&database, &Config::default()).unwrap();
        let paths = ["/day/1", "/day/2", "/news/1"];
        let found = paths.map(|path| Discovered::page(url(path), 0, None));
        open().put_discovered(&found).await.unwrap();
        let expect = open().list_sections(false, None, None, 9).unwrap();
        let counts = |(listed, _): &(Vec<Section>, _)| -> Vec<(String, u64)> {
            listed.iter().map(|of| (of.section.clone(), of.urls)).collect()
        };
        assert_eq!(
            counts(&expect),
            [("/day/", 2), ("/day/#", 2), ("/news/", 1), ("/news/#", 1)].map(|(s, n)| (s.into(), n))
        );
        for left in [None, Some("half of them")] {
            let sections = database.open_tree("space_sections").unwrap();
            sections.clear().unwrap();
            if left.is_some() {
                sections
                    .insert(
                        section_key("a.example", "/day/"),
                        encode(&SectionRecord { urls: 7, ..SectionRecord::default() }).unwrap(),
                    )
                    .unwrap();
            }
            assert_eq!(open().list_sections(false, None, None, 9).unwrap(), expect, "{left:?}");
        }
    }
}
