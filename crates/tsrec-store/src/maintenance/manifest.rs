//! The manifest of a backup: what it must contain.
//!
//! `manifest.json` lists each file with its length and SHA-256, and counts records and URLs. It is
//! written last, so a backup that was interrupted has none. It has a SHA-256 of itself.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::error::io as io_error;
use crate::log::RECORDS;
use crate::log::op::Op;
use crate::log::scan;
use crate::maintenance::backup::{FrontierPart, UNDER_WAY};

/// The manifest's file in a backup.
pub(super) const FILE: &str = "manifest.json";

/// The version of the manifest's layout.
const FORMAT: u32 = 1;

/// At most so many faults are named. Judgement: more say nothing new.
const MOST_FAULTS: usize = 100;

/// What a backup contains.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupContents {
    /// Version of the manifest's layout.
    pub format: u32,
    /// When the backup was made.
    pub made_at: Timestamp,
    /// Pages with a record.
    pub records: u64,
    /// Damaged or missing frames of the journal, live or not, when the backup was made.
    pub damaged_frames: u64,
    /// URLs of the frontier; `None` if the backup has no frontier.
    pub urls: Option<u64>,
    /// Hosts of the frontier.
    pub hosts: Option<u64>,
    /// The files, by path in the backup.
    pub files: BTreeMap<String, BackupFile>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupFile {
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// The manifest's file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    contents: BackupContents,
    /// SHA-256 of the contents, as JSON without spaces.
    sha256: String,
}

/// A backup compared with its manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckedBackup {
    /// What is wrong, in words; empty if the backup matches its manifest.
    pub faults: Vec<String>,
    /// What the manifest lists; `None` if it is missing or damaged.
    pub listed: Option<BackupContents>,
    /// What is there.
    pub found: BackupContents,
}

impl CheckedBackup {
    /// Whether the backup is what was written.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Reads a whole backup and compares it with its manifest. It changes nothing.
///
/// # Errors
///
/// The disk's errors. Damage is no error.
pub fn check_backup(backup_dir: &Path) -> Result<CheckedBackup, Error> {
    let found = contents(backup_dir, Timestamp::UNIX_EPOCH)?;
    let listed = read(backup_dir)?;
    let mut faults = match &listed {
        Ok(listed) => differences(listed, &found),
        Err(why) => vec![why.clone()],
    };
    faults.truncate(MOST_FAULTS);
    Ok(CheckedBackup { faults, listed: listed.ok(), found })
}

/// Writes the manifest of a backup.
pub(super) fn write(backup_dir: &Path) -> Result<BackupContents, Error> {
    let path = backup_dir.join(FILE);
    let contents = contents(backup_dir, Timestamp::now())?;
    let failed = |source| io_error("write", &path, source);
    let sha256 = digest_of(&contents).map_err(Error::encode("a manifest"))?;
    let manifest = Manifest { contents, sha256 };
    let text = serde_json::to_string_pretty(&manifest).map_err(Error::encode("a manifest"))?;
    let under_way = path.with_extension(UNDER_WAY);
    let write = || {
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&under_way)?;
        writeln!(file, "{text}")?;
        file.sync_all()?;
        std::fs::rename(&under_way, &path)?;
        File::open(backup_dir)?.sync_all()
    };
    write().map_err(failed)?;
    Ok(manifest.contents)
}

/// The manifest, or why it cannot be used.
fn read(backup_dir: &Path) -> Result<Result<BackupContents, String>, Error> {
    let path = backup_dir.join(FILE);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Err(format!("{FILE} is missing: the backup was interrupted, or is of an earlier version")));
        }
        Err(source) => return Err(io_error("read", &path, source)),
    };
    let manifest: Manifest = match serde_json::from_slice(&bytes) {
        Ok(manifest) => manifest,
        Err(error) => return Ok(Err(format!("{FILE} is damaged: {error}"))),
    };
    let is_whole = digest_of(&manifest.contents).is_ok_and(|digest| digest == manifest.sha256);
    Ok(match is_whole {
        true => Ok(manifest.contents),
        false => Err(format!("{FILE} is damaged: its own checksum differs")),
    })
}

fn digest_of(contents: &BackupContents) -> serde_json::Result<String> {
    Ok(hex(&Sha256::digest(serde_json::to_vec(contents)?)))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How a backup differs from its manifest.
fn differences(listed: &BackupContents, found: &BackupContents) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, file) in &listed.files {
        match found.files.get(name) {
            None => faults.push(format!("{name} is missing")),
            Some(there) if there.bytes != file.bytes => {
                faults.push(format!("{name} has {} bytes, it must have {}", there.bytes, file.bytes));
            }
            Some(there) if there != file => faults.push(format!("{name} is damaged: its checksum differs")),
            Some(_) => {}
        }
    }
    let unlisted = found.files.keys().filter(|name| !listed.files.contains_key(*name));
    faults.extend(unlisted.map(|name| format!("{name} is not in the manifest")));
    faults
}

/// Reads the files of a backup.
fn contents(backup_dir: &Path, made_at: Timestamp) -> Result<BackupContents, Error> {
    let mut files = BTreeMap::new();
    let records = backup_dir.join(RECORDS);
    let mut found = BackupContents { format: FORMAT, made_at, ..BackupContents::default() };
    if records.is_dir() {
        let listed = std::fs::read_dir(&records).map_err(|source| io_error("list", &records, source))?;
        for entry in listed {
            let entry = entry.map_err(|source| io_error("list", &records, source))?;
            let name = format!("{RECORDS}/{}", entry.file_name().to_string_lossy());
            files.insert(name, measure(&entry.path())?);
        }
        (found.records, found.damaged_frames) = count_records(&records)?;
    }
    for part in [FrontierPart::Urls, FrontierPart::Hosts] {
        let path = backup_dir.join(part.file());
        if !path.exists() {
            continue;
        }
        files.insert(part.file().to_owned(), measure(&path)?);
        let lines = Some(count_lines(&path).map_err(|source| io_error("read", &path, source))?);
        match part {
            FrontierPart::Urls => found.urls = lines,
            FrontierPart::Hosts => found.hosts = lines,
        }
    }
    found.files = files;
    Ok(found)
}

fn measure(path: &Path) -> Result<BackupFile, Error> {
    let read = || {
        let (mut file, mut hash, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 1 << 20]);
        let mut bytes = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(BackupFile { bytes, sha256: hex(&hash.finalize()) }),
                len => {
                    hash.update(&buffer[..len]);
                    bytes += len as u64;
                }
            }
        }
    };
    read().map_err(|source| io_error("read", path, source))
}

/// The pages that have a record, and the frames that are damaged or missing. Memory holds eight
/// bytes a page.
fn count_records(records: &Path) -> Result<(u64, u64), Error> {
    let state = RandomState::new();
    let mut live = HashSet::new();
    let found = scan::scan(records, |_, entry, _| {
        match &entry.op {
            Op::Put { key, .. } => drop(live.insert(state.hash_one(key))),
            Op::Delete { key, .. } => drop(live.remove(&state.hash_one(key))),
            _ => {}
        }
        Ok(())
    });
    let found = found.map_err(|source| io_error("read", records, source))?;
    Ok((live.len() as u64, found.lost_frames + found.missing.len() as u64))
}

fn count_lines(path: &Path) -> io::Result<u64> {
    let (mut reader, mut lines, mut line) = (BufReader::new(File::open(path)?), 0, Vec::new());
    while reader.read_until(b'\n', &mut line)? > 0 {
        lines += 1;
        line.clear();
    }
    Ok(lines)
}
