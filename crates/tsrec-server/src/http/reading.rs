//! Reads stored pages again for people, within the budget of steps. A page that takes more goes
//! into quarantine with its bytes, as in a crawl, and this version does not read it again.

use tsrec_core::extract::Page;
use tsrec_core::html::{Document, Limits, PageSteps, parse};
use tsrec_crawl::frontier::{Account, Embedded};
use tsrec_crawl::memories::SiteMemories;
use tsrec_store::{Parked, Store};

/// An error other than in the page.
pub(super) type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Why a page is not read.
const TOO_MUCH_WORK: &str = "it takes more steps than html.steps allows";

/// What pages are read with.
pub(super) struct PageReader<'s> {
    pub(super) memories: &'s SiteMemories,
    pub(super) frontier: Option<&'s Embedded>,
    pub(super) limits: &'s Limits,
}

impl<'s> PageReader<'s> {
    pub(super) fn store(&self) -> &'s Store {
        self.memories.store()
    }

    /// Parses a page. `None` if it is in quarantine.
    pub(super) fn document(&self, url: &str, page: &Parked) -> Result<Option<Document>, Failed> {
        if self.frontier.map_or(Ok(false), |frontier| frontier.has_quarantined(url))? {
            return Ok(None);
        }
        Ok(Some(parse(&page.body, page.charset.as_deref(), self.limits)))
    }

    /// Whether the score of a page takes too much work. Then it goes into quarantine.
    pub(super) fn is_too_long(&self, url: &str, page: &Parked, read: &Page<'_>) -> Result<bool, Failed> {
        let is_too_long = read.is_too_much_work();
        if is_too_long {
            self.quarantine(url, page)?;
        }
        Ok(is_too_long)
    }

    /// Whether the work on a page was too much. Then it goes into quarantine.
    pub(super) fn was_too_long(&self, url: &str, page: &Parked, steps: &PageSteps) -> Result<bool, Failed> {
        if steps.is_over() {
            self.quarantine(url, page)?;
        }
        Ok(steps.is_over())
    }

    fn quarantine(&self, url: &str, page: &Parked) -> Result<(), Failed> {
        tracing::error!(url, why = TOO_MUCH_WORK, "quarantined: the program failed on this page");
        let Some(frontier) = self.frontier else { return Ok(()) };
        let account = Account::from(&*format!("the program failed in the inspector or in teaching: {TOO_MUCH_WORK}"));
        if frontier.quarantine_unleased(url, account)? {
            self.store().park(url, page)?;
        }
        Ok(())
    }
}

/// What people read of such a page.
pub(super) fn refusal(url: &str) -> String {
    format!(
        "{url} is not read: {TOO_MUCH_WORK}, and it is in quarantine. Raise html.steps, or wait for another version \
         of tsrec"
    )
}
