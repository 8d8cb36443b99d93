//! The hasher of what is a hash already: of a word, of a symbol.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`Hashed`].
pub(crate) type ByHash = BuildHasherDefault<Hashed>;

/// Takes the number that it is given; several are mixed.
#[derive(Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a hash is a number");
    }

    fn write_u32(&mut self, hash: u32) {
        // The map takes its control bytes from the high bits.
        self.0 ^= u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 ^= hash;
    }
}
