//! `tsrec-lab train METHOD DIR… --out MODEL`: trains a model on pages with gold, or with labels
//! from the template diff.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::corpus::{self, Corpus};
use super::labels::{Labels, lesson};
use super::sets::SetArgs;
use super::training::{TrainedMethod, TrainingArgs};
use tsrec_core::extract::learner::Learner;
use tsrec_core::learn::model::{Header, Payload};
use tsrec_papers::model::AnyModel;
use tsrec_terminal::parallel::in_parallel;
use tsrec_terminal::progress::progress;
use tsrec_terminal::show::{Show, Steps};
use tsrec_terminal::whole_file;

/// Arguments of `tsrec-lab train`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The method to train.
    #[arg(value_enum)]
    method: TrainedMethod,
    /// Sets of pages: folders with html/<id>.html (or .html.gz), gold/<id>.txt and meta.jsonl.
    #[arg(required = true, value_name = "DIR")]
    sets: Vec<PathBuf>,
    #[command(flatten)]
    said: SetArgs,
    /// Where the labels of those pages come from.
    #[arg(long, value_enum, default_value_t)]
    labels: Labels,
    /// Where to write the model.
    #[arg(long, value_name = "MODEL")]
    out: PathBuf,
    /// The seed of random choices. The same seed and pages make the same file, to the byte.
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
        TrainedMethod::Swarm => train(&args.training.swarm.training()?, &options, args, &corpora, AnyModel::Swarm),
        TrainedMethod::Crf => train(&args.training.crf.training()?, &options, args, &corpora, AnyModel::Crf),
        TrainedMethod::Blocks => train(&args.training.blocks.training()?, &options, args, &corpora, |model| {
            AnyModel::Blocks(Box::new(model))
        }),
    }
}

/// The number of pages that are read together. Judgement: no processor waits long for the others.
const READ_TOGETHER: usize = 256;

/// Trains, and writes the model.
///
/// `options` are the given options of the method, for the header, each with a space before it.
fn train<L: Learner>(
    learner: &L,
    options: &str,
    args: &Args,
    corpora: &[Corpus],
    wrap: fn(L::Model) -> AnyModel,
) -> Result<()> {
    let (mut lessons, mut failed) = (0, None);
    let mut show = Show::new("pages read", false);
    let all: Vec<(&Corpus, usize)> =
        corpora.iter().flat_map(|corpus| (0..corpus.len()).map(move |page| (corpus, page))).collect();
    // The learner gets few lessons at a time: a learner that only counts keeps none of them.
    let read = all.chunks(READ_TOGETHER).enumerate().map_while(|(chunk, pages)| {
        let done = chunk * READ_TOGETHER;
        show.step(done as u64, 0, Some(done as f64 / all.len() as f64));
        let read = in_parallel(pages, |&(corpus, page)| lesson(learner, corpus, page, args.labels));
        read.into_iter().collect::<Result<Vec<_>>>().map_err(|error| failed = Some(error)).ok()
    });
    let taught = read.flatten().flatten().inspect(|_| lessons += 1);
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
    progress(&format!("{}: {} bytes, from {lessons} of {} pages\n", args.out.display(), file.len(), all.len()));
    Ok(())
}

fn names(corpora: &[Corpus]) -> String {
    corpora.iter().map(Corpus::name).collect::<Vec<_>>().join(" ")
}
