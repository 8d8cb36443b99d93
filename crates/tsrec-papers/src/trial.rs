//! A trial: models and the extraction without one, on labelled pages that none of them learned from.
//!
//! A model that is good on the whole can be bad on a site, and the other way round: so each site is judged by itself, and a model is trusted where it
//! did clearly better than the extraction without one. Clearly, because the judges are labels of the template diff, which err themselves, and the model
//! has learned how they err. Measured on the tuning pages (`tests/corpora/self_training.rs`): a model that is trusted so costs no set more than 0.002 F1, the same model everywhere
//! costs 0.02 to 0.14. The model's own reliability does not tell where it is wrong: no threshold on it gains.

use std::collections::{BTreeMap, BTreeSet};

use super::labelled::LabelledPage;
use super::mss::model::MssModel;
use super::mss::supervised::Supervised;

/// Pages of a site that must have been judged before a model is trusted there. Judgement: with fewer, luck decides; on the tuning pages 2 to 5 are
/// about level, and 1 loses.
pub const LEAST_JUDGED: usize = 3;

/// The mean gain in F1 that a model must show on a site. Judgement: where it and the extraction without it differ by less, the labels may be what is wrong; they
/// are off by 0.05 on the mean.
pub const LEAST_GAIN: f64 = 0.1;

/// Models under trial, and how they do.
#[derive(Clone, Debug)]
pub struct Trial<'m> {
    models: Vec<&'m MssModel>,
    sites: BTreeMap<String, Marks>,
}

/// Sums of F1 over the pages of a site.
#[derive(Clone, Debug)]
struct Marks {
    pages: usize,
    untrained: f64,
    models: Vec<f64>,
}

impl Marks {
    fn trusts(&self, model: usize) -> bool {
        let gain = self.models[model] - self.untrained;
        self.pages >= LEAST_JUDGED && gain >= LEAST_GAIN * self.pages as f64
    }
}

/// How a model did.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its mean F1 over all pages.
    pub alone: f64,
    /// The mean F1 over all pages where it is used on the sites that trust it, and the extraction without a model on the others.
    pub as_used: f64,
    /// The sites where it did better than the extraction without a model, by [`LEAST_GAIN`].
    pub sites: BTreeSet<String>,
}

impl<'m> Trial<'m> {
    /// A trial of these models.
    pub fn new(models: Vec<&'m MssModel>) -> Self {
        Trial { models, sites: BTreeMap::new() }
    }

    /// Judges a page by its label. Linear in the page, for each model.
    pub fn judge(&mut self, site: &str, page: &LabelledPage) {
        let count = self.models.len();
        let marks = || Marks { pages: 0, untrained: 0.0, models: vec![0.0; count] };
        let marks = self.sites.entry(site.to_owned()).or_insert_with(marks);
        marks.pages += 1;
        marks.untrained += page.content.f1(&page.untrained);
        for (sum, model) in marks.models.iter_mut().zip(&self.models) {
            *sum += page.content.f1(&Supervised::new(model).words(&page.lesson.symbols));
        }
    }

    /// Pages judged so far.
    pub fn pages(&self) -> usize {
        self.sites.values().map(|marks| marks.pages).sum()
    }

    /// The mean F1 of the extraction without a model; 0 where no page was judged.
    pub fn untrained(&self) -> f64 {
        self.mean(|marks| marks.untrained)
    }

    /// How the model with this number did.
    ///
    /// # Panics
    /// When there is none.
    pub fn standing(&self, model: usize) -> Standing {
        Standing {
            alone: self.mean(|marks| marks.models[model]),
            as_used: self.mean(|marks| if marks.trusts(model) { marks.models[model] } else { marks.untrained }),
            sites: self.sites.iter().filter(|(_, marks)| marks.trusts(model)).map(|(site, _)| site.clone()).collect(),
        }
    }

    fn mean(&self, sum: impl Fn(&Marks) -> f64) -> f64 {
        // BTreeMap: the same order of summands in each run.
        self.sites.values().map(sum).sum::<f64>() / (self.pages().max(1)) as f64
    }
}
