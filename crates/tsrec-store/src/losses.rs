//! The list of losses: what openings found lost, until somebody acknowledges it.
//!
//! It is a file of its own, one JSON object per line. So it outlives the index, and an operator can
//! acknowledge a loss while a daemon runs.

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::error::io as io_error;
use crate::recovery::found::Recovery;

/// The file's name in the data directory.
const FILE: &str = "losses";

/// The list keeps this many losses, the newest. Judgement: who has not looked for so long needs no
/// more.
const MOST: usize = 100;

/// What one opening of the store found lost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// When it was found. `None` if this entry of the list is damaged itself.
    pub at: Option<Timestamp>,
    /// What was found.
    #[serde(flatten)]
    pub found: Recovery,
}

/// The losses that nobody has acknowledged, the oldest first; at most 100.
///
/// # Errors
///
/// The disk's errors.
pub fn losses(dir: &Path) -> Result<Vec<Loss>, Error> {
    let bytes = match std::fs::read(dir.join(FILE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(io_error("read", &dir.join(FILE), source)),
    };
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    // A damaged line was a loss, too.
    Ok(lines.map(|line| serde_json::from_slice(line).unwrap_or_default()).collect())
}

/// Acknowledges all losses, and returns them. A daemon may be running.
///
/// # Errors
///
/// The disk's errors.
pub fn acknowledge(dir: &Path) -> Result<Vec<Loss>, Error> {
    let acknowledged = losses(dir)?;
    match std::fs::remove_file(dir.join(FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error("remove", &dir.join(FILE), error)),
        _ => Ok(acknowledged),
    }
}

/// Adds a loss to the list, in place of an entry of the same moment.
pub(crate) fn note(dir: &Path, at: Timestamp, found: &Recovery) -> Result<(), Error> {
    let mut listed = losses(dir)?;
    listed.retain(|loss| loss.at != Some(at));
    listed.push(Loss { at: Some(at), found: found.clone() });
    let path = dir.join(FILE);
    write(&path, &listed[listed.len().saturating_sub(MOST)..]).map_err(|source| io_error("write", &path, source))
}

fn write(path: &Path, listed: &[Loss]) -> io::Result<()> {
    let under_way = path.with_extension("part");
    let mut file = std::fs::File::options().write(true).create(true).truncate(true).mode(0o600).open(&under_way)?;
    for loss in listed {
        serde_json::to_writer(&mut file, loss)?;
        file.write_all(b"\n")?;
    }
    file.sync_all()?;
    std::fs::rename(&under_way, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_listed_until_somebody_acknowledges_them() {
        let dir = tempfile::tempdir().unwrap();
        let lost = |pages| Recovery { lost_pages: pages, new_epoch: true, ..Recovery::default() };
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(losses(dir.path()).unwrap(), []);
        for (second, pages) in [(1, 1), (1, 2), (2, 3)] {
            note(dir.path(), at(second), &lost(pages)).unwrap();
        }
        let listed = losses(dir.path()).unwrap();
        assert_eq!(listed.iter().map(|loss| loss.found.lost_pages).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(acknowledge(dir.path()).unwrap(), listed);
        assert_eq!((losses(dir.path()).unwrap(), acknowledge(dir.path()).unwrap()), (vec![], vec![]));
        for second in 0..300 {
            note(dir.path(), at(second), &lost(1)).unwrap();
        }
        assert_eq!(losses(dir.path()).unwrap().len(), MOST);
    }

    #[test]
    fn a_damaged_entry_is_still_a_loss() {
        let dir = tempfile::tempdir().unwrap();
        note(dir.path(), Timestamp::UNIX_EPOCH, &Recovery::default()).unwrap();
        let whole = std::fs::read(dir.path().join(FILE)).unwrap();
        for at in 0..whole.len() - 1 {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            std::fs::write(dir.path().join(FILE), bytes).unwrap();
            assert!(!losses(dir.path()).unwrap().is_empty(), "byte {at}");
        }
    }
}
