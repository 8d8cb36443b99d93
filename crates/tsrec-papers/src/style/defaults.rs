//! The look of elements without any style sheet: the HTML standard's default style sheet and
//! presentational hints (section 15, "Rendering"), for display, font size and colour only.
//!
//! Left out: the smaller default size of monospace fonts in browsers (no standard has it), and
//! rules that only move or frame text.

use super::color::Color;
use super::declaration::{CssValue, Declaration};
use super::display::Display;
use super::font_size::{FontSize, MEDIUM};
use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::html::{Document, NodeId};

/// The colour of unvisited links (section 15.3.10).
const LINK: Color = Color::rgb(0, 0, 238);

/// The font size of form controls in CSS pixels, in all browsers.
const CONTROL: f32 = 13.333_3;

/// The default style sheet's declarations for an element.
pub(super) fn user_agent(document: &Document, id: NodeId) -> Vec<Declaration> {
    let Some(name) = document.local_name(id) else { return Vec::new() };
    let mut declarations = vec![Declaration::Display(CssValue::Set(own_display(document, id, name)))];
    declarations.extend(font_size(name).map(|size| Declaration::FontSize(CssValue::Set(size))));
    match &**name {
        "a" | "area" if document.attribute(id, "href").is_some() => {
            declarations.push(Declaration::Color(CssValue::Set(LINK)));
        }
        "mark" | "button" | "input" | "select" | "textarea" => {
            declarations.push(Declaration::Color(CssValue::Set(Color::BLACK)))
        }
        // Section 15.3.9: in quirks mode, tables do not inherit their font.
        "table" if document.has_quirks() => declarations.push(Declaration::FontSize(CssValue::Initial)),
        _ => {}
    }
    declarations
}

fn own_display(document: &Document, id: NodeId, name: &str) -> Display {
    let hidden = document.attribute(id, "hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"));
    if hidden || (name == "dialog" && document.attribute(id, "open").is_none()) {
        return Display::None;
    }
    match (default_display(name), name) {
        (DefaultDisplay::None, _) => Display::None,
        (DefaultDisplay::Replaced, _) => Display::InlineBlock,
        (DefaultDisplay::Inline, "button") => Display::InlineBlock,
        (DefaultDisplay::Inline | DefaultDisplay::LineBreak, _) => Display::Inline,
        (DefaultDisplay::Block, "li" | "summary") => Display::ListItem,
        (DefaultDisplay::Block, "table") => Display::Table,
        (DefaultDisplay::Block, "td" | "th") => Display::TableCell,
        (DefaultDisplay::Block, "caption" | "colgroup" | "col" | "thead" | "tbody" | "tfoot" | "tr") => {
            Display::TablePart
        }
        (DefaultDisplay::Block, _) => Display::Block,
    }
}

/// Sections 15.3.4 (phrasing content), 15.3.7 (headings; a heading in a section has the usual
/// size), 15.5 (controls).
fn font_size(name: &str) -> Option<FontSize> {
    Some(match name {
        "h1" => FontSize::Em(2.0),
        "h2" => FontSize::Em(1.5),
        "h3" => FontSize::Em(1.17),
        "h4" => FontSize::Em(1.0),
        "h5" => FontSize::Em(0.83),
        "h6" => FontSize::Em(0.67),
        "big" => FontSize::LARGER,
        "small" | "sub" | "sup" => FontSize::SMALLER,
        "rt" => FontSize::Em(0.5),
        "button" | "input" | "select" | "textarea" => FontSize::Pixels(CONTROL),
        "html" => FontSize::Pixels(MEDIUM),
        _ => return None,
    })
}

/// The attributes of `body` that apply to the whole page.
pub(super) struct Hints {
    link: Option<Color>,
}

impl Hints {
    /// Linear in the page.
    pub(super) fn new(document: &Document) -> Self {
        let body = document.descendants(document.root()).find(|&id| document.is_element(id, "body"));
        let link = body.and_then(|body| document.attribute(body, "link"));
        Hints { link: link.and_then(Color::from_attribute) }
    }

    /// The presentational hints of an element. They come before the page's own style sheets, with
    /// no specificity (section 15.2).
    pub(super) fn declarations(&self, document: &Document, id: NodeId) -> Vec<Declaration> {
        let attribute = |name| document.attribute(id, name);
        let color = |color: Option<Color>| color.map(|color| Declaration::Color(CssValue::Set(color)));
        let size = |value: &str| FontSize::from_attribute(value).map(|size| Declaration::FontSize(CssValue::Set(size)));
        let hints = match document.local_name(id).map(|name| &**name) {
            Some("font") => {
                [attribute("size").and_then(size), color(attribute("color").and_then(Color::from_attribute))]
            }
            Some("body") => [color(attribute("text").and_then(Color::from_attribute)), None],
            Some("a") if attribute("href").is_some() => [color(self.link), None],
            _ => [None, None],
        };
        hints.into_iter().flatten().collect()
    }
}
