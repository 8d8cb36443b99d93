//! Pages from Python.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString, PyTuple};
use tsrec_core::html;
use tsrec_core::html::sniff::not_html;
use tsrec_core::html::{Document, Limits};
use url::Url;

use crate::error::NotHtmlError;

/// A page as Python has it: the bytes or str, the URL, the charset and the name.
pub(crate) type PageArguments<'py> = (Bound<'py, PyAny>, Option<String>, Option<String>, String);

/// The first bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A page in our own memory. Work on it touches nothing of Python.
pub(crate) struct PythonPage {
    /// The caller's bytes or str, which no one can change. A pickled result has them.
    html: Py<PyAny>,
    /// A copy of them, until it is parsed.
    bytes: Vec<u8>,
    charset: Option<String>,
    /// Whether Python gave it as text. If so it is no PDF, whatever its first bytes are.
    is_text: bool,
    pub(crate) url: Option<Url>,
    /// Its name among several pages.
    pub(crate) name: String,
}

impl PythonPage {
    /// A page and its address. Text has a charset already. For bytes it is `charset`, or what the
    /// page says.
    pub(crate) fn new(
        html: &Bound<'_, PyAny>,
        url: Option<&str>,
        charset: Option<&str>,
        name: &str,
    ) -> PyResult<PythonPage> {
        let url = url.map(read_url).transpose()?;
        let is_text = html.is_instance_of::<PyString>();
        let (bytes, charset) = read(html, charset)?;
        let name = url.as_ref().map_or_else(|| name.to_owned(), Url::to_string);
        let html = match html.is_instance_of::<PyByteArray>() {
            true => PyBytes::new(html.py(), &bytes).into_any().unbind(),
            false => html.clone().unbind(),
        };
        Ok(PythonPage { html, bytes, charset, is_text, url, name })
    }

    /// A page from what [`PythonPage::arguments`] gave.
    pub(crate) fn of_arguments((html, url, charset, name): PageArguments<'_>) -> PyResult<PythonPage> {
        PythonPage::new(&html, url.as_deref(), charset.as_deref(), &name)
    }

    /// What makes the same page again.
    pub(crate) fn arguments<'py>(&self, py: Python<'py>) -> PageArguments<'py> {
        let url = self.url.as_ref().map(Url::to_string);
        (self.html.bind(py).clone(), url, self.charset.clone(), self.name.clone())
    }

    /// One of several pages: a page, or a pair of a page and its address.
    pub(crate) fn of_many(given: &Bound<'_, PyAny>, name: &str) -> PyResult<PythonPage> {
        let Ok(pair) = given.cast::<PyTuple>() else { return PythonPage::new(given, None, None, name) };
        if pair.len() != 2 {
            let what =
                format!("{name} is a tuple of {}: it must be a page, or a pair of a page and its address", pair.len());
            return Err(PyTypeError::new_err(what));
        }
        let url: Option<String> = pair.get_item(1)?.extract().map_err(|_| {
            PyTypeError::new_err(format!("{name} is a pair whose second is no address: give a str or None"))
        })?;
        PythonPage::new(&pair.get_item(0)?, url.as_deref(), None, name)
    }

    /// Parses it, and frees its bytes.
    pub(crate) fn parse(&mut self) -> PyResult<Document> {
        let (bytes, charset) = (self.unpacked()?, self.charset.as_deref());
        if let Some(what) = not_html(&bytes, charset).filter(|_| !self.is_text) {
            let what = format!("{} is no HTML but {what}: unpack or convert it first, or leave it out", self.name);
            return Err(NotHtmlError::new_err(what));
        }
        Ok(html::parse(&bytes, charset, &Limits::default()))
    }

    /// Takes the bytes, unpacked if they are gzip: up to one byte more than the parser reads.
    fn unpacked(&mut self) -> PyResult<Vec<u8>> {
        let bytes = std::mem::take(&mut self.bytes);
        if self.is_text || !bytes.starts_with(&GZIP) {
            return Ok(bytes);
        }
        let (mut page, most) = (Vec::new(), Limits::default().bytes as u64 + 1);
        match MultiGzDecoder::new(bytes.as_slice()).take(most).read_to_end(&mut page) {
            Ok(_) => Ok(page),
            Err(why) => Err(NotHtmlError::new_err(format!("{} is gzip that cannot be unpacked: {why}", self.name))),
        }
    }
}

fn read(html: &Bound<'_, PyAny>, charset: Option<&str>) -> PyResult<(Vec<u8>, Option<String>)> {
    if let Ok(text) = html.cast::<PyString>() {
        let text = text.to_cow().map_err(|_| {
            PyValueError::new_err(
                "the page is a str with lone surrogates, which no charset can write: give the bytes as they came",
            )
        })?;
        if is_address(&text) {
            return Err(PyValueError::new_err(format!(
                "{:?} is an address and no page: tsrec.extract fetches nothing; give it what came from there, and the address as url",
                text.trim()
            )));
        }
        return Ok((text.as_bytes().to_vec(), Some("utf-8".to_owned())));
    }
    let charset = charset.map(str::to_owned);
    if let Ok(bytes) = html.cast::<PyBytes>() {
        return Ok((bytes.as_bytes().to_vec(), charset));
    }
    if let Ok(bytes) = html.cast::<PyByteArray>() {
        return Ok((bytes.to_vec(), charset));
    }
    let kind = html.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!(
        "a page is bytes or str, not {kind}: read a file with pathlib.Path(name).read_bytes(), and give a response's content"
    )))
}

/// Whether a text is only an address, which people pass by mistake.
fn is_address(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with("http://") || text.starts_with("https://")) && !text.contains(['<', ' ', '\n'])
}

pub(crate) fn read_url(url: &str) -> PyResult<Url> {
    Url::parse(url).map_err(|why| {
        PyValueError::new_err(format!(
            "{url:?} is no URL ({why}): give an absolute one, such as https://example.org/a, or None"
        ))
    })
}
