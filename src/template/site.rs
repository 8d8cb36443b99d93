//! A site's templates.

use serde::{Deserialize, Serialize};

use super::{LEAST_ALIKE, Memory};

/// Templates of a site at most (judgement): the one that was longest not served makes room.
pub const MOST_TEMPLATES: usize = 16;

/// What is remembered of a site, template by template. A page is of the template whose places it stands at, whatever its URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Pages that were learned, of all templates.
    pages: u64,
    /// The last number that was given to a template.
    given: u32,
    templates: Vec<Template>,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Its number in the site, from 1; it is not given twice.
    pub number: u32,
    /// What its pages have.
    pub memory: Memory,
    /// Which page of the site was the first of it, and which the last.
    pub first: u64,
    /// See [`Template::first`].
    pub last: u64,
    /// The fingerprints of the last [`KNOWN_PAGES`] pages.
    known: Vec<u64>,
}

/// Pages of a template that are known again. Judgement: 2 KB; among more, one page twice changes little.
const KNOWN_PAGES: usize = 256;

impl Template {
    /// Whether the very page is one of those that are remembered.
    pub fn knows(&self, page: &Memory) -> bool {
        self.known.contains(&page.fingerprint())
    }

    fn add(&mut self, page: &Memory) {
        self.known.push(page.fingerprint());
        if self.known.len() > KNOWN_PAGES {
            self.known.remove(0);
        }
        self.memory.merge(page);
        self.memory.bound();
    }

    /// What it takes in a file.
    pub fn bytes(&self) -> usize {
        postcard::to_stdvec(self).map_or(0, |bytes| bytes.len())
    }
}

/// What came of learning a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The template that it is of.
    pub number: u32,
    /// Whether that is new.
    pub is_new: bool,
}

impl Site {
    /// The template that a page is of, if it is of any: the most alike. `page` is the memory of that page alone. O(places of the page · templates).
    pub fn template_of(&self, page: &Memory) -> Option<&Template> {
        self.position_of(page).map(|at| &self.templates[at])
    }

    fn position_of(&self, page: &Memory) -> Option<usize> {
        let alike = self.templates.iter().map(|template| page.alike(&template.memory)).enumerate();
        let best = alike.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.filter(|(_, alike)| *alike >= LEAST_ALIKE).map(|(at, _)| at)
    }

    /// What is known of the template that a page is of, the page itself included: of the page alone where it is of none. `page` is the memory of that page
    /// alone. As [`Site::template_of`], and O(places of the template).
    pub fn known_with(&self, page: &Memory) -> Memory {
        let mut known = page.clone();
        match self.template_of(page) {
            Some(template) if template.knows(page) => known = template.memory.clone(),
            Some(template) => known.merge(&template.memory),
            None => {}
        }
        known
    }

    /// Remembers a page: with its template, or with a new one. Of the very page again only what a person said of it is added.
    pub fn learn(&mut self, page: &Memory) -> Learned {
        self.pages += 1;
        let known = self.position_of(page);
        let at = known.unwrap_or_else(|| self.begin());
        let template = &mut self.templates[at];
        match template.knows(page) {
            true => template.memory.merge_taught(page),
            false => template.add(page),
        }
        template.last = self.pages;
        Learned { number: template.number, is_new: known.is_none() }
    }

    /// Begins a template, in the place of the one that was longest not served where there are too many.
    fn begin(&mut self) -> usize {
        self.given += 1;
        let template = Template {
            number: self.given,
            memory: Memory::default(),
            first: self.pages,
            last: self.pages,
            known: Vec::new(),
        };
        if self.templates.len() < MOST_TEMPLATES {
            self.templates.push(template);
            return self.templates.len() - 1;
        }
        let oldest = (0..self.templates.len()).min_by_key(|&at| self.templates[at].last).unwrap_or(0);
        self.templates[oldest] = template;
        oldest
    }

    /// Its templates, in the order in which they were met.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Forgets a template. False when there is none of that number.
    pub fn forget(&mut self, number: u32) -> bool {
        let before = self.templates.len();
        self.templates.retain(|template| template.number != number);
        self.templates.len() < before
    }

    /// Takes back what was taught of a template. False when there is none of that number.
    pub fn forget_taught(&mut self, number: u32) -> bool {
        let found = self.templates.iter_mut().find(|template| template.number == number);
        found.map(|template| template.memory.forget_taught()).is_some()
    }

    /// Pages that were learned.
    pub fn pages(&self) -> u64 {
        self.pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{EVIDENCE, Seen};

    /// A page whose places are `from` and those after it.
    fn page(from: u64, places: u64, text: u64) -> Memory {
        Memory::of_page((from..from + places).map(|place| Seen {
            place,
            text: text << 40 | place << 33,
            words: 10,
            odds: 0.0,
            evidence: [0.0; EVIDENCE],
        }))
    }

    #[test]
    fn a_page_joins_the_template_whose_places_it_has() {
        let mut site = Site::default();
        assert_eq!(site.template_of(&page(0, 10, 0)), None);
        assert_eq!(site.learn(&page(0, 10, 1)), Learned { number: 1, is_new: true });
        assert_eq!(site.learn(&page(2, 10, 2)), Learned { number: 1, is_new: false });
        assert_eq!(site.learn(&page(100, 10, 3)), Learned { number: 2, is_new: true });
        assert_eq!(site.template_of(&page(6, 10, 4)).map(|template| template.number), Some(1));
        assert_eq!(site.template_of(&page(9, 20, 4)), None);
        assert_eq!(site.templates().iter().map(|template| template.memory.pages()).collect::<Vec<_>>(), [2, 1]);
        assert!(site.forget(1) && !site.forget(1));
        assert_eq!(site.learn(&page(0, 10, 5)), Learned { number: 3, is_new: true });
    }

    #[test]
    fn a_page_is_remembered_once() {
        let mut site = Site::default();
        site.learn(&page(0, 10, 1));
        let (once, mut taught) = (site.templates()[0].memory.clone(), page(0, 10, 1));
        taught.teach(3, 10, true);
        site.learn(&taught);
        let template = &site.templates()[0];
        assert!(template.knows(&taught) && !template.knows(&page(0, 10, 2)));
        assert_eq!((template.memory.pages(), template.memory.place(3).unwrap().taught()), (1, Some(1.0)));
        assert_eq!(once.place(4), template.memory.place(4));
    }

    #[test]
    fn the_template_that_was_longest_not_served_makes_room() {
        let mut site = Site::default();
        for template in 0..MOST_TEMPLATES as u64 {
            site.learn(&page(template * 100, 10, template));
        }
        site.learn(&page(0, 10, 99));
        site.learn(&page(9000, 10, 100));
        let numbers: Vec<u32> = site.templates().iter().map(|template| template.number).collect();
        assert_eq!(site.templates().len(), MOST_TEMPLATES);
        assert!(numbers.contains(&1) && !numbers.contains(&2) && numbers.contains(&(MOST_TEMPLATES as u32 + 1)));
    }

    #[test]
    fn a_site_of_ten_thousand_pages_is_flat() {
        let bytes = |pages: u64| {
            let mut site = Site::default();
            for number in 0..pages {
                site.learn(&page(number % 40, 60, number));
            }
            postcard::to_stdvec(&site).unwrap().len()
        };
        let (hundred, many) = (bytes(300), bytes(10_000));
        assert!(many < hundred + hundred / 4, "{hundred} bytes after 300 pages, {many} after 10,000");
    }
}
