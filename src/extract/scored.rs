//! The one score: boosted trees over everything that is known of each block, and the segmentation that is expected to be best.
//!
//! What is known, and how the score was learned, is in [`evidence`](crate::evidence). Here it becomes an extraction: alone, or with the siblings that
//! the gates of the template diff let speak.

use std::sync::{Arc, LazyLock};

use super::learner::Learner;
use super::model::Model as AnyModel;
use super::{Extraction, Extractor, Method, Page, example::Example};
use crate::evidence::lesson::Lesson;
use crate::evidence::model::{First, Model};
use crate::evidence::siblings::{Site, Trace};
use crate::evidence::training::{self, Training};
use crate::page::{Content, Label, Piece};

/// The score, with its model. Clones share it.
#[derive(Clone, Debug)]
pub struct Scored {
    model: Arc<Model>,
    explains: bool,
}

static SHIPPED: LazyLock<Scored> = LazyLock::new(|| match AnyModel::shipped(Method::Blocks) {
    Some((_, AnyModel::Blocks(model))) => Scored::new(*model),
    _ => unreachable!("a test reads every model that ships"),
});

impl Scored {
    /// With this model.
    pub fn new(model: Model) -> Self {
        Scored { model: Arc::new(model), explains: false }
    }

    /// With the model that ships, read at the first use.
    pub fn shipped() -> &'static Scored {
        &SHIPPED
    }

    /// The same, saying of each block which evidence moved its score, which takes about a millisecond a block.
    pub fn explaining(&self) -> Self {
        Scored { explains: true, ..self.clone() }
    }

    /// What a page leaves behind for its siblings. Linear in the page.
    pub fn trace(&self, page: &Page<'_>) -> Trace {
        self.model.trace(&page.analysis, &self.first(page))
    }

    /// What is found with what these pages of the site left behind. The method is `blocks`.
    pub(super) fn extract_with(&self, page: &Page<'_>, site: &Site) -> Extraction {
        let first = self.first(page);
        let score = self.model.score(&page.analysis, &first, site);
        let content = content(page, &score.decision.kept);
        let labels = page.labels(&content, |_| Label::Outside);
        let reasons = match self.explains {
            true => self.model.reasons(&page.analysis, &first, site),
            false => Vec::new(),
        };
        let found = Extraction::of_page(Method::Blocks, content, score.confidence, labels);
        Extraction { kind: score.kind, likely: score.likely, reasons, ..found }
    }

    fn first(&self, page: &Page<'_>) -> First {
        self.model.first(&page.analysis, page.url)
    }
}

/// The text of the blocks that are kept.
fn content(page: &Page<'_>, kept: &[bool]) -> Content {
    let leaves = page.analysis.leaves().iter().filter(|leaf| kept[leaf.block as usize]);
    Content::new(leaves.map(|leaf| Piece::whole(page.document, leaf.node)))
}

impl Extractor for Scored {
    /// Confidence is the F1 that extractions like this one had: see [`Model`].
    fn extract(&self, page: &Page<'_>) -> Extraction {
        self.extract_with(page, &Site::default())
    }
}

impl Learner for Training {
    type Lesson = Lesson;
    type Model = Model;
    type Error = training::Error;

    fn lesson(&self, example: &Example<'_>) -> Option<Lesson> {
        let Example { page, gold, site, kind } = *example;
        Some(Lesson::new(page.analysis.clone(), page.url, site, kind, gold))
    }

    fn train(
        &self,
        lessons: impl Iterator<Item = impl std::borrow::Borrow<Lesson>>,
        seed: u64,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Model, training::Error> {
        let lessons: Vec<_> = lessons.collect();
        training::fit(&lessons, self, seed, progress)
    }
}
