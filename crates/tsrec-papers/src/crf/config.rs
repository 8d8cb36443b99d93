//! Which features are used, at which blocks, and how numbers map to values: what the paper keeps in
//! its config file and its CRF++ template (sections 2.2, 3.4 and 3.5).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The features of a model, as a TOML file gives them. The default for training is
/// [`Features::default`], from `features.toml` beside this module. That file also explains the
/// fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Features {
    /// Features to leave out: names, or prefixes of names followed by a star.
    pub disabled: Vec<String>,
    /// Features whose values are combined, each `name@offset`.
    pub conjunctions: Vec<Vec<String>>,
    /// Features that apply to a label together with the label before it, each `name@offset`.
    pub steps: Vec<String>,
    /// The elements of each `container.class-NAME`.
    pub classes: BTreeMap<String, Vec<String>>,
    /// The regular expressions of each `regexp.NAME`, in order.
    pub patterns: BTreeMap<String, Vec<String>>,
    /// The patterns of `bullet`.
    pub bullets: Bullets,
    /// The features by name.
    pub features: BTreeMap<String, Feature>,
}

/// Signs of a list item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bullets {
    /// Regular expressions. Each match sets one bit of the value; the first expression sets the
    /// lowest. At most 6. The values of `bullet` must be all combinations.
    pub patterns: Vec<String>,
}

/// One feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The values that the feature's numbers are mapped to, ascending.
    #[serde(default)]
    pub values: Vec<f64>,
    /// Instead of `values`: this many values, evenly spread from 0 to 1.
    #[serde(default)]
    pub scale: u32,
    /// The blocks where the feature is looked up, relative to the labelled block; −16 to 16.
    pub at: Vec<i32>,
}

impl Feature {
    /// The values, from either field.
    pub(super) fn thresholds(&self) -> Vec<f64> {
        match self.scale {
            0 => self.values.clone(),
            scale => (0..scale).map(|step| f64::from(step) / f64::from(scale)).collect(),
        }
    }
}

impl Features {
    /// Parses the text of a file.
    ///
    /// # Errors
    ///
    /// If it is not TOML or has unknown fields. Names and values are only checked when a model is
    /// made from it.
    pub fn parse(text: &str) -> Result<Features, Error> {
        toml::from_str(text).map_err(|error| Error(error.to_string()))
    }

    /// True if a feature is not left out.
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
