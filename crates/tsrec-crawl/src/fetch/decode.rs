//! Content encodings, undone under a limit on decoded bytes.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};
use zstd::stream::raw::{self, DParameter, InBuffer, Operation, OutBuffer};

use super::cause::Cause;
use super::failure::Failure;

/// Encodings offered to servers.
pub(super) const ACCEPT_ENCODING: &str = "gzip, br, zstd, deflate";

/// Working memory of a brotli decoder. The format's own window adds at most 16 MiB.
const BROTLI_BUFFER_BYTES: usize = 4096;

/// Largest window of a zstd frame: 8 MiB, as RFC 9659 demands of servers.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Bytes that a zstd decoder puts out at a time. Judgement: small beside the window.
const ZSTD_BUFFER_BYTES: usize = 16 << 10;

/// Whether a piece was decoded whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Decoded {
    /// All of the piece, or as much as the limit allows.
    AllOfIt,
    /// The compressed data ends in this piece or before. What follows is not part of the body.
    ItsEnd,
    /// The data breaks off: its checksum is missing, or more. What was decoded counts.
    AllButItsEnd,
}

/// Undoes the content encoding.
pub(super) enum Decoder {
    Plain(DecodedBody),
    Gzip(Box<GzipMembers>),
    Brotli(Box<DecompressorWriter<DecodedBody>>),
    Zstd(Box<ZstdFrames>),
    Deflate(Box<Deflated>),
}

/// The decoded bytes, up to a limit. Reaching the limit ends the decoding.
#[derive(Debug, Default)]
pub(super) struct DecodedBody {
    pub(super) bytes: Vec<u8>,
    pub(super) most: usize,
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
    /// Members that are decoded.
    done: u32,
    /// The decoded bytes before this member.
    before: usize,
    /// Whether something else than a member follows.
    has_ended: bool,
}

/// How a member begins.
const MEMBER: u8 = 0x1F;

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
        // What the decoder has not written yet. It may know already that the data has not ended.
        let _ = self.decoder.flush();
        let decoded = self.decoder.get_ref().bytes.len();
        // A decoder whose member is whole takes nothing more.
        if matches!(self.decoder.write(&[0]), Ok(0)) {
            return self.decoder.try_finish().map(|()| Decoded::ItsEnd);
        }
        if self.is_past_its_end() {
            return Ok(Decoded::ItsEnd);
        }
        // What it made of the byte that was no part of the data.
        self.decoder.get_mut().bytes.truncate(decoded);
        match decoded {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(Decoded::AllButItsEnd),
        }
    }
}

/// Undoes zstd, of which a body may have several frames one after the other (RFC 8878, section 3).
pub(super) struct ZstdFrames {
    decoder: raw::Decoder<'static>,
    sink: DecodedBody,
    /// Whether the bytes so far end with a frame.
    at_end: bool,
    /// The decoded bytes before this frame; `None` in the first.
    before: Option<usize>,
    /// Whether something else than a frame follows.
    has_ended: bool,
}

impl ZstdFrames {
    fn new(sink: DecodedBody) -> io::Result<Self> {
        let mut decoder = raw::Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
        Ok(Self { decoder, sink, at_end: false, before: None, has_ended: false })
    }

