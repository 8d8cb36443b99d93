//! `tsrec-lab train METHOD DIR… --out MODEL`: a model from pages with gold, or with labels that the
//! template diff made.

use std::path::PathBuf;
use tsrec_papers::learn::threads::Threads;

use anyhow::{Context, Result};

use super::corpus::{self, Corpus};
use super::labels::{Labels, lesson};
use super::sets::SetArgs;
use super::training::{TrainedMethod, TrainingArgs};
use tsrec_core::evidence::training::BlockTraining;
use tsrec_core::extract::learner::Learner;
use tsrec_core::learn::model::{Header, Payload};
use tsrec_papers::model::AnyModel;
use tsrec_terminal::progress::progress;
use tsrec_terminal::show::{Show, Steps};
use tsrec_terminal::whole_file;

/// Arguments of `tsrec-lab train`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to train.
    #[arg(value_enum)]
    method: TrainedMethod,
    /// Sets of pages: folders that hold html/<id>.html (or .html.gz), gold/<id>.txt and meta.jsonl.
    #[arg(required = true, value_name = "DIR")]
    sets: Vec<PathBuf>,
    #[command(flatten)]
    said: SetArgs,
    /// Who says what is content on those pages.
    #[arg(long, value_enum, default_value_t)]
    labels: Labels,
    /// Where the model goes.
    #[arg(long, value_name = "MODEL")]
    out: PathBuf,
    /// What random choices start from: the same seed and pages make the same file, to the byte.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    training: TrainingArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut options = args.training.options(args.method)? + &args.said.options();
    if args.labels == Labels::Template {
        options += " --labels template";
    }
    let corpora = args.said.read(&args.sets)?;
    match args.method {
        TrainedMethod::Mss => train(&args.training.mss.training(), &options, args, &corpora, AnyModel::Mss),
        TrainedMethod::Swarm => train(&args.training.swarm.training(), &options, args, &corpora, AnyModel::Swarm),
        TrainedMethod::Crf => train(&args.training.crf.training()?, &options, args, &corpora, AnyModel::Crf),
        TrainedMethod::Blocks => {
            train(&BlockTraining::default().with_workers(&Threads), &options, args, &corpora, |model| {
                AnyModel::Blocks(Box::new(model))
            })
        }
    }
}

/// Trains, and writes the model.
///
/// `options` are those of the method that were given, for the header, each with a space before it.
fn train<L: Learner>(
    learner: &L,
    options: &str,
    args: &Args,
    corpora: &[Corpus],
    wrap: fn(L::Model) -> AnyModel,
) -> Result<()> {
    let pages: usize = corpora.iter().map(Corpus::len).sum();
    let (mut lessons, mut failed) = (0, None);
    let mut show = Show::new("pages read", false);
    // Lessons go to the learner one by one: one that counts as it goes keeps none of them.
    let all = corpora.iter().flat_map(|corpus| (0..corpus.len()).map(move |page| (corpus, page)));
    let taught = all.enumerate().map_while(|(done, (corpus, page))| {
        show.step(done as u64, 0, Some(done as f64 / pages.max(1) as f64));
        lesson(learner, corpus, page, args.labels).map_err(|error| failed = Some(error)).ok()
    });
    let taught = taught.flatten().inspect(|_| lessons += 1);
    let mut steps = Steps::default();
    let trained = learner.train(taught, args.seed, &mut |step| steps.show(step));
    if let Some(error) = failed {
        return Err(error);
    }
    let trained = trained.with_context(|| format!("no model can be made of {}", names(corpora)))?;
    let header = Header {
        method: L::Model::METHOD.to_owned(),
        version: L::Model::VERSION,
        corpus: corpus::digest(corpora)?,
        seed: args.seed,
        command: format!("tsrec-lab train {} {}{options} --seed {}", L::Model::METHOD, names(corpora), args.seed),
    };
    let file = wrap(trained).to_file(&header);
    whole_file::write(&args.out, &file)?;
    progress(&format!("{}: {} bytes, from {lessons} of {pages} pages\n", args.out.display(), file.len()));
    Ok(())
}

fn names(corpora: &[Corpus]) -> String {
    corpora.iter().map(Corpus::name).collect::<Vec<_>>().join(" ")
}
