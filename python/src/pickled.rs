//! Pickling of results. A pickle has what was asked: the page, its siblings, what the site knew,
//! and the options. Unpickling extracts again, which gives the same result. A second form of a
//! result could differ from the first.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde::{Deserialize, Serialize};
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Page, Recalled};
use tsrec_core::html::Document;
use tsrec_core::metadata::Stated;
use tsrec_core::template::Memory;

use crate::asked::Asked;
use crate::error::Error;
use crate::extraction::Extraction;
use crate::input::{PageArguments, PythonPage};

/// What a site knew of a page, as bytes. They are much smaller than the memory that they were made
/// of.
pub(crate) type SiteBytes = Vec<u8>;

/// The version and the model, the page, its siblings, the options, and what the site knew.
pub(crate) type Arguments<'py> = (
    (&'static str, &'static str),
    PageArguments<'py>,
    Vec<PageArguments<'py>>,
    (&'static str, String, bool),
    Option<Bound<'py, PyBytes>>,
);

/// [`Recalled`], as it is written.
#[derive(Serialize, Deserialize)]
struct StoredSite {
    memory: Memory,
    stated: Stated,
}

/// What [`again`] needs to extract the same.
pub(crate) fn arguments<'py>(extraction: &Extraction, py: Python<'py>) -> Arguments<'py> {
    (
        this_version(),
        extraction.input.arguments(py),
        extraction.siblings.iter().map(|sibling| sibling.arguments(py)).collect(),
        extraction.asked.arguments(),
        extraction.site.as_ref().map(|site| PyBytes::new(py, site)),
    )
}

/// Extracts again from the [`arguments`] of a result. Raises Error if another version made them.
pub(crate) fn again(arguments: &Bound<'_, PyTuple>) -> PyResult<Extraction> {
    // The version comes first: another one may have other arguments.
    let version = arguments.get_item(0).and_then(|version| version.extract::<(String, String)>());
    check_version(&version.unwrap_or_default())?;
    type Options = (String, String, bool);
    type Rest<'py> = (Bound<'py, PyAny>, PageArguments<'py>, Vec<PageArguments<'py>>, Options, Option<Vec<u8>>);
    let (_, page, siblings, (method, favor, explain), site) = arguments.extract::<Rest<'_>>()?;
    let asked = Asked::new(&method, &favor, explain)?;
    let input = PythonPage::of_arguments(page)?;
    let siblings = siblings.into_iter().map(PythonPage::of_arguments).collect::<PyResult<Vec<PythonPage>>>()?;
    arguments.py().detach(|| match site {
        None => Extraction::beside(input, siblings, asked),
        Some(site) => at_site(input, asked, &site),
    })
}

/// The release, and the digest of the model. Both decide what an extraction gives.
fn this_version() -> (&'static str, &'static str) {
    (env!("CARGO_PKG_VERSION"), Scored::shipped_digest())
}

fn check_version((version, model): &(String, String)) -> PyResult<()> {
    let (ours, our_model) = this_version();
    if (version.as_str(), model.as_str()) == (ours, our_model) {
        return Ok(());
    }
    let made_by = match version.as_str() {
        "" => "another version of tsrec".to_owned(),
        version if version == ours => format!("a tsrec {version} with another model"),
        version => format!("tsrec {version}"),
    };
    Err(Error::new_err(format!(
        "this result was pickled by {made_by}, and this is tsrec {ours}: its results could differ. Extract the page again, \
         or unpickle with the version that pickled. To keep results for longer, store page.to_dict()"
    )))
}

/// Extracts a page with what the site knows, and keeps that with the result.
pub(crate) fn with_site(
    document: Document,
    input: PythonPage,
    asked: Asked,
    recall: impl FnOnce(&Page<'_>, &Memory) -> Recalled,
) -> PyResult<Extraction> {
    let (method, mut site) = (asked.extractor(), None);
    let recall = |page: &Page<'_>, memory: &Memory| {
        let Recalled { memory, stated } = recall(page, memory);
        let known = StoredSite { memory, stated };
        site = Some(postcard::to_stdvec(&known).expect("a memory is plain data"));
        Recalled { memory: known.memory, stated: known.stated }
    };
    let mut found = Extraction::new(document, input, asked, |request| request.site_by(recall).method(&*method))?;
    // Of a page that exceeds its budget no site is asked. Then it is extracted alone again.
    found.site = site;
    Ok(found)
}

fn at_site(mut input: PythonPage, asked: Asked, site: &[u8]) -> PyResult<Extraction> {
    let damaged = |why| Error::new_err(format!("the pickled result is damaged ({why}): extract the page again"));
    let StoredSite { memory, stated } = postcard::from_bytes(site).map_err(damaged)?;
    let document = input.parse()?;
    with_site(document, input, asked, |_, _| Recalled { memory, stated })
}
