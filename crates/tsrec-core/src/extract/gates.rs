//! Gates: measures that notice the three ways in which a template diff fails.
//!
//! 1. The sibling has another template: too little is common.
//! 2. The sibling is the same article again (a print view, a mobile view, page 2): the long text
//!    itself is common.
//! 3. Nothing, or nearly everything, is left.

use serde::Serialize;

/// A measure of a comparison, and its bounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Gate {
    /// The gate.
    pub name: GateName,
    /// The measured value.
    pub measured: f64,
    /// The lower bound, if there is one.
    pub least: Option<f64>,
    /// The upper bound, if there is one.
    pub most: Option<f64>,
    /// The value from which there is no doubt left.
    #[serde(skip)]
    clear: f64,
}

/// The gates, by what they notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GateName {
    /// Measures the share of elements with text that is common, on the page that has fewer of them.
    /// Elements without text do not count: pages of different sites share half of them.
    AnotherTemplate,
    /// Measures the share of the page's long unlinked text that is common.
    SameArticle,
    /// Measures the words left as content.
    NothingLeft,
    /// Measures the share of the page's words left as content.
    EverythingLeft,
}

impl Gate {
    /// A gate that passes from `least` on, and clearly from `clear` on.
    pub fn at_least(name: GateName, measured: f64, least: f64, clear: f64) -> Self {
        Gate { name, measured, least: Some(least), most: None, clear }
    }

    /// A gate that passes up to `most`, and clearly up to `clear`.
    pub fn at_most(name: GateName, measured: f64, most: f64, clear: f64) -> Self {
        Gate { name, measured, least: None, most: Some(most), clear }
    }

    /// True if the measure is within its bound.
    pub fn passed(&self) -> bool {
        self.least.is_none_or(|least| self.measured >= least) && self.most.is_none_or(|most| self.measured <= most)
    }

    /// How clearly the gate passed: 0 at its bound and beyond, 1 if there is no doubt left.
    pub fn margin(&self) -> f64 {
        let bound = self.least.or(self.most).unwrap_or(self.clear);
        match self.clear == bound {
            true => f64::from(u8::from(self.passed())),
            false => ((self.measured - bound) / (self.clear - bound)).clamp(0.0, 1.0),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_run_from_the_bound_to_where_all_is_clear() {
        let common = |measured| Gate::at_least(GateName::AnotherTemplate, measured, 0.1, 0.5);
        let left = |measured| Gate::at_most(GateName::EverythingLeft, measured, 0.9, 0.5);
        for (gate, passed, margin) in [
            (common(0.0), false, 0.0),
            (common(0.1), true, 0.0),
            (common(0.3), true, 0.5),
            (common(0.9), true, 1.0),
            (left(0.95), false, 0.0),
            (left(0.7), true, 0.5),
            (left(0.1), true, 1.0),
        ] {
            assert_eq!(gate.passed(), passed, "{gate:?}");
            assert!((gate.margin() - margin).abs() < 1e-9, "{gate:?}");
        }
    }
}
