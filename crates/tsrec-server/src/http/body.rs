//! Request bodies, with a time limit.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep};

/// The slowest allowed rate of a body after its first time, in bytes a second. Judgement: even a
/// bad connection today has ten times that.
const LEAST_RATE: f64 = 16.0 * 1024.0;

/// A body whose client may make us wait: the first time, plus the time for its bytes. It fails if
/// that is used up. Time in which we do not ask for more is ours, and does not count.
struct InTime {
    body: Body,
    /// How long we may still wait for it.
    left: Duration,
    /// While we wait: since when, and the deadline.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

/// Puts a deadline on the body of a request, if it has one.
pub(super) fn in_time(request: Request, at_first: Duration) -> Request {
    if request.body().is_end_stream() {
        return request;
    }
    request.map(|body| Body::new(InTime { body, left: at_first, waiting: None }))
}

impl HttpBody for InTime {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            let left = self.left;
            let begin = || (Instant::now(), Box::pin(tokio::time::sleep(left)));
            ready!(self.waiting.get_or_insert_with(begin).1.as_mut().poll(context));
            let late = io::Error::new(io::ErrorKind::TimedOut, "it does not come in time");
            return Poll::Ready(Some(Err(axum::Error::new(late))));
        };
        if let Some((since, _)) = self.waiting.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
        if let Some(data) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
            self.left += Duration::from_secs_f64(data.len() as f64 / LEAST_RATE);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
