//! The label editor of `tsrec annotate`: a person labels one page in a browser.
//!
//! Its address contains a secret. So no other user of the machine and no other site can read or
//! change the labels. Memory holds the labels until the person saves or abandons them; then
//! serving ends.

mod page;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{CACHE_CONTROL, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::{LONGEST_FORM, check_origin, field, fields, marks};
use crate::http::problem::{self, Problem};
use crate::http::query::Query;
use crate::http::{Config, Token, connections};
use crate::inspector::{LabelSheet, escaped};
use tsrec_core::annotation::Labelling;
use tsrec_core::block::block_label::BlockLabel;

/// Blocks shown at a time. Judgement: a browser lays them out at once, and most pages have fewer.
pub const PART: usize = 500;

/// How long the last answer may take once the labels are saved.
const PATIENCE: Duration = Duration::from_secs(5);

/// Writes labels, or returns why it cannot.
pub type Save = Box<dyn FnMut(&[Option<BlockLabel>]) -> Result<(), String> + Send>;

/// A page that a person labels.
pub struct AnnotationForm {
    /// The display name of the page.
    pub name: String,
    /// The display name of the output file.
    pub out: String,
    /// The labels.
    pub labelling: Labelling,
    /// The page's blocks for display; at least one.
    pub sheet: LabelSheet,
    /// The page itself, as [`crate::inspector::frame`] shows it, if it is short enough.
    pub frame: Option<String>,
    /// Called when the person saves.
    pub save: Save,
}

/// How labelling ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationEnd {
    /// Saved, with the number of labelled blocks.
    Saved(usize),
    /// Abandoned.
    Left,
}

/// A secret for an address, from the system's source of randomness.
///
/// # Errors
///
/// If the system has none.
pub fn secret() -> std::io::Result<Token> {
    let mut bytes = [0; 24];
    let provider = rustls::crypto::ring::default_provider();
    provider.secure_random.fill(&mut bytes).map_err(|_| std::io::Error::other("no random bytes can be had"))?;
    Token::new(&URL_SAFE_NO_PAD.encode(bytes)).ok_or_else(|| std::io::Error::other("the secret is no token"))
}

/// The address of the label editor.
///
/// # Errors
///
/// If the listener has no address.
pub fn address(listener: &TcpListener, secret: &Token) -> std::io::Result<String> {
    Ok(format!("http://{}/{}/", listener.local_addr()?, secret.as_str()))
}

/// Serves the page until the labels are saved or abandoned. The shutdown abandons them.
pub async fn serve(
    listener: TcpListener,
    secret: Token,
    annotation: AnnotationForm,
    shutdown: impl Future<Output = ()>,
) -> AnnotationEnd {
    let (ending, mut ended) = watch::channel(None);
    let closing = watch::Sender::new(false);
    let served = AnnotationServer { secret, session: Arc::new(Mutex::new(Session::new(annotation, ending))) };
    let router = Router::new()
        .route("/{secret}/", get(show).post(take))
        .fallback(async || nothing_here())
        .layer(DefaultBodyLimit::max(LONGEST_FORM))
        .with_state(served);
    let closed = closing.subscribe();
    let mut serving =
        tokio::spawn(async move { connections::serve(listener, router, &Config::default(), closed).await });
    let end = tokio::select! {
        end = ended.wait_for(Option::is_some) => end.ok().and_then(|end| *end),
        () = shutdown => None,
    };
    closing.send_replace(true);
    // The answer that confirms it is still being sent. Do not wait for a client that does not
    // read it.
    if tokio::time::timeout(PATIENCE, &mut serving).await.is_err() {
        serving.abort();
    }
    end.unwrap_or(AnnotationEnd::Left)
}

/// State shared by the requests.
#[derive(Clone)]
struct AnnotationServer {
    secret: Token,
    session: Arc<Mutex<Session>>,
}

