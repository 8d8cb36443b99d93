//! Selectors: the names that we support. The `selectors` crate parses and matches.
//!
//! Pseudo-classes of user actions (`:hover`, `:focus`, `:visited`, …) are valid and never match,
//! since nobody has touched the page. Pseudo-elements are valid and ignored. `:has()`, `:lang()`,
//! namespaces and unknown names make a selector invalid, and with it its whole rule, as CSS
//! demands.

use std::fmt;

use cssparser::{ParseError, Parser, ToCss};
use selectors::parser::{NonTSPseudoClass, ParseRelative, SelectorImpl, SelectorList, SelectorParseErrorKind};

use super::name::CssName;

/// The most open parentheses, in selectors and elsewhere in a style sheet. The limit keeps the
/// recursion of parsing and matching shallow. Judgement: a person writes two or three.
pub(super) const DEPTH: u8 = 12;

/// The most simple selectors and combinators in one selector; longer ones are ignored. Each
/// combinator makes matching one call deeper. Judgement: ten times what a person writes.
const LENGTH: usize = 128;

/// Parses a list of selectors. It skips those that style pseudo-elements or are too long.
pub(super) fn parse(input: &mut Parser<'_>) -> Result<Vec<Selector>, ParseError<Error>> {
    let list = SelectorList::parse(&Grammar, input, ParseRelative::No)?;
    Ok(list.slice().iter().filter(|one| !one.has_pseudo_element() && one.len() <= LENGTH).cloned().collect())
}

/// One selector.
pub(super) type Selector = selectors::parser::Selector<SelectorNames>;

/// A selector is invalid. There are no details, since its rule is ignored anyway.
#[derive(Clone, Debug)]
pub(super) struct Error;

impl From<SelectorParseErrorKind> for Error {
    fn from(_kind: SelectorParseErrorKind) -> Self {
        Error
    }
}

/// The types of names in our selectors.
#[derive(Clone, Debug)]
pub(super) struct SelectorNames;

impl SelectorImpl for SelectorNames {
    type ExtraMatchingData<'a> = ();
    type AttrValue = CssName;
    type Identifier = CssName;
    type LocalName = CssName;
    type NamespaceUrl = CssName;
    type NamespacePrefix = CssName;
    type BorrowedNamespaceUrl = CssName;
    type BorrowedLocalName = CssName;
    type NonTSPseudoClass = PseudoClass;
    type PseudoElement = PseudoElement;
}

/// A pseudo-class that depends on more than the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PseudoClass {
    /// `:link` and `:any-link`: an element with an address.
    Link,
    /// A pseudo-class that never matches on an untouched page.
    Never,
}

impl NonTSPseudoClass for PseudoClass {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

impl ToCss for PseudoClass {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        dest.write_str(match self {
            PseudoClass::Link => ":link",
            PseudoClass::Never => ":hover",
        })
    }
}

/// A part of an element that is no node of the page. It holds no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PseudoElement;

impl selectors::parser::PseudoElement for PseudoElement {
    fn accepts_state_pseudo_classes(&self) -> bool {
        true
    }
}

impl ToCss for PseudoElement {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        dest.write_str("::before")
    }
}

struct Grammar;

impl<'i> selectors::Parser<'i> for Grammar {
    type Impl = SelectorNames;
    type Error = Error;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_non_ts_pseudo_class(&self, name: &str) -> Result<PseudoClass, ParseError<Error>> {
        let name = name.to_ascii_lowercase();
        match &*name {
            "link" | "any-link" => Ok(PseudoClass::Link),
            "visited" | "hover" | "active" | "focus" | "focus-visible" | "focus-within" | "target"
            | "target-within" | "checked" | "indeterminate" | "default" | "disabled" | "invalid" | "user-invalid"
            | "out-of-range" | "required" | "placeholder-shown" | "autofill" | "fullscreen" | "modal"
            | "picture-in-picture" | "popover-open" | "playing" | "paused" | "current" | "past" | "future" => {
                Ok(PseudoClass::Never)
            }
            _ => Err(ParseError::custom(Error)),
        }
    }

    fn parse_pseudo_element(&self, name: &str) -> Result<PseudoElement, ParseError<Error>> {
        let name = name.to_ascii_lowercase();
        match &*name {
            "before"
            | "after"
            | "first-line"
            | "first-letter"
            | "selection"
            | "placeholder"
            | "marker"
            | "backdrop"
            | "file-selector-button"
            | "cue" => Ok(PseudoElement),
            // Browsers accept these as valid, known or not (Selectors 4, appendix B).
            name if name.starts_with("-webkit-") => Ok(PseudoElement),
            _ => Err(ParseError::custom(Error)),
        }
    }
}
