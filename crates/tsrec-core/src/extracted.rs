//! The way into the library: a page, what it may be compared with, and what comes of it.

use std::fmt;

use url::Url;

use crate::evidence::kind::PageKind;
use crate::extract::choice::Choice;
use crate::extract::report;
use crate::extract::report::Report;
use crate::extract::scored::Scored;
use crate::extract::tool::CoreTool;
use crate::extract::{Attempt, Extraction, Method, Page, Sibling, beside};
use crate::html::{Document, links};
use crate::learn::parallel::InTurn;
use crate::metadata::{Described, Stated};
use crate::page::Content;
use crate::pairing::pattern::pattern_hash;
use crate::render;
use crate::render::Along;
use crate::template::{Error as MemoryError, Learned, Site, Visit};

/// A page whose content is wanted, and what is known beside it.
///
/// ```
/// use tsrec_core::extracted::Extract;
/// use tsrec_core::html::{Limits, parse};
///
/// let page = parse(b"<title>Ferry</title><p>The ferry sails again, a year late, and nobody on the quay minded.", None, &Limits::default());
/// let found = Extract::new(&page).run()?;
/// assert!(found.text().contains("a year late"));
/// assert_eq!(found.described().metadata.title.as_deref(), Some("Ferry"));
/// # Ok::<(), tsrec_core::extracted::ExtractError>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is extracted before it is run"]
pub struct Extract<'d> {
    document: &'d Document,
    url: Option<&'d Url>,
    siblings: Vec<(&'d str, Page<'d>)>,
    site: Option<&'d Site>,
    choice: Choice,
    explains: bool,
}

/// Why nothing was extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractError {
    choice: Choice,
    why: ExtractFailure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExtractFailure {
    NoSibling,
    NotBuilt,
}

impl ExtractError {
    /// True where the method compares a page with another, and none was given.
    pub fn needs_sibling(&self) -> bool {
        self.why == ExtractFailure::NoSibling
    }

    /// True where the method is not built in: it wants the feature `papers`.
    pub fn is_not_built(&self) -> bool {
        self.why == ExtractFailure::NotBuilt
    }
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choice = self.choice;
        match self.why {
            ExtractFailure::NoSibling => write!(
                f,
                "{choice} compares a page with another: name one with Extract::beside, or leave the choice of the method"
            ),
            ExtractFailure::NotBuilt => write!(f, "{choice} is not built in: build tsrec with its feature papers"),
        }
    }
}

impl std::error::Error for ExtractError {}

impl<'d> Extract<'d> {
    /// The content of this page, by all that is known of it.
    pub fn new(document: &'d Document) -> Self {
        Extract { document, url: None, siblings: Vec::new(), site: None, choice: Choice::Auto, explains: false }
    }

    /// With its address: it makes links absolute, and is evidence.
    pub fn at(self, url: &'d Url) -> Self {
        Extract { url: Some(url), ..self }
    }

    /// Compared with a page of the same site too, which is called so in what is said of it. The
    /// most similar one is given first.
    pub fn beside(mut self, name: &'d str, sibling: &'d Document) -> Self {
        self.siblings.push((name, Page::new(sibling)));
        self
    }

    /// With what is remembered of its site; see [`Extracted::teach`].
    pub fn within(self, site: &'d Site) -> Self {
        Extract { site: Some(site), ..self }
    }

    /// By this method, with the models that ship.
    pub fn by(self, choice: Choice) -> Self {
        Extract { choice, ..self }
    }

    /// With the evidence that moved each block said in [`Extracted::json`].
    pub fn explaining(self) -> Self {
        Extract { explains: true, ..self }
    }

