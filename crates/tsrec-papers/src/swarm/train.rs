//! Training: finds the thresholds that make a set of pages most like their gold (section 3.5.3).

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use super::SwarmModel;
use super::ground::{Ground, MeasuredPage};
use super::thresholds::AxisScale;
use crate::block::removal::{MergedBlock, Splitting, text_blocks};
use crate::learn::swarm::{Settings, SwarmRound, maximise};
use tsrec_core::extract::example::Example;
use tsrec_core::extract::learner::Learner;
use tsrec_core::html::Document;
use tsrec_core::learn::Step;
use tsrec_core::page::Gold;
use tsrec_core::render::text::text;

/// The learner of the thresholds, with its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SwarmLearner {
    /// How pages are split.
    pub splitting: Splitting,
    /// How the swarm moves.
    pub swarm: Settings,
}

/// The data that training needs of a page: its measured blocks, and how many of them are content
/// according to the gold.
#[derive(Clone, Debug)]
pub struct SwarmLesson {
    page: Arc<MeasuredPage>,
    classes: Classes,
}

/// How many blocks are content, by more than half of their words, and how many are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Classes {
    content: usize,
    clutter: usize,
}

/// The result of training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedSwarm {
    /// The best particle of all rounds.
    pub model: SwarmModel,
    /// Its mean similarity to the gold of the training pages.
    pub fitness: f64,
    /// The best and the mean of each population: figure 3.
    pub history: Vec<SwarmRound>,
}

impl SwarmLearner {
    /// Learns thresholds. `rounds` is called with each of the swarm's populations, and its number
    /// from 1. The same lessons in the same order, training and seed give the same model
    /// everywhere.
    ///
    /// Time is particles times rounds. Each takes some milliseconds for 500 pages.
    ///
    /// # Errors
    ///
    /// [`Error::is_one_class`].
    pub fn learn(
        &self,
        lessons: impl Iterator<Item = impl Borrow<SwarmLesson>>,
        seed: u64,
        mut rounds: impl FnMut(usize, &SwarmRound),
    ) -> Result<TrainedSwarm, Error> {
        let (mut ground, mut classes) = (Ground::default(), Classes::default());
        for lesson in lessons {
            let lesson = lesson.borrow();
            ground.add_judged(lesson.page.clone());
            classes.content += lesson.classes.content;
            classes.clutter += lesson.classes.clutter;
        }
        classes.check(ground.len())?;
        let scale = AxisScale::learn(ground.features());
        let mut number = 0;
        let count = |round: &SwarmRound| {
            number += 1;
            rounds(number, round);
        };
        let found = maximise(|position| ground.fitness(&scale.thresholds(position)), &self.swarm, seed, count);
        let model = SwarmModel { splitting: self.splitting, thresholds: scale.thresholds(&found.position) };
        Ok(TrainedSwarm { model, fitness: found.value, history: found.history })
    }
}

/// Progress prints a lasting line after this many rounds.
const ROUNDS_A_LINE: usize = 10;

impl Learner for SwarmLearner {
    type Lesson = SwarmLesson;
    type Model = SwarmModel;
    type Error = Error;

    /// `None` if the page has no block, or its gold no word.
    fn lesson(&self, example: &Example<'_>) -> Option<SwarmLesson> {
        let document = example.page.document();
        let blocks = text_blocks(document, self.splitting);
        let classes = Classes::count(document, &blocks, example.gold);
        let gold = text(document, &example.gold.content());
        (!blocks.is_empty() && !example.gold.words.is_empty())
            .then(|| SwarmLesson { page: Arc::new(MeasuredPage::new(&blocks, &gold)), classes })
    }

    fn train(
        &self,
        lessons: impl Iterator<Item = impl Borrow<SwarmLesson>>,
        seed: u64,
        progress: &mut dyn FnMut(&Step<'_>),
    ) -> Result<SwarmModel, Error> {
        let trained = self.learn(lessons, seed, |number, round| {
            let end = if number == 1 || number.is_multiple_of(ROUNDS_A_LINE) { "\n" } else { "" };
            let of = self.swarm.rounds;
            let what = format!("round {number} of {of}: best {:.4}, mean {:.4}{end}", round.best, round.mean);
            progress(&Step { what: &what, done: number, of });
        })?;
        let what = format!("{:.4} with {}\n", trained.fitness, trained.model.thresholds);
        progress(&Step { what: &what, done: self.swarm.rounds, of: self.swarm.rounds });
        Ok(trained.model)
    }
}

impl Classes {
    fn count(document: &Document, blocks: &[MergedBlock], gold: &Gold) -> Self {
        let mut words = vec![(0_usize, 0_usize); document.len()];
        for word in &gold.words {
            let (all, kept) = &mut words[word.node.index()];
            *all += 1;
            *kept += usize::from(word.kept);
        }
        let mut classes = Classes::default();
        for block in blocks {
            let of_nodes = block.pieces.iter().map(|piece| words[piece.node.index()]);
            let (all, kept) = of_nodes.fold((0, 0), |sum, node| (sum.0 + node.0, sum.1 + node.1));
            classes.content += usize::from(2 * kept > all);
            classes.clutter += usize::from(all > 0 && 2 * kept <= all);
        }
        classes
    }

