//! Records in the formats that people read.

use serde_json::json;

use crate::record::{NewPage, PageRecord};
use tsrec_core::extract::report::{front_matter, header};
use tsrec_core::render::html::escape;
use tsrec_core::render::{Along, Fragment};

impl NewPage {
    /// The content, ready for any format: with its markup if there is any, else as paragraphs of
    /// its text.
    #[doc(hidden)]
    pub fn fragment(&self) -> Fragment {
        self.html.as_deref().map_or_else(|| Fragment::of_text(&self.text), Fragment::parse)
    }

    /// The content as [Markdown](tsrec_core::render::markdown), without a final line break.
    pub fn markdown(&self, along: Along) -> String {
        self.fragment().markdown(along)
    }

    /// The page's metadata as YAML, to go before its Markdown.
    pub fn front_matter(&self) -> String {
        let mut fields = json!(self.metadata);
        fields["url"] = json!(self.url);
        fields["kind"] = json!(self.kind);
        fields["confidence"] = json!(self.confidence);
        front_matter(&fields)
    }

    /// The content as [HTML](tsrec_core::render::html).
    pub fn content_html(&self, along: Along) -> String {
        match &self.html {
            Some(html) if along == Along::default() => html.clone(),
            _ => self.fragment().html(along),
        }
    }

    /// The content as [TEI](tsrec_core::render::tei).
    pub fn tei(&self, along: Along) -> String {
        let url = url::Url::parse(&self.url).ok();
        let header = header(self.metadata.clone(), url.as_ref());
        self.fragment().tei(along, &header)
    }
}

impl PageRecord {
    /// The content as a complete HTML page.
    pub fn html_page(&self) -> String {
        let title = self.metadata.title.as_deref().unwrap_or(&self.url);
        html_page(title, self.metadata.language.as_deref(), &self.content_html(Along::default()))
    }
}

/// Content, which is harmless markup, as a complete HTML page.
#[doc(hidden)]
pub fn html_page(title: &str, language: Option<&str>, content: &str) -> String {
    let (mut title_text, mut language_text) = (String::new(), String::new());
    escape(&mut title_text, title);
    escape(&mut language_text, language.unwrap_or_default());
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language_text}\">\n<head><meta charset=\"utf-8\"><title>{title_text}</title></head>\n<body>\n{content}\n</body>\n</html>\n"
    )
}
