//! The body of an answer: decoded, with limits on bytes, on time, and on the lowest rate.

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

/// Encodings offered to servers. `deflate` is left out: it means two things (RFC 9110, section
/// 8.4.1.2).
pub(super) const ACCEPT_ENCODING: &str = "gzip, br";

/// Working memory of a brotli decoder. The format's own window adds at most 16 MiB.
const BROTLI_BUFFER_BYTES: usize = 4096;

/// Encoded bytes read beyond twice the limit on decoded bytes. Compression does not enlarge data
/// that much, but data that decodes to nothing can go on without end.
const OVERHEAD_BYTES: usize = 1 << 20;

/// The lowest rate at which a body may come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    /// How long any rate is accepted.
    pub(super) grace: Duration,
    /// Lowest rate after that, in bytes a second as the transport carries them; 0 for none.
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
    pub(super) incoming: Incoming,
    /// `None` once the body is read.
    pub(super) connection: Option<Connection>,
    pub(super) origin: String,
    pub(super) idle: Idle,
    pub(super) floor: Floor,
    pub(super) began: Instant,
    pub(super) deadline: Instant,
    /// Bytes that came with the head.
    pub(super) before: u64,
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
                        self.idle.keep(std::mem::take(&mut self.origin), connection);
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

    /// Whether the body ended without the end of its compression.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The next encoded bytes; `None` at the end.
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

/// Whether a piece was decoded whole.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decoded {
    /// All of the piece, or as much as the limit allows.
    AllOfIt,
    /// The compressed data ends in this piece or before. What follows is not part of the body.
    ItsEnd,
    /// All of the data, but the checksum after it is missing.
    AllButItsEnd,
}

/// Undoes the content encoding.
pub(super) enum Decoder {
    Plain(DecodedBody),
    Gzip(Box<GzipMembers>),
    Brotli(Box<DecompressorWriter<DecodedBody>>),
}

/// The decoded bytes, up to a limit. Reaching the limit ends the decoding.
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

/// Undoes gzip, of which a body may have several members one after the other (RFC 1952, section
/// 2.2).
pub(super) struct GzipMembers {
    decoder: GzDecoder<DecodedBody>,
    /// GzipMembers that are decoded.
    done: u32,
    /// The decoded bytes before this member.
    before: usize,
    /// Whether something else than a member follows.
    has_ended: bool,
}

/// How a member begins.
const MEMBER: u8 = 0x1F;

/// The checksum and the length at the end of a member, in bytes.
const TRAILER_BYTES: usize = 8;

impl GzipMembers {
    fn new(sink: DecodedBody) -> Self {
        Self { decoder: GzDecoder::new(sink), done: 0, before: 0, has_ended: false }
    }

