//! Expected text segments of each page in `fixtures/styled`. The `why.md` of each folder gives the
//! reason.

use std::path::{Path, PathBuf};

use tsrec_core::extract::{Extractor, Method, PageContext};
use tsrec_core::html::{Limits, parse};
use tsrec_core::render::text::text;
use tsrec_papers::segments::Segments;

/// One block per line, white space folded.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|l| !l.is_empty()).collect()
}

#[test]
fn styled_pages_give_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/styled");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() >= 3, "fixtures are missing: {pages:?}");
    for page in pages {
        let document = parse(&std::fs::read(page.join("page.html")).unwrap(), None, &Limits::default());
        let extraction = Segments::default().extract(&PageContext::alone(&document)).unwrap();
        let expected = std::fs::read_to_string(page.join("expected.txt")).unwrap();
        assert_eq!(lines(&text(&document, &extraction.content)), lines(&expected), "{}", page.display());
        assert_eq!(extraction.method, Method::Segments);
        assert_eq!(extraction.notes.len(), 1, "it says that there were no boxes");
    }
}