impl AnnotationServer {
    /// Runs `work` on the session if the request has the secret, on a thread that may block.
    async fn with(
        self,
        secret: &str,
        work: impl FnOnce(&mut Session) -> Result<Response, Problem> + Send + 'static,
    ) -> Response {
        if !self.secret.is(secret) {
            return nothing_here();
        }
        let working = tokio::task::spawn_blocking(move || work(&mut self.session()));
        let worked = working.await.unwrap_or_else(|error| Err(Problem::internal(&error)));
        let mut response = worked.unwrap_or_else(|problem| refused(&problem));
        // A cached page would show old labels.
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartQuery {
    /// The number of a block, from 1; shows the part that contains it.
    from: Option<usize>,
}

async fn show(
    State(served): State<AnnotationServer>,
    Path(secret): Path<String>,
    asked: Result<Query<PartQuery>, Problem>,
) -> Response {
    let shown = |session: &mut Session| {
        let Query(PartQuery { from }) = asked?;
        Ok(session.shown(from.unwrap_or(1)))
    };
    served.with(&secret, shown).await
}

async fn take(
    State(served): State<AnnotationServer>,
    Path(secret): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let taken = move |session: &mut Session| {
        check_origin(&headers)?;
        let body = body.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
        session.take(&fields(&body))
    };
    served.with(&secret, taken).await
}

/// The state of one labelling session.
struct Session {
    annotation: AnnotationForm,
    /// The labels in the file; all `None` if there are none.
    saved: Vec<Option<BlockLabel>>,
    /// Changes after every form.
    revision: u64,
    /// A message about the last form.
    notice: Option<String>,
    ending: watch::Sender<Option<AnnotationEnd>>,
}

impl Session {
    fn new(annotation: AnnotationForm, ending: watch::Sender<Option<AnnotationEnd>>) -> Session {
        let saved = annotation.labelling.labels().to_vec();
        Session { annotation, saved, revision: 0, notice: None, ending }
    }

    /// The part that contains a block, by its number from 1.
    fn part(&self, number: usize) -> Range<usize> {
        let blocks = self.annotation.sheet.len();
        let start = number.clamp(1, blocks.max(1)).saturating_sub(1) / PART * PART;
        start..blocks.min(start + PART)
    }

    fn take(&mut self, form: &[(String, String)]) -> Result<Response, Problem> {
        if self.ending.borrow().is_some() {
            return Err(conflict("labelling has ended: run the command again to go on"));
        }
        if number(form, "revision")? != self.revision {
            return Err(conflict(
                "the labels have changed since this page was shown, in another window or before you went back: \
                 open it again",
            ));
        }
        let from = usize::try_from(number(form, "from")?).unwrap_or(usize::MAX);
        let step = field(form, "do")?;
        let page = step.strip_prefix("part-").and_then(|number| number.parse().ok());
        let known = ["apply", "accept", "rest", "undo", "unlabelled", "save", "leave", "forget"];
        if page.is_none() && !known.contains(&step) {
            return Err(Problem::invalid(format!("do is {step:?}, it must be one of {}", known.join(", "))));
        }
        if step == "undo" {
            self.notice = None;
        } else {
            self.mark(form)?;
        }
        self.revision += 1;
        let labelling = &mut self.annotation.labelling;
        match step {
            "accept" => labelling.accept(),
            "rest" => labelling.rest(),
            "undo" => drop(labelling.undo()),
            // Save what the person set. If a label was refused, show that first.
            "save" if self.notice.is_none() => return Ok(self.save()),
            "leave" if labelling.labels() != self.saved => return Ok(page::is_sure(self, from)),
            "leave" | "forget" => {
                self.ending.send_replace(Some(AnnotationEnd::Left));
                return Ok(page::left(&self.annotation));
            }
            _ => {}
        }
        Ok(self.lead_on(page.unwrap_or(from), step == "unlabelled"))
    }

    /// Redirects to the first unlabelled block of the part with a block. If `goes_far`, it goes
    /// to the next unlabelled block of any part.
    fn lead_on(&self, number: usize, goes_far: bool) -> Response {
        let part = self.part(number);
        let is_open = |block: &usize| self.annotation.labelling.labels()[*block].is_none();
        let mut here = part.clone().find(is_open);
        if goes_far {
            here = here.or_else(|| (part.end..self.annotation.sheet.len()).chain(0..part.start).find(is_open));
        }
        let to = match here {
            Some(block) => format!("?from={}#b{}", self.part(block + 1).start + 1, block + 1),
            None => format!("?from={}", part.start + 1),
        };
        (StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response()
    }

    /// Applies the labels and marks of a form.
    fn mark(&mut self, form: &[(String, String)]) -> Result<(), Problem> {
        let marks = marks(form)?;
        let labelling = &mut self.annotation.labelling;
        let mut given = Vec::new();
        for (name, value) in form {
            let Some(number) = name.strip_prefix('b').and_then(|number| number.parse::<usize>().ok()) else { continue };
            let block = number.wrapping_sub(1);
            let Some(before) = labelling.labels().get(block) else {
                let blocks = labelling.labels().len();
                return Err(Problem::invalid(format!("{name}: the page has {blocks} blocks, and none of that number")));
            };
            let mut keys = value.chars();
            let label = match (keys.next(), keys.next()) {
                (None, _) => None,
                (Some(key), None) if BlockLabel::from_key(key).is_some() => BlockLabel::from_key(key),
                _ => {
                    let detail = format!("{name} is {value:?}, it must be h, p, l, c, o or nothing");
                    return Err(Problem::invalid(detail));
                }
            };
            if label != *before {
                given.push((block, label));
            }
        }
        let refused = labelling.mark(&marks, &given).map_err(|error| Problem::invalid(error.to_string()))?;
        self.notice = refused.first().map(|block| {
            format!(
                "Block {} is no continuation: all before it is other, so there is nothing that it could go on with.",
                block + 1
            )
        });
        Ok(())
    }

    fn shown(&self, from: usize) -> Response {
        page::labels(self, self.part(from))
    }

    fn save(&mut self) -> Response {
        let AnnotationForm { labelling, save, .. } = &mut self.annotation;
        match save(labelling.labels()) {
            Ok(()) => {
                self.ending.send_replace(Some(AnnotationEnd::Saved(labelling.labelled())));
                page::saved(&self.annotation)
            }
            // Labels are work: keep them until they are saved elsewhere.
            Err(error) => page::not_saved(&self.annotation, &error),
        }
    }
}

/// The number in a field of a form.
fn number(form: &[(String, String)], name: &str) -> Result<u64, Problem> {
    let value = field(form, name)?;
    value.parse().map_err(|_| Problem::invalid(format!("{name} is {value:?}, it must be a number")))
}

fn conflict(detail: &str) -> Problem {
    Problem::new(StatusCode::CONFLICT, problem::BLANK, detail)
}

fn nothing_here() -> Response {
    let detail = "there is nothing at this address: open the whole address that tsrec annotate printed";
    refused(&Problem::new(StatusCode::NOT_FOUND, problem::BLANK, detail))
}

/// An error page. Only people use this server.
fn refused(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, page::narrow(&problem.title, &format!("<p role=alert>{}", escaped(&problem.detail)))).into_response()
}