    /// Like [`Write::write`]; 0 if no further frame follows.
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        match self.decode(chunk) {
            Err(_) if self.before == Some(self.sink.bytes.len()) => {
                self.has_ended = true;
                Ok(0)
            }
            decoded => decoded.map(|()| chunk.len()),
        }
    }

    fn decode(&mut self, chunk: &[u8]) -> io::Result<()> {
        let mut input = InBuffer::around(chunk);
        let mut buffer = [0; ZSTD_BUFFER_BYTES];
        loop {
            if self.at_end && input.pos() < chunk.len() {
                self.decoder.reinit()?;
                self.at_end = false;
            }
            let mut output = OutBuffer::around(&mut buffer[..]);
            let is_done = self.decoder.run(&mut input, &mut output)? == 0;
            let decoded = output.as_slice();
            let is_full = decoded.len() == ZSTD_BUFFER_BYTES;
            self.sink.write_all(decoded)?;
            if is_done {
                (self.at_end, self.before) = (true, Some(self.sink.bytes.len()));
            }
            if input.pos() == chunk.len() && !is_full {
                return Ok(());
            }
        }
    }

    fn finish(&self) -> io::Result<Decoded> {
        match self.at_end || self.has_ended || self.before == Some(self.sink.bytes.len()) {
            true => Ok(Decoded::ItsEnd),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Undoes `deflate`. It means the zlib format (RFC 9110, section 8.4.1.2), but some servers send
/// what is in it without its head and checksum. Browsers read both.
pub(super) enum Deflated {
    /// The first byte has not come, or the second.
    Begun(Option<u8>, DecodedBody),
    Zlib(ZlibDecoder<DecodedBody>),
    Bare(DeflateDecoder<DecodedBody>),
}

impl Deflated {
    fn sink(&mut self) -> &mut DecodedBody {
        match self {
            Self::Begun(_, sink) => sink,
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Bare(decoder) => decoder.get_mut(),
        }
    }

    /// Like [`Write::write`]; 0 after the end.
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        match self {
            Self::Begun(first @ None, _) => {
                *first = chunk.first().copied();
                Ok(chunk.len().min(1))
            }
            &mut Self::Begun(Some(first), ref mut sink) => {
                let Some(&second) = chunk.first() else { return Ok(0) };
                let sink = std::mem::take(sink);
                *self = match is_zlib(first, second) {
                    true => Self::Zlib(ZlibDecoder::new(sink)),
                    false => Self::Bare(DeflateDecoder::new(sink)),
                };
                self.write(&[first])?;
                self.write(chunk)
            }
            Self::Zlib(decoder) => decoder.write(chunk),
            Self::Bare(decoder) => decoder.write(chunk),
        }
    }

    fn finish(&mut self) -> io::Result<Decoded> {
        // A decoder that is at its end takes nothing more.
        if !matches!(self.write(&[0]), Ok(0)) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match self {
            Self::Begun(..) => {}
            Self::Zlib(decoder) => decoder.try_finish()?,
            Self::Bare(decoder) => decoder.try_finish()?,
        }
        Ok(Decoded::ItsEnd)
    }
}

/// Whether these two bytes are the head of zlib data (RFC 1950, section 2.2).
fn is_zlib(first: u8, second: u8) -> bool {
    first & 0x0F == 8 && first >> 4 <= 7 && u16::from_be_bytes([first, second]).is_multiple_of(31)
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
            ["zstd"] => Some(Self::Zstd(Box::new(ZstdFrames::new(sink).ok()?))),
            ["deflate"] => Some(Self::Deflate(Box::new(Deflated::Begun(None, sink)))),
            _ => None,
        }
    }

    /// Takes a body as it comes.
    pub(super) fn plain() -> Self {
        Self::Plain(DecodedBody::default())
    }

    pub(super) fn sink(&mut self) -> &mut DecodedBody {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(members) => members.decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
            Self::Zstd(frames) => &mut frames.sink,
            Self::Deflate(deflated) => deflated.sink(),
        }
    }

    fn is_full(&mut self) -> bool {
        let sink = self.sink();
        sink.bytes.len() >= sink.most
    }

    pub(super) fn write(&mut self, mut chunk: &[u8]) -> Result<Decoded, Failure> {
        while !chunk.is_empty() && !self.is_full() {
            let written = match self {
                Self::Plain(sink) => sink.write(chunk),
                Self::Gzip(members) => members.write(chunk),
                Self::Brotli(decoder) => decoder.write(chunk),
                Self::Zstd(frames) => frames.write(chunk),
                Self::Deflate(deflated) => deflated.write(chunk),
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
    pub(super) fn finish(&mut self) -> Result<Decoded, Failure> {
        if self.is_full() {
            return Ok(Decoded::AllOfIt);
        }
        let finished = match self {
            Self::Plain(_) => Ok(Decoded::ItsEnd),
            Self::Gzip(members) => members.finish(),
            Self::Brotli(decoder) => decoder.close().map(|()| Decoded::ItsEnd),
            Self::Zstd(frames) => frames.finish(),
            Self::Deflate(deflated) => deflated.finish(),
        };
        finished.map_err(|error| Failure::new(Cause::BadCompression, error))
    }
}

#[cfg(test)]
mod tests;
