//! Gates: the three ways in which a template diff fails, each noticed by a measure.
//!
//! 1. The sibling has another template: too little is common.
//! 2. It is the same article again (a print view, a mobile view, page 2): the long text itself is common.
//! 3. Nothing, or nearly everything, is left.

use serde::Serialize;

/// A measure of a comparison, and what it must be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// Which gate it is.
    pub name: GateName,
    /// What was measured.
    pub measured: f64,
    /// The least it may be, where it has a lower bound.
    pub least: Option<f64>,
    /// The most it may be, where it has an upper bound.
    pub most: Option<f64>,
}

/// The gates, by what they notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateName {
    /// Measures the share of the shorter page's elements that is common.
    AnotherTemplate,
    /// Measures the share of the page's long unlinked text that is common.
    SameArticle,
    /// Measures the words left as content.
    NothingLeft,
    /// Measures the share of the page's words left as content.
    EverythingLeft,
}

impl Gate {
    /// A gate that is passed from `least` on.
    pub fn at_least(name: GateName, measured: f64, least: f64) -> Self {
        Gate { name, measured, least: Some(least), most: None }
    }

    /// A gate that is passed up to `most`.
    pub fn at_most(name: GateName, measured: f64, most: f64) -> Self {
        Gate { name, measured, least: None, most: Some(most) }
    }

    /// True when the measure is as it must be.
    pub fn passed(&self) -> bool {
        self.least.is_none_or(|least| self.measured >= least) && self.most.is_none_or(|most| self.measured <= most)
    }
}

impl std::fmt::Display for GateName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            GateName::AnotherTemplate => "another-template",
            GateName::SameArticle => "same-article",
            GateName::NothingLeft => "nothing-left",
            GateName::EverythingLeft => "everything-left",
        })
    }
}
