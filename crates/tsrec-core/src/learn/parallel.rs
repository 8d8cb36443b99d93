//! Work that is split, with results that do not tell into how many parts. Who does the parts is
//! said from outside: the core starts no threads.

use std::fmt::Debug;

/// A part of some work.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Who does the parts of some work, such as the threads of a program.
pub trait Workers: Debug + Sync {
    /// How many parts are done at a time, at least 1.
    fn count(&self) -> usize;

    /// Does all of it, and returns when it is done.
    fn run(&self, jobs: Vec<Job<'_>>);
}

/// One part after the other, by the caller.
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

/// What `work` makes of each item, in the items' order.
pub fn map<I: Send, T: Send>(workers: &dyn Workers, items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    map_in(workers.count(), workers, items, work)
}

/// The same in so many parts at most.
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

/// Sets each element of a slice to what `value` says of its index.
pub(super) fn fill<T: Send>(workers: &dyn Workers, slice: &mut [T], value: impl Fn(usize) -> T + Sync) {
    let length = slice.len().div_ceil(workers.count().max(1)).max(1);
    let parts = slice.chunks_mut(length).enumerate().collect();
    map(workers, parts, |(part, slice): (usize, &mut [T])| {
        for (index, element) in slice.iter_mut().enumerate() {
            *element = value(part * length + index);
        }
    });
}

/// How many terms are summed at a stretch. A constant of its own, so that rounding does not depend
/// on the number of workers.
const STRETCH: usize = 1 << 14;

/// The sum of `term` over the indices below `count`, always added up in one and the same order.
pub(super) fn sum(workers: &dyn Workers, count: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let starts = (0..count).step_by(STRETCH).collect();
    let partial = map(workers, starts, |start: usize| (start..count.min(start + STRETCH)).map(&term).sum::<f64>());
    partial.into_iter().sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// So many workers, of whom the last is done first: what depends on the order of parts differs.
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
        for workers in [1, 2, 3, 7, 100] {
            let workers = Backwards(workers);
            for count in [0, 1, 2, 10] {
                let doubled = map(&workers, (0..count).collect(), |item: usize| 2 * item);
                assert_eq!(doubled, (0..count).map(|item| 2 * item).collect::<Vec<_>>(), "{workers:?}");
                let mut slice = vec![0; count];
                fill(&workers, &mut slice, |index| index + 1);
                assert_eq!(slice, (1..=count).collect::<Vec<_>>(), "{workers:?}");
            }
            let term = |index: usize| 1.0 / (index + 1) as f64;
            assert_eq!(sum(&workers, 40_000, term), sum(&InTurn, 40_000, term), "{workers:?}");
        }
    }
}
