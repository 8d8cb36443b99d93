//! Extracts and judges every page of a set.

use anyhow::Result;

use super::args::{Args, EvalReport};
use super::markup::{self, PageMarkup};
use super::metadata::PageMetadata;
use super::plan::Plan;
use super::sites::{EvalSubject, over_pages, view_all};
use super::snippets;
use crate::cli::corpus::Corpus;
use crate::eval::judged::Judged;
use crate::eval::mistakes::{Mistakes, mistakes};
use crate::eval::segments;
use crate::eval::segments::PageSegments;
use crate::eval::wcxb::Snippets;
use tsrec_core::extract::{Extract, Extracted, Extraction, Extractor, beside};
use tsrec_core::html::Document;
use tsrec_core::metadata::Stated;
use tsrec_core::page::Gold;
use tsrec_core::words::pieces;
use tsrec_papers::block::segments::segments;
use tsrec_papers::mss::article::ArticleJudgement;

/// The result for one page.
pub(super) struct PageOutcome {
    pub(super) judged: Judged,
    pub(super) text: String,
    /// `None` without gold or extraction, or if it was not requested.
    pub(super) markup: Option<PageMarkup>,
    /// As above, and `None` if the gold has no segment.
    pub(super) segments: Option<PageSegments>,
    /// `None` if there is no such gold, or if it was not requested.
    pub(super) metadata: Option<PageMetadata>,
    /// Snippets in the Markdown. `None` if the set has none for the page, or if they were not
    /// requested.
    pub(super) snippets: Option<Snippets>,
    /// `None` without gold or extraction, or if it was not requested.
    pub(super) mistakes: Option<Mistakes>,
}

/// The number of places to name for a page with mistakes.
const PLACES: usize = 5;

/// Extracts and judges the pages of a set, except those that were only for training or are not to
/// be judged.
pub(super) fn judge_all(args: &Args, corpus: &Corpus, set: usize, plan: &mut Plan) -> Result<Vec<PageOutcome>> {
    learn(args, corpus, plan)?;
    let plan = &*plan;
    let is_wanted = |page| plan.extractor(set, page).is_some();
    let outcomes = over_pages(args, corpus, is_wanted, |subject| match plan.extractor(set, subject.index) {
        Some(extractor) => judge(args, extractor, subject),
        None => Ok(None),
    })?;
    Ok(outcomes.into_iter().filter_map(|(_, outcome)| outcome).collect())
}

/// Shows the pages of a set to the extractors that need all pages before they judge the first.
pub(super) fn learn(args: &Args, corpus: &Corpus, plan: &mut Plan) -> Result<()> {
    if plan.learns() {
        let documents = view_all(args, corpus)?;
        let sites = corpus.set.sites();
        let sources: Vec<Vec<&Document>> =
            sites.iter().map(|pages| pages.iter().map(|&page| &documents[page]).collect()).collect();
        plan.learn(&sources);
    }
    Ok(())
}

/// Extracts and judges a page. `None` for a page that is not to be judged.
fn judge(args: &Args, extractor: &dyn Extractor, subject: &EvalSubject<'_>) -> Result<Option<PageOutcome>> {
    let (entry, document) = (subject.entry(), subject.page().document());
    let needs_gold =
        args.articles || args.worst.is_some() || args.html.is_some() || args.report.is_some_and(EvalReport::needs_gold);
    let gold = if needs_gold { entry.gold(document)? } else { None };
    if args.articles && !gold.as_ref().is_some_and(|gold| is_article(document, gold)) {
        return Ok(None);
    }
    let JudgedExtraction { mut outcome, found, gold_words } = match args.report {
        Some(EvalReport::Aligned) => read_back(subject, gold.as_ref())?,
        _ => extract(args, extractor, subject, args.siblings)?,
    };
    if let (Some(extraction), Some(gold)) = (found.as_ref().map(Extracted::extraction), &gold) {
        if args.worst.is_some() || args.html.is_some() {
            outcome.mistakes = Some(mistakes(document, gold, gold_words, &extraction.content, PLACES));
        }
        match args.report {
            Some(EvalReport::Markup) => {
                outcome.markup = Some(markup::judge(entry.info.markup.as_deref(), document, extraction, gold));
            }
            Some(EvalReport::Segments) => outcome.segments = judge_segments(args, subject, extraction, gold),
            _ => {}
        }
    }
    if args.report == Some(EvalReport::Markdown) {
        outcome.snippets = found.as_ref().and_then(|found| snippets::judge(subject, found));
    }
    if args.report == Some(EvalReport::Metadata) {
        let described = match &found {
            Some(found) => found.described().clone(),
            None => beside::metadata(subject.page(), None, &Stated::default()),
        };
        outcome.metadata = PageMetadata::new(entry.info, described);
    }
    Ok(Some(outcome))
}

