//! Any bytes, as a model: it is read or refused in words; and one that is read, however odd,
//! extracts a page without a panic.
//!
//! The first byte says what the rest is: a file as it is, or a payload that is sealed with the
//! digest it wants, since no mutation finds that by itself.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::{Method, Page};
use tsrec_core::html::{Limits, parse};
use tsrec_core::learn::model::{Header, encode};
use tsrec_papers::model::AnyModel;
use tsrec_papers::registry::{Options, Tool};

const PAGE: &[u8] =
    b"<title>Ferry</title><nav><a href=/>Home</a></nav><h1>The ferry sails</h1><p>It left the quay at nine, \
    with a band and most of the town.<ul><li>one<li>two</ul><footer>All rights.</footer>";

/// The methods that are run with a model.
const METHODS: [Method; 4] = [Method::Supervised, Method::Crf, Method::Swarm, Method::Blocks];

/// The head of the model that ships for each.
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
    // A model may be another method's, or contradict itself.
    let Ok(tool) = Tool::new(Choice::One(method), &Options::default(), vec![model]) else { return };
    let document = parse(PAGE, None, &Limits::default());
    if let Some(extractor) = tool.extractor(Vec::new(), None) {
        let extraction = extractor.extract(&Page::new(&document));
        assert!((0.0..=1.0).contains(&extraction.confidence), "confidence {}", extraction.confidence);
    }
});
