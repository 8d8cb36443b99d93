//! The entry point of extraction: a page, its siblings, the memory of its site, and a method.

use std::borrow::Cow;
use std::fmt;

use url::Url;

use super::auto::Auto;
use super::context::Recalled;
use super::extracted::{Extracted, Finding};
use super::sibling::Sibling;
use super::{Extractor, Page, PageContext};
use crate::learn::parallel::{InTurn, Workers};
use crate::template::{Memory, Site};

/// A request for the content of a page, with what the caller knows besides the page.
///
/// ```
/// use tsrec_core::extract::Extract;
/// use tsrec_core::html::{Limits, parse};
///
/// let page = parse(b"<title>Ferry</title><p>The ferry sails again, a year late, and nobody on the quay minded.", None, &Limits::default());
/// let found = Extract::new(&page).run()?;
/// assert!(found.text().contains("a year late"));
/// assert_eq!(found.described().metadata.title.as_deref(), Some("Ferry"));
/// # Ok::<(), tsrec_core::extract::NoSibling>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is extracted before it is run"]
pub struct Extract<'d, 'e, 'm> {
    context: PageContext<'d, 'e>,
    method: Box<dyn Extractor + 'm>,
    name: Option<String>,
}

/// The method compares the page with a sibling, and none was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSibling;

impl fmt::Display for NoSibling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the method compares a page with another: name one with Extract::sibling, or leave the choice of the method",
        )
    }
}

impl std::error::Error for NoSibling {}

impl<'d, 'e, 'm> Extract<'d, 'e, 'm> {
    /// A request for a page, or for a document that is read now. By default it uses all evidence.
    pub fn new(page: impl Into<Cow<'d, Page<'d>>>) -> Self {
        Extract { context: PageContext::alone(page), method: Box::new(Auto::shipped()), name: None }
    }

    /// Adds the page's address. It makes links absolute and may hold the date; the content does not
    /// depend on it.
    pub fn url(mut self, url: &'d Url) -> Self {
        self.context.page.to_mut().url = Some(url);
        self
    }

    /// Sets the page's name in reports. The default is its address.
    pub fn name(self, name: impl Into<String>) -> Self {
        Extract { name: Some(name.into()), ..self }
    }

    /// Adds a page of the same site, or a document that is read now, to compare with. Reports call
    /// it by this name. Give the most similar one first.
    pub fn sibling(self, name: impl Into<String>, page: impl Into<Cow<'e, Page<'e>>>) -> Self {
        self.against(Sibling::new(name, page))
    }

    /// The same, for a sibling of which more, or less, than the page is known: its memory, or only
    /// its tag sequence.
    #[doc(hidden)]
    pub fn against(mut self, sibling: Sibling<'e>) -> Self {
        self.context.given.push(sibling);
        self
    }

    /// Adds these pages to compare with, the most similar first. They are loaded when a method asks
    /// for siblings. [`Auto`] does not ask if the memory of the site knows the page's template.
    pub fn siblings(self, load: impl FnOnce() -> Vec<Sibling<'e>> + 'e) -> Self {
        self.context.load.set(Some(Box::new(load)));
        self
    }

    /// Adds the memory of the site; see [`Extracted::teach`].
    pub fn site(self, site: &'e Site) -> Self {
        self.site_by(move |_, memory| Recalled { memory: site.known_with(memory), stated: site.stated() })
    }

