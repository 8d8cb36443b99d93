//! The learned score: boosted trees over all evidence of each block, and the segmentation with the
//! best expected F1.
//!
//! The evidence and the training of the score are in [`evidence`](crate::evidence). This module
//! makes an extraction from the score, with the page alone or with the siblings that pass the gates
//! of the template diff.

use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};

use super::learner::Learner;
use super::refine::refine;
use super::{Extraction, Extractor, Method, NoSibling, Page, PageContext, ScoreReport, example::Example};
use crate::evidence::favor::Favor;
use crate::evidence::kind::PageKind;
use crate::evidence::lesson::BlockLesson;
use crate::evidence::model::{BlockModel, First, Reason};
use crate::evidence::training;
use crate::evidence::training::BlockTraining;
use crate::learn::Step;
use crate::learn::model::{Payload, decode_own, hex};
use crate::learn::parallel::Workers;
use crate::page::{Content, Piece};
use crate::template::Memory;

/// The score, with its model. Clones share it.
#[derive(Clone, Debug)]
pub struct Scored {
    model: Arc<BlockModel>,
    favor: Favor,
}

static SHIPPED: LazyLock<Scored> = LazyLock::new(|| {
    let shipped = decode_own(SHIPPED_FILE).and_then(|(header, payload)| BlockModel::from_payload(&header, payload));
    Scored::new(shipped.expect("a test reads the model that ships"))
});

/// The shipped model's file. `models/README.md` has its model card.
pub const SHIPPED_FILE: &[u8] = include_bytes!("../models/blocks.model");

impl Scored {
    /// The score with this model.
    pub fn new(model: BlockModel) -> Self {
        Scored { model: Arc::new(model), favor: Favor::default() }
    }

    /// The same score, with decisions that favour precision or recall.
    #[must_use]
    pub fn favoring(self, favor: Favor) -> Self {
        Scored { favor, ..self }
    }

    /// The score with the shipped model, which is read on first use.
    pub fn shipped() -> &'static Scored {
        &SHIPPED
    }

    /// The digest of the model, in hexadecimal. Memories of different models cannot be merged.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.model.to_payload()))
    }

    /// The digest of the shipped model, computed once.
    pub fn shipped_digest() -> &'static str {
        static DIGEST: LazyLock<String> = LazyLock::new(|| Scored::shipped().digest());
        &DIGEST
    }

    /// Reads a page. The result gives its memory and its extraction. Linear in the page.
    pub fn read<'r, 'd>(&'r self, page: &'r Page<'d>) -> Reading<'r, 'd> {
        Reading { scored: self, page, first: self.model.first(&page.analysis, page.url) }
    }

    /// For each place of a memory, in its order, the probability that its text is content.
    pub fn places(&self, memory: &Memory) -> Vec<f32> {
        self.model.judge_places(memory)
    }

    /// The evidence that moved the score of one block, the strongest first, given the memory of the
    /// site including the page. Linear in the page.
    pub fn reasons(&self, page: &Page<'_>, site: &Memory, block: usize) -> Vec<Reason> {
        self.model.reasons_of(&page.analysis, page.url, site, block)
    }

    /// The kind of a page with this content, and its probability. It asks for no score of blocks.
    /// Linear in the page.
    pub fn kind(&self, page: &Page<'_>, content: &Content) -> Option<(PageKind, f32)> {
        let mut kept = vec![false; page.document.len()];
        content.pieces().iter().for_each(|piece| kept[piece.node.index()] = true);
        let mut likely = vec![0.0; page.analysis.blocks().len()];
        for leaf in page.analysis.leaves().iter().filter(|leaf| kept[leaf.node.index()]) {
            likely[leaf.block as usize] = 1.0;
        }
        self.model.kind_by(&page.analysis, page.url, &likely)
    }

    /// The memory of a page for other pages of its site. Linear in the page.
    pub fn remember(&self, page: &Page<'_>) -> Memory {
        self.read(page).into_memory()
    }
}

/// A page with the score of each of its blocks, without the site.
#[derive(Debug)]
pub struct Reading<'r, 'd> {
    scored: &'r Scored,
    page: &'r Page<'d>,
    first: First,
}

impl Reading<'_, '_> {
    /// The memory of the page for other pages of its site.
    pub fn memory(&self) -> &Memory {
        self.first.memory()
    }

    /// The same, if nothing else is needed of the page.
    pub fn into_memory(self) -> Memory {
        self.first.into_memory()
    }

    /// The extraction, given the memory of the site including the page. `None` means the page
    /// alone. The method is `blocks`.
    pub(super) fn extract_with(self, site: Option<&Memory>, explainers: Option<&dyn Workers>) -> Extraction {
        let Reading { scored: Scored { model, favor }, page, first } = self;
        let site = site.unwrap_or(first.memory());
        let score = model.score(&page.analysis, &first, site, *favor);
        let reasons = explainers.map(|workers| model.reasons(&page.analysis, page.url, site, workers));
        let remembered = site.pages().saturating_sub(1);
        let mut kept = score.decision.kept;
        refine(page.document, &page.analysis, score.kind.map(|(kind, _)| kind), &score.likely, &mut kept);
        let content = content(page, &kept);
        let (likely, memory) = (score.likely, first.into_memory());
        Extraction {
            kind: score.kind,
            score: Some(ScoreReport { likely, reasons, remembered, memory }),
            ..Extraction::of_page(Method::Blocks, content, score.confidence)
        }
    }
}

/// The text of the kept blocks.
fn content(page: &Page<'_>, kept: &[bool]) -> Content {
    let leaves = page.analysis.leaves().iter().filter(|leaf| kept[leaf.block as usize]);
    Content::new(leaves.map(|leaf| Piece::whole(page.document, leaf.node)))
}

impl Extractor for Scored {
    /// Confidence is the measured F1 of extractions like this one; see [`BlockModel`].
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        if !context.charge(context.page().steps_of_score()) {
            return Ok(Extraction::of_page(Method::Blocks, Content::default(), 0.0));
        }
        Ok(self.read(context.page()).extract_with(None, context.explainers()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::model::decode;

    #[test]
    fn the_shipped_file_is_undamaged() {
        assert!(decode(SHIPPED_FILE).is_ok());
    }
}
