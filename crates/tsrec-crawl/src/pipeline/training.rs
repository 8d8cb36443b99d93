//! Self-training: a model of what the template diff labelled, judged on what it did not see, and kept only if it is better.
//!
//! Lessons are taken in an order that the pages' addresses decide, so that the same lessons give the same model, to the byte. One in
//! [`Config::hold_out`] is never learned from, in this training or the next: so the model in use and the new one can be judged side by side. Both are
//! judged site by site ([`tsrec_papers::trial`]), and a model counts for as much as it is worth where it is trusted.

pub mod fallback;
pub(super) mod schedule;

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use tsrec_core::learn::model::{Header, Payload, hex};
use tsrec_papers::labelled::LabelledPage;
use tsrec_papers::model::AnyModel;
use tsrec_papers::mss::model::{MssModel, Recipe, Setting};
use tsrec_papers::mss::train::{OneClass, Taught, Trainer};
use tsrec_papers::trial::{Standing, Trial};

/// Settings of self-training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The time between two trainings; 0 for none. Lessons are kept all the same.
    #[serde(with = "humantime_serde")]
    pub every: Duration,
    /// Lessons that must be there for a training.
    pub least_lessons: usize,
    /// One lesson in so many is held out, to judge by; at least 2.
    pub hold_out: u64,
    /// The least confidence of a template diff that makes a lesson, from 0 to 1.
    pub least_confidence: f64,
    /// Tokens learned from in one training, which bounds its memory: some 30 bytes each at most.
    pub max_tokens: usize,
    /// Features that a model keeps, those that say most: five bytes each in memory, three on disk.
    pub max_features: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            every: Duration::from_secs(24 * 60 * 60),
            least_lessons: 100,
            hold_out: 5,
            least_confidence: LEAST_CONFIDENCE,
            max_tokens: 4_000_000,
            max_features: 500_000,
        }
    }
}

/// See [`Config::least_confidence`]. Calibration: `tsrec eval --json` on the tuning pages but `cleaneval-dev`, the pages whose method is `template`, by
/// confidence. Of the labels from 0.5 on 4.2 in 100 have F1 below 0.7, from 0.7 on 2.7; above that the labels hardly get better (2.6 at 0.75, 3.0 at
/// 0.8) and a third of them is lost. Mean F1 against gold from 0.7 on is 0.952, on the news sets 0.966.
const LEAST_CONFIDENCE: f64 = 0.7;

/// How the model is counted: as published, since the pages that it is for are like those it learned from. On the site of `cargo test --test self_training --
/// --nocapture` it reaches 0.999, [`Recipe::Transfer`] 0.991.
pub const RECIPE: Recipe = Recipe::Paper;

impl Config {
    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// A value out of range, with the range.
    pub fn check(&self) -> Result<(), InvalidConfig> {
        let wrong = |name, value: String, range| Err(InvalidConfig { name, value, range });
        if self.hold_out < 2 {
            return wrong("hold_out", self.hold_out.to_string(), "at least 2");
        }
        if !(0.0..=1.0).contains(&self.least_confidence) {
            return wrong("least_confidence", self.least_confidence.to_string(), "from 0 to 1");
        }
        for (name, value) in [
            ("least_lessons", self.least_lessons),
            ("max_tokens", self.max_tokens),
            ("max_features", self.max_features),
        ] {
            if value == 0 {
                return wrong(name, value.to_string(), "at least 1");
            }
        }
        Ok(())
    }
}

/// A setting out of its range.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` is {value}, it must be {range}")]
pub struct InvalidConfig {
    name: &'static str,
    value: String,
    range: &'static str,
}

/// What training found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Lessons learned from.
    pub learned: usize,
    /// Lessons judged by.
    pub judged: usize,
    /// The mean F1 of the extraction without a model on those.
    pub untrained: f64,
    /// How the model in use did, if there is one.
    pub in_use: Option<Standing>,
    /// How the new one did.
    pub new: Standing,
    /// The new model.
    pub model: MssModel,
    /// What it is made of.
    pub header: Header,
}

/// Which is to be used from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The new model.
    New,
    /// The model that is in use.
    InUse,
    /// None: neither is better than none on any site.
    Untrained,
}

