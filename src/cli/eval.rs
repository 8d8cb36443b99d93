//! `tsrec eval DIR…`: extraction measured against gold text.

mod by_site;
mod curves;
mod features;
mod folds;
mod lines;
mod markup;
mod report;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::json;

use self::report::Report;
use super::corpus::{Corpus, Entry};
use super::input::Input;
use super::labels::Labels;
use super::methods::Options;
use super::training::TrainingArgs;
use super::viewer::{RenderArgs, View, Viewer};
use crate::block::segments::segments;
use crate::eval::score::{PageScore, SetScore, mean, score};
use crate::eval::segments::{self, PageSegments};
use crate::extract::mss::article::Judgement;
use crate::extract::registry::{Choice, Tool};
use crate::extract::{Extraction, Page, Sibling};
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
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    method: Choice,
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
    training: TrainingArgs,
    /// Who says what is content on the pages that --folds and --hold-out train on. Judged is by gold.
    #[arg(long, value_enum, default_value_t)]
    labels: Labels,
    /// What to measure in place of the text alone.
    #[arg(long, value_enum, conflicts_with_all = ["json", "by_site"], value_name = "WHAT")]
    report: Option<Report>,
    /// Write each page's text to OUT/<name of DIR>/<id>.txt.
    #[arg(long, value_name = "OUT")]
    texts: Option<PathBuf>,
    /// Give the method no siblings to compare with.
    #[arg(long)]
    no_siblings: bool,
    /// Pair each page with pages of other sites instead, to see what the gates let through.
    #[arg(long, conflicts_with = "no_siblings")]
    strangers: bool,
    /// Print a row a site, and how many sites have a mean F1 over bags of words of 0.9 and more.
    #[arg(long, conflicts_with = "json")]
    by_site: bool,
    /// For --report sources: a set of pages whose sites are learned from; may be given several times.
    #[arg(long, value_name = "DIR", requires = "report")]
    train: Vec<PathBuf>,
    /// Judge only pages whose gold is an article: two paragraphs, eight sentences, mostly prose (Pasternack, Roth 2009, section 4.1).
    #[arg(long)]
    articles: bool,
    #[command(flatten)]
    render: RenderArgs,
    /// Print a JSON object a page, with its scores, method and gates, and one a set.
    #[arg(long)]
    json: bool,
}

/// Siblings that are offered to a page, best first: as many as the crawl tries.
const SIBLINGS: usize = 3;

pub(super) fn run(args: &Args) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut has_header = args.json || args.by_site;
    let mut good = Vec::new();
    let corpora = read(&args.sets)?;
    if let Some(report) = args.report.filter(|report| !report.needs_extraction()) {
        return report.print(&mut out, args, &corpora);
    }
    anyhow::ensure!(
        args.folds.is_some() || args.hold_out.is_some() || args.training.are_usual(),
        "options of training go with --folds or --hold-out: nothing is trained here"
    );
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
        if let Some(report) = args.report {
            report.print_set(&mut out, &corpus.name, &outcomes, std::mem::replace(&mut has_header, true))?;
            continue;
        }
        match args.json {
            _ if args.by_site => good.extend(by_site::print(&mut out, corpus, &outcomes)?),
            true => print_json(&mut out, corpus, &outcomes, &mean(&scores))?,
            false => {
                if !std::mem::replace(&mut has_header, true) {
                    let columns = COLUMNS.map(|column| format!("{column:>7}")).join(" ");
                    writeln!(out, "{:<18}{:>6}{:>6} {columns}", "dataset", "pages", "empty")?;
                }
                print_row(&mut out, &corpus.name, &mean(&scores))?;
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
            _ => return Ok(Plan { tools: vec![args.options.tool(args.method)?], parts: None }),
        };
        let models = folds::models(args.method, &args.training, corpora, &parts, held, args.seed, args.labels)?;
        let options = args.options.check(args.method)?;
        let tools = models.into_iter().map(|models| Ok(Tool::new(args.method, &options, models)?));
        let tools = tools.collect::<Result<_>>()?;
        Ok(Plan { tools, parts: Some(parts) })
    }

    fn tool(&self, set: usize, page: usize) -> Option<&Tool> {
        self.tools.get(self.parts.as_ref().map_or(0, |parts| parts[set][page]))
    }
}

/// What came of one page.
#[derive(Default)]
struct Outcome {
    text: String,
    /// `None` when the method needs a sibling and the page has none, or when the page was only learned from or is not to be judged.
    extraction: Option<Extraction>,
    /// `None` without gold, and of a page that was only learned from or is not to be judged.
    score: Option<PageScore>,
    /// `None` as above, and where it was not asked for.
    markup: Option<markup::PageMarkup>,
    /// `None` as above, and where it was not asked for.
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
            return Ok(Outcome::default());
        };
        if args.articles && !is_article(&corpus.entries[index], documents[index])? {
            return Ok(Outcome::default());
        }
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
        let gold = match &extraction {
            Some(_) if args.report.is_some() => Some(corpus.entries[index].gold(page.document)?),
            _ => None,
        };
        let mut outcome =
            Outcome { score: score(&corpus.entries[index].gold_text()?, &text), text, ..Outcome::default() };
        match (args.report, &extraction, gold) {
            (Some(Report::Markup), Some(extraction), Some(gold)) => {
                outcome.markup = Some(markup::judge(&corpus.entries[index], page.document, extraction, &gold));
            }
            (Some(Report::Segments), Some(extraction), Some(gold)) => {
                let segments = match styles {
                    Some(styles) => segments(page.document, styles),
                    None => segments(page.document, &args.options.looks().of(page.document)),
                };
                outcome.segments = segments::score(page.document, &segments, &gold, &extraction.content);
            }
            _ => {}
        }
        Ok(Outcome { extraction, ..outcome })
    });
    outcomes.into_iter().collect()
}

/// True when what a person marked on the page is an article.
fn is_article(entry: &Entry, document: &Document) -> Result<bool> {
    Ok(Judgement::of(document, &entry.gold(document)?.content()).is_article())
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
            "gates": extraction.map(|e| crate::extract::report::gates(&e.attempts)),
        });
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", json!({ "dataset": corpus.name, "mean": set }))?;
    Ok(())
}
