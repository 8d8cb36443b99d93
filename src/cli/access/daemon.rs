//! A daemon that is asked over its API.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use url::Url;

use tsrec_server::http::Token;
use tsrec_server::http::address::Reach;
use tsrec_server::http::problem::{NO_SUCH_PAGE, Problem};

/// How long a connection to this machine may take. Judgement: a daemon that needs longer is stuck.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an answer may take that is not held back on purpose.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A daemon that answers.
pub(in crate::cli) struct Daemon {
    pub(super) client: reqwest::Client,
    pub(super) base: Url,
}

/// What a daemon with a token wants to see with every request.
fn bearer(token: Option<&Token>) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(token) = token {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", token.as_str()))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

impl Daemon {
    /// `None` if nobody answers there.
    pub(super) async fn connect(reach: &Reach) -> Result<Option<Daemon>> {
        let address = reach.address;
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .default_headers(bearer(reach.token.as_ref())?)
            .build()
            .context("the HTTP client cannot be built")?;
        let daemon = Daemon { client, base: Url::parse(&format!("http://{address}"))? };
        let health = daemon.client.get(daemon.request(&["healthz"], &[])).timeout(CONNECT_TIMEOUT);
        match health.send().await {
            Ok(_) => Ok(Some(daemon)),
            Err(error) if error.is_connect() || error.is_timeout() => Ok(None),
            Err(error) => Err(error).with_context(|| format!("the daemon at {address} cannot be asked")),
        }
    }

    pub(super) fn request(&self, path: &[&str], query: &[(&str, Option<String>)]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(path);
        }
        url.query_pairs_mut().extend_pairs(query.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
        url
    }

    /// Asks the daemon to change something.
    pub(super) async fn change<T: DeserializeOwned>(&self, method: Method, request: Url) -> Result<T> {
        self.answered(self.client.request(method, request)).await
    }

    /// The same of what may not be there: `None` then.
    pub(super) async fn change_if_there<T: DeserializeOwned>(&self, method: Method, request: Url) -> Result<Option<T>> {
        match self.asked(self.client.request(method, request)).await? {
            Ok(done) => Ok(Some(done)),
            Err(problem) if problem.kind == NO_SUCH_PAGE => Ok(None),
            Err(problem) => bail!(problem.detail),
        }
    }

    /// Sends the daemon something.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        request: Url,
        content_type: &'static str,
        body: Vec<u8>,
    ) -> Result<T> {
        self.answered(self.client.request(method, request).header(CONTENT_TYPE, content_type).body(body)).await
    }

    pub(super) async fn answered<T: DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> Result<T> {
        self.asked(request).await?.map_err(|problem| anyhow::anyhow!(problem.detail))
    }

    async fn asked<T: DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> Result<Result<T, Problem>> {
        let failed = || format!("the daemon at {} did not answer", self.base);
        let response = request.timeout(ANSWER_TIMEOUT).send().await.with_context(failed)?;
        let status = response.status();
        let body = response.bytes().await.with_context(failed)?;
        if status == StatusCode::OK {
            return serde_json::from_slice(&body).map(Ok).with_context(|| self.unreadable(status));
        }
        serde_json::from_slice(&body).map(Err).with_context(|| self.unreadable(status))
    }

    /// What the daemon answers; a problem is an error, in the words the store itself would have
    /// used.
    pub(super) async fn answer<T: DeserializeOwned>(&self, request: Url, timeout: Duration) -> Result<T> {
        self.get(request, timeout).await?.map_err(|problem| anyhow::anyhow!(problem.detail))
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, request: Url, timeout: Duration) -> Result<Result<T, Problem>> {
        match self.get_bytes(request, timeout).await? {
            Ok(body) => serde_json::from_slice(&body).map(Ok).with_context(|| self.unreadable(StatusCode::OK)),
            Err(problem) => Ok(Err(problem)),
        }
    }

    pub(super) async fn get_bytes(&self, request: Url, timeout: Duration) -> Result<Result<Vec<u8>, Problem>> {
        let failed = || format!("the daemon at {} did not answer", self.base);
        let response = self.client.get(request).timeout(timeout).send().await.with_context(failed)?;
        let status = response.status();
        let body = response.bytes().await.with_context(failed)?;
        match status {
            StatusCode::OK => Ok(Ok(body.into())),
            _ => serde_json::from_slice(&body).map(Err).with_context(|| self.unreadable(status)),
        }
    }

    pub(super) fn unreadable(&self, status: StatusCode) -> String {
        format!("the daemon at {} answered {status} with what this tsrec cannot read", self.base)
    }
}
