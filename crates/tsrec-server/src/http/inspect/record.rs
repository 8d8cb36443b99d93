//! A record beside its page and a sibling of that. Here an operator marks elements as content or
//! not.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::Url;

use super::{answer_that, encoded, facts, for_people, link, to_host, to_template, trail};
use crate::http::Api;
use crate::http::problem;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::reading::{Failed, refusal};
use crate::http::routes::ApiContext;
use crate::http::templates::{TemplateRow, Templates, with_errors};
use crate::inspector;
use crate::inspector::{InspectorContext, May, escaped};
use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Extract, Page, Sibling};
use tsrec_core::learn::model::hex;
use tsrec_core::pairing;
use tsrec_core::template::{Site, Template};
use tsrec_store::{Error, Key, PageRecord, Parked, Store};

/// Candidates for the sibling beside a page: those that follow it in the store, and the first of
/// its host. Judgement: similar URLs are adjacent.
const NEAR: usize = 30;
/// How many of those to check for kept bytes.
const TRIED: usize = 8;

/// The form of the marks.
const FORM: &str = "marks";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordQuery {
    url: String,
    sibling: Option<String>,
}

pub(super) async fn record(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    asked: Result<Query<RecordQuery>, Problem>,
) -> Response {
    let shown = async {
        let Query(RecordQuery { url, sibling }) = asked?;
        let absent = Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, format!("{url} is not in the store"));
        let api = context.api.clone();
        let found = with_errors(&context, move |memories| {
            let store = memories.store();
            let asked = sibling.as_deref().map(Key::parse).transpose()?;
            let Some(record) = store.get(&url)? else { return Ok(None) };
            let site = memories.site(&record.host)?;
            let shown = match store.bytes_of(&record.url)? {
                Some(parked) => look(&api, &record, &site, &parked, asked.as_ref())?,
                None => ShownPage::NotKept,
            };
            Ok(Some(view(&record, &Templates::new(&record.host, &site), shown)))
        });
        let (title, body) = found.await?.ok_or(absent)?;
        Ok(answer_that(May::Ask, &title, &body))
    };
    for_people(&headers, shown.await)
}

/// What is shown of a page beside its record.
enum ShownPage {
    Looked(Looked),
    /// Its bytes are not kept.
    NotKept,
    /// It takes too much work.
    Quarantined,
}

/// The view of a page whose bytes are kept, as markup.
struct Looked {
    elements: String,
    digest: String,
    frame: String,
    /// The sibling's URL and its elements.
    sibling: Option<(String, String)>,
    /// Other pages that could be shown beside it.
    near: Vec<String>,
}

/// Reads the page anew, with its site's memory, and picks a sibling. Blocks.
fn look(
    api: &Api,
    record: &PageRecord,
    site: &Site,
    parked: &Parked,
    asked: Option<&Key>,
) -> Result<ShownPage, Failed> {
    let reader = &api.reader();
    let Some(document) = reader.document(&record.url, parked)? else { return Ok(ShownPage::Quarantined) };
    let url = Url::parse(&record.url).ok();
    let page = Page::new(&document).at(url.as_ref());
    if reader.is_too_long(&record.url, parked, &page)? {
        return Ok(ShownPage::Quarantined);
    }
    let near = near(reader.store(), record)?;
    let beside = sibling(reader.store(), record, asked, &near)?;
    let other = match &beside {
        Some((url, parked)) => {
            reader.document(url, parked)?.map(|document| (url, parked, document, Url::parse(url).ok()))
        }
        None => None,
    };
    let mut other =
        other.as_ref().map(|(url, parked, document, at)| (url.as_str(), *parked, Page::new(document).at(at.as_ref())));
    if let Some((name, parked, read)) = &other
        && reader.is_too_long(name, parked, read)?
    {
        other = None;
    }
    let read = |name: &str, page| {
        let request = Extract::new(page).name(name).site(site).method(Auto::shipped().favoring(api.favor));
        request.run().expect("auto needs no sibling")
    };
    let mut found = read(&record.url, &page);
    let mut sibling = None;
    if let Some((name, _, other)) = &other {
        found = found.beside(&Sibling::new(*name, other));
        let turned = read(name, other).beside(&Sibling::new(&record.url, &page));
        sibling = Some(((*name).to_owned(), inspector::sibling(&found, &turned)));
    }
    if reader.was_too_long(&record.url, parked, found.steps())? {
        return Ok(ShownPage::Quarantined);
    }
    let known = site.template_of(&found.memory()).map(|template| &template.memory);
    let digest = hex(&Sha256::digest(&parked.body));
    let why = format!("/evidence?url={}&sha256={digest}&block=", encoded(&record.url));
    Ok(ShownPage::Looked(Looked {
        elements: inspector::elements(&found, &InspectorContext { known, form: Some(FORM), why: Some(&why) }),
        digest,
        frame: inspector::frame(&page),
        sibling,
        near,
    }))
}