    /// Extracts. Linear in the pages, but for the comparison of two.
    ///
    /// # Errors
    ///
    /// Where a method was asked for that compares pages, and there is none to compare with, or one
    /// that is not built in. Without [`Extract::by`] there is no error.
    pub fn run(self) -> Result<Extracted<'d>, ExtractError> {
        let Extract { document, url, siblings, site, choice, explains } = self;
        let page = Page::new(document).at(url);
        let because = |why| ExtractError { choice, why };
        let tool = CoreTool::new(choice).ok_or(because(ExtractFailure::NotBuilt))?;
        let tool = if explains { tool.explaining(&InTurn) } else { tool };
        let remember = |sibling: &Page<'_>| tool.score().map(|score| score.remember(sibling));
        let memories: Vec<_> = siblings.iter().map(|(_, sibling)| remember(sibling)).collect();
        let others = siblings.iter().zip(&memories).map(|((name, sibling), memory)| Sibling {
            name: (*name).to_owned(),
            sequence: sibling.sequence(),
            memory: memory.as_ref(),
        });
        let extractor = tool.extractor(others.collect(), site).ok_or(because(ExtractFailure::NoSibling))?;
        let extraction = extractor.extract(&page);
        let mut others = beside::stated(siblings.iter().map(|(_, sibling)| sibling));
        site.into_iter().for_each(|site| others.add(&site.stated()));
        let described = beside::metadata(&page, extraction.kind, &others);
        Ok(Extracted { page, extraction, described, others, explains })
    }
}

/// What was found on a page. It is rendered when it is asked for.
#[derive(Debug)]
pub struct Extracted<'d> {
    page: Page<'d>,
    extraction: Extraction,
    described: Described,
    /// What other pages of the site state.
    others: Stated,
    explains: bool,
}

impl Extracted<'_> {
    /// The content as text, a block a line.
    pub fn text(&self) -> String {
        render::text::text(self.page.document(), self.content())
    }

    /// The content as Markdown: CommonMark with GitHub's tables.
    pub fn markdown(&self, along: Along) -> String {
        render::markdown::markdown(self.page.document(), self.content(), self.base().as_ref(), along)
    }

    /// The content as HTML of a closed list of elements, harmless wherever it is shown.
    pub fn html(&self, along: Along) -> String {
        render::html::html(self.page.document(), self.content(), self.base().as_ref(), along)
    }

    /// The content as a TEI P5 document, within TEI Lite, with what is known of the page in its
    /// header.
    ///
    /// ```
    /// use tsrec_core::extracted::Extract;
    /// use tsrec_core::html::{Limits, parse};
    /// use tsrec_core::render::Along;
    ///
    /// let page = parse(b"<title>Ferry</title><p>The ferry sails again, a year late, and nobody on the quay minded.", None, &Limits::default());
    /// let tei = Extract::new(&page).run()?.tei(Along::default());
    /// assert!(tei.contains("<titleStmt><title>Ferry</title></titleStmt>") && tei.contains("<p>The ferry sails again"));
    /// # Ok::<(), tsrec_core::extracted::ExtractError>(())
    /// ```
    pub fn tei(&self, along: Along) -> String {
        let header = report::header(self.described.metadata.clone(), self.page.url());
        render::tei::tei(self.page.document(), self.content(), self.base().as_ref(), along, &header)
    }

    /// What is known of the page, as YAML between lines of dashes: what
    /// [Markdown](Extracted::markdown) may begin with.
    ///
    /// ```
    /// use tsrec_core::extracted::Extract;
    /// use tsrec_core::html::{Limits, parse};
    ///
    /// let page = parse(b"<title>Ferry</title><p>The ferry sails again, a year late, and nobody on the quay minded.", None, &Limits::default());
    /// assert!(Extract::new(&page).run()?.front_matter().starts_with("---\ntitle: \"Ferry\"\n"));
    /// # Ok::<(), tsrec_core::extracted::ExtractError>(())
    /// ```
    pub fn front_matter(&self) -> String {
        report::front_matter(&self.reported(|report| report.fields()))
    }

    /// Title, authors, dates and the rest, each with where it was found.
    pub fn described(&self) -> &Described {
        &self.described
    }

    /// What readers said, as text, where it is no part of the content.
    pub fn comments(&self) -> String {
        render::text::text(self.page.document(), &beside::comments(&self.page, self.content()))
    }

    /// What kind of page it is, and how likely; `None` where the method does not say.
    pub fn kind(&self) -> Option<(PageKind, f32)> {
        self.extraction.kind
    }

    /// The method that found it.
    pub fn method(&self) -> Method {
        self.extraction.method
    }

    /// How far the result can be trusted, from 0 to 1: the F1 to expect.
    pub fn confidence(&self) -> f64 {
        self.extraction.confidence
    }

    /// The comparisons that were tried, with the gates that each passed or failed.
    pub fn attempts(&self) -> &[Attempt] {
        &self.extraction.attempts
    }

    /// Which pieces of the page's text are content.
    pub fn content(&self) -> &Content {
        &self.extraction.content
    }

    /// Of how many other pages of the site something was remembered; 0 where the page stood alone.
    pub fn remembered(&self) -> u32 {
        self.extraction.remembered
    }

    /// All that is known, under the names of `tsrec extract --format json`; with what was made of
    /// each element where that was asked for.
    pub fn json(&self) -> serde_json::Value {
        self.reported(|report| report.json())
    }

    /// What is read off a report. The page is read anew: the report borrows it for as long as it
    /// lives.
    fn reported(&self, read: impl Fn(&Report<'_>) -> serde_json::Value) -> serde_json::Value {
        let page = Page::new(self.page.document()).at(self.page.url());
        read(&Report {
            name: page.url().map_or("", Url::as_str),
            url: page.url(),
            page: &page,
            extraction: &self.extraction,
            explain: self.explains,
            siblings: &self.others,
        })
    }

    /// Has a site remember the page, for those that are extracted after it. A page that is known is
    /// not counted again.
    pub fn teach(&self, site: &mut Site) -> Learned {
        let stated = Some(&self.described.stated);
        let visit = Visit { pattern: self.page.url().map(pattern_hash), before: None, stated };
        site.learn_at(&Scored::shipped().remember(&self.page), visit)
    }

    fn base(&self) -> Option<Url> {
        self.page.url().map(|url| links::base_url(self.page.document(), url))
    }
}

