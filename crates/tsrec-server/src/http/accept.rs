//! Picks a record's format: the client's preference among the offered ones (RFC 9110, section
//! 12.5.1).

use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::problem::{self, Problem};
use serde_json::Value;
use tsrec_core::extract::Extracted;
use tsrec_core::render::Along;
use tsrec_store::{PageRecord, html_page};

/// The format of a record in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordFormat {
    /// The whole record.
    Json,
    /// Its content, as Markdown after the page's metadata.
    Markdown,
    /// Its content, as a complete HTML page.
    Html,
    /// Its content, as text.
    Text,
    /// Its content, as a TEI document.
    Tei,
}

impl RecordFormat {
    /// The offered formats. If a client likes several equally, the first wins.
    const ALL: [(RecordFormat, &str); 5] = [
        (RecordFormat::Json, "application/json"),
        (RecordFormat::Markdown, "text/markdown"),
        (RecordFormat::Html, "text/html"),
        (RecordFormat::Text, "text/plain"),
        (RecordFormat::Tei, "application/tei+xml"),
    ];

    /// The media types of a record, except JSON.
    pub(super) fn others() -> impl Iterator<Item = &'static str> {
        RecordFormat::ALL
            .into_iter()
            .filter(|(format, _)| *format != RecordFormat::Json)
            .map(|(_, media_type)| media_type)
    }

    /// The format that the request's `Accept` asks for; JSON if it has none.
    ///
    /// # Errors
    ///
    /// 406, with the offered formats.
    pub(super) fn wanted(headers: &HeaderMap) -> Result<RecordFormat, Problem> {
        let mut given = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
        if given.peek().is_none() {
            return Ok(RecordFormat::Json);
        }
        let ranges: Vec<Range<'_>> = given.flat_map(|value| value.split(',')).filter_map(Range::parse).collect();
        let mut best = (RecordFormat::Json, 0);
        for (format, media_type) in RecordFormat::ALL {
            let quality = quality(&ranges, media_type);
            if quality > best.1 {
                best = (format, quality);
            }
        }
        match best {
            (_, 0) => {
                let offered = RecordFormat::ALL.map(|(_, media_type)| media_type).join(", ");
                let detail = format!("the request's Accept takes nothing that there is: a record comes as {offered}");
                Err(Problem::new(StatusCode::NOT_ACCEPTABLE, problem::BLANK, detail))
            }
            (format, _) => Ok(format),
        }
    }

    /// The record in this format, whole.
    pub(super) fn answer(self, record: &PageRecord) -> Response {
        self.response(match self {
            RecordFormat::Json => serde_json::to_string(record).unwrap_or_default(),
            RecordFormat::Markdown => record.front_matter() + &record.markdown(Along::default()) + "\n",
            RecordFormat::Html => record.html_page(),
            RecordFormat::Text => format!("{}\n", record.text),
            RecordFormat::Tei => record.tei(Along::default()) + "\n",
        })
    }

    /// An extraction in this format. `line` is its JSON.
    pub(super) fn answer_found(self, found: &Extracted<'_>, line: &Value) -> Response {
        let along = Along::default();
        let metadata = || &found.described().metadata;
        self.response(match self {
            RecordFormat::Json => line.to_string(),
            RecordFormat::Markdown => found.front_matter() + &found.markdown(along) + "\n",
            RecordFormat::Html => {
                let title = metadata().title.as_deref().unwrap_or(found.name());
                html_page(title, metadata().language.as_deref(), &found.html(along))
            }
            RecordFormat::Text => found.text() + "\n",
            RecordFormat::Tei => found.tei(along) + "\n",
        })
    }

    fn response(self, body: String) -> Response {
        let (_, media_type) =
            RecordFormat::ALL[RecordFormat::ALL.iter().position(|(format, _)| *format == self).unwrap_or(0)];
        let content_type = match media_type.starts_with("text/") {
            true => format!("{media_type}; charset=utf-8"),
            false => media_type.to_owned(),
        };
        let headers = [
            (CONTENT_TYPE, content_type.as_str()),
            (VARY, "Accept"),
            // The markup is safe by construction. If it were not, it still could run nothing and
            // request nothing.
            (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        (headers, body).into_response()
    }
}

/// A media range of an `Accept` header.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// From 0 to 1000.
    quality: u16,
}

impl<'a> Range<'a> {
    /// `None` if the text is no range.
    fn parse(range: &'a str) -> Option<Range<'a>> {
        let mut parts = range.split(';');
        let (kind, subtype) = parts.next()?.trim().split_once('/')?;
        let quality = parts.find_map(|part| part.trim().strip_prefix(['q', 'Q'])?.trim().strip_prefix('='));
        let quality = quality.map_or(Some(1.0), |value| value.trim().parse::<f32>().ok())?;
        (0.0..=1.0).contains(&quality).then_some(Range { kind, subtype, quality: (quality * 1_000.0) as u16 })
    }

    /// How specifically it names a type; `None` if it does not match.
    fn closeness(&self, kind: &str, subtype: &str) -> Option<u8> {
        match (self.kind, self.subtype) {
            ("*", "*") => Some(0),
            (of, "*") if of.eq_ignore_ascii_case(kind) => Some(1),
            (of, sub) if of.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => Some(2),
            _ => None,
        }
    }
}

/// The quality of the most specific range that matches a type.
fn quality(ranges: &[Range<'_>], media_type: &str) -> u16 {
    let (kind, subtype) = media_type.split_once('/').unwrap_or_default();
    let named = ranges.iter().filter_map(|range| Some((range.closeness(kind, subtype)?, range.quality)));
    named.max_by_key(|(closeness, _)| *closeness).map_or(0, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_what_it_would_rather_have() {
        let wanted = |accept: &str| {
            let headers = [(header::ACCEPT, accept.parse().unwrap())].into_iter().collect();
            RecordFormat::wanted(&headers).ok()
        };
        assert_eq!(RecordFormat::wanted(&HeaderMap::new()).ok(), Some(RecordFormat::Json));
        for (accept, expect) in [
            ("*/*", Some(RecordFormat::Json)),
            ("text/markdown", Some(RecordFormat::Markdown)),
            ("TEXT/Markdown; q=0.5, text/plain;q=0.4", Some(RecordFormat::Markdown)),
            ("text/*", Some(RecordFormat::Markdown)),
            ("text/*;q=0.3, text/html;q=0.7, */*;q=0.1", Some(RecordFormat::Html)),
            // Sent by a browser.
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Some(RecordFormat::Html)),
            ("text/plain, application/json;q=0.9", Some(RecordFormat::Text)),
            ("application/tei+xml", Some(RecordFormat::Tei)),
            ("*/*, application/json;q=0", Some(RecordFormat::Markdown)),
            ("image/png", None),
            ("", None),
            ("text/plain;q=2", None),
        ] {
            assert_eq!(wanted(accept), expect, "{accept}");
        }
    }
}
