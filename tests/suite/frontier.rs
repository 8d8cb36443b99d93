//! The embedded frontier, through its trait, with a clock that the test sets.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tsrec_crawl::Fault;
use tsrec_crawl::frontier::{
    Ack, Acked, Config, Discovered, Embedded, Error, Filter, Frontier, Health, Heard, PutSummary, RefusedUrls, Section,
    Trap, UrlState,
};
use tsrec_store::Database;

/// A frontier, its clock, and everything needed to open it again.
struct Bench {
    dir: tempfile::TempDir,
    config: Config,
    clock: Arc<AtomicI64>,
    frontier: Option<(Database, Embedded)>,
    runtime: tokio::runtime::Runtime,
}

const START: i64 = 1_000_000;

impl Bench {
    fn new(config: Config) -> Bench {
        let mut bench = Bench {
            dir: tempfile::tempdir().unwrap(),
            config,
            clock: Arc::new(AtomicI64::new(START)),
            frontier: None,
            runtime: tokio::runtime::Builder::new_current_thread().build().unwrap(),
        };
        bench.reopen();
        bench
    }

    fn reopen(&mut self) {
        self.reopen_as("1");
    }

    fn reopen_as(&mut self, version: &str) {
        self.frontier = None;
        self.frontier = Some(open(self.dir.path(), &self.config, &self.clock, version));
    }

    fn wait(&self, millis: i64) {
        self.clock.fetch_add(millis, Ordering::SeqCst);
    }

    fn now(&self) -> i64 {
        self.clock.load(Ordering::SeqCst)
    }

    fn run<T>(&self, call: impl AsyncFnOnce(&Embedded) -> Result<T, Error>) -> T {
        self.runtime.block_on(call(&self.frontier.as_ref().unwrap().1)).unwrap()
    }

    fn put(&self, urls: &[&str]) -> PutSummary {
        let urls: Vec<_> = urls.iter().map(|url| discovered(url, 3)).collect();
        self.run(async |frontier| frontier.put_discovered(&urls).await)
    }

    fn trap(&self, queue: &str, section: &str) -> Option<Trap> {
        self.run(async |frontier| frontier.trap(queue, section).await)
    }

    fn set_trap(&self, queue: &str, section: &str, trap: Option<&Trap>) {
        self.run(async |frontier| frontier.set_trap(queue, section, trap.cloned()).await);
    }

    fn lease(&self, max: usize) -> Vec<String> {
        self.run(async |frontier| frontier.get_urls(max).await).into_iter().map(|lease| lease.url.into()).collect()
    }

    fn fetched(&self, url: &str) -> bool {
        self.heard(url, Health::Fine, 0)
    }

    fn heard(&self, url: &str, health: Health, took: u64) -> bool {
        let heard = Heard { took: Duration::from_millis(took), health, asked: None, address: None };
        self.run(async |frontier| frontier.fetched(url, &heard).await)
    }

    /// Ends the request, if one is under way, and then the lease.
    fn ack(&self, url: &str, ack: Ack) -> Acked {
        if asks(ack) {
            self.fetched(url);
        }
        self.ack_only(url, ack)
    }

    fn ack_only(&self, url: &str, ack: Ack) -> Acked {
        self.run(async |frontier| frontier.ack(url, ack, "said").await)
    }

    fn locate(&self, url: &str, address: &str) -> bool {
        self.run(async |frontier| frontier.locate(url, address.parse().unwrap()).await)
    }

    fn wait_for(&self, page: &str, sibling: &str) -> bool {
        self.run(async |frontier| frontier.wait_for(page, sibling).await)
    }

    fn list(&self, filter: Filter) -> Vec<String> {
        let (listed, _) = self.frontier().list(filter, None, None, 100).unwrap();
        listed.into_iter().map(|listed| listed.url).collect()
    }

    fn frontier(&self) -> &Embedded {
        &self.frontier.as_ref().unwrap().1
    }

    fn promote(&self, url: &str) -> bool {
        self.run(async |frontier| frontier.promote(url).await)
    }

    fn state(&self, url: &str) -> Option<UrlState> {
        self.run(async |frontier| frontier.status(url).await).map(|status| status.state)
    }

    fn next_due(&self) -> Option<i64> {
        self.run(async |frontier| frontier.next_due().await).map(|wait| wait.as_millis() as i64)
    }

    fn block(&self, queue: &str, until: i64) {
        self.run(async |frontier| frontier.block_queue_until(queue, millis(until)).await);
    }

    fn set_delay(&self, queue: &str, delay: u64) {
        self.run(async |frontier| frontier.set_delay(queue, Some(Duration::from_millis(delay))).await);
    }

    fn stats(&self) -> tsrec_crawl::frontier::FrontierStats {
        self.run(async |frontier| frontier.stats().await)
    }
}

fn open(dir: &Path, config: &Config, clock: &Arc<AtomicI64>, version: &str) -> (Database, Embedded) {
    let database = Database::open(dir, &tsrec_store::Config::default()).unwrap();
    let clock = Arc::clone(clock);
    let frontier = Embedded::open(&database, config, version, move || millis(clock.load(Ordering::SeqCst))).unwrap();
    (database, frontier)
}

fn discovered(url: &str, depth: u32) -> Discovered {
    Discovered::page(url.parse().unwrap(), depth, None)
}

