//! Files that are written whole or not at all: what reads one never sees half of it.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file beside the one that is meant and puts it in its place. A link stays one, and its target is replaced.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // As any new file: what the user's mask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let written = builder
        .tempfile_in(folder)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.as_file().sync_data()).map(|()| file))
        .and_then(|file| Ok(file.persist(&target)?));
    written.map(drop).with_context(|| format!("{} cannot be written", path.display()))
}
