//! Any bytes, as two pages: nothing panics, and the promises of [`properties`] hold.
//!
//! What stands before the first [`BETWEEN`] is the page, what stands after it the sibling; without
//! one the input is cut in half.

#![no_main]

#[path = "../../tests/suite/support/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

/// Parts the two pages. A comment, so that a seed can be read, and is itself a page; `seed` writes
/// it too.
const BETWEEN: &[u8] = b"<!--sibling-->";

fuzz_target!(|input: &[u8]| {
    let cut = input.windows(BETWEEN.len()).position(|bytes| bytes == BETWEEN);
    let (page, sibling) = match cut {
        Some(at) => (&input[..at], &input[at + BETWEEN.len()..]),
        None => input.split_at(input.len() / 2),
    };
    properties::check(page, sibling);
});
