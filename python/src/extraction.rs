//! One page: [`extract`], and its result.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use serde_json::Value;
use tsrec_core::evidence::favor::Favor;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::report;
use tsrec_core::extract::{Extract, Extracted, Extractor, Finding, Page};
use tsrec_core::html::{Document, links};
use tsrec_core::metadata::{Described, Metadata};
use tsrec_core::pairing;
use tsrec_core::render;
use tsrec_core::render::Along;
use tsrec_papers::learn::threads::Threads;
use tsrec_papers::registry;
use tsrec_papers::registry::Options;
use url::Url;

use crate::format::OutputFormat;
use crate::input::PythonPage;

/// The result of an extraction. It keeps the parsed page and renders each output when you access
/// it.
#[pyclass(frozen, module = "tsrec")]
pub(crate) struct Extraction {
    document: Document,
    url: Option<Url>,
    found: Finding,
}

/// Finds the content of a page.
///
/// `url` is the page's URL. It makes links absolute, orders siblings that have a URL, and may
/// hold the date. `siblings` are pages made by the same template, with or without their URLs. Siblings
/// that do not fit are not used, and `gates` says why. `charset` is the one from the HTTP header,
/// if the page is bytes. With `explain`, the elements say which evidence moved their probability.
///
/// With `output_format` (text, markdown, html, tei or json) the result is a str, not an Extraction.
///
/// Other threads run meanwhile. Raises NotHtmlError. If an argument is wrong, raises ValueError or
/// TypeError.
#[pyfunction]
#[pyo3(signature = (html, url=None, siblings=None, *, method="auto", favor="balance", charset=None, explain=false, output_format=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    html: &Bound<'_, PyAny>,
    url: Option<&str>,
    siblings: Option<&Bound<'_, PyAny>>,
    method: &str,
    favor: &str,
    charset: Option<&str>,
    explain: bool,
    output_format: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let (method, format) = (extractor(method, favor)?, OutputFormat::from_argument(output_format)?);
    let input = PythonPage::new(html, url, charset, "the page")?;
    let siblings = siblings.map_or_else(|| Ok(Vec::new()), read_siblings)?;
    Extraction::given(py, format, || Extraction::beside(input, siblings, &*method, explain))
}

/// The method of this name, with the shipped models.
pub(crate) fn extractor(method: &str, favor: &str) -> PyResult<Box<dyn Extractor>> {
    let choice: Choice = method.parse().map_err(|why| PyValueError::new_err(format!("method: {why}")))?;
    let favor = favored(favor)?;
    if favor != Favor::Balance && !choice.favors() {
        return Err(PyValueError::new_err(format!("favor: {choice} favours nothing: take the method auto or blocks")));
    }
    let made = registry::extractor(choice, &Options { favor, ..Options::default() }, Vec::new());
    Ok(made.expect("a test makes every method with what ships"))
}

