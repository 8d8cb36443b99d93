//! A complete crawler: database, store, frontier, client and archive. Other programs can embed it.
//! The daemon adds metrics, signals and the API.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use url::Url;

use crate::config::Config;
use tsrec_crawl::fetch::{Delays, Fetcher};
use tsrec_crawl::frontier::{Embedded, Frontier};
use tsrec_crawl::memories::SiteMemories;
use tsrec_crawl::pipeline;
use tsrec_crawl::pipeline::{Crawl, CrawlSummary, Fetch, Parts, Until};
use tsrec_crawl::warc::ArchiveFolder;
use tsrec_store::{Database, Store, Verification, maintenance};

/// A crawl that is ready to run: `examples/crawl.rs` runs one.
///
/// Only one program at a time can open a data directory, with one crawler per directory.
pub struct Crawler {
    pub(crate) config: Config,
    // Declared before the database, so that it ends before that is closed.
    _verification: Verification,
    pub(crate) database: Database,
    pub(crate) memories: SiteMemories,
    pub(crate) frontier: Arc<Embedded>,
    pub(crate) fetcher: Fetcher,
    /// Keeps the fetched bytes unchanged, if a folder for them is set.
    archive: Option<Arc<ArchiveFolder>>,
}

/// Why a crawler cannot start, or cannot go on.
#[derive(Debug)]
pub struct CrawlError {
    what: String,
    is_setting: bool,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl CrawlError {
    /// True if a setting is wrong; the message names it. Otherwise the disk or its files are the
    /// cause.
    pub fn is_setting(&self) -> bool {
        self.is_setting
    }

    fn setting(error: impl std::error::Error + Send + Sync + 'static) -> CrawlError {
        CrawlError { what: error.to_string(), is_setting: true, source: Some(error.into()) }
    }

    fn because(error: impl std::error::Error + Send + Sync + 'static) -> CrawlError {
        CrawlError { what: error.to_string(), is_setting: false, source: Some(error.into()) }
    }

    /// The failed action and its cause.
    fn failed(what: impl fmt::Display, error: impl std::error::Error + Send + Sync + 'static) -> CrawlError {
        CrawlError { what: format!("{what}: {error}"), is_setting: false, source: Some(error.into()) }
    }
}

impl fmt::Display for CrawlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for CrawlError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().and_then(std::error::Error::source)
    }
}

