//! What kind of page it is.

mod features;
mod learned;
mod row;
mod rules;
mod table;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
pub(super) use learned::{Kinds, KnownKind};
pub(super) use row::of_page;
pub(super) use table::{Called, KindTable};

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

/// The kind of a page that says itself that it is none: empty, an error or a consent wall. `None`
/// of others, which are told by what was learned. Linear.
pub(super) fn told(analysis: &Analysis) -> Option<PageKind> {
    if analysis.blocks().is_empty() { Some(PageKind::Empty) } else { rules::told(analysis) }
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
