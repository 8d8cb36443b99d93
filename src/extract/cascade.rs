//! The cascade: the template diff with each sibling in turn, then what is best on the page alone.

use super::mss::model::Model;
use super::mss::supervised::Supervised;
use super::template::Template;
use super::vote::Vote;
use super::{Extraction, Extractor, Page, Sibling};

/// `auto`: the template diff against the first sibling whose gates all pass; where none does, a [vote](Vote). A [model](Cascade::with_model) takes the
/// vote's place.
#[derive(Clone, Debug)]
pub struct Cascade<'s> {
    siblings: Vec<Sibling<'s>>,
    model: Option<&'s Model>,
    vote: &'s Vote,
}

impl Default for Cascade<'_> {
    fn default() -> Self {
        Cascade::new(Vec::new())
    }
}

impl<'s> Cascade<'s> {
    /// A cascade over these siblings, best first; none at all is fine.
    pub fn new(siblings: Vec<Sibling<'s>>) -> Self {
        Cascade { siblings, model: None, vote: Vote::shipped() }
    }

    /// With a model that speaks where no sibling passes; where it finds nothing, it is as without. A model is better than none only on sites where
    /// that was shown: see [`trial`](super::trial).
    pub fn with_model(self, model: Option<&'s Model>) -> Self {
        Cascade { model, ..self }
    }

    /// With a vote of other models than those that ship.
    pub fn with_vote(self, vote: &'s Vote) -> Self {
        Cascade { vote, ..self }
    }

    fn alone(&self, page: &Page<'_>) -> Extraction {
        let trained = self.model.map(|model| Supervised::new(model).extract(page));
        let trained = trained.filter(|trained| !trained.content.is_empty());
        trained.unwrap_or_else(|| self.vote.extract(page))
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
