//! Texts within the content that work the page and say nothing: buttons in headings and beside
//! code, links to edit a section or to see a source, and links from a footnote back to its
//! reference.

use std::collections::HashSet;

use html5ever::local_name;

use super::language::language;
use crate::html::document::{Document, NodeId};
use crate::html::is_space;

/// Signs of a link that leads back or up.
const ARROWS: [char; 21] =
    ['↩', '↪', '↵', '⤴', '⏎', '↑', '^', '⬆', '▲', '△', '⇑', '⇧', '↰', '⮌', '⮐', '🔙', '🔝', '⤶', '⇞', '⌃', '←'];
/// Parts of the role or class of a link back from a footnote.
const BACK: [&str; 6] =
    ["backref", "backlink", "footnote-back", "footnote-return", "reversefootnote", "footnote-backlink"];
/// Classes of elements that are dropped with all that is in them: links of wikis to edit a section,
/// and from a note to the places that cite it.
const WIKI: [&str; 3] = ["mw-editsection", "editsection", "mw-cite-backlink"];
/// Classes of texts that are only read aloud: Bootstrap, WordPress, Drupal, Foundation and others.
const SPOKEN: [&str; 12] = [
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "screen-reader-only",
    "screenreader-text",
    "screenreader-only",
    "show-for-sr",
    "element-invisible",
    "assistive-text",
    "govuk-visually-hidden",
    "u-visually-hidden",
];
/// How many elements around a text are examined for these.
const AROUND: usize = 4;
/// How far a heading or code may be above a button. Judgement.
const ABOVE: usize = 12;
/// How many children of an element are examined for code and what is beside it. Judgement.
const BESIDE: usize = 8;
/// How many elements around a button may be beside code: the bar that it is in. Judgement.
const BAR_AROUND: usize = 2;
/// How many nodes of an element beside code are examined. Judgement.
const MOST_OF_BAR: usize = 24;
/// The most words of such a text beside code. Judgement.
const MOST_WORDS: usize = 4;
/// Texts of links and labels that lead to the source of what is documented, in lower case and
/// without brackets.
const SOURCE: [&str; 4] = ["source", "view source", "source code", "click to toggle source"];
/// Parts of the class of such a link, or of an element in it or around it. rustdoc's `src` stands
/// after a version and a dot, which would be left.
const OF_SOURCE: [&str; 4] = ["source", "viewcode", "code-link", "click-advice"];
/// Most bytes of such a text, and of a text that is for the eye alone.
const LONGEST: usize = 24;
/// Parts of the class of an element that copies code.
const COPIES: [&str; 3] = ["copy", "clipboard", "toolbar"];

/// Texts that are not written.
#[derive(Debug, Default)]
pub(super) struct Debris {
    texts: HashSet<NodeId>,
}

impl Debris {
    /// Finds the texts of buttons. Linear in the page.
    pub(super) fn find(document: &Document) -> Debris {
        let mut found = Debris::default();
        for (node, name) in document.all_elements() {
            if *name == local_name!("button") && works_heading_or_code(document, node) {
                found.drop_all(document, node);
            }
            if *name == local_name!("pre") {
                for inside in document.descendants(node).skip(1).filter(|&inside| copies(document, inside)) {
                    found.drop_all(document, inside);
                }
                found.drop_name_of_language(document, node);
            }
        }
        found
    }

    /// Whether a text was found not to be written. O(1).
    pub(super) fn has_found(&self, node: NodeId) -> bool {
        !self.texts.is_empty() && self.texts.contains(&node)
    }

    /// Whether a text is not written. Quick for a text of several words that is not in a link.
    pub(super) fn holds(&mut self, document: &Document, node: NodeId) -> bool {
        if self.has_found(node) {
            return true;
        }
        let text = document.text(node).unwrap_or_default().trim();
        if text.len() <= LONGEST && (is_source(document, node, text) || is_ornament(document, node, text)) {
            return true;
        }
        if !matches!(text.chars().next(), Some('[' | '^' | '↑')) || text.chars().nth(1).is_some() {
            return false;
        }
        let wiki = document.ancestors(node).take(AROUND).find(|&around| {
            document
                .attribute(around, "class")
                .is_some_and(|class| class.split(is_space).any(|class| WIKI.contains(&class)))
        });
        wiki.into_iter().for_each(|wiki| self.drop_all(document, wiki));
        wiki.is_some()
    }

