//! How the crawl extracts pages: the section `[extract]` of the configuration.

use serde::{Deserialize, Serialize};
use tsrec_core::evidence::favor::Favor;

/// How the crawl extracts pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractConfig {
    /// The method. A change applies to stored pages at their next visit.
    pub method: CrawlMethod,
    /// What `auto` favours where precision and recall conflict. A change applies to stored pages at
    /// their next visit, too.
    pub favor: Favor,
}

impl ExtractConfig {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// If the method favours nothing. The error names the way out.
    pub fn check(&self) -> Result<(), String> {
        match (self.method, self.favor) {
            (CrawlMethod::Auto, _) | (_, Favor::Balance) => Ok(()),
            (_, favor) => Err(format!(
                "extract.favor is {favor}, which only method = \"auto\" heeds: take that method, or favor = \"balance\""
            )),
        }
    }
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
