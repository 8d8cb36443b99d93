//! From a response to a page: is it HTML, and as much of its body as the limit allows.

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use url::Url;

use super::client::{read, unknown_encoding};
use super::media_type::{MediaType, RESOURCE_HEADER_BYTES, looks_binary};
use super::{Error, Page};

/// What pages are asked for with. Other types are named last, since some servers answer 406 to a client that lists only
/// what it prefers, and those types are refused by the answer's content type anyway.
pub(super) const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1";

/// Reads an answer with a success status. Of what is labelled as something else than HTML, no body is read.
pub(super) async fn read_page(url: &Url, mut response: Response, max_body_bytes: usize) -> Result<Page, Error> {
    if let Some(encoding) = unknown_encoding(&response) {
        return Err(Error::encoding(url, &encoding));
    }
    let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| MediaType::parse(value.as_bytes()));
    let mut body = Vec::new();
    match &media_type {
        Some(media_type) if !media_type.is_html() => {
            return Err(Error::not_html(url, &format!("its content type is `{}`", media_type.essence)));
        }
        Some(_) => {}
        None => sniff(url, &mut response, &mut body).await?,
    }
    // One byte more than wanted shows that there was more.
    read(url, &mut response, &mut body, max_body_bytes.saturating_add(1)).await?;
    let truncated = body.len() > max_body_bytes;
    body.truncate(max_body_bytes);
    let status = response.status().as_u16();
    let (content_type, charset) = media_type.map(|found| (found.essence, found.charset)).unzip();
    Ok(Page { url: url.clone(), status, content_type, charset: charset.flatten(), body, truncated })
}

/// Reads the beginning of a body without content type, and refuses it when it looks binary.
async fn sniff(url: &Url, response: &mut Response, body: &mut Vec<u8>) -> Result<(), Error> {
    read(url, response, body, RESOURCE_HEADER_BYTES).await?;
    if looks_binary(&body[..body.len().min(RESOURCE_HEADER_BYTES)]) {
        return Err(Error::not_html(url, "it has no content type and looks binary"));
    }
    Ok(())
}
