//! Pages of a set, which lie as `html/<id>.html` or packed, as `html/<id>.html.gz`.

use std::io::Read;
use std::path::Path;

/// A page's bytes, unpacked where its name says that it is packed.
pub(crate) fn read(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if file.extension().is_none_or(|extension| extension != "gz") {
        return bytes;
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(&*bytes)
        .read_to_end(&mut unpacked)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    unpacked
}
