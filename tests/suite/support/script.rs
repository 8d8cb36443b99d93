//! Scripted hosts and a crawl of them in this process. The clock is paused, so months pass in
//! seconds.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tsrec_core::html::directives::Directives;
use tsrec_crawl::fetch::Validators;
use tsrec_crawl::fetch::listing::{ENTRIES_AT_A_TIME, ListingEnd, ListingEntry, SiteListing};
use tsrec_crawl::frontier;
use tsrec_crawl::frontier::{Embedded, Frontier, UrlStatus};
use tsrec_crawl::memories::SiteMemories;
use tsrec_crawl::pipeline::outcome::NoPage;
use tsrec_crawl::pipeline::{
    Answer, Archives, Arrived, Config, Crawl, CrawlSummary, Error, Expected, ExtractConfig, Fetch, FetchResponse,
    PageRequest, Parse, Parsed, Parts, Until, Visited,
};
use tsrec_store::{Database, PageRecord, Store};
use url::Url;

/// A host's answer to a request, and its delay.
pub(crate) struct Reply {
    pub(crate) response: FetchResponse,
    /// Those of a listing.
    pub(crate) entries: Vec<ListingEntry>,
    pub(crate) after: Duration,
}

impl Reply {
    /// An answer after a tenth of a second.
    pub(crate) fn new(response: FetchResponse) -> Reply {
        Reply { response, entries: Vec::new(), after: Duration::from_millis(100) }
    }
}

/// The hosts' answers, given the request and the number of earlier requests for the same URL.
type Says = dyn Fn(&PageRequest<'_>, usize) -> Reply + Send + Sync;

/// The hosts, and the requests that they got.
#[derive(Clone)]
pub(crate) struct Script {
    says: Arc<Says>,
    pub(crate) asked: Arc<Mutex<Vec<(Url, Timestamp)>>>,
    counts: Arc<Mutex<HashMap<Url, usize>>>,
    addresses: Arc<HashMap<String, IpAddr>>,
    /// The sitemaps that every site names. `sitemaps_of` gives those of one site.
    pub(crate) sitemaps: Vec<&'static str>,
    pub(crate) sitemaps_of: fn(&Url) -> Vec<Url>,
    first: Instant,
}

impl Fetch for Script {
    async fn fetch(&self, asked: &PageRequest<'_>) -> FetchResponse {
        let url = asked.url;
        self.asked.lock().unwrap().push((url.clone(), clock(self.first)()));
        let before = {
            let mut counts = self.counts.lock().unwrap();
            let count = counts.entry(url.clone()).or_default();
            *count += 1;
            *count - 1
        };
        let Reply { response, entries, after } = (self.says)(asked, before);
        tokio::time::sleep(after).await;
        if let Expected::Listing(sender) = asked.expects {
            for some in entries.chunks(ENTRIES_AT_A_TIME) {
                let _ = sender.send(some.to_vec()).await;
            }
        }
        response
    }

    async fn locate(&self, url: &Url) -> Option<IpAddr> {
        self.addresses.get(url.host_str()?).copied()
    }

    fn sitemaps(&self, url: &Url) -> Vec<Url> {
        self.sitemaps.iter().filter_map(|path| url.join(path).ok()).chain((self.sitemaps_of)(url)).collect()
    }

    fn product_token(&self) -> &str {
        "scriptbot"
    }
}

/// The time of day by tokio's paused clock, which starts at [`START`].
fn clock(first: Instant) -> impl Fn() -> Timestamp + Send + Sync + 'static {
    move || START + Instant::now().saturating_duration_since(first)
}

/// 2026-01-01.
const START: Timestamp = Timestamp::constant(1_767_225_600, 0);

pub(crate) fn url(text: &str) -> Url {
    text.parse().unwrap()
}

/// An answer that gives no page, with the reason.
pub(crate) fn say(why: NoPage) -> Reply {
    Reply::new(FetchResponse::no_page(why, format!("{why:?}")))
}

/// 304: the known version is up to date.
pub(crate) fn not_modified() -> Reply {
    Reply::new(FetchResponse::not_modified(Validators::default(), Directives::default()))
}

pub(crate) fn page(body: impl Into<Vec<u8>>) -> Reply {
    let arrived = Arrived { body: body.into(), status: 200, ..Arrived::default() };
    Reply::new(FetchResponse::page(arrived, Validators::default()))
}

