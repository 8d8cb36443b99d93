//! `auto`: one score, with suitable siblings or with the memory of the site.
//!
//! 1. The score reads the page alone ([`Scored::read`]).
//! 2. If the memory of the site knows the page's template, it completes the evidence.
//! 3. Otherwise siblings complete it: those that are built like the page, and the first one that
//!    passes the gates of the template diff. That diff labels the elements that are not content.
//!
//! The page alone gives the method `blocks`, which is [`Scored`] too. The file `blocks.rs` is
//! another method, `mss-blocks`.

use super::scored::{Reading, Scored};
use super::sibling::Sibling;
use super::template::GatedDiff;
use super::{Extraction, Extractor, Method, NoSibling, PageContext};
use crate::page::Content;
use crate::template::{LEAST_ALIKE, Memory};

/// The [score](Scored) over all that is known of each block. The method of the extraction is
/// `memory` if the memory of the site knows the page's template, `template` if a sibling passes the
/// gates, else `blocks`.
#[derive(Clone, Debug)]
pub struct Auto {
    scored: Scored,
}

impl Auto {
    /// `auto` with this score.
    pub fn new(scored: Scored) -> Self {
        Auto { scored }
    }

    /// `auto` with the shipped score.
    pub fn shipped() -> Self {
        Auto::new(Scored::shipped().clone())
    }
}

impl Extractor for Auto {
    /// With memory, linear in the page. With siblings, O(alignment of each) and linear in the
    /// pages.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        if !context.charge(context.page().steps_of_score()) {
            return Ok(Extraction::of_page(Method::Blocks, Content::default(), 0.0));
        }
        let reading = self.scored.read(context.page());
        Ok(match context.recall(reading.memory()).filter(|known| known.pages() > 1) {
            Some(known) => {
                Extraction { method: Method::Memory, ..reading.extract_with(Some(known), context.explainers()) }
            }
            None => self.by_siblings(context, reading),
        })
    }

    fn score(&self) -> Option<&Scored> {
        Some(&self.scored)
    }
}

impl Auto {
    /// Compares the page with each sibling, until one passes the gates. The diff with that sibling
    /// is evidence for the score, and gives the labels of elements.
    fn by_siblings(&self, context: &PageContext<'_, '_>, reading: Reading<'_, '_>) -> Extraction {
        let GatedDiff { attempts, passed } = GatedDiff::of_siblings(context);
        let page = context.page();
        let reading = match &passed {
            Some((_, diff)) => reading.compared(diff.of_blocks(page)),
            None => reading,
        };
        let known = self.known_with(context, passed.as_ref().map(|(sibling, _)| *sibling), reading.memory());
        let found = Extraction { attempts, ..reading.extract_with(known.as_ref(), context.explainers()) };
        match passed {
            Some((_, diff)) => {
                let diff = diff.into_extraction(page);
                Extraction { method: Method::Template, ..found.labelled_by(page, diff) }
            }
            None => found,
        }
    }

    /// The memory of the page, of the sibling that passed the gates, and of siblings that are built
    /// like the page. Some siblings are useless for the diff, such as the same article again, but
    /// still show what the site has at a place. A sibling identical to the page is ignored. `None`
    /// if only the page is left.
    fn known_with<'e>(
        &self,
        context: &PageContext<'_, 'e>,
        passed: Option<&Sibling<'e>>,
        own: &Memory,
    ) -> Option<Memory> {
        let (mut known, page) = (None, own.fingerprint());
        for sibling in context.siblings() {
            if !context.charge(sibling.steps_of_memory()) {
                break;
            }
            let memory = sibling.memory(&self.scored).filter(|memory| memory.fingerprint() != page);
            let Some(memory) = memory else { continue };
            if own.alike(memory) >= LEAST_ALIKE || passed.is_some_and(|passed| std::ptr::eq(sibling, passed)) {
                known.get_or_insert_with(|| own.clone()).merge(memory);
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Kind;
    use crate::extract::Extract;
    use crate::html::parse;

    #[test]
    fn the_very_page_again_says_nothing_of_its_site() {
        let story = |about: &str| {
            let paragraph =
                format!("<p>The {about} came in at nine with the band on board, and it stayed until noon.</p>");
            format!(
                "<title>{about}</title><nav><a href=/>Home</a></nav><main><h1>{about}</h1>{}</main>",
                paragraph.repeat(6)
            )
        };
        let [page, same, other] =
            ["ferry", "ferry", "harbour cat"].map(|about| parse(story(about).as_bytes(), None, &Default::default()));
        let known_beside = |sibling| Extract::new(&page).sibling("sibling", sibling).run().unwrap().remembered();
        assert_eq!((known_beside(&same), known_beside(&other)), (0, 1));
    }

    /// A diff with a sibling moves blocks, and says so; the page's memory keeps what it found. With
    /// the memory alone there is evidence of diffs, too.
    #[test]
    fn what_the_diff_found_is_evidence() {
        let story = |about: &str, day: u32| {
            let sentence = |n: u32| {
                format!("The {about} came in at {n} with the band on board, and the {about} stayed until noon. ")
            };
            let body: String = (day..day + 8).map(sentence).collect();
            let menu: String = (1..30).map(|pier| format!("<li><a href=/{pier}>Times of pier {pier}</a>")).collect();
            format!(
                "<title>{about}</title><ul>{menu}</ul><main><h1>{about}</h1><p>{body}</p></main>\
                 <p>All rights reserved by the ferry company of the town, which answers no letters.</p>"
            )
        };
        let [page, other] = [story("ferry", 1), story("harbour cat", 40)]
            .map(|story| parse(story.as_bytes(), None, &Default::default()));
        let run = Extract::new(&page).sibling("other", &other).explaining().run().unwrap();
        let score = run.extraction().score.as_ref().unwrap();
        let moved = |kind: Kind| {
            let reasons = score.reasons.as_ref().unwrap().iter().flatten();
            reasons.filter(|reason| reason.column.kind == kind && reason.moves != 0.0).count()
        };
        assert_eq!(run.method(), Method::Template, "{:?}", run.extraction().attempts);
        assert!(moved(Kind::Diff) > 0);
        let compared = score.memory.places().filter(|(_, place)| place.compared_pages() == 1);
        let shares: Vec<f32> = compared.map(|(_, place)| place.compared_shares()[0]).collect();
        assert!(shares.contains(&1.0) && shares.contains(&0.0), "{shares:?}");
        let alone = Extract::new(&page).explaining().run().unwrap();
        let alone = alone.extraction().score.as_ref().unwrap();
        let reasons = alone.reasons.as_ref().unwrap().iter().flatten();
        assert!(reasons.clone().count() > 0 && reasons.clone().all(|reason| reason.column.kind != Kind::Diff));
        assert!(alone.memory.places().all(|(_, place)| place.compared_pages() == 0));
    }
}
