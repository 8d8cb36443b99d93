//! Which features are seen, where, and to what values they are mapped: what the paper keeps in its
//! config file and its CRF++ template (sections 2.2, 3.4 and 3.5).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The features of a model, as a TOML file gives them. The one that models are trained with by
/// default is [`Features::default`], `features.toml` beside this module, which also explains the
/// fields at length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Features {
    /// Features that are left out: names, or beginnings of names followed by a star.
    pub disabled: Vec<String>,
    /// Features whose values are seen together, each `name@offset`.
    pub conjunctions: Vec<Vec<String>>,
    /// Features that speak for a label together with the label before it, each `name@offset`.
    pub steps: Vec<String>,
    /// The elements of each `container.class-NAME`.
    pub classes: BTreeMap<String, Vec<String>>,
    /// The regular expressions of each `regexp.NAME`, in order.
    pub patterns: BTreeMap<String, Vec<String>>,
    /// What `bullet` looks for.
    pub bullets: Bullets,
    /// The features by name.
    pub features: BTreeMap<String, Feature>,
}

/// What suggests an item of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bullets {
    /// Regular expressions; each that matches sets a bit of the value, the first the lowest. At
    /// most 16.
    pub patterns: Vec<String>,
}

/// One feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The values that its numbers are mapped to, ascending.
    #[serde(default)]
    pub values: Vec<f64>,
    /// In place of `values`: so many values, evenly spread from 0 to 1.
    #[serde(default)]
    pub scale: u32,
    /// The blocks at which it is looked up, relative to the block that is labelled; −16 to 16.
    pub at: Vec<i32>,
}

impl Feature {
    /// The values, whichever way they are given.
    pub(super) fn thresholds(&self) -> Vec<f64> {
        match self.scale {
            0 => self.values.clone(),
            scale => (0..scale).map(|step| f64::from(step) / f64::from(scale)).collect(),
        }
    }
}

impl Features {
    /// Reads a file's text.
    ///
    /// # Errors
    ///
    /// When it is not TOML or has other fields. Names and values are checked when a model is made
    /// of it.
    pub fn parse(text: &str) -> Result<Features, Error> {
        toml::from_str(text).map_err(|error| Error(error.to_string()))
    }

    /// True of a feature that is not left out.
    pub(super) fn uses(&self, name: &str) -> bool {
        !self.disabled.iter().any(|disabled| match disabled.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == disabled,
        })
    }
}

impl Default for Features {
    fn default() -> Self {
        Features::parse(include_str!("features.toml")).expect("a test reads the file beside this module")
    }
}

/// What is wrong with a list of features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(super) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "features: {}", self.0)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_read() {
        let features = Features::default();
        assert_eq!(features.features["position"].thresholds().len(), 10);
        assert_eq!(features.features["container.p"].thresholds(), [0.0, 1.0]);
        assert!(features.features.keys().all(|name| features.uses(name) != name.starts_with("document.")));
    }

    #[test]
    fn features_are_left_out_by_name_and_by_beginning() {
        let disabled = vec!["position".to_owned(), "char.*".to_owned()];
        let features = Features { disabled, ..Features::default() };
        for (name, uses) in [
            ("position", false),
            ("char.alpha-rel", false),
            ("document.word-count", true),
            ("container.p", true),
            ("bullet", true),
        ] {
            assert_eq!(features.uses(name), uses, "{name}");
        }
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(Features::parse("disable = []").unwrap_err().to_string().contains("disable"));
    }
}