fn millis(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

/// Whether these tests make a request before such an ack.
fn asks(ack: Ack) -> bool {
    !matches!(ack, Ack::Skipped | Ack::Returned | Ack::Postponed { .. })
}

fn ok(from: i64) -> Ack {
    Ack::Ok { refetchable_from: millis(from) }
}

const FAIL: Ack = Ack::Fail { retry_after: None, fault: Fault::Url };
const HOST_FAIL: Ack = Ack::Fail { retry_after: None, fault: Fault::Host };
const DAY: i64 = 24 * 60 * 60 * 1_000;
const LATER: i64 = START + 1_000_000_000;

#[test]
fn a_put_counts_what_is_new_known_and_refused() {
    let bench = Bench::new(Config { max_urls_per_queue: 3, ..Config::default() });
    let summary = |added, known, full, unfit| {
        let refused = RefusedUrls { full, unfit, ..RefusedUrls::default() };
        PutSummary { added, known, refused, ..PutSummary::default() }
    };
    let long = format!("http://b/{}", "x".repeat(3_000));
    for (urls, expect) in [
        (&["http://a/1", "http://a/2", "http://a/1"][..], summary(2, 1, 0, 0)),
        (&["http://a/2", "http://a/3", "http://a/4", "http://a/5"], summary(1, 1, 2, 0)),
        (&["http://b/1", "mailto:a@b", &long], summary(1, 0, 0, 2)),
        (&[], summary(0, 0, 0, 0)),
    ] {
        assert_eq!(bench.put(urls), expect, "{urls:?}");
    }
    let stats = bench.stats();
    assert_eq!((stats.queues, stats.discovered, stats.due_now), (2, 4, 2));
}

/// A trap survives a restart and counts among the sections that accept no URLs. It ends when its
/// URLs are forgotten.
#[test]
fn a_trap_is_remembered_until_its_section_is_forgotten() {
    let mut bench = Bench::new(Config::default());
    bench.put(&["http://a/day/1", "http://a/day/2", "http://a/news", "http://b/day/1"]);
    let prints: Vec<u64> = (0..32).map(|n| u64::MAX - n).collect();
    let trap = Trap { until: "2026-12-24T18:00:00Z".parse().unwrap(), times: 2, prints };
    bench.set_trap("a", "/day/#", Some(&trap));
    for time in ["first", "after a restart"] {
        assert_eq!(bench.trap("a", "/day/#").as_ref(), Some(&trap), "{time}");
        assert_eq!(["/day/", "/*"].map(|section| bench.trap("a", section)), [None, None]);
        assert_eq!(bench.trap("b", "/day/#"), None);
        let refusing = bench.frontier().list_sections(true, None, None, 9).unwrap().0;
        assert_eq!(refusing.len(), 1, "{refusing:?}");
        assert_eq!((&*refusing[0].section, refusing[0].urls, refusing[0].trap.as_ref()), ("/day/#", 2, Some(&trap)));
        bench.put(&["http://a/day/1"]);
        bench.reopen();
    }
    bench.set_trap("a", "/day/#", None);
    assert_eq!(bench.trap("a", "/day/#"), None);
    bench.set_trap("a", "/day/#", Some(&trap));
    assert!(bench.frontier().requeue("http://a/news").unwrap());
    assert_eq!(bench.trap("a", "/day/#").as_ref(), Some(&trap));
    assert!(bench.frontier().requeue("http://a/day/2").unwrap());
    assert_eq!(bench.trap("a", "/day/#"), None, "an operator wants a page of it");
    bench.set_trap("a", "/day/#", Some(&trap));
    bench.frontier().pause("a", false).unwrap();
    assert_eq!(bench.trap("a", "/day/#"), None, "an operator wants it looked at anew");
    assert_eq!(bench.frontier().list_sections(false, Some("a"), None, 9).unwrap().0[1].urls, 2);
    bench.set_trap("a", "/day/#", Some(&trap));
    bench.frontier().drop_queue("a").unwrap();
    assert_eq!(bench.trap("a", "/day/#"), None, "none of its URLs is left");
}

/// This holds whatever the pages contain. No other rule catches a trap whose pages are not copies
/// of each other.
#[test]
fn a_section_of_a_host_takes_a_part_of_its_room_and_no_more() {
    let mut bench = Bench::new(Config { max_urls_per_section: 10, max_urls_per_queue: 30, ..Config::default() });
    let days = |from: u64| (from..from + 10).map(|n| format!("http://a/day/{n}")).collect::<Vec<_>>();
    let put = |bench: &Bench, urls: &[String]| bench.put(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(put(&bench, &days(0)).added, 10);
    for time in ["first", "after a restart"] {
        let refused = RefusedUrls { section: 10, ..RefusedUrls::default() };
        let expect = PutSummary { refused, ..PutSummary::default() };
        assert_eq!(put(&bench, &days(10)), expect, "{time}");
        bench.reopen();
    }
    assert_eq!(bench.put(&["http://a/day/of/rest", "http://a/news", "http://b/day/1"]).refused.section, 1);
    let refusing = |bench: &Bench| bench.frontier().list_sections(true, None, None, 9).unwrap();
    let last = |section: &str, urls, refused, last: &str| Section {
        host: "a".into(),
        section: section.into(),
        urls,
        refused,
        last_refused: last.into(),
        trap: None,
    };
    let full = [last("/day/", 10, 1, "http://a/day/of/rest"), last("/day/#", 10, 20, "http://a/day/19")];
    assert_eq!(refusing(&bench), (full.to_vec(), None), "what was refused, where, and one of them");
    let first = bench.frontier().list_sections(true, Some("a"), None, 1).unwrap();
    assert_eq!(first, (vec![full[0].clone()], Some("a/day/".into())));
    assert_eq!(
        bench.frontier().list_sections(true, Some("a"), Some("a/day/"), 9).unwrap(),
        (vec![full[1].clone()], None)
    );
    let others: Vec<String> = (0..10).map(|n| format!("http://a/news/{n}")).collect();
    assert_eq!(put(&bench, &others).added, 10, "its other sections have room");
    assert_eq!(bench.frontier().drop_queue("a").unwrap(), 21);
    bench.frontier().pause("a", false).unwrap();
    assert_eq!(put(&bench, &days(10)).added, 10, "what was dropped leaves room");
}

/// The web is endless and memory is not: the total over all hosts is bounded. A refused URL leaves
/// nothing behind.
#[test]
fn the_frontier_as_a_whole_has_room_for_so_many() {
    let bench = Bench::new(Config { max_urls: 3, ..Config::default() });
    let put = |urls: &[&str]| {
        let put = bench.put(urls);
        (put.added, put.known, put.refused.frontier)
    };
    assert_eq!(put(&["http://a/1", "http://b/1"]), (2, 0, 0));
    assert_eq!(put(&["http://c/1", "http://d/1", "http://a/2"]), (1, 0, 2));
    assert_eq!(put(&["http://a/1", "http://e/1"]), (0, 1, 1), "what is known is known");
    assert_eq!((bench.stats().queues, bench.stats().refused), (3, 3));
    assert!(bench.frontier().list_sections(true, None, None, 100).unwrap().0.is_empty());

    let (listed, _) = bench.frontier().list(Filter::All, None, None, 9).unwrap();
    let smaller = Bench::new(Config { max_urls: 2, ..Config::default() });
    assert_eq!((smaller.frontier().put_back(&listed).unwrap(), smaller.list(Filter::All).len()), (2, 2), "of a backup");
}

/// Pages of other hosts cannot fill a host. There is still room for the host's own links and an
/// operator's URLs.
#[test]
fn links_of_other_hosts_leave_a_host_half_of_its_room() {
    let bench = Bench::new(Config { max_urls_per_queue: 10, ..Config::default() });
    let put = |from: Option<&str>, prefix: &str| {
        let page = from.map(|url| url.parse().unwrap());
        let url = |n| format!("http://a/{prefix}/{n}").parse().unwrap();
        let links: Vec<_> = (0..8).map(|n| Discovered::page(url(n), 2, page.clone())).collect();
        let put = bench.run(async |frontier| frontier.put_discovered(&links).await);
        (put.added, put.refused.full)
    };
    assert_eq!(put(Some("http://b/links"), "x"), (5, 3));
    assert_eq!(put(Some("http://c/links"), "y"), (0, 8));
    assert_eq!(put(Some("http://a/"), "own"), (5, 3));
    assert_eq!(put(None, "seed"), (0, 8));
}

/// The counts never start anew, however many hosts have counted sections.
#[test]
fn what_a_host_refuses_as_a_whole_can_be_listed_too() {
    let bench = Bench::new(Config { max_urls_per_section: 2, max_urls_per_queue: 2, ..Config::default() });
    for host in 0..40 {
        let urls = ["1", "2", "3"].map(|n| format!("http://h{host}/{n}/x"));
        let urls = urls.each_ref().map(String::as_str);
        assert_eq!((bench.put(&urls).added, bench.put(&urls).refused.full), (2, 1));
    }
    bench.frontier().drop_queue("h7").unwrap();
    assert_eq!(bench.put(&["http://h7/9/x"]).refused.dropped, 1);
    let (listed, _) = bench.frontier().list_sections(true, None, None, 100).unwrap();
    assert_eq!(listed.len(), 40);
    let h7 = listed.iter().find(|section| section.host == "h7").unwrap();
    assert_eq!((&*h7.section, h7.urls, h7.refused, &*h7.last_refused), ("", 0, 3, "http://h7/9/x"));
    let (left, _) = bench.frontier().list_sections(false, Some("h7"), None, 100).unwrap();
    assert_eq!(left.len(), 1, "a section without URLs is none: {left:?}");
}

/// The frontier finds the URL again by a shorter path, whatever state it is in. State, date and
/// counts stay.
#[test]
fn a_url_has_the_depth_of_the_shortest_way_to_it() {
    let mut bench = Bench::new(Config::default());
    let urls = ["http://a/discovered", "http://b/leased", "http://c/known", "http://d/skipped", "http://e/failed"];
    let put = |bench: &Bench, depth, from: Option<&str>| {
        let found = urls.map(|url| Discovered::page(url.parse().unwrap(), depth, from.map(|url| url.parse().unwrap())));
        let put = bench.run(async |frontier| frontier.put_discovered(&found).await);
        (put.added, put.known + put.revived)
    };
    let told = |bench: &Bench| {
        urls.map(|url| {
            let status = bench.run(async |frontier| frontier.status(url).await).unwrap();
            (status.state, status.depth, status.found_on)
        })
    };
    assert_eq!(put(&bench, 9, Some("http://z/far")), (5, 0));
    bench.lease(9);
    bench.ack("http://c/known", ok(LATER));
    bench.ack("http://d/skipped", Ack::Skipped);
    bench.ack("http://e/failed", FAIL);
    bench.ack("http://a/discovered", Ack::Returned);
    let (before, stats) = (told(&bench), bench.stats());
    assert_eq!((stats.leased, stats.known, stats.failed, stats.skipped), (1, 1, 1, 1), "{stats:?}");
    for (depth, from, expect, on) in [
        (11, "http://z/farther", 9, "http://z/far"),
        (3, "http://z/near", 3, "http://z/near"),
        (3, "http://z/as-near", 3, "http://z/near"),
        (4, "http://z/farther", 3, "http://z/near"),
    ] {
        assert_eq!(put(&bench, depth, Some(from)), (0, 5));
        let expect = before.clone().map(|(state, ..)| (state, expect, Some(on.to_owned())));
        assert_eq!(told(&bench), expect, "{depth} links by {from}");
        assert_eq!(bench.stats(), stats);
    }
    let of_a = bench.run(async |frontier| Ok(frontier.list_sections(false, Some("a"), None, 9)?.0));
    assert_eq!(of_a.iter().map(|section| section.urls).collect::<Vec<_>>(), [1]);
    bench.ack("http://b/leased", ok(LATER));
    bench.reopen();
    bench.wait(1_000);
    assert_eq!(bench.lease(9), ["http://a/discovered"]);
    let depths = |bench: &Bench| told(bench).map(|(_, depth, _)| depth);
    assert_eq!(depths(&bench), [3; 5], "what was leased meanwhile keeps it past its acknowledgement");
    assert_eq!(put(&bench, 0, None), (0, 5));
    assert_eq!(depths(&bench), [0; 5], "a seed");
}

/// The store lists its pages in the same way.
#[test]
fn urls_and_sections_of_a_queue_are_listed_from_one_of_an_earlier_queue_on() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://b/1", "http://b/2"]);
    for (after, expect) in [("http://a/1", 2), ("http://b/1", 1), ("http://c/1", 0)] {
        let urls = bench.frontier().list(Filter::All, Some("b"), Some(after), 9).unwrap().0;
        assert_eq!(urls.len(), expect, "after {after}: {urls:?}");
    }
    for (after, expect) in [("a/#", 1), ("b/#", 0), ("c/#", 0)] {
        let sections = bench.frontier().list_sections(false, Some("b"), Some(after), 9).unwrap().0;
        assert_eq!(sections.len(), expect, "after {after}: {sections:?}");
    }
}

/// A broken section, or a port where no server listens, is not the whole host. After each failure a
/// URL of another kind shows whether the rest works.
#[test]
fn what_fails_of_one_kind_holds_the_others_up_for_no_longer_than_the_first_back_off() {
    for (broken, health, most) in [
        ("http://a/cgi/x?id", Health::Erring, 2),
        ("http://a:81/x?id", FAILING, 45),
        ("https://a/x?id", Health::TimedOut, 45),
    ] {
        let bench = Bench::new(Config::default());
        let broken: Vec<String> = (0..40).map(|n| format!("{broken}={n}")).collect();
        bench.put(&broken.iter().map(String::as_str).collect::<Vec<_>>());
        bench.wait(1);
        let stories: Vec<String> = (0..20).map(|n| format!("http://a/story/{n}")).collect();
        bench.put(&stories.iter().map(String::as_str).collect::<Vec<_>>());
        while bench.stats().known < 20 && bench.now() < START + DAY {
            bench.wait(bench.next_due().unwrap());
            for url in bench.lease(1) {
                let is_story = stories.contains(&url);
                assert!(bench.heard(&url, if is_story { Health::Fine } else { health }, 10));
                bench.ack_only(&url, if is_story { ok(LATER) } else { HOST_FAIL });
            }
        }
        let minutes = (bench.now() - START) / 60_000;
        assert!(minutes < most, "{}: {} of 20 stories after {minutes} minutes", broken[0], bench.stats().known);
    }
}

#[test]
fn a_large_put_is_one_put() {
    let bench = Bench::new(Config::default());
    let urls: Vec<String> = (0..1_000).map(|n| format!("http://{}/{}", n % 7, n % 900)).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let distinct = urls.iter().collect::<BTreeSet<_>>().len() as u64;
    assert_eq!(bench.put(&urls), PutSummary { added: distinct, known: 1_000 - distinct, ..PutSummary::default() });
    assert_eq!(bench.lease(100).len(), 7);
}

#[test]
fn a_queue_has_one_request_at_a_time_and_a_delay_after_it() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://a/3", "http://b/1"]);
    assert_eq!(bench.next_due(), Some(0));
    assert_eq!(bench.lease(10), ["http://a/1", "http://b/1"]);
    assert_eq!(bench.lease(10), [""; 0]);
    assert_eq!(bench.next_due(), None, "time alone ends no request");
    bench.wait(5_000);
    assert_eq!(bench.lease(10), [""; 0]);

    assert!(bench.fetched("http://a/1"));
    assert!(!bench.fetched("http://a/1"), "the request is over already");
    assert_eq!(bench.next_due(), Some(1_000));
    bench.wait(999);
    assert_eq!(bench.lease(10), [""; 0]);
    bench.wait(1);
    assert_eq!(bench.lease(10), ["http://a/2"], "the lease on the first goes on, the request does not");
    let stats = bench.stats();
    assert_eq!((stats.leased, stats.in_flight), (3, 2));

    assert_eq!(bench.ack("http://a/1", ok(LATER)), Acked::Scheduled { due: millis(LATER) });
    assert_eq!(bench.next_due(), None, "an ack of one page says nothing about the request for another");
    bench.ack("http://a/2", ok(LATER));
    assert_eq!(bench.next_due(), Some(1_000));
    assert_eq!(bench.ack("http://a/2", ok(LATER)), Acked::NotLeased);
    assert_eq!(bench.ack("http://a/3", ok(LATER)), Acked::NotLeased);
    assert_eq!(bench.ack("nonsense", ok(LATER)), Acked::NotLeased);
}

