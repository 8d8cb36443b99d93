//! Why a block is kept or not. The page's view asks for this when an element is opened. It reads
//! the page anew and explains this one block.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::Url;

use super::{answer, for_people, to_host, to_page, trail};
use crate::http::problem;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::reading::{Failed, PageReader, refusal};
use crate::http::routes::ApiContext;
use crate::http::templates::with_errors;
use crate::inspector;
use crate::inspector::escaped;
use tsrec_core::evidence::model::Reason;
use tsrec_core::extract::Page;
use tsrec_core::extract::scored::Scored;
use tsrec_core::learn::model::hex;
use tsrec_store::PageRecord;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EvidenceQuery {
    url: String,
    sha256: String,
    block: u32,
}

pub(super) async fn evidence(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    asked: Result<Query<EvidenceQuery>, Problem>,
) -> Response {
    let shown = async {
        let Query(asked) = asked?;
        let api = context.api.clone();
        let told = with_errors(&context, move |_| told(&api.reader(), &asked)).await?;
        let (record, reasons) = told.map_err(Refused::problem)?;
        let title = record.metadata.title.as_deref().unwrap_or(&record.url);
        let body = format!(
            "{}<main class=narrow><h1 dir=auto>{}</h1><h2>What moved a block's probability</h2>{}</main>",
            trail(&[(&record.host, to_host(&record.host)), (title, to_page(&record.url))]),
            escaped(title),
            inspector::evidence(&reasons),
        );
        Ok(answer("Evidence", &body))
    };
    for_people(&headers, shown.await)
}

/// Why there is no evidence.
enum Refused {
    NoSuchPage,
    BytesNotKept,
    OtherBytes,
    NoSuchBlock,
    /// It takes too much work.
    Quarantined(String),
}

impl Refused {
    fn problem(self) -> Problem {
        let (status, kind, detail) = match self {
            Refused::NoSuchPage => (StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, "the page is not in the store"),
            Refused::BytesNotKept => (StatusCode::NOT_FOUND, problem::BLANK, "the page's bytes are not kept any more"),
            Refused::OtherBytes => (
                StatusCode::CONFLICT,
                problem::BLANK,
                "the page was fetched anew since it was shown: load its view again",
            ),
            Refused::NoSuchBlock => (StatusCode::NOT_FOUND, problem::BLANK, "the page has no such block"),
            Refused::Quarantined(url) => {
                return Problem::new(StatusCode::CONFLICT, problem::BLANK, refusal(&url));
            }
        };
        Problem::new(status, kind, detail)
    }
}

/// The evidence that moved a block's probability most, for the page as its view has it. Blocks.
fn told(reader: &PageReader<'_>, asked: &EvidenceQuery) -> Result<Result<(PageRecord, Vec<Reason>), Refused>, Failed> {
    let store = reader.store();
    let Some(record) = store.get(&asked.url)? else { return Ok(Err(Refused::NoSuchPage)) };
    let Some(parked) = store.bytes_of(&record.url)? else { return Ok(Err(Refused::BytesNotKept)) };
    if hex(&Sha256::digest(&parked.body)) != asked.sha256 {
        return Ok(Err(Refused::OtherBytes));
    }
    let site = reader.memories.site(&record.host)?;
    let Some(document) = reader.document(&record.url, &parked)? else {
        return Ok(Err(Refused::Quarantined(record.url.clone())));
    };
    let url = Url::parse(&record.url).ok();
    let page = Page::new(&document).at(url.as_ref());
    if reader.is_too_long(&record.url, &parked, &page)? {
        return Ok(Err(Refused::Quarantined(record.url.clone())));
    }
    if page.analysis().blocks().len() <= asked.block as usize {
        return Ok(Err(Refused::NoSuchBlock));
    }
    let known = site.known_with(&Scored::shipped().remember(&page));
    Ok(Ok((record, Scored::shipped().reasons(&page, &known, asked.block as usize))))
}
