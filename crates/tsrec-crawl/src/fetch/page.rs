//! From a response to a page: checks that it is HTML, and reads the body up to the limit.

use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use url::Url;

use super::client::{Success, is_blank, validators};
use super::directives::directives;
use super::link_header::canonical;
use super::media_type::MediaType;
use super::{Error, FetchedPage, headers};
use tsrec_core::html::sniff::{RESOURCE_HEADER_BYTES, is_no_text, is_xhtml, not_html};

/// The Accept header for pages. It names other types last, since some servers answer 406 to a
/// client that lists only what it prefers. The client refuses those types by content type anyway.
pub(super) const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1";

/// Most `Content-Type` headers read. Judgement: a proxy may add one.
const MAX_TYPES: usize = 8;

/// Reads an answer with a success status. If the content type is not HTML, no body is read. If the
/// first bytes are not HTML, nothing is read after them.
pub(super) async fn read_page(
    url: &Url,
    mut answer: Success,
    max_body_bytes: usize,
    product_token: &str,
) -> Result<FetchedPage, Error> {
    answer.check_status()?;
    let values = answer.headers.get_all(CONTENT_TYPE).iter().take(MAX_TYPES);
    let media_type = MediaType::parse(values.map(HeaderValue::as_bytes));
    let of_other_type =
        |media_type: &MediaType| Error::not_html(url, &format!("its content type is `{}`", media_type.essence));
    if let Some(media_type) = media_type.as_ref().filter(|media_type| !media_type.is_html() && !media_type.is_xml()) {
        return Err(of_other_type(media_type));
    }
    let xml = media_type.clone().filter(|media_type| !media_type.is_html());
    let (content_type, charset) = media_type.map(|found| (found.essence, found.charset)).unzip();
    let charset = charset.flatten();
    // One byte beyond the limit shows that there is more.
    let most = max_body_bytes.saturating_add(1);
    let header = answer.read_text(RESOURCE_HEADER_BYTES.min(most), most).await?;
    if let Some(media_type) = xml.filter(|_| !is_xhtml(header)) {
        return Err(of_other_type(&media_type));
    }
    if let Some(what) = not_html(header, charset.as_deref()) {
        return Err(Error::not_html(url, &format!("its first bytes are those of {what}")));
    }
    let mut body = std::mem::take(answer.read(most, most).await?);
    let truncated = body.len() > max_body_bytes || answer.is_cut();
    body.truncate(max_body_bytes);
    if is_blank(&body) {
        return Err(Error::blank(url, answer.status));
    }
    if is_no_text(&body, charset.as_deref()) {
        return Err(Error::not_html(url, "its body is no text: there is binary data all over it"));
    }
    Ok(FetchedPage {
        url: url.clone(),
        status: answer.status.as_u16(),
        content_type,
        charset,
        body,
        truncated,
        validators: validators(&answer.headers),
        directives: directives(&answer.headers, product_token, Timestamp::now()),
        canonical: canonical(url, &answer.headers),
        refresh: headers::refresh(url, &answer.headers),
        via: Vec::new(),
        exchange: None,
    })
}
