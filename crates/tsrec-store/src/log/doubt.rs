//! A file that tells the next opening to read everything: somebody met damage. It stays until an
//! opening has done so.

use std::fs::File;
use std::io;
use std::path::Path;

/// The file's name. Its content does not matter.
const FILE_NAME: &str = "doubt";

pub(crate) fn is_noted(dir: &Path) -> bool {
    dir.join(FILE_NAME).exists()
}

/// Notes it. If that fails too, the next reader of the damaged bytes notes it again.
pub(crate) fn note(dir: &Path) {
    let noted = File::create(dir.join(FILE_NAME)).and_then(|file| file.sync_all());
    if let Err(error) = noted.and_then(|()| File::open(dir)?.sync_all()) {
        tracing::error!(%error, "damage cannot be noted for the next opening: `tsrec store repair` reads everything");
    }
}

pub(crate) fn clear(dir: &Path) -> io::Result<()> {
    match std::fs::remove_file(dir.join(FILE_NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
