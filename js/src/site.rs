//! A site with memory.

use std::cell::RefCell;

use serde_json::{Value, json};
use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::beside::stated;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Extract, Page, Recalled};
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_core::template;
use tsrec_core::template::{Template, Visit};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::answer;
use crate::failure::Failure;
use crate::request::Request;

/// What the pages of a site have in common, by place: hashes and counts, no text.
#[wasm_bindgen]
#[derive(Default)]
pub struct SiteMemory {
    site: RefCell<template::Site>,
}

#[wasm_bindgen]
impl SiteMemory {
    /// A site of which nothing is known.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> SiteMemory {
        SiteMemory::default()
    }

    /// Learns a page and returns the number of its template, from 1. A page that is already known
    /// is not counted again.
    ///
    /// # Errors
    ///
    /// Throws the JSON of a [`Failure`].
    pub fn learn(&self, pages: &[u8], request: &str) -> Result<u32, Failure> {
        let Request { pages, .. } = Request::read(pages, request)?;
        let input = pages.first().ok_or_else(Failure::no_page)?;
        let document = input.parse()?;
        let page = input.with(&document);
        let (memory, stated) = (Scored::shipped().remember(&page), stated(&page));
        let visit = Visit { pattern: input.url.as_ref().map(pattern_hash), before: None, stated: Some(&stated) };
        Ok(self.site.borrow_mut().learn_at(&memory, visit).number)
    }

    /// Finds the content of a page from what was learned. If fewer than three other pages of its
    /// template are known, it uses the page alone.
    ///
    /// # Errors
    ///
    /// Throws the JSON of a [`Failure`].
    pub fn extract(&self, pages: &[u8], request: &str) -> Result<String, Failure> {
        let Request { pages, options } = Request::read(pages, request)?;
        let input = pages.first().ok_or_else(Failure::no_page)?;
        let document = input.parse()?;
        let recall = |page: &Page<'_>, memory: &template::Memory| {
            let own = stated(page);
            let mut site = self.site.borrow_mut();
            let known = Recalled { memory: site.known_with(memory), stated: site.stated() };
            if options.learn {
                site.learn_at(memory, Visit { stated: Some(&own), ..Visit::default() });
            }
            known
        };
        let request = Extract::new(input.with(&document)).name(&input.name);
        let request = request.site_by(recall).method(Auto::shipped().favoring(options.favor()?));
        let request = if options.explain { request.explaining() } else { request };
        let found = request.run().map_err(|_| Failure::needs_sibling())?;
        Ok(answer(&found, &options).to_string())
    }

    /// The number of pages that were learned.
    #[wasm_bindgen(getter)]
    pub fn pages(&self) -> f64 {
        self.site.borrow().pages() as f64
    }

    /// The templates of the site, as JSON.
    #[wasm_bindgen(getter)]
    pub fn templates(&self) -> String {
        let site = self.site.borrow();
        site.templates().iter().map(|template| row(&site, template)).collect::<Value>().to_string()
    }

    /// The memory of the site, as the bytes of a memory file (`tsrec extract --memory`).
    pub fn to_bytes(&self) -> Vec<u8> {
        self.site.borrow().to_bytes()
    }

    /// Makes a site from the bytes of a memory file.
    ///
    /// # Errors
    ///
    /// Throws the JSON of a [`Failure`].
    pub fn from_bytes(memory: &[u8]) -> Result<SiteMemory, Failure> {
        let site = template::Site::from_bytes(memory).map_err(|why| Failure::Memory(why.to_string()))?;
        Ok(SiteMemory { site: RefCell::new(site) })
    }
}

fn row(site: &template::Site, template: &Template) -> Value {
    json!({
        "number": template.number,
        "pages": template.memory.pages(),
        "serves": template.serves(),
        "taught": template.memory.is_taught(),
        "replaced_by": template.replaced_by(),
        "bytes": site.bytes_of(template.number),
    })
}
