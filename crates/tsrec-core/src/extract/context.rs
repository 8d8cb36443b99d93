//! The input of a method: a page, its siblings and the memory of its site.
//!
//! A [`Memory`] has counts and hashes of what pages have at each place. The score makes the memory
//! of the page alone. From that, the site makes the memory of the page's template.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::fmt;

use super::Page;
use super::sibling::Sibling;
use crate::html::PageSteps;
use crate::learn::parallel::Workers;
use crate::metadata::Stated;
use crate::template::Memory;

/// What is known of a site besides one page of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// The memory of the page's template, including the page. If the template is not known, that
    /// of the page alone: [`Site::known_with`](crate::template::Site::known_with).
    pub memory: Memory,
    /// What the site's pages state: [`Site::stated`](crate::template::Site::stated).
    pub stated: Stated,
}

/// Recalls the site of a page. Its arguments are the page, and the memory of the page alone.
pub(super) type Recall<'e> = Box<dyn FnOnce(&Page<'_>, &Memory) -> Recalled + 'e>;

/// Loads siblings.
type Load<'e> = Box<dyn FnOnce() -> Vec<Sibling<'e>> + 'e>;

/// A page, its siblings, and the memory of its site. Siblings and site are loaded when a method
/// needs them.
pub struct PageContext<'d, 'e> {
    pub(super) page: Cow<'d, Page<'d>>,
    pub(super) given: Vec<Sibling<'e>>,
    pub(super) load: Cell<Option<Load<'e>>>,
    loaded: OnceCell<Vec<Sibling<'e>>>,
    pub(super) recall: Cell<Option<Recall<'e>>>,
    recalled: OnceCell<Recalled>,
    pub(super) explainers: Option<&'static dyn Workers>,
    /// The budget of the work on the page.
    pub(super) steps: PageSteps,
}

impl fmt::Debug for PageContext<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PageContext { page, given, loaded, recalled, explainers, .. } = self;
        let mut shown = f.debug_struct("PageContext");
        shown.field("page", page).field("given", given).field("loaded", loaded);
        shown.field("recalled", recalled).field("explainers", explainers).finish_non_exhaustive()
    }
}

impl<'d, 'e> PageContext<'d, 'e> {
    /// A page without siblings and site.
    pub fn alone(page: impl Into<Cow<'d, Page<'d>>>) -> Self {
        let page = page.into();
        PageContext {
            steps: page.steps(),
            page,
            given: Vec::new(),
            load: Cell::new(None),
            loaded: OnceCell::new(),
            recall: Cell::new(None),
            recalled: OnceCell::new(),
            explainers: None,
        }
    }

    /// The page.
    pub fn page(&self) -> &Page<'d> {
        &self.page
    }

    /// Pages to compare it with, the best first. Loaded on first use.
    pub fn siblings(&self) -> impl Iterator<Item = &Sibling<'e>> {
        let load = || self.load.take().map_or_else(Vec::new, |load| load());
        self.given.iter().chain(self.loaded.get_or_init(load))
    }

    /// The memory of the page's template, including the page. `memory` is that of the page alone.
    /// If the template is not known, the result has one page, this one. `None` if the caller gave
    /// no site.
    pub fn recall(&self, memory: &Memory) -> Option<&Memory> {
        if let Some(recall) = self.recall.take() {
            let recalled = recall(&self.page, memory);
            self.recalled.get_or_init(|| recalled);
        }
        self.recalled.get().map(|recalled| &recalled.memory)
    }

    /// Whether so many more steps may be made for the page: see [`PageSteps::charge`].
    #[must_use]
    pub fn charge(&self, steps: u64) -> bool {
        self.steps.charge(steps)
    }

    /// The workers that find which evidence moved each block's score. `None` if the caller did not
    /// ask for that.
    pub fn explainers(&self) -> Option<&'static dyn Workers> {
        self.explainers
    }

    /// What other pages of the site state: the loaded siblings and the recalled pages. Linear in
    /// the siblings.
    pub(super) fn stated(&self) -> Stated {
        let mut all = Stated::default();
        let siblings = self.given.iter().chain(self.loaded.get().into_iter().flatten());
        siblings.filter_map(Sibling::stated).for_each(|stated| all.add(&stated));
        self.recalled.get().into_iter().for_each(|recalled| all.add(&recalled.stated));
        all
    }
}
