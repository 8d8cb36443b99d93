//! Which model judges which page: the given model, or one that was trained on pages of other sites.

use std::path::Path;

use anyhow::{Context, Result};
use tsrec_papers::learn::threads::Threads;

use super::args::Args;
use super::kept::KeptModels;
use super::language;
use super::parts::{LEFT_OUT, PagesByPart};
use crate::cli::corpus::Corpus;
use crate::cli::labels::{Labels, lesson};
use crate::cli::training::TrainedMethod;
use crate::eval::folds;
use tsrec_core::evidence::lesson::BlockLesson;
use tsrec_core::evidence::training;
use tsrec_core::evidence::training::BlockTraining;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::learner::Learner;
use tsrec_core::extract::{Extractor, Method};
use tsrec_core::html::Document;
use tsrec_papers::model::AnyModel;
use tsrec_papers::registry;
use tsrec_papers::vote;
use tsrec_terminal::parallel::in_parallel;
use tsrec_terminal::progress::{Counter, progress};
use tsrec_terminal::usage;

/// Maps each page to its extractor.
pub(super) struct Plan {
    extractors: Vec<Box<dyn Extractor>>,
    /// The extractor of each page. A page with a number beyond the last extractor was only for
    /// training. `None`: one extractor judges all pages.
    parts: Option<PagesByPart>,
}

impl Plan {
    pub(super) fn new(args: &Args, corpora: &[Corpus]) -> Result<Self> {
        let (parts, held) = match (args.folds, args.hold_out, &args.leave_out_language) {
            (Some(folds), ..) => (into_folds(corpora, folds, args.seed)?, folds),
            (_, Some(share), _) => (hold_out(corpora, share, args.seed)?, 1),
            (.., Some(code)) => (language::hold_out(corpora, code)?, 1),
            _ => {
                usage::ensure(
                    args.training.are_usual(),
                    "options of training go with --folds, --hold-out or --leave-out-language: nothing is trained here",
                )?;
                usage::ensure(
                    args.without.is_empty(),
                    "--without goes with --folds, --hold-out or --leave-out-language: a model has to be trained",
                )?;
                return Ok(Plan { extractors: vec![args.options.extractor(args.method)?], parts: None });
            }
        };
        let options = args.options.check(args.method)?;
        let pages = TrainingPages { corpora, parts: &parts, held, seed: args.seed, labels: args.labels };
        let made = |models| Ok(registry::extractor(args.method, &options, models)?);
        let extractors = pages.models(args)?.into_iter().map(made).collect::<Result<_>>()?;
        Ok(Plan { extractors, parts: Some(parts) })
    }

    /// `None` for a page that was only for training.
    pub(super) fn extractor(&self, set: usize, page: usize) -> Option<&dyn Extractor> {
        self.extractors.get(self.parts.as_ref().map_or(0, |parts| parts[set][page])).map(Box::as_ref)
    }

    /// True if pages are held out. Then a set may have no page to judge.
    pub(super) fn holds_out(&self) -> bool {
        self.parts.is_some()
    }

    /// True if the extractors need all pages before they judge the first.
    pub(super) fn learns(&self) -> bool {
        self.extractors.iter().any(|extractor| extractor.learns())
    }

    /// Shows the extractors the pages of each site of a set.
    pub(super) fn learn(&mut self, sources: &[Vec<&Document>]) {
        self.extractors.iter_mut().for_each(|extractor| extractor.learn(sources));
    }
}

/// Splits the pages into parts of about equal size. Each site stays in one part.
fn into_folds(corpora: &[Corpus], folds: usize, seed: u64) -> Result<PagesByPart> {
    let sites = sites(corpora);
    let parts = folds::into_folds(&sites, folds, seed).with_context(|| {
        let count = folds::count_sites(&sites);
        format!("--folds {folds}: these pages are of {count} sites, so it is a number from 2 to that")
    })?;
    Ok(by_set(corpora, parts))
}

/// Splits the pages in two, with each site in one part. Part 0, with this share of the pages, is
/// held out. Part 1 is for training.
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

/// Training pages, in parts. The first `held` parts are judged.
struct TrainingPages<'c> {
    corpora: &'c [Corpus],
    parts: &'c PagesByPart,
    held: usize,
    seed: u64,
    labels: Labels,
}

impl TrainingPages<'_> {
    /// For each judged part, the models of the method, trained on the pages of all other parts.
    fn models(&self, args: &Args) -> Result<Vec<Vec<AnyModel>>> {
        let training = &args.training;
        usage::ensure(
            args.without.is_empty() || matches!(args.method, Choice::Auto | Choice::One(Method::Blocks)),
            "--without is for --method auto or blocks, which are over evidence",
        )?;
        usage::ensure(
            args.models.is_none() || matches!(args.method, Choice::Auto | Choice::One(Method::Blocks)),
            "--models is for --method auto or blocks",
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
                self.train(&training.swarm.training()?, AnyModel::Swarm).map(alone)
            }
            Choice::Auto | Choice::One(Method::Blocks) => {
                training.options(TrainedMethod::Blocks)?;
                let training =
                    BlockTraining { without: args.without.clone(), ..BlockTraining::default().with_workers(&Threads) };
                // A model of the pages of one language alone would be part of a cross-validation.
                let models = match args.leave_out_language {
                    None => self.cross_fit_or_read(&training, args.models.as_deref()),
                    Some(_) => self.train(&training, |model| AnyModel::Blocks(Box::new(model))),
                };
                models.map(alone)
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
            _ => Err(usage::wrong(
                "--folds, --hold-out and --leave-out-language are for methods that are trained, such as mss-supervised",
            )),
        }
    }

    /// As [`TrainingPages::cross_fit`], unless the folder has the models already. It has them
    /// afterwards.
    fn cross_fit_or_read(&self, training: &BlockTraining, folder: Option<&Path>) -> Result<Vec<AnyModel>> {
        let Some(folder) = folder else { return self.cross_fit(training) };
        let kept = KeptModels::new(folder, self.corpora, &(self.parts, self.labels, training), self.seed)?;
        if let Some(models) = kept.read(self.held)? {
            return Ok(models);
        }
        let models = self.cross_fit(training)?;
        kept.write(&models)?;
        Ok(models)
    }

    /// As [`TrainingPages::train`], with all parts in one. The second stage learns from the results
    /// of the first stages of the other parts.
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

    /// Each page's lesson, with the page's part.
    fn lessons<L: Learner>(&self, learner: &L) -> Result<Vec<(Option<L::Lesson>, usize)>> {
        let pages: Vec<((&Corpus, usize), usize)> = self
            .corpora
            .iter()
            .zip(self.parts)
            .flat_map(|(corpus, parts)| parts.iter().enumerate().map(move |(page, &part)| ((corpus, page), part)))
            .filter(|(_, part)| *part != LEFT_OUT)
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
