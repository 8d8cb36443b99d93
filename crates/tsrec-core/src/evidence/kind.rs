//! The kind of a page.

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

/// The kinds of pages in WCXB (Foley 2026), and kinds for pages without content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PageKind {
    /// One text: news, a blog post, a story.
    Article,
    /// A thread of posts.
    Forum,
    /// One thing for sale.
    Product,
    /// Many things for sale.
    Collection,
    /// Many short texts or entries.
    Listing,
    /// Reference or instructions.
    Documentation,
    /// An offer of an organisation.
    Service,
    /// No text at all.
    Empty,
    /// An error message with a success status: there is no such page, or access is denied.
    Error,
    /// A request for consent, without other visible content.
    #[serde(rename = "consent-wall")]
    ConsentWall,
}

impl PageKind {
    /// All kinds: the learned ones, and those that only rules find.
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

    /// The printed name of the kind.
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

/// An unknown name of a kind.
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

/// The kind of a page that its own text marks as empty, an error or a consent wall. `None` for
/// other pages, whose kind the learned model gives. Linear.
pub fn told(analysis: &Analysis) -> Option<PageKind> {
    if analysis.blocks().is_empty() { Some(PageKind::Empty) } else { rules::told(analysis) }
}

/// Whether a page says that its server is out of order, or asks its visitor to prove something. It
/// says nothing of its own address then. Linear.
pub fn is_out_of_order(analysis: &Analysis) -> bool {
    rules::is_out_of_order(analysis)
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
