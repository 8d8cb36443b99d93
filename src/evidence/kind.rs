//! What kind of page it is.

mod rules;

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::columns;
use crate::analysis::Analysis;
use crate::words::hashed::ByHash;

/// The kinds of pages, as WCXB (Foley 2026) tells them apart, and pages that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PageKind {
    /// One text: news, a blog post, a story.
    Article,
    /// A thread of posts.
    Forum,
    /// One thing that is sold.
    Product,
    /// Many things that are sold.
    Collection,
    /// Many texts or entries, each in short.
    Listing,
    /// Reference or instruction.
    Documentation,
    /// What an organisation offers.
    Service,
    /// No text at all.
    Empty,
    /// The message that there is no such page, or none for us, though the server answered with one.
    Error,
    /// A question for consent, and nothing else to be seen.
    #[serde(rename = "consent-wall")]
    ConsentWall,
}

impl PageKind {
    /// All of them: those that are learned, and those that are told by rules alone.
    pub const ALL: [PageKind; 10] = {
        let [a, b, c, d, e, f, g] = PageKind::LEARNED;
        [a, b, c, d, e, f, g, PageKind::Empty, PageKind::Error, PageKind::ConsentWall]
    };

    /// The kinds that are learned, in the order of the model's classes.
    pub const LEARNED: [PageKind; 7] = [
        PageKind::Article,
        PageKind::Forum,
        PageKind::Product,
        PageKind::Collection,
        PageKind::Listing,
        PageKind::Documentation,
        PageKind::Service,
    ];

    /// The kind as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            PageKind::Article => "article",
            PageKind::Forum => "forum",
            PageKind::Product => "product",
            PageKind::Collection => "collection",
            PageKind::Listing => "listing",
            PageKind::Documentation => "documentation",
            PageKind::Service => "service",
            PageKind::Empty => "empty",
            PageKind::Error => "error",
            PageKind::ConsentWall => "consent-wall",
        }
    }
}

impl fmt::Display for PageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A name that is no kind's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind(String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = PageKind::LEARNED.map(PageKind::as_str).join(", ");
        write!(f, "unknown kind of page {:?}: it is one of {names}", self.0)
    }
}

impl std::error::Error for UnknownKind {}

impl FromStr for PageKind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        PageKind::LEARNED.into_iter().find(|kind| kind.as_str() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

/// The kind of a page that says itself that it is none: empty, an error or a consent wall. `None` of others, which are told by what was learned.
/// Linear.
pub(super) fn told(analysis: &Analysis) -> Option<PageKind> {
    if analysis.blocks().is_empty() { Some(PageKind::Empty) } else { rules::told(analysis) }
}

/// The evidence of a page's kind: the columns of the page, and what the score keeps.
pub(super) fn row(analysis: &Analysis, page: &[f32], likely: &[f32]) -> Vec<f32> {
    [page, &Kept::of(analysis, likely).values()].concat()
}

/// The columns of the page, in a row of a block.
pub(super) fn of_page(block: &[f32]) -> Vec<f32> {
    let page = columns().iter().zip(block).filter(|(column, _)| column.kind == super::Kind::Page);
    page.map(|(_, &value)| value).collect()
}

/// Columns of [`row`].
pub(super) const WIDTH: usize = super::page::COLUMNS.len() + KEPT;
const KEPT: usize = 12;

/// What stands in the likely content.
#[derive(Default)]
struct Kept {
    words: f32,
    blocks: f32,
    linked: f32,
    sentences: f32,
    commas: f32,
    digits: f32,
    repeated_places: f32,
    longest: f32,
    hidden: f32,
    places: HashMap<u64, f32, ByHash>,
}

impl Kept {
    fn of(analysis: &Analysis, likely: &[f32]) -> Kept {
        let mut kept = Kept::default();
        for (block, &likely) in analysis.blocks().iter().zip(likely) {
            kept.words += likely * block.text.words as f32;
            kept.blocks += likely;
            kept.linked += likely * block.linked.words as f32;
            kept.sentences += likely * block.text.sentence_ends as f32;
            kept.commas += likely * block.text.commas as f32;
            kept.digits += likely * block.text.digits as f32;
            kept.hidden += likely * if block.hidden { block.text.words as f32 } else { 0.0 };
            kept.longest = kept.longest.max(if likely > 0.5 { block.text.words as f32 } else { 0.0 });
            *kept.places.entry(super::reader::place_of(analysis, block)).or_default() += likely;
        }
        kept.repeated_places = kept.places.values().copied().fold(0.0, f32::max);
        kept
    }

    fn values(&self) -> [f32; KEPT] {
        let a_word = |count: f32| if self.words < 0.5 { f32::NAN } else { count / self.words };
        let a_block = |count: f32| if self.blocks < 0.5 { f32::NAN } else { count / self.blocks };
        [
            self.words,
            self.blocks,
            a_block(self.words),
            a_word(self.linked),
            a_word(self.sentences),
            a_word(self.commas),
            a_word(self.digits),
            self.repeated_places,
            a_block(self.repeated_places),
            self.longest,
            a_word(self.longest),
            a_word(self.hidden),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::PageKind;

    #[test]
    fn kinds_have_names() {
        for kind in PageKind::LEARNED {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert_eq!(
            "blog".parse::<PageKind>().unwrap_err().to_string(),
            "unknown kind of page \"blog\": it is one of article, forum, product, collection, listing, documentation, service"
        );
    }
}
