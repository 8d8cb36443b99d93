//! A set of hashes, each with a number.

/// Hashes in ascending order. The number of a hash is its index. Hashes are spread evenly, so a
/// look-up compares one or two.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hashes {
    hashes: Vec<u32>,
    /// For each prefix of bits, the index of the first hash with it, and an end. There is about one
    /// hash for each prefix.
    begins: Vec<u32>,
}

impl Hashes {
    /// From hashes in ascending order.
    pub(super) fn new(hashes: Vec<u32>) -> Hashes {
        let count = hashes.len().next_power_of_two();
        let (mut begins, mut end) = (Vec::with_capacity(count + 1), 0);
        for beginning in 0..=count {
            let at_least = |&hash: &u32| Hashes::beginning(hash, count) >= beginning;
            end += hashes[end..].iter().position(at_least).unwrap_or(hashes.len() - end);
            begins.push(end as u32);
        }
        Hashes { hashes, begins }
    }

    /// From the difference of each hash to the one before it. A file stores a difference in three
    /// bytes, but a hash in five.
    pub(super) fn of_steps(steps: impl ExactSizeIterator<Item = u32>) -> Result<Hashes, &'static str> {
        let mut hashes = Vec::with_capacity(steps.len());
        for step in steps {
            let last = hashes.last().copied();
            let hash = last.unwrap_or(0_u32).checked_add(step).ok_or("a table's hashes are out of range")?;
            if last == Some(hash) {
                return Err("a table has a hash twice");
            }
            hashes.push(hash);
        }
        Ok(Hashes::new(hashes))
    }

    /// See [`Hashes::of_steps`].
    pub(super) fn steps(&self) -> impl Iterator<Item = u32> + '_ {
        let mut last = 0;
        self.hashes.iter().map(move |&hash| hash - std::mem::replace(&mut last, hash))
    }

    /// The first bits of a hash, so that there are `count` prefixes. `count` is a power of two.
    fn beginning(hash: u32, count: usize) -> usize {
        ((u64::from(hash) * count as u64) >> 32) as usize
    }

    /// The number of a hash. `None` if the set lacks it.
    pub(super) fn find(&self, hash: u32) -> Option<usize> {
        let count = self.begins.len().checked_sub(1)?;
        let beginning = Hashes::beginning(hash, count);
        let alike = self.begins[beginning] as usize..self.begins[beginning + 1] as usize;
        Some(alike.start + self.hashes[alike].iter().position(|&other| other == hash)?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// This holds even if hashes are spread unevenly.
        #[test]
        fn each_hash_is_found_by_its_number(
            hashes in proptest::collection::btree_set(prop_oneof![any::<u32>(), 0_u32..40, Just(u32::MAX)], 0..60),
            asked in proptest::collection::vec(prop_oneof![any::<u32>(), 0_u32..40], 0..20),
        ) {
            let hashes: BTreeSet<u32> = hashes;
            let found = Hashes::new(hashes.iter().copied().collect());
            for hash in hashes.iter().chain(&asked) {
                prop_assert_eq!(found.find(*hash), hashes.iter().position(|other| other == hash));
            }
            let steps: Vec<u32> = found.steps().collect();
            prop_assert_eq!(Hashes::of_steps(steps.into_iter()), Ok(found));
        }
    }

    #[test]
    fn damaged_steps_are_an_error() {
        for (steps, expect) in
            [([5, 0], "a table has a hash twice"), ([5, u32::MAX], "a table's hashes are out of range")]
        {
            assert_eq!(Hashes::of_steps(steps.into_iter()), Err(expect));
        }
    }
}
