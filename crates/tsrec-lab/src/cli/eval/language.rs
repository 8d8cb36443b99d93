//! `--leave-out-language`: which pages are held out by their language, and which are for training.

use std::collections::{BTreeSet, HashSet};

use anyhow::Result;

use super::parts::{LEFT_OUT, PagesByPart};
use crate::cli::corpus::Corpus;
use tsrec_core::extract::{Page, beside};
use tsrec_core::html;
use tsrec_core::html::Limits;
use tsrec_core::metadata::Stated;
use tsrec_terminal::parallel::in_parallel;
use tsrec_terminal::progress::Counter;
use tsrec_terminal::usage;

/// Part 0 has the pages of the language. Part 1, for training, has the pages of all sites without a
/// page of the language. The other pages of the sites of part 0 are in neither part.
pub(super) fn hold_out(corpora: &[Corpus], language: &str) -> Result<PagesByPart> {
    let languages = languages(corpora)?;
    let is_held = |page: &Option<String>| page.as_deref() == Some(language);
    usage::ensure(languages.iter().flatten().any(is_held), &nowhere(language, &languages))?;
    let pages = corpora.iter().zip(&languages);
    let held: HashSet<String> = pages
        .flat_map(|(corpus, languages)| {
            (0..corpus.len()).filter(|&page| is_held(&languages[page])).map(|page| corpus.set.site_of(page))
        })
        .collect();
    let part = |corpus: &Corpus, page: usize, language: &Option<String>| match is_held(language) {
        true => 0,
        false if held.contains(&corpus.set.site_of(page)) => LEFT_OUT,
        false => 1,
    };
    let parts: PagesByPart = corpora
        .iter()
        .zip(&languages)
        .map(|(corpus, of)| of.iter().enumerate().map(|(page, language)| part(corpus, page, language)).collect())
        .collect();
    usage::ensure(
        parts.iter().flatten().any(|part| *part == 1),
        &format!("--leave-out-language {language}: every site has a page in it, so none is left to train on"),
    )?;
    Ok(parts)
}

/// The language of each page of each set. `None` if it is unknown.
fn languages(corpora: &[Corpus]) -> Result<Vec<Vec<Option<String>>>> {
    let pages: Vec<(&Corpus, usize)> =
        corpora.iter().flat_map(|corpus| (0..corpus.len()).map(move |page| (corpus, page))).collect();
    let counter = Counter::new("languages of pages", pages.len());
    let found = in_parallel(&pages, |&(corpus, page)| {
        counter.step();
        language(corpus, page)
    });
    let mut found = found.into_iter();
    corpora.iter().map(|corpus| found.by_ref().take(corpus.len()).collect()).collect()
}

/// The language that tsrec reports for a page, without its region: `zh` for `zh-TW`.
fn language(corpus: &Corpus, page: usize) -> Result<Option<String>> {
    let entry = corpus.entry(page);
    let document = html::parse(&entry.html()?, None, &Limits::default());
    let page = Page::new(&document).at(entry.info.url.as_ref());
    let described = beside::metadata(&page, None, &Stated::default());
    Ok(described.metadata.language.and_then(|tag| Some(tag.split('-').next()?.to_owned())))
}

fn nowhere(language: &str, languages: &[Vec<Option<String>>]) -> String {
    let there: BTreeSet<&str> = languages.iter().flatten().flatten().map(String::as_str).collect();
    let there = there.into_iter().collect::<Vec<_>>().join(", ");
    format!("--leave-out-language {language}: no page is in it. The pages are in: {there}")
}
