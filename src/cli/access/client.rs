//! The client of the API: it asks the daemon that owns the store, or this process.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use url::Url;

use super::super::loss;
use tsrec_server::http::address::Reach;
use tsrec_server::http::problem::{NO_SUCH_PAGE, Problem, STORE_DAMAGED};
use tsrec_server::http::{LocalApi, Token};

/// The time limit for a connection to this machine. Judgement: a daemon that needs longer is stuck.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for an answer that the daemon does not hold back on purpose.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Asks the API.
pub(super) enum Client {
    /// Asks a daemon, over HTTP.
    Daemon { client: reqwest::Client, base: Url },
    /// Asks this process, which has the store open.
    Local(LocalApi),
}

/// A request to the API.
pub(super) struct ApiRequest<'a> {
    method: Method,
    path: &'a [&'a str],
    query: &'a [(&'a str, Option<String>)],
    body: Option<(&'static str, Vec<u8>)>,
    /// The daemon's time limit; `None` if the answer is read as it comes.
    timeout: Option<Duration>,
}

impl<'a> ApiRequest<'a> {
    pub(super) fn get(path: &'a [&'a str], query: &'a [(&'a str, Option<String>)]) -> Self {
        ApiRequest::by(Method::GET, path, query)
    }

    pub(super) fn by(method: Method, path: &'a [&'a str], query: &'a [(&'a str, Option<String>)]) -> Self {
        ApiRequest { method, path, query, body: None, timeout: Some(ANSWER_TIMEOUT) }
    }

    /// Adds a body of this media type.
    pub(super) fn with_body(self, media_type: &'static str, body: Vec<u8>) -> Self {
        ApiRequest { body: Some((media_type, body)), ..self }
    }

    /// Allows the daemon to hold back the answer for this long.
    pub(super) fn held_back(self, held_back: Duration) -> Self {
        ApiRequest { timeout: self.timeout.map(|timeout| timeout + held_back), ..self }
    }

    /// Builds the HTTP request to an address.
    fn into_request(self, base: &Url) -> Result<Request<Body>> {
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(self.path);
        }
        let query = self.query.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        url.query_pairs_mut().extend_pairs(query);
        let request = Request::builder().method(self.method).uri(url.as_str());
        Ok(match self.body {
            Some((media_type, body)) => request.header(CONTENT_TYPE, media_type).body(Body::from(body)),
            None => request.body(Body::empty()),
        }?)
    }
}

/// The error for the API's reason. It has the same words as the store's.
pub(super) fn refused(problem: Problem) -> anyhow::Error {
    if problem.kind == STORE_DAMAGED {
        loss::note();
    }
    anyhow::anyhow!(problem.detail)
}