/// What this word favours.
pub(crate) fn favored(favor: &str) -> PyResult<Favor> {
    favor.parse().map_err(|why| PyValueError::new_err(format!("favor: {why}")))
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
    /// Extracts while other threads run. Gives the result, or its content in a format.
    pub(crate) fn given<'py>(
        py: Python<'py>,
        format: Option<OutputFormat>,
        extract: impl FnOnce() -> PyResult<Extraction> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(format) = format else { return Ok(Bound::new(py, py.detach(extract)?)?.into_any()) };
        let content = py.detach(|| extract().map(|found| format.of(&found)))?;
        Ok(PyString::new(py, &content).into_any())
    }

    fn beside(
        mut input: PythonPage,
        mut siblings: Vec<PythonPage>,
        method: &dyn Extractor,
        explain: bool,
    ) -> PyResult<Extraction> {
        if let Some(url) = &input.url {
            pairing::most_similar_first(url, &mut siblings, |sibling| sibling.url.as_ref());
        }
        let documents = siblings.iter_mut().map(PythonPage::parse).collect::<PyResult<Vec<Document>>>()?;
        let document = input.parse()?;
        Extraction::new(document, input, explain, |request| {
            let others = siblings.iter().zip(&documents);
            let others = others.map(|(other, document)| (&other.name, Page::new(document).at(other.url.as_ref())));
            others.fold(request, |request, (name, other)| request.sibling(name, other)).method(method)
        })
    }

    /// Extracts a page with the given options.
    pub(crate) fn new<'m>(
        document: Document,
        input: PythonPage,
        explain: bool,
        ask: impl for<'d> FnOnce(Extract<'d, 'm, 'm>) -> Extract<'d, 'm, 'm>,
    ) -> PyResult<Extraction> {
        let PythonPage { url, name, .. } = input;
        let page = Page::new(&document).at(url.as_ref());
        let mut request = ask(Extract::new(page).name(name));
        if explain {
            request = request.explained_by(&Threads);
        }
        let found = request.run().map_err(|_| needs_sibling())?.into_finding();
        Ok(Extraction { document, url, found })
    }

    /// The result with its page, which is analysed again. Few requests need it.
    fn with_page(&self) -> Extracted<'_> {
        self.found.on(Page::new(&self.document).at(self.url.as_ref()))
    }

    /// What `tsrec extract --format json` prints, without the elements.
    pub(crate) fn json(&self) -> String {
        let text = self.text();
        let mut all = self.with_page().fields_beside(&text);
        all["text"] = text.into();
        all.to_string()
    }

    fn described(&self) -> &Described {
        self.found.described(|| Page::new(&self.document).at(self.url.as_ref()))
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

/// The day of a date that may be less precise, or more.
fn day<'py>(py: Python<'py>, date: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(day) = date.and_then(|date| date.get(..10)) else { return Ok(None) };
    py.import("datetime")?.getattr("date")?.call_method1("fromisoformat", (day,)).map(Some)
}

/// Converts a JSON value to a Python value.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

#[pymethods]
impl Extraction {
    /// The content as text, one block per line.
    #[getter]
    pub(crate) fn text(&self) -> String {
        render::text::text(&self.document, &self.found.extraction().content)
    }

    /// The content as Markdown (CommonMark with GitHub's tables), the same as `to_markdown()`.
    #[getter]
    fn markdown(&self) -> String {
        self.to_markdown(true, true, false)
    }

    /// The content in the markup that carries meaning, the same as `to_html()`. It is safe to show
    /// anywhere.
    #[getter]
    fn html(&self) -> String {
        self.to_html(true, true)
    }

    /// The content as Markdown. `front_matter` puts YAML that describes the page before it.
    #[pyo3(signature = (*, links=true, images=true, front_matter=false))]
    pub(crate) fn to_markdown(&self, links: bool, images: bool, front_matter: bool) -> String {
        let before = if front_matter { self.with_page().front_matter() } else { String::new() };
        let along = Along { links, images };
        before
            + &render::markdown::markdown(&self.document, &self.found.extraction().content, self.base().as_ref(), along)
    }

    /// The content as HTML. It has only a fixed list of elements, and only http, https and mailto
    /// links.
    #[pyo3(signature = (*, links=true, images=true))]
    pub(crate) fn to_html(&self, links: bool, images: bool) -> String {
        render::html::html(
            &self.document,
            &self.found.extraction().content,
            self.base().as_ref(),
            Along { links, images },
        )
    }

    /// The content as a TEI P5 document.
    #[pyo3(signature = (*, links=true, images=true))]
    pub(crate) fn to_tei(&self, links: bool, images: bool) -> String {
        self.with_page().tei(Along { links, images })
    }