impl Verdict {
    /// A word for logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::New => "new",
            Verdict::InUse => "in-use",
            Verdict::Untrained => "untrained",
        }
    }
}

impl Outcome {
    /// The best, as it would be used; of equals the model in use, then none.
    pub fn verdict(&self) -> Verdict {
        verdict(self.untrained, self.in_use.as_ref().map(|standing| standing.as_used), self.new.as_used)
    }

    /// The new model's file.
    pub fn file(&self) -> Vec<u8> {
        AnyModel::Mss(self.model.clone()).to_file(&self.header)
    }
}

fn verdict(untrained: f64, in_use: Option<f64>, new: f64) -> Verdict {
    let in_use = in_use.filter(|&score| score > untrained);
    if new > in_use.unwrap_or(untrained) {
        return Verdict::New;
    }
    if in_use.is_some() { Verdict::InUse } else { Verdict::Untrained }
}

/// Where lessons are read from: by the page's URL, `None` for one that is there no more.
pub type Read<'r> = dyn FnMut(&str) -> Result<Option<Vec<u8>>, BoxError> + 'r;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Lessons, to be read one at a time, in the order of training.
pub struct Lessons<'r> {
    /// With the place of each: see [`place`].
    urls: Vec<(u64, String)>,
    hold_out: u64,
    read: Box<Read<'r>>,
}

impl<'r> Lessons<'r> {
    /// The lessons of these URLs. One in `hold_out` is held out.
    pub fn new(
        urls: impl IntoIterator<Item = String>,
        hold_out: u64,
        read: impl FnMut(&str) -> Result<Option<Vec<u8>>, BoxError> + 'r,
    ) -> Self {
        let mut urls: Vec<(u64, String)> = urls.into_iter().map(|url| (place(&url), url)).collect();
        urls.sort();
        Lessons { urls, hold_out, read: Box::new(read) }
    }

    /// Visits the lessons that are held out, or the others, while the visitor wants more. Those that another version wrote are passed over.
    fn each(&mut self, held_out: bool, mut visit: impl FnMut(&str, &[u8], LabelledPage) -> bool) -> Result<(), Error> {
        for (place, url) in &self.urls {
            if (place % self.hold_out == 0) != held_out {
                continue;
            }
            let bytes = (self.read)(url).map_err(|source| Error(Kind::Read(source)))?;
            let labelled = bytes.as_deref().and_then(LabelledPage::from_bytes);
            if let (Some(bytes), Some(labelled)) = (bytes, labelled)
                && !visit(url, &bytes, labelled)
            {
                break;
            }
        }
        Ok(())
    }
}

/// A number that decides when a page is learned from, and whether it is held out. Neither scheme nor port counts: a page that is reached by
/// another one is the same page as a rule, and must not be learned from and judged by.
fn place(url: &str) -> u64 {
    let address = match Url::parse(url) {
        Ok(url) => format!("{}{}?{}", url.host_str().unwrap_or_default(), url.path(), url.query().unwrap_or_default()),
        Err(_) => url.to_owned(),
    };
    let digest = Sha256::digest(address);
    u64::from_be_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}

/// The site that a page's lesson speaks for: its host.
fn site(url: &str) -> String {
    Url::parse(url).ok().and_then(|url| Some(url.host_str()?.to_owned())).unwrap_or_default()
}

/// Trains a model and judges it beside the one in use. Two passes over the lessons, one of them in memory at a time.
///
/// # Errors
///
/// [`Error::is_too_little`] when the lessons are not enough to learn from or to judge by; what reading says.
pub fn train(lessons: &mut Lessons<'_>, in_use: Option<&MssModel>, config: &Config) -> Result<Outcome, Error> {
    let (model, learned, header) = learn(lessons, config)?;
    let trial = judge(lessons, in_use.into_iter().chain([&model]).collect())?;
    if trial.pages() == 0 {
        return Err(Error(Kind::NothingHeldOut { learned }));
    }
    let (judged, untrained) = (trial.pages(), trial.untrained());
    let new = trial.standing(usize::from(in_use.is_some()));
    let in_use = in_use.map(|_| trial.standing(0));
    Ok(Outcome { learned, judged, untrained, in_use, new, model, header })
}

