//! Every page of a set extracted and judged.

use anyhow::Result;

use super::args::{Args, Report};
use super::markup::{self, PageMarkup};
use super::plan::Plan;
use super::sites::{Subject, over_pages, view_all};
use crate::block::segments::segments;
use crate::cli::corpus::Corpus;
use crate::eval::judged::Judged;
use crate::eval::segments::{self, PageSegments};
use crate::extract::Extraction;
use crate::extract::mss::article::Judgement;
use crate::extract::registry::Tool;
use crate::html::Document;
use crate::page::Gold;
use crate::render;

/// What came of one page.
pub(super) struct Outcome {
    pub(super) judged: Judged,
    pub(super) text: String,
    /// `None` without gold or extraction, and where it was not asked for.
    pub(super) markup: Option<PageMarkup>,
    /// As above, and where the gold has no segment.
    pub(super) segments: Option<PageSegments>,
}

/// Extracts and judges the pages of a set, but for those that were only learned from or are not to be judged.
pub(super) fn judge_all(args: &Args, corpus: &Corpus, set: usize, plan: &mut Plan) -> Result<Vec<Outcome>> {
    if plan.learns() {
        let documents = view_all(args, corpus)?;
        let sites = corpus.set.sites();
        let sources: Vec<Vec<&Document>> =
            sites.iter().map(|pages| pages.iter().map(|&page| &documents[page]).collect()).collect();
        plan.learn(&sources);
    }
    let plan = &*plan;
    let is_wanted = |page| plan.tool(set, page).is_some();
    let outcomes = over_pages(args, corpus, is_wanted, |subject| match plan.tool(set, subject.index) {
        Some(tool) => judge(args, tool, subject),
        None => Ok(None),
    })?;
    Ok(outcomes.into_iter().filter_map(|(_, outcome)| outcome).collect())
}

/// Extracts and judges a page. `None` for one that is not to be judged.
fn judge(args: &Args, tool: &Tool, subject: &Subject<'_>) -> Result<Option<Outcome>> {
    let (entry, page, styles) = (subject.entry(), subject.page(), subject.styles());
    let needs_gold = args.articles || args.report.is_some();
    let gold = if needs_gold { entry.gold(page.document)? } else { None };
    if args.articles && !gold.as_ref().is_some_and(|gold| is_article(page.document, gold)) {
        return Ok(None);
    }
    let extractor = tool.extractor(subject.siblings(args.siblings), styles);
    let extraction = extractor.map(|extractor| extractor.extract(&page));
    let text = extraction.as_ref().map(|found| render::text::text(page.document, &found.content)).unwrap_or_default();
    let gold_text = entry.gold_text()?;
    let judged = Judged::new(subject.corpus.name(), entry.info, gold_text.as_deref(), extraction.as_ref(), &text);
    let mut outcome = Outcome { judged, text, markup: None, segments: None };
    if let (Some(extraction), Some(gold)) = (&extraction, &gold) {
        match args.report {
            Some(Report::Markup) => {
                outcome.markup = Some(markup::judge(entry.info.markup.as_deref(), page.document, extraction, gold));
            }
            Some(Report::Segments) => outcome.segments = judge_segments(args, subject, extraction, gold),
            _ => {}
        }
    }
    Ok(Some(outcome))
}

fn judge_segments(args: &Args, subject: &Subject<'_>, extraction: &Extraction, gold: &Gold) -> Option<PageSegments> {
    let document = subject.page().document;
    let segments = match subject.styles() {
        Some(styles) => segments(document, styles),
        None => segments(document, &args.options.looks().of(document)),
    };
    segments::score(document, &segments, gold, &extraction.content)
}

/// True when what a person marked on the page is an article.
fn is_article(document: &Document, gold: &Gold) -> bool {
    Judgement::of(document, &gold.content()).is_article()
}
