//! Expected extraction of each page in `fixtures/languages`. Extraction works in any script as it
//! does in English.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tsrec_core::extract::Extract;
use tsrec_core::html::{Document, Limits, parse};
use tsrec_core::page::{Content, Piece};
use tsrec_core::render::text::text;
use tsrec_core::words::pieces;

/// Minimum F1 of every page. It is 0.02 below the lowest value when it was last set (Finnish, whose
/// page has no names).
const LEAST_F1: f64 = 0.87;
/// Minimum mean F1, likewise 0.01 below.
const LEAST_MEAN: f64 = 0.96;
/// Noise snippets allowed over all pages together. One occurs: a comment on the Finnish page.
const MOST_NOISE: usize = 2;

/// The pages by language code: thirteen languages in eleven scripts, three of them in Latin.
const CODES: [&str; 13] = ["ar", "de", "el", "fi", "he", "hi", "hy", "ja", "ko", "pt", "ru", "th", "zh"];

/// One of the pages.
struct Fixture {
    code: &'static str,
    html: String,
    /// The content.
    expected: String,
    /// Snippets outside the content: comments, cookie notice, footer, teasers.
    noise: Vec<String>,
}

impl Fixture {
    fn read(code: &'static str) -> Self {
        let file = |kind: &str| std::fs::read_to_string(folder().join(code).with_extension(kind)).unwrap();
        let noise = file("not").lines().map(str::to_owned).collect();
        Fixture { code, html: file("html"), expected: file("txt"), noise }
    }

    fn parse(&self) -> Document {
        parse(self.html.as_bytes(), None, &Limits::default())
    }

    /// All text of the page, white space folded.
    fn everything(&self) -> String {
        let document = self.parse();
        let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
        let content = Content::new(texts.map(|node| Piece::whole(&document, node)));
        fold(&text(&document, &content))
    }

    /// The text extracted from the page alone, white space folded.
    fn extract(&self) -> String {
        let document = self.parse();
        fold(&Extract::new(&document).run().unwrap().text())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/languages")
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How often each piece occurs in a text.
fn bag(text: &str) -> HashMap<&str, usize> {
    let mut bag = HashMap::new();
    for range in pieces(text) {
        *bag.entry(&text[range]).or_default() += 1;
    }
    bag
}

/// Precision, recall and F1 of a text by its bag of pieces.
fn score(found: &str, expected: &str) -> [f64; 3] {
    let (found, expected) = (bag(found), bag(expected));
    let common: usize = expected.iter().map(|(piece, &count)| count.min(found.get(piece).copied().unwrap_or(0))).sum();
    let size = |bag: &HashMap<&str, usize>| bag.values().sum::<usize>().max(1);
    let share = |of: usize| common as f64 / of as f64;
    let (found, expected) = (size(&found), size(&expected));
    [share(found), share(expected), 2.0 * common as f64 / (found + expected) as f64]
}

/// Asserts at the end, so that one failure does not hide the others.
fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn each_page_has_its_files_and_each_file_its_page() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "html"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, CODES);
}

#[test]
fn what_is_expected_and_what_is_not_stand_on_the_page() {
    let mut complaints = Vec::new();
    for fixture in CODES.map(Fixture::read) {
        let everything = fixture.everything();
        let [_, recall, _] = score(&everything, &fixture.expected);
        if recall < 1.0 {
            complaints.push(format!("{}: not all that is expected stands on the page: {recall:.3}", fixture.code));
        }
        if fixture.noise.len() < 4 {
            complaints.push(format!("{}: a comment, cookie notice, footer or teaser is missing", fixture.code));
        }
        for snippet in &fixture.noise {
            if !everything.contains(snippet) || fixture.expected.contains(snippet) {
                complaints.push(format!("{}: is not noise of this page: {snippet}", fixture.code));
            }
        }
    }
    none(&complaints);
}

#[test]
fn every_language_gives_what_is_expected() {
    let (mut complaints, mut sum) = (Vec::new(), 0.0);
    for fixture in CODES.map(Fixture::read) {
        let found = fixture.extract();
        let [precision, recall, f1] = score(&found, &fixture.expected);
        sum += f1;
        if f1 < LEAST_F1 {
            let missing: Vec<&str> = fixture.expected.lines().filter(|line| !found.contains(*line)).collect();
            let code = fixture.code;
            complaints.push(format!(
                "{code}: F1 {f1:.3} (precision {precision:.3}, recall {recall:.3}), without {missing:#?}"
            ));
        }
    }
    let mean = sum / CODES.len() as f64;
    if mean < LEAST_MEAN {
        complaints.push(format!("the mean is {mean:.3}"));
    }
    none(&complaints);
}

#[test]
fn nothing_around_the_article_comes_along() {
    let mut complaints = Vec::new();
    for fixture in CODES.map(Fixture::read) {
        let found = fixture.extract();
        for snippet in fixture.noise.iter().filter(|snippet| found.contains(snippet.as_str())) {
            complaints.push(format!("{}: {snippet}", fixture.code));
        }
    }
    if complaints.len() > MOST_NOISE {
        none(&complaints);
    }
}