/// The sites that trust a model, by the lessons that are held out.
///
/// # Errors
///
/// What reading says.
pub fn trusting(lessons: &mut Lessons<'_>, model: &MssModel) -> Result<BTreeSet<String>, Error> {
    Ok(judge(lessons, vec![model])?.standing(0).sites)
}

fn learn(lessons: &mut Lessons<'_>, config: &Config) -> Result<(MssModel, usize, Header), Error> {
    let mut trainer = Trainer::new(Setting::Article).with_recipe(RECIPE).at_most(config.max_features);
    let (mut digest, mut learned, mut tokens) = (Sha256::new(), 0, 0);
    lessons.each(false, |url, bytes, LabelledPage { lesson, .. }| {
        if tokens + lesson.symbols.len() > config.max_tokens {
            return false;
        }
        if trainer.learn(&lesson.symbols, lesson.article) == Taught::Learned {
            learned += 1;
            tokens += lesson.symbols.len();
            // The place in place of the URL: as it decides the order, and a port more or less makes no other model.
            for part in [&place(url).to_be_bytes()[..], bytes] {
                digest.update(part.len().to_le_bytes());
                digest.update(part);
            }
        }
        true
    })?;
    let model = trainer.finish().map_err(|source| Error(Kind::OneClass(source)))?;
    let header = Header {
        method: MssModel::METHOD.to_owned(),
        version: MssModel::VERSION,
        corpus: hex(&digest.finalize()),
        seed: 0,
        command: "tsrec train mss --from-store".to_owned(),
    };
    Ok((model, learned, header))
}

fn judge<'m>(lessons: &mut Lessons<'_>, models: Vec<&'m MssModel>) -> Result<Trial<'m>, Error> {
    let mut trial = Trial::new(models);
    lessons.each(true, |url, _, labelled| {
        trial.judge(&site(url), &labelled);
        true
    })?;
    Ok(trial)
}

/// Why there is no new model.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    OneClass(OneClass),
    NothingHeldOut { learned: usize },
    Read(BoxError),
}

impl Error {
    /// The lessons are not enough, or not of the right kind; more of them may help.
    pub fn is_too_little(&self) -> bool {
        matches!(self.0, Kind::OneClass(_) | Kind::NothingHeldOut { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::OneClass(_) => f.write_str("the lessons are not enough to train from"),
            Kind::NothingHeldOut { learned } => {
                write!(f, "of {learned} lessons none is held out, so that a model cannot be judged; crawl more pages")
            }
            Kind::Read(_) => f.write_str("the lessons cannot be read"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::OneClass(source) => Some(source),
            Kind::NothingHeldOut { .. } => None,
            Kind::Read(source) => Some(&**source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_kept_and_of_equals_what_is_there() {
        use Verdict::{InUse, New, Untrained};
        for (untrained, in_use, new, expect) in [
            (0.8, None, 0.9, New),
            (0.8, None, 0.8, Untrained),
            (0.8, Some(0.85), 0.9, New),
            (0.8, Some(0.9), 0.9, InUse),
            (0.8, Some(0.9), 0.85, InUse),
            (0.8, Some(0.8), 0.8, Untrained),
            (0.8, Some(0.7), 0.75, Untrained),
            (0.8, Some(0.7), 0.81, New),
        ] {
            assert_eq!(verdict(untrained, in_use, new), expect, "{untrained} {in_use:?} {new}");
        }
    }

    #[test]
    fn a_page_has_its_place_whatever_the_port() {
        assert_eq!(place("http://a.example/x?y"), place("https://a.example:8443/x?y"));
        for other in ["http://b.example/x?y", "http://a.example/x?z", "http://a.example/X?y"] {
            assert_ne!(place("http://a.example/x?y"), place(other), "{other}");
        }
    }

    #[test]
    fn settings_out_of_range_are_named() {
        for (config, named) in [
            (Config { hold_out: 1, ..Config::default() }, "hold_out"),
            (Config { least_confidence: 1.5, ..Config::default() }, "least_confidence"),
            (Config { least_confidence: f64::NAN, ..Config::default() }, "least_confidence"),
            (Config { max_tokens: 0, ..Config::default() }, "max_tokens"),
            (Config { least_lessons: 0, ..Config::default() }, "least_lessons"),
        ] {
            assert!(config.check().unwrap_err().to_string().contains(named), "{named}");
        }
        Config::default().check().unwrap();
    }
}
