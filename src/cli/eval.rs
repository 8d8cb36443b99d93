//! `tsrec eval DIR…`: extraction measured against gold text.

mod by_site;
mod folds;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::json;

use super::corpus::{Corpus, Entry};
use super::input::Input;
use super::methods::{MethodChoice, Options, Tool};
use super::train::MssArgs;
use super::viewer::{RenderArgs, View, Viewer};
use crate::block::segments::segments;
use crate::eval::score::{PageScore, SetScore, mean, score};
use crate::eval::segments::{self, PageSegments, SetSegments};
use crate::extract::{Extraction, Page, Sibling, report};
use crate::html::{Document, Limits};
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
    #[command(flatten)]
    options: Options,
    /// Train the method on these pages themselves, in so many parts: each is judged by a model of the others. No site is in two parts.
    #[arg(long, value_name = "N", conflicts_with_all = ["model", "hold_out"])]
    folds: Option<usize>,
    /// Train the method on these pages themselves, but for this share of them, which is judged. No site is in both.
    #[arg(long, value_name = "SHARE", conflicts_with = "model")]
    hold_out: Option<f64>,
    /// What --folds and --hold-out, and the training there, start from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    mss: MssArgs,
    /// Write each page's text to OUT/<name of DIR>/<id>.txt.
    #[arg(long, value_name = "OUT")]
    texts: Option<PathBuf>,
    /// Give the method no siblings to compare with.
    #[arg(long)]
    no_siblings: bool,
    /// Pair each page with pages of other sites instead, to see what the gates let through.
    #[arg(long, conflicts_with = "no_siblings")]
    strangers: bool,
    /// What to count.
    #[arg(long, value_enum, default_value_t = Counted::Words, conflicts_with = "by_site")]
    report: Counted,
    /// Print a row a site, and how many sites have a mean F1 over bags of words of 0.9 and more.
    #[arg(long, conflicts_with = "json")]
    by_site: bool,
    #[command(flatten)]
    render: RenderArgs,
    /// Print a JSON object a page, with its scores, method and gates, and one a set.
    #[arg(long)]
    json: bool,
}

/// What the table counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Counted {
    /// Words.
    Words,
    /// Text segments, lines of text as the page shows them: precision and recall of each page, and their means over the pages.
    Segments,
}

/// Siblings that are offered to a page, best first: as many as the crawl tries.
const SIBLINGS: usize = 3;

pub(super) fn run(args: &Args) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut has_header = args.json || args.by_site;
    let mut good = Vec::new();
    let corpora = read(&args.sets)?;
    let mut plan = Plan::new(args, &corpora)?;
    for (set, corpus) in corpora.iter().enumerate() {
        let outcomes = extract_all(args, corpus, set, &mut plan)?;
        if let Some(texts) = &args.texts {
            write_texts(texts, corpus, &outcomes)?;
        }
        let scores: Vec<PageScore> = outcomes.iter().filter_map(|outcome| outcome.score.clone()).collect();
        if scores.is_empty() && plan.parts.is_some() {
            continue; // all of it was learned from
        }
        anyhow::ensure!(!scores.is_empty(), "{}: no gold text with a word in it", corpus.name);
        let segments: Vec<PageSegments> = outcomes.iter().filter_map(|outcome| outcome.segments).collect();
        let means = Means { words: mean(&scores), segments: segments::mean(&segments) };
        match args.json {
            _ if args.by_site => good.extend(by_site::print(&mut out, corpus, &outcomes)?),
            true => print_json(&mut out, corpus, &outcomes, &means)?,
            false => {
                let row = args.report.row(&means);
                if !std::mem::replace(&mut has_header, true) {
                    let columns = row.iter().map(|(column, _)| format!("{column:>7}")).collect::<Vec<_>>().join(" ");
                    writeln!(out, "{:<18}{:>6}{:>6} {columns}", "dataset", "pages", "empty")?;
                }
                let values = row.iter().map(|(_, value)| format!("{value:>7.4}")).collect::<Vec<_>>().join(" ");
                let SetScore { pages, empty, .. } = means.words;
                writeln!(out, "{:<18}{pages:>6}{empty:>6} {values}", corpus.name)?;
            }
        }
    }
    if args.by_site {
        let count = good.iter().filter(|good| **good).count();
        writeln!(out, "{count} of {} sites with a mean bowF of {} and more", good.len(), by_site::GOOD)?;
    }
    Ok(())
}