#[test]
fn skipping_without_a_request_costs_no_delay() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://a/3"]);
    bench.lease(1);
    assert_eq!(bench.ack("http://a/1", Ack::Skipped), Acked::Skipped);
    assert_eq!(bench.lease(1), ["http://a/2"], "robots.txt forbade it, so nothing was asked of the host");
    bench.fetched("http://a/2");
    bench.ack("http://a/2", Ack::Skipped);
    assert_eq!(bench.next_due(), Some(1_000));
    bench.wait(1_000);
    bench.lease(1);
    bench.set_delay("a", 5_000);
    bench.put(&["http://a/4"]);
    bench.ack("http://a/3", Ack::Skipped);
    assert_eq!(bench.next_due(), Some(4_000), "the request before still counts");
    assert_eq!(bench.state("http://a/1"), Some(UrlState::Skipped));
    assert_eq!(bench.put(&["http://a/1"]).known, 1, "skipped is known");
}

#[test]
fn promoted_urls_go_first_in_the_order_of_their_promotion() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://a/3", "http://a/4"]);
    bench.wait(10);
    bench.put(&["http://b/1", "http://b/2"]);
    bench.wait(10);
    assert!(bench.promote("http://b/2"));
    assert!(bench.promote("http://a/4"));
    bench.wait(10);
    assert!(bench.promote("http://a/3"));
    bench.wait(10);
    assert!(bench.promote("http://a/4"), "a second promotion keeps its place");
    assert!(!bench.promote("http://a/9"), "nobody put it");
    assert!(!bench.promote("nonsense"));
    let mut served = Vec::new();
    for _ in 0..4 {
        for url in bench.lease(10) {
            assert!(!bench.promote(&url), "leased");
            bench.ack(&url, ok(LATER));
            assert!(!bench.promote(&url), "fetched");
            served.push(url);
        }
        bench.wait(1_000);
    }
    let expect = ["http://a/4", "http://b/2", "http://a/3", "http://b/1", "http://a/1", "http://a/2"];
    assert_eq!(served, expect);
}

