//! A crawl for another program to embed: database, store, frontier and client put together, without the command line, metrics or an API.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use url::Url;

use crate::config::Config;
use crate::crawl::{Crawl, Parts, Summary, Until};
use crate::fetch::{Delays, Fetcher};
use crate::frontier::Embedded;
use crate::store::{Database, Store};

/// A crawl that is set up: `examples/crawl.rs` runs one.
///
/// One program at a time may have a data directory open, and of one directory there may be one crawler.
pub struct Crawler {
    config: Config,
    database: Database,
    store: Store,
    frontier: Arc<Embedded>,
    fetcher: Fetcher,
}

/// Why a crawler cannot be set up, or cannot go on.
#[derive(Debug)]
pub struct CrawlError {
    what: String,
    is_setting: bool,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl CrawlError {
    /// True where a setting is at fault, which the message names; else the disk or the files on it are.
    pub fn is_setting(&self) -> bool {
        self.is_setting
    }

    fn setting(error: impl std::error::Error + Send + Sync + 'static) -> CrawlError {
        CrawlError { what: error.to_string(), is_setting: true, source: Some(error.into()) }
    }

    fn because(error: impl std::error::Error + Send + Sync + 'static) -> CrawlError {
        CrawlError { what: error.to_string(), is_setting: false, source: Some(error.into()) }
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
    /// Where `config.user_agent` is not set or another setting cannot be used; where the directory cannot be opened, or another program has it open.
    pub fn open(config: Config) -> Result<Crawler, CrawlError> {
        config.check().map_err(CrawlError::setting)?;
        let user_agent = config.user_agent.as_deref().ok_or_else(|| CrawlError {
            what: "no user agent is set, and a crawler must say who runs it: set Config::user_agent".to_owned(),
            is_setting: true,
            source: None,
        })?;
        let delays = Delays { origin: config.frontier.delay, address: config.frontier.address_delay };
        let fetcher = Fetcher::with_delays(&config.fetch, user_agent, delays).map_err(CrawlError::setting)?;
        make_private(&config.data_dir).map_err(|error| CrawlError {
            what: format!("data directory {} cannot be made", config.data_dir.display()),
            is_setting: false,
            source: Some(error.into()),
        })?;
        let database = Database::open(&config.data_dir, &config.store).map_err(CrawlError::because)?;
        let frontier = Embedded::new(&database, &config.frontier).map_err(CrawlError::because)?;
        Ok(Crawler { store: Store::new(&database), frontier: Arc::new(frontier), config, database, fetcher })
    }

    /// Where content goes: records, and the feed of their changes. It can be read while the crawl runs.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Crawls the hosts of these seeds and those of `config.seeds`, until it is done or `stop` ends. What it had begun comes again with the next run. Wants
    /// tokio's runtime of several threads, with its clock and network enabled.
    ///
    /// # Errors
    ///
    /// Where the store or the frontier fail. That of one page is its own fate, and ends nothing.
    pub async fn run(
        &self,
        seeds: &[Url],
        until: Until,
        stop: impl Future<Output = ()>,
    ) -> Result<Summary, CrawlError> {
        let seeds: Vec<Url> = seeds.iter().chain(&self.config.seeds).cloned().collect();
        let parts = Parts {
            frontier: Arc::clone(&self.frontier),
            fetcher: self.fetcher.clone(),
            max_body: self.config.fetch.max_body_bytes,
            store: self.store.clone(),
            database: self.database.clone(),
            limits: self.config.html.clone(),
        };
        let crawl = Crawl::new(parts, self.config.crawl.clone(), &seeds);
        crawl.seed(&seeds).await.map_err(CrawlError::because)?;
        Arc::new(crawl).run(until, stop).await.map_err(CrawlError::because)
    }
}

/// Makes a directory that is nobody else's, and takes others' rights to it away: in it lie what was crawled and the API's token.
pub(crate) fn make_private(dir: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let permissions = std::fs::metadata(dir)?.permissions();
    match permissions.mode() & 0o077 {
        0 => Ok(()),
        _ => std::fs::set_permissions(dir, PermissionsExt::from_mode(permissions.mode() & 0o700)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

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
}
