//! Aligns two sequences of symbols: the longest common subsequence.
//!
//! The paper (Li et al. 2006, figure 5) fills a quadratic edit-distance table. We correct two of
//! its errors. Its recurrence lacks the cost of insertion and deletion, and it marks every diagonal
//! cell, even off an optimal path. Also, its substitution cost can give up an equal pair for free.
//! So we maximise the number of equal pairs in order.
//!
//! Exact alignment is bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"):
//! 64 cells a step, and all rows are kept to trace the path back. Past [`BUDGET`] we use anchors,
//! as patience diff does. Symbols that occur once on each side are paired, and the parts between
//! them are aligned exactly where affordable. This may miss pairs, and the result says so. The
//! tests use the plain table as the oracle.
//!
//! A part between two anchors costs only its own length, however many symbols the pages have. The
//! number of anchor searches is limited (`ANCHOR_ROUNDS`), because on hostile pages each search
//! finds only one.

use std::ops::Range;

use crate::words::hashed::Numbers;

/// Pairs of positions with equal symbols, ascending on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// Positions on the left and on the right.
    pub pairs: Vec<(usize, usize)>,
    /// True if more pairs are impossible.
    pub exact: bool,
}

/// The most cells of the exact table: one bit each, so 16 MiB; 2 million steps, some 3 ms.
/// Judgement: it holds two sequences of 11,500 elements each, and real pages have 200 to 5,000.
pub const BUDGET: usize = 1 << 27;

/// The limit on anchor searches, in lengths of both sequences together. Judgement: each search
/// usually cuts the parts to far less than half.
const ANCHOR_ROUNDS: usize = 32;

/// Aligns two sequences of symbols. Symbols should be small numbers, because memory grows with the
/// largest.
///
/// `budget` is in cells (left length times right length): see [`BUDGET`]. Time is O(cells / 64)
/// within it and O(length · √budget / 64) past it. Memory is O(cells / 64) words, for at most
/// `budget` cells.
pub fn align(left: &[u32], right: &[u32], budget: usize) -> Alignment {
    align_counted(left, right, budget).0
}

/// Aligns hashes. After cutting equal ends it numbers the rest.
pub(super) fn align_hashes(left: &[u64], right: &[u64], budget: usize) -> Alignment {
    let (mut l, mut r) = (0..left.len(), 0..right.len());
    let mut pairs = Vec::with_capacity(left.len().min(right.len()));
    trim_ends(left, right, &mut l, &mut r, &mut pairs);
    let mut numbers = Numbers::with_capacity(l.len() + r.len());
    let mut numbered = |range: &[u64]| -> Vec<u32> { range.iter().map(|&symbol| numbers.number(symbol)).collect() };
    let between = align(&numbered(&left[l.clone()]), &numbered(&right[r.clone()]), budget);
    let begin = pairs.partition_point(|&(i, _)| i < l.start);
    pairs.splice(begin..begin, between.pairs.into_iter().map(|(i, j)| (l.start + i, r.start + j)));
    Alignment { pairs, exact: between.exact }
}

/// Like [`align`], and counts its steps: words of rows, and indexed symbols.
fn align_counted(left: &[u32], right: &[u32], budget: usize) -> (Alignment, usize) {
    let mut alignment = Alignment { pairs: Vec::new(), exact: true };
    let mut symbols = Symbols::new(left, right);
    let mut searches = ANCHOR_ROUNDS.saturating_mul(left.len() + right.len());
    // A stack instead of recursion, because gaps may nest deeply.
    let mut gaps = vec![(0..left.len(), 0..right.len())];
    while let Some((mut l, mut r)) = gaps.pop() {
        trim_ends(left, right, &mut l, &mut r, &mut alignment.pairs);
        if l.is_empty() || r.is_empty() {
            continue;
        }
        if l.len().saturating_mul(r.len()) <= budget {
            let found = exact(&left[l.clone()], &right[r.clone()], &mut symbols);
            alignment.pairs.extend(found.into_iter().map(|(i, j)| (l.start + i, r.start + j)));
            continue;
        }
        alignment.exact = false;
        let Some(left_over) = searches.checked_sub(l.len() + r.len()) else { continue };
        searches = left_over;
        let anchors = symbols.anchors(left, right, &l, &r);
        if anchors.is_empty() {
            continue;
        }
        let (mut from_left, mut from_right) = (l.start, r.start);
        for &(i, j) in &anchors {
            gaps.push((from_left..i, from_right..j));
            (from_left, from_right) = (i + 1, j + 1);
        }
        gaps.push((from_left..l.end, from_right..r.end));
        alignment.pairs.extend(anchors);
    }
    // They come in few sorted runs, which a stable sort uses.
    alignment.pairs.sort();
    (alignment, symbols.steps)
}

