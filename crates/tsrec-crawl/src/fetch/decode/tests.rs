//! Bodies that are whole, that break off, that are damaged, and bombs.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

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
        assert_eq!(decode("gzip", &body, piece, usize::MAX), Err(Cause::BadCompression));
        assert_eq!(decode("br", &[0xFF; 100], piece, usize::MAX), Err(Cause::BadCompression));
        // An empty stream, and one uncompressed block that says "hello" (RFC 7932, section
        // 9.2).
        assert_eq!(decode("br", &[0x06], piece, usize::MAX).unwrap(), b"");
    }
    assert!(Decoder::new("compress").is_none() && Decoder::new("gzip, gzip").is_none());
}

#[test]
fn members_are_read_one_after_the_other_and_the_end_may_be_missing() {
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
fn what_breaks_off_is_read_as_far_as_it_goes() {
    let lines: String = (0..5_000).map(|n| format!("<p>Line {n} of a page that is long enough.\n")).collect();
    let body = lines.into_bytes();
    let (one, other) = (gzip(b"one"), gzip(&body));
    for length in [other.len() - 1, other.len() - 9, other.len() * 2 / 3, other.len() / 2, 3_000] {
        for piece in [1, 7, 4096, usize::MAX] {
            let cut = decode_to_its_end("gzip", &other[..length], piece);
            let (found, end) = cut.unwrap();
            assert!(body.starts_with(&found) && end == Decoded::AllButItsEnd, "{length} in pieces of {piece}");
            assert!(found.len() * other.len() >= body.len() * length / 2, "{} of {length}", found.len());
            let (found, end) = decode_to_its_end("gzip", &[&one, &other[..length]].concat(), piece).unwrap();
            assert!(found.starts_with(b"one<p>Line 0") && end == Decoded::AllButItsEnd, "{length}");
        }
    }
    // Nothing of it is left.
    for length in [1, 5, 10, 12] {
        assert!(decode_to_its_end("gzip", &other[..length], 4096).is_err(), "{length}");
    }
    // What is damaged is no end.
    for at in [20, other.len() / 2, other.len() - 6] {
        let mut damaged = other.clone();
        damaged[at] ^= 0xFF;
        let found = decode_to_its_end("gzip", &damaged, 4096);
        assert_eq!(found.map(|(_, end)| end).err(), Some(Cause::BadCompression), "at {at}");
    }
}

/// The decoded bytes, and how they end.
fn decode_to_its_end(encodings: &str, input: &[u8], piece: usize) -> Result<(Vec<u8>, Decoded), Cause> {
    let mut decoder = Decoder::new(encodings).unwrap();
    decoder.sink().most = usize::MAX;
    for piece in input.chunks(piece) {
        decoder.write(piece).map_err(|failure| failure.cause)?;
    }
    let end = decoder.finish().map_err(|failure| failure.cause)?;
    Ok((std::mem::take(&mut decoder.sink().bytes), end))
}

#[test]
fn a_bomb_is_decoded_up_to_the_limit() {
    let zeros = vec![0; 50 << 20];
    for (encoding, bomb) in
        [("gzip", gzip(&zeros)), ("zstd", zstd(&zeros)), ("deflate", zlib(&zeros)), ("deflate", bare(&zeros))]
    {
        assert!(bomb.len() < 1 << 20, "{}", bomb.len());
        assert_eq!(decode(encoding, &bomb, 8192, 1 << 20).unwrap().len(), 1 << 20, "{encoding}");
    }
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(bytes, 1).unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bare(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn zstd_is_read_frame_by_frame() {
    let body: Vec<u8> = (0..20_000u32).flat_map(u32::to_le_bytes).collect();
    let (one, other) = (zstd(b"one"), zstd(&body));
    let both = [&b"one"[..], &body].concat();
    // A skippable frame of four bytes (RFC 8878, section 3.1.2).
    let skipped = b"\x50\x2A\x4D\x18\x04\0\0\0abcd";
    let mut damaged = other.clone();
    damaged[1] ^= 0xFF;
    // A window of 16 MiB, without a size of the content.
    let wide = b"\x28\xB5\x2F\xFD\x00\x70\x01\x00\x00";
    for (encoded, expect) in [
        (other.clone(), Ok(&body)),
        ([&one[..], &other].concat(), Ok(&both)),
        ([&one[..], skipped, &other].concat(), Ok(&both)),
        ([&skipped[..], &other].concat(), Ok(&body)),
        ([&other[..], b"more than was announced"].concat(), Ok(&body)),
        ([&other[..], b"\x28"].concat(), Ok(&body)),
        (other[..other.len() / 2].to_vec(), Err(Cause::BadCompression)),
        (other[..other.len() - 1].to_vec(), Err(Cause::BadCompression)),
        (damaged, Err(Cause::BadCompression)),
        (b"<p>Hello".to_vec(), Err(Cause::BadCompression)),
        (wide.to_vec(), Err(Cause::BadCompression)),
    ] {
        for piece in [1, 7, 4096, usize::MAX] {
            let found = decode("zstd", &encoded, piece, usize::MAX);
            assert!(found.as_ref() == expect.as_ref().map(|body| *body), "{} in {piece}", encoded.len());
        }
    }
}

#[test]
fn deflate_is_read_with_its_head_and_without() {
    let body: Vec<u8> = (0..20_000u32).flat_map(u32::to_le_bytes).collect();
    for encoded in [zlib(&body), bare(&body)] {
        let half = encoded[..encoded.len() / 2].to_vec();
        for piece in [1, 7, 4096, usize::MAX] {
            assert!(decode("deflate", &encoded, piece, usize::MAX).unwrap() == body);
            let more = [&encoded[..], b"more than was announced"].concat();
            assert!(decode("deflate", &more, piece, usize::MAX).unwrap() == body);
            assert_eq!(decode("deflate", &half, piece, usize::MAX), Err(Cause::BadCompression));
        }
    }
    let mut damaged = zlib(&body);
    let at = damaged.len() - 1;
    damaged[at] ^= 1;
    for wrong in [&damaged[..], b"<p>Hello", b"\x78", b"\x78\x9C"] {
        assert_eq!(decode("deflate", wrong, 4096, usize::MAX), Err(Cause::BadCompression), "{wrong:?}");
    }
    assert_eq!(decode("deflate", &bare(b""), 1, usize::MAX).unwrap(), b"");
}
