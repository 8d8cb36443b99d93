//! When two texts are the same: a hash that is equal for equal texts, and a fingerprint that is
//! close for similar ones.

use sha2::{Digest, Sha256};

use crate::learn::model::hex;
use crate::words::simhash::simhash;

/// SHA-256 over title and text. It begins with the title's length, so that moving words between
/// title and text changes it. No title differs from an empty one.
pub fn content_hash(title: Option<&str>, text: &str) -> [u8; 32] {
    let title_len = title.map_or(u64::MAX, |title| title.len() as u64);
    Sha256::new()
        .chain_update(title_len.to_be_bytes())
        .chain_update(title.unwrap_or_default())
        .chain_update(text)
        .finalize()
        .into()
}

/// The same in hexadecimal.
pub fn content_hash_hex(title: Option<&str>, text: &str) -> String {
    hex(&content_hash(title, text))
}

/// [`simhash`] of a text, in 16 hexadecimal digits. `None` for a text without words.
pub fn simhash_hex(text: &str) -> Option<String> {
    simhash(text).map(|print| format!("{print:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_tells_title_and_text_apart() {
        let pairs = [(None, ""), (Some(""), ""), (Some("a"), "b"), (None, "ab"), (Some("ab"), ""), (Some(""), "ab")];
        let hashes: std::collections::HashSet<_> =
            pairs.iter().map(|(title, text)| content_hash(*title, text)).collect();
        assert_eq!(hashes.len(), pairs.len());
        assert_eq!(content_hash_hex(None, "").len(), 64);
    }
}
