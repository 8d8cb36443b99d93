//! Any bytes as a model. The parser reads it or returns an error. A model that it reads, however
//! odd, extracts a page without a panic.
//!
//! The first byte decides what the rest is: a file as it is, or a payload. A payload gets the
//! correct digest, which mutation alone would not find.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::{Extract, Method};
use tsrec_core::html::{Limits, parse};
use tsrec_core::learn::model::{Header, encode};
use tsrec_papers::model::AnyModel;
use tsrec_papers::registry::{Options, extractor};

const PAGE: &[u8] =
    b"<title>Ferry</title><nav><a href=/>Home</a></nav><h1>The ferry sails</h1><p>It left the quay at nine, \
    with a band and most of the town.<ul><li>one<li>two</ul><footer>All rights.</footer>";

/// The methods to run with a model.
const METHODS: [Method; 4] = [Method::Supervised, Method::Crf, Method::Swarm, Method::Blocks];

/// The head of the shipped model of each method.
fn heads() -> &'static [Header] {
    static HEADS: OnceLock<Vec<Header>> = OnceLock::new();
    HEADS.get_or_init(|| METHODS.into_iter().filter_map(|method| Some(AnyModel::shipped(method)?.0)).collect())
}

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let at = usize::from(*first);
    let file = match heads().get(at) {
        Some(header) => encode(header, rest),
        None => rest.to_vec(),
    };
    let model = match AnyModel::from_file(&file) {
        Ok((_, model)) => model,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let method = METHODS[at % METHODS.len()];
    // A model may belong to another method or contradict itself.
    let Ok(method) = extractor(Choice::One(method), &Options::default(), vec![model]) else { return };
    let document = parse(PAGE, None, &Limits::default());
    let found = Extract::new(&document).method(&*method).run().expect("these need no sibling");
    assert!((0.0..=1.0).contains(&found.confidence()), "confidence {}", found.confidence());
});
