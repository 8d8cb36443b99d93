//! Access checks: requests must name a host that we answer for and, if a token is set, carry it.
//!
//! It checks the host because any web page may send its visitor's browser to a name that resolves
//! to 127.0.0.1.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::problem::{self, Problem};
use super::route::Route;

/// The least length of a token, in bytes. Judgement: 16 random bytes in hexadecimal have twice
/// that.
const MIN_TOKEN_LEN: usize = 16;

/// Names of this machine that need no name server.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The token that a client must carry. Nothing ever shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Arc<str>);

/// A file without a valid token.
#[derive(Debug, thiserror::Error)]
pub enum InvalidToken {
    /// It cannot be read.
    #[error("the token in {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It has other content.
    #[error(
        "{} must hold a token of at least {MIN_TOKEN_LEN} letters, digits and any of -._~+/=, as `openssl rand -hex 32` makes one",
        path.display()
    )]
    Malformed {
        /// The file.
        path: PathBuf,
    },
}

impl Token {
    /// Reads the token from a file of one line.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has no token.
    pub fn read(path: &Path) -> Result<Token, InvalidToken> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|source| InvalidToken::Unreadable { path: path.to_owned(), source })?;
        Token::new(text.trim_end()).ok_or_else(|| InvalidToken::Malformed { path: path.to_owned() })
    }

    /// A token, if the text is valid (RFC 6750, section 2.1) and not too short.
    pub fn new(text: &str) -> Option<Token> {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        (text.len() >= MIN_TOKEN_LEN && text.bytes().all(is_token)).then(|| Token(text.into()))
    }

    /// The token itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares hashes, so that the timing reveals nothing about the token.
    pub(super) fn is(&self, other: &str) -> bool {
        Sha256::digest(self.0.as_bytes()) == Sha256::digest(other.as_bytes())
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

/// The conditions for requests.
#[derive(Clone)]
pub(super) struct Guard {
    hosts: Arc<[String]>,
    /// Paths that need no token.
    open: Arc<[&'static str]>,
    token: Option<Token>,
}

impl Guard {
    /// Accepts the address, this machine's own names if it is a loopback address, and the names
    /// in `hosts`.
    pub(super) fn new(address: SocketAddr, hosts: &[String], token: Option<Token>, table: &[Route]) -> Guard {
        let own = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        // The command line reaches an unspecified address by loopback.
        let is_local = address.ip().is_loopback() || address.ip().is_unspecified();
        let local = LOOPBACK_NAMES.into_iter().filter(|_| is_local).map(str::to_owned);
        let hosts = hosts.iter().map(|host| host.to_ascii_lowercase());
        let open = table.iter().filter(|route| route.is_open).map(|route| route.path).collect();
        Guard { hosts: local.chain([own]).chain(hosts).collect(), open, token }
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Problem> {
        // RFC 9112, section 3.2: another server on the way may have believed the other one.
        if headers.get_all(HOST).iter().count() > 1 {
            return Err(Problem::invalid("the request names its host twice"));
        }
        let host =
            headers.get(HOST).and_then(|host| host.to_str().ok()).and_then(|host| host.parse::<Authority>().ok());
        let host = host.map(|authority| authority.host().to_ascii_lowercase());
        if host.as_ref().is_some_and(|host| self.hosts.contains(host)) {
            return Ok(());
        }
        let host = host.unwrap_or_default();
        let detail =
            format!("the API does not answer for the host {host:?}: name it in http.hosts of the configuration");
        Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, problem::WRONG_HOST, detail))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(token) = &self.token else { return Ok(()) };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
        match given {
            Some((scheme, given)) if scheme.eq_ignore_ascii_case("bearer") && token.is(given.trim()) => Ok(()),
            _ => {
                let detail = "the API wants its token: send the header `Authorization: Bearer TOKEN`";
                Err(Problem::new(StatusCode::UNAUTHORIZED, problem::UNAUTHORIZED, detail))
            }
        }
    }
}

/// Passes requests that name our host and carry our token. Open paths need no token.
pub(super) async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let is_public = guard.open.contains(&request.uri().path());
    let headers = request.headers();
    let checked = guard.check_host(headers).and_then(|()| match is_public {
        true => Ok(()),
        false => guard.check_token(headers),
    });
    match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => {
            let is_unauthorized = problem.status == StatusCode::UNAUTHORIZED.as_u16();
            let mut response = problem.into_response();
            if is_unauthorized {
                // RFC 9110, section 15.5.2: the answer must name the scheme.
                response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            response
        }
    }
}
