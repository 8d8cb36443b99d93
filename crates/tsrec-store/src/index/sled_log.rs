//! Checks the part of sled's log that sled reads when it opens.
//!
//! sled skips the rest of a segment if a message in it is damaged, and a whole segment if its head
//! is. It says nothing, and older versions of pages come back. So this reads the same part first,
//! as release 0.34 writes it (`pagecache/logger.rs`, `serialization.rs`). What sled does not read
//! when it opens it checks when it reads it.
//!
//! | part | bytes |
//! |---|---|
//! | head of a segment | CRC-32 u32, LSN i64, LSN known to be stable i64 |
//! | message | CRC-32 u32, kind u8, three numbers: length, segment, page; the content |
//!
//! Segments have 512 KiB. The CRC of a message is that of its content, then of its head. Its bits
//! are turned over.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::LOG_FILE;

/// sled's default, which cannot change later.
const SEGMENT_LEN: usize = 512 << 10;

const HEAD_LEN: usize = 20;

/// No message begins in so many last bytes of a segment.
const RED_ZONE: usize = 32;

/// What sled turns over in a number of a segment's head.
const MASK: i64 = i64::MAX;

/// Kinds of messages: a place that nothing was written to, and the end of a segment.
const NOTHING: u8 = 0;
const CAP: u8 = 2;

/// Why sled's directory cannot be trusted, if it cannot. After a kill, the last segments may look
/// damaged without being so. O(bytes since sled was opened last).
pub(super) fn doubt(dir: &Path) -> io::Result<Option<&'static str>> {
    let Some(stable) = snapshot(dir)? else { return Ok(Some("sled's snapshots are not as it leaves them")) };
    let blobs = dir.join("blobs");
    if blobs.is_dir() && std::fs::read_dir(blobs)?.next().is_some() {
        // A missing one makes sled skip a message.
        return Ok(Some("sled has pages in files of their own"));
    }
    let file = File::open(dir.join(LOG_FILE))?;
    let len = file.metadata()?.len();
    let mut segment = vec![0; SEGMENT_LEN];
    let mut offsets = BTreeMap::new();
    for offset in (0..len).step_by(SEGMENT_LEN) {
        let Some(lsn) = read_head(&file, offset, len)? else {
            let read = read_segment(&file, offset, len, &mut segment)?;
            match read.iter().all(|byte| *byte == NOTHING) {
                true => continue,
                false => return Ok(Some("the head of a segment of sled is damaged")),
            }
        };
        if lsn >= stable / SEGMENT_LEN as i64 * SEGMENT_LEN as i64 && offsets.insert(lsn, offset).is_some() {
            return Ok(Some("two segments of sled have the same place"));
        }
    }
    let last = offsets.pop_last();
    for (lsn, offset) in offsets {
        if !is_whole(read_segment(&file, offset, len, &mut segment)?, lsn) {
            return Ok(Some("a page in sled's log is damaged"));
        }
    }
    // If the end of the last segment is lost, so is the number of the last flush.
    Ok(last.is_none().then_some("sled's log is empty"))
}

/// How many segments of the log sled reads when it opens. O(segments).
pub(super) fn unread_segments(dir: &Path) -> io::Result<u64> {
    let Some(stable) = snapshot(dir)? else { return Ok(0) };
    let file = File::open(dir.join(LOG_FILE))?;
    let len = file.metadata()?.len();
    let mut unread = 0;
    for offset in (0..len).step_by(SEGMENT_LEN) {
        unread += u64::from(read_head(&file, offset, len)?.is_some_and(|lsn| lsn >= stable));
    }
    Ok(unread)
}

/// The LSN up to which the snapshot has the log; 0 without one. `None` if there are several.
fn snapshot(dir: &Path) -> io::Result<Option<i64>> {
    let mut found = None;
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name();
        let Some(lsn) = name.to_str().and_then(|name| name.strip_prefix("snap.")) else { continue };
        match i64::from_str_radix(lsn, 16) {
            Ok(lsn) if found.is_none() => found = Some(lsn),
            _ => return Ok(None),
        }
    }
    Ok(Some(found.unwrap_or(0)))
}

/// The LSN at which a segment begins; `None` if its head is damaged or there is none.
fn read_head(file: &File, offset: u64, len: u64) -> io::Result<Option<i64>> {
    if offset + HEAD_LEN as u64 > len {
        return Ok(None);
    }
    let mut head = [0; HEAD_LEN];
    file.read_exact_at(&mut head, offset)?;
    let (crc, numbers) = head.split_at(4);
    let is_sound = !crc32fast::hash(numbers) == u32_of(crc);
    Ok(numbers.first_chunk::<8>().filter(|_| is_sound).map(|lsn| i64::from_le_bytes(*lsn) ^ MASK))
}

