//! Any text as an annotation of a page. The parser reads it or returns an error, and writes what it
//! read unchanged.
//!
//! If the first byte is odd, the page's head goes before the rest, so that the parser reaches the
//! lines below it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tsrec_core::annotation::{Annotation, read_gold};
use tsrec_core::block::text_blocks::text_blocks;
use tsrec_core::html::{Limits, parse};

const PAGE: &[u8] =
    b"<title>Ferry</title><h1>The ferry sails</h1><p>See <a href=/>our \x1b site</a> for \\ more.<p>Home";

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let document = parse(PAGE, None, &Limits::default());
    let texts: Vec<String> = text_blocks(&document).into_iter().map(|block| block.text).collect();
    let fresh = Annotation::new("ferry.html", PAGE, texts.clone());
    let written = fresh.to_string();
    let (head, _) = written.split_once("\n\n").unwrap();
    let rest = String::from_utf8_lossy(rest);
    let file = if first % 2 == 1 { format!("{head}\n\n{rest}") } else { rest.into_owned() };
    let mut annotation = Annotation::new("ferry.html", PAGE, texts.clone());
    match annotation.resume(&file) {
        Ok(()) => {
            let mut again = Annotation::new("ferry.html", PAGE, texts);
            again.resume(&annotation.to_string()).expect("what was written is read");
            assert!(annotation.labels().eq(again.labels()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(gold) = read_gold("ferry.html", PAGE, &document, &file) {
        assert!(gold.words.iter().all(|word| document.text(word.node).is_some()));
    }
});