#[test]
fn a_queue_with_an_urgent_url_goes_before_one_that_waited_longer() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1"]);
    bench.wait(500);
    bench.put(&["http://b/1", "http://b/2"]);
    bench.promote("http://b/2");
    assert_eq!(bench.lease(1), ["http://b/2"]);
    assert_eq!(bench.lease(1), ["http://a/1"]);
}

#[test]
fn failures_back_off_until_the_url_is_given_up() {
    let bench = Bench::new(Config { give_up_after: Duration::ZERO, ..Config::default() });
    bench.put(&["http://a/"]);
    for (attempts, asked, minutes) in [(1, None, 1), (2, Some(3), 3), (3, Some(1), 4), (4, None, 8)] {
        assert_eq!(bench.lease(1), ["http://a/"]);
        let due = millis(bench.now() + minutes * 60_000);
        let retry_after = asked.map(|minutes| Duration::from_secs(60 * minutes));
        assert_eq!(bench.ack("http://a/", Ack::Fail { retry_after, fault: Fault::Url }), Acked::Scheduled { due });
        assert_eq!(bench.state("http://a/"), Some(UrlState::Failed { attempts, retry_from: due }));
        assert_eq!(bench.next_due(), Some(minutes * 60_000));
        assert!(!bench.promote("http://a/"), "a promotion does not cut a back-off short");
        bench.wait(minutes * 60_000 - 1);
        assert_eq!(bench.lease(1), [""; 0]);
        bench.wait(1);
    }
    assert_eq!(bench.run(async |frontier| frontier.get_urls(1).await)[0].attempts, 4);
    assert_eq!(bench.ack("http://a/", FAIL), Acked::GivenUp { attempts: 5 });
    assert_eq!(bench.state("http://a/"), Some(UrlState::GivenUp { attempts: 5 }));
    assert_eq!((bench.next_due(), bench.stats().given_up), (None, 1));
    assert_eq!(bench.put(&["http://a/"]).known, 1, "given up is known");
}

#[test]
fn success_forgets_failures_and_comes_again() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/"]);
    bench.lease(1);
    bench.ack("http://a/", FAIL);
    bench.wait(60_000);
    bench.lease(1);
    let from = bench.now() + 3_600_000;
    bench.ack("http://a/", ok(from));
    assert_eq!(bench.state("http://a/"), Some(UrlState::Known { refetchable_from: millis(from) }));
    assert_eq!(bench.next_due(), Some(3_600_000));
    bench.wait(3_600_000);
    let leases = bench.run(async |frontier| frontier.get_urls(9).await);
    assert_eq!((leases.len(), leases[0].attempts, leases[0].depth), (1, 0, 3));
}

#[test]
fn queues_are_blocked_and_slowed_and_keep_that() {
    let mut bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://b/1", "http://b/2"]);
    bench.block("a", START + 60_000);
    bench.set_delay("b", 10_000);
    assert_eq!(bench.lease(9), ["http://b/1"]);
    bench.ack("http://b/1", ok(LATER));
    assert_eq!(bench.next_due(), Some(10_000));
    bench.set_delay("b", 3_000);
    assert_eq!(bench.next_due(), Some(3_000), "a new delay holds for the wait that has begun");
    bench.reopen();
    assert_eq!(bench.next_due(), Some(3_000), "after a restart a queue waits its delay");
    bench.wait(3_000);
    assert_eq!(bench.lease(9), ["http://b/2"]);
    assert_eq!(bench.next_due(), Some(57_000));
    bench.block("a", START);
    assert_eq!(bench.lease(9), ["http://a/1"], "a date in the past unblocks");
}

#[test]
fn a_restart_voids_leases_and_keeps_everything_else() {
    let mut bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://b/1", "http://c/1", "http://d/1"]);
    assert_eq!(bench.lease(9).len(), 4);
    bench.ack("http://b/1", FAIL);
    bench.ack("http://c/1", Ack::Skipped);
    bench.ack("http://d/1", ok(LATER));
    bench.fetched("http://a/1");
    bench.wait(1_000);
    assert_eq!(bench.lease(9), ["http://a/2"]);
    let before = bench.stats();
    let urls = ["http://a/1", "http://a/2", "http://b/1", "http://c/1", "http://d/1"];
    let states = urls.map(|url| bench.state(url));
    bench.reopen();
    let after = bench.stats();
    assert_eq!((before.leased, before.in_flight, after.leased, after.in_flight), (2, 1, 0, 0));
    assert_eq!(
        (before.discovered, before.known, before.failed, before.given_up, before.skipped, before.queues),
        (after.discovered, after.known, after.failed, after.given_up, after.skipped, after.queues)
    );
    assert_eq!(urls.map(|url| bench.state(url)), states);
    assert_eq!(bench.ack("http://a/1", ok(LATER)), Acked::NotLeased);
    bench.wait(1_000);
    assert_eq!(bench.lease(9), ["http://a/1"]);
    bench.fetched("http://a/1");
    bench.wait(1_000);
    assert_eq!(bench.lease(9), ["http://a/2"]);
}

#[test]
fn no_queue_starves_another() {
    let bench = Bench::new(Config { delay: Duration::ZERO, ..Config::default() });
    let urls: Vec<String> = (0..60).map(|n| format!("http://large{}/{n}", n % 2)).collect();
    bench.put(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    bench.wait(10);
    bench.put(&["http://small/1", "http://small/2"]);
    let mut served = Vec::new();
    for _ in 0..12 {
        bench.wait(1);
        for url in bench.lease(1) {
            bench.ack(&url, ok(LATER));
            served.push(url);
        }
    }
    let turns: Vec<_> = served.iter().filter(|url| url.starts_with("http://small/")).collect();
    assert_eq!(turns, ["http://small/1", "http://small/2"], "{served:?}");
}

#[test]
fn a_clock_set_back_stops_no_queue() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2"]);
    bench.lease(1);
    bench.fetched("http://a/1");
    assert_eq!(bench.next_due(), Some(1_000));
    bench.wait(-500_000);
    bench.promote("http://a/2");
    assert_eq!(bench.next_due(), Some(1_000), "an urgent URL is due whatever its date");
}

#[test]
fn settings_out_of_range_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::open(dir.path(), &tsrec_store::Config::default()).unwrap();
    for (config, expect) in [
        (Config { max_attempts: 0, ..Config::default() }, "max_attempts is 0"),
        (Config { max_urls: 0, ..Config::default() }, "max_urls is 0"),
        (Config { max_urls_per_queue: 0, ..Config::default() }, "max_urls_per_queue is 0"),
        (Config { slow_requests: 0, ..Config::default() }, "slow_requests is 0"),
        (Config { retry_base: Duration::ZERO, ..Config::default() }, "retry_base is 0ns"),
        (Config { retry_cap: Duration::from_secs(1), ..Config::default() }, "retry_cap is 1s"),
    ] {
        let error = Embedded::new(&database, &config).unwrap_err();
        assert!(error.is_invalid() && error.to_string().contains(expect), "{error}");
    }
}

