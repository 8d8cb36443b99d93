//! The body of an answer: decoded, with limits on bytes, on time, and on the lowest rate.

use std::time::Duration;

use reqwest::Response;
use tokio::time::Instant;

use super::cause::Cause;
use super::connection::{Connection, Idle};
use super::decode::{Decoded, Decoder};
use super::failure::Failure;
use super::turns::RequestTurn;

/// Encoded bytes read beyond twice the limit on decoded bytes. Compression does not enlarge data
/// that much, but data that decodes to nothing can go on without end.
const OVERHEAD_BYTES: usize = 1 << 20;

/// The lowest rate at which a body may come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    /// How long any rate is accepted.
    pub(super) grace: Duration,
    /// Lowest rate after that, in encoded bytes a second; 0 for none.
    pub(super) bytes_per_second: u32,
}

impl Floor {
    /// How long a body may take until its next bytes come, after this many bytes.
    fn allows(self, bytes: u64) -> Option<Duration> {
        let earned = Duration::from_secs_f64(bytes as f64 / f64::from(self.bytes_per_second.max(1)));
        (self.bytes_per_second > 0).then(|| self.grace.saturating_add(earned))
    }
}

/// A body that is being read.
pub(super) struct BodyReader {
    pub(super) response: Response,
    /// `None` once the body is read.
    pub(super) connection: Option<Connection>,
    pub(super) origin: String,
    pub(super) idle: Idle,
    pub(super) floor: Floor,
    pub(super) began: Instant,
    pub(super) deadline: Instant,
    pub(super) decoder: Decoder,
    /// Bytes put into the decoder.
    pub(super) taken: usize,
    /// Whether the body ended without the end of its compression.
    pub(super) is_cut: bool,
    /// Released when the body is dropped.
    pub(super) _turn: RequestTurn,
}

impl BodyReader {
    /// Reads until there are `enough` decoded bytes or the body ends, and returns the bytes so far.
    /// Decodes `most` bytes at most. Cheap if the bytes are already there.
    pub(super) async fn read(&mut self, enough: usize, most: usize) -> Result<&mut Vec<u8>, Failure> {
        self.decoder.sink().most = most;
        // A body without its connection has ended.
        while self.connection.is_some() && self.decoder.sink().bytes.len() < enough {
            match self.next().await? {
                Some(chunk) => {
                    self.taken = self.taken.saturating_add(chunk.len());
                    if self.taken > most.saturating_mul(2).saturating_add(OVERHEAD_BYTES) {
                        return Err(Failure::plain(Cause::BadCompression));
                    }
                    if self.decoder.write(&chunk)? == Decoded::ItsEnd {
                        // Data after the end of the compressed data may never end. The connection
                        // is not used again.
                        self.connection = None;
                    }
                }
                None => {
                    if self.taken > 0 {
                        self.is_cut = self.decoder.finish()? == Decoded::AllButItsEnd;
                    }
                    if let Some(connection) = self.connection.take() {
                        // Lets the library notice that the connection is idle.
                        tokio::task::yield_now().await;
                        self.idle.keep(std::mem::take(&mut self.origin), connection, self.response.version());
                    }
                    break;
                }
            }
        }
        Ok(&mut self.decoder.sink().bytes)
    }

    /// The next decoded bytes, `most` at most; `None` at the end. Bytes beyond `most` are dropped.
    pub(super) async fn next_decoded(&mut self, most: usize) -> Result<Option<Vec<u8>>, Failure> {
        while self.connection.is_some() {
            let decoded = self.decoder.sink().bytes.len();
            // Reads until there is one byte more.
            let bytes = self.read(decoded + 1, most).await?;
            if !bytes.is_empty() {
                return Ok(Some(std::mem::take(bytes)));
            }
        }
        Ok(None)
    }

    /// The body was not read for a while, by no fault of the server: that time does not count.
    pub(super) fn pause(&mut self, pause: Duration) {
        self.began += pause;
        self.deadline += pause;
    }

    /// Whether the body ended without the end of its compression.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The next encoded bytes; `None` at the end.
    async fn next(&mut self) -> Result<Option<bytes::Bytes>, Failure> {
        let slow = self.floor.allows(self.taken as u64).and_then(|allowed| self.began.checked_add(allowed));
        let (until, cause) = match slow {
            Some(slow) if slow < self.deadline => (slow, Cause::TooSlow),
            _ => (self.deadline, Cause::Timeout),
        };
        // A timer does not end what is always ready, such as empty frames without end.
        if Instant::now() >= until {
            return Err(Failure::plain(cause));
        }
        match tokio::time::timeout_at(until, self.response.chunk()).await {
            Err(_elapsed) => Err(Failure::plain(cause)),
            Ok(chunk) => chunk.map_err(Failure::body),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowness_is_made_up_for_by_bytes() {
        let floor = Floor { grace: Duration::from_secs(10), bytes_per_second: 1000 };
        assert_eq!(floor.allows(0), Some(Duration::from_secs(10)));
        assert_eq!(floor.allows(5000), Some(Duration::from_secs(15)));
        assert_eq!(Floor { bytes_per_second: 0, ..floor }.allows(0), None);
    }
}
