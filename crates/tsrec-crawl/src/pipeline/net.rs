//! The net below all bounds on the work on a page: a page that holds a thread for too long gives
//! its slot back and is abandoned.
//!
//! Nothing can end a thread from outside. An abandoned thread goes on at the lowest priority until
//! its work ends, and its result is not used. Its page goes to quarantine, as after a panic. If too
//! many threads are abandoned, the crawl ends with an error, and its service manager starts it
//! anew.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::process::{Pid, setpriority_process};
use rustix::time::{ClockId, clock_gettime};

use super::Error;
use super::budget::WorkPermit;
use super::work::{Worked, message};

/// The most CPU time for a step of a page's work: parsing, or extraction. Judgement: the largest
/// page of the default limits takes some seconds on a slow machine.
pub(super) const MOST_CPU: Duration = Duration::from_secs(60);

/// After this much CPU time a page lends its slot to another. Judgement: pages take milliseconds,
/// so that a few slow ones do not hold up all others.
const LEND_AFTER: Duration = Duration::from_secs(2);

/// Pages that may have lent their slots, or be abandoned, before the others keep theirs. Judgement:
/// their documents are in memory.
const MOST_LENT: usize = 16;

/// Abandoned threads with which the crawl ends. Judgement: tokio has 512 threads for such work.
const MOST_ABANDONED: usize = 64;

/// How often to look at a thread. Judgement: a look takes some microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The lowest priority.
const LOWEST: i32 = 19;

static LENT: AtomicUsize = AtomicUsize::new(0);
static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// Work on a blocking thread.
#[derive(Default)]
pub(super) struct PageRun {
    begun: OnceLock<Begun>,
    is_abandoned: AtomicBool,
}

/// A thread, and its CPU time when the work began.
struct Begun {
    thread: Pid,
    cpu: Duration,
    at: Instant,
}

impl PageRun {
    fn begin(&self) {
        // The clock of this thread: to read its file would cost a hundredth of a page.
        let now = clock_gettime(ClockId::ThreadCPUTime);
        let cpu = Duration::try_from(now).unwrap_or_default();
        let _ = self.begun.set(Begun { thread: rustix::thread::gettid(), cpu, at: Instant::now() });
    }

    /// Whether nobody waits for the work any more. Then it must change nothing.
    pub(super) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::SeqCst)
    }

    /// CPU time since the work began, or the time of day where the system does not tell it.
    fn taken(&self) -> Duration {
        let Some(begun) = self.begun.get() else { return Duration::ZERO };
        cpu_time(begun.thread).map_or_else(|| begun.at.elapsed(), |now| now.saturating_sub(begun.cpu))
    }

    fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::SeqCst);
        if let Some(begun) = self.begun.get() {
            // Refused in some containers; then the thread takes more from the others.
            let _ = setpriority_process(Some(begun.thread), LOWEST);
        }
    }
}

/// The CPU time of a thread of this process. Linux calls a thread's number a process id, too.
fn cpu_time(thread: Pid) -> Option<Duration> {
    let path = format!("/proc/self/task/{}/schedstat", thread.as_raw_nonzero());
    let text = std::fs::read_to_string(path).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Counts something as long as it lives.
struct Counted(&'static AtomicUsize);

impl Counted {
    fn one_of(count: &'static AtomicUsize) -> Counted {
        count.fetch_add(1, Ordering::SeqCst);
        Counted(count)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs blocking work outside the async threads. It survives a panic, and does not wait for work
/// that takes more than `most` of CPU time.
pub(super) async fn may_fail<R: Send + 'static>(
    most: Duration,
    permit: Option<&WorkPermit>,
    work: impl FnOnce(&PageRun) -> R + Send + 'static,
) -> Result<Worked<R>, Error> {
    let run = Arc::new(PageRun::default());
    let on_thread = Arc::clone(&run);
    let counted = Arc::new(OnceLock::new());
    let while_it_runs = Arc::clone(&counted);
    let mut task = tokio::task::spawn_blocking(move || {
        on_thread.begin();
        let done = work(&on_thread);
        drop(while_it_runs);
        done
    });
    let mut lent = None;
    loop {
        let ended = match tokio::time::timeout(LOOK_EVERY, &mut task).await {
            Ok(ended) => ended,
            Err(_) => {
                let taken = run.taken();
                if taken >= LEND_AFTER && lent.is_none() && LENT.load(Ordering::SeqCst) < MOST_LENT {
                    lent = Some(Counted::one_of(&LENT));
                    permit.inspect(|permit| permit.lend());
                }
                if taken < most {
                    continue;
                }
                run.abandon();
                permit.inspect(|permit| permit.lend());
                // The thread drops the last reference, when its work ends at last.
                let _ = counted.set(Counted::one_of(&ABANDONED));
                metrics::counter!("tsrec_pages_abandoned_total").increment(1);
                if ABANDONED.load(Ordering::SeqCst) > MOST_ABANDONED {
                    return Err(Error::because(format!(
                        "{MOST_ABANDONED} pages hold threads that nothing can end: the process must be started anew"
                    )));
                }
                return Ok(Worked::Panicked(format!("it took more than {} s of processor time", most.as_secs())));
            }
        };
        return match ended {
            Ok(done) => Ok(Worked::Done(done)),
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => Ok(Worked::Panicked(message(&*panic))),
                Err(cancelled) => Err(Error::because(cancelled)),
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::Budget;
    use super::*;

    /// Works until nobody waits for it any more.
    fn spin(run: &PageRun) {
        let begun = Instant::now();
        while !run.is_abandoned() && begun.elapsed() < Duration::from_secs(30) {
            std::hint::black_box(0);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_that_takes_too_long_is_abandoned_and_gives_its_slot_back() {
        let budget = Budget::new(1 << 20);
        let permit = budget.permit().await;
        let free = budget.free_slots();
        let (send, heard) = std::sync::mpsc::channel();
        let most = Duration::from_millis(300);
        let worked = may_fail(most, Some(&permit), move |run| {
            spin(run);
            send.send(run.is_abandoned()).unwrap();
        });
        let begun = Instant::now();
        assert!(matches!(worked.await.unwrap(), Worked::Panicked(why) if why.contains("processor time")));
        assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
        assert_eq!(budget.free_slots(), free + 1);
        assert!(heard.recv().unwrap(), "the work can tell that nobody waits for it");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_that_waits_is_not_abandoned() {
        let most = Duration::from_millis(100);
        let worked = may_fail(most, None, |run| {
            std::thread::sleep(Duration::from_millis(1_500));
            run.is_abandoned()
        });
        assert!(matches!(worked.await.unwrap(), Worked::Done(false)));
    }

    #[tokio::test]
    async fn a_panic_is_told() {
        let worked = may_fail(MOST_CPU, None, |_| -> () { panic!("words") });
        assert!(matches!(worked.await.unwrap(), Worked::Panicked(why) if why == "words"));
    }
}
