//! Who says what the content of a page to learn from is.

use anyhow::Result;
use clap::ValueEnum;

use super::corpus::{Corpus, SetPage};
use tsrec_core::extract::cascade::Cascade;
use tsrec_core::extract::example::Example;
use tsrec_core::extract::learner::Learner;
use tsrec_core::extract::{Extractor, Method, Page, Sibling};
use tsrec_core::html;
use tsrec_core::html::{Document, Limits};
use tsrec_core::page::Gold;
use tsrec_core::tsrec::build::tag_sequence;

/// Where labels come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Labels {
    /// The set's gold.
    #[default]
    Gold,
    /// The template diff against the page's siblings, where it is as sure as the crawl wants it for
    /// a lesson; no gold is read.
    Template,
}

/// Siblings that a page is diffed with, best first: as many as the crawl tries.
pub(super) const SIBLINGS_TRIED: usize = 3;

/// How sure the template diff must be of a page to learn from. Judgement.
const LEAST_CONFIDENCE: f64 = 0.7;

impl Labels {
    /// The labels of a page. `None` where there are none.
    pub(super) fn read(self, corpus: &Corpus, index: usize, page: &Page<'_>) -> Result<Option<Gold>> {
        match self {
            Labels::Gold => corpus.entry(index).gold(page.document()),
            Labels::Template => by_template(corpus, index, page),
        }
    }
}

fn by_template(corpus: &Corpus, index: usize, page: &Page<'_>) -> Result<Option<Gold>> {
    let siblings: Vec<SetPage<'_>> =
        corpus.set.siblings(index, SIBLINGS_TRIED).into_iter().map(|other| corpus.entry(other)).collect();
    let parse = |entry: &SetPage<'_>| Ok(html::parse(&entry.html()?, None, &Limits::default()));
    let documents = siblings.iter().map(parse).collect::<Result<Vec<Document>>>()?;
    let sequences: Vec<_> = documents.iter().map(tag_sequence).collect();
    let siblings = siblings.iter().zip(&sequences).map(|(entry, sequence)| Sibling {
        name: entry.info.id.clone(),
        sequence,
        memory: None,
    });
    let found = Cascade::new(siblings.collect()).extract(page);
    let is_sure = found.method == Method::Template && found.confidence >= LEAST_CONFIDENCE;
    Ok(is_sure.then(|| Gold::of_content(page.document(), &found.content)))
}

/// What a page of a set teaches. `None` where it teaches nothing.
pub(super) fn lesson<L: Learner>(
    learner: &L,
    corpus: &Corpus,
    index: usize,
    labels: Labels,
) -> Result<Option<L::Lesson>> {
    let entry = corpus.entry(index);
    let document = html::parse(&entry.html()?, None, &Limits::default());
    let page = Page::new(&document).at(entry.info.url.as_ref());
    let Some(gold) = labels.read(corpus, index, &page)? else { return Ok(None) };
    Ok(learner.lesson(&Example {
        page: &page,
        gold: &gold,
        site: entry.info.site.as_deref(),
        kind: entry.info.kind.as_deref().and_then(|kind| kind.parse().ok()),
    }))
}