/// A visit in the next test: the URL, the health of its request, and the ack.
fn visit(bench: &Bench, url: &str, health: Health, ack: Ack) -> Acked {
    assert_eq!(bench.lease(1), [url]);
    assert!(bench.heard(url, health, 10));
    bench.ack_only(url, ack)
}

const FAILING: Health = Health::Failing { retry_after: None };

#[test]
fn the_back_off_is_the_hosts_and_outlives_a_restart() {
    let mut bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://b/1"]);
    assert_eq!(bench.lease(9), ["http://a/1", "http://b/1"]);
    bench.heard("http://a/1", FAILING, 10);
    bench.ack_only("http://a/1", HOST_FAIL);
    bench.wait(1_000);
    assert_eq!(bench.lease(9), [""; 0], "the host's other URL waits with it");
    bench.ack("http://b/1", ok(LATER));
    bench.reopen();
    let wait = bench.next_due().unwrap();
    assert!((43_000..60_000).contains(&wait), "{wait}");
    bench.wait(wait);
    assert_eq!(bench.lease(9), ["http://a/2"]);
}

#[test]
fn an_outage_of_a_month_gives_no_url_up() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://a/3"]);
    let mut requests = 0;
    while bench.now() < START + 30 * DAY {
        bench.wait(bench.next_due().unwrap());
        for url in bench.lease(9) {
            bench.heard(&url, FAILING, 10);
            assert!(matches!(bench.ack_only(&url, HOST_FAIL), Acked::Scheduled { .. }));
            requests += 1;
        }
    }
    assert!((30..60).contains(&requests), "{requests} requests in a month");
    bench.wait(DAY);
    for _ in 0..3 {
        bench.wait(DAY);
        let url = bench.lease(1).remove(0);
        bench.ack(&url, ok(START + 1_000 * DAY));
    }
    assert_eq!((bench.stats().known, bench.stats().given_up), (3, 0));
}

/// Between two outages the host answers for one of its URLs. The others have failed for weeks, but
/// that does not count against them.
#[test]
fn two_outages_with_a_minute_between_them_give_no_url_up() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://a/3"]);
    let until = |end: i64, well: bool| {
        while bench.now() < end {
            bench.wait(bench.next_due().unwrap());
            for url in bench.lease(9) {
                bench.heard(&url, if well { Health::Fine } else { FAILING }, 10);
                bench.ack_only(&url, if well { ok(START + 1_000 * DAY) } else { HOST_FAIL });
                if well {
                    return;
                }
            }
        }
    };
    until(START + 20 * DAY, false);
    until(START + 25 * DAY, true);
    until(START + 40 * DAY, false);
    let stats = bench.stats();
    assert_eq!((stats.known, stats.failed, stats.given_up), (1, 2, 0), "{stats:?}");
}

#[test]
fn a_url_is_given_up_after_days_where_its_host_answers_for_others() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1"]);
    let given_up = |bench: &Bench, health, ack| {
        for attempt in 1.. {
            bench.wait(bench.next_due().unwrap());
            if let Acked::GivenUp { .. } = visit(bench, "http://a/1", health, ack) {
                return (bench.now() - START, attempt);
            }
        }
        unreachable!()
    };
    let (after, attempts) = given_up(&bench, Health::Erring, FAIL);
    assert!((7 * DAY..10 * DAY).contains(&after) && attempts > 5, "{after} ms, {attempts} attempts");

    bench.wait(DAY / 2);
    assert_eq!(bench.put(&["http://a/1"]).known, 1, "a link soon after brings nothing back");
    bench.wait(DAY / 2);
    assert_eq!(bench.put(&["http://a/1"]).revived, 1, "a link a day later does");
    assert_eq!(visit(&bench, "http://a/1", Health::Fine, FAIL), Acked::GivenUp { attempts: attempts + 1 });
    bench.wait(DAY);
    assert_eq!(bench.put(&["http://a/1"]).revived, 1);
    visit(&bench, "http://a/1", Health::Fine, ok(LATER));
    assert_eq!(bench.state("http://a/1"), Some(UrlState::Known { refetchable_from: millis(LATER) }));
}

#[test]
fn a_seed_brings_back_what_was_given_up_or_skipped() {
    let bench = Bench::new(Config { give_up_after: Duration::ZERO, max_attempts: 1, ..Config::default() });
    bench.put(&["http://a/1", "http://b/1"]);
    bench.lease(9);
    bench.ack("http://a/1", FAIL);
    bench.ack("http://b/1", Ack::Skipped);
    let seeds = [discovered("http://a/1", 0), discovered("http://b/1", 0)];
    let put = bench.run(async |frontier| frontier.put_discovered(&seeds).await);
    assert_eq!((put.revived, put.added, put.known), (2, 0, 0));
    bench.wait(1_000);
    assert_eq!(bench.lease(9).len(), 2);
}

#[test]
fn what_was_given_up_or_skipped_is_forgotten_after_months_and_makes_room() {
    let forget_after = Duration::from_secs(90 * 24 * 60 * 60);
    let config = Config { give_up_after: Duration::ZERO, max_attempts: 1, max_urls_per_queue: 2, ..Config::default() };
    let mut bench = Bench::new(Config { forget_after, ..config.clone() });
    bench.put(&["http://a/1", "http://b/1", "http://c/1", "http://c/2"]);
    bench.lease(9);
    bench.ack("http://a/1", FAIL);
    bench.ack("http://b/1", Ack::Skipped);
    bench.ack("http://c/1", ok(LATER));
    bench.wait(1_000);
    bench.lease(9);
    bench.ack("http://c/2", Ack::Skipped);
    assert_eq!(bench.put(&["http://c/3"]).refused.full, 1, "what is skipped takes room");

    // Each call checks two of the four URLs. The second continues where the first ended, the third
    // is at the end, the fourth starts again.
    let look = |bench: &Bench| bench.run(async |frontier| frontier.forget_dead(2).await);
    bench.wait(90 * DAY - 1_000);
    assert_eq!([look(&bench), look(&bench)], [2, 0], "c/2 was skipped a second later");
    assert_eq!([bench.state("http://a/1"), bench.state("http://b/1")], [None, None]);
    bench.wait(1_000);
    assert_eq!([look(&bench), look(&bench)], [0, 1]);
    assert_eq!(
        bench.state("http://c/1"),
        Some(UrlState::Known { refetchable_from: millis(LATER) }),
        "what is fetched stays"
    );
    let put = bench.put(&["http://a/1", "http://c/3"]);
    assert_eq!((put.added, put.refused.full), (2, 0), "a link brings one back, and there is room");
    assert_eq!((bench.stats().given_up, bench.stats().skipped), (0, 0));

    bench.lease(9);
    bench.ack("http://a/1", Ack::Skipped);
    bench.config = Config { forget_after: Duration::ZERO, ..config };
    bench.reopen();
    bench.wait(9_000 * DAY);
    assert_eq!(look(&bench), 0, "zero is never");
}

#[test]
fn what_is_postponed_comes_again_with_its_failures() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1"]);
    visit(&bench, "http://a/1", Health::Erring, FAIL);
    bench.wait(bench.next_due().unwrap());
    assert_eq!(bench.lease(1), ["http://a/1"]);
    let until = bench.now() + 7 * DAY;
    let acked = bench.ack("http://a/1", Ack::Postponed { until: millis(until) });
    assert_eq!(acked, Acked::Scheduled { due: millis(until) });
    assert_eq!(bench.state("http://a/1"), Some(UrlState::Failed { attempts: 1, retry_from: millis(until) }));
    assert_eq!(bench.next_due(), Some(7 * DAY));
}

