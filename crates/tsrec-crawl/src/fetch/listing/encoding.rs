//! Listings in other encodings than UTF-8, as UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes decoded at a time.
const PIECE: usize = 8 << 10;

/// The encoding of a listing: by its byte order mark, by zeros beside its first letter, or by its
/// XML declaration; else UTF-8.
pub(super) fn of_listing(begin: &[u8]) -> &'static Encoding {
    match begin {
        [b'<', 0, ..] => return UTF_16LE,
        [0, b'<', ..] => return UTF_16BE,
        _ => {}
    }
    if let Some((encoding, _)) = Encoding::for_bom(begin) {
        return encoding;
    }
    let declared = declared(begin).and_then(Encoding::for_label);
    // A declaration that could be read is in no encoding of two bytes.
    declared.filter(|encoding| ![UTF_16LE, UTF_16BE].contains(encoding)).unwrap_or(UTF_8)
}

/// The label in an XML declaration.
fn declared(begin: &[u8]) -> Option<&[u8]> {
    let declaration = begin.trim_ascii_start().strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.windows(2).position(|end| end == b"?>")?];
    let at = declaration.windows(8).position(|name| name.eq_ignore_ascii_case(b"encoding"))? + 8;
    let value = declaration[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    value[1..].split(|byte| byte == quote).next()
}

/// A stream as UTF-8, without its byte order mark.
pub(super) struct Utf8<R> {
    stream: R,
    decoder: Decoder,
    encoded: Vec<u8>,
    decoded: Vec<u8>,
    at: usize,
    has_ended: bool,
}

impl<R: Read> Utf8<R> {
    pub(super) fn new(stream: R, encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_with_bom_removal();
        Self { stream, decoder, encoded: vec![0; PIECE], decoded: Vec::new(), at: 0, has_ended: false }
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.decoded.len() && !self.has_ended {
            let length = self.stream.read(&mut self.encoded)?;
            self.has_ended = length == 0;
            let room = self.decoder.max_utf8_buffer_length(length).unwrap_or(4 * PIECE);
            (self.decoded, self.at) = (vec![0; room], 0);
            let (_, _, written, _) =
                self.decoder.decode_to_utf8(&self.encoded[..length], &mut self.decoded, self.has_ended);
            self.decoded.truncate(written);
        }
        let length = out.len().min(self.decoded.len() - self.at);
        out[..length].copy_from_slice(&self.decoded[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
