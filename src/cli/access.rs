//! The way to the store: over HTTP to the daemon that owns it, or, where none runs, into the
//! directory itself. Commands need not know which.

mod daemon;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use url::Url;

use daemon::{ANSWER_TIMEOUT, Daemon};

use tsrec_core::extract::scored::Scored;
use tsrec_core::template::Site;
use tsrec_crawl::frontier;
use tsrec_crawl::frontier::{Embedded, Filter};
use tsrec_server::http;
use tsrec_server::http::address;
use tsrec_server::http::problem;
use tsrec_server::http::problem::Problem;
use tsrec_server::http::teach;
use tsrec_server::http::teach::{Taught, Untaught};
use tsrec_server::http::templates;
use tsrec_server::http::templates::{Remembered, Templates};
use tsrec_server::http::{Changed, Feed, HostChange, Hosts, Listing, Sections, Urls, Why};
use tsrec_store::{Cursor, Database, PageRecord, Store, Summary};

/// Which store a command reads.
#[derive(Debug, clap::Args)]
pub(super) struct DataDir {
    /// The daemon's data directory. It may be in use: then the daemon is asked.
    #[arg(long, global = true, env = "TSREC_DATA_DIR", default_value = "data", value_name = "DIR")]
    data_dir: PathBuf,
}

impl DataDir {
    /// That of a directory.
    pub(super) fn at(dir: &Path) -> DataDir {
        DataDir { data_dir: dir.to_owned() }
    }
}

/// An open way to a store.
pub(super) enum Access {
    Daemon(Daemon),
    Directory(Store, Database),
}

/// The records of a host, one after the other.
pub(super) enum Records<'a> {
    Directory { store: &'a Store, host: String, listed: VecDeque<Summary>, after: Option<String> },
    Daemon { response: reqwest::Response, buffer: Vec<u8> },
}

impl Records<'_> {
    /// The next record; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<PageRecord>> {
        match self {
            Records::Directory { store, host, listed, after } => loop {
                if listed.is_empty() {
                    *listed = store.list(Some(host.as_str()), after.as_deref(), http::MAX_LIMIT)?.into();
                }
                let Some(page) = listed.pop_front() else { return Ok(None) };
                let record = store.get(&page.url)?;
                *after = Some(page.url);
                if record.is_some() {
                    return Ok(record);
                }
            },
            Records::Daemon { response, buffer } => {
                let record = line(response, buffer).await?;
                let record = record.map(|record| serde_json::from_slice(&record)).transpose();
                record.context("the daemon gave what this tsrec cannot read")
            }
        }
    }
}

/// The next line of an answer, read as it comes; `None` at the end.
async fn line(response: &mut reqwest::Response, buffer: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
    let mut looked_at = 0;
    loop {
        if let Some(end) = buffer[looked_at..].iter().position(|byte| *byte == b'\n') {
            let rest = buffer.split_off(looked_at + end + 1);
            return Ok(Some(std::mem::replace(buffer, rest)));
        }
        looked_at = buffer.len();
        match response.chunk().await.context("the daemon's answer broke off: ask it again")? {
            Some(chunk) => buffer.extend_from_slice(&chunk),
            None if buffer.is_empty() => return Ok(None),
            None => bail!("the daemon's answer ends amid a record: ask it again"),
        }
    }
}

/// Which changes are wanted.
pub(super) struct Wanted {
    pub(super) since: Option<Cursor>,
    pub(super) limit: usize,
    pub(super) content: bool,
    /// Whether the daemon shall wait for changes if there are none.
    pub(super) wait: bool,
}

/// Runs a command that reads a store.
pub(super) fn block_on<T>(command: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime cannot be started")?.block_on(command)
}

impl Access {
    pub(super) async fn open(dir: &DataDir) -> Result<Access> {
        let dir = &dir.data_dir;
        if !Database::is_in(dir) {
            bail!("{} holds no store: name the data directory of a daemon with --data-dir", dir.display());
        }
        let published =
            address::read(dir).with_context(|| format!("the daemon of {} cannot be found", dir.display()))?;
        match published {
            Some(reach) => match Daemon::connect(&reach).await? {
                Some(daemon) => Ok(Access::Daemon(daemon)),
                None => open_directory(
                    dir,
                    &format!(
                        "the daemon does not answer at {}; it may be starting or stopping, so try again",
                        reach.address
                    ),
                ),
            },
            None => open_directory(
                dir,
                "a daemon that runs with `--listen none`, or another command of tsrec, has it; let the daemon listen (--listen 127.0.0.1:7717), \
                 or stop it first",
            ),
        }
    }

