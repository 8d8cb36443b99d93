//! Properties of any two pages, whatever their bytes. The generated pages of `tests/arbitrary.rs`
//! and the fuzz target share them.

use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::blocks::Blocks;
use tsrec_core::extract::longest::Longest;
use tsrec_core::extract::mss::Mss;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extract, Extraction, Extractor, Method, Page};
use tsrec_core::html::document::Edge;
use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::html::visibility::{holds_no_text, is_no_text};
use tsrec_core::html::{Document, Limits, parse, printable};
use tsrec_core::render::Along;
use tsrec_core::tsrec::build::tag_sequence;
use tsrec_core::words;
use tsrec_papers::segments::Segments;

/// Extracts from `page` with the sibling `sibling` by every method, and asserts the library's
/// promises for each result.
pub(crate) fn check(page: &[u8], sibling: &[u8]) {
    let [document, other] = [page, sibling].map(|bytes| parse(bytes, None, &Limits::default()));
    let page = Page::new(&document);
    check_sequence(&document, &page);
    // Output leaves out invisible characters, so they must not split words.
    let [visible, all] = [visible_text(&document), all_text(&document)].map(|text| printable(&text).into_owned());
    let methods: [(&str, &dyn Extractor); 6] = [
        ("auto", &Auto::shipped()),
        ("template", &TemplateDiff),
        ("mss", &Mss::default()),
        ("mss-blocks", &Blocks),
        ("segments", &Segments::default()),
        ("longest", &Longest),
    ];
    for (name, method) in methods {
        let found = Extract::new(&page).sibling("sibling", &other).method(method).run().unwrap();
        let (extraction, text) = (found.extraction(), found.text());
        check_labels(name, &page, extraction);
        check_pieces(name, &document, extraction);
        match name {
            // The score may keep text that the markup hides.
            "auto" => check_text(name, Method::Blocks, &text, &all),
            _ => check_text(name, extraction.method, &text, &visible),
        }
        check_html(name, &found.html(Along::default()));
    }
}

/// The data that a page caches (hidden elements and words) does not change its sequence: the
/// document alone gives the same one.
fn check_sequence(document: &Document, page: &Page<'_>) {
    let alone = tag_sequence(document);
    assert_eq!(page.sequence(), &alone);
    assert_eq!(page.sequence().word_counts(), alone.word_counts());
}

fn check_labels(method: &str, page: &Page<'_>, extraction: &Extraction) {
    let elements = page.sequence().elements().len();
    assert_eq!(extraction.labels(page).len(), elements, "{method}: one label an element");
    let partners = extraction.elements.as_ref().map(|found| found.partners.len());
    assert!(partners.is_none_or(|partners| partners == elements), "{method}: {partners:?} partners");
    assert!((0.0..=1.0).contains(&extraction.confidence), "{method}: confidence {}", extraction.confidence);
}

fn check_pieces(method: &str, document: &Document, extraction: &Extraction) {
    for piece in extraction.content.pieces() {
        let text = document.text(piece.node).unwrap_or_else(|| panic!("{method}: {piece:?} is no text"));
        assert!(text.get(piece.range.clone()).is_some(), "{method}: {piece:?} does not fit {text:?}");
    }
}

/// The output keeps the page's order and has only text that a reader sees.
///
/// The check goes word by word. But simple MSS may begin or end between two inline tags inside a
/// word, and the score may drop hidden letters from one. There the check goes letter by letter.
fn check_text(method: &str, by: Method, text: &str, visible: &str) {
    let letters = |c: &char| words::is_word_char(*c);
    let in_order = match by {
        Method::Mss | Method::Vote | Method::Blocks => {
            is_subsequence(text.chars().filter(letters), visible.chars().filter(letters))
        }
        _ => is_subsequence(words::words(text), words::words(visible)),
    };
    assert!(in_order, "{method}: {text:?} is not, in order, in {visible:?}");
}

fn is_subsequence<T: PartialEq>(mut part: impl Iterator<Item = T>, mut whole: impl Iterator<Item = T>) -> bool {
    part.all(|item| whole.any(|other| other == item))
}

/// Every `<` in the output belongs to a tag from the renderer's own list, so no script in it can
/// run.
fn check_html(method: &str, html: &str) {
    for name in ["<script", "<style", "<iframe", "<svg", "<template", "<!--"] {
        assert!(!html.contains(name), "{method}: {name} in {html:?}");
    }
}

/// The text that a reader sees, with a gap wherever something breaks the flow. It comes from the
/// markup alone, without a tag sequence.
///
/// Hidden text breaks the flow too. A browser would join the words on both sides, but a reader of
/// the output would accept either.
fn visible_text(document: &Document) -> String {
    let mut visible = String::new();
    let mut unseen = 0; // how many hidden or replaced elements are open
    for edge in document.walk(document.root()) {
        let (id, opens) = match edge {
            Edge::Open(id) => (id, true),
            Edge::Close(id) => (id, false),
        };
        match (document.text(id), document.name(id)) {
            (Some(text), _) if opens && unseen == 0 => visible.push_str(text),
            (Some(text), _) if opens && text.trim().is_empty() => visible.push(' '),
            (None, Some(name)) => {
                let display = default_display(name);
                if matches!(display, DefaultDisplay::Block | DefaultDisplay::LineBreak | DefaultDisplay::Replaced) {
                    visible.push('\n');
                }
                if holds_no_text(document, id) {
                    unseen = if opens { unseen + 1 } else { unseen - 1 };
                }
            }
            _ => {}
        }
    }
    visible
}

/// The text of the page, including hidden text, without the text of scripts, style sheets and
/// widgets.
fn all_text(document: &Document) -> String {
    let mut all = String::new();
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        let Edge::Open(id) = edge else { continue };
        match (document.text(id), document.name(id)) {
            (Some(text), _) => all.push_str(text),
            (None, Some(name)) if is_no_text(name) => walk.skip_children(id),
            _ => {}
        }
    }
    all
}
