//! A template for people: its memory, place by place, with the text at each place on pages whose
//! bytes are kept.

use std::collections::HashMap;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use url::Url;

use super::record::template_of;
use super::{answer, check_origin, facts, field, fields, for_people, link, to_host, to_template, trail};
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::reading::{Failed, PageReader};
use crate::http::routes::{ApiContext, host_of};
use crate::http::teach::{FollowingPages, take_back};
use crate::http::templates::{TemplateRow, no_such_template, nothing_taught, with_errors};
use crate::inspector;
use crate::inspector::escaped;
use tsrec_core::extract::Page;
use tsrec_core::extract::scored::Scored;
use tsrec_core::html::Paths;
use tsrec_core::template::{Place, Template};

/// Places shown at a time.
const SHOWN: usize = 200;
/// Pages of the host examined to find pages of the template.
const LISTED: usize = 100;
/// Pages whose bytes are read to show texts at the places.
const READ: usize = 3;
/// Letters shown of a text.
const EXCERPT: usize = 120;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TemplateQuery {
    host: String,
    number: u32,
    from: Option<usize>,
}

pub(super) async fn template(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    asked: Result<Query<TemplateQuery>, Problem>,
) -> Response {
    let shown = async {
        let Query(TemplateQuery { host, number, from }) = asked?;
        let host = host_of(&host)?;
        let absent = no_such_template(&host, number);
        let api = context.api.clone();
        let found = with_errors(&context, move |memories| {
            let site = memories.site(&host)?;
            let Some(template) = site.template(number) else { return Ok(None) };
            let seen = PlaceTexts::read(&api.reader(), &host, number)?;
            let row = TemplateRow::new(&site, template);
            Ok(Some(view(&host, template, row, &seen, from.unwrap_or(1).max(1))))
        });
        let (title, body) = found.await?.ok_or(absent)?;
        Ok(answer(&title, &body))
    };
    for_people(&headers, shown.await)
}

pub(super) async fn undo(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let done = async {
        check_origin(&headers)?;
        let form = fields(&body.map_err(|rejection| Problem::invalid(rejection.body_text()))?);
        let (host, number) = (host_of(field(&form, "host")?)?, field(&form, "number")?);
        let number: u32 = number
            .parse()
            .map_err(|_| Problem::invalid(format!("number is {number:?}, it must be that of a template")))?;
        let (frontier, name) = (context.api.frontier.clone(), host.clone());
        let done = with_errors(&context, move |memories| take_back(memories, frontier.as_deref(), &name, number));
        let follows: FollowingPages = done.await?.ok_or_else(|| nothing_taught(&host, number))?;
        tracing::info!(host, number, "an operator took back what a template was taught");
        let body = format!(
            "<header>{}<h1>The template is taught nothing any more</h1></header><main class=narrow><p role=status>{follows}.</main>",
            trail(&[(&host, to_host(&host)), (&format!("template {number}"), to_template(&host, number))])
        );
        Ok(answer("The template is taught nothing any more", &body))
    };
    for_people(&headers, done.await)
}

/// Texts at places, from the pages read.
#[derive(Default)]
struct PlaceTexts {
    /// For each place: the page, the element's path, and the beginning of its text.
    at: HashMap<u64, (usize, String, String)>,
    pages: Vec<String>,
}

impl PlaceTexts {
    /// Reads a few pages of the template. Blocks.
    fn read(reader: &PageReader<'_>, host: &str, number: u32) -> Result<PlaceTexts, Failed> {
        let store = reader.store();
        let mut seen = PlaceTexts::default();
        for page in store.list(Some(host), None, LISTED)? {
            if seen.pages.len() >= READ {
                break;
            }
            let of = store.get(&page.url)?.and_then(|record| record.template);
            if of.is_some_and(|of| of.number == number)
                && let Some(parked) = store.bytes_of(&page.url)?
            {
                let Some(document) = reader.document(&page.url, &parked)? else { continue };
                let url = Url::parse(&page.url).ok();
                let read = Page::new(&document).at(url.as_ref());
                if reader.is_too_long(&page.url, &parked, &read)? {
                    continue;
                }
                let site = reader.memories.site(host)?;
                // The page's template may have changed since.
                if template_of(&site, &read).is_some_and(|template| template.number == number) {
                    seen.add(&page.url, &read);
                }
            }
        }
        Ok(seen)
    }

