//! What must hold of any two pages, whatever their bytes: shared by the generated pages of
//! `tests/arbitrary.rs` and the fuzz target.

use tsrec_core::extract::blocks::Blocks;
use tsrec_core::extract::cascade::Cascade;
use tsrec_core::extract::longest::Longest;
use tsrec_core::extract::mss::Mss;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extraction, Extractor, Method, Page, Sibling};
use tsrec_core::html::document::Edge;
use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::html::visibility::{holds_no_text, is_no_text};
use tsrec_core::html::{Document, Limits, parse, printable};
use tsrec_core::render::Along;
use tsrec_core::render::html::html;
use tsrec_core::render::text::text;
use tsrec_core::tsrec::build::tag_sequence;
use tsrec_core::words;
use tsrec_papers::segments::Segments;

/// Extracts from `page` with `sibling` beside it, by every method, and asserts what the library
/// promises of any result.
pub(crate) fn check(page: &[u8], sibling: &[u8]) {
    let [document, other] = [page, sibling].map(|bytes| parse(bytes, None, &Limits::default()));
    let other = tag_sequence(&other);
    let page = Page::new(&document);
    check_sequence(&document, &page);
    let sibling = Sibling { name: "sibling".to_owned(), sequence: &other, memory: None };
    // What nobody sees is not written, so that it parts no words.
    let [visible, all] = [visible_text(&document), all_text(&document)].map(|text| printable(&text).into_owned());
    let methods: [(&str, &dyn Extractor); 6] = [
        ("auto", &Cascade::new(vec![sibling.clone()])),
        ("template", &TemplateDiff::new(sibling)),
        ("mss", &Mss::default()),
        ("mss-blocks", &Blocks),
        ("segments", &Segments::default()),
        ("longest", &Longest),
    ];
    for (name, method) in methods {
        let extraction = method.extract(&page);
        check_labels(name, &page, &extraction);
        check_pieces(name, &document, &extraction);
        let text = text(&document, &extraction.content);
        match name {
            // The score may keep what the markup hides.
            "auto" => check_text(name, Method::Blocks, &text, &all),
            _ => check_text(name, extraction.method, &text, &visible),
        }
        check_html(name, &html(&document, &extraction.content, None, Along::default()));
    }
}

/// What a page's analysis knows of it, hidden elements and words, makes no other sequence than its
/// document alone.
fn check_sequence(document: &Document, page: &Page<'_>) {
    let alone = tag_sequence(document);
    assert_eq!(page.sequence(), &alone);
    assert_eq!(page.sequence().word_counts(), alone.word_counts());
}

fn check_labels(method: &str, page: &Page<'_>, extraction: &Extraction) {
    let elements = page.sequence().elements().len();
    assert_eq!(extraction.labels(page).len(), elements, "{method}: one label an element");
    assert!([0, elements].contains(&extraction.partners.len()), "{method}: {} partners", extraction.partners.len());
    assert!((0.0..=1.0).contains(&extraction.confidence), "{method}: confidence {}", extraction.confidence);
}

fn check_pieces(method: &str, document: &Document, extraction: &Extraction) {
    for piece in extraction.content.pieces() {
        let text = document.text(piece.node).unwrap_or_else(|| panic!("{method}: {piece:?} is no text"));
        assert!(text.get(piece.range.clone()).is_some(), "{method}: {piece:?} does not fit {text:?}");
    }
}

/// Order survives: what comes out stands on the page, in this order, where a reader sees it.
///
/// Word by word; but simple MSS may begin or end between two inline tags in the middle of a word,
/// and the score may leave hidden letters out of one, so there letter by letter.
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

/// The output's only `<` are of tags from the renderer's own list, so nothing in it can run.
fn check_html(method: &str, html: &str) {
    for name in ["<script", "<style", "<iframe", "<svg", "<template", "<!--"] {
        assert!(!html.contains(name), "{method}: {name} in {html:?}");
    }
}

/// The text that a reader sees, apart wherever something breaks the flow: told by the markup alone,
/// with no tag sequence.
///
/// What is hidden breaks it too: a browser would join the words on either side, but which of the
/// two is done is nothing that a reader of the output could mind.
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

/// The text of the page, that which the markup hides included: all but what scripts, style sheets
/// and widgets hold.
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