    fn drop_all(&mut self, document: &Document, element: NodeId) {
        self.texts.extend(document.descendants(element).filter(|&node| document.text(node).is_some()));
    }

    /// Drops the name of the language beside code, which the code has already, and what copies it.
    fn drop_name_of_language(&mut self, document: &Document, code: NodeId) {
        let name = language(document, code);
        let Some(parent) = document.parent(code) else { return };
        for child in document.children(parent).take(BESIDE).take_while(|&child| child != code) {
            let is_name = || !name.is_empty() && text_of(document, child).trim().eq_ignore_ascii_case(&name);
            if document.name(child).is_some() && (is_name() || is_bar(document, child)) {
                self.drop_all(document, child);
            }
        }
    }
}

/// Whether an element beside code has only the name of the language, by its class, and a button.
fn is_bar(document: &Document, element: NodeId) -> bool {
    let (mut has_button, mut words) = (false, 0);
    let mut nodes = document.descendants(element);
    for node in nodes.by_ref().take(MOST_OF_BAR) {
        has_button |= document.is_element(node, "button") || document.attribute(node, "role") == Some("button");
        let Some(text) = document.text(node) else { continue };
        words += text.split_whitespace().count();
        let is_known = document.ancestors(node).take(AROUND).take_while(|&around| around != element).any(|around| {
            document.is_element(around, "button")
                || document.attribute(around, "role") == Some("button")
                || document.attribute(around, "class").is_some_and(|class| class.to_ascii_lowercase().contains("lang"))
        });
        if !is_known && text.contains(char::is_alphanumeric) {
            return false;
        }
    }
    has_button && words <= 2 * MOST_WORDS && nodes.next().is_none()
}

/// Whether a short text leads to the source of what a heading, term or signature documents. The
/// bare word may name the source of a picture, unless it is in a heading or a term.
fn is_source(document: &Document, node: NodeId, text: &str) -> bool {
    let said = text.trim_matches(['[', ']', '(', ')', '#', ' ']);
    let is_bare = said == text && !said.contains(' ');
    SOURCE.iter().any(|word| said.eq_ignore_ascii_case(word))
        && (!is_bare || is_in_title(document, node))
        && document.ancestors(node).take(2).any(|around| {
            matches!(document.name(around), Some("a" | "label" | "span" | "button"))
                && document.attribute(around, "class").is_some_and(|class| {
                    let class = class.to_ascii_lowercase();
                    OF_SOURCE.iter().any(|part| class.contains(part))
                })
        })
}

fn is_in_title(document: &Document, node: NodeId) -> bool {
    document
        .ancestors(node)
        .take(AROUND)
        .any(|around| document.is_heading(around) || matches!(document.name(around), Some("dt" | "summary")))
}

/// Whether a short text in a title is for the eye alone and has no words, such as the sign that
/// opens a section. Elsewhere such a sign may part words.
fn is_ornament(document: &Document, node: NodeId, text: &str) -> bool {
    let is_hidden = |around| document.attribute(around, "aria-hidden") == Some("true");
    !text.is_empty()
        && !text.contains(char::is_alphanumeric)
        && document.ancestors(node).take(2).any(|around| document.is_element(around, "span") && is_hidden(around))
        && is_in_title(document, node)
}

/// Whether a text is within a line, and only read aloud, such as "opens in a new window". Headings
/// and blocks of this kind may be all that names a part of the page.
pub(super) fn is_spoken(document: &Document, node: NodeId) -> bool {
    let Some(span) = document.parent(node).filter(|&parent| document.is_element(parent, "span")) else { return false };
    let is_named = || {
        document
            .attribute(span, "class")
            .is_some_and(|class| class.split(is_space).any(|class| SPOKEN.contains(&class)))
    };
    let text = document.text(node).unwrap_or_default();
    if !text.contains(char::is_alphanumeric) {
        // A colon that is read aloud still parts words. A box or an arrow does not.
        let is_sign = |c: char| !c.is_ascii() && !c.is_whitespace();
        return text.contains(is_sign) && !text.contains(|c: char| c.is_ascii_punctuation()) && is_named();
    }
    is_named()
        && document
            .parent(span)
            .is_some_and(|around| document.children(around).take(BESIDE).any(|other| has_text(document, span, other)))
}

