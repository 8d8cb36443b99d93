//! Digests of blocks and payloads, as WARC files name them: an algorithm, a colon, and a value in
//! base 32.

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// A labelled digest of a block or a payload, as `WARC-Block-Digest` and `WARC-Payload-Digest` have
/// it: SHA-256 in base 32.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", base_32(&Sha256::digest(bytes)))
}

/// Whether a record's digest, as its header has it, is of other bytes than these. SHA-1, which most
/// writers take, and SHA-256 are known, in base 32 and in base 16; of others nothing is said.
pub(crate) fn is_of_others(said: &str, bytes: &[u8]) -> bool {
    let Some((algorithm, value)) = said.split_once(':') else { return false };
    let digest = match algorithm.trim().to_ascii_lowercase().as_str() {
        "sha1" | "sha-1" => Sha1::digest(bytes).to_vec(),
        "sha256" | "sha-256" => Sha256::digest(bytes).to_vec(),
        _ => return false,
    };
    let value = value.trim();
    let in_base_16 = || digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match value.len() == 2 * digest.len() {
        true => !value.eq_ignore_ascii_case(&in_base_16()),
        false => !value.trim_end_matches('=').eq_ignore_ascii_case(base_32(&digest).trim_end_matches('=')),
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
        // SHA-1 of nothing, as it is known in base 32 and in base 16.
        for said in [
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "SHA-1: 3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            &digest(b""),
            digest(b"").trim_end_matches('='),
        ] {
            assert!(!is_of_others(said, b"") && is_of_others(said, b"x"), "{said}");
        }
        for unknown in ["md5:1B2M2Y8AsgTpgAmY7PhCfg==", "nothing", ""] {
            assert!(!is_of_others(unknown, b"x"), "{unknown}");
        }
    }
}
