//! Whether a page holds an article (section 4.1).
//!
//! An article is a coherent work of prose that alone is the page's main content. A collection of
//! headlines with summaries, a list of results or a set of blog posts is not an article. The paper
//! requires two paragraphs and eight sentences, and leaves the rest to a classifier that it does
//! not describe. Our rules are judgement. They apply to the content that a method (or a person)
//! found:
//!
//! - most of its words are in prose: in blocks of text with at least one whole sentence;
//! - at most a third of its words are links: lists of results are links with a little text;
//! - fewer than three of its headlines are links: a headline that links elsewhere belongs to
//!   another work.

use unicode_segmentation::UnicodeSegmentation;

use tsrec_core::analysis::text::ends_sentence;
use tsrec_core::html::document::{Document, Edge};
use tsrec_core::page::{Content, Piece};
use tsrec_core::render::text::text;
use tsrec_core::words;

/// The least number of paragraphs in an article (section 4.1).
const LEAST_PARAGRAPHS: usize = 2;
/// The least number of sentences in an article (section 4.1).
const LEAST_SENTENCES: usize = 8;
/// The least number of words in a sentence. Judgement: shorter ones are captions and buttons.
const SENTENCE_WORDS: usize = 4;
/// The least share of an article's words in prose. Judgement.
const LEAST_PROSE: f64 = 0.5;
/// The greatest share of an article's words in links. Judgement: encyclopedias come near it.
const MOST_LINKED: f64 = 1.0 / 3.0;
/// An article has fewer headlines than this that are links. Judgement: its own headline may be a
/// link, and that of a supplement.
const LINKED_HEADLINES: usize = 3;

/// The measures by which content is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticleJudgement {
    /// Blocks of text with at least one sentence.
    pub paragraphs: usize,
    /// Sentences in those blocks.
    pub sentences: usize,
    /// The share of words in those blocks, 0 to 1.
    pub prose: f64,
    /// The share of words in links, 0 to 1.
    pub linked: f64,
    /// Headlines that are links.
    pub linked_headlines: usize,
}

impl ArticleJudgement {
    /// Judges a page's content. Linear in the page.
    pub fn new(document: &Document, content: &Content) -> ArticleJudgement {
        let mut judgement = ArticleJudgement::default();
        let (mut all, mut in_prose) = (0, 0);
        // Empty lines separate paragraphs. The segmentation's size hint underflows on them
        // (unicode-segmentation 1.13).
        for block in text(document, content).lines().filter(|block| !block.is_empty()) {
            let (words, sentences) = (words::count(block), sentences(block));
            all += words;
            if sentences > 0 {
                judgement.paragraphs += 1;
                judgement.sentences += sentences;
                in_prose += words;
            }
        }
        let (linked, headlines) = links(document, content);
        let share = |part: usize| if all == 0 { 0.0 } else { (part as f64 / all as f64).min(1.0) };
        ArticleJudgement { prose: share(in_prose), linked: share(linked), linked_headlines: headlines, ..judgement }
    }

    /// True if the page holds an article.
    pub fn is_article(&self) -> bool {
        self.paragraphs >= LEAST_PARAGRAPHS
            && self.sentences >= LEAST_SENTENCES
            && self.prose >= LEAST_PROSE
            && self.linked <= MOST_LINKED
            && self.linked_headlines < LINKED_HEADLINES
    }
}

/// The number of whole sentences in a block of text: those with a sentence's end mark.
fn sentences(block: &str) -> usize {
    let ends = |sentence: &&str| {
        let sentence = sentence.trim_end_matches(|c: char| c.is_whitespace() || "\"'”’»)]".contains(c));
        sentence.ends_with(ends_sentence) && words::count(sentence) >= SENTENCE_WORDS
    };
    block.unicode_sentences().filter(ends).count()
}

/// The number of the content's words in links, and of its headlines with a link.
fn links(document: &Document, content: &Content) -> (usize, usize) {
    let mut pieces = content.pieces().iter().peekable();
    let (mut words, mut headlines) = (0, 0);
    let (mut links, mut headings, mut counted) = (0usize, 0usize, false);
    for edge in document.walk(document.root()) {
        match edge {
            Edge::Open(id) => {
                links += usize::from(document.is_element(id, "a"));
                headings += usize::from(document.is_heading(id));
                let Some(piece) = pieces.next_if(|piece: &&Piece| piece.node == id).filter(|_| links > 0) else {
                    continue;
                };
                words += words::count(piece.text(document));
                headlines += usize::from(headings > 0 && !std::mem::replace(&mut counted, headings > 0));
            }
            Edge::Close(id) => {
                links -= usize::from(document.is_element(id, "a"));
                headings -= usize::from(document.is_heading(id));
                counted &= headings > 0;
            }
        }
    }
    (words, headlines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::html::parse;

    fn judge(page: &str) -> ArticleJudgement {
        let document = parse(page.as_bytes(), None, &Default::default());
        let texts = document.descendants(document.root()).filter(|&id| document.text(id).is_some());
        let content = Content::new(texts.map(|id| Piece::whole(&document, id)));
        ArticleJudgement::new(&document, &content)
    }

    #[test]
    fn articles_are_prose_of_some_length() {
        let sentence = "The ferry sails again today. ";
        let paragraph = |count: usize| format!("<p>{}</p>", sentence.repeat(count));
        let post = format!("<h2><a href=/>The ferry</a></h2>{}", paragraph(4));
        for (page, expect) in [
            (String::new(), false),
            (paragraph(8), false),
            (paragraph(4) + &paragraph(3), false),
            (paragraph(4) + &paragraph(4), true),
            // Texts two line breaks apart are paragraphs as well.
            (format!("<div>{0}<br><br>{0}</div>", sentence.repeat(4)), true),
            // Fragments, links, and posts that link elsewhere.
            (paragraph(4) + &paragraph(4) + &"<li>no sentence of any kind</li>".repeat(9), false),
            (format!("<a href=/>{}</a>", paragraph(4)) + &paragraph(4), false),
            (post.repeat(2), true),
            (post.repeat(3), false),
        ] {
            let judgement = judge(&page);
            assert_eq!(judgement.is_article(), expect, "{page}: {judgement:?}");
        }
    }
}
