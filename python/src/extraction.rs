//! One page: [`extract`], and what comes of it.

use std::sync::OnceLock;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use serde_json::Value;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::report;
use tsrec_core::extract::report::{Report, front_matter};
use tsrec_core::extract::{Page, beside};
use tsrec_core::html::{Document, links};
use tsrec_core::metadata::{Described, Metadata, Stated};
use tsrec_core::pairing;
use tsrec_core::render;
use tsrec_core::render::Along;
use tsrec_papers::registry::{Options, Tool};
use url::Url;

use crate::input::PythonPage;

/// What was found on a page. It keeps the parsed page, and renders what is asked of it at each
/// access.
#[pyclass(frozen, module = "tsrec")]
pub(crate) struct Extraction {
    document: Document,
    found: tsrec_core::extract::Extraction,
    url: Option<Url>,
    name: String,
    explain: bool,
    /// What other pages of its site state.
    siblings: Stated,
    /// What is said of the page, read when it is asked for first.
    described: OnceLock<Described>,
}

/// Finds the content of a page.
///
/// `url` is its address: it makes links absolute, orders siblings that have one, and is evidence.
/// `siblings` are pages made by the same template, with or without their addresses; those that do
/// not fit are not used, and `gates` says why. `charset` is what the HTTP header said, for bytes.
/// With `explain` the elements say which evidence moved their probability.
///
/// Other threads run meanwhile. Raises NotHtmlError; ValueError and TypeError where an argument is
/// wrong.
#[pyfunction]
#[pyo3(signature = (html, url=None, siblings=None, *, method="auto", charset=None, explain=false))]
pub(crate) fn extract(
    py: Python<'_>,
    html: &Bound<'_, PyAny>,
    url: Option<&str>,
    siblings: Option<&Bound<'_, PyAny>>,
    method: &str,
    charset: Option<&str>,
    explain: bool,
) -> PyResult<Extraction> {
    let mut tool = tool(method)?.explaining(explain);
    let input = PythonPage::new(html, url, charset, "the page")?;
    let siblings = siblings.map_or_else(|| Ok(Vec::new()), read_siblings)?;
    py.detach(|| Extraction::beside(input, siblings, &mut tool, explain))
}

/// The method of this name, with the models that ship.
pub(crate) fn tool(method: &str) -> PyResult<Tool> {
    let wrong = |why: &dyn std::fmt::Display| PyValueError::new_err(format!("method: {why}"));
    let choice = method.parse::<Choice>().map_err(|why| wrong(&why))?;
    Tool::new(choice, &Options::default(), Vec::new()).map_err(|why| wrong(&why))
}

fn read_siblings(given: &Bound<'_, PyAny>) -> PyResult<Vec<PythonPage>> {
    let is_page = given.is_instance_of::<PyString>()
        || given.is_instance_of::<PyBytes>()
        || given.is_instance_of::<PyByteArray>();
    if is_page {
        return Err(PyTypeError::new_err("siblings is one page, and must be several: put it into a list"));
    }
    let inputs = given.try_iter()?.enumerate();
    inputs.map(|(at, other)| PythonPage::of_many(&other?, &format!("sibling {}", at + 1))).collect()
}

