//! Any bytes as a site's template memory. The parser reads it or returns an error. A memory that it
//! reads, however odd, learns a page and extracts another without a panic.
//!
//! If the first byte is odd, the target adds the correct digest, which mutation alone would not
//! find.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tsrec_core::extract::Extract;
use tsrec_core::html::{Limits, parse};
use tsrec_core::template::Site;

const PAGE: &[u8] =
    b"<title>Ferry</title><nav><a href=/>Home</a></nav><h1>The ferry sails</h1><p>It left the quay at nine, \
    with a band and most of the town.<ul><li>one<li>two</ul><footer>All rights.</footer>";

/// A memory file with this payload, as if it had been learned.
fn sealed(payload: &[u8]) -> Vec<u8> {
    let file = Site::default().to_file("model");
    let mut lines = file.splitn(3, |byte| *byte == b'\n');
    let (magic, head) = (lines.next().unwrap(), lines.next().unwrap());
    let mut head: Value = serde_json::from_slice(head).unwrap();
    head["bytes"] = payload.len().into();
    head["sha256"] = Sha256::digest(payload).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
    [magic, b"\n", head.to_string().as_bytes(), b"\n", payload].concat()
}

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let file = if first % 2 == 1 { sealed(rest) } else { rest.to_vec() };
    let mut site = match Site::from_file(&file, "model") {
        Ok(site) => site,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let document = parse(PAGE, None, &Limits::default());
    let found = Extract::new(&document).site(&site).run().expect("auto needs no sibling");
    assert!((0.0..=1.0).contains(&found.confidence()), "confidence {}", found.confidence());
    found.teach(&mut site);
    let again = Site::from_file(&site.to_file("model"), "model").expect("what was written is read");
    assert_eq!(again.pages(), site.pages());
});
