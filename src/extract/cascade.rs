//! The cascade: the template diff with each sibling in turn, and at last MSS.

use super::mss::Mss;
use super::template::Template;
use super::{Extraction, Extractor, Page, Sibling};

/// `auto`: the template diff against the first sibling whose gates all pass; simple MSS where none does.
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
        Extraction { attempts, ..Mss::default().extract(page) }
    }
}
