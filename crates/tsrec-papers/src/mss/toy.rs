//! A small site with known answers: its pages, their gold, and a model of them.

use super::model::{MssModel, Setting};
use super::train::{MssLesson, Trainer};
use tsrec_core::html::document::Document;
use tsrec_core::html::parse;
use tsrec_core::page::{Gold, GoldWord};
use tsrec_core::words::is_word_char;

/// A paragraph of more than fifty words.
pub(super) const PROSE: &str = "The ferry sails again. It was late by a year, and nobody on the quay minded, since the band had used the time to learn a second tune, which it \
     now played twice. The mayor spoke of the winter and of the boats, and the gulls, who had heard it all before, left for the far side of the \
     harbour.";

/// The text of a page's article.
pub(super) fn article(number: usize) -> String {
    format!("{PROSE}\n\nSo ends story {number}. {PROSE}")
}

/// A page: a menu, the article, the text `after`, and a footer.
pub(super) fn page(number: usize, after: &str) -> String {
    let menu: String = (0..20).map(|i| format!("<li><a href=/{i}>Topic {i}</a></li>")).collect();
    let paragraphs: String = article(number).split("\n\n").map(|text| format!("<p>{text}</p>")).collect();
    format!(
        "<body><ul>{menu}</ul><h1>Story</h1><div>{paragraphs}{after}</div><ul>{menu}</ul><div><a href=/about>About us</a></div></body>"
    )
}

/// The gold of a page of this kind: the words of its paragraphs.
pub(super) fn gold(document: &Document) -> Gold {
    let mut words = Vec::new();
    for node in document.descendants(document.root()) {
        let Some(text) = document.text(node) else { continue };
        let kept = document.parent(node).is_some_and(|parent| document.is_element(parent, "p"));
        let mut at = 0;
        for word in text.split(|c| !is_word_char(c)) {
            if !word.is_empty() {
                words.push(GoldWord { node, range: at..at + word.len(), kept, start: None });
            }
            at += word.len();
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    Gold { words, ..Gold::default() }
}

/// A model trained on three of the pages.
pub(super) fn model(setting: Setting) -> MssModel {
    let mut trainer = Trainer::new(setting);
    for number in 1..4 {
        let document = parse(page(number, "").as_bytes(), None, &Default::default());
        let MssLesson { symbols, article } =
            MssLesson::new(&document, &gold(&document)).expect("the article is on the page");
        trainer.learn(&symbols, article);
    }
    trainer.finish().expect("both classes are there")
}