    fn add(&mut self, url: &str, page: &Page<'_>) {
        let (number, analysis) = (self.pages.len(), page.analysis());
        self.pages.push(url.to_owned());
        let paths = Paths::new(page.document());
        for block in analysis.blocks() {
            self.at.entry(block.place).or_insert_with(|| {
                let leaves = analysis.leaves_of(block);
                let text =
                    leaves.iter().filter_map(|leaf| page.document().text(leaf.node)).collect::<Vec<_>>().join(" ");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(EXCERPT).collect();
                (number, leaves.first().map(|leaf| paths.path(leaf.node)).unwrap_or_default(), text)
            });
        }
    }
}

/// A place, and the probability that its text is content.
struct PlaceRow<'t> {
    key: u64,
    place: &'t Place,
    likely: f32,
}

fn view(host: &str, template: &Template, row: TemplateRow, seen: &PlaceTexts, from: usize) -> (String, String) {
    let title = format!("Template {} of {host}", template.number);
    let judged = Scored::shipped().places(&template.memory);
    let mut rows: Vec<PlaceRow<'_>> =
        template.memory.places().zip(judged).map(|((key, place), likely)| PlaceRow { key, place, likely }).collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.place.words()), row.key));
    let shown: String = rows.iter().skip(from - 1).take(SHOWN).map(|row| row_of(row, template, seen)).collect();
    let next = from + SHOWN;
    let next = match next <= rows.len() {
        true => format!(
            "<p><a rel=next href=\"{}&amp;from={next}\">Places {next} and on</a>",
            escaped(&to_template(host, template.number))
        ),
        false => String::new(),
    };
    let pages: String = seen.pages.iter().map(|url| format!("<li>{}", link(url, url))).collect();
    let read = match pages.is_empty() {
        true => "<p>The bytes of none of its pages are kept: what stands at a place cannot be shown.".to_owned(),
        false => format!("<p>What stands at its places, where one of these pages has them:<ul>{pages}</ul>"),
    };
    let body = format!(
        "<header>{}<h1 dir=auto>{}</h1>{}{}</header><main class=template>{read}<section class=wide aria-labelledby=places><h2 id=places>Its places, those with the \
         most words first</h2><table><thead><tr><th scope=col>what stands there<th scope=col>pages<th scope=col>words<th scope=col>texts<th scope=col>repeats\
         <th scope=col>content<th scope=col>a person said<tbody>{shown}</table></section>{next}</main>",
        trail(&[(host, to_host(host))]),
        escaped(&title),
        facts(of_template(row)),
        take_back_form(host, template),
    );
    (title, body)
}

fn of_template(row: TemplateRow) -> Vec<(&'static str, String)> {
    let TemplateRow { pages, places, bytes, first, last, serves, taught, replaced_by, .. } = row;
    let yes = |is: bool| (if is { "yes" } else { "no" }).to_owned();
    let mut facts = vec![
        ("pages", pages.to_string()),
        ("places", places.to_string()),
        ("bytes", bytes.to_string()),
        ("first page of the host", first.to_string()),
        ("last", last.to_string()),
        ("pages are judged by it", yes(serves)),
        ("taught by a person", yes(taught)),
    ];
    facts.extend(replaced_by.map(|by| ("replaced by", by.to_string())));
    facts
}

fn take_back_form(host: &str, template: &Template) -> String {
    if !template.memory.is_taught() {
        return String::new();
    }
    format!(
        "<form method=post action=/teach/undo><input type=hidden name=host value=\"{}\"><input type=hidden name=number value={}>\
         <button>Take back what it was taught</button></form>",
        escaped(host),
        template.number
    )
}

fn row_of(PlaceRow { key, place, likely }: &PlaceRow<'_>, template: &Template, seen: &PlaceTexts) -> String {
    let stands = match seen.at.get(key) {
        Some((_, path, text)) => format!("<span dir=auto>{}</span><br><code>{}</code>", escaped(text), escaped(path)),
        None => "–".to_owned(),
    };
    let label = if *likely >= 0.5 { "content" } else { "outside" };
    format!(
        "<tr class={label}><th scope=row>{stands}<td>{} of {}<td>{}<td>{:.0}<td>{:.0} %<td><meter aria-hidden=true min=0 max=1 value={likely:.3}></meter> {likely:.2}<td>{}",
        place.pages(),
        template.memory.pages(),
        place.words(),
        place.different_texts(),
        100.0 * place.repeated(),
        inspector::taught(place).unwrap_or("–"),
    )
}