/// The length of the longest common subsequence of two sequences of symbols, in O(left × right
/// / 64) time and linear memory.
pub fn lcs_length(left: &[u32], right: &[u32]) -> usize {
    let (mut l, mut r) = (0..left.len(), 0..right.len());
    let mut pairs = Vec::new();
    trim_ends(left, right, &mut l, &mut r, &mut pairs);
    let (left, right) = (&left[l], &right[r]);
    let mut symbols = Symbols::new(left, right);
    symbols.index(left);
    let mut row = AlignmentRow::new(left.len());
    let masks = Masks::new(&symbols, left.len());
    right.iter().for_each(|&symbol| row.advance(symbols.positions(symbol), masks.get(symbol)));
    pairs.len() + row.matches(left.len())
}

/// Removes the common prefix and suffix from both ranges and adds their pairs in order. Some
/// longest alignment always has these pairs.
fn trim_ends<T: PartialEq>(
    left: &[T],
    right: &[T],
    l: &mut Range<usize>,
    r: &mut Range<usize>,
    pairs: &mut Vec<(usize, usize)>,
) {
    while l.start < l.end && r.start < r.end && left[l.start] == right[r.start] {
        pairs.push((l.start, r.start));
        l.start += 1;
        r.start += 1;
    }
    let alike = |(a, b): &(&T, &T)| a == b;
    let suffix = left[l.clone()].iter().rev().zip(right[r.clone()].iter().rev()).take_while(alike).count();
    l.end -= suffix;
    r.end -= suffix;
    pairs.extend((0..suffix).map(|at| (l.end + at, r.end + at)));
}

/// One row of the table. Bit `i` is clear where the row's count of pairs rises at the left's
/// position `i`.
struct AlignmentRow {
    bits: Vec<u64>,
    mask: Vec<u64>,
}

impl AlignmentRow {
    fn new(length: usize) -> Self {
        let words = length.div_ceil(64);
        AlignmentRow { bits: vec![u64::MAX; words], mask: vec![0; words] }
    }

    /// Computes the next row, for a right symbol with these positions on the left, and with its
    /// mask if it has one.
    fn advance(&mut self, positions: &[u32], mask: Option<&[u64]>) {
        if let Some(mask) = mask {
            Self::step(&mut self.bits, mask);
            return;
        }
        for &p in positions {
            self.mask[p as usize / 64] |= 1 << (p % 64);
        }
        Self::step(&mut self.bits, &self.mask);
        for &p in positions {
            self.mask[p as usize / 64] = 0;
        }
    }

    fn step(row: &mut [u64], mask: &[u64]) {
        let mut carry = false;
        for (bits, mask) in row.iter_mut().zip(mask) {
            let matched = *bits & mask;
            let (sum, over) = bits.overflowing_add(matched);
            let (sum, over_by_carry) = sum.overflowing_add(u64::from(carry));
            carry = over || over_by_carry;
            *bits = sum | (*bits & !mask);
        }
    }

    fn matches(&self, length: usize) -> usize {
        (0..length).filter(|i| self.bits[i / 64] >> (i % 64) & 1 == 0).count()
    }
}

/// The masks of symbols that occur more often than a row has words, at most 64 of them. For these,
/// setting the bits would take longer than computing the row.
struct Masks {
    symbols: Vec<u32>,
    masks: Vec<Vec<u64>>,
}

impl Masks {
    fn new(symbols: &Symbols, length: usize) -> Masks {
        let words = length.div_ceil(64);
        let mut frequent: Vec<u32> =
            symbols.indexed.iter().copied().filter(|&symbol| symbols.positions(symbol).len() > words).collect();
        frequent.sort_unstable();
        let mask = |&symbol: &u32| {
            let mut mask = vec![0; words];
            symbols.positions(symbol).iter().for_each(|&p| mask[p as usize / 64] |= 1 << (p % 64));
            mask
        };
        Masks { masks: frequent.iter().map(mask).collect(), symbols: frequent }
    }

