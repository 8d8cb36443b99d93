//! A site's templates.

use serde::{Deserialize, Serialize};

use super::drift::{Drift, Redesign};
use super::fading::Newer;
use super::memory::encoded_len;
use super::{LEAST_ALIKE, Memory};
use crate::metadata::Stated;

/// How much is remembered of a site at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Templates; at least 1. Beyond, the one makes room by which no page is judged, or else which
    /// nobody taught, and which was longest not served.
    pub templates: usize,
    /// Bytes of a template, in a file; the places with the fewest words go first.
    pub template_bytes: usize,
}

impl Bounds {
    /// The least bytes of a template: what is known of it beside its places takes up to some 3 KB.
    pub const LEAST_TEMPLATE_BYTES: usize = 8 << 10;
}

impl Default for Bounds {
    /// Judgement: a site has some ten templates, and the places of one in the sets of
    /// `EVALUATION.md` take 20 to 50 KB.
    fn default() -> Bounds {
        Bounds { templates: 16, template_bytes: 64 << 10 }
    }
}

/// Other pages from which a template is known well enough to judge a page by. Judgement: of two,
/// one may be the print view of the other, and then all of it repeats.
pub const ENOUGH_PAGES: u32 = 3;

/// What is remembered of a site, template by template. A page is of the template whose places it
/// stands at, whatever its URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Pages that were learned or seen again, of all templates: what counts as time here.
    pages: u64,
    /// The last number that was given to a template.
    given: u32,
    templates: Vec<Template>,
    pub(super) newer: Newer,
    stated: Stated,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Its number in the site, from 1; it is not given twice.
    pub number: u32,
    /// What its pages have: all of them, or the last 256 to 512 (`fading`).
    pub memory: Memory,
    /// Which page of the site was the first of it, and which the last.
    pub first: u64,
    /// See [`Template::first`].
    pub last: u64,
    /// The fingerprints of the last [`KNOWN_PAGES`] pages.
    known: Vec<u64>,
    /// Where its pages stood, and whether another took its place there.
    pub(super) drift: Drift,
}

/// Pages of a template that are known again. Judgement: 2 KB; among more, one page twice changes
/// little.
const KNOWN_PAGES: usize = 256;

/// A template that was replaced is forgotten when none of the last so many pages was of it, or of
/// as many as twice the pages of the site. Judgement: by then every page that still has it was seen
/// again.
const LAPSE: u64 = 200;
/// One that was not is forgotten after so many times that. Judgement: pages that never change are
/// seen a tenth as often as those that do.
const LAPSES: u64 = 16;

impl Template {
    /// Whether the very page is one of those that are remembered.
    pub fn knows(&self, page: &Memory) -> bool {
        self.known.contains(&page.fingerprint())
    }

    /// What is remembered at the places of this page, which is counted once, whether it was learned
    /// or not: `None` where that is too little to judge it by. A person's word is enough.
    pub fn with(&self, page: &Memory) -> Option<Memory> {
        let mut memory = self.memory.at_places_of(page);
        if !self.knows(page) {
            memory.merge(page);
        }
        (memory.pages() > ENOUGH_PAGES || (self.memory.is_taught() && memory.pages() > 1)).then_some(memory)
    }

    /// Whether pages are judged by it, those that it learned from as well.
    pub fn serves(&self) -> bool {
        self.memory.pages() > ENOUGH_PAGES || self.memory.is_taught()
    }

    /// The template that took its place, if one did: it may be served still, at other pages.
    pub fn replaced_by(&self) -> Option<u32> {
        self.drift.replaced_by()
    }

    fn add(&mut self, page: &Memory, most_bytes: usize) {
        self.known.push(page.fingerprint());
        if self.known.len() > KNOWN_PAGES {
            self.known.remove(0);
        }
        self.memory.merge(page);
        self.memory.bound(most_bytes);
    }

    /// What it takes in a file, without its newer pages: see [`Site::bytes_of`].
    pub(super) fn bytes(&self) -> usize {
        encoded_len(self)
    }
}

/// What is known of a page beside what stands on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit<'a> {
    /// What its URL has in common with those like it, as a hash.
    pub pattern: Option<u32>,
    /// The template that the same URL was of when it was learned.
    pub before: Option<u32>,
    /// What it states of itself.
    pub stated: Option<&'a Stated>,
}

