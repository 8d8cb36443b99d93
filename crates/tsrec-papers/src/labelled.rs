//! What is kept of a page whose content is known without a person: the template diff found it, and was sure.
//!
//! Pasternack and Roth (2009) need pages that somebody labelled, an hour's work a site. A crawl that diffs pages against their siblings labels them all
//! day. What it keeps of one is enough to train from and to judge by, and holds no text.

use serde::{Deserialize, Serialize};

use super::mss::train::MssLesson;
use tsrec_core::extract::Page;
use tsrec_core::extract::scored::Reading;
use tsrec_core::page::{Content, Gold, WordSet};

/// A page that an extraction labelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledPage {
    /// The page to learn from.
    pub lesson: MssLesson,
    /// The words that are its content.
    pub content: WordSet,
    /// The words that are found with neither a sibling nor a model: what a model has to beat.
    pub untrained: WordSet,
}

/// The version of the form in bytes: one more with each change to it, or to what a symbol means.
const VERSION: u8 = 1;

impl LabelledPage {
    /// A page with content that is taken for true, and what was read of it. `None` where that content has no word. Linear in the page.
    pub fn new(page: &Page<'_>, reading: &Reading<'_, '_>, content: &Content) -> Option<LabelledPage> {
        let gold = Gold::of_content(page.document(), content);
        let lesson = MssLesson::new(page.document(), &gold)?;
        let untrained = gold.words_of(page.document(), &reading.extract().content);
        Some(LabelledPage { lesson, content: gold.word_set(), untrained })
    }

    /// As bytes, to be kept: some six for each token of the page, a third of that after compression.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_extend(self, vec![VERSION]).expect("a lesson is plain data")
    }

    /// From bytes. `None` for those of another version, and for others.
    pub fn from_bytes(bytes: &[u8]) -> Option<LabelledPage> {
        let labelled: LabelledPage = postcard::from_bytes(bytes.strip_prefix(&[VERSION])?).ok()?;
        let MssLesson { symbols, article } = &labelled.lesson;
        (article.start <= article.end && article.end <= symbols.len()).then_some(labelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::extract::scored::Scored;
    use tsrec_core::html::parse;

    const LONG: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen";

    #[test]
    fn a_labelled_page_comes_back_from_its_bytes_and_nothing_else_does() {
        let document = parse(format!("<p><a>menu</a><p>{LONG}<p>{LONG}").as_bytes(), None, &Default::default());
        let page = Page::new(&document);
        let reading = Scored::shipped().read(&page);
        let content = reading.extract().content;
        let labelled = LabelledPage::new(&page, &reading, &content).unwrap();
        assert_eq!((labelled.content.len(), &labelled.content), (content.words(&document), &labelled.untrained));
        assert!(!content.is_empty());
        let bytes = labelled.to_bytes();
        assert_eq!(LabelledPage::from_bytes(&bytes), Some(labelled.clone()));
        for length in 0..bytes.len() {
            assert_eq!(LabelledPage::from_bytes(&bytes[..length]), None, "{length}");
        }
        assert_eq!(LabelledPage::from_bytes(&[&[VERSION + 1], &bytes[1..]].concat()), None);
        let MssLesson { symbols, article } = labelled.lesson.clone();
        for article in [article.start..symbols.len() + 1, std::ops::Range { start: 9, end: 8 }] {
            let wrong = LabelledPage { lesson: MssLesson { symbols: symbols.clone(), article }, ..labelled.clone() };
            assert_eq!(LabelledPage::from_bytes(&wrong.to_bytes()), None);
        }
        assert_eq!(LabelledPage::new(&page, &reading, &Content::default()), None);
    }
}
