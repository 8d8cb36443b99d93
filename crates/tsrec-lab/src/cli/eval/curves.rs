//! Curves of the MSS family: F1 over bags of words, by a setting or by the amount of training data
//! (Pasternack, Roth 2009, section 6.2.2 and figure 2).

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::args::{Args, EvalReport};
use crate::cli::corpus::{Corpus, SetPage};
use crate::cli::labels::lesson;
use crate::cli::sets::SetArgs;
use crate::eval::score::score;
use tsrec_core::extract::learner::Learner;
use tsrec_core::extract::mss::Mss;
use tsrec_core::extract::{Extract, Extractor};
use tsrec_core::html;
use tsrec_core::html::{Document, Limits};
use tsrec_papers::mss::supervised::Supervised;
use tsrec_papers::mss::train::MssLesson;
use tsrec_terminal::parallel::in_parallel;
use tsrec_terminal::progress::progress;

/// The tag scores from lowest to highest, in quarters of a point.
const TAG_SCORES: std::ops::RangeInclusive<i32> = -24..=-4;
/// The number of draws for each number of sites. Judgement: the paper takes every subset of its
/// twelve sites.
const DRAWINGS: usize = 5;

/// Prints a curve.
pub(super) fn print(out: &mut impl Write, report: EvalReport, args: &Args, corpora: &[Corpus]) -> Result<()> {
    let sets = corpora.iter().map(CurvePages::parse).collect::<Result<Vec<_>>>()?;
    match report {
        EvalReport::TagScores => tag_scores(out, &sets),
        _ => sources(out, args, &sets),
    }
}

fn tag_scores(out: &mut impl Write, sets: &[CurvePages]) -> Result<()> {
    header(out, "tag score", sets)?;
    for quarters in TAG_SCORES {
        let extractor = Mss { tag_score: f64::from(quarters) / 4.0, ..Mss::default() };
        let row: Vec<f64> = sets.iter().map(|set| set.mean_f1(&extractor)).collect();
        print_row(out, &format!("{:.2}", extractor.tag_score), &row)?;
    }
    Ok(())
}

fn sources(out: &mut impl Write, args: &Args, sets: &[CurvePages]) -> Result<()> {
    ensure!(
        !args.train.is_empty(),
        "--report sources needs pages to learn from: name sets of other sites with --train"
    );
    let lessons = lessons_by_site(args)?;
    let training = args.training.mss.training();
    header(out, "sites pages", sets)?;
    let doubled = std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|&count| count < lessons.len());
    for count in doubled.chain([lessons.len()]) {
        let drawings = if count == lessons.len() { 1 } else { DRAWINGS };
        let (mut pages, mut means) = (0, vec![0.0; sets.len()]);
        for drawing in 0..drawings {
            progress(&format!("{count} sites, drawing {} of {drawings}", drawing + 1));
            let drawn: Vec<&MssLesson> = draw(&lessons, count, args.seed, drawing).into_iter().flatten().collect();
            pages += drawn.len();
            let model = training.train(drawn.into_iter(), args.seed, &mut |_| ());
            // One or two sites may have no page to learn from. Then nothing is found.
            let Ok(model) = model else { continue };
            for (mean, set) in means.iter_mut().zip(sets) {
                *mean += set.mean_f1(&Supervised::new(model.clone())) / drawings as f64;
            }
        }
        print_row(out, &format!("{count:>5} {:>5}", pages / drawings), &means)?;
    }
    Ok(())
}

/// The lessons of each training site, by the site's name.
fn lessons_by_site(args: &Args) -> Result<BTreeMap<String, Vec<MssLesson>>> {
    let mut lessons: BTreeMap<String, Vec<MssLesson>> = BTreeMap::new();
    let training = args.training.mss.training();
    for corpus in SetArgs::default().read(&args.train)? {
        let pages: Vec<usize> = (0..corpus.len()).collect();
        let found = in_parallel(&pages, |&page| lesson(&training, &corpus, page, args.labels));
        for (page, found) in found.into_iter().enumerate() {
            lessons.entry(corpus.set.site_of(page)).or_default().extend(found?);
        }
    }
    lessons.retain(|_, pages| !pages.is_empty());
    Ok(lessons)
}

/// Draws sites without replacement: those with the smallest hashes of their name, the seed and the
/// number of the draw.
fn draw(lessons: &BTreeMap<String, Vec<MssLesson>>, count: usize, seed: u64, drawing: usize) -> Vec<&Vec<MssLesson>> {
    let order = |site: &String| {
        Sha256::new().chain_update([seed, drawing as u64].map(u64::to_le_bytes).concat()).chain_update(site).finalize()
    };
    let mut sites: Vec<_> = lessons.iter().collect();
    sites.sort_by_cached_key(|(site, _)| order(site).to_vec());
    sites.into_iter().take(count).map(|(_, pages)| pages).collect()
}

/// The pages of a set, parsed once for a whole curve.
struct CurvePages<'c> {
    corpus: &'c Corpus,
    /// With their gold text.
    pages: Vec<(Document, String)>,
}

impl<'c> CurvePages<'c> {
    fn parse(corpus: &'c Corpus) -> Result<Self> {
        let read = |entry: &SetPage<'_>| {
            let Some(gold) = entry.gold_text()? else { return Ok(None) };
            Ok(Some((html::parse(&entry.html()?, None, &Limits::default()), gold)))
        };
        let entries: Vec<SetPage<'_>> = corpus.entries().collect();
        let pages = in_parallel(&entries, read).into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>>>();
        Ok(CurvePages { corpus, pages: pages.with_context(|| format!("{} cannot be read", corpus.name()))? })
    }

    /// The mean over the pages with a word in their gold.
    fn mean_f1(&self, extractor: &impl Extractor) -> f64 {
        let scores = in_parallel(&self.pages, |(document, gold)| {
            let found = Extract::new(document).method(extractor).run().expect("it needs no sibling");
            score(gold, &found.text()).map(|score| score.bow_f1)
        });
        let scores: Vec<f64> = scores.into_iter().flatten().collect();
        scores.iter().sum::<f64>() / scores.len().max(1) as f64
    }
}

fn header(out: &mut impl Write, first: &str, sets: &[CurvePages]) -> Result<()> {
    write!(out, "{first:>11}")?;
    for set in sets {
        write!(out, " {:>15}", set.corpus.name())?;
    }
    Ok(writeln!(out)?)
}

fn print_row(out: &mut impl Write, first: &str, values: &[f64]) -> Result<()> {
    write!(out, "{first:>11}")?;
    for value in values {
        write!(out, " {value:>15.4}")?;
    }
    Ok(writeln!(out)?)
}