impl Extraction {
    fn beside(
        mut input: PythonPage,
        mut siblings: Vec<PythonPage>,
        tool: &mut Tool,
        explain: bool,
    ) -> PyResult<Extraction> {
        if let Some(url) = &input.url {
            pairing::most_similar_first(url, &mut siblings, |sibling| sibling.url.as_ref());
        }
        let document = input.parse()?;
        let documents = siblings.iter_mut().map(PythonPage::parse).collect::<PyResult<Vec<Document>>>()?;
        let page = Page::new(&document).at(input.url.as_ref());
        let others: Vec<(&str, Page<'_>)> = siblings
            .iter()
            .zip(&documents)
            .map(|(other, document)| (other.name.as_str(), Page::new(document).at(other.url.as_ref())))
            .collect();
        let found = tool.extract(&page, &others, None).ok_or_else(needs_sibling)?;
        let siblings = beside::stated(others.iter().map(|(_, other)| other));
        drop((page, others));
        Ok(Extraction::new(document, found, input, explain, siblings))
    }

    /// What was found on a page, beside what others of its site state.
    pub(crate) fn new(
        document: Document,
        found: tsrec_core::extract::Extraction,
        input: PythonPage,
        explain: bool,
        siblings: Stated,
    ) -> Extraction {
        let PythonPage { url, name, .. } = input;
        Extraction { document, found, url, name, explain, siblings, described: OnceLock::new() }
    }

    /// Reads the page again, for what is seldom asked for.
    fn report<R>(&self, read: impl FnOnce(&Report<'_>) -> R) -> R {
        let page = Page::new(&self.document).at(self.url.as_ref());
        read(&Report {
            name: &self.name,
            url: self.url.as_ref(),
            page: &page,
            extraction: &self.found,
            explain: self.explain,
            siblings: &self.siblings,
        })
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(|| self.report(|report| report.metadata()))
    }

    fn said(&self) -> &Metadata {
        &self.described().metadata
    }

    fn base(&self) -> Option<Url> {
        self.url.as_ref().map(|url| links::base_url(&self.document, url))
    }
}

pub(crate) fn needs_sibling() -> PyErr {
    PyValueError::new_err(
        "this method compares a page with another: give siblings, or use method=\"auto\", which does without",
    )
}

/// A value of JSON as Python's own.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

#[pymethods]
impl Extraction {
    /// The content as text, one block a line.
    #[getter]
    fn text(&self) -> String {
        render::text::text(&self.document, &self.found.content)
    }

    /// The content as Markdown (CommonMark, GitHub's tables): `to_markdown()`.
    #[getter]
    fn markdown(&self) -> String {
        self.to_markdown(true, true, false)
    }

    /// The content in the markup that carries meaning, harmless wherever it is shown: `to_html()`.
    #[getter]
    fn html(&self) -> String {
        self.to_html(true, true)
    }

    /// The content as Markdown; `front_matter` begins with what is known of the page, as YAML.
    #[pyo3(signature = (*, links=true, images=true, front_matter=false))]
    fn to_markdown(&self, links: bool, images: bool, front_matter: bool) -> String {
        let before = if front_matter { front_matter_of(self) } else { String::new() };
        let along = Along { links, images };
        before + &render::markdown::markdown(&self.document, &self.found.content, self.base().as_ref(), along)
    }

    /// The content as HTML of a closed list of elements, with links of http, https and mailto
    /// alone.
    #[pyo3(signature = (*, links=true, images=true))]
    fn to_html(&self, links: bool, images: bool) -> String {
        render::html::html(&self.document, &self.found.content, self.base().as_ref(), Along { links, images })
    }

    /// The content as a TEI P5 document.
    #[pyo3(signature = (*, links=true, images=true))]
    fn to_tei(&self, links: bool, images: bool) -> String {
        let header = self.report(|report| report.header());
        let along = Along { links, images };
        render::tei::tei(&self.document, &self.found.content, self.base().as_ref(), along, &header)
    }

    /// All that is known, under the names of `tsrec extract --format json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = py.detach(|| self.report(|report| report.json()));
        to_python(py, &json)
    }

    /// What was made of each element of the page, in its order; with the evidence where `explain`
    /// was asked for.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let elements = py.detach(|| self.report(|report| report.elements()));
        to_python(py, &elements)
    }

