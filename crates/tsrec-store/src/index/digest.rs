//! The digest of the index's entries.

use sha2::{Digest, Sha256};

/// The digest of an entry, which its tree's digest sums: the first bytes of its SHA-256. So no
/// entry can replace another unnoticed.
pub(crate) fn entry_digest(key: &[u8], value: &[u8]) -> u64 {
    let hash =
        Sha256::new().chain_update((key.len() as u64).to_le_bytes()).chain_update(key).chain_update(value).finalize();
    u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]])
}