/// The sets in these folders.
fn read(folders: &[PathBuf]) -> Result<Vec<Corpus>> {
    let mut corpora = Vec::new();
    for folder in folders {
        if folder.is_file() {
            // A glob over a folder of sets meets the notes beside them.
            writeln!(std::io::stderr(), "tsrec: {} is a file, not a set of pages: passed over", folder.display())?;
            continue;
        }
        corpora.push(Corpus::read(folder)?);
    }
    Ok(corpora)
}

/// Which tool judges which page.
struct Plan {
    tools: Vec<Tool>,
    /// The tool of each page; where there is none beyond the last tool, the page was only learned from. `None`: all by the one tool.
    parts: Option<folds::Parts>,
}

impl Plan {
    fn new(args: &Args, corpora: &[Corpus]) -> Result<Self> {
        let (parts, held) = match (args.folds, args.hold_out) {
            (Some(folds), _) => (folds::into_folds(corpora, folds, args.seed)?, folds),
            (_, Some(share)) => (folds::hold_out(corpora, share, args.seed)?, 1),
            _ => return Ok(Plan { tools: vec![Tool::new(args.method, &args.options)?], parts: None }),
        };
        let models = folds::models(args.method, &args.mss, corpora, &parts, held, args.seed)?;
        let tools = models.into_iter().map(|model| Tool::with_model(args.method, &args.options, Some(model))).collect();
        Ok(Plan { tools, parts: Some(parts) })
    }

    fn tool(&self, set: usize, page: usize) -> Option<&Tool> {
        self.tools.get(self.parts.as_ref().map_or(0, |parts| parts[set][page]))
    }
}

/// What came of one page.
struct Outcome {
    text: String,
    /// `None` when the method needs a sibling and the page has none, or when the page was only learned from.
    extraction: Option<Extraction>,
    /// `None` without gold, and of a page that was only learned from.
    score: Option<PageScore>,
    /// With `--report segments` alone.
    segments: Option<PageSegments>,
}

/// Extracts every page, on as many threads as there are processors.
fn extract_all(args: &Args, corpus: &Corpus, set: usize, plan: &mut Plan) -> Result<Vec<Outcome>> {
    let views = view_all(args, corpus)?;
    let documents: Vec<&Document> = views.iter().map(|view| &view.document).collect();
    let sources: Vec<Vec<&Document>> =
        corpus.sites().into_iter().map(|pages| pages.into_iter().map(|page| documents[page]).collect()).collect();
    plan.tools.iter_mut().for_each(|tool| tool.learn(&sources));
    let sequences: Vec<TagSequence<'_>> = documents.iter().copied().map(tag_sequence).collect();
    let numbers: Vec<usize> = (0..corpus.entries.len()).collect();
    let outcomes = in_parallel(&numbers, |&index| {
        let Some(tool) = plan.tool(set, index) else {
            return Ok(Outcome { text: String::new(), extraction: None, score: None, segments: None });
        };
        let siblings = match (args.no_siblings, args.strangers) {
            (true, _) => Vec::new(),
            (_, true) => corpus.strangers(index, SIBLINGS),
            _ => corpus.siblings(index, SIBLINGS),
        };
        let siblings = siblings
            .into_iter()
            .map(|other| Sibling { name: corpus.entries[other].id.clone(), sequence: &sequences[other] })
            .collect();
        let page = Page { document: documents[index], sequence: &sequences[index] };
        let styles = views[index].styles.as_ref();
        let extraction = tool.extractor(siblings, styles).map(|extractor| extractor.extract(&page));
        let text = extraction.as_ref().map(|e| render::text::text(page.document, &e.content)).unwrap_or_default();
        let segments = match (args.report, &extraction) {
            (Counted::Segments, Some(extraction)) => {
                let segments = match styles {
                    Some(styles) => segments(page.document, styles),
                    None => segments(page.document, &args.options.styles.of(page.document)),
                };
                let gold = corpus.entries[index].gold(page.document)?;
                segments::score(page.document, &segments, &gold, &extraction.content)
            }
            _ => None,
        };
        Ok(Outcome { score: score(&corpus.entries[index].gold_text()?, &text), text, extraction, segments })
    });
    outcomes.into_iter().collect()
}

