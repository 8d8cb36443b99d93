//! From a response to a page: is it HTML, and as much of its body as the limit allows.

use hyper::header::CONTENT_TYPE;
use jiff::Timestamp;
use url::Url;

use super::client::{Success, validators};
use super::directives::directives;
use super::media_type::MediaType;
use super::{Error, FetchedPage};
use tsrec_core::html::sniff::{RESOURCE_HEADER_BYTES, is_no_text, not_html};

/// What pages are asked for with. Other types are named last, since some servers answer 406 to a
/// client that lists only what it prefers, and those types are refused by the answer's content type
/// anyway.
pub(super) const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1";

/// Reads an answer with a success status. Of what is labelled as something else than HTML, no body
/// is read; of what shows itself to be something else, no more than it took to see it.
pub(super) async fn read_page(
    url: &Url,
    mut answer: Success,
    max_body_bytes: usize,
    product_token: &str,
) -> Result<FetchedPage, Error> {
    let media_type = answer.headers.get(CONTENT_TYPE).and_then(|value| MediaType::parse(value.as_bytes()));
    if let Some(media_type) = media_type.as_ref().filter(|media_type| !media_type.is_html()) {
        return Err(Error::not_html(url, &format!("its content type is `{}`", media_type.essence)));
    }
    let (content_type, charset) = media_type.map(|found| (found.essence, found.charset)).unzip();
    let charset = charset.flatten();
    // One byte more than wanted shows that there was more.
    let most = max_body_bytes.saturating_add(1);
    let header = answer.read(RESOURCE_HEADER_BYTES.min(most), most).await?;
    if let Some(what) = not_html(header, charset.as_deref()) {
        return Err(Error::not_html(url, &format!("its first bytes are those of {what}")));
    }
    let mut body = std::mem::take(answer.read(most, most).await?);
    let truncated = body.len() > max_body_bytes;
    body.truncate(max_body_bytes);
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
        via: Vec::new(),
        exchange: None,
    })
}
