//! Requests to the daemon.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use ureq::http::Response;
use ureq::{Agent, Body};

/// Longest silence of the daemon, in addition to the wait that a request asks for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The indexed fields of a record. The daemon sends more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Record {
    /// The page's URL.
    pub url: String,
    /// The URL's host.
    pub host: String,
    /// The page's title.
    pub title: Option<String>,
    /// Its content.
    pub text: String,
    /// The language of the content, such as `en`.
    pub language: Option<String>,
    /// The kind of page, such as `article`.
    pub kind: Option<String>,
    /// The publication date: a year, a month, a day or a time, in ISO 8601.
    pub published: Option<String>,
    /// Equal for pages with the same title and text.
    pub content_hash: String,
}

/// A changed or deleted page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Change {
    /// The page's URL.
    pub url: String,
    /// The record, or `None` if the page was deleted.
    pub page: Option<Record>,
}

/// Some changes, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Feed {
    /// Empty only at the end of the feed.
    pub changes: Vec<Change>,
    /// The cursor of the next changes.
    pub next: String,
}

/// How long the daemon holds back an answer without changes.
#[derive(Clone, Copy, Debug)]
pub enum Wait {
    /// Not at all.
    No,
    /// A second, which every daemon allows.
    Second,
    /// As long as the daemon allows.
    Most,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Failed {
    /// The daemon has forgotten what the cursor refers to: start over.
    Gone,
    /// No daemon answers, or the answer broke off: ask again later.
    Later(anyhow::Error),
    /// The daemon refuses, and asking again does not help.
    Refused(anyhow::Error),
}

/// A problem in the API's format (RFC 9457).
#[derive(Deserialize)]
struct Problem {
    detail: String,
}

/// The daemon.
#[derive(Clone, Debug)]
pub struct Daemon {
    agent: Agent,
    base: String,
    token: Option<String>,
}

impl Daemon {
    /// The daemon at a URL such as `http://127.0.0.1:7717`, with its token if it needs one.
    pub fn new(base: &str, token: Option<String>) -> Daemon {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            // The daemon is near, and only the daemon may get the token.
            .proxy(None)
            .timeout_connect(Some(PATIENCE))
            .user_agent(concat!("tsrec-indexer/", env!("CARGO_PKG_VERSION")))
            .build();
        Daemon { agent: agent.into(), base: base.trim_end_matches('/').to_owned(), token }
    }

    /// Changes after a cursor, with their records. The daemon holds back an empty answer.
    ///
    /// # Errors
    ///
    /// See [`Failed`].
    pub fn changes(&self, since: &str, wait: Wait) -> Result<Feed, Failed> {
        let (wait, held_back) = match wait {
            Wait::No => ("0", 0),
            Wait::Second => ("1", 1),
            Wait::Most => ("max", 600),
        };
        let query = [("since", since), ("content", "true"), ("wait", wait)];
        let answer = self.get("/v1/changes", &query, Duration::from_secs(held_back))?;
        self.json(BufReader::new(answer.into_body().into_reader()))
    }

    /// All records, one by one. Returns the cursor from which the feed goes on, and the records.
    ///
    /// # Errors
    ///
    /// See [`Failed`].
    pub fn snapshot(&self) -> Result<(String, impl Iterator<Item = Result<Record, Failed>> + use<>), Failed> {
        #[derive(Deserialize)]
        struct Head {
            cursor: String,
        }
        let answer = self.get("/v1/snapshot", &[], Duration::ZERO)?;
        let mut lines = BufReader::new(answer.into_body().into_reader());
        let head = line(&mut lines)?.ok_or_else(|| Failed::Later(anyhow!("the snapshot is empty")))?;
        let head: Head = self.json(head.as_bytes())?;
        let daemon = self.clone();
        let records = std::iter::from_fn(move || match line(&mut lines) {
            Ok(line) => line.map(|line| daemon.json(line.as_bytes())),
            Err(failed) => Some(Err(failed)),
        });
        Ok((head.cursor, records))
    }

    /// Tells the daemon that the reader of this name has seen everything up to a cursor. The daemon
    /// keeps deletions until all readers have seen them.
    ///
    /// # Errors
    ///
    /// See [`Failed`].
    pub fn acknowledge(&self, name: &str, cursor: &str) -> Result<(), Failed> {
        let request = self.agent.put(format!("{}/v1/consumers/{name}", self.base)).query("cursor", cursor);
        let request = request.header("Authorization", self.authorization());
        let answer = request.config().timeout_per_read(Some(PATIENCE)).build().send_empty();
        self.answered(answer).map(drop)
    }

    fn get(&self, path: &str, query: &[(&str, &str)], wait: Duration) -> Result<Response<Body>, Failed> {
        let request = self.agent.get(format!("{}{path}", self.base)).query_pairs(query.iter().copied());
        let request = request.header("Authorization", self.authorization());
        self.answered(request.config().timeout_per_read(Some(PATIENCE + wait)).build().call())
    }

    fn authorization(&self) -> String {
        // A daemon without a token ignores the header.
        format!("Bearer {}", self.token.as_deref().unwrap_or_default())
    }

    fn answered(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<Response<Body>, Failed> {
        let answer = answer.map_err(|error| Failed::Later(anyhow!("no daemon answers at {} ({error})", self.base)))?;
        let status = answer.status().as_u16();
        if status < 400 {
            return Ok(answer);
        }
        if status == 410 {
            return Err(Failed::Gone);
        }
        let problem = serde_json::from_reader::<_, Problem>(answer.into_body().into_reader());
        let said = problem.map_or_else(|_| format!("status {status}"), |problem| problem.detail);
        let failed = anyhow!("the daemon at {} says: {said}", self.base);
        Err(match status {
            401 => Failed::Refused(failed.context("give --token-file what http.token_file has")),
            400..500 => Failed::Refused(failed),
            _ => Failed::Later(failed),
        })
    }

    /// If the answer breaks off, ask again. A complete answer that does not parse comes from
    /// another program.
    fn json<T: DeserializeOwned>(&self, body: impl std::io::Read) -> Result<T, Failed> {
        serde_json::from_reader(body).map_err(|error| {
            if error.is_io() || error.is_eof() {
                return Failed::Later(anyhow!(error).context("the daemon's answer broke off"));
            }
            Failed::Refused(
                anyhow!(error)
                    .context(format!("what answers at {} is no tsrec daemon that this indexer knows", self.base)),
            )
        })
    }
}

/// The next line, or `None` at the end.
fn line(lines: &mut impl BufRead) -> Result<Option<String>, Failed> {
    let mut line = String::new();
    let read = lines.read_line(&mut line).context("the daemon's snapshot broke off");
    match read.map_err(Failed::Later)? {
        0 => Ok(None),
        _ if line.ends_with('\n') => Ok(Some(line)),
        _ => Err(Failed::Later(anyhow!("the daemon's snapshot ends amid a record"))),
    }
}
