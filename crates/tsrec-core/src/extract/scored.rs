//! The one score: boosted trees over everything that is known of each block, and the segmentation
//! that is expected to be best.
//!
//! What is known, and how the score was learned, is in [`evidence`](crate::evidence). Here it
//! becomes an extraction: alone, or with the siblings that the gates of the template diff let
//! speak.

use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};

use super::learner::Learner;
use super::{Extraction, Extractor, Method, Page, example::Example};
use crate::evidence::lesson::BlockLesson;
use crate::evidence::model::{BlockModel, First, Reason};
use crate::evidence::training;
use crate::evidence::training::BlockTraining;
use crate::learn::Step;
use crate::learn::model::{Payload, decode, hex};
use crate::learn::parallel::Workers;
use crate::page::{Content, Piece};
use crate::template::Memory;

/// The score, with its model. Clones share it.
#[derive(Clone, Debug)]
pub struct Scored {
    model: Arc<BlockModel>,
    /// Who says of each block which evidence moved its score, where that is asked for.
    explainers: Option<&'static dyn Workers>,
}

static SHIPPED: LazyLock<Scored> = LazyLock::new(|| {
    let shipped = decode(SHIPPED_FILE).and_then(|(header, payload)| BlockModel::from_payload(&header, payload));
    Scored::new(shipped.expect("a test reads the model that ships"))
});

/// The file of the model that ships: `models/README.md` has its card.
pub const SHIPPED_FILE: &[u8] = include_bytes!("../models/blocks.model");

impl Scored {
    /// With this model.
    pub fn new(model: BlockModel) -> Self {
        Scored { model: Arc::new(model), explainers: None }
    }

    /// With the model that ships, read at the first use.
    pub fn shipped() -> &'static Scored {
        &SHIPPED
    }

    /// The same, saying of each block which evidence moved its score, which takes some tenths of a
    /// millisecond a block, shared out to these.
    pub fn explaining(&self, workers: &'static dyn Workers) -> Self {
        Scored { explainers: Some(workers), ..self.clone() }
    }

    /// The digest of the model, in hexadecimal: memories of different models do not add up.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.model.to_payload()))
    }

    /// That of the model that ships, made once.
    pub fn shipped_digest() -> &'static str {
        static DIGEST: LazyLock<String> = LazyLock::new(|| Scored::shipped().digest());
        &DIGEST
    }

    /// Reads a page: what is remembered of it, and what is found in it, follow from that. Linear in
    /// the page.
    pub fn read<'r, 'd>(&'r self, page: &'r Page<'d>) -> Reading<'r, 'd> {
        Reading { scored: self, page, first: self.model.first(&page.analysis, page.url) }
    }

    /// For each place of a memory, in its order, the probability that what stands there is content.
    pub fn places(&self, memory: &Memory) -> Vec<f32> {
        self.model.judge_places(memory)
    }

    /// Which evidence moved the score of one block, the strongest first, with what is remembered of
    /// the site, the page itself included. Linear in the page.
    pub fn reasons(&self, page: &Page<'_>, site: &Memory, block: usize) -> Vec<Reason> {
        self.model.reasons_of(&page.analysis, page.url, site, block)
    }

    /// What other pages of the site are to remember of a page. Linear in the page.
    pub fn remember(&self, page: &Page<'_>) -> Memory {
        self.read(page).into_memory()
    }
}

/// A page with what the score says of each of its blocks by itself.
#[derive(Debug)]
pub struct Reading<'r, 'd> {
    scored: &'r Scored,
    page: &'r Page<'d>,
    first: First,
}

impl Reading<'_, '_> {
    /// What other pages of the site are to remember of it.
    pub fn memory(&self) -> &Memory {
        self.first.memory()
    }

    /// The same, when nothing else is asked of the page.
    pub fn into_memory(self) -> Memory {
        self.first.into_memory()
    }

    /// What is found on the page alone.
    pub fn extract(&self) -> Extraction {
        self.extract_with(self.memory())
    }

    /// What is found with what is remembered of the site, the page itself included. The method is
    /// `blocks`.
    pub(super) fn extract_with(&self, site: &Memory) -> Extraction {
        let Reading { scored, page, first } = self;
        let score = scored.model.score(&page.analysis, first, site);
        let content = content(page, &score.decision.kept);
        let reasons = match scored.explainers {
            Some(workers) => scored.model.reasons(&page.analysis, page.url, site, workers),
            None => Vec::new(),
        };
        let found = Extraction::of_page(Method::Blocks, content, score.confidence);
        Extraction {
            kind: score.kind,
            likely: score.likely,
            reasons,
            remembered: site.pages().saturating_sub(1),
            ..found
        }
    }
}

/// The text of the blocks that are kept.
fn content(page: &Page<'_>, kept: &[bool]) -> Content {
    let leaves = page.analysis.leaves().iter().filter(|leaf| kept[leaf.block as usize]);
    Content::new(leaves.map(|leaf| Piece::whole(page.document, leaf.node)))
}

impl Extractor for Scored {
    /// Confidence is the F1 that extractions like this one had: see [`BlockModel`].
    fn extract(&self, page: &Page<'_>) -> Extraction {
        self.read(page).extract()
    }
}

impl Learner for BlockTraining {
    type Lesson = BlockLesson;
    type Model = BlockModel;
    type Error = training::Error;

    fn lesson(&self, example: &Example<'_>) -> Option<BlockLesson> {
        let Example { page, gold, site, kind } = *example;
        Some(BlockLesson::new(page.analysis.clone(), page.url, site, kind, gold))
    }

    fn train(
        &self,
        lessons: impl Iterator<Item = impl std::borrow::Borrow<BlockLesson>>,
        seed: u64,
        progress: &mut dyn FnMut(&Step<'_>),
    ) -> Result<BlockModel, training::Error> {
        let lessons: Vec<_> = lessons.collect();
        training::fit(&lessons, self, seed, progress)
    }
}
