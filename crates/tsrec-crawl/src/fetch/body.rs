//! The body of an answer: decoded, bounded in bytes, in time, and in how slowly it may come.

use std::io::{self, Write};
use std::time::Duration;

use brotli_decompressor::DecompressorWriter;
use flate2::write::GzDecoder;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::Instant;

use super::cause::Cause;
use super::connection::{Connection, Idle};
use super::failure::Failure;
use super::turns::RequestTurn;

/// What is offered to servers. `deflate` is not: it means two things (RFC 9110, section 8.4.1.2).
pub(super) const ACCEPT_ENCODING: &str = "gzip, br";

/// Working memory of a brotli decoder. The format's own window comes on top, 16 MiB at most.
const BROTLI_BUFFER_BYTES: usize = 4096;

/// Bytes of a body beyond twice what is read of it decoded: no compression makes anything so much
/// larger, but one that comes to nothing can go on without end.
const OVERHEAD_BYTES: usize = 1 << 20;

/// How slowly a body may come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    /// How long any rate will do.
    pub(super) grace: Duration,
    /// Bytes a second, as the transport carries them, that make up for time after that; 0 for none.
    pub(super) bytes_per_second: u32,
}

impl Floor {
    /// How long a body may take until its next bytes come, when so many have come.
    fn allows(self, bytes: u64) -> Option<Duration> {
        let earned = Duration::from_secs_f64(bytes as f64 / f64::from(self.bytes_per_second.max(1)));
        (self.bytes_per_second > 0).then(|| self.grace.saturating_add(earned))
    }
}

/// A body that is being read.
pub(super) struct BodyReader {
    pub(super) incoming: Incoming,
    /// `None` when all of it is read.
    pub(super) connection: Option<Connection>,
    pub(super) origin: String,
    pub(super) idle: Idle,
    pub(super) floor: Floor,
    pub(super) began: Instant,
    pub(super) deadline: Instant,
    /// Bytes that had come with the head.
    pub(super) before: u64,
    pub(super) decoder: Decoder,
    /// Bytes that went into it.
    pub(super) taken: usize,
    /// Given back when the body is dropped.
    pub(super) _turn: RequestTurn,
}

impl BodyReader {
    /// Reads until there are `enough` decoded bytes, of at most `most` in all, or until the end,
    /// and gives those that there are. Cheap when they are there.
    pub(super) async fn read(&mut self, enough: usize, most: usize) -> Result<&mut Vec<u8>, Failure> {
        self.decoder.sink().most = most;
        // Without its connection it has come to its end.
        while self.connection.is_some() && self.decoder.sink().bytes.len() < enough {
            match self.next().await? {
                Some(chunk) => {
                    self.taken = self.taken.saturating_add(chunk.len());
                    if self.taken > most.saturating_mul(2).saturating_add(OVERHEAD_BYTES) {
                        return Err(Failure::plain(Cause::BadCompression));
                    }
                    if self.decoder.write(&chunk)? == Decoded::ItsEnd {
                        // More than the end of the compressed data may never end. The connection is
                        // not used again.
                        self.connection = None;
                    }
                }
                None => {
                    self.decoder.finish()?;
                    if let Some(connection) = self.connection.take() {
                        self.idle.keep(std::mem::take(&mut self.origin), connection);
                    }
                    break;
                }
            }
        }
        Ok(&mut self.decoder.sink().bytes)
    }

