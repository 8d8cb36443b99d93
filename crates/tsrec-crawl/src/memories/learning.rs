//! What a site learns from a page: from one that is stored, or from one that was posted.

use std::sync::Arc;

use url::Url;

use super::SiteMemories;
use super::in_memory::lock;
use tsrec_core::extract::Recalled;
use tsrec_core::metadata::Stated;
use tsrec_core::template::{Learned, Memory, Template, Visit};
use tsrec_store::{Error, KeptBody, Key, NewPage, OfTemplate, Put, PutExtras};

/// What a site learns from a page, besides its record.
#[derive(Debug, Clone, Copy)]
pub struct Learning<'a> {
    /// The memory of this page alone: which text is at which place.
    pub memory: &'a Memory,
    /// Other facts about the visit.
    pub visit: Visit<'a>,
    /// How many other pages of the site were remembered when the content was found.
    pub known: u32,
    /// See [`PutExtras::is_again`].
    pub is_again: bool,
    /// The page as fetched, and what the store keeps it for. If this extracts it again and its
    /// template serves by now, it does not wait.
    pub kept: Option<KeptBody<'a>>,
}

impl<'a> Learning<'a> {
    /// For a fetched page, with nothing else to learn or keep.
    pub fn new(memory: &'a Memory) -> Self {
        Learning { memory, visit: Visit::default(), known: 0, is_again: false, kept: None }
    }
}

impl SiteMemories {
    /// Stores a page and what its site learns from it, in one transaction. It updates the site
    /// memory, which is written if that is due, names the template in the record, and keeps what
    /// else the caller passes. Durable after [`Database::durable`](tsrec_store::Database::durable).
    ///
    /// # Errors
    ///
    /// Those of [`Store::put_with`](tsrec_store::Store::put_with).
    pub fn learn(&self, mut page: NewPage, learning: &Learning<'_>) -> Result<(NewPage, Put, Learned), Error> {
        let key = Key::parse(&page.url)?;
        let bounds = self.site_bounds();
        let kept = self.kept(key.host())?;
        let done = {
            let mut kept = lock(&kept);
            let kept = &mut *kept;
            let before = learning.visit.before.or_else(|| kept.posted.template_of(&key));
            let visit = Visit { before, ..learning.visit };
            let learned = Arc::make_mut(&mut kept.site).learn_within(learning.memory, visit, &bounds);
            kept.unsaved += 1;
            let memory = kept.is_due(&learned).then(|| kept.encode_within(&bounds)).transpose()?;
            let number = learned.number;
            let replaced = kept.site.templates().iter().find(|old| old.replaced_by() == Some(number));
            let replaces = replaced.map(|old| old.number);
            page.template = Some(OfTemplate { number, pages: learning.known, replaces });
            let ends_wait = learning.is_again && kept.site.template(number).is_some_and(Template::serves);
            let body = match learning.kept {
                // So a page that asks for no copy is kept for nothing.
                Some(body) if ends_wait => Some(KeptBody { waits: false, sequence: None, ..body }),
                body => body,
            };
            let extras = PutExtras { memory: memory.as_deref(), kept: body, is_again: learning.is_again };
            let put = self.store.put_with(&page, extras)?;
            if let Some(memory) = memory {
                kept.note_saved(memory.len());
            }
            (page, put, learned)
        };
        self.weigh(key.host());
        Ok(done)
    }

    /// Recalls what the site of a posted page knows, then adds the page to the memory. A URL that
    /// was posted or crawled before is not counted again. The memory is written by
    /// [`SiteMemories::save_sites`], which the caller should call soon, and after 64 pages of the
    /// host.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's errors.
    pub fn learn_posted(&self, url: &Url, memory: &Memory, stated: &Stated) -> Result<Recalled, Error> {
        let key = Key::from_url(url)?;
        let kept = self.kept(key.host())?;
        let crawled = self.store.get(url.as_str())?.and_then(|record| record.template);
        let recalled = {
            let mut kept = lock(&kept);
            let kept = &mut *kept;
            let recalled = Recalled { memory: kept.site.known_with(memory), stated: kept.site.stated() };
            let before = kept.posted.template_of(&key).or(crawled.map(|template| template.number));
            let visit = Visit { before, stated: Some(stated), ..Visit::default() };
            let learned = Arc::make_mut(&mut kept.site).learn_within(memory, visit, &self.site_bounds());
            kept.posted.note(&key, learned.number);
            kept.unsaved += 1;
            if kept.is_overdue() {
                self.save_copy(key.host(), kept)?;
            }
            recalled
        };
        self.weigh(key.host());
        Ok(recalled)
    }
}