    /// Adds the memory of the site, loaded after the score has read the page. `recall` gets the
    /// page, and the memory that the score made of the page alone. It is called at most once.
    #[doc(hidden)]
    pub fn site_by(self, recall: impl FnOnce(&Page<'_>, &Memory) -> Recalled + 'e) -> Self {
        self.context.recall.set(Some(Box::new(recall)));
        self
    }

    /// Sets the method. The default is [`Auto`] with the shipped model.
    pub fn method(self, method: impl Extractor + 'm) -> Self {
        Extract { method: Box::new(method), ..self }
    }

    /// Adds the evidence that moved the score of each block, if the method uses evidence. Also adds
    /// the sources of the metadata to [`Extracted::json`]. This takes some two milliseconds for
    /// each block.
    pub fn explaining(self) -> Self {
        self.explained_by(&InTurn)
    }

    /// The same, with the work shared among these workers.
    #[doc(hidden)]
    pub fn explained_by(mut self, workers: &'static dyn Workers) -> Self {
        self.context.explainers = Some(workers);
        self
    }

    /// Runs the method. Linear in the pages, except for the comparison of two pages.
    ///
    /// # Errors
    ///
    /// The method compares pages, and there is none to compare with. Without [`Extract::method`]
    /// there is no error.
    pub fn run(self) -> Result<Extracted<'d>, NoSibling> {
        let Extract { context, method, name } = self;
        let extraction = method.extract(&context)?;
        let name = name.or_else(|| context.page().url().map(Url::to_string)).unwrap_or_default();
        let stated = context.stated();
        let finding = Finding::new(name, extraction, stated, context.explainers().is_some(), context.steps);
        Ok(Extracted::new(context.page, finding))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::extract::Method;
    use crate::extract::template::TemplateDiff;
    use crate::html::{Cut, Document, Limits, parse};
    use crate::render::Along;
    use crate::template::Error as MemoryError;

    fn page(markup: &str) -> Document {
        parse(markup.as_bytes(), None, &Default::default())
    }

    #[test]
    fn a_method_that_compares_says_what_it_lacks() {
        let page = page("<p>The ferry sails.");
        let error = Extract::new(&page).method(TemplateDiff).run().unwrap_err();
        assert!(error.to_string().contains("Extract::sibling"), "{error}");
        assert!(Extract::new(&page).method(TemplateDiff).sibling("b", &page).run().is_ok());
    }

    fn story(name: &str) -> Document {
        let prose = format!("{name} was seen on the quay at nine, where the band played, and nobody minded the rain. ");
        page(&format!(
            "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><h1>{name}</h1><p>{}</p></div><p>All rights reserved by us.",
            prose.repeat(4)
        ))
    }

    const PAGE_OF_STEPS: &str = "<title>The quay</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><h1>The quay</h1>\
        <p>The ferry was seen on the quay at nine, where the band played, and nobody minded the rain that fell until noon on that day.</p></div>";

    const NAMES: [&str; 5] = ["The ferry", "A lifeboat", "The old barge", "A grey cat", "The harbour master"];

    #[test]
    fn past_its_budget_a_page_has_what_was_found_by_then() {
        let (page, sibling) = (story("The ferry"), story("A lifeboat"));
        let run = |steps| {
            let limits = Limits::default().with_steps(steps);
            let page = parse(PAGE_OF_STEPS.as_bytes(), None, &limits);
            let found = Extract::new(&page).sibling("b", &sibling).run().unwrap();
            (found.words() > 0, found.attempts().len(), found.described().metadata.title.is_some(), found.cuts())
        };
        let whole = Extract::new(&page).sibling("b", &sibling).run().unwrap();
        assert!(whole.cuts().is_empty() && !whole.attempts().is_empty());
        let runs = || -> Vec<_> { (0..40).map(|n| run(100 * n)).collect() };
        let mut found = runs();
        assert_eq!(found, runs(), "the same each time");
        found.dedup();
        // Nothing, the content without the metadata, and all.
        let cut = || vec![Cut::Steps];
        assert_eq!(found, [(false, 0, false, cut()), (true, 1, false, cut()), (true, 1, true, vec![])]);
    }

    #[test]
    fn past_its_budget_a_page_is_not_rendered() {
        type Render = for<'d> fn(&Extracted<'d>) -> String;
        let renderers: [(&str, Render); 5] = [
            ("text", |found| found.text()),
            ("markdown", |found| found.markdown(Along::default())),
            ("html", |found| found.html(Along::default())),
            ("tei", |found| found.tei(Along::default())),
            ("cleaneval", |found| found.cleaneval()),
        ];
        let found_within = |steps, check: &dyn Fn(&Extracted<'_>)| {
            let page = parse(PAGE_OF_STEPS.as_bytes(), None, &Limits::default().with_steps(steps));
            let found = Extract::new(&page).run().unwrap();
            found.described();
            assert!(found.cuts().is_empty() && found.words() > 0);
            check(&found);
        };
        let made = Cell::new(0);
        found_within(1 << 30, &|found| made.set(found.steps().made()));
        for (name, render) in renderers {
            found_within(made.get(), &|found| {
                assert_eq!((render(found), found.cuts()), (String::new(), vec![Cut::Steps]), "{name}");
            });
            // A rendering uses up nothing, so that the hundredth is as the first.
            found_within(made.get() + 200, &|found| {
                let first = render(found);
                assert!(first.contains("nobody minded") && (0..100).all(|_| render(found) == first), "{name}");
                assert!(found.cuts().is_empty(), "{name}");
            });
        }
    }

    #[test]
    fn a_site_is_taught_by_its_pages() {
        let mut site = Site::default();
        for (at, name) in NAMES.iter().enumerate() {
            let document = story(name);
            let url = Url::parse(&format!("https://courier.example/news/{at}")).unwrap();
            let found = Extract::new(&document).url(&url).site(&site).run().unwrap();
            assert_eq!(found.remembered() > 0, at > 2, "{name}");
            assert!(found.text().contains("nobody minded") && !found.text().contains("Home"), "{}", found.text());
            assert_eq!(found.json()["title"], *name);
            found.teach(&mut site);
        }
        assert_eq!(site.pages(), NAMES.len() as u64);
        assert_eq!(Site::from_bytes(&site.to_bytes()), Ok(site));
        assert_eq!(Site::from_bytes(b"a page"), Err(MemoryError::Foreign));
    }

    #[test]
    fn siblings_are_loaded_where_memory_does_not_know_the_page() {
        let (documents, mut site) = (NAMES.map(story), Site::default());
        for (at, document) in documents.iter().enumerate() {
            let loaded = Cell::new(0);
            let load = || {
                loaded.set(loaded.get() + 1);
                vec![Sibling::new("the first", &documents[0])]
            };
            let found = Extract::new(document).site(&site).siblings(load).run().unwrap();
            let is_known = at > 2;
            assert_eq!((loaded.get(), found.extraction().is_from_memory()), (usize::from(!is_known), is_known), "{at}");
            let expect = if is_known { Method::Memory } else { Method::Template };
            assert_eq!(found.method() == expect, at > 0, "{at}");
            found.teach(&mut site);
        }
    }
}
