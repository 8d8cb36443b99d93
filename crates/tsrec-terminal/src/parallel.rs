//! Parallel work, one thread per processor.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

/// The number of processors.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The results of all items, in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parallel_with(items, || (), |(), item| work(item))
}

/// As [`in_parallel`], but each thread makes a tool for itself. A free thread takes the next
/// item, so a long item delays no other.
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

/// Limits on results that wait for earlier ones.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// The number of threads.
    pub threads: usize,
    /// Bytes of results that wait for an earlier one. Past this, no item begins.
    pub bytes: usize,
}

/// Works on a stream of items. The calling thread takes the results in the order of the items,
/// each as soon as the earlier ones are taken. Any free thread requests the next item, one at a
/// time. Memory holds the items in progress, and results of up to `ahead.bytes` plus one result a
/// thread.
///
/// # Errors
///
/// The first error of `take`; no item begins after it.
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

/// Results that wait for earlier ones.
struct ResultQueue<R> {
    state: Mutex<LineState<R>>,
    changed: Condvar,
}

struct LineState<R> {
    done: BTreeMap<usize, (R, usize)>,
    /// Bytes of finished results that wait.
    bytes: usize,
    /// The number of the next result.
    next: usize,
    /// Threads that are still working.
    threads: usize,
    stopped: bool,
}

impl<R> LineState<R> {
    fn new(threads: usize) -> Self {
        LineState { done: BTreeMap::new(), bytes: 0, next: 0, threads, stopped: false }
    }
}

impl<R> ResultQueue<R> {
    /// Waits until there is room. False if the work is over.
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

    /// The next result in order. `None` if there is none and all threads have ended.
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

/// Reports the end of a thread, also after a panic.
struct Leaving<'l, R>(&'l ResultQueue<R>);

impl<R> Drop for Leaving<'_, R> {
    fn drop(&mut self) {
        lock(&self.0.state).threads -= 1;
        self.0.changed.notify_all();
    }
}

/// A panicking thread leaves no partial change under a lock.
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
            // The first item is slow, so all others reach the bound.
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