    fn get(&self, symbol: u32) -> Option<&[u64]> {
        self.symbols.binary_search(&symbol).ok().map(|at| &*self.masks[at])
    }
}

fn exact(left: &[u32], right: &[u32], symbols: &mut Symbols) -> Vec<(usize, usize)> {
    symbols.index(left);
    let words = left.len().div_ceil(64);
    let mut rows: Vec<u64> = Vec::with_capacity(words * right.len());
    let mut row = AlignmentRow::new(left.len());
    let masks = Masks::new(symbols, left.len());
    symbols.steps += words * (right.len() + masks.masks.len());
    for &symbol in right {
        row.advance(symbols.positions(symbol), masks.get(symbol));
        rows.extend_from_slice(&row.bits);
    }
    // Trace back: a set bit is a step to the left. A clear bit that is clear in the row above too
    // is a step up. Any other is a pair.
    let steps_up = |j: usize, i: usize| rows[j * words + i / 64] >> (i % 64) & 1 == 0;
    let mut pairs = Vec::new();
    let (mut i, mut j) = (left.len(), right.len());
    while i > 0 && j > 0 {
        if !steps_up(j - 1, i - 1) {
            i -= 1;
        } else if j > 1 && steps_up(j - 2, i - 1) {
            j -= 1;
        } else {
            i -= 1;
            j -= 1;
            pairs.push((i, j));
        }
    }
    pairs.reverse();
    pairs
}

/// The positions of each symbol in the part indexed last.
struct Symbols {
    /// Symbol `s` has the positions from `spans[s].0` to `spans[s].1`.
    spans: Vec<(u32, u32)>,
    positions: Vec<u32>,
    /// The symbols that occur.
    indexed: Vec<u32>,
    steps: usize,
}

impl Symbols {
    fn new(left: &[u32], right: &[u32]) -> Self {
        let most = left.iter().chain(right).max().map_or(0, |&most| most as usize + 1);
        Symbols { spans: vec![(0, 0); most], positions: Vec::new(), indexed: Vec::new(), steps: 0 }
    }

    /// Linear in the part and in the one before it.
    fn index(&mut self, sequence: &[u32]) {
        self.steps += sequence.len() + self.indexed.len();
        for symbol in self.indexed.drain(..) {
            self.spans[symbol as usize] = (0, 0);
        }
        for &symbol in sequence {
            let count = &mut self.spans[symbol as usize].1;
            if *count == 0 {
                self.indexed.push(symbol);
            }
            *count += 1;
        }
        let mut start = 0;
        for &symbol in &self.indexed {
            let span = &mut self.spans[symbol as usize];
            let count = span.1;
            *span = (start, start);
            start += count;
        }
        self.positions.clear();
        self.positions.resize(sequence.len(), 0);
        for (position, &symbol) in sequence.iter().enumerate() {
            let end = &mut self.spans[symbol as usize].1;
            self.positions[*end as usize] = position as u32;
            *end += 1;
        }
    }

    fn positions(&self, symbol: u32) -> &[u32] {
        let (start, end) = self.spans[symbol as usize];
        &self.positions[start as usize..end as usize]
    }

    /// The longest run, ascending on both sides, of symbols that occur exactly once in each range.
    fn anchors(&mut self, left: &[u32], right: &[u32], l: &Range<usize>, r: &Range<usize>) -> Vec<(usize, usize)> {
        self.index(&right[r.clone()]);
        let once_right: Vec<Option<usize>> = left[l.clone()]
            .iter()
            .map(|&s| match self.positions(s) {
                [only] => Some(r.start + *only as usize),
                _ => None,
            })
            .collect();
        self.index(&left[l.clone()]);
        let candidates: Vec<(usize, usize)> = l
            .clone()
            .zip(once_right)
            .filter_map(|(i, j)| (self.positions(left[i]).len() == 1).then_some((i, j?)))
            .collect();
        longest_ascending(&candidates)
    }
}

