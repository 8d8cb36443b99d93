//! What speaks against a lesson: a page that a person labelled, before it is entered.

use super::{Memory, Place, Site, Template};

/// The share of what is thought to be a template's content that a lesson may take away. Judgement: a lesson takes out what is wrong; where it takes nearly
/// all, the wrong page was labelled.
const MOST_TAKEN: f32 = 0.8;

/// What speaks against a lesson.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Objection {
    /// The page is of none of the templates that the site is known to have.
    #[error("the page is of no template that was seen on this site: it teaches its own kind alone")]
    Unknown,
    /// Another template took its place.
    #[error("the page is of template {number}, which is no longer served: template {by} took its place")]
    Replaced {
        /// The template that the page is of.
        number: u32,
        /// The one that took its place.
        by: u32,
    },
    /// What was taught before says otherwise.
    #[error(
        "what was taught of template {number} before says the opposite of {places} of its places, {words} words of this page: where two pages \
         disagree, neither holds"
    )]
    Contradicts {
        /// The template.
        number: u32,
        /// Places where they disagree.
        places: usize,
        /// Words that the page has there.
        words: u64,
    },
    /// Next to nothing would be left of pages of the template.
    #[error(
        "it would take {percent} % of what is thought to be the content away from {pages} of {all} pages of the site"
    )]
    Empties {
        /// The share that would go, in percent.
        percent: u32,
        /// Pages of the template.
        pages: u32,
        /// Pages of all templates.
        all: u32,
    },
    /// The page is empty, or nothing of it is labelled.
    #[error("no block of the page is labelled")]
    Nothing,
}

#[doc(hidden)]
impl Site {
    /// What speaks against learning this page with what a person said of it. Nothing is fine. O(places).
    pub fn objections(&self, page: &Memory) -> Vec<Objection> {
        if !page.is_taught() {
            return vec![Objection::Nothing];
        }
        let Some(template) = self.template_of(page) else {
            return if self.templates().is_empty() { Vec::new() } else { vec![Objection::Unknown] };
        };
        let number = template.number;
        let replaced = template.replaced_by().map(|by| Objection::Replaced { number, by });
        replaced.into_iter().chain(contradiction(template, page)).chain(self.emptied(template, page)).collect()
    }

    fn emptied(&self, template: &Template, page: &Memory) -> Option<Objection> {
        let all: u32 = self.templates().iter().map(|template| template.memory.pages()).sum();
        let pages = template.memory.pages();
        let likely: f32 = template.memory.places().map(|(_, place)| place.likely_words()).sum();
        let goes = |key| page.place(key).and_then(Place::mind) == Some(false);
        let places = template.memory.places().filter(|(key, _)| goes(*key));
        let taken = places.map(|(_, place)| place.likely_words()).sum::<f32>() / likely.max(1.0);
        let empties = taken > MOST_TAKEN && 2 * pages > all;
        empties.then_some(Objection::Empties { percent: (taken * 100.0).round() as u32, pages, all })
    }
}

fn contradiction(template: &Template, page: &Memory) -> Option<Objection> {
    let before = |key| template.memory.place(key).and_then(Place::mind);
    let opposed = page.places().filter(|(key, place)| {
        let says = place.mind();
        says.is_some() && before(*key).is_some_and(|before| Some(before) != says)
    });
    let (places, words) = opposed.fold((0, 0), |(places, words), (_, place)| (places + 1, words + place.words()));
    (places > 0).then_some(Objection::Contradicts { number: template.number, places, words })
}
