//! Work shared out to threads, with results that do not tell how many there were.

/// What `work` makes of each item, in the items' order. The calling thread takes a share.
pub fn map<I: Send, T: Send>(threads: usize, items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let share = items.len().div_ceil(threads.max(1));
    if threads <= 1 || items.len() <= 1 {
        return items.into_iter().map(work).collect();
    }
    let mut shares = Vec::with_capacity(threads);
    let mut items = items.into_iter();
    while items.len() > 0 {
        shares.push(items.by_ref().take(share).collect::<Vec<I>>());
    }
    let own = shares.remove(0);
    let work = &work;
    let run = move |share: Vec<I>| share.into_iter().map(work).collect::<Vec<T>>();
    std::thread::scope(|scope| {
        let others: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || run(share))).collect();
        let mut results = run(own);
        results.extend(others.into_iter().flat_map(|other| other.join().expect("the work does not panic")));
        results
    })
}

/// Sets each element of a slice to what `value` says of its index.
pub(super) fn fill<T: Send>(threads: usize, slice: &mut [T], value: impl Fn(usize) -> T + Sync) {
    let share = slice.len().div_ceil(threads.max(1)).max(1);
    let parts = slice.chunks_mut(share).enumerate().collect();
    map(threads, parts, |(part, slice): (usize, &mut [T])| {
        for (index, element) in slice.iter_mut().enumerate() {
            *element = value(part * share + index);
        }
    });
}

/// How many terms are summed at a stretch. A constant of its own, so that rounding does not depend on the number of
/// threads.
const STRETCH: usize = 1 << 14;

/// The sum of `term` over the indices below `count`, always added up in one and the same order.
pub(super) fn sum(threads: usize, count: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let starts = (0..count).step_by(STRETCH).collect();
    let partial = map(threads, starts, |start: usize| (start..count.min(start + STRETCH)).map(&term).sum::<f64>());
    partial.into_iter().sum()
}
