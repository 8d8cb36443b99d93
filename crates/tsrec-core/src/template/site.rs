//! The templates of a site.

use serde::{Deserialize, Serialize};

use super::drift::{Drift, Redesign};
use super::fading::Newer;
use super::memory::encoded_len;
use super::{LEAST_ALIKE, Memory};
use crate::metadata::Stated;

/// Limits on what we remember of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most templates; at least 1. When full, an unserved template is evicted, else an untaught
    /// one; least recently served first.
    pub templates: usize,
    /// The most bytes of a template in a file. The places with the fewest words go first.
    pub template_bytes: usize,
}

impl Bounds {
    /// The least limit on a template's bytes. Data besides its places take up to some 3 KB.
    pub const LEAST_TEMPLATE_BYTES: usize = 8 << 10;
}

impl Default for Bounds {
    /// Judgement: a site has some ten templates. The places of one take 20 to 50 KB in the sets of
    /// `EVALUATION.md`.
    fn default() -> Bounds {
        Bounds { templates: 16, template_bytes: 64 << 10 }
    }
}

/// How many other pages a template needs to judge a page. Judgement: of two, one may be the print
/// view of the other, and then everything repeats.
pub const ENOUGH_PAGES: u32 = 3;

/// What we remember of a site, by template. A page belongs to the template that has its places,
/// whatever its URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The number of pages learned or seen again, of all templates. It serves as the clock here.
    pages: u64,
    /// The last number given to a template.
    given: u32,
    templates: Vec<Template>,
    pub(super) newer: Newer,
    stated: Stated,
}

/// A template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Its number in the site, from 1. Numbers are never reused.
    pub number: u32,
    /// The memory of its pages: all of them, or the last 256 to 512 (`fading`).
    pub memory: Memory,
    /// The site's page count at the first page of the template; `last` is that at the last.
    pub first: u64,
    /// See [`Template::first`].
    pub last: u64,
    /// The fingerprints of the last [`KNOWN_PAGES`] pages.
    known: Vec<u64>,
    /// Where its pages were, and whether another template replaced it there.
    pub(super) drift: Drift,
}

/// How many pages of a template are recognised again. Judgement: this takes 2 KB, and among more
/// pages, one page twice changes little.
const KNOWN_PAGES: usize = 256;

/// A replaced template is forgotten if none of the last 200 pages was of it, or none of twice as
/// many pages as the site has, whichever is more. Judgement: by then every page that still has it
/// was seen again.
const LAPSE: u64 = 200;
/// A template that was not replaced is forgotten after this many times that. Judgement: pages that
/// never change are seen a tenth as often as others.
const LAPSES: u64 = 16;

impl Template {
    /// Whether this exact page is one of the known ones.
    pub fn knows(&self, page: &Memory) -> bool {
        self.known.contains(&page.fingerprint())
    }

    /// The memory at the places of this page, with the page counted once, whether it was learned or
    /// not. Places that the template has forgotten are those of the page. `None` if it is too
    /// little to judge by. A person's label is enough.
    pub fn with(&self, page: &Memory) -> Option<Memory> {
        let mut memory = self.memory.at_places_of(page);
        match self.knows(page) {
            true => memory.add_places(page),
            false => memory.merge(page),
        }
        (memory.pages() > ENOUGH_PAGES || (self.memory.is_taught() && memory.pages() > 1)).then_some(memory)
    }

    /// Whether it judges pages, including those it learned from.
    pub fn serves(&self) -> bool {
        self.memory.pages() > ENOUGH_PAGES || self.memory.is_taught()
    }

    /// The template that replaced it, if any. Other pages may still be served with the old one.
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

    /// Its size in a file, without its newer pages: see [`Site::bytes_of`].
    pub(super) fn bytes(&self) -> usize {
        encoded_len(self)
    }
}

/// What we know of a page besides its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit<'a> {
    /// The hash of its URL pattern.
    pub pattern: Option<u32>,
    /// The template of the same URL when it was last learned.
    pub before: Option<u32>,
    /// What the page states about itself.
    pub stated: Option<&'a Stated>,
}

/// The result of learning a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Learned {
    /// The template of the page.
    pub number: u32,
    /// Whether that template is new.
    pub is_new: bool,
    /// Whether the template judges pages from now on, and did not before: see [`Template::serves`].
    pub begins_to_serve: bool,
    /// A redesign that this page completes.
    pub redesign: Option<Redesign>,
    /// Templates that were forgotten, because they are no longer served or too many.
    pub forgotten: Vec<u32>,
}

impl Site {
    /// The number of pages learned or seen again.
    pub fn pages(&self) -> u64 {
        self.pages
    }
}

#[doc(hidden)]
impl Site {
    /// The template of a page, if any: the most similar one. `page` is the memory of that page
    /// alone. O(places of the page · templates).
    pub fn template_of(&self, page: &Memory) -> Option<&Template> {
        self.position_of(page).map(|at| &self.templates[at])
    }