/// The longest subsequence with ascending right positions; the left ones already ascend. O(n log
/// n).
fn longest_ascending(candidates: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new(); // by length, the candidate that ends the run with the least right position
    let mut before: Vec<Option<usize>> = vec![None; candidates.len()];
    for (index, &(_, right)) in candidates.iter().enumerate() {
        let length = tails.partition_point(|&tail| candidates[tail].1 < right);
        before[index] = length.checked_sub(1).map(|shorter| tails[shorter]);
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut run: Vec<_> = std::iter::successors(tails.last().copied(), |&i| before[i]).map(|i| candidates[i]).collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The oracle: the quadratic table.
    fn table_length(left: &[u32], right: &[u32]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                table[i + 1][j + 1] = match a == b {
                    true => table[i][j] + 1,
                    false => table[i][j + 1].max(table[i + 1][j]),
                };
            }
        }
        table[left.len()][right.len()]
    }

    fn assert_valid(left: &[u32], right: &[u32], pairs: &[(usize, usize)]) {
        assert!(pairs.iter().all(|&(i, j)| left[i] == right[j]));
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
    }

    fn sequence(symbols: u32) -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::vec(0..symbols, 0..150)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn exact_alignment_equals_the_table(
            (left, right) in (1u32..40).prop_flat_map(|n| (sequence(n), sequence(n)))
        ) {
            let alignment = align(&left, &right, BUDGET);
            assert_valid(&left, &right, &alignment.pairs);
            prop_assert!(alignment.exact);
            prop_assert_eq!(alignment.pairs.len(), table_length(&left, &right));
            prop_assert_eq!(lcs_length(&left, &right), alignment.pairs.len());
        }

        #[test]
        fn past_its_budget_every_pair_is_still_true(
            (left, right) in (1u32..300).prop_flat_map(|n| (sequence(n), sequence(n))),
            budget in 0usize..2_000
        ) {
            let alignment = align(&left, &right, budget);
            assert_valid(&left, &right, &alignment.pairs);
            let most = table_length(&left, &right);
            let found = alignment.pairs.len();
            prop_assert!(found == most || (!alignment.exact && found < most));
        }
    }

    #[test]
    fn anchors_find_most_of_a_long_alignment() {
        let left: Vec<u32> = (0..5_000).collect();
        let right: Vec<u32> = (0..5_000).filter(|n| n % 7 != 0).collect();
        let alignment = align(&left, &right, 1_000);
        assert!(!alignment.exact);
        assert_eq!(alignment.pairs.len(), right.len());
    }

    /// A family of slow pairs of sequences.
    type Family = fn(u32) -> (Vec<u32>, Vec<u32>);

    const FAMILIES: [(&str, Family); 5] = [
        ("anchors everywhere", |length| {
            let one = |salt: u32| (0..length).flat_map(|n| [n, salt * length + n]).collect();
            (one(1), one(2))
        }),
        // Each anchor search finds one, at the beginning of the rest.
        ("an anchor a search", |length| {
            let one = |salt: u32| (1..length).flat_map(|n| [n + 1, n, length + 2 * n + salt]).collect();
            (one(0), one(1))
        }),
        ("few symbols", |length| {
            let one = |salt: u32| (0..length).map(|n| (n % 1_000 + salt).pow(2) % 7 % 3).collect();
            (one(0), one(1))
        }),
        ("one symbol", |length| {
            let equal = vec![7; length as usize];
            ([&[1][..], &equal, &[2]].concat(), [&[2][..], &equal[5..], &[1]].concat())
        }),
        ("nothing shared", |length| ((0..length).collect(), (length..2 * length).collect())),
    ];

    #[test]
    fn no_family_of_pages_defeats_it() {
        let budget = 1 << 18;
        for (name, family) in FAMILIES {
            let steps = [2_000, 8_000, 32_000, 128_000].map(|length| {
                let (left, right) = family(length);
                let (found, steps) = align_counted(&left, &right, budget);
                assert_valid(&left, &right, &found.pairs);
                steps / (left.len() + right.len())
            });
            // Within the budget, an element costs at most the square root of it in words; the
            // searches are added.
            assert!(steps.iter().all(|&steps| steps < 512 / 64 + 2 * ANCHOR_ROUNDS), "{name}: {steps:?} an element");
        }
    }

    #[test]
    fn word_boundaries_carry() {
        for length in [63, 64, 65, 127, 128, 129] {
            let left: Vec<u32> = (0..length).map(|n| n % 3).collect();
            let right: Vec<u32> = (0..length).map(|n| (n + 1) % 3).collect();
            assert_eq!(align(&left, &right, BUDGET).pairs.len(), table_length(&left, &right), "{length}");
        }
    }
}
