//! Work on as many threads as there are processors.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

/// As many threads as there are processors.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What comes of each item, in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parallel_with(items, || (), |(), item| work(item))
}

/// As [`in_parallel`]; each thread works with a tool that it makes for itself. Whoever is done
/// takes the next item, so a long one holds up nobody.
pub fn in_parallel_with<T: Sync, W, R: Send>(
    items: &[T],
    make: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let threads = processors().min(items.len());
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

/// How far work may run ahead of what is taken in order.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// How many threads work.
    pub threads: usize,
    /// Bytes of results that wait for one before them; past it no item is begun.
    pub bytes: usize,
}

/// Works on a stream of items, and takes the results in the order of the items, on the calling
/// thread, each as soon as those before it were taken. Items are asked for one at a time, by
/// whichever thread is free. In memory are the items in work, and results up to `ahead.bytes` and
/// one a thread.
///
/// # Errors
///
/// The first of `take`; nothing is begun after it.
pub fn in_order<T, R: Send>(
    items: impl Iterator<Item = T> + Send,
    ahead: Ahead,
    work: impl Fn(T) -> R + Sync,
    size: impl Fn(&R) -> usize + Sync,
    mut take: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let items = Mutex::new(items.enumerate());
    let line = ResultQueue { state: Mutex::new(LineState::new(ahead.threads)), changed: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..ahead.threads {
            scope.spawn(|| {
                let _leaving = Leaving(&line);
                while line.has_room(ahead.bytes) {
                    let next = lock(&items).next();
                    let Some((at, item)) = next else { break };
                    let result = work(item);
                    let bytes = size(&result);
                    line.put(at, result, bytes);
                }
            });
        }
        while let Some(result) = line.next() {
            if let Err(error) = take(result) {
                line.stop();
                return Err(error);
            }
        }
        Ok(())
    })
}

/// Results that wait for those before them.
struct ResultQueue<R> {
    state: Mutex<LineState<R>>,
    changed: Condvar,
}

struct LineState<R> {
    done: BTreeMap<usize, (R, usize)>,
    /// Bytes of what is done and waits.
    bytes: usize,
    /// The number of the result that is taken next.
    next: usize,
    /// Threads that are still at it.
    threads: usize,
    stopped: bool,
}

impl<R> LineState<R> {
    fn new(threads: usize) -> Self {
        LineState { done: BTreeMap::new(), bytes: 0, next: 0, threads, stopped: false }
    }
}

impl<R> ResultQueue<R> {
    /// Waits until there is room. False when nothing more is to be done.
    fn has_room(&self, bytes: usize) -> bool {
        let full = |state: &mut LineState<R>| !state.stopped && state.bytes > bytes;
        let state = self.changed.wait_while(lock(&self.state), full);
        !state.unwrap_or_else(PoisonError::into_inner).stopped
    }

    fn put(&self, at: usize, result: R, bytes: usize) {
        let mut state = lock(&self.state);
        state.done.insert(at, (result, bytes));
        state.bytes += bytes;
        self.changed.notify_all();
    }

    /// The next result in order. `None` when there is none and nobody works.
    fn next(&self) -> Option<R> {
        let waits = |state: &mut LineState<R>| state.threads > 0 && !state.done.contains_key(&state.next);
        let mut state = self.changed.wait_while(lock(&self.state), waits).unwrap_or_else(PoisonError::into_inner);
        let next = state.next;
        let (result, bytes) = state.done.remove(&next)?;
        state.next += 1;
        state.bytes -= bytes;
        self.changed.notify_all();
        Some(result)
    }

    fn stop(&self) {
        lock(&self.state).stopped = true;
        self.changed.notify_all();
    }
}

/// Tells that a thread is gone, however it went.
struct Leaving<'l, R>(&'l ResultQueue<R>);

impl<R> Drop for Leaving<'_, R> {
    fn drop(&mut self) {
        lock(&self.0.state).threads -= 1;
        self.0.changed.notify_all();
    }
}

/// A thread that panicked left nothing half done under a lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(in_parallel(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(in_parallel(&[] as &[u8], |_| ()).is_empty());
    }

    #[test]
    fn results_of_a_stream_come_in_order_and_little_is_ahead() {
        let begun = AtomicUsize::new(0);
        let mut taken = Vec::new();
        let work = |item: usize| {
            begun.fetch_add(1, SeqCst);
            // The first is slow: all others run into the bound.
            std::thread::sleep(Duration::from_millis(if item == 0 { 100 } else { 0 }));
            item
        };
        let take = |item: usize| {
            let ahead = begun.load(SeqCst) - item;
            assert!(item > 0 || ahead <= 4 + 10 + 1, "{ahead} items were begun before the first was taken");
            taken.push(item);
            Ok(())
        };
        in_order(0..1_000, Ahead { threads: 4, bytes: 100 }, work, |_| 10, take).unwrap();
        assert_eq!(taken, (0..1_000).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_begun_after_an_error() {
        let begun = AtomicUsize::new(0);
        let take = |item| if item == 3 { anyhow::bail!("full") } else { Ok(()) };
        let work = |item: usize| {
            begun.fetch_add(1, SeqCst);
            item
        };
        let ended = in_order(0.., Ahead { threads: 2, bytes: 0 }, work, |_| 1, take);
        assert_eq!(ended.unwrap_err().to_string(), "full");
        assert!(begun.load(SeqCst) < 20);
    }
}
