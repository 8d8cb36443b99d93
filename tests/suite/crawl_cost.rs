//! The cost of a visit in the frontier does not depend on the number of hosts.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use tsrec_crawl::frontier::{Ack, Config, Discovered, Embedded, Frontier, Health, Heard};
use tsrec_store::Database;

/// Threads that visit at the same time. If the clock is read outside the lock, it can run backwards
/// between them.
const THREADS: usize = 4;
const VISITS: u64 = 4_000;

/// Processor time of the calling thread. It excludes other programs and waiting for a lock.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

/// Processor time of the calls of a visit: lease, fetched, ack, next due date.
fn visit_cost(queues: u64) -> Duration {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
    let config = Config { delay: Duration::ZERO, unproven_requests: u32::MAX, ..Config::default() };
    let frontier = Embedded::new(&database, &config).unwrap();
    let block_on = |future| tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future);
    let urls: Vec<_> =
        (0..queues).map(|n| Discovered::page(format!("http://h{n}.example/").parse().unwrap(), 0, None)).collect();
    block_on(async { frontier.put_discovered(&urls).await.map(drop) }).unwrap();
    let (visited, spent) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let before = processor_time();
                runtime.block_on(async {
                    while visited.fetch_add(1, Ordering::Relaxed) < VISITS {
                        for lease in frontier.get_urls(1).await.unwrap() {
                            let url = lease.url.as_str();
                            let took = Duration::from_millis(1);
                            let heard = Heard { took, health: Health::Fine, asked: None, address: None };
                            frontier.fetched(url, &heard).await.unwrap();
                            let refetchable_from = Timestamp::now();
                            frontier.ack(url, Ack::Ok { refetchable_from }, "").await.unwrap();
                        }
                        frontier.next_due().await.unwrap();
                    }
                });
                let nanoseconds = u64::try_from((processor_time() - before).as_nanos()).unwrap();
                spent.fetch_add(nanoseconds, Ordering::Relaxed);
            });
        }
    });
    Duration::from_nanos(spent.into_inner() / VISITS)
}

#[test]
fn a_visit_costs_the_same_with_a_hundred_hosts_and_with_a_hundred_thousand() {
    let (few, many) = (visit_cost(100), visit_cost(100_000));
    assert!(many < few * 2 + Duration::from_micros(100), "{few:?} with 100 queues, {many:?} with 100,000");
}