/// What came of learning a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Learned {
    /// The template that it is of.
    pub number: u32,
    /// Whether that is new.
    pub is_new: bool,
    /// Whether pages are judged by it from now on, and were not before: see [`Template::serves`].
    pub begins_to_serve: bool,
    /// A template that another is found to have replaced, with this page.
    pub redesign: Option<Redesign>,
    /// Templates that were forgotten, since they are no longer served or too many.
    pub forgotten: Vec<u32>,
}

impl Site {
    /// Pages that were learned or seen again.
    pub fn pages(&self) -> u64 {
        self.pages
    }
}

#[doc(hidden)]
impl Site {
    /// The template that a page is of, if it is of any: the most alike. `page` is the memory of
    /// that page alone. O(places of the page · templates).
    pub fn template_of(&self, page: &Memory) -> Option<&Template> {
        self.position_of(page).map(|at| &self.templates[at])
    }

    fn position_of(&self, page: &Memory) -> Option<usize> {
        let alike = self.templates.iter().map(|template| page.alike(&template.memory)).enumerate();
        let best = alike.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.filter(|(_, alike)| *alike >= LEAST_ALIKE).map(|(at, _)| at)
    }

    /// What is known of the template that a page is of, at the places of the page, which is counted
    /// once: the page alone where it is of none, or that is not known well enough
    /// ([`Template::with`]).
    pub fn known_with(&self, page: &Memory) -> Memory {
        self.template_of(page).and_then(|template| template.with(page)).unwrap_or_else(|| page.clone())
    }

    /// Remembers a page of which nothing else is known: see [`Site::learn_at`].
    pub fn learn(&mut self, page: &Memory) -> Learned {
        self.learn_at(page, Visit::default())
    }

    /// Remembers a page within the bounds that there are by default: see [`Site::learn_within`].
    pub fn learn_at(&mut self, page: &Memory, visit: Visit<'_>) -> Learned {
        self.learn_within(page, visit, &Bounds::default())
    }

    /// Remembers a page: with its template, or with a new one. Of the very page again, or of a URL
    /// that was of the template before, only what a person said is added. Templates that are no
    /// longer seen go. A template takes no more bytes than the bounds say once they are
    /// [enforced](Site::enforce), and up to some three times as many until then.
    pub fn learn_within(&mut self, page: &Memory, visit: Visit<'_>, bounds: &Bounds) -> Learned {
        self.pages = self.pages.saturating_add(1);
        let mut forgotten = Vec::new();
        let known = self.position_of(page);
        let at = known.unwrap_or_else(|| self.begin(bounds.templates, &mut forgotten));
        let template = &mut self.templates[at];
        let (number, served) = (template.number, template.serves());
        match visit.before == Some(number) || template.knows(page) {
            true => template.memory.merge_taught(page),
            false => {
                template.add(page, bounds.template_bytes);
                self.newer.add(template, page, bounds.template_bytes);
                visit.stated.into_iter().for_each(|stated| self.stated.add(stated));
            }
        }
        template.last = self.pages;
        let begins_to_serve = !served && template.serves();
        let redesign = self.notice(at, page, visit);
        self.age(&mut forgotten);
        self.newer.keep(&self.templates);
        Learned { number, is_new: known.is_none(), begins_to_serve, redesign, forgotten }
    }

    /// Looks whether the page stands where pages of another template stood.
    fn notice(&mut self, at: usize, page: &Memory, visit: Visit<'_>) -> Option<Redesign> {
        let (to, first) = (self.templates[at].number, self.templates[at].first);
        let young = visit.pattern.map_or(0, |pattern| self.templates[at].drift.pages_of(pattern));
        self.templates[at].drift.seen(visit.pattern);
        let others = self.templates.iter_mut().filter(|other| other.number != to);
        let missed = match (visit.before, visit.pattern) {
            (Some(before), _) => others.filter(|other| other.number == before).last(),
            (None, Some(pattern)) => others
                .filter(|other| other.first < first && other.drift.is_at_home(pattern, young))
                .filter(|other| page.alike(&other.memory) <= MOST_SHARED)
                .max_by_key(|other| other.drift.pages_of(pattern)),
            (None, None) => None,
        };
        let missed = missed?;
        missed.drift.missed(to).then_some(Redesign { from: missed.number, to })
    }

