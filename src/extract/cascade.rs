//! The cascade: the template diff with each sibling in turn, then MSS, trained or not.

use super::blocks::Blocks;
use super::mss::Mss;
use super::mss::model::Model;
use super::mss::supervised::Supervised;
use super::template::Template;
use super::{Extraction, Extractor, Page, Sibling};

/// The least confidence at which simple MSS has the last word: its best run holds half of the page's text. Below, the text is
/// scattered, and segmentation over blocks is right more often. Calibration: `tsrec eval --method mss --json` and
/// `--method mss-blocks --json` on the tuning pages; below 0.5 blocks have 0.04 to 0.14 more F1, above it the two are level.
const SURE_OF_MSS: f64 = 0.5;

/// `auto`: the template diff against the first sibling whose gates all pass; where none does, simple MSS, and where
/// that is unsure of itself, MSS over blocks. A [model](Cascade::with_model) takes the place of both.
#[derive(Clone, Debug, Default)]
pub struct Cascade<'s> {
    siblings: Vec<Sibling<'s>>,
    model: Option<&'s Model>,
}

impl<'s> Cascade<'s> {
    /// A cascade over these siblings, best first; none at all is fine.
    pub fn new(siblings: Vec<Sibling<'s>>) -> Self {
        Cascade { siblings, model: None }
    }

    /// With a model that speaks where no sibling passes; where it finds nothing, it is as without. A model is better than none only on sites where
    /// that was shown: see [`trial`](super::trial).
    pub fn with_model(self, model: Option<&'s Model>) -> Self {
        Cascade { model, ..self }
    }

    fn alone(&self, page: &Page<'_>) -> Extraction {
        let trained = self.model.map(|model| Supervised::new(model).extract(page));
        if let Some(trained) = trained.filter(|trained| !trained.content.is_empty()) {
            return trained;
        }
        let simple = Mss::default().extract(page);
        if simple.confidence < SURE_OF_MSS { Blocks.extract(page) } else { simple }
    }
}

impl Extractor for Cascade<'_> {
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let mut attempts = Vec::new();
        for sibling in &self.siblings {
            let mut extraction = Template::new(sibling.clone()).extract(page);
            attempts.append(&mut extraction.attempts);
            if attempts.last().is_some_and(|attempt| attempt.passed()) {
                return Extraction { attempts, ..extraction };
            }
        }
        Extraction { attempts, ..self.alone(page) }
    }
}