    fn check(self, pages: usize) -> Result<(), Error> {
        match (self.content, self.clutter) {
            (0, _) => Err(Error(Kind::NothingKept { pages })),
            (_, 0) => Err(Error(Kind::EverythingKept { pages })),
            _ => Ok(()),
        }
    }
}

/// Why a set of pages cannot be learned from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    NothingKept { pages: usize },
    EverythingKept { pages: usize },
}

impl Error {
    /// True if all text of the pages is of one class: content, or not.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swarm::Swarm;
    use tsrec_core::extract::{Extractor, Page, PageContext};
    use tsrec_core::html::parse;
    use tsrec_core::page::{Content, GoldWord};

    const MENU: &str = "<ul><li><a href=/>Home</a><li><a href=/news>News of the day</a></ul>";
    const PROSE: &str =
        "<p>The ferry sails again, as it did before. It was late, and nobody on the quay had minded that.</p>";

    /// A lesson of a page with these parts, each with whether its words are content.
    fn lesson(training: &SwarmLearner, parts: &[(&str, bool)]) -> Option<SwarmLesson> {
        let page: String = parts.iter().map(|(part, _)| *part).collect();
        let document = parse(page.as_bytes(), None, &Default::default());
        let mut words = Vec::new();
        for node in document.descendants(document.root()) {
            let Some(text) = document.text(node) else { continue };
            let kept = parts.iter().any(|(part, kept)| *kept && part.contains(text));
            for word in tsrec_core::words::words(text) {
                let at = word.as_ptr() as usize - text.as_ptr() as usize;
                words.push(GoldWord { node, range: at..at + word.len(), kept, start: None });
            }
        }
        let gold = Gold { words, ..Gold::default() };
        training.lesson(&Example { page: &Page::new(&document), gold: &gold, site: None, kind: None, diffed: None })
    }

    fn train(pages: &[&[(&str, bool)]]) -> Result<TrainedSwarm, Error> {
        let training =
            SwarmLearner { swarm: Settings { rounds: 30, ..Settings::default() }, ..SwarmLearner::default() };
        let lessons: Vec<SwarmLesson> = pages.iter().filter_map(|parts| lesson(&training, parts)).collect();
        training.learn(lessons.iter(), 1, |_, _| ())
    }

    #[test]
    fn prose_is_told_from_a_menu() {
        let trained = train(&[&[(MENU, false), (PROSE, true)], &[(PROSE, true), (MENU, false)]]).unwrap();
        assert_eq!(trained.fitness, 1.0);
        assert_eq!(trained.history.len(), 30);
        let document = parse(format!("{MENU}{PROSE}{MENU}").as_bytes(), None, &Default::default());
        let extraction = Swarm::new(trained.model.clone()).extract(&PageContext::alone(&document)).unwrap();
        assert_eq!(text(&document, &extraction.content), PROSE.replace("<p>", "").replace("</p>", ""));
        assert!(extraction.confidence > 0.0 && extraction.confidence <= 1.0);
    }

    #[test]
    fn a_page_without_text_gives_nothing() {
        let model = train(&[&[(MENU, false), (PROSE, true)]]).unwrap().model;
        let document = parse(b"<p><img src=x><script>the ferry</script>", None, &Default::default());
        let extraction = Swarm::new(model.clone()).extract(&PageContext::alone(&document)).unwrap();
        assert_eq!((extraction.content, extraction.confidence), (Content::default(), 0.0));
    }

    #[test]
    fn one_class_teaches_nothing() {
        for (page, expect) in [
            (&[(MENU, false), (PROSE, false)] as &[_], "no block of them is content; add pages whose gold"),
            (&[(MENU, true), (PROSE, true)], "every block of them is content; add whole pages"),
            (&[("<p></p>", false)], "no block of them is content"),
        ] {
            let error = train(&[page]).unwrap_err();
            assert!(error.is_one_class() && error.to_string().contains(expect), "{error}");
        }
    }

    #[test]
    fn the_same_pages_give_the_same_model() {
        let run = || train(&[&[(MENU, false), (PROSE, true), (MENU, false)]]).unwrap();
        assert_eq!(run(), run());
    }
}
