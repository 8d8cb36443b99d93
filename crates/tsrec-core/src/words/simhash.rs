//! A text's fingerprint: similar texts have fingerprints that differ in few bits.

use super::words;

/// How many words are hashed together; a single word says nothing about order. Judgement.
const RUN: usize = 3;

/// Simhash (Charikar 2002, "Similarity estimation techniques from rounding algorithms") of 64 bits
/// over runs of three words, ignoring letter case. For a shorter text, over its words. `None` for a
/// text without words. The same on every machine and in every version. Linear.
///
/// Manku, Jain and Das Sarma (2007, "Detecting near-duplicates for web crawling") treat pages as
/// copies if they differ in at most 3 bits.
///
/// ```
/// use tsrec_core::words::simhash::simhash;
/// assert_eq!(simhash("The ferry sails."), simhash("the FERRY sails"));
/// assert_eq!(simhash(" - "), None);
/// ```
pub fn simhash(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    of_words(words(&text))
}

/// The same for these words, unchanged.
pub fn of_words<'w>(words: impl Iterator<Item = &'w str>) -> Option<u64> {
    of_hashes(words.map(|word| hash(word.bytes())))
}

/// The hash of a word, from its bytes.
pub fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(FNV_OFFSET, fnv)
}

/// The same from the words' [hashes](hash).
pub fn of_hashes(hashes: impl Iterator<Item = u64>) -> Option<u64> {
    let hashes: Vec<u64> = hashes.collect();
    let runs = hashes.windows(RUN.min(hashes.len()).max(1));
    let mut ones = BitCounts::default();
    for run in runs.clone() {
        ones.add(mixed(hash(run.iter().flat_map(|hash| hash.to_le_bytes()))));
    }
    let all = runs.len();
    let print = (0..64).fold(0, |print, bit| print | u64::from(2 * ones.of(bit) > all) << bit);
    (!hashes.is_empty()).then_some(print)
}

/// For each bit, how many numbers have it. The counts stand upright: bit `b` of `digits[d]` is the
/// binary digit `d` of the count of bit `b`. So a number is added to all counts at once, in a few
/// steps.
#[derive(Default)]
struct BitCounts {
    digits: Vec<u64>,
}

impl BitCounts {
    fn add(&mut self, number: u64) {
        let mut carry = number;
        for digit in &mut self.digits {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
            if carry == 0 {
                return;
            }
        }
        self.digits.push(carry);
    }

    fn of(&self, bit: u32) -> usize {
        let digits = self.digits.iter().enumerate();
        digits.map(|(digit, bits)| ((bits >> bit & 1) as usize) << digit).sum()
    }
}

/// FNV-1a's parameters for 64 bits (draft-eastlake-fnv).
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

fn fnv(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
}

/// The finaliser of MurmurHash3. In a short word's FNV, the upper bits depend on few of its bits.
fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_for_ever() {
        for (text, expect) in [("", None), ("ferry", Some(PINNED[0])), ("The ferry sails at nine.", Some(PINNED[1]))] {
            assert_eq!(simhash(text), expect, "{text}");
        }
    }

    /// Stores hold these values: changing them would change every record.
    const PINNED: [u64; 2] = [0xf046_32ae_e5de_03de, 0x5bb8_2d1c_fe4c_f45c];

    #[test]
    fn little_changes_change_few_bits() {
        let story = |guest: &str| {
            let sentence =
                |n: usize| format!("On day {n} the ferry took {} crates and a cat to pier {}. ", n * 7, n % 5);
            (1..60).map(sentence).collect::<String>() + guest
        };
        let bits = |a: &str, b: &str| (simhash(a).unwrap() ^ simhash(b).unwrap()).count_ones();
        assert!(bits(&story("Ann came."), &story("Ben came.")) <= 3);
        assert!(
            bits(&story("Ann came."), "A school roof will collect rain, for one year, in the whole of the town.") > 12
        );
    }
}