    /// Like [`Write::write`]; 0 if no further member follows.
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        match self.decoder.write(chunk) {
            Ok(0) if !chunk.is_empty() => {
                self.decoder.try_finish()?;
                if chunk[0] != MEMBER {
                    self.has_ended = true;
                    return Ok(0);
                }
                let sink = std::mem::take(self.decoder.get_mut());
                (self.done, self.before) = (self.done.saturating_add(1), sink.bytes.len());
                self.decoder = GzDecoder::new(sink);
                self.write(chunk)
            }
            Err(_) if self.is_past_its_end() => {
                self.has_ended = true;
                Ok(0)
            }
            written => written,
        }
    }

    /// Whether nothing was decoded since the last member ended.
    fn is_past_its_end(&self) -> bool {
        self.done > 0 && self.decoder.get_ref().bytes.len() == self.before
    }

    fn finish(&mut self) -> io::Result<Decoded> {
        if self.has_ended {
            return Ok(Decoded::ItsEnd);
        }
        // A decoder whose member is whole takes nothing more. One that has the data takes the
        // trailer.
        let mut missing = 0;
        let broken = loop {
            match self.decoder.write(&[0]) {
                Ok(0) => break None,
                Ok(taken) if missing <= TRAILER_BYTES => missing += taken,
                Ok(_) => break Some(io::ErrorKind::UnexpectedEof.into()),
                Err(error) => break Some(error),
            }
        };
        match broken {
            Some(_) if self.is_past_its_end() => Ok(Decoded::ItsEnd),
            Some(error) => Err(error),
            None if missing == 0 => self.decoder.try_finish().map(|()| Decoded::ItsEnd),
            None if missing <= TRAILER_BYTES => Ok(Decoded::AllButItsEnd),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Decoder {
    /// A decoder for a list of content encodings; `None` if there is one that we do not know.
    pub(super) fn new(encodings: &str) -> Option<Self> {
        let names = encodings.split(',').map(|name| name.trim().to_ascii_lowercase());
        let names: Vec<String> = names.filter(|name| !name.is_empty() && name != "identity").collect();
        let sink = DecodedBody::default();
        match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] => Some(Self::Plain(sink)),
            ["gzip" | "x-gzip"] => Some(Self::Gzip(Box::new(GzipMembers::new(sink)))),
            ["br"] => Some(Self::Brotli(Box::new(DecompressorWriter::new(sink, BROTLI_BUFFER_BYTES)))),
            _ => None,
        }
    }

    /// Takes a body as it comes.
    pub(super) fn plain() -> Self {
        Self::Plain(DecodedBody::default())
    }

    fn sink(&mut self) -> &mut DecodedBody {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(members) => members.decoder.get_mut(),
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
                Self::Gzip(members) => members.write(chunk),
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

    /// The input has ended. Fails if the compressed data has not.
    fn finish(&mut self) -> Result<Decoded, Failure> {
        if self.is_full() {
            return Ok(Decoded::AllOfIt);
        }
        let finished = match self {
            Self::Plain(_) => Ok(Decoded::ItsEnd),
            Self::Gzip(members) => members.finish(),
            Self::Brotli(decoder) => decoder.close().map(|()| Decoded::ItsEnd),
        };
        finished.map_err(|error| Failure::new(Cause::BadCompression, error))
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

    /// Decodes input in pieces of this size.
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
    fn members_are_read_one_after_the_other_and_a_trailer_may_be_missing() {
        let body: Vec<u8> = (0..20_000u32).flat_map(u32::to_le_bytes).collect();
        let (one, other) = (gzip(b"one"), gzip(&body));
        let both = [&b"one"[..], &body].concat();
        let without = |bytes: &[u8], end: usize| bytes[..bytes.len() - end].to_vec();
        for (encoded, expect, end) in [
            ([&one[..], &other].concat(), both.clone(), Decoded::ItsEnd),
            ([&one[..], &gzip(b""), &other].concat(), both.clone(), Decoded::ItsEnd),
            ([&one[..], b"\0\0\0\0"].concat(), b"one".to_vec(), Decoded::ItsEnd),
            ([&one[..], b"\x1Fother"].concat(), b"one".to_vec(), Decoded::ItsEnd),
            ([&one[..], b"\x1F"].concat(), b"one".to_vec(), Decoded::ItsEnd),
            (without(&one, 8), b"one".to_vec(), Decoded::AllButItsEnd),
            (without(&one, 1), b"one".to_vec(), Decoded::AllButItsEnd),
            (without(&[&one[..], &other].concat(), 8), both, Decoded::AllButItsEnd),
        ] {
            for piece in [1, 7, 4096, usize::MAX] {
                let mut decoder = Decoder::new("gzip").unwrap();
                decoder.sink().most = usize::MAX;
                for piece in encoded.chunks(piece) {
                    decoder.write(piece).unwrap();
                }
                let found = (decoder.finish().unwrap(), std::mem::take(&mut decoder.sink().bytes) == expect);
                assert_eq!(found, (end, true), "{} bytes in pieces of {piece}", encoded.len());
            }
        }
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
