//! The result of an extraction. It is rendered and described on demand.
//!
//! [`Extraction`] is what a method returns. [`Finding`] adds the page's name and metadata to it.
//! [`Extracted`] adds the page, which renderers need.

use std::borrow::Cow;
use std::sync::OnceLock;

use url::Url;

use super::scored::Scored;
use super::sibling::Sibling;
use super::template::steps_of_diff;
use super::{Attempt, Extraction, Method, Page, beside, report};
use crate::evidence::kind::PageKind;
use crate::html::{Cut, Document, PageSteps, links};
use crate::metadata::{Described, Stated};
use crate::page::Content;
use crate::pairing::pattern::pattern_hash;
use crate::render;
use crate::render::Along;
use crate::template::{Error as MemoryError, Learned, Memory, Site, Visit};

/// A [`Finding`] with its page: the content in each format, and the metadata.
#[derive(Debug)]
pub struct Extracted<'d> {
    page: Cow<'d, Page<'d>>,
    finding: Cow<'d, Finding>,
}

/// An extraction with the page's name and metadata, without the page. It may outlive the page.
/// [`Finding::on`] joins them again.
#[derive(Clone, Debug)]
pub struct Finding {
    name: String,
    extraction: Extraction,
    is_explained: bool,
    /// The budget of the work on the page.
    steps: PageSteps,
    /// What other pages of the site state.
    stated: Stated,
    /// The metadata of the page, once asked for.
    described: OnceLock<Described>,
}

impl Finding {
    /// The finding from an extraction of the page with this name.
    pub(super) fn new(
        name: String,
        extraction: Extraction,
        stated: Stated,
        is_explained: bool,
        steps: PageSteps,
    ) -> Self {
        Finding { name, extraction, is_explained, steps, stated, described: OnceLock::new() }
    }

    /// Joins the finding with its page.
    pub fn on<'d>(&'d self, page: impl Into<Cow<'d, Page<'d>>>) -> Extracted<'d> {
        Extracted { page: page.into(), finding: Cow::Borrowed(self) }
    }

    /// The name of the page.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The extraction.
    pub fn extraction(&self) -> &Extraction {
        &self.extraction
    }

    /// Title, authors, dates and the rest, each with its source. The first call asks `page` for the
    /// page of the finding, and is linear.
    pub fn described<'d>(&self, page: impl FnOnce() -> Page<'d>) -> &Described {
        self.described.get_or_init(|| self.describe(&page()))
    }

    /// What limits removed of its document or of this result.
    #[doc(hidden)]
    pub fn cuts(&self, document: &Document) -> Vec<Cut> {
        let steps = self.steps.is_over().then_some(Cut::Steps);
        document.cuts().iter().copied().chain(steps).collect()
    }

    fn describe(&self, page: &Page<'_>) -> Described {
        match self.steps.charge(page.document().steps_of_pass()) {
            true => beside::metadata(page, self.extraction.kind, &self.stated),
            false => Described::default(),
        }
    }
}

impl<'d> Extracted<'d> {
    pub(super) fn new(page: Cow<'d, Page<'d>>, finding: Finding) -> Self {
        Extracted { page, finding: Cow::Owned(finding) }
    }

    /// The finding without its page.
    #[doc(hidden)]
    pub fn into_finding(self) -> Finding {
        self.finding.into_owned()
    }

    /// The same content, with labels of elements from a comparison: [`Extraction::beside`].
    #[doc(hidden)]
    pub fn beside(mut self, sibling: &Sibling<'_>) -> Self {
        if !self.steps().charge(steps_of_diff(self.page.sequence(), sibling.sequence())) {
            return self;
        }
        let finding = self.finding.to_mut();
        finding.extraction = finding.extraction.clone().beside(&self.page, sibling);
        self
    }