/// The header that a daemon with a token requires in every request.
fn bearer(token: Option<&Token>) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(token) = token {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", token.as_str()))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

/// TLS without certificates: the daemon is asked over plain HTTP. Without a configuration of ours,
/// reqwest looks for one in the whole program.
fn no_certificates() -> Result<rustls::ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(versions.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

impl Client {
    /// Connects to the daemon at this address; `None` if nobody answers there.
    pub(super) async fn connect(reach: &Reach) -> Result<Option<Client>> {
        let address = reach.address;
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .tls_backend_preconfigured(no_certificates()?)
            .default_headers(bearer(reach.token.as_ref())?)
            .build()
            .context("the HTTP client cannot be built")?;
        let base = Url::parse(&format!("http://{address}"))?;
        let health = client.get(base.join("healthz")?).timeout(CONNECT_TIMEOUT);
        match health.send().await {
            Ok(_) => Ok(Some(Client::Daemon { client, base })),
            Err(error) if error.is_connect() || error.is_timeout() => Ok(None),
            Err(error) => Err(error).with_context(|| format!("the daemon at {address} cannot be asked")),
        }
    }

    /// The name of the answering side, for messages.
    fn name(&self) -> String {
        match self {
            Client::Daemon { base, .. } => format!("the daemon at {base}"),
            Client::Local(_) => "the store".to_owned(),
        }
    }

    fn unreadable(&self, status: StatusCode) -> String {
        format!("{} answered {status} with what this tsrec cannot read", self.name())
    }

    async fn send(&self, asked: ApiRequest<'_>) -> Result<Response<Body>> {
        match self {
            Client::Daemon { client, base } => {
                let timeout = asked.timeout;
                let request = asked.into_request(base)?;
                let (head, body) = request.into_parts();
                let body = to_bytes(body, usize::MAX).await?;
                let request = client.request(head.method, Url::parse(&head.uri.to_string())?).headers(head.headers);
                let request = timeout.into_iter().fold(request, reqwest::RequestBuilder::timeout);
                let failed = || format!("{} did not answer", self.name());
                let response = request.body(body).send().await.with_context(failed)?;
                Ok(Response::from(response).map(Body::new))
            }
            Client::Local(api) => {
                let mut request = asked.into_request(&Url::parse("http://localhost")?)?;
                request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
                Ok(api.answer(request).await)
            }
        }
    }

    /// The answer as JSON. If the API refuses, the error has the same words as the store's.
    pub(super) async fn ask<T: DeserializeOwned>(&self, asked: ApiRequest<'_>) -> Result<T> {
        let body = self.bytes(asked).await?.map_err(refused)?;
        serde_json::from_slice(&body).with_context(|| self.unreadable(StatusCode::OK))
    }

    /// The same for things that may not exist: `None` then.
    pub(super) async fn ask_if_there<T: DeserializeOwned>(&self, asked: ApiRequest<'_>) -> Result<Option<T>> {
        match self.bytes(asked).await? {
            Ok(body) => serde_json::from_slice(&body).map(Some).with_context(|| self.unreadable(StatusCode::OK)),
            Err(problem) if problem.kind == NO_SUCH_PAGE => Ok(None),
            Err(problem) => Err(refused(problem)),
        }
    }

    /// The unchanged answer, or the API's reason for refusing.
    pub(super) async fn bytes(&self, asked: ApiRequest<'_>) -> Result<Result<Bytes, Problem>> {
        let failed = || format!("{} did not answer", self.name());
        let response = self.send(asked).await?;
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.with_context(failed)?;
        match status {
            StatusCode::OK => Ok(Ok(body)),
            _ => serde_json::from_slice(&body).map(Err).with_context(|| self.unreadable(status)),
        }
    }

    /// The answer line by line, as it comes.
    pub(super) async fn lines(&self, asked: ApiRequest<'_>) -> Result<AnswerLines> {
        let failed = || format!("{} did not answer", self.name());
        let response = self.send(ApiRequest { timeout: None, ..asked }).await?;
        let status = response.status();
        if status == StatusCode::OK {
            return Ok(AnswerLines { body: response.into_body(), buffer: Vec::new() });
        }
        let body = to_bytes(response.into_body(), usize::MAX).await.with_context(failed)?;
        let problem: Problem = serde_json::from_slice(&body).with_context(|| self.unreadable(status))?;
        Err(refused(problem))
    }
}

/// An answer that is read line by line.
pub(super) struct AnswerLines {
    body: Body,
    buffer: Vec<u8>,
}

impl AnswerLines {
    /// The next line, as JSON; `None` at the end.
    pub(super) async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        let line = self.next_line().await?.map(|line| serde_json::from_slice(&line)).transpose();
        line.context("the answer is what this tsrec cannot read")
    }

    async fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        let AnswerLines { body, buffer } = self;
        let mut looked_at = 0;
        loop {
            if let Some(end) = buffer[looked_at..].iter().position(|byte| *byte == b'\n') {
                let rest = buffer.split_off(looked_at + end + 1);
                return Ok(Some(std::mem::replace(buffer, rest)));
            }
            looked_at = buffer.len();
            match body.frame().await {
                Some(frame) => {
                    let frame = frame.context("the answer broke off: ask again")?;
                    buffer.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
                }
                None if buffer.is_empty() => return Ok(None),
                None => bail!("the answer ends amid a record: ask again"),
            }
        }
    }
}
