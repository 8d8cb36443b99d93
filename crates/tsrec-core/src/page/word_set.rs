//! A set of a page's word numbers: which words are content.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Some of a page's words, by their numbers in document order from 0. Stored as runs; a page's
/// content has few.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordSet {
    runs: Vec<Range<u32>>,
}

impl WordSet {
    /// The words with a `true`; give one value for each word of the page. Words past the four
    /// thousand millionth are left out.
    pub fn new(kept: impl IntoIterator<Item = bool>) -> WordSet {
        let mut runs: Vec<Range<u32>> = Vec::new();
        for (number, _) in (0..u32::MAX).zip(kept).filter(|(_, kept)| *kept) {
            match runs.last_mut() {
                Some(run) if run.end == number => run.end += 1,
                _ => runs.push(number..number + 1),
            }
        }
        WordSet { runs }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.runs.iter().map(ExactSizeIterator::len).sum()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// F1 of the words found against these, from 0 to 1; 0 if they share none. Linear in the runs.
    pub fn f1(&self, found: &WordSet) -> f64 {
        let common = self.common(found);
        if common == 0 { 0.0 } else { 2.0 * common as f64 / (self.len() + found.len()) as f64 }
    }

    /// The number of words in both.
    fn common(&self, other: &WordSet) -> usize {
        let (mut mine, mut theirs) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        let mut common = 0;
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            common += (a.start.max(b.start)..a.end.min(b.end)).len();
            if a.end <= b.end {
                mine.next()
            } else {
                theirs.next()
            };
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pattern: &str) -> WordSet {
        WordSet::new(pattern.chars().map(|c| c == 'x'))
    }

    #[test]
    fn f1_is_that_worked_by_hand() {
        for (gold, found, expect) in [
            ("", "", 0.0),
            ("xx", "..", 0.0),
            ("xx..", "..xx", 0.0),
            ("xxxx", "xxxx", 1.0),
            ("x.x.x", "x.x.x", 1.0),
            ("xxx...", "..xxxx", 2.0 / 7.0),
            (".xxxxxx.", ".xx..xx.", 8.0 / 10.0),
            ("xx.xx.xx", ".xxxxxx", 8.0 / 12.0),
        ] {
            assert!((set(gold).f1(&set(found)) - expect).abs() < 1e-12, "{gold} {found}");
            assert!((set(found).f1(&set(gold)) - expect).abs() < 1e-12, "{found} {gold}");
        }
        assert_eq!((set("x.xx").len(), set("x.xx").runs.len(), set("..").is_empty()), (3, 2, true));
    }
}
