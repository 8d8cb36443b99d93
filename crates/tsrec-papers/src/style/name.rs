//! Interned names for selectors: of elements and attributes, and of classes and ids.

use std::fmt;

use cssparser::ToCss;
use html5ever::LocalName;
use precomputed_hash::PrecomputedHash;

/// A name that compares in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct CssName(pub(super) LocalName);

impl From<&str> for CssName {
    fn from(name: &str) -> Self {
        CssName(LocalName::from(name))
    }
}

impl AsRef<str> for CssName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PrecomputedHash for CssName {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

impl ToCss for CssName {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, dest)
    }
}
