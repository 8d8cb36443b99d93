//! `tsrec train METHOD DIR… --out MODEL`: a model from pages with gold, or with labels that the template diff made.

mod from_store;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::corpus::{self, Corpus};
use super::labels::Labels;
use super::training::{Trained, TrainingArgs};
use super::whole_file;
use crate::extract::Page;
use crate::extract::example::Example;
use crate::extract::learner::Learner;
use crate::extract::model::Model;
use crate::html::{self, Limits};
use crate::learn::model::{Header, Payload};
use crate::tsrec::build::tag_sequence;

/// Arguments of `tsrec train`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to train.
    #[arg(value_enum)]
    method: Trained,
    /// Sets of pages: folders that hold html/<id>.html, gold/<id>.txt and meta.jsonl.
    #[arg(required_unless_present = "from_store", value_name = "DIR")]
    sets: Vec<PathBuf>,
    #[command(flatten)]
    store: from_store::FromStore,
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
    let mut options = args.training.options(args.method)?;
    if args.store.from_store {
        ensure!(args.method == Trained::Mss, "--from-store makes a model of mss, and no other method's");
        ensure!(
            options.is_empty() && args.labels == Labels::Gold,
            "--from-store trains as the daemon does: leave other options out"
        );
        return from_store::run(&args.store, &args.out);
    }
    if args.labels == Labels::Template {
        options += " --labels template";
    }
    let corpora = args.sets.iter().map(|folder| Corpus::read(folder)).collect::<Result<Vec<_>>>()?;
    match args.method {
        Trained::Mss => train(&args.training.mss.training(), &options, args, &corpora, Model::Mss),
        Trained::Swarm => train(&args.training.swarm.training(), &options, args, &corpora, Model::Swarm),
        Trained::Crf => train(&args.training.crf.training()?, &options, args, &corpora, Model::Crf),
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
    wrap: fn(L::Model) -> Model,
) -> Result<()> {
    let pages: usize = corpora.iter().map(|corpus| corpus.entries.len()).sum();
    let (mut lessons, mut failed) = (0, None);
    // Lessons go to the learner one by one: one that counts as it goes keeps none of them.
    let all = corpora.iter().flat_map(|corpus| (0..corpus.entries.len()).map(move |page| (corpus, page)));
    let taught = all.enumerate().map_while(|(done, (corpus, page))| {
        progress(&format!("page {} of {pages}", done + 1));
        lesson(learner, corpus, page, args.labels).map_err(|error| failed = Some(error)).ok()
    });
    let taught = taught.flatten().inspect(|_| lessons += 1);
    let trained = learner.train(taught, args.seed, &mut progress);
    if let Some(error) = failed {
        return Err(error);
    }
    let trained = trained.with_context(|| format!("no model can be made of {}", names(corpora)))?;
    let header = Header {
        method: L::Model::METHOD.to_owned(),
        version: L::Model::VERSION,
        corpus: corpus::digest(corpora)?,
        seed: args.seed,
        command: format!("tsrec train {} {}{options} --seed {}", L::Model::METHOD, names(corpora), args.seed),
    };
    let file = wrap(trained).to_file(&header);
    whole_file::write(&args.out, &file)?;
    progress(&format!("{}: {} bytes, from {lessons} of {pages} pages\n", args.out.display(), file.len()));
    Ok(())
}

/// What a page of a set teaches.
pub(super) fn lesson<L: Learner>(
    learner: &L,
    corpus: &Corpus,
    index: usize,
    labels: Labels,
) -> Result<Option<L::Lesson>> {
    let entry = &corpus.entries[index];
    let document = html::parse(&entry.html()?, None, &Limits::default());
    let sequence = tag_sequence(&document);
    let page = Page { document: &document, sequence: &sequence };
    let Some(gold) = labels.of(corpus, index, &page)? else { return Ok(None) };
    Ok(learner.lesson(&Example { page, gold: &gold, site: entry.site.as_deref() }))
}

fn names(corpora: &[Corpus]) -> String {
    corpora.iter().map(|corpus| corpus.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Shows what is being done, on a line of standard error that the next one overwrites; where nobody watches, nothing but whole lines.
pub(super) fn progress(line: &str) {
    let mut err = std::io::stderr().lock();
    let shown = match (err.is_terminal(), line.ends_with('\n')) {
        (true, _) => write!(err, "\r\x1b[2Ktsrec: {line}"),
        (false, true) => write!(err, "tsrec: {line}"),
        (false, false) => Ok(()),
    };
    // Who cannot be told goes without.
    let _ = shown.and_then(|()| err.flush());
}
