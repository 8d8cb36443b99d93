//! Access to the store through the API. The daemon that owns the store answers; if none runs, this
//! process answers. Commands need not know which.

mod client;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::http::Method;
use serde::Deserialize;
use url::Url;

use self::client::{AnswerLines, ApiRequest, Client, refused};
use super::loss;

use tsrec_core::extract::scored::Scored;
use tsrec_core::template::Site;
use tsrec_crawl::frontier;
use tsrec_crawl::frontier::{Embedded, Filter};
use tsrec_crawl::memories;
use tsrec_crawl::memories::SiteMemories;
use tsrec_server::http;
use tsrec_server::http::address;
use tsrec_server::http::teach;
use tsrec_server::http::teach::{FollowingPages, Taught};
use tsrec_server::http::templates::{RememberedHosts, Templates};
use tsrec_server::http::{
    Added, Changed, Feed, HostChange, Hosts, Listing, LocalApi, Sections, UnreadableRecord, Urls, Why,
};
use tsrec_store::{Cursor, Database, PageRecord, Store};

/// Which store a command reads.
#[derive(Debug, clap::Args)]
pub(super) struct DataDir {
    /// The daemon's data directory. If a daemon is using it, the command asks the daemon.
    #[arg(long, global = true, env = "TSREC_DATA_DIR", default_value = "data", value_name = "DIR")]
    data_dir: PathBuf,
}

impl DataDir {
    /// The arguments that name this directory.
    pub(super) fn at(dir: &Path) -> DataDir {
        DataDir { data_dir: dir.to_owned() }
    }
}

/// Open access to a store.
pub(super) struct Access {
    client: Client,
    /// The store, if this process has it open.
    store: Option<Store>,
}

/// The records of a host, one by one.
pub(super) struct Records(AnswerLines);

/// A line of a snapshot.
#[derive(Deserialize)]
#[serde(untagged)]
enum SnapshotLine {
    Unreadable(UnreadableRecord),
    Record(Box<PageRecord>),
}

impl Records {
    /// The next record; `None` at the end. It reports records that cannot be read.
    pub(super) async fn next(&mut self) -> Result<Option<PageRecord>> {
        loop {
            match self.0.next::<SnapshotLine>().await? {
                Some(SnapshotLine::Unreadable(record)) => loss::report_unreadable(&record.url, &record.unreadable),
                Some(SnapshotLine::Record(record)) => return Ok(Some(*record)),
                None => return Ok(None),
            }
        }
    }
}

impl Drop for Access {
    /// Whatever could not be read, the next opening looks for and counts.
    fn drop(&mut self) {
        let Some(store) = &self.store else { return };
        let unreadable = store.database().unreadable();
        if unreadable > 0 {
            store.database().doubt();
            loss::report_frames(unreadable);
        }
    }
}

/// A request for changes.
pub(super) struct ChangesRequest {
    pub(super) since: Option<Cursor>,
    pub(super) limit: usize,
    pub(super) content: bool,
    /// Whether the daemon waits for changes if there are none.
    pub(super) wait: bool,
}

/// Runs a command that reads a store.
pub(super) fn block_on<T>(command: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime cannot be started")?.block_on(command)
}

impl Access {
    /// Opens access to records and site memory.
    pub(super) async fn open(dir: &DataDir) -> Result<Access> {
        Access::open_as(dir, |_| Ok(None)).await
    }

    /// The same with the frontier. Without a daemon it reads the frontier: linear in its hosts.
    pub(super) async fn open_with_frontier(dir: &DataDir) -> Result<Access> {
        loss::reads_frontier();
        let frontier = |database: &Database| Ok(Some(Arc::new(Embedded::new(database, &frontier::Config::default())?)));
        Access::open_as(dir, frontier).await
    }