impl fmt::Debug for Crawler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crawler").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Crawler {
    /// Checks the settings, opens the data directory, and makes the client.
    ///
    /// # Errors
    ///
    /// If `config.user_agent` is not set, another setting cannot be used, the directory cannot be
    /// opened, or another program has it open.
    pub fn open(config: Config) -> Result<Crawler, CrawlError> {
        config.check().and_then(|()| config.check_files()).map_err(CrawlError::setting)?;
        let user_agent = config.user_agent.as_deref().ok_or_else(|| CrawlError {
            what: "no user agent is set, and a crawler must say who runs it: set user_agent in the configuration, to something like \
                   'YourBot/1.0 (+https://your.example/bot)', or give --user-agent to the command"
                .to_owned(),
            is_setting: true,
            source: None,
        })?;
        let delays = Delays { origin: config.frontier.delay, address: config.frontier.address_delay };
        let fetcher = Fetcher::with_delays(&config.fetch, user_agent, delays).map_err(CrawlError::setting)?;
        let fetcher = fetcher.with_most_crawl_delay(config.crawl.most_crawl_delay);
        maintenance::make_private(&config.data_dir).map_err(|error| {
            CrawlError::failed(format!("data directory {} cannot be made", config.data_dir.display()), error)
        })?;
        let archive =
            config.warc.dir.as_deref().map(|dir| ArchiveFolder::open(dir, config.warc.max_bytes).map(Arc::new));
        let archive =
            archive.transpose().map_err(|error| CrawlError::failed("the archive cannot be written", error))?;
        let fetcher = if archive.is_some() { fetcher.with_exchanges() } else { fetcher };
        let database = Database::open(&config.data_dir, &config.store.of_store()).map_err(CrawlError::because)?;
        let frontier = Embedded::new(&database, &config.frontier).map_err(CrawlError::because)?;
        let memories = SiteMemories::over(&Store::new(&database), config.store.of_memories());
        let verification = database.verify_in_background().map_err(CrawlError::because)?;
        Ok(Crawler {
            config,
            _verification: verification,
            database,
            memories,
            frontier: Arc::new(frontier),
            fetcher,
            archive,
        })
    }

    /// The store of the content: records, and the feed of their changes. You can read it while the
    /// crawl runs.
    pub fn store(&self) -> &Store {
        self.memories.store()
    }

    /// Crawls the hosts of these seeds and those of `config.seeds`, until all is done or `stop`
    /// ends. The next run repeats unfinished pages. Needs tokio's multi-thread runtime, with its
    /// clock and network enabled.
    ///
    /// # Errors
    ///
    /// If the store, the frontier or the archive fails. A failed page does not end the crawl.
    pub async fn run(
        &self,
        seeds: &[Url],
        until: Until,
        stop: impl Future<Output = ()>,
    ) -> Result<CrawlSummary, CrawlError> {
        let seeds: Vec<Url> = seeds.iter().chain(&self.config.seeds).cloned().collect();
        let crawl = Arc::new(self.crawl(&seeds));
        self.begin(&crawl, &seeds).await?;
        let summary = crawl.run(until, stop).await.map_err(CrawlError::because)?;
        self.end().await?;
        Ok(summary)
    }

    /// The web crawl that the settings describe.
    pub(crate) fn crawl(&self, seeds: &[Url]) -> Crawl<Embedded> {
        let crawl =
            self.crawl_with((Arc::clone(&self.frontier), self.fetcher.clone()), self.config.crawl.clone(), seeds);
        match &self.archive {
            Some(folder) => crawl.with_archive(Arc::clone(folder)),
            None => crawl,
        }
    }

    /// A crawl with another frontier or client, into the same store.
    pub(crate) fn crawl_with<F: Frontier, A: Fetch>(
        &self,
        (frontier, fetcher): (Arc<F>, A),
        config: pipeline::Config,
        seeds: &[Url],
    ) -> Crawl<F, A> {
        let parts = Parts {
            frontier,
            fetcher,
            max_body: self.config.fetch.max_body_bytes,
            memories: self.memories.clone(),
            database: self.database.clone(),
            limits: self.config.html.clone(),
            extract: self.config.extract,
        };
        let data_dir = self.config.data_dir.clone();
        Crawl::new(parts, config, seeds).with_free_space(move || free_space(&data_dir))
    }

    /// Prepares the crawl: begins to keep bodies within their budget, restores URLs lost to damage,
    /// and puts the seeds into the frontier. Takes in the hosts that an operator took in.
    pub(crate) async fn begin(&self, crawl: &Crawl<Embedded>, seeds: &[Url]) -> Result<(), CrawlError> {
        self.store().trim_bodies();
        self.put_salvaged()?;
        let hosts = self.frontier.taken_in();
        let fronts: Vec<Url> = hosts.iter().filter_map(|host| format!("https://{host}/").parse().ok()).collect();
        crawl.take_in(&fronts);
        crawl.seed(seeds).await.map_err(CrawlError::because)?;
        Ok(())
    }

    /// Ends the crawl: closes the archive.
    pub(crate) async fn end(&self) -> Result<(), CrawlError> {
        let Some(folder) = self.archive.clone() else { return Ok(()) };
        let closed = tokio::task::spawn_blocking(move || folder.close()).await.map_err(CrawlError::because)?;
        closed.map_err(|error| CrawlError::failed("the archive cannot be ended", error))
    }

    /// Restores URLs that damage removed from the frontier, with their state if it is known. Other
    /// stored URLs are marked as done without a request when they are found, until they are due.
    fn put_salvaged(&self) -> Result<(), CrawlError> {
        let urls = self.database.salvaged().map_err(CrawlError::because)?;
        if urls.is_empty() {
            return Ok(());
        }
        let put = self.frontier.put_salvaged(&urls).map_err(CrawlError::because)?;
        tracing::warn!(put, known = urls.len() as u64 - put, "URLs that damage had taken are in the frontier again");
        self.database.durable().map_err(CrawlError::because)?;
        self.database.forget_salvaged().map_err(CrawlError::because)
    }
}

/// The free bytes for us on a directory's disk, if known.
pub(crate) fn free_space(dir: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(dir).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_cannot_be_crawled_with_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let named = |agent: Option<&str>| Config {
            user_agent: agent.map(str::to_owned),
            data_dir: folder.path().join("data"),
            ..Config::default()
        };
        let nobody = Crawler::open(named(None)).unwrap_err();
        assert!(nobody.is_setting() && nobody.to_string().contains("user_agent"), "{nobody}");
        let mut config = named(Some("ExampleBot/1.0 (+https://bot.example/)"));
        config.crawl.concurrency = 0;
        let none = Crawler::open(config.clone()).unwrap_err();
        assert!(none.is_setting() && none.to_string().contains("concurrency"), "{none}");
        config.crawl.concurrency = 1;
        let first = Crawler::open(config.clone()).unwrap();
        let mode = std::fs::metadata(&config.data_dir).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "what was crawled is nobody else's");
        let second = Crawler::open(config).unwrap_err();
        assert!(!second.is_setting(), "{second}");
        drop(first);
    }

    /// Whether a crawl of a host sends any request within this time.
    async fn asks(least_free: u64, time: Duration) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config {
            user_agent: Some("ExampleBot/1.0 (+https://bot.example/)".to_owned()),
            data_dir: folder.path().join("data"),
            ..Config::default()
        };
        config.fetch.allow_private_addresses = true;
        (config.crawl.grace, config.crawl.least_free) = (Duration::ZERO, least_free);
        let crawler = Crawler::open(config).unwrap();
        let host = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let seed = Url::parse(&format!("http://{}/", host.local_addr().unwrap())).unwrap();
        let (asked, heard) = tokio::sync::oneshot::channel();
        let stop = async {
            let came = tokio::time::timeout(time, host.accept()).await.is_ok();
            asked.send(came).unwrap();
        };
        crawler.run(&[seed], Until::default(), stop).await.unwrap();
        heard.await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nothing_is_fetched_while_the_disk_has_no_room() {
        assert!(!asks(u64::MAX, Duration::from_secs(2)).await, "no disk has as much room");
        assert!(asks(0, Duration::from_secs(30)).await);
    }
}
