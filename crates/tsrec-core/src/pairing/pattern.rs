//! The pattern that similar URLs share.

use sha2::{Digest, Sha256};
use url::Url;

/// The pattern of a URL: its folders with numbers as `#`, and its parameter names in order. A name
/// alone in its folder, such as `/about`, is its own pattern.
pub fn pattern(url: &Url) -> String {
    let mut pattern = String::new();
    let mut segments = url.path().split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        // What follows a semicolon is a parameter, such as a session.
        let (name, parameters) = segment.split_once(';').map_or((segment, ""), |(name, rest)| (name, rest));
        pattern.push('/');
        pattern.push_str(match (segments.peek(), name.bytes().any(|byte| byte.is_ascii_digit())) {
            (_, true) => "#",
            (None, false) if url.query().is_none() && parameters.is_empty() => "*",
            (_, false) => name,
        });
        if !parameters.is_empty() {
            pattern.push_str(";*");
        }
    }
    let mut names: Vec<String> = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
    names.sort();
    names.dedup();
    if !names.is_empty() {
        pattern.push('?');
        pattern.push_str(&names.join("&"));
    }
    pattern
}

/// The pattern as a hash, which is stored on disk.
pub fn pattern_hash(url: &Url) -> u32 {
    let hash = Sha256::digest(pattern(url));
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
}
