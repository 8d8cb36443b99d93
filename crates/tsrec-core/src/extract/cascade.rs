//! The cascade: one score, with the siblings that may speak.

use std::borrow::Cow;

use super::scored::{Reading, Scored};
use super::template::TemplateDiff;
use super::{Attempt, Extraction, Extractor, Method, Page, Sibling};
use crate::page::Label;
use crate::template::{LEAST_ALIKE, Memory, Site};

/// `auto`: the [score](Scored) over what is known of each block. Siblings are evidence too: those
/// that are built like the page, and the one that passes the gates of the template diff, with which
/// the method is `template`; where none does, or there is none, it is `blocks`. A [memory of the
/// site](Cascade::with_site) takes the place of siblings.
#[derive(Clone, Debug)]
pub struct Cascade<'s> {
    siblings: Vec<Sibling<'s>>,
    site: Option<&'s Site>,
    /// `None`: the one that ships.
    scored: Option<&'s Scored>,
}

impl Default for Cascade<'_> {
    fn default() -> Self {
        Cascade::new(Vec::new())
    }
}

impl<'s> Cascade<'s> {
    /// A cascade over these siblings, best first; none at all is fine.
    pub fn new(siblings: Vec<Sibling<'s>>) -> Self {
        Cascade { siblings, site: None, scored: None }
    }

    /// With what is remembered of the site: no sibling is asked where a template of it is known
    /// from enough pages.
    pub fn with_site(self, site: Option<&'s Site>) -> Self {
        Cascade { site, ..self }
    }

    /// With another score than the one that ships.
    pub fn with_score(self, scored: &'s Scored) -> Self {
        Cascade { scored: Some(scored), ..self }
    }

    fn scored(&self) -> &'s Scored {
        self.scored.unwrap_or_else(|| Scored::shipped())
    }

    /// The extraction from memory alone, of a page that was read: `None` where that does not know
    /// its template well enough. Linear in the page.
    pub fn from_memory(&self, reading: &Reading<'_, '_>) -> Option<Extraction> {
        from_memory(reading, &self.site?.known_with(reading.memory()))
    }

    /// The extraction of a page that was read.
    pub fn extract_read(&self, page: &Page<'_>, reading: &Reading<'_, '_>) -> Extraction {
        self.from_memory(reading).unwrap_or_else(|| self.by_siblings(page, reading))
    }
}

/// What is found on a page with what is known of its template, the page itself included
/// ([`Site::known_with`]). `None` where that is the page alone.
pub fn from_memory(reading: &Reading<'_, '_>, known: &Memory) -> Option<Extraction> {
    (known.pages() > 1).then(|| Extraction { method: Method::Template, ..reading.extract_with(known) })
}

impl Extractor for Cascade<'_> {
    /// Linear in the page from memory; with siblings O(alignment of each), and linear in the pages.
    fn extract(&self, page: &Page<'_>) -> Extraction {
        self.extract_read(page, &self.scored().read(page))
    }
}

impl Cascade<'_> {
    /// What is remembered of the page, of the sibling that passed the gates, and of those that are
    /// built like the page: a sibling that the diff can do nothing with, such as the same article
    /// again, still says what its site has at a place. The very page again says nothing.
    fn known_with<'m>(&self, passed: Option<&Sibling<'_>>, own: &'m Memory) -> Cow<'m, Memory> {
        let (mut known, page) = (Cow::Borrowed(own), own.fingerprint());
        for sibling in &self.siblings {
            let Some(memory) = sibling.memory.filter(|memory| memory.fingerprint() != page) else { continue };
            if own.alike(memory) >= LEAST_ALIKE || passed.is_some_and(|passed| std::ptr::eq(sibling, passed)) {
                known.to_mut().merge(memory);
            }
        }
        known
    }

    fn by_siblings(&self, page: &Page<'_>, reading: &Reading<'_, '_>) -> Extraction {
        let mut attempts = Vec::new();
        let mut diff: Option<(&Sibling<'_>, Extraction)> = None;
        for sibling in &self.siblings {
            let mut extraction = TemplateDiff::new(sibling.clone()).extract(page);
            attempts.append(&mut extraction.attempts);
            if attempts.last().is_some_and(Attempt::passed) {
                diff = Some((sibling, extraction));
                break;
            }
        }
        let known = self.known_with(diff.as_ref().map(|(passed, _)| *passed), reading.memory());
        let Some((_, diff)) = diff else {
            return Extraction { attempts, ..reading.extract_with(&known) };
        };
        let found = reading.extract_with(&known).labelled_by(page, diff);
        Extraction { method: Method::Template, attempts, ..found }
    }
}

impl Extraction {
    /// The same content, beside a sibling: elements have the labels and partners that the template
    /// diff of both pages gives them, where the gates let it speak. O(alignment).
    pub fn beside(self, page: &Page<'_>, sibling: &Sibling<'_>) -> Extraction {
        let mut diff = TemplateDiff::new(sibling.clone()).extract(page);
        let found = Extraction { attempts: std::mem::take(&mut diff.attempts), ..self };
        match found.attempts.iter().all(Attempt::passed) {
            true => found.labelled_by(page, diff),
            false => found,
        }
    }

    /// What the content leaves out was found to be common or regular by a diff, or is outside.
    fn labelled_by(self, page: &Page<'_>, diff: Extraction) -> Extraction {
        let labels = page.labels(&self.content, |element| match diff.labels[element] {
            Label::Content => Label::Outside,
            label => label,
        });
        Extraction { labels, partners: diff.partners, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let documents =
            ["ferry", "ferry", "harbour cat"].map(|about| parse(story(about).as_bytes(), None, &Default::default()));
        let [page, same, other] = documents.each_ref().map(Page::new);
        let known_beside = |sibling: &Page<'_>| {
            let memory = Scored::shipped().remember(sibling);
            let sibling = Sibling { name: "sibling".to_owned(), sequence: sibling.sequence(), memory: Some(&memory) };
            Cascade::new(vec![sibling]).extract(&page).remembered
        };
        assert_eq!((known_beside(&same), known_beside(&other)), (0, 1));
    }
}