    async fn open_as(
        dir: &DataDir,
        frontier: impl FnOnce(&Database) -> Result<Option<Arc<Embedded>>>,
    ) -> Result<Access> {
        let dir = &dir.data_dir;
        if !Database::is_in(dir) {
            bail!("{} holds no store: name the data directory of a daemon with --data-dir", dir.display());
        }
        let published =
            address::read(dir).with_context(|| format!("the daemon of {} cannot be found", dir.display()))?;
        let if_locked = match published {
            Some(reach) => match Client::connect(&reach).await? {
                Some(client) => return Ok(Access { client, store: None }),
                None => format!(
                    "the daemon does not answer at {}; it may be starting or stopping, so try again",
                    reach.address
                ),
            },
            None => {
                "a daemon that runs with `--listen none`, or another command of tsrec, has it; let the daemon listen \
                     (--listen 127.0.0.1:7717), or stop it first"
                    .to_owned()
            }
        };
        let database = match Database::open(dir, &tsrec_store::Config::default()) {
            Ok(database) => database,
            Err(error) if error.is_locked() => bail!("the store in {} is in use: {if_locked}", dir.display()),
            Err(error) => return Err(error.into()),
        };
        loss::report(database.recovery());
        let store = Store::new(&database);
        let memories = SiteMemories::over(&store, memories::Config::default());
        let client = Client::Local(LocalApi::new(memories, frontier(&database)?));
        Ok(Access { client, store: Some(store) })
    }

    /// Whether a daemon answers. Only a daemon can wait for new changes.
    pub(super) fn can_wait(&self) -> bool {
        self.store.is_none()
    }

    /// The number of records, if it is known without reading all of them.
    pub(super) fn pages_there(&self) -> Option<u64> {
        self.store.as_ref().map(|store| store.counts().pages)
    }

    /// The record of a URL.
    pub(super) async fn page(&self, url: &Url) -> Result<Option<PageRecord>> {
        self.client.ask_if_there(ApiRequest::get(&["v1", "pages"], &[("url", Some(url.to_string()))])).await
    }

    /// The pages of a query.
    pub(super) async fn pages(&self, query: &[(&str, Option<String>)]) -> Result<Listing> {
        self.client.ask(ApiRequest::get(&["v1", "pages"], query)).await
    }

    /// All records of a host, by URL, and the cursor where the feed continues after them. They are
    /// read one by one.
    pub(super) async fn records_of(&self, host: &str) -> Result<(Cursor, Records)> {
        #[derive(Deserialize)]
        struct Head {
            cursor: Cursor,
        }
        let query = [("host", Some(host.to_owned()))];
        let mut lines = self.client.lines(ApiRequest::get(&["v1", "snapshot"], &query)).await?;
        let Head { cursor } = lines.next().await?.context("the answer has no head")?;
        Ok((cursor, Records(lines)))
    }

    /// URLs of the frontier in a state, of one host or of all.
    pub(super) async fn frontier(&self, state: Filter, host: Option<&str>, after: Option<&str>) -> Result<Urls> {
        let state = Filter::NAMES.iter().find(|(_, filter)| *filter == state).map(|(name, _)| (*name).to_owned());
        let query = [("state", state), ("host", host.map(str::to_owned)), ("after", after.map(str::to_owned))];
        self.client.ask(ApiRequest::get(&["v1", "frontier"], &query)).await
    }

    /// Sections of hosts in the frontier.
    pub(super) async fn sections(&self, refusing: bool, host: Option<&str>, after: Option<&str>) -> Result<Sections> {
        let refusing = refusing.then(|| "true".to_owned());
        let query = [("refusing", refusing), ("host", host.map(str::to_owned)), ("after", after.map(str::to_owned))];
        self.client.ask(ApiRequest::get(&["v1", "frontier", "sections"], &query)).await
    }

    /// Hosts of the frontier.
    pub(super) async fn hosts(&self, after: Option<&str>) -> Result<Hosts> {
        let query = [("after", after.map(str::to_owned))];
        self.client.ask(ApiRequest::get(&["v1", "frontier", "hosts"], &query)).await
    }

    /// Puts URLs into the crawl, as JSON lines.
    pub(super) async fn add(&self, lines: Vec<u8>, seed: bool) -> Result<Added> {
        let query = [("seed", Some(seed.to_string()))];
        let asked = ApiRequest::by(Method::POST, &["v1", "frontier"], &query);
        self.client.ask(asked.with_body("application/x-ndjson", lines)).await
    }

    /// Makes a URL due at once. Returns whether it could.
    pub(super) async fn requeue(&self, url: &str) -> Result<bool> {
        let query = [("url", Some(url.to_owned()))];
        Ok(self.client.ask::<Changed>(ApiRequest::by(Method::PUT, &["v1", "frontier"], &query)).await?.changed > 0)
    }

