//! The source of labels for training pages.

use anyhow::Result;
use clap::ValueEnum;

use super::corpus::{Corpus, SetPage};
use tsrec_core::evidence::diff::Diffed;
use tsrec_core::extract::example::Example;
use tsrec_core::extract::learner::Learner;
use tsrec_core::extract::template;
use tsrec_core::extract::template_or_mss::TemplateOrMss;
use tsrec_core::extract::{Extract, Method, Page, Sibling};
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
    /// The template diff against the first sibling that passes the gates, if it is sure enough. No
    /// gold is read, and no learned score.
    Template,
}

/// The number of siblings that a page is diffed with, best first: as many as the crawl tries.
pub(super) const SIBLINGS_TRIED: usize = 3;

/// The least confidence of the template diff for a training page, from its gates. Judgement.
const LEAST_CONFIDENCE: f64 = 0.7;

impl Labels {
    /// The labels of a page. `None` if there are none.
    pub(super) fn read<'p>(self, corpus: &Corpus, index: usize, page: &'p Page<'p>) -> Result<Option<Gold>> {
        match self {
            Labels::Gold => corpus.entry(index).gold(page.document()),
            Labels::Template => by_template(corpus, index, page),
        }
    }
}

fn by_template<'p>(corpus: &Corpus, index: usize, page: &'p Page<'p>) -> Result<Option<Gold>> {
    let siblings: Vec<SetPage<'_>> =
        corpus.set.siblings(index, SIBLINGS_TRIED).into_iter().map(|other| corpus.entry(other)).collect();
    let parse = |entry: &SetPage<'_>| Ok(html::parse(&entry.html()?, None, &Limits::default()));
    let documents = siblings.iter().map(parse).collect::<Result<Vec<Document>>>()?;
    // Only the diff knows the siblings here, so they need no memory.
    let siblings = siblings.iter().zip(&documents);
    let siblings = siblings
        .map(|(entry, document)| Sibling::of_sequence(&entry.info.id, tag_sequence(document), None))
        .collect::<Vec<_>>();
    let request = Extract::new(page).method(TemplateOrMss);
    let found = siblings.into_iter().fold(request, Extract::against).run()?;
    let is_sure = found.method() == Method::Template && found.confidence() >= LEAST_CONFIDENCE;
    Ok(is_sure.then(|| Gold::of_content(page.document(), found.content())))
}

/// The lesson of a page of a set. `None` if it teaches nothing.
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
    let diffed = if learner.reads_diff() { diffed(corpus, index, &page)? } else { None };
    Ok(learner.lesson(&Example {
        page: &page,
        gold: &gold,
        site: entry.info.site.as_deref(),
        kind: entry.info.kind.as_deref().and_then(|kind| kind.parse().ok()),
        diffed: diffed.as_ref(),
    }))
}

/// What the diff with a sibling of the set found, if one passes the gates.
fn diffed(corpus: &Corpus, index: usize, page: &Page<'_>) -> Result<Option<Diffed>> {
    for other in corpus.set.siblings(index, SIBLINGS_TRIED) {
        let entry = corpus.entry(other);
        let document = html::parse(&entry.html()?, None, &Limits::default());
        let sibling = Sibling::of_sequence(&entry.info.id, tag_sequence(&document), None);
        if let Some(found) = template::diffed(page, &[sibling]) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Two articles of a site. The last paragraph within the article is on both pages.
    fn write_set(folder: &Path) {
        let menu: String = (1..41).map(|n| format!("<li><a href=/s{n}>Section {n}</a>")).collect();
        let article = |about: &str| -> String {
            let line = |n| {
                format!(
                    "<p>The {about} came in at {n} with the band on board, and nobody on the quay minded the rain that fell on it until noon.</p>"
                )
            };
            (1..11).map(line).collect()
        };
        let same = "<p>This report was written aboard, where we slept badly and ate well.</p>";
        let last = |about: &str| {
            format!(
                "<p>Then the {about} left again, and the harbour fell silent for the rest of a long and rainy day.</p>"
            )
        };
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut meta = String::new();
        for about in ["ferry", "lifeboat"] {
            let text = format!("{}{same}{}", article(about), last(about));
            write(
                &format!("html/{about}.html"),
                &format!("<ul>{menu}</ul><article><h1>A {about}</h1>{text}</article>"),
            );
            write(&format!("gold/{about}.txt"), "none");
            meta += &format!("{{\"id\":\"{about}\",\"site\":\"a\"}}\n");
        }
        write("meta.jsonl", &meta);
    }

    #[test]
    fn labels_of_the_template_are_those_of_the_diff() {
        let folder = tempfile::tempdir().unwrap();
        write_set(folder.path());
        let corpus = Corpus::read(folder.path()).unwrap();
        let document = html::parse(&corpus.entry(0).html().unwrap(), None, &Limits::default());
        let page = Page::new(&document);
        let gold = Labels::Template.read(&corpus, 0, &page).unwrap().unwrap();
        let text = tsrec_core::render::text::text(&document, &gold.content());
        assert!(text.contains("The ferry came in at 10") && text.contains("Then the ferry left"), "{text}");
        // The diff calls common what both pages have; the learned score keeps it.
        assert!(!text.contains("written aboard"), "{text}");
        let sibling = html::parse(&corpus.entry(1).html().unwrap(), None, &Limits::default());
        let scored = Extract::new(&page).sibling("lifeboat", &sibling).run().unwrap();
        assert_eq!(scored.method(), Method::Template);
        assert!(scored.text().contains("written aboard"));
    }
}
