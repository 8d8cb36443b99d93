//! Counts the bytes of a connection, and limits those up to the end of an answer's head.
//!
//! A server may send any number of interim answers (1xx) before the final one (RFC 9110, section
//! 15.2). The HTTP library reads them for as long as they come. Here all bytes before the end of
//! the head count together.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Largest head that is parsed. Judgement: browsers take 256 KiB, servers send a few. Each request
/// needs this memory.
pub(super) const MAX_HEAD_BYTES: usize = 64 << 10;

/// Most bytes before the end of the head: the largest head, the bytes that one read may add, and
/// the same again for interim answers.
const MAX_BYTES_TO_HEAD: u64 = 4 * MAX_HEAD_BYTES as u64;

/// Counts the bytes of one connection.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Read since the request began.
    read: AtomicU64,
    /// Whether the head has not come yet.
    in_head: AtomicBool,
}

impl Meter {
    /// A request begins.
    pub(super) fn begin(&self) {
        self.read.store(0, Ordering::Relaxed);
        self.in_head.store(true, Ordering::Relaxed);
    }

    /// The head has come.
    pub(super) fn head_is_there(&self) {
        self.in_head.store(false, Ordering::Relaxed);
    }

    /// Bytes read since the request began, as the transport carried them.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// More bytes came before the end of the head than are allowed. Callers find this in the source
/// chain of the HTTP library's error.
#[derive(Debug)]
pub(super) struct Flood;

impl std::fmt::Display for Flood {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "more than {MAX_BYTES_TO_HEAD} bytes came before the end of the answer's head")
    }
}

impl std::error::Error for Flood {}

/// A stream whose bytes are counted.
pub(super) struct Wire<S> {
    stream: S,
    meter: Arc<Meter>,
}

impl<S> Wire<S> {
    pub(super) fn new(stream: S, meter: Arc<Meter>) -> Self {
        Self { stream, meter }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        std::task::ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let fresh = (buf.filled().len() - before) as u64;
        let read = self.meter.read.fetch_add(fresh, Ordering::Relaxed) + fresh;
        if read > MAX_BYTES_TO_HEAD && self.meter.in_head.load(Ordering::Relaxed) {
            return Poll::Ready(Err(io::Error::other(Flood)));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn only_what_comes_before_the_head_is_bounded() {
        let meter = Arc::new(Meter::default());
        let mut wire = Wire::new(tokio::io::repeat(b'x'), Arc::clone(&meter));
        let mut bytes = vec![0; MAX_BYTES_TO_HEAD as usize];
        meter.begin();
        wire.read_exact(&mut bytes).await.unwrap();
        assert_eq!(meter.read(), MAX_BYTES_TO_HEAD);
        meter.head_is_there();
        wire.read_exact(&mut bytes[..1]).await.unwrap();
        meter.begin();
        wire.read_exact(&mut bytes).await.unwrap();
        assert!(wire.read_u8().await.unwrap_err().to_string().contains("262144 bytes"));
    }
}
