//! The cascade: one score, with the siblings that may speak.

use super::mss::model::Model;
use super::mss::supervised::Supervised;
use super::scored::Scored;
use super::template::Template;
use super::{Extraction, Extractor, Method, Page, Sibling};
use crate::evidence::siblings::Site;
use crate::page::Label;

/// `auto`: the [score](Scored) over what is known of each block. Siblings that pass the gates of the template diff are evidence too, and the method is
/// then `template`; where none does, or there is none, it is `blocks`. A [model of the site](Cascade::with_model) takes the place of the latter.
#[derive(Clone, Debug)]
pub struct Cascade<'s> {
    siblings: Vec<Sibling<'s>>,
    model: Option<&'s Model>,
    scored: &'s Scored,
}

impl Default for Cascade<'_> {
    fn default() -> Self {
        Cascade::new(Vec::new())
    }
}

impl<'s> Cascade<'s> {
    /// A cascade over these siblings, best first; none at all is fine.
    pub fn new(siblings: Vec<Sibling<'s>>) -> Self {
        Cascade { siblings, model: None, scored: Scored::shipped() }
    }

    /// With a model that speaks where no sibling passes; where it finds nothing, it is as without. A model is better than none only on sites where
    /// that was shown: see [`trial`](super::trial).
    pub fn with_model(self, model: Option<&'s Model>) -> Self {
        Cascade { model, ..self }
    }

    /// With another score than the one that ships.
    pub fn with_score(self, scored: &'s Scored) -> Self {
        Cascade { scored, ..self }
    }

    fn alone(&self, page: &Page<'_>) -> Extraction {
        let trained = self.model.map(|model| Supervised::new(model).extract(page));
        let trained = trained.filter(|trained| !trained.content.is_empty());
        trained.unwrap_or_else(|| self.scored.extract(page))
    }
}

impl Extractor for Cascade<'_> {
    /// O(alignment of each sibling), and linear in the pages.
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let (mut attempts, mut traces) = (Vec::new(), Vec::new());
        let mut diff: Option<Extraction> = None;
        for sibling in &self.siblings {
            let mut extraction = Template::new(sibling.clone()).extract(page);
            attempts.append(&mut extraction.attempts);
            if attempts.last().is_some_and(|attempt| attempt.passed()) {
                traces.extend(sibling.trace);
                diff.get_or_insert(extraction);
            }
        }
        let Some(diff) = diff else {
            return Extraction { attempts, ..self.alone(page) };
        };
        let found = self.scored.extract_with(page, &Site::new(traces.into_iter()));
        // What the score leaves out was found to be common or regular by the diff, or is outside.
        let labels = page.labels(&found.content, |element| match diff.labels[element] {
            Label::Content => Label::Outside,
            label => label,
        });
        Extraction { method: Method::Template, attempts, labels, partners: diff.partners, ..found }
    }
}
