//! Objections to a page that a person labelled, before it is learned.

use super::{Memory, Place, Site, Template};

/// The largest share of a template's likely content that a lesson may remove. Judgement: a lesson
/// removes errors. If it removes half of the site's words and adds none, probably the wrong page
/// was labelled.
const MOST_TAKEN: f32 = 0.5;

/// The same for the labelled page itself, which the person saw. Judgement: almost nothing is left.
const MOST_TAKEN_OF_THE_PAGE: f32 = 0.9;

/// An objection to a lesson.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Objection {
    /// The page is of none of the site's known templates.
    #[error("the page is of no template that was seen on this site: it teaches its own kind alone")]
    Unknown,
    /// Another template replaced it.
    #[error("the page is of template {number}, which is no longer served: template {by} took its place")]
    Replaced {
        /// The template of the page.
        number: u32,
        /// The template that replaced it.
        by: u32,
    },
    /// Earlier labels say the opposite.
    #[error(
        "what was taught of template {number} before says the opposite of {places} of its places, {words} words of this page: where two pages \
         disagree, neither holds"
    )]
    Contradicts {
        /// The template.
        number: u32,
        /// The number of places where they disagree.
        places: usize,
        /// The page's words there.
        words: u64,
    },
    /// Almost nothing would be left of pages of the template.
    #[error(
        "it would take {percent} % of what is thought to be the content away from {pages} of {all} pages of the site"
    )]
    Empties {
        /// The share that would be removed, in percent.
        percent: u32,
        /// Pages of the template.
        pages: u32,
        /// Pages of all templates.
        all: u32,
    },
    /// Almost nothing would be left of the labelled page itself.
    #[error(
        "it would take {percent} % of what is thought to be the content away from the page itself, and every page of its template is as likely to be empty"
    )]
    EmptiesThePage {
        /// The share that would be removed, in percent.
        percent: u32,
    },
    /// The page is empty, or nothing on it is labelled.
    #[error("no block of the page is labelled")]
    Nothing,
}

#[doc(hidden)]
impl Site {
    /// The objections to learning this page with its labels. An empty list means none. O(places).
    pub fn objections(&self, page: &Memory) -> Vec<Objection> {
        if !page.is_taught() {
            return vec![Objection::Nothing];
        }
        let Some(template) = self.template_of(page) else {
            let unknown = (!self.templates().is_empty()).then_some(Objection::Unknown);
            return unknown.into_iter().chain(emptied_itself(page)).collect();
        };
        let number = template.number;
        let replaced = template.replaced_by().map(|by| Objection::Replaced { number, by });
        let emptied = self.emptied(template, page).or_else(|| emptied_itself(page));
        replaced.into_iter().chain(contradiction(template, page)).chain(emptied).collect()
    }

    fn emptied(&self, template: &Template, page: &Memory) -> Option<Objection> {
        let all: u32 = self.templates().iter().map(|template| template.memory.pages()).sum();
        let pages = template.memory.pages();
        let taken = taken(&template.memory, page);
        let empties = taken > MOST_TAKEN && 2 * pages > all;
        empties.then(|| Objection::Empties { percent: percent(taken), pages, all })
    }
}

fn emptied_itself(page: &Memory) -> Option<Objection> {
    let taken = taken(page, page);
    (taken > MOST_TAKEN_OF_THE_PAGE).then(|| Objection::EmptiesThePage { percent: percent(taken) })
}

/// The share of likely content that is lost if the lesson removes what it calls no content and adds
/// what it calls content.
fn taken(memory: &Memory, lesson: &Memory) -> f32 {
    let (mut likely, mut left) = (0.0, 0.0);
    for (key, place) in memory.places() {
        likely += place.likely_words();
        left += match lesson.place(key).and_then(Place::mind) {
            Some(true) => place.words() as f32,
            Some(false) => 0.0,
            None => place.likely_words(),
        };
    }
    if likely < 1.0 { 0.0 } else { 1.0 - left / likely }
}

fn percent(share: f32) -> u32 {
    (share * 100.0).round() as u32
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
