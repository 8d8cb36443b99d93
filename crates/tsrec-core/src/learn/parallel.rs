//! Parallel work whose results do not depend on the number of parts. The caller supplies the
//! workers: the core starts no threads.

use std::fmt::Debug;
use std::ops::Range;

/// One part of the work.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs the parts of some work, for example on a program's threads.
pub trait Workers: Debug + Sync {
    /// The number of parts that run at a time, at least 1.
    fn count(&self) -> usize;

    /// Runs all parts and returns when they are done.
    fn run(&self, jobs: Vec<Job<'_>>);
}

/// Runs one part after the other, in the caller's thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTurn;

impl Workers for InTurn {
    fn count(&self) -> usize {
        1
    }

    fn run(&self, jobs: Vec<Job<'_>>) {
        jobs.into_iter().for_each(|job| job());
    }
}

/// Applies `work` to each item. Results are in the items' order.
pub fn map<I: Send, T: Send>(workers: &dyn Workers, items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    map_in(workers.count(), workers, items, work)
}

/// Applies `work` to each index below `count`, with workers for what it splits itself. As many
/// indexes as there are workers run side by side, each in one part. The remaining ones run one
/// after the other, each on all workers. Calls `begin` with the indexes that begin.
pub fn side_by_side<T: Send>(
    workers: &'static dyn Workers,
    count: usize,
    mut begin: impl FnMut(Range<usize>),
    work: impl Fn(usize, &'static dyn Workers) -> T + Sync,
) -> Vec<T> {
    let side = workers.count().max(1);
    let mut results = Vec::with_capacity(count);
    while results.len() < count {
        let first = results.len();
        if side > 1 && first + side <= count {
            begin(first..first + side);
            results.extend(map(workers, (first..first + side).collect(), |index| work(index, &InTurn)));
        } else {
            begin(first..first + 1);
            results.push(work(first, workers));
        }
    }
    results
}

/// Like `map`, in at most `parts` parts.
pub(super) fn map_in<I: Send, T: Send>(
    parts: usize,
    workers: &dyn Workers,
    items: Vec<I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    if parts <= 1 || items.len() <= 1 {
        return items.into_iter().map(work).collect();
    }
    let length = items.len().div_ceil(parts);
    let mut items = items.into_iter();
    let mut parts: Vec<(Vec<I>, Vec<T>)> = Vec::new();
    while items.len() > 0 {
        parts.push((items.by_ref().take(length).collect(), Vec::new()));
    }
    let work = &work;
    let job = |(items, results): &'_ mut (Vec<I>, Vec<T>)| results.extend(std::mem::take(items).into_iter().map(work));
    workers.run(parts.iter_mut().map(|part| Box::new(move || job(part)) as Job<'_>).collect());
    parts.into_iter().flat_map(|(_, results)| results).collect()
}

/// Sets each element of a slice to `value` of its index.
pub(super) fn fill<T: Send>(workers: &dyn Workers, slice: &mut [T], value: impl Fn(usize) -> T + Sync) {
    let length = slice.len().div_ceil(workers.count().max(1)).max(1);
    let parts = slice.chunks_mut(length).enumerate().collect();
    map(workers, parts, |(part, slice): (usize, &mut [T])| {
        for (index, element) in slice.iter_mut().enumerate() {
            *element = value(part * length + index);
        }
    });
}

/// How many terms are summed as one group. It is a constant, so that rounding does not depend on
/// the number of workers.
const STRETCH: usize = 1 << 14;

/// The sum of `term` over the indices below `count`, always added in the same order.
pub(super) fn sum(workers: &dyn Workers, count: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let starts = (0..count).step_by(STRETCH).collect();
    let partial = map(workers, starts, |start: usize| (start..count.min(start + STRETCH)).map(&term).sum::<f64>());
    partial.into_iter().sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Reports this many workers and runs the last part first. This reveals results that depend on
    /// the order of parts.
    #[derive(Debug)]
    pub(crate) struct Backwards(pub(crate) usize);

    impl Workers for Backwards {
        fn count(&self) -> usize {
            self.0
        }

        fn run(&self, jobs: Vec<Job<'_>>) {
            jobs.into_iter().rev().for_each(|job| job());
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for workers in [&Backwards(1), &Backwards(2), &Backwards(3), &Backwards(7), &Backwards(100)] {
            for count in [0, 1, 2, 10] {
                let doubled = map(workers, (0..count).collect(), |item: usize| 2 * item);
                assert_eq!(doubled, (0..count).map(|item| 2 * item).collect::<Vec<_>>(), "{workers:?}");
                let mut slice = vec![0; count];
                fill(workers, &mut slice, |index| index + 1);
                assert_eq!(slice, (1..=count).collect::<Vec<_>>(), "{workers:?}");
            }
            for count in [0, 1, 2, 10] {
                let mut begun = Vec::new();
                let squares = side_by_side(workers, count, |first| begun.extend(first), |index, _| index * index);
                assert_eq!(squares, (0..count).map(|index| index * index).collect::<Vec<_>>(), "{workers:?}");
                assert_eq!(begun, (0..count).collect::<Vec<_>>(), "{workers:?}");
            }
            let term = |index: usize| 1.0 / (index + 1) as f64;
            assert_eq!(sum(workers, 40_000, term), sum(&InTurn, 40_000, term), "{workers:?}");
        }
    }
}
