//! Headings: their text, and what of it may be the headline.

use super::super::filled;
use super::{leads_home, text_between, text_of, text_without};
use crate::html::document::{Document, NodeId};

/// How many elements around and in a heading are searched for a link or a picture. Judgement.
const MOST_AROUND: usize = 10;
/// Fewest words of a picture that is a headline. Judgement: a logo has fewer.
const LEAST_OF_PICTURE: usize = 3;
/// Classes of a prefix before the title of a thread, as in XenForo, vBulletin and Invision.
const PREFIXES: [&str; 3] = ["label", "prefix", "badge"];
/// How often a heading may say the same, once for each size of screen, and the fewest words of it.
/// Judgement.
const MOST_TIMES: usize = 4;
const LEAST_AGAIN: usize = 3;

/// A visible heading.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct HeadingText {
    pub(in super::super) level: u8,
    pub(in super::super) text: String,
    /// What the headline may be instead, if the head says so: the same if no element in it parts
    /// words (`<span>F</span>erry`); what is left without the first element, which may be a kicker,
    /// or the last, which may link to the comments.
    pub(in super::super) others: Vec<String>,
    /// The same without a prefix that is marked as one, if it has one.
    pub(in super::super) unprefixed: Option<String>,
    /// True if it is a link to the site's home.
    pub(in super::super) is_logo: bool,
}

impl HeadingText {
    /// The heading in an element. A picture's text stands for it.
    pub(super) fn from_element(document: &Document, id: NodeId, level: u8) -> Option<HeadingText> {
        let around = || document.ancestors(id).take(MOST_AROUND).chain(document.descendants(id).take(MOST_AROUND));
        let is_home =
            |node: NodeId| document.is_element(node, "a") && document.attribute(node, "href").is_some_and(leads_home);
        let Some(text) = filled(&text_of(document, id)).map(once) else {
            let text = of_picture(document, id).filter(|_| !around().any(is_home))?;
            return Some(HeadingText { level, text, ..HeadingText::default() });
        };
        let tight = text_between(document, id, "");
        let mut elements = document.children(id).filter(|&child| document.name(child).is_some());
        let first = elements.next();
        let last = elements.last();
        let prefix = first.filter(|&first| begins_with_prefix(document, id, first));
        let unprefixed = prefix.and_then(|prefix| filled(&text_without(document, id, " ", Some(prefix))));
        let without =
            [first, last].into_iter().flatten().map(|left_out| text_without(document, id, " ", Some(left_out)));
        // What is left out has fewer words.
        let is_most = |other: &String| *other != text && 2 * other.len() > text.len();
        let others = without.chain([tight]).filter_map(|other| filled(&other)).filter(is_most).collect();
        let is_logo = around().any(|node| is_home(node) && filled(&text_of(document, node)).as_ref() == Some(&text));
        Some(HeadingText { level, text, others, unprefixed, is_logo })
    }
}

/// Whether a heading begins with an element that is marked as a prefix.
fn begins_with_prefix(document: &Document, heading: NodeId, first: NodeId) -> bool {
    let is_blank = |node: NodeId| document.text(node).is_none_or(|text| text.trim().is_empty());
    let classes = document.attribute(first, "class").unwrap_or_default();
    let is_one = |class: &str| {
        PREFIXES.iter().any(|prefix| {
            let end = class.len().checked_sub(prefix.len()).and_then(|at| class.get(at..));
            end.is_some_and(|end| end.eq_ignore_ascii_case(prefix))
        })
    };
    classes.split_ascii_whitespace().any(is_one)
        && document.children(heading).take_while(|&child| child != first).all(is_blank)
}

/// A text that says the same several times, once.
fn once(text: String) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_again = |&times: &usize| {
        let length = words.len() / times;
        length >= LEAST_AGAIN
            && length * times == words.len()
            && words.chunks(length).all(|part| part == &words[..length])
    };
    match (2..=MOST_TIMES).rev().find(is_again) {
        Some(times) => words[..words.len() / times].join(" "),
        None => text,
    }
}

/// The text of the picture that a heading consists of.
fn of_picture(document: &Document, heading: NodeId) -> Option<String> {
    let picture = document.descendants(heading).take(MOST_AROUND).find(|&node| document.is_element(node, "img"))?;
    let text = filled(document.attribute(picture, "alt")?)?;
    (text.split(' ').count() >= LEAST_OF_PICTURE).then_some(text)
}