    fn position_of(&self, page: &Memory) -> Option<usize> {
        let alike = self.templates.iter().map(|template| page.alike(&template.memory)).enumerate();
        let best = alike.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.filter(|(_, alike)| *alike >= LEAST_ALIKE).map(|(at, _)| at)
    }

    /// The memory of the page's template at the places of the page, with the page counted once. If
    /// there is no template, or too little is known of it ([`Template::with`]), the page alone.
    pub fn known_with(&self, page: &Memory) -> Memory {
        self.template_of(page).and_then(|template| template.with(page)).unwrap_or_else(|| page.clone())
    }

    /// Learns a page of which nothing else is known: see [`Site::learn_at`].
    pub fn learn(&mut self, page: &Memory) -> Learned {
        self.learn_at(page, Visit::default())
    }

    /// Learns a page within the default bounds: see [`Site::learn_within`].
    pub fn learn_at(&mut self, page: &Memory, visit: Visit<'_>) -> Learned {
        self.learn_within(page, visit, &Bounds::default())
    }

    /// Learns a page, with its template or a new one. If the same page or a URL of that template
    /// comes again, only a person's labels are added. Templates that are no longer seen are
    /// forgotten. A template keeps to its byte limit once that is [enforced](Site::enforce); until
    /// then it may take some three times as much.
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

    /// Checks whether the page is where pages of another template were.
    fn notice(&mut self, at: usize, page: &Memory, visit: Visit<'_>) -> Option<Redesign> {
        let (to, first) = (self.templates[at].number, self.templates[at].first);
        let young = visit.pattern.map_or(0, |pattern| self.templates[at].drift.pages_of(pattern));
        self.templates[at].drift.seen(visit.pattern);
        let others = self.templates.iter_mut().filter(|other| other.number != to);
        let missed = match (visit.before, visit.pattern) {
            (Some(before), _) => others.filter(|other| other.number == before).last(),
            (None, Some(pattern)) => others
                .filter(|other| other.first < first && other.drift.is_at_home(pattern, young))
                .filter(|other| lacks_frame(page, &other.memory))
                .max_by_key(|other| other.drift.pages_of(pattern)),
            (None, None) => None,
        };
        let missed = missed?;
        missed.drift.missed(to).then_some(Redesign { from: missed.number, to })
    }

    /// Begins a template. If there are too many, it evicts an unserved template, else an untaught
    /// one; least recently served first.
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

    /// The index of the template to evict.
    fn least(&self) -> usize {
        let worth = |at: &usize| {
            let template = &self.templates[*at];
            (template.memory.is_taught(), template.serves(), template.last)
        };
        (0..self.templates.len()).min_by_key(worth).unwrap_or(0)
    }

    /// Forgets templates that are no longer seen.
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

    /// Enforces bounds to the byte, before writing; learning may have used wider ones. Templates
    /// are evicted in the same order as for new ones.
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

    /// What its pages state about themselves, from [`ENOUGH_PAGES`] pages on; nothing before.
    pub fn stated(&self) -> Stated {
        if self.stated.pages() >= ENOUGH_PAGES { self.stated.clone() } else { Stated::default() }
    }

    /// Its templates, in the order of their first page.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The template with this number.
    pub fn template(&self, number: u32) -> Option<&Template> {
        self.templates.iter().find(|template| template.number == number)
    }

    /// The size of a template in a file, with all its data.
    pub fn bytes_of(&self, number: u32) -> usize {
        self.template(number).map_or(0, Template::bytes) + self.newer.bytes(number)
    }

    /// Forgets a template. False if there is none with that number.
    pub fn forget(&mut self, number: u32) -> bool {
        let before = self.templates.len();
        self.templates.retain(|template| template.number != number);
        self.newer.keep(&self.templates);
        self.templates.len() < before
    }

    /// Removes the labels of a template. False if it has none, or if there is none with that
    /// number.
    pub fn forget_taught(&mut self, number: u32) -> bool {
        let mut taught = self.templates.iter_mut().filter(|template| template.memory.is_taught());
        let found = taught.find(|template| template.number == number);
        found.map(|template| template.memory.forget_taught()).is_some()
    }

    /// What another model can still use: the places of its templates, and their labels.
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

/// A page at URLs of a template may have at most this share of its blocks at the template's places,
/// and at most this share of the template's frame, to count as a redesign. With more it is another
/// kind of page, such as an index, whose entries outnumber the frame. See [`super::drift`].
const MOST_SHARED: f32 = 0.25;

fn lacks_frame(page: &Memory, template: &Memory) -> bool {
    page.alike(template) <= MOST_SHARED && template.frame_shared(page) <= MOST_SHARED
}

#[cfg(test)]
mod tests;
