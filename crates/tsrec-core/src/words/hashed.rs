//! A hasher for keys that are already hashes: of a word, a symbol, a place.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

/// An odd number with irregular bits: the golden ratio's, as in Fibonacci hashing (Knuth, The Art
/// of Computer Programming 3, section 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Builds [`Hashed`]. Its seed differs in each process. A page's author can choose what is hashed,
/// and must not know which hashes collide in a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByHash(u64);

impl Default for ByHash {
    fn default() -> Self {
        static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
        ByHash(*SEED)
    }
}

impl BuildHasher for ByHash {
    type Hasher = Hashed;

    fn build_hasher(&self) -> Hashed {
        Hashed(self.0)
    }
}

/// Multiplies the numbers it gets, and folds each product.
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a hash is a number");
    }

    #[inline]
    fn write_u32(&mut self, hash: u32) {
        self.write_u64(u64::from(hash));
    }

    #[inline]
    fn write_u64(&mut self, hash: u64) {
        let product = u128::from(self.0 ^ hash) * u128::from(MULTIPLIER);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

/// Numbers for keys that are already hashes, in order of first use.
pub(crate) struct Numbers<K>(HashMap<K, u32, ByHash>);

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Numbers(HashMap::default())
    }
}

impl<K: Hash + Eq> Numbers<K> {
    /// No numbers yet, with memory for `capacity`.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Numbers(HashMap::with_capacity_and_hasher(capacity, ByHash::default()))
    }

    /// The number of a key; a new key gets the next one.
    pub(crate) fn number(&mut self, key: K) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(key).or_insert(next)
    }

    /// How many keys have a number.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// An attacker gains nothing from hashes that agree in the bits that a table uses.
    #[test]
    fn hashes_that_agree_in_many_bits_are_spread() {
        for shift in [0, 16, 24, 40, 48] {
            let places = |by_hash: ByHash| (0..1_000_u64).map(move |n| by_hash.hash_one(n << shift) % 65_536);
            let spread: HashSet<u64> = places(ByHash::default()).collect();
            assert!(spread.len() > 900, "{} of 1,000 places, numbers from bit {shift} on", spread.len());
            assert!(places(ByHash(1)).ne(places(ByHash(2))), "a seed is to matter, numbers from bit {shift} on");
        }
    }
}