    /// Whether a daemon is asked, which can wait for what is not there yet.
    pub(super) fn can_wait(&self) -> bool {
        matches!(self, Access::Daemon(_))
    }

    /// How many records there are, where that can be told without a walk over all.
    pub(super) fn pages_there(&self) -> Option<u64> {
        match self {
            Access::Directory(store, _) => Some(store.counts().pages),
            Access::Daemon(_) => None,
        }
    }

    pub(super) async fn page(&self, url: &Url) -> Result<Option<PageRecord>> {
        match self {
            Access::Directory(store, _) => Ok(store.get(url.as_str())?),
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "pages"], &[("url", Some(url.to_string()))]);
                match daemon.get(request, ANSWER_TIMEOUT).await? {
                    Ok(page) => Ok(Some(page)),
                    Err(problem) if problem.kind == problem::NO_SUCH_PAGE => Ok(None),
                    Err(problem) => bail!(problem.detail),
                }
            }
        }
    }

    /// Pages of a host, which is written as in URLs, or of all.
    pub(super) async fn pages(&self, host: Option<&str>, after: Option<&str>, limit: usize) -> Result<Listing> {
        match self {
            Access::Directory(store, _) => Ok(Listing::read(store, host, after, limit)?),
            Access::Daemon(daemon) => {
                let path: &[&str] = match &host {
                    Some(host) => &["v1", "hosts", host, "pages"],
                    None => &["v1", "pages"],
                };
                let query = [("after", after.map(str::to_owned)), ("limit", Some(limit.to_string()))];
                daemon.answer(daemon.request(path, &query), ANSWER_TIMEOUT).await
            }
        }
    }

    /// All records of a host, by URL, and where the feed goes on from them. They are read one by
    /// one.
    pub(super) async fn records_of(&self, host: &str) -> Result<(Cursor, Records<'_>)> {
        match self {
            Access::Directory(store, _) => Ok((
                store.end(),
                Records::Directory { store, host: host.to_owned(), listed: VecDeque::new(), after: None },
            )),
            Access::Daemon(daemon) => {
                #[derive(Deserialize)]
                struct Head {
                    cursor: Cursor,
                }
                let request = daemon.request(&["v1", "snapshot"], &[("host", Some(host.to_owned()))]);
                let failed = || format!("the daemon at {} did not answer", daemon.base);
                let mut response = daemon.client.get(request).send().await.with_context(failed)?;
                let status = response.status();
                if status != StatusCode::OK {
                    let body = response.bytes().await.with_context(failed)?;
                    let problem: Problem = serde_json::from_slice(&body).with_context(|| daemon.unreadable(status))?;
                    bail!(problem.detail);
                }
                let mut buffer = Vec::new();
                let head = line(&mut response, &mut buffer).await?.unwrap_or_default();
                let Head { cursor } = serde_json::from_slice(&head).with_context(|| daemon.unreadable(status))?;
                Ok((cursor, Records::Daemon { response, buffer }))
            }
        }
    }

    /// URLs of the frontier in a state, of a host or of all.
    pub(super) async fn frontier(&self, state: Filter, host: Option<&str>, after: Option<&str>) -> Result<Urls> {
        match self {
            Access::Directory(_, database) => {
                let (urls, next) = open_frontier(database)?.list(state, host, after, http::MAX_LIMIT)?;
                Ok(Urls { urls, next })
            }
            Access::Daemon(daemon) => {
                let state =
                    Filter::NAMES.iter().find(|(_, filter)| *filter == state).map(|(name, _)| (*name).to_owned());
                let query = [("state", state), ("host", host.map(str::to_owned)), ("after", after.map(str::to_owned))];
                daemon.answer(daemon.request(&["v1", "frontier"], &query), ANSWER_TIMEOUT).await
            }
        }
    }

    /// Sections of hosts in the frontier.
    pub(super) async fn sections(&self, refusing: bool, host: Option<&str>, after: Option<&str>) -> Result<Sections> {
        match self {
            Access::Directory(_, database) => {
                let frontier = open_frontier(database)?;
                let (sections, next) = frontier.list_sections(refusing, host, after, http::MAX_LIMIT)?;
                Ok(Sections { sections, next })
            }
            Access::Daemon(daemon) => {
                let refusing = refusing.then(|| "true".to_owned());
                let query =
                    [("refusing", refusing), ("host", host.map(str::to_owned)), ("after", after.map(str::to_owned))];
                daemon.answer(daemon.request(&["v1", "frontier", "sections"], &query), ANSWER_TIMEOUT).await
            }
        }
    }

    /// Hosts of the frontier.
    pub(super) async fn hosts(&self, after: Option<&str>) -> Result<Hosts> {
        match self {
            Access::Directory(_, database) => {
                Ok(Hosts { hosts: open_frontier(database)?.kept_hosts(after, http::MAX_LIMIT)? })
            }
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "frontier", "hosts"], &[("after", after.map(str::to_owned))]);
                daemon.answer(request, ANSWER_TIMEOUT).await
            }
        }
    }

    /// Makes a URL due at once; tells whether it could.
    pub(super) async fn requeue(&self, url: &str) -> Result<bool> {
        match self {
            Access::Directory(_, database) => {
                let done = open_frontier(database)?.requeue(url)?;
                database.durable()?;
                Ok(done)
            }
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "frontier"], &[("url", Some(url.to_owned()))]);
                Ok(daemon.change::<Changed>(Method::PUT, request).await?.changed > 0)
            }
        }
    }

    pub(super) async fn change_host(&self, host: &str, change: HostChange) -> Result<()> {
        match self {
            Access::Directory(_, database) => {
                ensure!(change.make(&open_frontier(database)?, host).await?, http::no_such_host(host));
                Ok(database.durable()?)
            }
            Access::Daemon(daemon) => {
                let (name, value) = match change {
                    HostChange::Pause => ("paused", "true".to_owned()),
                    HostChange::Resume => ("paused", "false".to_owned()),
                    HostChange::Delay(None) => ("delay", "default".to_owned()),
                    HostChange::Delay(Some(delay)) => ("delay", humantime::format_duration(delay).to_string()),
                };
                let request = daemon.request(&["v1", "frontier", "hosts", host], &[(name, Some(value))]);
                daemon.change::<Changed>(Method::PUT, request).await.map(drop)
            }
        }
    }

    /// Forgets the URLs of a host; gives their number.
    pub(super) async fn drop_host(&self, host: &str) -> Result<u64> {
        match self {
            Access::Directory(_, database) => {
                let dropped = http::drop_host(&open_frontier(database)?, host)?;
                database.durable()?;
                dropped.with_context(|| http::no_such_host(host))
            }
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "frontier", "hosts", host], &[]);
                Ok(daemon.change::<Changed>(Method::DELETE, request).await?.changed)
            }
        }
    }

    /// Hosts of which something is remembered.
    pub(super) async fn remembered(&self, after: Option<&str>) -> Result<Remembered> {
        match self {
            Access::Directory(store, _) => Ok(Remembered::read(store, after, http::MAX_LIMIT)?),
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "templates"], &[("after", after.map(str::to_owned))]);
                daemon.answer(request, ANSWER_TIMEOUT).await
            }
        }
    }

    /// What is remembered of a host.
    pub(super) async fn site(&self, host: &str) -> Result<Site> {
        match self {
            Access::Directory(store, _) => Ok((*store.site(host)?).clone()),
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "hosts", host, "memory"], &[]);
                let file = daemon.get_bytes(request, ANSWER_TIMEOUT).await?;
                let file = file.map_err(|problem| anyhow::anyhow!(problem.detail))?;
                Site::from_file(&file, Scored::shipped_digest())
                    .context("the daemon is of another version than this command")
            }
        }
    }

    pub(super) async fn import_site(&self, host: &str, file: Vec<u8>, replace: bool) -> Result<Templates> {
        match self {
            Access::Directory(store, database) => {
                let imported = templates::import(store, host, &file, replace)?;
                database.durable()?;
                imported.map_err(|why| anyhow::anyhow!(why))
            }
            Access::Daemon(daemon) => {
                let query = [("replace", Some(replace.to_string()))];
                let request = daemon.request(&["v1", "hosts", host, "memory"], &query);
                daemon.send(Method::PUT, request, "application/octet-stream", file).await
            }
        }
    }

    /// Forgets a template; false when there is none of that number.
    pub(super) async fn drop_template(&self, host: &str, number: u32) -> Result<bool> {
        match self {
            Access::Directory(store, database) => {
                let dropped = templates::forget(store, host, number)?;
                database.durable()?;
                Ok(dropped)
            }
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "hosts", host, "templates", &number.to_string()], &[]);
                let changed = daemon.change_if_there::<Changed>(Method::DELETE, request).await?;
                Ok(changed.is_some_and(|done| done.changed > 0))
            }
        }
    }

    /// Enters a lesson.
    pub(super) async fn teach(&self, host: &str, lesson: &teach::Lesson, how: teach::How) -> Result<Taught> {
        match self {
            Access::Directory(store, database) => {
                let frontier = open_frontier(database)?;
                let taught = teach::teach(store, Some(&frontier), host, lesson, how);
                let taught = taught.map_err(|error| anyhow::anyhow!(error))?.map_err(|why| anyhow::anyhow!(why))?;
                database.durable()?;
                Ok(taught)
            }
            Access::Daemon(daemon) => {
                let query = [("force", Some(how.force.to_string())), ("preview", Some(how.preview.to_string()))];
                let request = daemon.request(&["v1", "hosts", host, "teach"], &query);
                daemon.send(Method::POST, request, "application/json", serde_json::to_vec(lesson)?).await
            }
        }
    }

    /// Takes back what a template was taught; `None` when there is none of that number.
    pub(super) async fn take_back(&self, host: &str, number: u32) -> Result<Option<Untaught>> {
        match self {
            Access::Directory(store, database) => {
                let frontier = open_frontier(database)?;
                let done = teach::take_back(store, Some(&frontier), host, number);
                database.durable()?;
                done.map_err(|error| anyhow::anyhow!(error))
            }
            Access::Daemon(daemon) => {
                let path = ["v1", "hosts", host, "templates", &number.to_string(), "taught"];
                daemon.change_if_there(Method::DELETE, daemon.request(&path, &[])).await
            }
        }
    }

    /// All that is known of a URL.
    pub(super) async fn why(&self, url: &Url) -> Result<Why> {
        match self {
            Access::Directory(store, database) => {
                let why = Why::read(&open_frontier(database)?, store, url.as_str()).await;
                why.map_err(|error| anyhow::anyhow!(error))
            }
            Access::Daemon(daemon) => {
                let request = daemon.request(&["v1", "why"], &[("url", Some(url.to_string()))]);
                daemon.answer(request, ANSWER_TIMEOUT).await
            }
        }
    }

    pub(super) async fn changes(&self, wanted: &Wanted) -> Result<Feed> {
        let &Wanted { since, limit, content, wait } = wanted;
        match self {
            Access::Directory(store, _) => Ok(Feed::read(store, since, limit, content)?),
            Access::Daemon(daemon) => {
                let query = [
                    ("since", since.map(String::from)),
                    ("limit", Some(limit.to_string())),
                    ("content", Some(content.to_string())),
                    ("wait", wait.then(|| "max".to_owned())),
                ];
                let held_back = if wait { http::LONGEST_WAIT } else { Duration::ZERO };
                daemon.answer(daemon.request(&["v1", "changes"], &query), ANSWER_TIMEOUT + held_back).await
            }
        }
    }
}

/// Opens the store in the directory. If another process has it, the error ends with what that
/// means.
fn open_directory(dir: &Path, if_locked: &str) -> Result<Access> {
    match Database::open(dir, &tsrec_store::Config::default()) {
        Ok(database) => Ok(Access::Directory(Store::new(&database), database)),
        Err(error) if error.is_locked() => bail!("the store in {} is in use: {if_locked}", dir.display()),
        Err(error) => Err(error.into()),
    }
}

/// The frontier beside the store, where no daemon runs.
fn open_frontier(database: &Database) -> Result<Embedded> {
    Ok(Embedded::new(database, &frontier::Config::default())?)
}