/// Similar URLs of its host, the most similar first. The page that it was compared with comes
/// before all of them.
fn near(store: &Store, record: &PageRecord) -> Result<Vec<String>, Error> {
    let Ok(url) = Url::parse(&record.url) else { return Ok(Vec::new()) };
    let mut listed = store.list(Some(&record.host), Some(&record.url), NEAR)?;
    listed.extend(store.list(Some(&record.host), None, NEAR)?);
    let urls = listed.iter().filter_map(|page| Url::parse(&page.url).ok());
    let ranked = pairing::rank(&url, urls, |url| url).into_iter().map(|rated| rated.candidate.to_string());
    let mut near: Vec<String> = record.sibling.iter().cloned().chain(ranked).collect();
    let mut seen = std::collections::HashSet::new();
    // An imported record may name any text as its sibling.
    near.retain(|url| Key::parse(url).is_ok() && seen.insert(url.clone()));
    Ok(near)
}

/// The page to show beside it: the requested one, or else the first of `near` that has the same
/// template. Its bytes must be kept.
fn sibling(
    store: &Store,
    record: &PageRecord,
    asked: Option<&Key>,
    near: &[String],
) -> Result<Option<(String, Parked)>, Error> {
    if let Some(asked) = asked {
        return Ok(store.bytes_of(asked.url())?.map(|parked| (asked.url().to_owned(), parked)));
    }
    let number = |record: &PageRecord| record.template.map(|template| template.number);
    for url in near.iter().take(TRIED) {
        let is_alike = store.get(url)?.is_some_and(|other| number(&other) == number(record));
        if is_alike && let Some(parked) = store.bytes_of(url)? {
            return Ok(Some((url.clone(), parked)));
        }
    }
    Ok(None)
}

/// A record for people: its title, and the body of its page.
fn view(record: &PageRecord, templates: &Templates, shown: ShownPage) -> (String, String) {
    let title = record.metadata.title.clone().unwrap_or_else(|| record.url.clone());
    let rows: String = templates.templates.iter().map(|row| template(&record.host, row)).collect();
    let body = format!(
        "<header>{}<h1 dir=auto>{}</h1>{}</header><main class=record>{}</main>\
         <section aria-labelledby=templates><h2 id=templates>Templates of {}</h2><table><thead><tr><th scope=col>template<th scope=col>pages\
         <th scope=col>places<th scope=col>serves<th scope=col>taught<th scope=col>replaced by<tbody>{rows}</table></section>",
        trail(&[(&record.host, to_host(&record.host))]),
        escaped(&title),
        facts(of_record(record)),
        beside(record, shown),
        escaped(&record.host),
    );
    (title, body)
}

/// The page's elements, and its sibling's.
fn beside(record: &PageRecord, shown: ShownPage) -> String {
    let kept = format!(
        "<section class=\"tab kept\" aria-labelledby=kept><h2 id=kept>What is kept</h2><pre class=text dir=auto>{}</pre></section>",
        escaped(&record.text)
    );
    let heading = "<section class=page aria-labelledby=page><h2 id=page>The page's elements</h2>";
    let Looked { elements, digest, frame, sibling, near } = match shown {
        ShownPage::Looked(looked) => looked,
        ShownPage::NotKept => {
            return format!(
                "{heading}<p>The page's bytes are not kept, so that its elements cannot be shown. The page asks for no copy, or it is older than what \
                 <code>bodies_bytes</code> in <code>[store]</code> has room for.</section>{kept}"
            );
        }
        ShownPage::Quarantined => return format!("{heading}<p>{}.</section>{kept}", escaped(&refusal(&record.url))),
    };
    format!(
        "{heading}<p>As they are told now, with what is remembered of the site: the record is of when the page was fetched. Open one to see why, and to say whether \
         it is content.<p><a href=\"#{FORM}\">On to the end of the elements</a>{elements}{}</section>\
         <div class=side><fieldset class=tabs><legend>Beside them</legend>\
         <label><input type=radio name=beside id=beside-kept checked> what is kept</label> \
         <label><input type=radio name=beside id=beside-sibling> a sibling</label> \
         <label><input type=radio name=beside id=beside-itself> the page itself</label></fieldset>{kept}\
         <section class=\"tab sibling\" aria-labelledby=sibling><h2 id=sibling>A sibling</h2>{}</section>\
         <section class=\"tab itself\" aria-labelledby=itself><h2 id=itself>The page itself, without scripts, styles and images</h2>{frame}</section></div>",
        marks(record, &digest),
        beside_it(record, sibling, &near),
    )
}

