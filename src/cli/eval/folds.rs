//! Cross-validation: no page is judged by a model that saw its site.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::in_parallel;
use crate::cli::corpus::Corpus;
use crate::cli::labels::Labels;
use crate::cli::train::{lesson, progress};
use crate::cli::training::{Trained, TrainingArgs};
use crate::extract::learner::Learner;
use crate::extract::model::Model;
use crate::extract::registry::Choice;
use crate::extract::{Method, vote};

/// Which part of the pages a page is in, by set and page: `parts[set][page]`.
pub(super) type Parts = Vec<Vec<usize>>;

/// Splits the pages into parts of about equal size, each site whole; a page without a site is its own. Which site goes where depends on the seed
/// and the sites' names alone.
pub(super) fn into_folds(corpora: &[Corpus], folds: usize, seed: u64) -> Result<Parts> {
    let sites = sites(corpora, seed);
    ensure!(
        folds >= 2 && folds <= sites.len(),
        "--folds {folds}: these pages are of {} sites, so it is a number from 2 to that",
        sites.len()
    );
    let mut sizes = vec![0; folds];
    let mut parts: Parts = corpora.iter().map(|corpus| vec![0; corpus.entries.len()]).collect();
    for pages in sites {
        let smallest = (0..folds).min_by_key(|&fold| sizes[fold]).expect("there are folds");
        sizes[smallest] += pages.len();
        pages.into_iter().for_each(|(set, page)| parts[set][page] = smallest);
    }
    Ok(parts)
}

/// Splits the pages in two: part 0, with that share of them, is held out, part 1 is to learn from. As [`into_folds`] otherwise.
pub(super) fn hold_out(corpora: &[Corpus], share: f64, seed: u64) -> Result<Parts> {
    ensure!(share > 0.0 && share < 1.0, "--hold-out {share}: a share lies between 0 and 1, such as 0.3");
    let sites = sites(corpora, seed);
    let all: usize = corpora.iter().map(|corpus| corpus.entries.len()).sum();
    let mut held = 0;
    let mut parts: Parts = corpora.iter().map(|corpus| vec![1; corpus.entries.len()]).collect();
    for pages in sites {
        if held as f64 + pages.len() as f64 / 2.0 <= share * all as f64 {
            held += pages.len();
            pages.into_iter().for_each(|(set, page)| parts[set][page] = 0);
        }
    }
    ensure!(held > 0 && held < all, "--hold-out {share}: the pages' sites are too large to be split so");
    Ok(parts)
}

/// The pages of each site, as set and page, in an order that the seed decides.
fn sites(corpora: &[Corpus], seed: u64) -> Vec<Vec<(usize, usize)>> {
    let mut sites: BTreeMap<Vec<u8>, Vec<(usize, usize)>> = BTreeMap::new();
    for (set, corpus) in corpora.iter().enumerate() {
        for (page, entry) in corpus.entries.iter().enumerate() {
            let name = entry.site.clone().unwrap_or_else(|| format!("{}/{}", corpus.name, entry.id));
            let order = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize();
            sites.entry(order.to_vec()).or_default().push((set, page));
        }
    }
    sites.into_values().collect()
}

/// For each of the first `held` parts the models that the method takes, made of all other parts' pages.
pub(super) fn models(
    choice: Choice,
    training: &TrainingArgs,
    corpora: &[Corpus],
    parts: &Parts,
    held: usize,
    seed: u64,
    labels: Labels,
) -> Result<Vec<Vec<Model>>> {
    let alone = |models: Vec<Model>| models.into_iter().map(|model| vec![model]).collect::<Vec<_>>();
    match choice {
        Choice::One(Method::Supervised | Method::Semi) => {
            training.options(Trained::Mss)?;
            train(&training.mss.training(), corpora, parts, held, seed, labels, Model::Mss).map(alone)
        }
        Choice::One(Method::Crf) => {
            training.options(Trained::Crf)?;
            train(&training.crf.training()?, corpora, parts, held, seed, labels, Model::Crf).map(alone)
        }
        Choice::One(Method::Swarm) => {
            training.options(Trained::Swarm)?;
            train(&training.swarm.training(), corpora, parts, held, seed, labels, Model::Swarm).map(alone)
        }
        Choice::Auto | Choice::One(Method::Vote) => {
            ensure!(
                training.are_usual(),
                "{choice} trains as its models that ship were: leave options of training out"
            );
            let mss = train(&vote::MSS, corpora, parts, held, seed, labels, Model::Mss)?;
            let crf = train(&training.crf.training()?, corpora, parts, held, seed, labels, Model::Crf)?;
            Ok(mss.into_iter().zip(crf).map(|(mss, crf)| vec![mss, crf]).collect())
        }
        _ => anyhow::bail!("--folds and --hold-out are for methods that are trained, such as mss-supervised"),
    }
}

fn train<L: Learner>(
    learner: &L,
    corpora: &[Corpus],
    parts: &Parts,
    held: usize,
    seed: u64,
    labels: Labels,
    wrap: fn(L::Model) -> Model,
) -> Result<Vec<Model>> {
    let pages: Vec<((&Corpus, usize), usize)> = corpora
        .iter()
        .zip(parts)
        .flat_map(|(corpus, parts)| parts.iter().enumerate().map(move |(page, &part)| ((corpus, page), part)))
        .collect();
    let lessons = in_parallel(&pages, |&((corpus, page), _)| lesson(learner, corpus, page, labels));
    let lessons = lessons.into_iter().collect::<Result<Vec<_>>>()?;
    (0..held)
        .map(|part| {
            let others = pages.iter().zip(&lessons).filter(|((_, of), _)| *of != part);
            let mut say = |line: &str| progress(&format!("part {} of {held}: {line}", part + 1));
            say("training");
            let model = learner.train(others.filter_map(|(_, lesson)| lesson.as_ref()), seed, &mut say);
            model.map(wrap).with_context(|| format!("no model can be made of the pages outside part {}", part + 1))
        })
        .collect()
}