    /// The page.
    #[doc(hidden)]
    pub fn page(&self) -> &Page<'d> {
        &self.page
    }

    /// Its document.
    pub fn document(&self) -> &'d Document {
        self.page().document()
    }

    /// Its address, if known.
    pub fn url(&self) -> Option<&'d Url> {
        self.page().url()
    }

    /// The name of the page.
    pub fn name(&self) -> &str {
        &self.finding.name
    }

    /// The extraction.
    #[doc(hidden)]
    pub fn extraction(&self) -> &Extraction {
        &self.finding.extraction
    }

    /// Whether [`Extracted::fields`] includes the sources of the metadata.
    pub(super) fn is_explained(&self) -> bool {
        self.finding.is_explained
    }

    /// Title, authors, dates and the rest, each with its source. The first call is linear.
    pub fn described(&self) -> &Described {
        self.finding.described.get_or_init(|| self.finding.describe(&self.page))
    }

    /// What limits removed of the page or of this result, in ascending order, each at most once.
    pub fn cuts(&self) -> Vec<Cut> {
        self.finding.cuts(self.document())
    }

    /// The budget of the work on the page.
    #[doc(hidden)]
    pub fn steps(&self) -> &PageSteps {
        &self.finding.steps
    }

    /// The content as text, one block on each line.
    pub fn text(&self) -> String {
        self.rendered(|| render::text::text(self.document(), self.content()))
    }

    /// What a renderer writes, if the budget has room for a pass over the page. Marks, empty cells
    /// and addresses make the result longer than the page, so its bytes count, too.
    fn rendered(&self, render: impl FnOnce() -> String) -> String {
        let steps = self.steps();
        if !steps.admit(self.document().steps_of_pass()) {
            return String::new();
        }
        let written = render();
        match steps.admit(PageSteps::of_bytes(written.len())) {
            true => written,
            false => String::new(),
        }
    }

    /// The content as Markdown: CommonMark with GitHub's tables.
    pub fn markdown(&self, along: Along) -> String {
        self.rendered(|| render::markdown::markdown(self.document(), self.content(), self.base().as_ref(), along))
    }

    /// The content as HTML of a closed list of elements. It is harmless on any page.
    pub fn html(&self, along: Along) -> String {
        self.rendered(|| render::html::html(self.document(), self.content(), self.base().as_ref(), along))
    }

    /// The content as a TEI P5 document, within TEI Lite. Its header has the metadata of the page.
    ///
    /// ```
    /// use tsrec_core::extract::Extract;
    /// use tsrec_core::html::{Limits, parse};
    /// use tsrec_core::render::Along;
    ///
    /// let page = parse(b"<title>Ferry</title><p>The ferry sails again, a year late, and nobody on the quay minded.", None, &Limits::default());
    /// let tei = Extract::new(&page).run()?.tei(Along::default());
    /// assert!(tei.contains("<titleStmt><title>Ferry</title></titleStmt>") && tei.contains("<p>The ferry sails again"));
    /// # Ok::<(), tsrec_core::extract::NoSibling>(())
    /// ```
    pub fn tei(&self, along: Along) -> String {
        let header = report::header(self.described().metadata.clone(), self.url());
        self.rendered(|| render::tei::tei(self.document(), self.content(), self.base().as_ref(), along, &header))
    }

    /// The content with CleanEval's marks. If the address is known, a line with it comes first.
    pub fn cleaneval(&self) -> String {
        let name = self.url().map(|url| format!("URL: {url}\n\n")).unwrap_or_default();
        name + &self.rendered(|| self.extraction().cleaneval(self.document()))
    }

    /// The metadata of the page, as YAML between lines of dashes, for the beginning of
    /// [Markdown](Extracted::markdown).
    ///
    /// ```
    /// use tsrec_core::extract::Extract;
    /// use tsrec_core::html::{Limits, parse};
    ///
    /// let page = parse(b"<title>Ferry</title><p>The ferry sails again, a year late, and nobody on the quay minded.", None, &Limits::default());
    /// assert!(Extract::new(&page).run()?.front_matter().starts_with("---\ntitle: \"Ferry\"\n"));
    /// # Ok::<(), tsrec_core::extract::NoSibling>(())
    /// ```
    pub fn front_matter(&self) -> String {
        report::front_matter(&self.fields())
    }

    /// The comments of readers, as text, if they are not part of the content.
    pub fn comments(&self) -> String {
        self.rendered(|| render::text::text(self.document(), &beside::comments(self.page(), self.content())))
    }

    /// The kind of the page and its probability. `None` if the method does not give one.
    pub fn kind(&self) -> Option<(PageKind, f32)> {
        self.extraction().kind
    }

    /// The method that made the extraction.
    pub fn method(&self) -> Method {
        self.extraction().method
    }

    /// How far the result can be trusted, from 0 to 1: the F1 to expect.
    pub fn confidence(&self) -> f64 {
        self.extraction().confidence
    }

    /// The comparisons that the method tried, and the gates that each passed or failed.
    pub fn attempts(&self) -> &[Attempt] {
        &self.extraction().attempts
    }

    /// Which pieces of the page's text are content.
    pub fn content(&self) -> &Content {
        &self.extraction().content
    }

    /// The number of words of the content.
    pub fn words(&self) -> usize {
        self.content().words(self.document())
    }

    /// How many other pages of the site the memory had; 0 if the page was alone.
    pub fn remembered(&self) -> u32 {
        self.extraction().remembered()
    }

    /// The memory of the page for other pages of its site. Linear if the method did not use the
    /// score.
    #[doc(hidden)]
    pub fn memory(&self) -> Cow<'_, Memory> {
        match &self.extraction().score {
            Some(score) => Cow::Borrowed(&score.memory),
            None => Cow::Owned(Scored::shipped().remember(self.page())),
        }
    }

    /// Adds the page to the memory of a site, for later extractions. A page that is known already
    /// is not counted again.
    pub fn teach(&self, site: &mut Site) -> Learned {
        let stated = Some(&self.described().stated);
        let visit = Visit { pattern: self.url().map(pattern_hash), before: None, stated };
        site.learn_at(&self.memory(), visit)
    }

    fn base(&self) -> Option<Url> {
        self.url().map(|url| links::base_url(self.document(), url))
    }
}

impl Site {
    /// The memory as the bytes of a memory file (`tsrec extract --memory`). The same memory gives
    /// the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_file(Scored::shipped_digest())
    }

    /// Reads the memory from such bytes.
    ///
    /// # Errors
    ///
    /// The bytes are not a memory file, are damaged, or come from a version of tsrec with another
    /// format or another model. The message says which, and what to do.
    pub fn from_bytes(bytes: &[u8]) -> Result<Site, MemoryError> {
        Site::from_file(bytes, Scored::shipped_digest())
    }
}