impl Site {
    /// What is remembered, as the bytes of a memory file (`tsrec extract --memory`). The same
    /// memory gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_file(Scored::shipped_digest())
    }

    /// What such bytes remember.
    ///
    /// # Errors
    ///
    /// Where they are no memory file, damaged, or made by a version of tsrec with another form or
    /// another model: the message says which, and what to do.
    pub fn from_bytes(bytes: &[u8]) -> Result<Site, MemoryError> {
        Site::from_file(bytes, Scored::shipped_digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn a_method_that_compares_says_what_it_lacks() {
        let page = parse(b"<p>The ferry sails.", None, &Default::default());
        let error = Extract::new(&page).by(Choice::One(Method::Template)).run().unwrap_err();
        assert!(error.needs_sibling() && error.to_string().starts_with("template compares"), "{error}");
        assert!(Extract::new(&page).by(Choice::One(Method::Template)).beside("b", &page).run().is_ok());
    }

    #[test]
    fn a_method_that_is_not_built_in_says_what_would_bring_it() {
        let page = parse(b"<p>The ferry sails.", None, &Default::default());
        let error = Extract::new(&page).by(Choice::One(Method::Crf)).run().unwrap_err();
        assert!(error.is_not_built() && !error.needs_sibling() && error.to_string().contains("papers"), "{error}");
    }

    #[test]
    fn a_site_is_taught_by_its_pages() {
        let story = |name: &str| {
            let prose =
                format!("{name} was seen on the quay at nine, where the band played, and nobody minded the rain. ");
            format!(
                "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><h1>{name}</h1><p>{}</p></div><p>All rights reserved by us.",
                prose.repeat(4)
            )
        };
        let mut site = Site::default();
        let names = ["The ferry", "A lifeboat", "The old barge", "A grey cat", "The harbour master"];
        for (at, name) in names.iter().enumerate() {
            let document = parse(story(name).as_bytes(), None, &Default::default());
            let url = Url::parse(&format!("https://courier.example/news/{at}")).unwrap();
            let found = Extract::new(&document).at(&url).within(&site).run().unwrap();
            assert_eq!(found.remembered() > 0, at > 2, "{name}");
            assert!(found.text().contains("nobody minded") && !found.text().contains("Home"), "{}", found.text());
            assert_eq!(found.json()["title"], *name);
            Extract::new(&document).at(&url).run().unwrap().teach(&mut site);
        }
        assert_eq!(site.pages(), names.len() as u64);
        assert_eq!(Site::from_bytes(&site.to_bytes()), Ok(site));
        assert_eq!(Site::from_bytes(b"a page"), Err(MemoryError::Foreign));
    }
}