/// Whether the sibling of a span has text.
fn has_text(document: &Document, span: NodeId, sibling: NodeId) -> bool {
    let is_text = |node| document.text(node).is_some_and(|text| !text.chars().all(is_space));
    sibling != span && document.descendants(sibling).take(AROUND * AROUND).any(is_text)
}

/// The link that a text is in, if it leads back or up the page and says nothing else.
pub(super) fn way_back(document: &Document, node: NodeId) -> Option<NodeId> {
    let text = document.text(node)?;
    let is_short = text.len() <= 16;
    let mut around = document.ancestors(node).take(if is_short { AROUND } else { 1 });
    let link = around.find(|&around| document.is_element(around, "a"))?;
    leads_back(document, link).then_some(link)
}

/// Whether a link leads back to where the page refers to a note, or up.
pub(super) fn leads_back(document: &Document, link: NodeId) -> bool {
    let is_named = ["role", "class", "epub:type"]
        .iter()
        .any(|name| document.attribute(link, name).is_some_and(|given| BACK.iter().any(|back| given.contains(back))));
    let leads_within = || document.attribute(link, "href").is_some_and(|target| target.contains('#'));
    let text = text_of(document, link);
    // The number of a note is text of it. A heading may lead back to the list of contents.
    let has_own_words = || {
        text.contains(char::is_alphabetic)
            && document.ancestors(link).take(AROUND).any(|around| document.is_heading(around))
    };
    is_named && text.chars().any(|c| !c.is_ascii_digit()) && !has_own_words() || leads_within() && is_arrow(&text)
}

/// True of arrows, with numbers if there are several.
fn is_arrow(text: &str) -> bool {
    let is_other = |c: char| is_space(c) || c.is_ascii_digit() || matches!(c, '\u{fe0e}' | '\u{fe0f}');
    text.contains(ARROWS) && text.chars().all(|c| ARROWS.contains(&c) || is_other(c))
}

/// The beginning of the text of an element.
fn text_of(document: &Document, element: NodeId) -> String {
    document.descendants(element).take(AROUND * AROUND).filter_map(|node| document.text(node)).collect()
}

/// Whether a button belongs to a heading that has other words, or to code.
fn works_heading_or_code(document: &Document, button: NodeId) -> bool {
    let is_code = |node: NodeId| document.is_element(node, "pre");
    let host = document.ancestors(button).take(ABOVE).find(|&above| document.is_heading(above) || is_code(above));
    match host {
        Some(code) if is_code(code) => true,
        Some(heading) => has_words_without_buttons(document, heading),
        None => {
            let is_tab = document.attribute(button, "role") == Some("tab");
            let mut around = document.ancestors(button).take(BAR_AROUND);
            let is_beside = around.any(|around| document.children(around).take(BESIDE).any(is_code));
            !is_tab && is_beside && text_of(document, button).split_whitespace().count() <= MOST_WORDS
        }
    }
}

fn has_words_without_buttons(document: &Document, heading: NodeId) -> bool {
    document.descendants(heading).any(|node| {
        document.text(node).is_some_and(|text| text.contains(char::is_alphanumeric))
            && !document
                .ancestors(node)
                .take_while(|&above| above != heading)
                .any(|above| document.is_element(above, "button"))
    })
}

/// Whether a class may have a part of [`COPIES`]: it has two letters of one. Quick for the many
/// classes of coloured code.
fn may_copy(classes: &str) -> bool {
    let is_hint =
        |letters: &[u8]| matches!(letters, [b'p' | b'P', b'y' | b'Y' | b'b' | b'B'] | [b'l' | b'L', b'b' | b'B']);
    classes.as_bytes().windows(2).any(is_hint)
}

/// Whether an element within code copies it.
fn copies(document: &Document, node: NodeId) -> bool {
    let Some(name) = document.name(node) else { return false };
    let is_named = || {
        let classes = document.attribute(node, "class").unwrap_or_default();
        let lower = may_copy(classes).then(|| classes.to_ascii_lowercase());
        lower.is_some_and(|lower| COPIES.iter().any(|part| lower.contains(part)))
    };
    let is_button = || document.attribute(node, "role") == Some("button");
    name == "clipboard-copy"
        || name != "code"
            && (is_button() || is_named())
            && text_of(document, node).split_whitespace().count() <= MOST_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_that_copies_is_looked_at() {
        for part in COPIES {
            assert!(may_copy(part) && may_copy(&part.to_uppercase()), "{part}");
        }
        assert!(!may_copy("token keyword blob"));
    }
}
