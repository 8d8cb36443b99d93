//! `regexp.*` and `bullet`: patterns that the block's text matches (section 4.2).

use std::collections::BTreeMap;

use regex::Regex;

use super::{BlockView, Error, Features};

/// The regular expressions of a list of features.
#[derive(Clone, Debug)]
pub(super) struct FeaturePatterns {
    sets: BTreeMap<String, Vec<Regex>>,
    bullets: Vec<Regex>,
}

/// The most patterns of `bullet`: each is one bit of its value, and a feature has at most 64
/// values.
const MOST_BULLETS: usize = 6;

impl FeaturePatterns {
    pub(super) fn new(features: &Features) -> Result<FeaturePatterns, Error> {
        let all = |name: &str, patterns: &[String]| -> Result<Vec<Regex>, Error> {
            let one = |pattern: &String| Regex::new(pattern).map_err(|error| Error(format!("{name}: {error}")));
            patterns.iter().map(one).collect()
        };
        let sets = features.patterns.iter().map(|(name, set)| Ok((name.clone(), all(&format!("regexp.{name}"), set)?)));
        let bullets = all("bullet", &features.bullets.patterns)?;
        match bullets.len() > MOST_BULLETS {
            true => Err(Error(format!("bullet: {} patterns, at most {MOST_BULLETS}", bullets.len()))),
            false => Ok(FeaturePatterns { sets: sets.collect::<Result<_, Error>>()?, bullets }),
        }
    }

    /// The number of the first expression that matches, from 1; 0 if none does.
    pub(super) fn first(&self, name: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
        let set = self.sets.get(name)?;
        let first = |text: &str| set.iter().position(|regex| regex.is_match(text)).map_or(0, |place| place + 1);
        Some(view.texts(|text| first(head(text)) as f64))
    }

    /// The values that `bullet` must have: a different one for each combination of matches (section
    /// 4.2).
    pub(super) fn bullet_values(&self) -> Vec<f64> {
        (0..1u32 << self.bullets.len()).map(f64::from).collect()
    }

    /// Gives each combination of matches its own number.
    pub(super) fn bullets(&self, view: &BlockView<'_>) -> Vec<f64> {
        let bits = |text: &str| {
            let set = self.bullets.iter().enumerate().filter(|(_, regex)| regex.is_match(text));
            set.map(|(bit, _)| 1u32 << bit).sum::<u32>()
        };
        view.texts(|text| f64::from(bits(head(text))))
    }
}

/// Number of characters of a block that are searched. The text that identifies a line is short, and
/// a page may be one block. Judgement.
const HEAD: usize = 500;

fn head(text: &str) -> &str {
    text.char_indices().nth(HEAD).map_or(text, |(end, _)| &text[..end])
}