    /// Begins a template. Where there are too many, that makes room which pages are not judged by,
    /// or else nobody taught, and which was longest not served.
    fn begin(&mut self, most: usize, forgotten: &mut Vec<u32>) -> usize {
        self.given = self.given.saturating_add(1);
        let (number, first) = (self.given, self.pages);
        let template = Template { number, first, last: first, ..Template::default() };
        if self.templates.len() < most.max(1) {
            self.templates.push(template);
            return self.templates.len() - 1;
        }
        let least = self.least();
        forgotten.push(self.templates[least].number);
        self.templates[least] = template;
        least
    }

    /// Where the template stands that makes room for another.
    fn least(&self) -> usize {
        let worth = |at: &usize| {
            let template = &self.templates[*at];
            (template.memory.is_taught(), template.serves(), template.last)
        };
        (0..self.templates.len()).min_by_key(worth).unwrap_or(0)
    }

    /// Forgets what is no longer seen.
    fn age(&mut self, forgotten: &mut Vec<u32>) {
        let pages: u64 = self.templates.iter().map(|template| u64::from(template.memory.pages())).sum();
        let lapse = LAPSE.max(2 * pages);
        let now = self.pages;
        self.templates.retain(|template| {
            let lapses = if template.replaced_by().is_some() { 1 } else { LAPSES };
            let stays = now.saturating_sub(template.last) <= lapses * lapse;
            if !stays {
                forgotten.push(template.number);
            }
            stays
        });
    }

    /// Brings it within bounds, to the byte, which may have been wider when it learned: before it
    /// is written. The templates go that would make room for new ones.
    pub fn enforce(&mut self, bounds: &Bounds) {
        while self.templates.len() > bounds.templates.max(1) {
            self.templates.remove(self.least());
        }
        self.newer.keep(&self.templates);
        for template in &mut self.templates {
            let newer = self.newer.bound_bytes(template.number, bounds.template_bytes / 2);
            let beside = template.bytes() - encoded_len(&template.memory) + newer;
            template.memory.bound_bytes(bounds.template_bytes.saturating_sub(beside));
        }
    }

    /// What its pages state of themselves, from [`ENOUGH_PAGES`] pages on; nothing before.
    pub fn stated(&self) -> Stated {
        if self.stated.pages() >= ENOUGH_PAGES { self.stated.clone() } else { Stated::default() }
    }

    /// Its templates, in the order in which they were met.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The template of this number.
    pub fn template(&self, number: u32) -> Option<&Template> {
        self.templates.iter().find(|template| template.number == number)
    }

    /// What a template takes in a file, with all that is remembered for it.
    pub fn bytes_of(&self, number: u32) -> usize {
        self.template(number).map_or(0, Template::bytes) + self.newer.bytes(number)
    }

    /// Forgets a template. False when there is none of that number.
    pub fn forget(&mut self, number: u32) -> bool {
        let before = self.templates.len();
        self.templates.retain(|template| template.number != number);
        self.newer.keep(&self.templates);
        self.templates.len() < before
    }

    /// Takes back what was taught of a template. False when nothing was, or there is none of that
    /// number.
    pub fn forget_taught(&mut self, number: u32) -> bool {
        let mut taught = self.templates.iter_mut().filter(|template| template.memory.is_taught());
        let found = taught.find(|template| template.number == number);
        found.map(|template| template.memory.forget_taught()).is_some()
    }

    /// What is left of it for another model than the one that scored its pages: which places its
    /// templates have, and what a person said of them.
    pub(super) fn start_over(mut self) -> Site {
        self.templates.retain(|template| template.memory.is_taught());
        self.newer = Newer::default();
        for template in &mut self.templates {
            template.known.clear();
            template.memory.start_over();
        }
        self
    }
}

/// The greatest share of its blocks that a page has at places of a template whose URLs it stands
/// at, for it to be a redesign and not another kind of page. See [`super::drift`].
const MOST_SHARED: f32 = 0.25;

#[cfg(test)]
mod tests;
