//! Every page of a set extracted and judged.

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
use tsrec_core::extract::{Extraction, beside};
use tsrec_core::html::Document;
use tsrec_core::page::Gold;
use tsrec_core::render;
use tsrec_core::words::words;
use tsrec_papers::block::segments::segments;
use tsrec_papers::mss::article::ArticleJudgement;
use tsrec_papers::registry::Tool;

/// What came of one page.
pub(super) struct PageOutcome {
    pub(super) judged: Judged,
    pub(super) text: String,
    /// `None` without gold or extraction, and where it was not asked for.
    pub(super) markup: Option<PageMarkup>,
    /// As above, and where the gold has no segment.
    pub(super) segments: Option<PageSegments>,
    /// `None` where gold has none, and where it was not asked for.
    pub(super) metadata: Option<PageMetadata>,
    /// Snippets in the Markdown. `None` where the set has none for the page, and where they were
    /// not asked for.
    pub(super) snippets: Option<Snippets>,
    /// `None` without gold or extraction, and where it was not asked for.
    pub(super) mistakes: Option<Mistakes>,
}

/// Places that are named of a page with mistakes.
const PLACES: usize = 5;

/// Extracts and judges the pages of a set, but for those that were only learned from or are not to
/// be judged.
pub(super) fn judge_all(args: &Args, corpus: &Corpus, set: usize, plan: &mut Plan) -> Result<Vec<PageOutcome>> {
    learn(args, corpus, plan)?;
    let plan = &*plan;
    let is_wanted = |page| plan.tool(set, page).is_some();
    let outcomes = over_pages(args, corpus, is_wanted, |subject| match plan.tool(set, subject.index) {
        Some(tool) => judge(args, tool, subject),
        None => Ok(None),
    })?;
    Ok(outcomes.into_iter().filter_map(|(_, outcome)| outcome).collect())
}

/// Shows the pages of a set to the tools that want to see all before they judge the first.
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

/// Extracts and judges a page. `None` for one that is not to be judged.
fn judge(args: &Args, tool: &Tool, subject: &EvalSubject<'_>) -> Result<Option<PageOutcome>> {
    let (entry, document) = (subject.entry(), subject.page().document());
    let needs_gold =
        args.articles || args.worst.is_some() || args.html.is_some() || args.report.is_some_and(EvalReport::needs_gold);
    let gold = if needs_gold { entry.gold(document)? } else { None };
    if args.articles && !gold.as_ref().is_some_and(|gold| is_article(document, gold)) {
        return Ok(None);
    }
    let JudgedExtraction { mut outcome, extraction, gold_words } = match args.report {
        Some(EvalReport::Aligned) => read_back(subject, gold.as_ref())?,
        _ => extract(tool, subject, args.siblings, args.taught)?,
    };
    if let (Some(extraction), Some(gold)) = (&extraction, &gold) {
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
        outcome.snippets = extraction.as_ref().and_then(|extraction| snippets::judge(subject, extraction));
    }
    if args.report == Some(EvalReport::Metadata) {
        let kind = extraction.as_ref().and_then(|extraction| extraction.kind);
        let siblings = subject.stated(args.siblings);
        outcome.metadata = PageMetadata::new(entry.info, beside::metadata(subject.page(), kind, &siblings));
    }
    Ok(Some(outcome))
}

/// A judged page, with what it was judged by.
pub(super) struct JudgedExtraction {
    pub(super) outcome: PageOutcome,
    /// `None` where the method needs a sibling and the page has none.
    extraction: Option<Extraction>,
    /// Words of the gold text.
    gold_words: usize,
}

/// Extracts a page with at most so many siblings, of which the first few were taught, and judges
/// its text.
pub(super) fn extract(
    tool: &Tool,
    subject: &EvalSubject<'_>,
    siblings: usize,
    taught: usize,
) -> Result<JudgedExtraction> {
    let page = subject.page();
    let of_rendered = subject.styles().and_then(|styles| tool.of_rendered(styles));
    let extractor = match of_rendered {
        Some(extractor) => Some(extractor),
        None => tool.extractor(subject.siblings(siblings, taught, tool)?, None),
    };
    let extraction = extractor.map(|extractor| extractor.extract(page));
    let text = extraction.as_ref().map(|found| render::text::text(page.document(), &found.content)).unwrap_or_default();
    judge_text(subject, extraction, text)
}

/// The gold as it was found on the page, in the place of an extraction.
fn read_back(subject: &EvalSubject<'_>, gold: Option<&Gold>) -> Result<JudgedExtraction> {
    let document = subject.page().document();
    let kept = gold.into_iter().flat_map(|gold| gold.words.iter().chain(&gold.hidden)).filter(|word| word.kept);
    let (mut text, mut last) = (String::new(), None);
    for word in kept {
        // Ideographs are words by themselves, and stand together where the page has them so.
        if last != Some((word.node, word.range.start)) {
            text.push(' ');
        }
        text.push_str(document.text(word.node).and_then(|text| text.get(word.range.clone())).unwrap_or_default());
        last = Some((word.node, word.range.end));
    }
    judge_text(subject, None, text)
}

fn judge_text(subject: &EvalSubject<'_>, extraction: Option<Extraction>, text: String) -> Result<JudgedExtraction> {
    let entry = subject.entry();
    let gold = entry.gold_text()?;
    let judged = Judged::new(subject.corpus.name(), entry.info, gold.as_deref(), extraction.as_ref(), &text);
    let gold_words = gold.as_deref().map_or(0, |gold| words(gold).count());
    let outcome =
        PageOutcome { judged, text, markup: None, segments: None, metadata: None, snippets: None, mistakes: None };
    Ok(JudgedExtraction { outcome, extraction, gold_words })
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

/// True when what a person marked on the page is an article.
fn is_article(document: &Document, gold: &Gold) -> bool {
    ArticleJudgement::new(document, &gold.content()).is_article()
}
