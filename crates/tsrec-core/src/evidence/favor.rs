//! What to favour where precision and recall conflict.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a decision favours. It maximises the expected Fβ (van Rijsbergen 1979, "Information
/// Retrieval", chapter 7), in which recall counts β times as much as precision. EVALUATION,
/// section 15, has the effect on every set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Favor {
    /// Neither: β is 1.
    #[default]
    Balance,
    /// Less of the page, with fewer words that are no content.
    Precision,
    /// More of the page, with fewer words of the content missing.
    Recall,
}

impl Favor {
    /// All of them.
    pub const ALL: [Favor; 3] = [Favor::Balance, Favor::Precision, Favor::Recall];

    /// The name, as the configuration and the API have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Favor::Balance => "balance",
            Favor::Precision => "precision",
            Favor::Recall => "recall",
        }
    }

    /// The square of β. It is 1, 1/2 or 2, the usual values.
    pub(super) fn beta_squared(self) -> f64 {
        match self {
            Favor::Balance => 1.0,
            Favor::Precision => 0.25,
            Favor::Recall => 4.0,
        }
    }
}

impl fmt::Display for Favor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names nothing to favour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFavor(String);

impl fmt::Display for UnknownFavor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} cannot be favoured: it is one of balance, precision and recall", self.0)
    }
}

impl std::error::Error for UnknownFavor {}

impl FromStr for Favor {
    type Err = UnknownFavor;

    fn from_str(name: &str) -> Result<Favor, UnknownFavor> {
        Favor::ALL.into_iter().find(|favor| favor.as_str() == name).ok_or_else(|| UnknownFavor(name.to_owned()))
    }
}