/// The form for the marks.
fn marks(record: &PageRecord, digest: &str) -> String {
    format!(
        "<form id={FORM} class=bar method=post action=/teach><input type=hidden name=url value=\"{}\"><input type=hidden name=sha256 value={digest}>\
         <button name=do value=preview>Show what the marks would change</button> <button type=reset>Take the marks away</button></form>",
        escaped(&record.url)
    )
}

/// The sibling's elements, and a choice of others.
fn beside_it(record: &PageRecord, sibling: Option<(String, String)>, near: &[String]) -> String {
    let (shown, rows) = match &sibling {
        Some((url, rows)) => (
            url.as_str(),
            format!("<p>{}<p>An element's <i>equal to</i> leads here, and back.</p>{rows}", link(url, url)),
        ),
        None => ("", "<p>No page of the same template near this one has its bytes kept.".to_owned()),
    };
    let option = |url: &String| {
        let selected = if url == shown { " selected" } else { "" };
        format!("<option value=\"{0}\"{selected}>{0}", escaped(url))
    };
    let options: String = near.iter().map(option).collect();
    if options.is_empty() {
        return rows;
    }
    format!(
        "<form action=/page method=get><input type=hidden name=url value=\"{}\"><label>Another <select name=sibling>{options}</select></label> <button>Lay it beside</button></form>{rows}",
        escaped(&record.url)
    )
}

fn of_record(record: &PageRecord) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("URL", escaped(&record.url)),
        ("method", escaped(&record.method)),
        ("confidence", format!("{:.2}", record.confidence)),
        ("words", record.words.to_string()),
        ("fetched", record.fetched_at.strftime("%F %T").to_string()),
        ("changed", record.changed_at.strftime("%F %T").to_string()),
        ("change", record.seq.to_string()),
    ];
    let metadata = &record.metadata;
    let authors = Some(metadata.authors.join(", ")).filter(|authors| !authors.is_empty());
    let said = [
        ("kind", &record.kind),
        ("published", &metadata.published),
        ("authors", &authors),
        ("language", &metadata.language),
    ];
    facts.extend(said.into_iter().filter_map(|(name, value)| Some((name, escaped(value.as_deref()?)))));
    facts.extend(record.sibling.as_deref().map(|sibling| ("against", link(sibling, sibling))));
    facts.extend(record.template.map(|of| {
        let to = to_template(&record.host, of.number);
        ("template", format!("<a href=\"{}\">{}</a> ({} other pages known)", escaped(&to), of.number, of.pages))
    }));
    facts
}

fn template(host: &str, row: &TemplateRow) -> String {
    let TemplateRow { number, pages, places, serves, taught, replaced_by, .. } = row;
    let yes = |is: &bool| if *is { "yes" } else { "no" };
    let by = replaced_by.map_or_else(|| "–".to_owned(), |by| by.to_string());
    let to = to_template(host, *number);
    format!(
        "<tr><th scope=row><a href=\"{}\">{number}</a><td>{pages}<td>{places}<td>{}<td>{}<td>{by}",
        escaped(&to),
        yes(serves),
        yes(taught)
    )
}

/// The template of a page, found by its elements.
pub(super) fn template_of<'s>(site: &'s Site, page: &Page<'_>) -> Option<&'s Template> {
    site.template_of(&Scored::shipped().remember(page))
}
