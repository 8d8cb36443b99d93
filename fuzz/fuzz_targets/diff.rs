//! Any bytes as two pages. Nothing panics, and the promises of [`properties`] hold.
//!
//! The bytes before the first [`BETWEEN`] are the page, those after it the sibling. Without one,
//! the input is cut in half.

#![no_main]

#[path = "../../tests/suite/support/properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

/// Separates the two pages. It is a comment, so that a seed is readable and is itself a page.
/// `seed` writes it too.
const BETWEEN: &[u8] = b"<!--sibling-->";

fuzz_target!(|input: &[u8]| {
    let cut = input.windows(BETWEEN.len()).position(|bytes| bytes == BETWEEN);
    let (page, sibling) = match cut {
        Some(at) => (&input[..at], &input[at + BETWEEN.len()..]),
        None => input.split_at(input.len() / 2),
    };
    properties::check(page, sibling);
});
