//! Stored pages are updated after a person taught their template, or took a lesson back.
//!
//! If the bytes of a page are kept, it is extracted again from those. If not, its URL is due at
//! once. A lesson is one entry in the store ([`follow`](crate::memories::SiteMemories::follow)),
//! whatever its number of pages. It is worked off here some pages at a time, within the memory for
//! pages in work. Other pages that are extracted again come between. After a restart it goes on
//! where it ended.

use std::sync::Arc;

use url::Url;

use super::again::ExtractedAgain;
use super::together::Together;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::Frontier;
use tsrec_store::Parked;

/// Pages updated before other work is checked. Judgement: a second of work.
const AT_ONCE: usize = 100;

/// What is known of a page that may need an update.
enum FollowerPage {
    /// It is gone, or of another template.
    Other,
    /// Its bytes are kept.
    Kept(Parked),
    /// Its bytes are not kept.
    Bare,
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Queues the hosts whose updates an earlier crawl left unfinished.
    pub(super) async fn go_on_following(&self) -> Result<(), Error> {
        let store = self.store();
        let hosts = blocking(move || store.hosts_that_follow()).await?.map_err(Error::because)?;
        hosts.iter().for_each(|host| self.parts.memories.look_again(host));
        Ok(())
    }

    /// Updates some pages of a host; tells whether these were all.
    pub(super) async fn follow_lessons(self: &Arc<Self>, host: &str) -> Result<bool, Error> {
        let (store, of) = (self.store(), host.to_owned());
        let look = move || {
            let Some(following) = store.following(&of)? else { return Ok(None) };
            let pages = store.list(Some(&of), following.after.as_deref(), AT_ONCE)?;
            Ok(Some((following, pages)))
        };
        let looked = blocking(look).await?.map_err(|error: tsrec_store::Error| Error::because(error))?;
        let Some((following, pages)) = looked else { return Ok(true) };
        let (mut done, mut followers) = (None, Together::new());
        for page in &pages {
            if self.is_stopping() {
                break;
            }
            if let Ok(url) = Url::parse(&page.url) {
                let (crawl, number) = (Arc::clone(self), following.number);
                followers.start(async move { crawl.follow(&url, number).await }).await?;
            }
            done = Some(page.url.clone());
        }
        followers.end().await?;
        if done.is_none() && !pages.is_empty() {
            return Ok(false); // stopped before the first
        }
        let (store, of) = (self.store(), host.to_owned());
        // Another template may have been taught, or this one again.
        let note = move || store.has_followed(&following, done.as_deref()).and_then(|()| store.following(&of));
        Ok(blocking(note).await?.map_err(Error::because)?.is_none())
    }

    /// Updates a page, if it is of the template.
    async fn follow(&self, url: &Url, number: u32) -> Result<(), Error> {
        let (store, key) = (self.store(), url.clone());
        let look = move || {
            let Some(record) = store.get(key.as_str())? else { return Ok(FollowerPage::Other) };
            // The template of an imported record is not known, so it is updated, too.
            if record.template.is_some_and(|template| template.number != number) {
                return Ok(FollowerPage::Other);
            }
            let kept = store.bytes_of(key.as_str())?.filter(|page| page.fetched_at == record.fetched_at);
            Ok(kept.map_or(FollowerPage::Bare, FollowerPage::Kept))
        };
        if self.is_quarantined(url.as_str()).await? {
            return Ok(()); // another version follows
        }
        match blocking(look).await?.map_err(|error: tsrec_store::Error| Error::because(error))? {
            FollowerPage::Other => {}
            FollowerPage::Kept(page) => {
                if self.extract_anew(url, &Arc::new(page)).await? == ExtractedAgain::Left {
                    self.unpark(url.as_str()).await?;
                }
            }
            FollowerPage::Bare => {
                self.parts.frontier.make_due(url.as_str()).await.map_err(Error::because)?;
                self.news.notify_one();
            }
        }
        Ok(())
    }
}