    /// All results, under the names of `tsrec extract --format json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = py.detach(|| self.with_page().json());
        to_python(py, &json)
    }

    /// The results for each element of the page, in page order. With `explain`, they include the
    /// evidence.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let elements = py.detach(|| self.with_page().elements());
        to_python(py, &elements)
    }

    /// Title, authors, dates and the other metadata as one dict.
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

    /// The comparisons with siblings. They say why a sibling was not used.
    #[getter]
    fn gates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &report::gates(&self.found.extraction().attempts))
    }

    /// The headline, without the site's name.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.said().title.as_deref()
    }

    /// The authors, one name each.
    #[getter]
    fn authors(&self) -> Vec<String> {
        self.said().authors.clone()
    }

    /// The date of publication in ISO 8601, as precise as it was found. It may have a time.
    #[getter]
    fn published(&self) -> Option<&str> {
        self.said().published.as_deref()
    }

    /// The day of publication as a `datetime.date`. None if the page does not state the day.
    #[getter]
    fn published_date<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        day(py, self.published())
    }

    /// The day of the last change, in the form of `published_date`.
    #[getter]
    fn modified_date<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        day(py, self.modified())
    }

    /// The same as `published`. Other extractors use this name.
    #[getter]
    fn date(&self) -> Option<&str> {
        self.published()
    }

    /// The date of the last change, in the form of `published`.
    #[getter]
    fn modified(&self) -> Option<&str> {
        self.said().modified.as_deref()
    }

    /// The language of the text, as a language tag (BCP 47) such as `en` or `pt-BR`.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.said().language.as_deref()
    }

    /// How sure the text is of that, from 0 to 1; None where the page alone declares it.
    #[getter]
    fn language_confidence(&self) -> Option<f64> {
        self.said().language_confidence
    }

    /// The site's own name.
    #[getter]
    fn site_name(&self) -> Option<&str> {
        self.said().site_name.as_deref()
    }

    /// The page's own description of its content.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.said().description.as_deref()
    }

    /// The URL of the image that represents the page.
    #[getter]
    fn image(&self) -> Option<&str> {
        self.said().image.as_deref()
    }

    /// The URL that the page declares as its own.
    #[getter]
    fn canonical_url(&self) -> Option<&str> {
        self.said().canonical_url.as_deref()
    }

    /// The page's keywords and sections.
    #[getter]
    fn tags(&self) -> Vec<String> {
        self.said().tags.clone()
    }

    /// The licence of the page: a URL, or a name.
    #[getter]
    fn license(&self) -> Option<&str> {
        self.said().license.as_deref()
    }

    /// Readers' comments, unless the content has them.
    #[getter]
    fn comments(&self) -> String {
        self.with_page().comments()
    }

    /// The URL that the caller gave.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.url.as_ref().map(Url::as_str)
    }

    /// The kind of the page, such as `article` or `listing`. None if the method does not find
    /// kinds.
    #[getter]
    fn kind(&self) -> Option<String> {
        self.found.extraction().kind.map(|(kind, _)| kind.to_string())
    }

    /// The probability of the kind, from 0 to 1.
    #[getter]
    fn kind_probability(&self) -> Option<f64> {
        self.found.extraction().kind.map(|(_, probability)| probability.into())
    }

    /// How far the result can be trusted: the F1 to expect, 0 to 1.
    #[getter]
    fn confidence(&self) -> f64 {
        self.found.extraction().confidence
    }

    /// The method that found the content. `memory` uses what the site taught, `template` a
    /// sibling, `blocks` the page alone. If you asked for another method, it is that one.
    #[getter]
    fn method(&self) -> &'static str {
        self.found.extraction().method.as_str()
    }

    /// The sibling that was used to find the content.
    #[getter]
    fn sibling(&self) -> Option<&str> {
        self.found.extraction().sibling()
    }

    /// The number of other pages whose memory was used.
    #[getter]
    fn remembered(&self) -> u32 {
        self.found.extraction().remembered()
    }

    /// Notes about the result, as sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.found.extraction().notes.clone()
    }

    /// The number of words in the text.
    #[getter]
    fn words(&self) -> usize {
        self.found.extraction().content.words(&self.document)
    }

    /// The character encoding that was used to read the page.
    #[getter]
    fn charset(&self) -> &str {
        self.document.encoding()
    }

    /// The limits that cut the page: any of `bytes`, `nodes`, `depth`, `attributes` and `steps`.
    #[getter]
    fn cut(&self) -> Vec<String> {
        self.found.cuts(&self.document).iter().map(ToString::to_string).collect()
    }

    /// What a notebook shows: the content, and how far it can be trusted.
    fn _repr_html_(&self) -> String {
        let (words, method, confidence) = (self.words(), self.method(), self.confidence());
        format!(
            "{}<p><small>{words} words by {method}, confidence {confidence:.2}</small></p>",
            self.to_html(true, true)
        )
    }

    fn __repr__(&self) -> String {
        let title = self.title().map_or_else(|| "untitled".to_owned(), |title| format!("{title:?}"));
        format!(
            "<tsrec.Extraction of {}: {title}, {} words by {}, confidence {:.2}>",
            self.found.name(),
            self.words(),
            self.method(),
            self.confidence()
        )
    }
}