    /// Title, authors, dates and the rest as one dict.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let metadata = serde_json::to_value(self.said()).map_err(|why| PyValueError::new_err(why.to_string()))?;
        to_python(py, &metadata)
    }

    /// Where each value of the metadata was found, such as `json-ld` or `heading`.
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &serde_json::json!(self.described().sources))
    }

    /// The comparisons with siblings, and why one was not made use of.
    #[getter]
    fn gates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &report::gates(&self.found.attempts))
    }

    /// The headline, without the site's name.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.said().title.as_deref()
    }

    /// Who wrote it, a name each.
    #[getter]
    fn authors(&self) -> Vec<String> {
        self.said().authors.clone()
    }

    /// When it was published: a date of ISO 8601, maybe with a time, as precise as found.
    #[getter]
    fn published(&self) -> Option<&str> {
        self.said().published.as_deref()
    }

    /// The same as `published`, under the name that other extractors have for it.
    #[getter]
    fn date(&self) -> Option<&str> {
        self.published()
    }

    /// When it was changed last; as `published`.
    #[getter]
    fn modified(&self) -> Option<&str> {
        self.said().modified.as_deref()
    }

    /// The language of its text: a language tag (BCP 47), such as `en` or `pt-BR`.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.said().language.as_deref()
    }

    /// How sure the text is of that, from 0 to 1; None where the page alone declares it.
    #[getter]
    fn language_confidence(&self) -> Option<f64> {
        self.said().language_confidence
    }

    /// What the site calls itself.
    #[getter]
    fn site_name(&self) -> Option<&str> {
        self.said().site_name.as_deref()
    }

    /// What it is about, in the page's own words.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.said().description.as_deref()
    }

    /// The URL of the image that stands for it.
    #[getter]
    fn image(&self) -> Option<&str> {
        self.said().image.as_deref()
    }

    /// The address that the page calls its own.
    #[getter]
    fn canonical_url(&self) -> Option<&str> {
        self.said().canonical_url.as_deref()
    }

    /// Its keywords and sections.
    #[getter]
    fn tags(&self) -> Vec<String> {
        self.said().tags.clone()
    }

    /// Under which licence it is published: a URL, or a name.
    #[getter]
    fn license(&self) -> Option<&str> {
        self.said().license.as_deref()
    }

    /// What readers said, where the content has it not.
    #[getter]
    fn comments(&self) -> String {
        let comments = self.report(|report| beside::comments(report.page, &self.found.content));
        render::text::text(&self.document, &comments)
    }

    /// The address that was given.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.url.as_ref().map(Url::as_str)
    }

    /// What kind of page it is, such as `article` or `listing`; None where the method does not say.
    #[getter]
    fn kind(&self) -> Option<String> {
        self.found.kind.map(|(kind, _)| kind.to_string())
    }

    /// How likely that is, 0 to 1.
    #[getter]
    fn kind_probability(&self) -> Option<f64> {
        self.found.kind.map(|(_, probability)| probability.into())
    }

    /// How far the result can be trusted: the F1 to expect, 0 to 1.
    #[getter]
    fn confidence(&self) -> f64 {
        self.found.confidence
    }

    /// What made the content: `template` by siblings or from memory, `blocks` by the page alone, or
    /// the method that was asked for.
    #[getter]
    fn method(&self) -> &'static str {
        self.found.method.as_str()
    }

    /// The sibling by which it was found.
    #[getter]
    fn sibling(&self) -> Option<&str> {
        self.found.sibling()
    }

    /// Of how many other pages something was remembered.
    #[getter]
    fn remembered(&self) -> u32 {
        self.found.remembered
    }

    /// What a reader should know beyond it, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.found.notes.clone()
    }

    /// The words of the text.
    #[getter]
    fn words(&self) -> usize {
        self.found.content.words(&self.document)
    }

    /// The character encoding by which the page was read.
    #[getter]
    fn charset(&self) -> &str {
        self.document.encoding()
    }

    /// The limits that cut the page, of `bytes`, `nodes`, `depth` and `attributes`.
    #[getter]
    fn cut(&self) -> Vec<String> {
        self.document.cuts().iter().map(ToString::to_string).collect()
    }

    fn __repr__(&self) -> String {
        let title = self.title().map_or_else(|| "untitled".to_owned(), |title| format!("{title:?}"));
        format!(
            "<tsrec.Extraction of {}: {title}, {} words by {}, confidence {:.2}>",
            self.name,
            self.words(),
            self.method(),
            self.confidence()
        )
    }
}

fn front_matter_of(extraction: &Extraction) -> String {
    front_matter(&extraction.report(|report| report.fields()))
}
