//! `tsrec eval DIR…`: extraction measured against gold text.

mod corpus;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::json;

use self::corpus::{Corpus, Entry};
use super::extract::MethodChoice;
use crate::eval::score::{PageScore, SetScore, mean, score};
use crate::extract::{Extraction, Page, Sibling, report};
use crate::html::{self, Document, Limits};
use crate::render;
use crate::tsrec::TagSequence;
use crate::tsrec::build::tag_sequence;

/// Arguments of `tsrec eval`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Sets of pages: folders that hold html/<id>.html, gold/<id>.txt and meta.jsonl.
    #[arg(required = true, value_name = "DIR")]
    sets: Vec<PathBuf>,
    /// How to find the content.
    #[arg(long, value_enum, default_value_t = MethodChoice::Auto)]
    method: MethodChoice,
    /// Write each page's text to OUT/<name of DIR>/<id>.txt.
    #[arg(long, value_name = "OUT")]
    texts: Option<PathBuf>,
    /// Give the method no siblings to compare with.
    #[arg(long)]
    no_siblings: bool,
    /// Pair each page with pages of other sites instead, to see what the gates let through.
    #[arg(long, conflicts_with = "no_siblings")]
    strangers: bool,
    /// Print a JSON object a page, with its scores, method and gates, and one a set.
    #[arg(long)]
    json: bool,
}

/// Siblings that are offered to a page, best first: as many as the crawl tries.
const SIBLINGS: usize = 3;

pub(super) fn run(args: &Args) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut has_header = args.json;
    for folder in &args.sets {
        if folder.is_file() {
            // A glob over a folder of sets meets the notes beside them.
            writeln!(std::io::stderr(), "tsrec: {} is a file, not a set of pages: passed over", folder.display())?;
            continue;
        }
        let corpus = Corpus::read(folder)?;
        let outcomes = extract_all(args, &corpus);
        if let Some(texts) = &args.texts {
            write_texts(texts, &corpus, &outcomes)?;
        }
        let scores: Vec<PageScore> = outcomes.iter().filter_map(|outcome| outcome.score.clone()).collect();
        anyhow::ensure!(!scores.is_empty(), "{}: no gold text with a word in it", folder.display());
        match args.json {
            true => print_json(&mut out, &corpus, &outcomes, &mean(&scores))?,
            false => {
                if !std::mem::replace(&mut has_header, true) {
                    let columns = COLUMNS.map(|column| format!("{column:>7}")).join(" ");
                    writeln!(out, "{:<18}{:>6}{:>6} {columns}", "dataset", "pages", "empty")?;
                }
                print_row(&mut out, &corpus.name, &mean(&scores))?;
            }
        }
    }
    Ok(())
}

/// What came of one page.
struct Outcome {
    text: String,
    /// `None` when the method needs a sibling and the page has none.
    extraction: Option<Extraction>,
    score: Option<PageScore>,
}

/// Extracts every page, on as many threads as there are processors.
fn extract_all(args: &Args, corpus: &Corpus) -> Vec<Outcome> {
    let documents: Vec<Document> =
        in_parallel(&corpus.entries, |entry| html::parse(&entry.html, None, &Limits::default()));
    let sequences: Vec<TagSequence<'_>> = documents.iter().map(tag_sequence).collect();
    let numbers: Vec<usize> = (0..corpus.entries.len()).collect();
    in_parallel(&numbers, |&index| {
        let siblings = match (args.no_siblings, args.strangers) {
            (true, _) => Vec::new(),
            (_, true) => corpus.strangers(index, SIBLINGS),
            _ => corpus.siblings(index, SIBLINGS),
        };
        let siblings = siblings
            .into_iter()
            .map(|other| Sibling { name: corpus.entries[other].id.clone(), sequence: &sequences[other] })
            .collect();
        let page = Page { document: &documents[index], sequence: &sequences[index] };
        let extraction = args.method.extract(&page, siblings);
        let text = extraction.as_ref().map(|e| render::text::text(page.document, &e.content)).unwrap_or_default();
        Outcome { score: score(&corpus.entries[index].gold, &text), text, extraction }
    })
}

fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> =
            items.chunks(share).map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>())).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("extraction does not panic")).collect()
    })
}

fn write_texts(texts: &std::path::Path, corpus: &Corpus, outcomes: &[Outcome]) -> Result<()> {
    let folder = texts.join(&corpus.name);
    std::fs::create_dir_all(&folder).with_context(|| format!("folder {} cannot be made", folder.display()))?;
    for (Entry { id, .. }, outcome) in corpus.entries.iter().zip(outcomes) {
        let file = folder.join(format!("{id}.txt"));
        std::fs::write(&file, &outcome.text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(())
}

const COLUMNS: [&str; 8] = ["bowP", "bowR", "bowF", "rougeL", "CE", "shF1", "acc", "cosine"];

fn print_row(out: &mut impl Write, name: &str, set: &SetScore) -> Result<()> {
    let values = [
        set.bow_precision,
        set.bow_recall,
        set.bow_f1,
        set.rouge_l,
        set.cleaneval,
        set.shingle_f1,
        set.accuracy,
        set.cosine,
    ];
    writeln!(out, "{name:<18}{:>6}{:>6} {}", set.pages, set.empty, values.map(|v| format!("{v:>7.4}")).join(" "))?;
    Ok(())
}

fn print_json(out: &mut impl Write, corpus: &Corpus, outcomes: &[Outcome], set: &SetScore) -> Result<()> {
    for (entry, outcome) in corpus.entries.iter().zip(outcomes) {
        let extraction = outcome.extraction.as_ref();
        let line = json!({
            "dataset": corpus.name,
            "id": entry.id,
            "site": entry.site,
            "scores": outcome.score,
            "method": extraction.map(|e| e.method),
            "sibling": extraction.and_then(Extraction::sibling),
            "confidence": extraction.map(|e| e.confidence),
            "gates": extraction.map(|e| report::gates(&e.attempts)),
        });
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", json!({ "dataset": corpus.name, "mean": set }))?;
    Ok(())
}
