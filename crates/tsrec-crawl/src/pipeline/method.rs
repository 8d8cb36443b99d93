//! How the crawl extracts pages: the section `[extract]` of the configuration.

use serde::{Deserialize, Serialize};

/// How the crawl extracts pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractConfig {
    /// The method. A change applies to stored pages at their next visit.
    pub method: CrawlMethod,
}

/// The methods that a crawl can use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrawlMethod {
    /// The learned score, with the memory of the site, or else with siblings.
    #[default]
    Auto,
    /// The template diff against held siblings; if none passes the gates, MSS. The crawl neither
    /// reads nor writes the memory of sites.
    Template,
    /// MSS of the page alone. The crawl keeps no siblings and no memory of sites.
    Mss,
}
