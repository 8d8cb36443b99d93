//! Work on as many threads as there are processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What comes of each item, in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parallel_with(items, || (), |(), item| work(item))
}

/// As [`in_parallel`]; each thread works with a tool that it makes for itself. Whoever is done takes the next item, so
/// a long one holds up nobody.
pub(super) fn in_parallel_with<T: Sync, W, R: Send>(
    items: &[T],
    make: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut tool = make();
                while let Some((at, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
                {
                    let result = work(&mut tool, item);
                    done.lock().expect("nobody panics with the lock")[at] = Some(result);
                }
            });
        }
    });
    let done = done.into_inner().expect("nobody panics with the lock");
    done.into_iter().map(|result| result.expect("every item was worked on")).collect()
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(in_parallel(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(in_parallel(&[] as &[u8], |_| ()).is_empty());
    }
}
