//! WACZ 1.1.1 (Webrecorder): a zip with web archives in its folder `archive/`. It also has indexes
//! and a list of pages, which are not needed to read the archives.
//!
//! The archives are stored in the zip without further packing, so that each record can be found by
//! its place: they are ranges of the file.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;

use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};

/// The first bytes of a zip: a file in it, or its end if it has none.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The endings of archives' names.
const ENDINGS: [&[u8]; 3] = [b".warc", b".warc.gz", b".warc.zst"];

/// The ranges of the archives in a zip, in order; `None` if the file is no zip. Leaves the file at
/// the position for the first read.
pub(super) fn archives(file: &mut File) -> io::Result<Option<Vec<Range<u64>>>> {
    let mut head = Vec::new();
    file.by_ref().take(4).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    if !ZIP.contains(&head.as_slice()) {
        return Ok(None);
    }
    let mut found = ranges(file.try_clone()?)?;
    if found.is_empty() {
        return Err(wrong("it is a zip without web archives (archive/*.warc.gz), and no WACZ".to_owned()));
    }
    found.sort_by_key(|range| range.start);
    Ok(Some(found))
}

fn ranges(file: File) -> io::Result<Vec<Range<u64>>> {
    let broken = |error: rawzip::Error| wrong(format!("it begins as a WACZ, and the zip is cut or damaged: {error}"));
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let zip = ZipArchive::from_file(file, &mut buffer).map_err(broken)?;
    let (mut entries, mut found) = (zip.entries(&mut buffer), Vec::new());
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        let path = entry.file_path();
        let name: &[u8] = path.as_ref();
        if !name.starts_with(b"archive/") || !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        if entry.compression_method() != CompressionMethod::STORE || entry.flags().is_encrypted() {
            let name = String::from_utf8_lossy(name);
            return Err(wrong(format!(
                "{name} is packed within the zip, where WACZ has archives as they are: unzip it, and give what is in archive/"
            )));
        }
        let (begin, end) = zip.get_entry(entry.wayfinder()).map_err(broken)?.compressed_data_range();
        found.push(begin..end);
    }
    Ok(found)
}

fn wrong(why: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}