/// Quick pages between the attempts reset the host's time-outs, not the page's own.
#[test]
fn a_page_that_was_too_slow_is_waited_for_longer() {
    let bench = Bench::new(Config::default());
    let patience = |bench: &Bench| {
        bench.wait(bench.next_due().unwrap());
        let leases = bench.run(async |frontier| frontier.get_urls(1).await);
        (leases[0].url.to_string(), leases[0].patience.as_secs())
    };
    bench.put(&["http://a/slow"]);
    assert_eq!(patience(&bench), ("http://a/slow".to_owned(), 5));
    bench.heard("http://a/slow", Health::TimedOut, 5_000);
    bench.ack_only("http://a/slow", HOST_FAIL);
    bench.put(&["http://a/quick"]);
    assert_eq!(patience(&bench).0, "http://a/quick");
    bench.heard("http://a/quick", Health::Fine, 50);
    bench.ack_only("http://a/quick", ok(LATER + 90 * DAY));
    assert_eq!(patience(&bench), ("http://a/slow".to_owned(), 10));
}

/// A host name with a zero byte would collide with another queue's keys.
#[test]
fn what_is_no_host_is_no_queue() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1"]);
    for name in ["", "a\0\u{1}", "a\0"] {
        assert!(bench.frontier().pause(name, true).unwrap_err().is_invalid(), "{name:?}");
        assert!(bench.frontier().drop_queue(name).unwrap_err().is_invalid(), "{name:?}");
    }
    assert_eq!(bench.lease(9), ["http://a/1"]);
    assert_eq!(bench.frontier().queues(), ["a"]);
}

#[test]
fn those_that_wait_are_listed_to_the_last() {
    let bench = Bench::new(Config::default());
    let pages: Vec<String> = (0..25).map(|n| format!("http://a/{n}")).collect();
    bench.put(&pages.iter().map(|page| &**page).chain(["http://a/x", "http://a/y"]).collect::<Vec<_>>());
    assert!(pages.iter().enumerate().all(|(n, page)| bench.wait_for(page, ["http://a/x", "http://a/y"][n % 2])));
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let (some, next) = bench.frontier().list(Filter::Waiting, Some("a"), after.as_deref(), 4).unwrap();
        listed.extend(some.into_iter().map(|one| one.url));
        after = next;
        if after.is_none() {
            break;
        }
    }
    listed.sort();
    let mut expect = pages;
    expect.sort();
    assert_eq!(listed, expect);
}

#[test]
fn what_is_returned_is_as_it_was() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1"]);
    bench.lease(1);
    bench.ack_only("http://a/1", Ack::Returned);
    assert_eq!(bench.state("http://a/1"), Some(UrlState::Discovered));
    assert_eq!(bench.lease(1), ["http://a/1"], "and no delay has passed");
}

#[test]
fn a_disallowed_url_costs_no_delay() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2"]);
    bench.lease(1);
    bench.ack_only("http://a/1", ok(LATER));
    assert_eq!(bench.lease(1), ["http://a/2"]);
}

#[test]
fn a_host_that_said_429_is_asked_less_often() {
    let bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://a/3"]);
    visit(&bench, "http://a/1", Health::Strained { retry_after: None }, HOST_FAIL);
    let wait = bench.next_due().unwrap();
    assert!((45_000..=60_000).contains(&wait), "{wait}");
    bench.wait(wait);
    visit(&bench, "http://a/2", Health::Fine, ok(LATER));
    assert_eq!(bench.next_due(), Some(2_000), "twice the delay");
}

#[test]
fn what_the_program_failed_on_is_kept_apart_until_another_version() {
    let mut bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2"]);
    bench.lease(1);
    assert_eq!(bench.ack("http://a/1", Ack::Quarantined), Acked::Quarantined);
    assert_eq!((bench.list(Filter::Quarantined), bench.stats().quarantined), (vec!["http://a/1".to_owned()], 1));
    assert_eq!(bench.put(&["http://a/1"]).known, 1);
    bench.reopen();
    bench.wait(1_000);
    assert_eq!(bench.lease(9), ["http://a/2"]);
    bench.ack("http://a/2", ok(LATER));
    bench.reopen_as("2");
    bench.wait(1_000);
    let leases = bench.run(async |frontier| frontier.get_urls(9).await);
    assert!(leases[0].quarantined && leases[0].url.as_str() == "http://a/1", "{leases:?}");
    bench.ack("http://a/1", ok(LATER));
    bench.reopen_as("3");
    assert_eq!((bench.list(Filter::Quarantined), bench.stats().quarantined), (vec![], 0));
}

#[test]
fn what_is_gone_has_a_state_of_its_own_and_comes_again() {
    let mut bench = Bench::new(Config { forget_after: Duration::from_millis(1), ..Config::default() });
    let page = "http://a/page".parse().unwrap();
    let found = Discovered::page("http://a/1".parse().unwrap(), 1, Some(page));
    bench.run(async |frontier| frontier.put_discovered(std::slice::from_ref(&found)).await);
    bench.lease(1);
    bench.ack("http://a/1", Ack::Gone { refetchable_from: millis(LATER) });
    let is_gone = |bench: &Bench| {
        assert_eq!((bench.stats().gone, bench.stats().known), (1, 0));
        let listed = bench.run(async |frontier| frontier.list(Filter::Gone, None, None, 9)).0;
        assert_eq!(listed.iter().map(|one| &*one.url).collect::<Vec<_>>(), ["http://a/1"]);
        assert_eq!(listed[0].status.found_on.as_deref(), Some("http://a/page"));
        assert_eq!(listed[0].status.state, UrlState::Gone { refetchable_from: millis(LATER) });
        listed
    };
    is_gone(&bench);
    bench.reopen();
    let listed = is_gone(&bench);
    assert_eq!(bench.run(async |frontier| frontier.put_discovered(std::slice::from_ref(&found)).await).known, 1);
    assert_eq!(bench.run(async |frontier| frontier.forget_dead(9).await), 0, "it is still looked at");
    // A backup keeps the state.
    let restored = Bench::new(Config::default());
    assert_eq!(restored.run(async |frontier| frontier.put_back(&listed)), 1);
    is_gone(&restored);
    // It comes back when it is due, or at once if somebody asks for it.
    bench.wait(LATER - bench.now());
    assert_eq!(bench.lease(9), ["http://a/1"]);
    bench.ack("http://a/1", ok(LATER + DAY));
    assert_eq!((bench.stats().gone, bench.stats().known), (0, 1));
}