/// A page with an `ETag` and an `X-Robots-Tag` header.
pub(crate) fn page_with(body: impl Into<Vec<u8>>, etag: &str, x_robots_tag: &str) -> Reply {
    let mut reply = page(body);
    let Answer::Page { page, validators } = &mut reply.response.answer else { unreachable!("a page was made") };
    validators.etag = Some(etag.to_owned()).filter(|etag| !etag.is_empty());
    page.directives.add(x_robots_tag);
    reply
}

/// A sitemap or a feed from its URL.
pub(crate) fn listing(base: &Url, xml: &str) -> Reply {
    let SiteListing { pages, alternates, sitemaps, cut } =
        tsrec_crawl::fetch::listing::read(xml.as_bytes(), base).unwrap();
    let entries = [pages, alternates, sitemaps].concat();
    Reply { entries, ..Reply::new(FetchResponse::listing(ListingEnd { cut })) }
}

pub(crate) fn redirect(to: &str, permanent: bool) -> Reply {
    Reply::new(FetchResponse::redirect(url(to), permanent))
}

/// A page with a title, a paragraph of its own, and links.
pub(crate) fn html(title: &str, links: &[&str]) -> String {
    let text = format!("{title}: the council met on the quay and spoke for an hour about the ferry and its winter.");
    let links: String = links.iter().map(|link| format!("<li><a href=\"{link}\">{link}</a></li>")).collect();
    format!(
        "<html><head><title>{title}</title></head><body><ul>{links}</ul><h1>{title}</h1><p>{text}</p></body></html>"
    )
}

/// A data directory and everything that a crawl of scripted hosts needs.
pub(crate) struct Bench {
    dir: tempfile::TempDir,
    pub(crate) config: Config,
    pub(crate) extract: ExtractConfig,
    pub(crate) frontier_config: frontier::Config,
    pub(crate) store_config: tsrec_store::Config,
    pub(crate) script: Script,
    pub(crate) parse: Parse,
    pub(crate) version: &'static str,
    opened: Option<(Database, SiteMemories, Arc<Embedded>)>,
}

impl Bench {
    pub(crate) fn new(says: impl Fn(&Url, usize) -> Reply + Send + Sync + 'static) -> Bench {
        Bench::with_addresses(&[], says)
    }