fn read_segment<'s>(file: &File, offset: u64, len: u64, segment: &'s mut [u8]) -> io::Result<&'s [u8]> {
    let part = &mut segment[..SEGMENT_LEN.min((len - offset) as usize)];
    file.read_exact_at(part, offset)?;
    Ok(part)
}

/// Whether all messages of a full segment are sound.
fn is_whole(segment: &[u8], lsn: i64) -> bool {
    let number = (lsn / SEGMENT_LEN as i64) as u64;
    let mut at = HEAD_LEN;
    while at + RED_ZONE <= SEGMENT_LEN {
        match segment.get(at..).and_then(|rest| message(rest, number)) {
            Some((CAP, _)) => return true,
            Some((_, len)) => at += len,
            None => return false,
        }
    }
    true
}

/// Kind and length of a sound message of a segment.
fn message(bytes: &[u8], segment: u64) -> Option<(u8, usize)> {
    let (crc, mut rest) = bytes.split_at_checked(4)?;
    let (kind, after) = rest.split_first()?;
    rest = after;
    let content_len = usize::try_from(number(&mut rest)?).ok()?;
    let of = number(&mut rest)?;
    number(&mut rest)?;
    let head_len = bytes.len() - rest.len();
    let content = rest.get(..content_len)?;
    let mut found = crc32fast::Hasher::new();
    found.update(content);
    found.update(&bytes[4..head_len]);
    let is_sound = *kind != NOTHING && of == segment && !found.finalize() == u32_of(crc);
    is_sound.then_some((*kind, head_len + content_len))
}

/// A number in sled's own form: one to nine bytes, of which the first says how many.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let (&first, after) = rest.split_first()?;
    let len = match first {
        0..=240 => 0,
        241..=248 => 1,
        249 => 2,
        250.. => usize::from(first) - 247,
    };
    let (bytes, after) = after.split_at_checked(len)?;
    *rest = after;
    Some(match (first, bytes) {
        (249, [high, low]) => 2_288 + 256 * u64::from(*high) + u64::from(*low),
        (241..=248, [low]) => 240 + 256 * (u64::from(first) - 241) + u64::from(*low),
        (0..=240, _) => first.into(),
        _ => bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    })
}

fn u32_of(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sled of some segments that was closed.
    fn filled() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for round in 0..2u32 {
            let sled = sled::Config::new().path(dir.path()).open().unwrap();
            for n in 0..6_000u32 {
                sled.insert((n * 7_919).to_be_bytes(), vec![round as u8; 300 + n as usize % 200]).unwrap();
            }
            sled.flush().unwrap();
            drop(sled);
            // A thread of sled may still write for a moment.
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        dir
    }

    #[test]
    fn what_sled_would_skip_in_silence_is_a_reason_for_doubt() {
        let dir = filled();
        assert_eq!(doubt(dir.path()).unwrap(), None);
        let path = dir.path().join(LOG_FILE);
        let bytes = std::fs::read(&path).unwrap();
        let (stable, len) = (snapshot(dir.path()).unwrap().unwrap(), bytes.len() as u64);
        let file = File::open(&path).unwrap();
        let segments = (0..len).step_by(SEGMENT_LEN).filter_map(|offset| {
            read_head(&file, offset, len).unwrap().filter(|lsn| *lsn >= stable).map(|lsn| (lsn, offset as usize))
        });
        let segments: BTreeMap<i64, usize> = segments.collect();
        assert!(segments.len() > 2, "{segments:?}");
        // The last may end anywhere.
        for (_, offset) in segments.iter().take(segments.len() - 1) {
            for at in [0, 7, 19, 20, 25, 300, SEGMENT_LEN / 2] {
                let mut changed = bytes.clone();
                changed[offset + at] ^= 4;
                std::fs::write(&path, changed).unwrap();
                assert!(doubt(dir.path()).unwrap().is_some(), "byte {at} of the segment at {offset}");
            }
        }
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(doubt(dir.path()).unwrap(), None);
    }

    #[test]
    fn numbers_are_as_sled_writes_them() {
        for (bytes, expect) in [
            (&[0][..], Some(0)),
            (&[240], Some(240)),
            (&[241, 1], Some(241)),
            (&[248, 255], Some(2_287)),
            (&[249, 0, 0], Some(2_288)),
            (&[249, 255, 255], Some(67_823)),
            (&[250, 240, 8, 1], Some(67_824)),
            (&[255, 1, 0, 0, 0, 0, 0, 0, 128], Some(1 << 63 | 1)),
            (&[250, 1], None),
            (&[], None),
        ] {
            assert_eq!(number(&mut &bytes[..]), expect, "{bytes:?}");
        }
    }
}
