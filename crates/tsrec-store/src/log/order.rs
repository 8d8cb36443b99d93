//! Puts segments in order whose files were exchanged, as a careless copy may do. Their frames are
//! sound, and their numbers say which file is which.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::log::frame;
use crate::log::path_of;
use crate::log::scan::segment_ids;

/// What stands between the old and the new name of a file while it gets its new one.
const MOVING: &str = ".becomes-";

/// Renames the segments of a journal so that their first frames are in the order of their names.
/// Segments whose first frame cannot be read keep their names. Returns how many got another name.
/// O(segments × log segments).
pub(crate) fn put_in_order(dir: &Path) -> io::Result<u64> {
    finish(dir)?;
    let mut named = Vec::new();
    for id in segment_ids(dir)? {
        if let Some(head) = frame::read_head(&File::open(path_of(dir, id))?, 0)? {
            named.push((head.number, id));
        }
    }
    let ids: Vec<u32> = named.iter().map(|(_, id)| *id).collect();
    named.sort_unstable();
    let wrong: Vec<(u32, u32)> = named.iter().zip(&ids).map(|((_, is), ought)| (*is, *ought)).collect();
    let wrong: Vec<(u32, u32)> = wrong.into_iter().filter(|(is, ought)| is != ought).collect();
    for (is, ought) in &wrong {
        std::fs::rename(path_of(dir, *is), dir.join(format!("{is:08}{MOVING}{ought:08}")))?;
    }
    finish(dir)?;
    Ok(wrong.len() as u64)
}

/// Gives files their new names, or their old ones if a crash came before all had left theirs.
fn finish(dir: &Path) -> io::Result<()> {
    let mut moving = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name();
        if let Some((is, ought)) = name.to_str().and_then(|name| name.split_once(MOVING)) {
            moving.push((dir.join(&name), dir.join(is), dir.join(ought)));
        }
    }
    // Every file that moves takes the name of another, so one taken name means that not all left.
    let all_left = moving.iter().all(|(_, _, ought)| !ought.exists());
    for (from, is, ought) in moving {
        let back = if is.exists() { &ought } else { &is };
        std::fs::rename(&from, if all_left { &ought } else { back })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::frame::encode;
    use crate::log::op::{JournalEntry, Op};

    fn numbers(dir: &Path) -> Vec<u64> {
        let ids = segment_ids(dir).unwrap();
        ids.iter()
            .map(|id| frame::read_head(&File::open(path_of(dir, *id)).unwrap(), 0).unwrap().unwrap().number)
            .collect()
    }

    #[test]
    fn exchanged_segments_are_put_in_order_also_after_a_crash() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let write = |id: u32, number: u64| {
            let entry = JournalEntry { last_sequence: 0, floor: 0, op: Op::Collected { segment: 1 } };
            std::fs::write(path_of(dir, id), encode(&entry, b"", 0, number).unwrap().1).unwrap();
        };
        for (id, number) in [(1, 10), (2, 30), (5, 20), (6, 40), (9, 60), (12, 50)] {
            write(id, number);
        }
        // Stopped after some files have left their names.
        std::fs::rename(path_of(dir, 2), dir.join("00000002.becomes-00000005")).unwrap();
        assert_eq!(put_in_order(dir).unwrap(), 4);
        assert_eq!(numbers(dir), [10, 20, 30, 40, 50, 60]);
        // Stopped after all have left, and one has its new name.
        std::fs::rename(path_of(dir, 9), dir.join("00000012.becomes-00000009")).unwrap();
        assert_eq!(put_in_order(dir).unwrap(), 0);
        assert_eq!(numbers(dir), [10, 20, 30, 40, 50, 60]);
    }
}