    /// Hosts that see the whole request, including its conditions.
    pub(crate) fn that_hears(says: impl Fn(&PageRequest<'_>, usize) -> Reply + Send + Sync + 'static) -> Bench {
        let mut bench = Bench::new(|_, _| say(NoPage::Gone));
        bench.script.says = Arc::new(says);
        bench
    }

    pub(crate) fn with_addresses(
        addresses: &[(String, IpAddr)],
        says: impl Fn(&Url, usize) -> Reply + Send + Sync + 'static,
    ) -> Bench {
        let script = Script {
            says: Arc::new(move |asked: &PageRequest<'_>, before| says(asked.url, before)),
            asked: Arc::default(),
            counts: Arc::default(),
            addresses: Arc::new(addresses.iter().cloned().collect()),
            sitemaps: Vec::new(),
            sitemaps_of: |_| Vec::new(),
            first: Instant::now(),
        };
        Bench {
            dir: tempfile::tempdir().unwrap(),
            config: Config::default(),
            extract: ExtractConfig::default(),
            frontier_config: frontier::Config::default(),
            store_config: tsrec_store::Config::default(),
            script,
            parse: Parsed::new,
            version: "1",
            opened: None,
        }
    }

    /// Opens everything that is not open.
    fn open(&mut self) -> (Database, SiteMemories, Arc<Embedded>) {
        let now = clock(self.script.first);
        let open = || {
            let database = Database::open(self.dir.path(), &self.store_config).unwrap();
            let frontier = Embedded::open(&database, &self.frontier_config, self.version, now).unwrap();
            let memories = SiteMemories::over(&Store::new(&database), Default::default());
            (database, memories, Arc::new(frontier))
        };
        self.opened.get_or_insert_with(open).clone()
    }

    /// The data directory.
    #[allow(dead_code, reason = "only some tests look at the files")]
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Closes everything, as when the daemon ends.
    pub(crate) fn close(&mut self) {
        self.opened = None;
    }

    pub(crate) fn crawl(&mut self, seeds: &[&str]) -> Crawl<Embedded, Script> {
        let (database, memories, frontier) = self.open();
        let parts = Parts {
            frontier,
            fetcher: self.script.clone(),
            max_body: 10 << 20,
            memories,
            database,
            limits: Default::default(),
            extract: self.extract,
        };
        let seeds: Vec<Url> = seeds.iter().map(|seed| url(seed)).collect();
        Crawl::new(parts, self.config.clone(), &seeds).with_clock(clock(self.script.first)).with_parser(self.parse)
    }

    /// Crawls for this long, or until the frontier is drained. Returns the fate of each visit.
    pub(crate) async fn run(&mut self, seeds: &[&str], time: Option<Duration>) -> Vec<Visited> {
        let (sender, mut outcomes) = mpsc::unbounded_channel();
        let crawl = Arc::new(self.crawl(seeds).with_outcomes(sender));
        let urls: Vec<Url> = seeds.iter().map(|seed| url(seed)).collect();
        crawl.seed(&urls).await.unwrap();
        let until = Until { drained: time.is_none(), pages: None };
        // No test drains for this long unless it is stuck.
        let longest = time.unwrap_or(Duration::from_secs(6 * 60 * 60));
        Arc::clone(&crawl).run(until, tokio::time::sleep(longest)).await.unwrap();
        drop(crawl);
        let mut visited = Vec::new();
        while let Ok(one) = outcomes.try_recv() {
            visited.push(one);
        }
        visited
    }

    /// Crawls until the frontier is drained or going on is useless.
    #[allow(dead_code, reason = "only some tests fail")]
    pub(crate) async fn drain(&mut self, seeds: &[&str]) -> Result<CrawlSummary, Error> {
        let crawl = Arc::new(self.crawl(seeds));
        let until = Until { drained: true, pages: None };
        crawl.run(until, tokio::time::sleep(Duration::from_secs(6 * 60 * 60))).await
    }

    /// Crawls an archive instead of the network.
    #[allow(dead_code, reason = "only some tests have one")]
    pub(crate) async fn crawl_archive(&mut self, file: &Path) {
        let (database, memories, frontier) = self.open();
        let archives = Archives::open(&[file.to_owned()], self.dir.path(), 10 << 20, "scriptbot", frontier).unwrap();
        let parts = Parts {
            frontier: Arc::new(archives.clone()),
            fetcher: archives.clone(),
            max_body: 10 << 20,
            memories,
            database,
            limits: Default::default(),
            extract: self.extract,
        };
        let crawl = Crawl::new(parts, self.config.clone(), &[]).with_clock(archives.clock()).with_parser(self.parse);
        let until = Until { drained: true, pages: None };
        Arc::new(crawl).run(until, std::future::pending()).await.unwrap();
        archives.close().unwrap();
    }

    /// The requested URLs in order, without robots.txt, which a script does not cover.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.script.asked.lock().unwrap().iter().map(|(url, _)| url.to_string()).collect()
    }

    /// When a URL was requested.
    pub(crate) fn times(&self, of: &str) -> Vec<Timestamp> {
        let asked = self.script.asked.lock().unwrap();
        asked.iter().filter(|(url, _)| url.as_str() == of).map(|(_, at)| *at).collect()
    }

    pub(crate) fn frontier(&mut self) -> Arc<Embedded> {
        self.open().2
    }

    pub(crate) fn store(&mut self) -> Store {
        self.memories().store().clone()
    }

    pub(crate) fn memories(&mut self) -> SiteMemories {
        self.open().1
    }

    pub(crate) async fn status(&mut self, of: &str) -> UrlStatus {
        self.frontier().status(of).await.unwrap().unwrap_or_else(|| panic!("{of} is unknown"))
    }

    pub(crate) fn record(&mut self, of: &str) -> Option<PageRecord> {
        self.store().get(of).unwrap()
    }

    /// The feed: URLs, with the reason if they were deleted.
    pub(crate) fn feed(&mut self) -> Vec<(String, Option<tsrec_store::DeletionReason>)> {
        let changes = self.store().changes(None, 1_000).unwrap().changes;
        changes.into_iter().map(|change| (change.url, change.reason)).collect()
    }
}
