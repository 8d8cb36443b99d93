//! What must come out of each pair of pages in `fixtures/pairs`, and why: each folder's `why.md` says.

use std::path::{Path, PathBuf};

use tsrec::extract::cascade::Cascade;
use tsrec::extract::gates::GateName;
use tsrec::extract::{Extraction, Extractor, Method, Page, Sibling};
use tsrec::html::{Limits, parse};
use tsrec::render::text::text;
use tsrec::tsrec::build::tag_sequence;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pairs")
}

fn extract(pair: &Path) -> (String, Extraction) {
    let read = |name: &str| std::fs::read(pair.join(name)).unwrap();
    let [page, sibling] = ["page.html", "sibling.html"].map(|name| parse(&read(name), None, &Limits::default()));
    let (sequence, sibling) = (tag_sequence(&page), tag_sequence(&sibling));
    let cascade = Cascade::new(vec![Sibling { name: "sibling.html".to_owned(), sequence: &sibling }]);
    let extraction = cascade.extract(&Page { document: &page, sequence: &sequence });
    (text(&page, &extraction.content), extraction)
}

/// One block a line, white space folded.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|l| !l.is_empty()).collect()
}

#[test]
fn every_pair_gives_what_is_expected() {
    let mut pairs: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    pairs.sort();
    assert!(pairs.len() >= 14, "fixtures are missing: {pairs:?}");
    for pair in pairs {
        let expected = std::fs::read_to_string(pair.join("expected.txt")).unwrap();
        let (text, extraction) = extract(&pair);
        let name = pair.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(lines(&text), lines(&expected), "{name}: {:?}", extraction.attempts);
    }
}

#[test]
fn bad_siblings_are_refused_for_the_right_reason() {
    for (pair, gate) in [("another-template", GateName::AnotherTemplate), ("same-article", GateName::SameArticle)] {
        let (_, extraction) = extract(&folder().join(pair));
        assert_ne!(extraction.method, Method::Template, "{pair}");
        let failed: Vec<GateName> =
            extraction.attempts[0].gates.iter().filter(|gate| !gate.passed()).map(|gate| gate.name).collect();
        assert!(failed.contains(&gate), "{pair}: {failed:?}");
    }
}

#[test]
fn good_siblings_are_used() {
    for pair in ["common-part", "regular-part", "hidden-menu", "empty-template-sibling", "tables", "cjk"] {
        let (_, extraction) = extract(&folder().join(pair));
        assert_eq!(extraction.method, Method::Template, "{pair}");
        assert!(extraction.confidence >= 0.5, "{pair}");
    }
}
