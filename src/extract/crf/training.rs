//! A model from labelled pages (section 3.5).

use std::fmt;

use super::config::{self, Features};
use super::features::Encoder;
use super::{Model, labels};
use crate::block::block_label::BlockLabel;
use crate::block::text_blocks::{TextBlock, text_blocks};
use crate::extract::example::Example;
use crate::html::Document;
use crate::learn::crf::{self, Chain};

/// How a model is trained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// What the field sees.
    pub features: Features,
    /// How its weights are found.
    pub field: crf::Config,
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Features(config::Error),
    NoBlock,
    OnlyContent(usize),
    OnlyOther(usize),
}

impl Error {
    /// True where the pages have content alone, or none.
    pub fn is_one_sided(&self) -> bool {
        matches!(self.0, Kind::OnlyContent(_) | Kind::OnlyOther(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Features(error) => error.fmt(f),
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Features(error) => Some(error),
            _ => None,
        }
    }
}

/// Collects labelled pages, one at a time. Of each page some 230 numbers a block are kept, nothing else.
#[derive(Debug)]
pub struct Trainer {
    config: Config,
    encoder: Encoder,
    examples: Vec<(Chain, Vec<usize>)>,
}

impl Trainer {
    /// A trainer without a page.
    ///
    /// # Errors
    ///
    /// When a feature, a value or a pattern is wrong: the message names it.
    pub fn new(config: &Config) -> Result<Trainer, Error> {
        let encoder = Encoder::new(&config.features).map_err(|error| Error(Kind::Features(error)))?;
        Ok(Trainer { config: config.clone(), encoder, examples: Vec::new() })
    }

    /// Adds a page: its blocks, as [`text_blocks`] gives them, with the label of each.
    ///
    /// # Panics
    /// When there are not as many labels as blocks.
    pub fn push(&mut self, document: &Document, blocks: &[TextBlock], labels: &[BlockLabel]) {
        assert_eq!(blocks.len(), labels.len(), "each block has a label");
        let labels = labels.iter().map(|label| label.index()).collect();
        self.examples.push((self.encoder.chain(document, blocks), labels));
    }

    /// Trains on what was collected. `progress` hears the round and the value that is minimised: see [`crf::train`].
    ///
    /// # Errors
    ///
    /// When the pages have no block, or no content, or nothing else.
    pub fn finish(self, progress: impl FnMut(usize, f64)) -> Result<Model, Error> {
        let labels = self.examples.iter().flat_map(|(_, labels)| labels);
        let (blocks, others) = labels.fold((0, 0), |(blocks, others), &label| {
            (blocks + 1, others + usize::from(label == BlockLabel::Other.index()))
        });
        match (blocks, others) {
            (0, _) => Err(Error(Kind::NoBlock)),
            (_, 0) => Err(Error(Kind::OnlyContent(blocks))),
            _ if blocks == others => Err(Error(Kind::OnlyOther(blocks))),
            _ => {
                let field = crf::train(self.encoder.shape(), &self.examples, &self.config.field, progress);
                Ok(Model { features: self.config.features, field })
            }
        }
    }
}

/// Trains on pages with gold: see [`labels`] for how it labels blocks.
///
/// # Errors
///
/// As [`Trainer::new`] and [`Trainer::finish`].
pub fn train(examples: &[Example<'_>], config: &Config, progress: impl FnMut(usize, f64)) -> Result<Model, Error> {
    let mut trainer = Trainer::new(config)?;
    for example in examples {
        let document = example.page.document;
        let blocks = text_blocks(document);
        trainer.push(document, &blocks, &labels(document, &blocks, example.gold));
    }
    trainer.finish(progress)
}