    pub(super) async fn change_host(&self, host: &str, change: HostChange) -> Result<()> {
        let (name, value) = match change {
            HostChange::Pause => ("paused", "true".to_owned()),
            HostChange::Resume => ("paused", "false".to_owned()),
            HostChange::Delay(None) => ("delay", "default".to_owned()),
            HostChange::Delay(Some(delay)) => ("delay", humantime::format_duration(delay).to_string()),
        };
        let (path, query) = (["v1", "frontier", "hosts", host], [(name, Some(value))]);
        self.client.ask::<Changed>(ApiRequest::by(Method::PUT, &path, &query)).await.map(drop)
    }

    /// Forgets the URLs of a host and returns their number.
    pub(super) async fn drop_host(&self, host: &str) -> Result<u64> {
        let path = ["v1", "frontier", "hosts", host];
        Ok(self.client.ask::<Changed>(ApiRequest::by(Method::DELETE, &path, &[])).await?.changed)
    }

    /// Hosts with site memory.
    pub(super) async fn remembered(&self, after: Option<&str>) -> Result<RememberedHosts> {
        let query = [("after", after.map(str::to_owned))];
        self.client.ask(ApiRequest::get(&["v1", "templates"], &query)).await
    }

    /// The site memory of a host.
    pub(super) async fn site(&self, host: &str) -> Result<Site> {
        let file = self.client.bytes(ApiRequest::get(&["v1", "hosts", host, "memory"], &[])).await?;
        let file = file.map_err(refused)?;
        Site::from_file(&file, Scored::shipped_digest()).context("the daemon is of another version than this command")
    }

    pub(super) async fn import_site(&self, host: &str, file: Vec<u8>, replace: bool) -> Result<Templates> {
        let (path, query) = (["v1", "hosts", host, "memory"], [("replace", Some(replace.to_string()))]);
        let asked = ApiRequest::by(Method::PUT, &path, &query).with_body("application/octet-stream", file);
        self.client.ask(asked).await
    }

    /// Forgets a template. False if there is no template with that number.
    pub(super) async fn drop_template(&self, host: &str, number: u32) -> Result<bool> {
        let number = number.to_string();
        let path = ["v1", "hosts", host, "templates", &number];
        let changed: Option<Changed> = self.client.ask_if_there(ApiRequest::by(Method::DELETE, &path, &[])).await?;
        Ok(changed.is_some_and(|done| done.changed > 0))
    }

    /// Stores a lesson.
    pub(super) async fn teach(&self, host: &str, lesson: &teach::Lesson, how: teach::How) -> Result<Taught> {
        let query = [("force", Some(how.force.to_string())), ("preview", Some(how.preview.to_string()))];
        let path = ["v1", "hosts", host, "teach"];
        let body = serde_json::to_vec(lesson)?;
        self.client.ask(ApiRequest::by(Method::POST, &path, &query).with_body("application/json", body)).await
    }

    /// Removes the lessons of a template. `None` if there is no template with that number.
    pub(super) async fn take_back(&self, host: &str, number: u32) -> Result<Option<FollowingPages>> {
        let number = number.to_string();
        let path = ["v1", "hosts", host, "templates", &number, "taught"];
        self.client.ask_if_there(ApiRequest::by(Method::DELETE, &path, &[])).await
    }

    /// All known facts about a URL.
    pub(super) async fn why(&self, url: &Url) -> Result<Why> {
        self.client.ask(ApiRequest::get(&["v1", "why"], &[("url", Some(url.to_string()))])).await
    }

    pub(super) async fn changes(&self, wanted: &ChangesRequest) -> Result<Feed> {
        let &ChangesRequest { since, limit, content, wait } = wanted;
        let query = [
            ("since", since.map(String::from)),
            ("limit", Some(limit.to_string())),
            ("content", Some(content.to_string())),
            ("wait", wait.then(|| "max".to_owned())),
        ];
        let held_back = if wait { http::LONGEST_WAIT } else { Duration::ZERO };
        self.client.ask(ApiRequest::get(&["v1", "changes"], &query).held_back(held_back)).await
    }
}
