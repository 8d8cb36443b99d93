//! tsrec for JavaScript: the WebAssembly part of the npm package, over the same calls as the
//! command line.
//!
//! JavaScript gives the bytes of all pages of a call in one buffer, and the rest of the call as
//! JSON ([`request`]). It gets JSON back ([`answer`]). So few values cross the border, and each
//! has one form. `lib/` checks the types of arguments, and documents the interface.

mod answer;
mod failure;
mod page;
mod panic;
mod request;
mod site;

use serde_json::Value;
use tsrec_core::extract::{Extract, Page};
use tsrec_core::html::Document;
use tsrec_core::pairing;
use url::Url;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::answer;
use crate::failure::Failure;
use crate::page::{InputPage, read_url};
use crate::request::{Options, Request};

/// Finds the content of the first page. The others are siblings.
///
/// # Errors
///
/// Throws the JSON of a [`Failure`].
#[wasm_bindgen]
pub fn extract(pages: &[u8], request: &str) -> Result<String, Failure> {
    let Request { mut pages, options } = Request::read(pages, request)?;
    let Some((page, siblings)) = pages.split_first_mut() else { return Err(Failure::no_page()) };
    if let Some(url) = &page.url {
        pairing::most_similar_first(url, siblings, |sibling| sibling.url.as_ref());
    }
    let documents = siblings.iter().map(InputPage::parse).collect::<Result<Vec<Document>, Failure>>()?;
    let document = page.parse()?;
    let others = siblings.iter().zip(&documents).map(|(other, document)| (&other.name, other.with(document)));
    Ok(run(&page.name, page.with(&document), others, &options)?.to_string())
}

/// Compares two pages, and answers with the results of both.
///
/// # Errors
///
/// Throws the JSON of a [`Failure`].
#[wasm_bindgen]
pub fn diff(pages: &[u8], request: &str) -> Result<String, Failure> {
    let Request { pages, options } = Request::read(pages, request)?;
    let [left, right] = &pages[..] else { return Err(Failure::no_page()) };
    let (left_document, right_document) = (left.parse()?, right.parse()?);
    let (left_page, right_page) = (left.with(&left_document), right.with(&right_document));
    let of_left = run(&left.name, left_page.clone(), [(&right.name, right_page.clone())].into_iter(), &options)?;
    let of_right = run(&right.name, right_page, [(&left.name, left_page)].into_iter(), &options)?;
    Ok(Value::Array(vec![of_left, of_right]).to_string())
}

fn run<'p>(
    name: &str,
    page: Page<'p>,
    siblings: impl Iterator<Item = (&'p String, Page<'p>)>,
    options: &Options,
) -> Result<Value, Failure> {
    let method = options.extractor()?;
    let request = Extract::new(page).name(name).method(&*method);
    let request = siblings.fold(request, |request, (name, other)| request.sibling(name, other));
    let request = if options.explain { request.explaining() } else { request };
    let found = request.run().map_err(|_| Failure::needs_sibling())?;
    Ok(answer(&found, options))
}

/// The site of a page, from its URL. This is the domain under which its owner can register no more
/// names, such as `example.co.uk`. `None` if the URL has no such domain.
///
/// # Errors
///
/// Throws the JSON of a [`Failure`]: the text is no URL.
#[wasm_bindgen]
pub fn site_of(url: &str) -> Result<Option<String>, Failure> {
    let url: Url = read_url(url)?;
    Ok(pairing::registrable_domain(&url))
}

/// The message of the panic in this instance. `None` if there was none.
#[wasm_bindgen]
pub fn panicked() -> Option<String> {
    panic::last()
}