/// Parses or renders every page. One that cannot be rendered is parsed instead, and named.
fn view_all(args: &Args, corpus: &Corpus) -> Result<Vec<View>> {
    let view = |viewer: &mut Result<Viewer>, entry: &Entry| {
        let viewer = viewer.as_mut().map_err(|error| anyhow::anyhow!("{error:#}"))?;
        let page = Input { name: entry.id.clone(), bytes: entry.html()?, charset: None, url: None };
        viewer.view(&page, &Limits::default()).or_else(|error| {
            writeln!(std::io::stderr(), "tsrec: {}: {error:#}; parsed instead", corpus.name)?;
            Viewer::Parser.view(&page, &Limits::default())
        })
    };
    in_parallel_with(&corpus.entries, || Viewer::new(&args.render), view).into_iter().collect()
}

fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parallel_with(items, || (), |(), item| work(item))
}

/// Does the work on as many threads as there are processors, each with a tool that it makes for itself.
fn in_parallel_with<T: Sync, W, R: Send>(
    items: &[T],
    make: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(threads).max(1);
    let work_on = |chunk: &[T]| -> Vec<R> {
        let mut tool = make();
        chunk.iter().map(|item| work(&mut tool, item)).collect()
    };
    std::thread::scope(|scope| {
        let work_on = &work_on;
        let running: Vec<_> = items.chunks(share).map(|chunk| scope.spawn(move || work_on(chunk))).collect();
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

/// The means over a set.
struct Means {
    words: SetScore,
    /// Of no pages, where segments were not counted.
    segments: SetSegments,
}

impl Counted {
    /// The columns of the table, with their values.
    fn row(self, Means { words, segments }: &Means) -> Vec<(&'static str, f64)> {
        match self {
            Counted::Words => vec![
                ("bowP", words.bow_precision),
                ("bowR", words.bow_recall),
                ("bowF", words.bow_f1),
                ("rougeL", words.rouge_l),
                ("CE", words.cleaneval),
                ("shF1", words.shingle_f1),
                ("acc", words.accuracy),
                ("cosine", words.cosine),
            ],
            Counted::Segments => {
                vec![("segP", segments.precision), ("segR", segments.recall), ("bowF", words.bow_f1)]
            }
        }
    }
}

fn print_json(out: &mut impl Write, corpus: &Corpus, outcomes: &[Outcome], means: &Means) -> Result<()> {
    for (entry, outcome) in corpus.entries.iter().zip(outcomes) {
        let extraction = outcome.extraction.as_ref();
        let line = json!({
            "dataset": corpus.name,
            "id": entry.id,
            "site": entry.site,
            "scores": outcome.score,
            "segments": outcome.segments,
            "method": extraction.map(|e| e.method),
            "sibling": extraction.and_then(Extraction::sibling),
            "confidence": extraction.map(|e| e.confidence),
            "gates": extraction.map(|e| report::gates(&e.attempts)),
        });
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", json!({ "dataset": corpus.name, "mean": means.words, "segments": means.segments }))?;
    Ok(())
}
