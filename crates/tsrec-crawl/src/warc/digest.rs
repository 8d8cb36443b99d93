//! Digests of blocks and payloads in the form of WARC files: an algorithm, a colon, and a value in
//! base 32.

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// A labelled digest of a block or a payload, for `WARC-Block-Digest` and `WARC-Payload-Digest`:
/// SHA-256 in base 32.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", base_32(&Sha256::digest(bytes)))
}

/// Whether a digest from a record's header belongs to other bytes than these. SHA-1, which most
/// writers use, and SHA-256 are known, in base 32 and in base 16. For other algorithms and other
/// forms the answer is no.
pub(crate) fn is_of_others(said: &str, bytes: &[u8]) -> bool {
    let Some((algorithm, value)) = said.split_once(':') else { return false };
    let digest = match algorithm.trim().to_ascii_lowercase().as_str() {
        "sha1" | "sha-1" => Sha1::digest(bytes).to_vec(),
        "sha256" | "sha-256" => Sha256::digest(bytes).to_vec(),
        _ => return false,
    };
    let value = value.trim().trim_end_matches('=');
    let in_base_16: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let in_base_32 = base_32(&digest);
    let in_base_32 = in_base_32.trim_end_matches('=');
    let is_base_32 = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'2'..=b'7');
    match value.len() {
        len if len == in_base_16.len() && value.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            !value.eq_ignore_ascii_case(&in_base_16)
        }
        len if len == in_base_32.len() && value.bytes().all(is_base_32) => !value.eq_ignore_ascii_case(in_base_32),
        _ => false,
    }
}

fn base_32(digest: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::new();
    for five in digest.chunks(5) {
        let mut bits = [0u8; 8];
        bits[3..3 + five.len()].copy_from_slice(five);
        let bits = u64::from_be_bytes(bits);
        let letters = (five.len() * 8).div_ceil(5);
        out.extend((0..8).map(|at| match at < letters {
            true => char::from(LETTERS[(bits >> (35 - 5 * at)) as usize & 31]),
            false => '=',
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standards() {
        // RFC 4648, section 10, by way of any other implementation: `printf '' | openssl dgst
        // -sha256 -binary | base32`.
        assert_eq!(digest(b""), "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====");
        // SHA-1 of nothing, in base 32 and in base 16.
        for said in [
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "SHA-1: 3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            &digest(b""),
            digest(b"").trim_end_matches('='),
        ] {
            assert!(!is_of_others(said, b"") && is_of_others(said, b"x"), "{said}");
        }
        for unknown in [
            "md5:1B2M2Y8AsgTpgAmY7PhCfg==",
            "nothing",
            "",
            // In base 64, with and without the algorithm's usual name.
            "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "sha-256:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
            "sha1:",
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QB",
            "sha1:sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "sha1:0x39a3ee5e6b4b0d3255bfef95601890afd8070",
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY0",
            "blake3:af1349b9f5f9a1a6a0404dea36dcc949",
        ] {
            assert!(!is_of_others(unknown, b"x"), "{unknown}");
        }
    }
}