/// A judged page, with the data of its judgement.
pub(super) struct JudgedExtraction<'s> {
    pub(super) outcome: PageOutcome,
    /// `None` if the method needs a sibling and the page has none.
    found: Option<Extracted<'s>>,
    /// The number of words of the gold text, as alignment counts them.
    gold_words: usize,
}

/// Extracts a page with at most `siblings` siblings, of which the first few were taught, and judges
/// its text.
pub(super) fn extract<'s>(
    args: &Args,
    extractor: &dyn Extractor,
    subject: &EvalSubject<'s>,
    siblings: usize,
) -> Result<JudgedExtraction<'s>> {
    let siblings = subject.siblings(siblings, args.taught, extractor)?;
    let request = siblings.into_iter().fold(Extract::new(subject.page()), Extract::against);
    let request = match args.options.for_rendered(args.method, subject.styles()) {
        Some(segments) => request.method(segments),
        None => request.method(extractor),
    };
    let found = request.run().ok();
    let text = found.as_ref().map(Extracted::text).unwrap_or_default();
    judge_text(subject, found, text)
}

/// Uses the gold's words on the page as if they were an extraction.
fn read_back<'s>(subject: &EvalSubject<'s>, gold: Option<&Gold>) -> Result<JudgedExtraction<'s>> {
    let document = subject.page().document();
    let kept = gold.into_iter().flat_map(|gold| gold.words.iter().chain(&gold.hidden)).filter(|word| word.kept);
    let (mut text, mut last) = (String::new(), None);
    for word in kept {
        // Each ideograph is a word, and they stay together where the page has them together.
        if last != Some((word.node, word.range.start)) {
            text.push(' ');
        }
        text.push_str(document.text(word.node).and_then(|text| text.get(word.range.clone())).unwrap_or_default());
        last = Some((word.node, word.range.end));
    }
    judge_text(subject, None, text)
}

fn judge_text<'s>(
    subject: &EvalSubject<'s>,
    found: Option<Extracted<'s>>,
    text: String,
) -> Result<JudgedExtraction<'s>> {
    let entry = subject.entry();
    let gold = entry.gold_text()?;
    let extraction = found.as_ref().map(Extracted::extraction);
    let judged = Judged::new(subject.corpus.name(), entry.info, gold.as_deref(), extraction, &text);
    let gold_words = gold.as_deref().map_or(0, |gold| pieces(gold).count());
    let outcome =
        PageOutcome { judged, text, markup: None, segments: None, metadata: None, snippets: None, mistakes: None };
    Ok(JudgedExtraction { outcome, found, gold_words })
}

fn judge_segments(
    args: &Args,
    subject: &EvalSubject<'_>,
    extraction: &Extraction,
    gold: &Gold,
) -> Option<PageSegments> {
    let document = subject.page().document();
    let segments = match subject.styles() {
        Some(styles) => segments(document, styles),
        None => segments(document, &args.options.looks().styles(document)),
    };
    segments::score(document, &segments, gold, &extraction.content)
}

/// True if the content that a person marked on the page is an article.
fn is_article(document: &Document, gold: &Gold) -> bool {
    ArticleJudgement::new(document, &gold.content()).is_article()
}
