//! Pages from JavaScript.

use serde::Deserialize;
use tsrec_core::extract::Page;
use tsrec_core::html;
use tsrec_core::html::sniff::not_html;
use tsrec_core::html::{Document, Limits};
use url::Url;

use crate::failure::Failure;

/// What JavaScript says of a page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageHeader {
    /// The number of its bytes.
    pub(crate) length: usize,
    /// Whether it was a string. If so it is no PDF, whatever its first bytes are, and is UTF-8.
    is_text: bool,
    charset: Option<String>,
    url: Option<String>,
    /// Its name among several pages, if it has no URL.
    name: String,
}

/// A page with its bytes.
pub(crate) struct InputPage<'b> {
    bytes: &'b [u8],
    charset: Option<String>,
    is_text: bool,
    pub(crate) url: Option<Url>,
    pub(crate) name: String,
}

impl<'b> InputPage<'b> {
    pub(crate) fn new(header: PageHeader, bytes: &'b [u8]) -> Result<InputPage<'b>, Failure> {
        let url = header.url.as_deref().map(read_url).transpose()?;
        let name = url.as_ref().map_or(header.name, Url::to_string);
        let charset = if header.is_text { Some("utf-8".to_owned()) } else { header.charset };
        Ok(InputPage { bytes, charset, is_text: header.is_text, url, name })
    }

    pub(crate) fn parse(&self) -> Result<Document, Failure> {
        let charset = self.charset.as_deref();
        if let Some(what) = not_html(self.bytes, charset).filter(|_| !self.is_text) {
            let name = &self.name;
            return Err(Failure::NotHtml(format!(
                "{name} is no HTML but {what}: unpack or convert it first, or leave it out"
            )));
        }
        Ok(html::parse(self.bytes, charset, &Limits::default()))
    }

    /// The page of its document.
    pub(crate) fn with<'p>(&'p self, document: &'p Document) -> Page<'p> {
        Page::new(document).at(self.url.as_ref())
    }
}

pub(crate) fn read_url(url: &str) -> Result<Url, Failure> {
    Url::parse(url).map_err(|why| {
        Failure::Argument(format!("{url:?} is no URL ({why}): give an absolute one, such as https://example.org/a"))
    })
}
