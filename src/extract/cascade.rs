//! The cascade: the template diff with each sibling in turn, then MSS.

use super::blocks::Blocks;
use super::mss::Mss;
use super::template::Template;
use super::{Extraction, Extractor, Page, Sibling};

/// The least confidence at which simple MSS has the last word: its best run holds half of the page's text. Below, the text is
/// scattered, and segmentation over blocks is right more often. Calibration: `tsrec eval --method mss --json` and
/// `--method mss-blocks --json` on the tuning pages; below 0.5 blocks have 0.04 to 0.14 more F1, above it the two are level.
const SURE_OF_MSS: f64 = 0.5;

/// `auto`: the template diff against the first sibling whose gates all pass; where none does, simple MSS, and where
/// that is unsure of itself, MSS over blocks.
#[derive(Clone, Debug, Default)]
pub struct Cascade<'s> {
    siblings: Vec<Sibling<'s>>,
}

impl<'s> Cascade<'s> {
    /// A cascade over these siblings, best first; none at all is fine.
    pub fn new(siblings: Vec<Sibling<'s>>) -> Self {
        Cascade { siblings }
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
        let mut alone = Mss::default().extract(page);
        if alone.confidence < SURE_OF_MSS {
            alone = Blocks.extract(page);
        }
        Extraction { attempts, ..alone }
    }
}
