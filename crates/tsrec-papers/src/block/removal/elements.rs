//! How each element is treated (figure 2 of Ziegler and Skubacz 2007), and the kinds that its
//! features count.
//!
//! `CITE`, `SAMP` and `FRAMESET` are in two columns of the figure. The text of a `cite` or a `samp`
//! is part of the sentence around it, so these are removed. A `frameset` holds no text of the page,
//! so it is pruned.

use super::{Kind, Splitting};
use tsrec_core::html::elements::{DefaultDisplay, default_display};

/// How an element is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Remove the element and put a space in its place.
    Space,
    /// Remove the element and put nothing in its place.
    Vanish,
    /// Drop the element with all its content.
    Prune,
    /// Keep the element. It separates its content from the text around it.
    Separate,
}

/// The treatment of an element. `name` is in lower case.
pub(super) fn treatment(name: &str, splitting: Splitting) -> Treatment {
    let figure = figure_2(name);
    match (splitting, figure, default_display(name)) {
        (Splitting::Paper, figure, _) => figure.unwrap_or(Treatment::Separate),
        (Splitting::Blocks, Some(Treatment::Prune), _) => Treatment::Prune,
        (Splitting::Blocks, _, DefaultDisplay::Block) => Treatment::Separate,
        (Splitting::Blocks, figure, _) => figure.unwrap_or(Treatment::Vanish),
    }
}

/// The columns of the figure, in its order; `None` for elements that are in none of them. `H.L` in
/// the figure is read as `H1` to `H6`.
fn figure_2(name: &str) -> Option<Treatment> {
    match name {
        "br" | "caption" | "center" | "cite" | "dd" | "div" | "dl" | "dt" | "frame" | "hr" | "h1" | "h2" | "h3"
        | "h4" | "h5" | "h6" | "label" | "li" | "nobr" | "ol" | "p" | "pre" | "s" | "samp" | "u" | "ul" | "wbr"
        | "xmp" => Some(Treatment::Space),
        "a" | "b" | "big" | "blink" | "em" | "font" | "form" | "i" | "small" | "span" | "strike" | "strong" | "sub"
        | "sup" | "var" => Some(Treatment::Vanish),
        "address" | "applet" | "area" | "base" | "bgsound" | "button" | "col" | "colgroup" | "comment" | "del"
        | "dir" | "embed" | "fieldset" | "frameset" | "head" | "img" | "input" | "ins" | "listing" | "map"
        | "option" | "script" | "style" | "textarea" => Some(Treatment::Prune),
        _ => None,
    }
}

/// The kind of an element, if the features count it. The paper only gives examples (section 3.4).
/// The rest is our reading: elements that change the look of text, that make lists, and headlines,
/// paragraph breaks and alignment.
pub(super) fn kind(name: &str) -> Option<Kind> {
    match name {
        "b" | "big" | "blink" | "cite" | "em" | "font" | "i" | "mark" | "nobr" | "s" | "samp" | "small" | "strike"
        | "strong" | "sub" | "sup" | "tt" | "u" | "var" => Some(Kind::Format),
        "dd" | "dir" | "dl" | "dt" | "li" | "menu" | "ol" | "ul" => Some(Kind::List),
        "blockquote" | "br" | "center" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hr" | "left" | "p" | "pre"
        | "right" => Some(Kind::Structure),
        _ => None,
    }
}