#[test]
fn slow_hosts_and_unknown_ones_share_a_part_of_the_requests() {
    let bench = Bench::new(Config { unproven_requests: 3, slow_requests: 2, ..Config::default() });
    let urls: Vec<String> = (0..5).flat_map(|host| [1, 2, 3].map(|n| format!("http://h{host}/{n}"))).collect();
    bench.put(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let first = bench.lease(9);
    assert_eq!(first, ["http://h0/1", "http://h1/1", "http://h2/1"], "three unknown ones at a time");
    assert_eq!(bench.next_due(), None, "the others wait for an ack, not for time");
    for url in &first {
        bench.heard(url, Health::Fine, 6_000);
        bench.ack_only(url, ok(LATER));
    }
    bench.wait(6_000);
    let second = ["http://h3/1", "http://h4/1", "http://h0/2", "http://h1/2"];
    assert_eq!(bench.lease(9), second, "two of the three slow ones");
}

#[test]
fn hosts_on_one_address_are_asked_one_after_the_other() {
    let bench = Bench::new(Config { requests_per_address: 2, ..Config::default() });
    bench.put(&["http://a/1", "http://b/1", "http://c/1", "http://a/2", "http://b/2", "http://c/2"]);
    let leased = bench.lease(9);
    assert_eq!(leased, ["http://a/1", "http://b/1", "http://c/1"]);
    assert!(bench.locate("http://a/1", "192.0.2.1"));
    assert!(!bench.locate("http://b/1", "192.0.2.1"), "the lease is over");
    assert!(!bench.locate("http://c/1", "192.0.2.1"));
    assert_eq!(bench.ack_only("http://b/1", ok(LATER)), Acked::NotLeased);
    assert_eq!(bench.next_due(), Some(200));
    bench.wait(200);
    assert_eq!(bench.lease(9), ["http://b/1"]);
    bench.wait(200);
    assert_eq!(bench.lease(9), [""; 0], "two are under way");
    bench.ack("http://a/1", ok(LATER));
    bench.wait(200);
    assert_eq!(bench.lease(9), ["http://c/1"]);
}

#[test]
fn who_waits_for_a_sibling_is_found_when_it_is_acknowledged() {
    let mut bench = Bench::new(Config::default());
    bench.put(&["http://a/1", "http://a/2", "http://a/3"]);
    assert!(bench.wait_for("http://a/1", "http://a/3"));
    assert!(bench.wait_for("http://a/2", "http://a/3"));
    assert!(!bench.wait_for("http://a/2", "http://a/9"), "nobody put it");
    assert_eq!(bench.lease(1), ["http://a/3"], "it was promoted");
    bench.reopen();
    let waiting = |bench: &Bench| bench.run(async |frontier| frontier.waiting_for("http://a/3").await);
    let overdue = |bench: &Bench, at| bench.run(async |frontier| frontier.overdue_waits(millis(at)).await).len();
    assert_eq!((waiting(&bench).len(), bench.stats().waiting), (2, 2));
    assert_eq!(bench.list(Filter::Waiting), ["http://a/1", "http://a/2"]);
    assert_eq!((overdue(&bench, START), overdue(&bench, START + 1)), (0, 2));
    bench.wait(1_000);
    assert_eq!(bench.lease(1), ["http://a/3"]);
    bench.ack("http://a/3", FAIL);
    assert_eq!(overdue(&bench, START), 2, "it was tried");
    bench.run(async |frontier| frontier.end_wait("http://a/1", "http://a/3").await);
    assert_eq!((waiting(&bench), bench.stats().waiting), (vec!["http://a/2".to_owned()], 1));
    assert!(!bench.wait_for("http://a/1", "http://a/3"), "it was tried");
}

#[test]
fn what_stands_near_a_url_is_of_its_host_and_begins_alike() {
    let bench = Bench::new(Config::default());
    let stories: Vec<String> = (10..20).map(|day| format!("http://b/news/{day}/a-story")).collect();
    let others = ["http://a/news/14/a-story", "http://b/about", "http://b/shop/14", "http://c/news/14/a-story"];
    bench.put(&stories.iter().map(String::as_str).chain(others).collect::<Vec<_>>());
    let near = |url: &str, most: usize| {
        let mut near = bench.run(async |frontier| frontier.near(url, most).await);
        near.sort();
        near
    };
    assert_eq!(near(&stories[4], 2), [2, 3, 5, 6].map(|at| stories[at].clone()));
    assert_eq!(near("http://b/news/14/nobody-put-it", 1), [4, 5].map(|at| stories[at].clone()));
    assert_eq!(near("http://b/", 99).len(), 12, "all of the host, and no other");
    assert_eq!(near("http://b/zoo", 1), ["http://b/shop/14"]);
    assert!(near("http://bb/news/14/a-story", 9).is_empty());

    let moved = ["https://b/", "https://b/news/14/a-story", "https://b/news/15/a-story", "https://b/zoo"];
    bench.put(&moved);
    let beside = near(&stories[4], 8);
    assert!(
        beside.contains(&moved[2].to_owned()) && !beside.contains(&moved[3].to_owned()),
        "one in eight: {beside:?}"
    );
}

#[test]
fn an_operator_looks_puts_back_stops_and_drops() {
    let mut bench = Bench::new(Config { give_up_after: Duration::ZERO, max_attempts: 1, ..Config::default() });
    bench.put(&["http://a/1", "http://a/2", "http://b/1"]);
    bench.lease(9);
    bench.ack("http://a/1", FAIL);
    bench.ack("http://b/1", Ack::Skipped);
    assert_eq!(bench.list(Filter::GivenUp), ["http://a/1"]);
    assert_eq!(bench.list(Filter::Skipped), ["http://b/1"]);
    assert_eq!(bench.list(Filter::All).len(), 3);
    let (first, after) = bench.frontier().list(Filter::All, Some("a"), None, 1).unwrap();
    let (second, end) = bench.frontier().list(Filter::All, Some("a"), after.as_deref(), 9).unwrap();
    assert_eq!(
        (first[0].url.as_str(), second[0].url.as_str(), second.len(), end),
        ("http://a/1", "http://a/2", 1, None)
    );
    let last = bench.run(async |frontier| frontier.status("http://a/1").await).unwrap().last.unwrap();
    assert_eq!((last.said.as_str(), last.at), ("said", millis(START)));

    assert!(bench.frontier().requeue("http://a/1").unwrap() && bench.frontier().requeue("http://b/1").unwrap());
    assert!(!bench.frontier().requeue("http://a/9").unwrap());
    bench.frontier().pause("a", true).unwrap();
    bench.wait(1_000);
    assert_eq!(bench.lease(9), ["http://b/1"]);
    bench.reopen();
    bench.wait(1_000);
    assert_eq!(bench.lease(9), ["http://b/1"], "a pause outlives a restart");
    bench.frontier().pause("a", false).unwrap();
    assert_eq!(bench.lease(9).len(), 1);

    assert_eq!(bench.frontier().drop_queue("b").unwrap(), 0, "what is in flight is not gone yet");
    assert_eq!(bench.ack("http://b/1", ok(LATER)), Acked::Dropped);
    assert_eq!(bench.list(Filter::All), ["http://a/1", "http://a/2"]);
    assert_eq!(bench.frontier().drop_queue("b").unwrap(), 0);
    assert_eq!((bench.put(&["http://b/2"]).refused.dropped, bench.stats().refused), (1, 1));
    bench.frontier().pause("b", false).unwrap();
    assert_eq!(bench.put(&["http://b/2"]).added, 1);
}

/// The frontier's rules, implemented by scanning every list.
#[derive(Default)]
struct Model {
    urls: BTreeMap<String, ModelUrl>,
    /// By queue: when its last request ended, and the URL of the request under way.
    queues: BTreeMap<String, (Option<i64>, Option<String>)>,
}

#[derive(Clone, Default)]
struct ModelUrl {
    /// Not urgent (false sorts first), then the due date.
    due: Option<(bool, i64)>,
    attempts: u32,
    tried: bool,
    leased: bool,
}

impl Model {
    fn host(url: &str) -> String {
        url.split('/').nth(2).unwrap().into()
    }

    fn put(&mut self, url: &str, now: i64) {
        self.queues.entry(Self::host(url)).or_default();
        self.urls.entry(url.into()).or_insert(ModelUrl { due: Some((true, now)), ..ModelUrl::default() });
    }

    /// The next URL of a queue, its class, and the time from which it is ready.
    fn head(&self, host: &str) -> Option<(bool, i64, String)> {
        let (ended, under_way) = &self.queues[host];
        if under_way.is_some() {
            return None;
        }
        let urls = self.urls.iter().filter(|(url, entry)| Self::host(url) == host && !entry.leased);
        let ((normal, due), url) = urls.filter_map(|(url, entry)| Some((entry.due?, url))).min()?;
        let due = if normal { due } else { 0 };
        Some((normal, due.max(ended.map_or(0, |ended| ended + 1_000)), url.clone()))
    }

    fn heads(&self) -> impl Iterator<Item = (bool, i64, String, String)> {
        self.queues.keys().filter_map(|host| self.head(host).map(|(class, at, url)| (class, at, host.clone(), url)))
    }

    fn next_due(&self, now: i64) -> Option<i64> {
        self.heads().map(|(_, at, ..)| (at - now).max(0)).min()
    }

    fn lease(&mut self, max: usize, now: i64) -> Vec<String> {
        let mut ready: Vec<_> = self.heads().filter(|(_, at, ..)| *at <= now).collect();
        ready.sort();
        ready.truncate(max);
        for (_, _, host, url) in &ready {
            self.urls.get_mut(url).unwrap().leased = true;
            self.queues.get_mut(host).unwrap().1 = Some(url.clone());
        }
        ready.into_iter().map(|(.., url)| url).collect()
    }

    fn end_request(&mut self, url: &str, ended_at: Option<i64>) -> bool {
        let Some(queue) = self.queues.get_mut(&Self::host(url)) else { return false };
        let under_way = queue.1.as_deref() == Some(url);
        if under_way {
            *queue = (ended_at.or(queue.0), None);
        }
        under_way
    }

    fn ack(&mut self, url: &str, ack: Ack, now: i64) {
        self.end_request(url, asks(ack).then_some(now));
        let entry = self.urls.get_mut(url).unwrap();
        entry.leased = false;
        entry.tried |= ack != Ack::Returned;
        (entry.attempts, entry.due) = match ack {
            Ack::Returned => (entry.attempts, entry.due),
            Ack::Gone { .. } | Ack::Quarantined | Ack::Postponed { .. } => unreachable!("no step does that"),
            Ack::Ok { refetchable_from } => (0, Some((true, refetchable_from.as_millisecond()))),
            Ack::Skipped => (0, None),
            Ack::Fail { .. } if entry.attempts == 2 => (3, None),
            Ack::Fail { .. } => (entry.attempts + 1, Some((true, now + (60_000 << entry.attempts)))),
        };
    }

    fn promote(&mut self, url: &str, now: i64) -> bool {
        match self.urls.get_mut(url) {
            Some(entry) if !entry.tried && !entry.leased => {
                entry.due = entry.due.filter(|(normal, _)| !normal).or(Some((false, now)));
                true
            }
            _ => false,
        }
    }

    fn restart(&mut self, now: i64) {
        self.urls.values_mut().for_each(|entry| entry.leased = false);
        self.queues.values_mut().for_each(|queue| *queue = (Some(now), None));
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8, u8),
    Lease(usize),
    Fetched(usize),
    Ack(usize, Outcome),
    Promote(u8, u8),
    Wait(i64),
    Reopen,
}

#[derive(Debug, Clone, Copy)]
enum Outcome {
    Ok(i64),
    Skipped,
    Returned,
    Fail,
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![
        3 => (0..300_000i64).prop_map(Outcome::Ok),
        1 => Just(Outcome::Skipped),
        1 => Just(Outcome::Returned),
        3 => Just(Outcome::Fail),
    ];
    prop_oneof![
        6 => (0..4u8, 0..6u8).prop_map(|(host, path)| Step::Put(host, path)),
        8 => (0..5usize).prop_map(Step::Lease),
        3 => any::<usize>().prop_map(Step::Fetched),
        6 => (any::<usize>(), outcome).prop_map(|(lease, outcome)| Step::Ack(lease, outcome)),
        2 => (0..4u8, 0..6u8).prop_map(|(host, path)| Step::Promote(host, path)),
        4 => prop_oneof![0..1_500i64, 50_000..200_000i64].prop_map(Step::Wait),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_frontier_does_what_the_model_says(steps in prop::collection::vec(step(), 1..120)) {
        let mut bench = Bench::new(Config { max_attempts: 3, give_up_after: Duration::ZERO, ..Config::default() });
        let mut model = Model::default();
        let mut leased: Vec<String> = Vec::new();
        for step in steps {
            let now = bench.now();
            match step {
                Step::Put(host, path) => {
                    let url = format!("http://{host}.example/{path}");
                    bench.put(&[&url]);
                    model.put(&url, now);
                }
                Step::Lease(max) => {
                    let urls = bench.lease(max);
                    prop_assert_eq!(&urls, &model.lease(max, now));
                    prop_assert!(urls.iter().all(|url| !leased.contains(url)), "no URL is leased twice");
                    leased.extend(urls);
                }
                Step::Fetched(_) | Step::Ack(..) if leased.is_empty() => {}
                Step::Fetched(lease) => {
                    let url = &leased[lease % leased.len()];
                    prop_assert_eq!(bench.fetched(url), model.end_request(url, Some(now)));
                }
                Step::Ack(lease, outcome) => {
                    let url = leased.swap_remove(lease % leased.len());
                    let ack = match outcome {
                        Outcome::Ok(wait) => ok(now + wait),
                        Outcome::Skipped => Ack::Skipped,
                        Outcome::Returned => Ack::Returned,
                        Outcome::Fail => FAIL,
                    };
                    let acked = bench.ack(&url, ack);
                    model.ack(&url, ack, now);
                    let entry = &model.urls[&url];
                    let expect = match entry.due {
                        Some((_, due)) => Acked::Scheduled { due: millis(due) },
                        None if ack == FAIL => Acked::GivenUp { attempts: entry.attempts },
                        None => Acked::Skipped,
                    };
                    prop_assert_eq!(acked, expect);
                }
                Step::Promote(host, path) => {
                    let url = format!("http://{host}.example/{path}");
                    prop_assert_eq!(bench.promote(&url), model.promote(&url, now));
                }
                Step::Wait(millis) => bench.wait(millis),
                Step::Reopen => {
                    bench.reopen();
                    model.restart(now);
                    leased.clear();
                }
            }
            prop_assert_eq!(bench.next_due(), model.next_due(bench.now()));
            let stats = bench.stats();
            prop_assert_eq!(stats.leased, leased.len() as u64);
            let scheduled = stats.discovered + stats.known + stats.failed;
            prop_assert_eq!(scheduled, model.urls.values().filter(|entry| entry.due.is_some()).count() as u64);
        }
    }
}

/// The clock jumps 400 days ahead, pages are visited, found and fail, and it comes back.
#[test]
fn a_clock_that_was_ahead_moves_no_page_by_a_year() {
    const DAY: i64 = 86_400_000;
    let mut bench = Bench::new(Config { forget_after: Duration::from_secs(90 * 86_400), ..Config::default() });
    let hosts: Vec<String> = (0..40).map(|n| format!("http://h{n}.example/")).collect();
    bench.put(&hosts.iter().map(String::as_str).collect::<Vec<_>>());
    for (round, comes_back) in ["in the same process", "while no crawl runs"].into_iter().enumerate() {
        bench.wait(400 * DAY);
        let ahead = bench.now();
        for (n, url) in bench.lease(40).iter().enumerate() {
            let fail = Ack::Fail { retry_after: None, fault: Fault::Url };
            let from = millis(ahead + 7 * DAY);
            bench.ack(url, if n % 4 == 0 { fail } else { Ack::Ok { refetchable_from: from } });
        }
        let found = format!("http://found-{round}.example/");
        bench.put(&[&found]);
        bench.wait(10_000 - 400 * DAY);
        if comes_back == "in the same process" {
            bench.lease(0);
        } else {
            bench.reopen();
            bench.run(async |frontier| frontier.forget_dead(1_000).await);
            bench.wait(10_000); // a queue waits its delay once after a start
        }
        let now = bench.now();
        for listed in bench.frontier().list(Filter::All, None, None, 100).unwrap().0 {
            let due = match listed.status.state {
                UrlState::Known { refetchable_from } | UrlState::Gone { refetchable_from } => refetchable_from,
                UrlState::Failed { retry_from, .. } => retry_from,
                UrlState::Discovered => continue,
                other => panic!("{other:?}"),
            };
            assert!(due.as_millisecond() <= now + 60 * DAY, "{comes_back}: {} is due {due}", listed.url);
        }
        assert!(bench.lease(100).contains(&found), "{comes_back}");
        bench.ack(&found, Ack::Ok { refetchable_from: millis(now + DAY) });
        bench.wait(30 * DAY);
    }
}
