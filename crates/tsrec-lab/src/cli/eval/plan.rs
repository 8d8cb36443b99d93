//! Which model judges which page: the one at hand, or one that was trained on pages of other sites.

use anyhow::{Context, Result};
use tsrec_papers::learn::threads::Threads;

use super::args::Args;
use crate::cli::corpus::Corpus;
use crate::cli::labels::{Labels, lesson};
use crate::cli::training::TrainedMethod;
use crate::eval::folds;
use tsrec_core::evidence::lesson::BlockLesson;
use tsrec_core::evidence::training;
use tsrec_core::evidence::training::BlockTraining;
use tsrec_core::extract::Method;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::learner::Learner;
use tsrec_core::html::Document;
use tsrec_papers::model::AnyModel;
use tsrec_papers::registry::Tool;
use tsrec_papers::vote;
use tsrec_terminal::parallel::in_parallel;
use tsrec_terminal::progress::{Counter, progress};
use tsrec_terminal::usage;

/// Which part of the pages a page is in, by set and page: `parts[set][page]`. Those held out come
/// first.
pub(super) type PagesByPart = Vec<Vec<usize>>;

/// Which tool judges which page.
pub(super) struct Plan {
    tools: Vec<Tool>,
    /// The tool of each page; where there is none beyond the last tool, the page was only learned
    /// from. `None`: all by the one tool.
    parts: Option<PagesByPart>,
}

impl Plan {
    pub(super) fn new(args: &Args, corpora: &[Corpus]) -> Result<Self> {
        let (parts, held) = match (args.folds, args.hold_out) {
            (Some(folds), _) => (into_folds(corpora, folds, args.seed)?, folds),
            (_, Some(share)) => (hold_out(corpora, share, args.seed)?, 1),
            _ => {
                usage::ensure(
                    args.training.are_usual(),
                    "options of training go with --folds or --hold-out: nothing is trained here",
                )?;
                usage::ensure(
                    args.without.is_empty(),
                    "--without goes with --folds or --hold-out: a model has to be trained",
                )?;
                return Ok(Plan { tools: vec![args.options.tool(args.method)?], parts: None });
            }
        };
        let options = args.options.check(args.method)?;
        let pages = TrainingPages { corpora, parts: &parts, held, seed: args.seed, labels: args.labels };
        let tools = pages.models(args)?.into_iter().map(|models| Ok(Tool::new(args.method, &options, models)?));
        Ok(Plan { tools: tools.collect::<Result<_>>()?, parts: Some(parts) })
    }

    /// `None` for a page that was only learned from.
    pub(super) fn tool(&self, set: usize, page: usize) -> Option<&Tool> {
        self.tools.get(self.parts.as_ref().map_or(0, |parts| parts[set][page]))
    }

    /// True when pages are held out: a set may have none that is judged.
    pub(super) fn holds_out(&self) -> bool {
        self.parts.is_some()
    }

    /// True when the tools want to see all pages before the first is judged.
    pub(super) fn learns(&self) -> bool {
        self.tools.iter().any(Tool::learns)
    }

    /// Shows the tools the pages of each site of a set.
    pub(super) fn learn(&mut self, sources: &[Vec<&Document>]) {
        self.tools.iter_mut().for_each(|tool| tool.learn(sources));
    }
}

/// Splits the pages into parts of about equal size, each site whole.
fn into_folds(corpora: &[Corpus], folds: usize, seed: u64) -> Result<PagesByPart> {
    let sites = sites(corpora);
    let parts = folds::into_folds(&sites, folds, seed).with_context(|| {
        let count = folds::count_sites(&sites);
        format!("--folds {folds}: these pages are of {count} sites, so it is a number from 2 to that")
    })?;
    Ok(by_set(corpora, parts))
}

/// Splits the pages in two, each site whole: part 0, with that share of them, is held out, part 1
/// is to learn from.
pub(super) fn hold_out(corpora: &[Corpus], share: f64, seed: u64) -> Result<PagesByPart> {
    usage::ensure(
        share > 0.0 && share < 1.0,
        &format!("--hold-out {share}: a share lies between 0 and 1, such as 0.3"),
    )?;
    let held = folds::hold_out(&sites(corpora), share, seed)
        .with_context(|| format!("--hold-out {share}: the pages' sites are too large to be split so"))?;
    Ok(by_set(corpora, held.into_iter().map(|is_held| usize::from(!is_held))))
}

/// The site of each page of each set.
fn sites(corpora: &[Corpus]) -> Vec<String> {
    corpora.iter().flat_map(|corpus| (0..corpus.len()).map(|page| corpus.set.site_of(page))).collect()
}

