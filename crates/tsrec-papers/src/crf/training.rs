//! Trains a model on labelled pages (section 3.5).

use std::borrow::Borrow;
use std::fmt;

use super::CrfModel;
use super::config::{self, Features};
use super::features::Encoder;
use super::labels::labels;
use crate::learn::crf;
use crate::learn::crf::Chain;
use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::{TextBlock, text_blocks};
use tsrec_core::extract::example::Example;
use tsrec_core::extract::learner::Learner;
use tsrec_core::html::Document;
use tsrec_core::learn::Step;

/// How a model is trained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The features of the field.
    pub features: Features,
    /// How the weights are found.
    pub field: crf::Config,
}

/// Why training gave no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    NoBlock,
    OnlyContent(usize),
    OnlyOther(usize),
}

impl Error {
    /// True if the pages have only content, or none.
    pub fn is_one_sided(&self) -> bool {
        matches!(self.0, Kind::OnlyContent(_) | Kind::OnlyOther(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::NoBlock => f.write_str("no text block to learn from: name a set of pages that have text"),
            Kind::OnlyContent(blocks) => write!(
                f,
                "all {blocks} text blocks are content: add pages with something that is not, such as menus and footers"
            ),
            Kind::OnlyOther(blocks) => {
                write!(f, "all {blocks} text blocks are other: the gold must name some text of these pages as content")
            }
        }
    }
}

impl std::error::Error for Error {}

/// A page with labels, encoded for the field: some 70 numbers per block, and nothing else.
#[derive(Clone, Debug)]
pub struct CrfLesson((Chain, Vec<usize>));

/// The learner of the field, with a checked list of features.
#[derive(Clone, Debug)]
pub struct CrfLearner {
    config: Config,
    encoder: Encoder,
}

impl CrfLearner {
    /// Creates a learner with these settings.
    ///
    /// # Errors
    ///
    /// If a feature, a value or a pattern is wrong: the message names it.
    pub fn new(config: &Config) -> Result<CrfLearner, config::Error> {
        Ok(CrfLearner { config: config.clone(), encoder: Encoder::new(&config.features)? })
    }

    /// The lesson of a page with given labels for its blocks ([`text_blocks`]), such as labels by a
    /// person.
    ///
    /// # Panics
    /// If the number of labels differs from the number of blocks.
    pub fn labelled(&self, document: &Document, blocks: &[TextBlock], labels: &[BlockLabel]) -> CrfLesson {
        assert_eq!(blocks.len(), labels.len(), "each block has a label");
        let labels = labels.iter().map(|label| label.index()).collect();
        CrfLesson((self.encoder.chain(document, blocks), labels))
    }
}

impl Learner for CrfLearner {
    type Lesson = CrfLesson;
    type Model = CrfModel;
    type Error = Error;

    /// The labels are those of [`labels`].
    fn lesson(&self, example: &Example<'_>) -> Option<CrfLesson> {
        let document = example.page.document();
        let blocks = text_blocks(document);
        (!blocks.is_empty()).then(|| self.labelled(document, &blocks, &labels(document, &blocks, example.gold)))
    }

    /// Keeps all lessons in memory and uses them in every round. Nothing is random.
    fn train(
        &self,
        lessons: impl Iterator<Item = impl Borrow<CrfLesson>>,
        _seed: u64,
        progress: &mut dyn FnMut(&Step<'_>),
    ) -> Result<CrfModel, Error> {
        let lessons: Vec<_> = lessons.collect();
        let chains: Vec<&(Chain, Vec<usize>)> = lessons.iter().map(|lesson| &lesson.borrow().0).collect();
        let labels = chains.iter().flat_map(|(_, labels)| labels);
        let (blocks, others) = labels.fold((0, 0), |(blocks, others), &label| {
            (blocks + 1, others + usize::from(label == BlockLabel::Other.index()))
        });
        match (blocks, others) {
            (0, _) => return Err(Error(Kind::NoBlock)),
            (_, 0) => return Err(Error(Kind::OnlyContent(blocks))),
            _ if blocks == others => return Err(Error(Kind::OnlyOther(blocks))),
            _ => {}
        }
        let of = self.config.field.rounds;
        let say = |round, value: f64| {
            let what = format!("{blocks} blocks, round {round} of {of} at most: {:.4} a block", value / blocks as f64);
            progress(&Step { what: &what, done: round, of });
        };
        let field = crf::train(self.encoder.shape(), &chains, &self.config.field, say);
        Ok(CrfModel { features: self.config.features.clone(), field })
    }
}
