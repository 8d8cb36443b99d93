//! Training: the thresholds with which a set of pages comes out most like its gold (section 3.5.3).

use std::fmt;

use super::Model;
use super::ground::Ground;
use super::thresholds::Scale;
use crate::block::removal::{Splitting, text_blocks};
use crate::extract::example::Example;
use crate::learn::swarm::{Round, Settings, maximise};
use crate::render::text::text;

/// How to train.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Training {
    /// How pages are split.
    pub splitting: Splitting,
    /// How the swarm moves.
    pub swarm: Settings,
}

/// What came of training.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The best particle of all rounds.
    pub model: Model,
    /// Its mean similarity to the gold of the pages that it was trained on.
    pub fitness: f64,
    /// The best and the mean of each population: figure 3.
    pub history: Vec<Round>,
}

/// Why there is nothing to learn from a set of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    NothingKept { pages: usize },
    EverythingKept { pages: usize },
}

impl Error {
    /// True when all text of the pages is of one class: content, or not.
    pub fn is_one_class(&self) -> bool {
        matches!(self.0, Kind::NothingKept { .. } | Kind::EverythingKept { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::NothingKept { pages } => write!(
                f,
                "nothing can be learned from these {pages} pages: by their gold no block of them is content; \
                 add pages whose gold text stands on them"
            ),
            Kind::EverythingKept { pages } => write!(
                f,
                "nothing can be learned from these {pages} pages: by their gold every block of them is content; \
                 add whole pages, with what stands around the content"
            ),
        }
    }
}

impl std::error::Error for Error {}

/// Learns thresholds. `rounds` is told of each of the swarm's populations. The same examples in the same order, training and seed give
/// the same model everywhere.
///
/// Time is the swarm's: its particles times its rounds, each some milliseconds for 500 pages.
///
/// # Errors
///
/// [`Error::is_one_class`].
pub fn train(
    examples: &[Example<'_>],
    training: &Training,
    seed: u64,
    rounds: impl FnMut(&Round),
) -> Result<Trained, Error> {
    check_classes(examples, training.splitting)?;
    let mut ground = Ground::default();
    for example in examples {
        let document = example.page.document;
        ground.add(document, training.splitting, &text(document, &example.gold.content()));
    }
    let scale = Scale::learn(ground.features());
    let found = maximise(|position| ground.fitness(&scale.thresholds(position)), &training.swarm, seed, rounds);
    let model = Model { splitting: training.splitting, thresholds: scale.thresholds(&found.position) };
    Ok(Trained { model, fitness: found.value, history: found.history })
}

/// Both kinds of block must be there: ones that are content, for more than half of their words, and others.
fn check_classes(examples: &[Example<'_>], splitting: Splitting) -> Result<(), Error> {
    let (mut content, mut clutter) = (0_usize, 0_usize);
    for example in examples {
        let document = example.page.document;
        let mut words = vec![(0_usize, 0_usize); document.len()];
        for word in &example.gold.words {
            let (all, kept) = &mut words[word.node.index()];
            *all += 1;
            *kept += usize::from(word.kept);
        }
        for block in text_blocks(document, splitting) {
            let of_nodes = block.pieces.iter().map(|piece| words[piece.node.index()]);
            let (all, kept) = of_nodes.fold((0, 0), |sum, node| (sum.0 + node.0, sum.1 + node.1));
            content += usize::from(2 * kept > all);
            clutter += usize::from(all > 0 && 2 * kept <= all);
        }
    }
    let pages = examples.len();
    match (content, clutter) {
        (0, _) => Err(Error(Kind::NothingKept { pages })),
        (_, 0) => Err(Error(Kind::EverythingKept { pages })),
        _ => Ok(()),
    }
}