fn by_set(corpora: &[Corpus], parts: impl IntoIterator<Item = usize>) -> PagesByPart {
    let mut parts = parts.into_iter();
    corpora.iter().map(|corpus| parts.by_ref().take(corpus.len()).collect()).collect()
}

/// Pages to train on, in parts of which the first `held` are judged.
struct TrainingPages<'c> {
    corpora: &'c [Corpus],
    parts: &'c PagesByPart,
    held: usize,
    seed: u64,
    labels: Labels,
}

impl TrainingPages<'_> {
    /// For each part that is judged the models that the method takes, made of all other parts'
    /// pages.
    fn models(&self, args: &Args) -> Result<Vec<Vec<AnyModel>>> {
        let training = &args.training;
        usage::ensure(
            args.without.is_empty() || matches!(args.method, Choice::Auto | Choice::One(Method::Blocks)),
            "--without is for --method auto or blocks, which are over evidence",
        )?;
        let alone = |models: Vec<AnyModel>| models.into_iter().map(|model| vec![model]).collect::<Vec<_>>();
        match args.method {
            Choice::One(Method::Supervised | Method::Semi) => {
                training.options(TrainedMethod::Mss)?;
                self.train(&training.mss.training(), AnyModel::Mss).map(alone)
            }
            Choice::One(Method::Crf) => {
                training.options(TrainedMethod::Crf)?;
                self.train(&training.crf.training()?, AnyModel::Crf).map(alone)
            }
            Choice::One(Method::Swarm) => {
                training.options(TrainedMethod::Swarm)?;
                self.train(&training.swarm.training(), AnyModel::Swarm).map(alone)
            }
            Choice::Auto | Choice::One(Method::Blocks) => {
                training.options(TrainedMethod::Blocks)?;
                self.cross_fit(&BlockTraining {
                    without: args.without.clone(),
                    ..BlockTraining::default().with_workers(&Threads)
                })
                .map(alone)
            }
            Choice::One(Method::Vote) => {
                usage::ensure(
                    training.are_usual(),
                    &format!("{} trains as its models that ship were: leave options of training out", args.method),
                )?;
                let mss = self.train(&vote::MSS, AnyModel::Mss)?;
                let crf = self.train(&training.crf.training()?, AnyModel::Crf)?;
                Ok(mss.into_iter().zip(crf).map(|(mss, crf)| vec![mss, crf]).collect())
            }
            _ => Err(usage::wrong("--folds and --hold-out are for methods that are trained, such as mss-supervised")),
        }
    }

    /// As [`TrainingPages::train`], all parts in one: what the second stage learns from comes of
    /// the first stages of the other parts.
    fn cross_fit(&self, training: &BlockTraining) -> Result<Vec<AnyModel>> {
        let lessons = self.lessons(training)?;
        let (lessons, parts): (Vec<&BlockLesson>, Vec<usize>) =
            lessons.iter().filter_map(|(lesson, part)| Some((lesson.as_ref()?, *part))).unzip();
        let models = training::cross_fit(&lessons, &parts, training, self.seed, &mut |step| progress(step.what));
        let models = models.context("no models can be made of the pages outside each part")?;
        Ok(models.into_iter().take(self.held).map(|model| AnyModel::Blocks(Box::new(model))).collect())
    }

    fn train<L: Learner>(&self, learner: &L, wrap: fn(L::Model) -> AnyModel) -> Result<Vec<AnyModel>> {
        let lessons = self.lessons(learner)?;
        (0..self.held)
            .map(|part| {
                let others = lessons.iter().filter(|(_, of)| *of != part);
                let say = |line: &str| progress(&format!("part {} of {}: {line}", part + 1, self.held));
                say("training");
                let model = learner
                    .train(others.filter_map(|(lesson, _)| lesson.as_ref()), self.seed, &mut |step| say(step.what));
                model.map(wrap).with_context(|| format!("no model can be made of the pages outside part {}", part + 1))
            })
            .collect()
    }

    /// What each page teaches, with the part that it is in.
    fn lessons<L: Learner>(&self, learner: &L) -> Result<Vec<(Option<L::Lesson>, usize)>> {
        let pages: Vec<((&Corpus, usize), usize)> = self
            .corpora
            .iter()
            .zip(self.parts)
            .flat_map(|(corpus, parts)| parts.iter().enumerate().map(move |(page, &part)| ((corpus, page), part)))
            .collect();
        let counter = Counter::new("lessons", pages.len());
        let lessons = in_parallel(&pages, |&((corpus, page), _)| {
            counter.step();
            lesson(learner, corpus, page, self.labels)
        });
        let parts = pages.iter().map(|(_, part)| *part);
        lessons.into_iter().zip(parts).map(|(lesson, part)| Ok((lesson?, part))).collect()
    }
}