    /// The next bytes as they were sent; `None` at the end.
    async fn next(&mut self) -> Result<Option<bytes::Bytes>, Failure> {
        loop {
            let read = self.connection.as_ref().map_or(0, |connection| connection.meter.read()) - self.before;
            let slow = self.floor.allows(read).and_then(|allowed| self.began.checked_add(allowed));
            let (until, cause) = match slow {
                Some(slow) if slow < self.deadline => (slow, Cause::TooSlow),
                _ => (self.deadline, Cause::Timeout),
            };
            match tokio::time::timeout_at(until, self.incoming.frame()).await {
                Err(_elapsed) => return Err(Failure::plain(cause)),
                Ok(None) => return Ok(None),
                Ok(Some(Err(error))) => return Err(Failure::http(error)),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }
}

/// How much of a piece was decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decoded {
    /// What is wanted of it.
    AllOfIt,
    /// The compressed data ends in it or before; what follows is no part of the body.
    ItsEnd,
}

/// Undoes the content encoding.
pub(super) enum Decoder {
    Plain(DecodedBody),
    Gzip(Box<GzDecoder<DecodedBody>>),
    Brotli(Box<DecompressorWriter<DecodedBody>>),
}

/// What has been decoded, up to a limit: what goes beyond it ends the decoding.
#[derive(Debug, Default)]
pub(super) struct DecodedBody {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for DecodedBody {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        let taken = chunk.len().min(self.most.saturating_sub(self.bytes.len()));
        if taken == 0 && !chunk.is_empty() {
            return Err(io::Error::other("enough is decoded"));
        }
        self.bytes.extend_from_slice(&chunk[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Decoder {
    /// For this value of `Content-Encoding`; `None` for one that was not offered.
    pub(super) fn new(encoding: &str) -> Option<Self> {
        let sink = DecodedBody::default();
        match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Some(Self::Plain(sink)),
            "gzip" | "x-gzip" => Some(Self::Gzip(Box::new(GzDecoder::new(sink)))),
            "br" => Some(Self::Brotli(Box::new(DecompressorWriter::new(sink, BROTLI_BUFFER_BYTES)))),
            _ => None,
        }
    }

    fn sink(&mut self) -> &mut DecodedBody {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
        }
    }

    fn is_full(&mut self) -> bool {
        let sink = self.sink();
        sink.bytes.len() >= sink.most
    }

    fn write(&mut self, mut chunk: &[u8]) -> Result<Decoded, Failure> {
        while !chunk.is_empty() && !self.is_full() {
            let written = match self {
                Self::Plain(sink) => sink.write(chunk),
                Self::Gzip(decoder) => decoder.write(chunk),
                Self::Brotli(decoder) => decoder.write(chunk),
            };
            match written {
                Ok(0) => return Ok(Decoded::ItsEnd),
                Ok(written) => chunk = &chunk[written..],
                Err(_) if self.is_full() => return Ok(Decoded::AllOfIt),
                Err(error) => return Err(Failure::new(Cause::BadCompression, error)),
            }
        }
        Ok(Decoded::AllOfIt)
    }

    /// The end has come: whether it was to be expected.
    fn finish(&mut self) -> Result<(), Failure> {
        let finished = match self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Brotli(decoder) => decoder.close(),
        };
        match finished {
            Err(_) if self.is_full() => Ok(()),
            Err(error) => Err(Failure::new(Cause::BadCompression, error)),
            Ok(()) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Decodes what comes in pieces of this size.
    fn decode(encoding: &str, encoded: &[u8], piece: usize, most: usize) -> Result<Vec<u8>, Cause> {
        let mut decoder = Decoder::new(encoding).unwrap();
        decoder.sink().most = most;
        for piece in encoded.chunks(piece) {
            decoder.write(piece).map_err(|failure| failure.cause)?;
        }
        decoder.finish().map_err(|failure| failure.cause)?;
        Ok(std::mem::take(&mut decoder.sink().bytes))
    }

    #[test]
    fn whatever_the_pieces_the_body_is_the_same() {
        let body: Vec<u8> = (0..20_000u32).flat_map(u32::to_le_bytes).collect();
        let mut with_more = gzip(&body);
        with_more.extend_from_slice(b"more than was announced");
        for piece in [1, 7, 4096, usize::MAX] {
            assert_eq!(decode("gzip", &gzip(&body), piece, usize::MAX).unwrap(), body);
            assert_eq!(decode(" X-GZIP ", &with_more, piece, usize::MAX).unwrap(), body);
            assert_eq!(decode("identity", &body, piece, usize::MAX).unwrap(), body);
            assert_eq!(decode("gzip", &gzip(&body), piece, 1000).unwrap(), body[..1000]);
            assert_eq!(decode("gzip", &gzip(&body)[..9_000], piece, usize::MAX), Err(Cause::BadCompression));
            assert_eq!(decode("gzip", &body, piece, usize::MAX), Err(Cause::BadCompression));
            assert_eq!(decode("br", &[0xFF; 100], piece, usize::MAX), Err(Cause::BadCompression));
            // An empty stream, and one uncompressed block that says "hello" (RFC 7932, section
            // 9.2).
            assert_eq!(decode("br", &[0x06], piece, usize::MAX).unwrap(), b"");
        }
        assert!(Decoder::new("compress").is_none() && Decoder::new("gzip, gzip").is_none());
    }

    #[test]
    fn a_bomb_is_decoded_up_to_the_limit() {
        let bomb = gzip(&vec![0; 50 << 20]);
        assert!(bomb.len() < 1 << 20, "{}", bomb.len());
        assert_eq!(decode("gzip", &bomb, 8192, 1 << 20).unwrap().len(), 1 << 20);
    }

    #[test]
    fn slowness_is_made_up_for_by_bytes() {
        let floor = Floor { grace: Duration::from_secs(10), bytes_per_second: 1000 };
        assert_eq!(floor.allows(0), Some(Duration::from_secs(10)));
        assert_eq!(floor.allows(5000), Some(Duration::from_secs(15)));
        assert_eq!(Floor { bytes_per_second: 0, ..floor }.allows(0), None);
    }
}
