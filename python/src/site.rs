//! A site with memory.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::json;
use tsrec_core::extract::beside::stated;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Page, Recalled};
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_core::pairing::registrable_domain;
use tsrec_core::template;
use tsrec_core::template::Visit;

use crate::asked::Asked;
use crate::error::MemoryFileError;
use crate::extraction::{Extraction, to_python};
use crate::format::OutputFormat;
use crate::input::PythonPage;
use crate::pickled;

/// What the pages of a site have in common, by place. It keeps hashes and counts, but no text. It
/// can be pickled, and used from several threads.
#[pyclass(frozen, module = "tsrec")]
pub(crate) struct Site {
    memory: Mutex<template::Site>,
}

impl Site {
    /// Ignores poisoning: a thread that panics leaves no half-learned page.
    fn lock(&self) -> MutexGuard<'_, template::Site> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self) -> Vec<u8> {
        self.lock().to_bytes()
    }

    fn of_file(bytes: &[u8]) -> Result<Site, String> {
        let site = template::Site::from_bytes(bytes).map_err(|why| why.to_string())?;
        Ok(Site { memory: Mutex::new(site) })
    }
}

#[pymethods]
impl Site {
    #[new]
    fn new() -> Site {
        Site { memory: Mutex::default() }
    }

    /// Learns a page and returns the number of its template, from 1. A page that is already known
    /// is not counted again.
    #[pyo3(signature = (html, url=None, *, charset=None))]
    fn learn(
        &self,
        py: Python<'_>,
        html: &Bound<'_, PyAny>,
        url: Option<&str>,
        charset: Option<&str>,
    ) -> PyResult<u32> {
        let mut input = PythonPage::new(html, url, charset, "the page")?;
        py.detach(|| {
            let document = input.parse()?;
            let page = Page::new(&document).at(input.url.as_ref());
            let (memory, stated) = (Scored::shipped().remember(&page), stated(&page));
            let visit = Visit { pattern: input.url.as_ref().map(pattern_hash), before: None, stated: Some(&stated) };
            Ok(self.lock().learn_at(&memory, visit).number)
        })
    }

    /// Finds the content of a page from what was learned. If fewer than three other pages of its
    /// template are known, it uses the page alone. With `learn` the page is learned afterwards.
    /// This is what `tsrec extract --batch --sites` does, page by page.
    /// `output_format` is that of `tsrec.extract`.
    #[pyo3(signature = (html, url=None, *, learn=false, favor="balance", charset=None, explain=false, output_format=None))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn extract<'py>(
        &self,
        py: Python<'py>,
        html: &Bound<'_, PyAny>,
        url: Option<&str>,
        learn: bool,
        favor: &str,
        charset: Option<&str>,
        explain: bool,
        output_format: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let format = OutputFormat::from_argument(output_format)?;
        let asked = Asked::new("auto", favor, explain)?;
        let mut input = PythonPage::new(html, url, charset, "the page")?;
        Extraction::given(py, format, || {
            let document = input.parse()?;
            let recall = |page: &Page<'_>, memory: &template::Memory| {
                let own = stated(page);
                let mut site = self.lock();
                let known = Recalled { memory: site.known_with(memory), stated: site.stated() };
                if learn {
                    site.learn_at(memory, Visit { stated: Some(&own), ..Visit::default() });
                }
                known
            };
            pickled::with_site(document, input, asked, recall)
        })
    }

    /// The number of pages that were learned.
    #[getter]
    fn pages(&self) -> u64 {
        self.lock().pages()
    }

    /// The templates of the site.
    #[getter]
    fn templates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let site = self.lock();
        let rows = site.templates().iter().map(|template| row(&site, template)).collect();
        drop(site);
        to_python(py, &rows)
    }

    /// The memory of the site, as the bytes of a memory file (`tsrec extract --memory`).
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.file()))
    }

    /// Makes a site from the bytes of a memory file. Raises MemoryFileError.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, memory: &[u8]) -> PyResult<Site> {
        Site::of_file(memory).map_err(MemoryFileError::new_err)
    }

    /// Writes a memory file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        Ok(py.detach(|| std::fs::write(&path, self.file()))?)
    }

    /// Reads a memory file. Raises OSError or MemoryFileError.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Site> {
        let bytes = py.detach(|| std::fs::read(&path))?;
        Site::of_file(&bytes).map_err(|why| MemoryFileError::new_err(format!("{}: {why}", path.display())))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)))
    }

    fn __repr__(&self) -> String {
        let site = self.lock();
        format!("<tsrec.Site: {} pages, {} templates>", site.pages(), site.templates().len())
    }
}

/// The site of a page, from its URL. This is the domain under which its owner can register no more
/// names, such as `example.co.uk`. None if the URL has no such domain. `tsrec extract --batch
/// --sites` groups pages by it.
#[pyfunction]
pub(crate) fn site_of(url: &str) -> PyResult<Option<String>> {
    let url = url.parse().map_err(|why| PyValueError::new_err(format!("{url:?} is no address of a page: {why}")))?;
    Ok(registrable_domain(&url))
}

fn row(site: &template::Site, template: &template::Template) -> serde_json::Value {
    json!({
        "number": template.number,
        "pages": template.memory.pages(),
        "serves": template.serves(),
        "taught": template.memory.is_taught(),
        "replaced_by": template.replaced_by(),
        "bytes": site.bytes_of(template.number),
    })
}
