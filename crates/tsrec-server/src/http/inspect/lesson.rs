//! A lesson from marks on a page: shows first what it changes, then enters it into the site's
//! memory.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use url::Url;

use super::{answer, check_origin, field, fields, for_people, link, marks, to_host, to_page, to_template, trail};
use crate::http::problem::{self, Problem};
use crate::http::routes::ApiContext;
use crate::http::teach::{How, Lesson, Taught, teach, undecided};
use crate::http::templates::with_errors;
use crate::inspector::escaped;
use tsrec_core::taught::{Difference, Mark};
use tsrec_core::words::number_of;

pub(super) async fn lesson(
    State(context): State<ApiContext>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let taken = async {
        check_origin(&headers)?;
        let body = body.map_err(|rejection| Problem::invalid(rejection.body_text()))?;
        take(&context, &fields(&body)).await
    };
    for_people(&headers, taken.await)
}

/// The form's action.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Do {
    Preview,
    Enter,
    Force,
}

async fn take(context: &ApiContext, form: &[(String, String)]) -> Result<Response, Problem> {
    let (text, digest) = (field(form, "url")?.to_owned(), field(form, "sha256")?.to_owned());
    let step = match field(form, "do")? {
        "preview" => Do::Preview,
        "enter" => Do::Enter,
        "force" => Do::Force,
        other => return Err(Problem::invalid(format!("do is {other:?}, it must be preview, enter or force"))),
    };
    let url: Url = text.parse().map_err(|error| Problem::invalid(format!("{text:?} is no URL: {error}")))?;
    let host = url.host_str().ok_or_else(|| Problem::invalid(format!("{text:?} names no host")))?.to_owned();
    let marks = marks(form)?;
    if marks.is_empty() {
        return Err(Problem::invalid("no element is marked: go back, open one, and say whether it is content"));
    }
    let lesson = Lesson {
        url: Some(url),
        page: None,
        charset: None,
        annotation: None,
        marks: marks.clone(),
        sha256: Some(digest.clone()),
    };
    let (frontier, name) = (context.api.frontier.clone(), host.clone());
    let limits = context.api.limits.clone();
    let how = How { force: step == Do::Force, preview: step == Do::Preview, limits };
    let taught = with_errors(context, move |memories| {
        if memories.store().get(&text)?.is_none() {
            return Ok(Err(None));
        }
        let taught = teach(memories, frontier.as_deref(), &name, &lesson, how)?;
        Ok(taught.map_err(Some).map(|taught| (text, taught)))
    });
    let absent = || Problem::new(StatusCode::NOT_FOUND, problem::NO_SUCH_PAGE, "the page is not in the store");
    let (url, taught) = taught.await?.map_err(|why| why.map_or_else(absent, Problem::invalid))?;
    if taught.applied {
        tracing::info!(host, template = taught.template, objections = ?taught.objections, "a template was taught by marks");
    }
    let shown = LessonView { host: &host, url: &url, digest: &digest, marks: &marks, taught: &taught };
    let status = if taught.applied || step == Do::Preview { StatusCode::OK } else { StatusCode::CONFLICT };
    Ok((status, answer(shown.title(), &shown.html())).into_response())
}

/// The effects of a lesson, for people.
struct LessonView<'s> {
    host: &'s str,
    url: &'s str,
    digest: &'s str,
    marks: &'s [Mark],
    taught: &'s Taught,
}

impl LessonView<'_> {
    fn title(&self) -> &'static str {
        if self.taught.applied { "The site is taught" } else { "What the marks would change" }
    }

    fn html(&self) -> String {
        let Taught { template, is_new, .. } = *self.taught;
        let new = if is_new { ", which is new" } else { "" };
        let marked: String = self.marks.iter().map(|mark| self.mark(mark)).collect();
        format!(
            "<header>{}<h1>{}</h1></header><main class=narrow><p>Of {}; it is of template <a href=\"{}\">{template}</a>{new}.</p><ul>{marked}</ul>{}</main>",
            trail(&[(self.host, to_host(self.host)), ("the page", to_page(self.url))]),
            self.title(),
            link(self.url, self.url),
            escaped(&to_template(self.host, template)),
            if self.taught.applied { self.follows() } else { self.preview() },
        )
    }

    fn mark(&self, Mark { element, content }: &Mark) -> String {
        let what = if *content { "content" } else { "not content" };
        format!("<li><a href=\"{}#p{element}\">Element {element}</a> is {what}.", escaped(&to_page(self.url)))
    }

    fn preview(&self) -> String {
        let Taught { objections, own, undecided_words, differences, .. } = self.taught;
        let objections: String = objections.iter().map(|why| format!("<li>{}", escaped(why))).collect();
        let (against, button) = match objections.is_empty() {
            true => (String::new(), "<button name=do value=enter>Teach the site</button>"),
            false => (
                format!("<div role=alert class=objections><h2>What speaks against it</h2><ul>{objections}</ul></div>"),
                "<button name=do value=force>Teach the site all the same</button>",
            ),
        };
        let undecided = undecided(*undecided_words).map_or_else(String::new, |said| format!("<p>{}.", escaped(&said)));
        let others: String = differences.iter().map(difference).collect();
        let others = match others.is_empty() {
            true => "<p>The bytes of no other page of the template are kept, so that none can be tried.".to_owned(),
            false => others,
        };
        format!(
            "{against}<section><h2>On the page itself</h2>{}{undecided}</section><section><h2>On other pages of the template</h2>{others}</section>{}",
            difference(own),
            self.form(button)
        )
    }

    /// The same marks in a new form, for entering them.
    fn form(&self, button: &str) -> String {
        let mark = |Mark { element, content }: &Mark| {
            format!("<input type=hidden name=m{element} value={}>", if *content { "content" } else { "other" })
        };
        let marks: String = self.marks.iter().map(mark).collect();
        format!(
            "<form class=bar method=post action=/teach><input type=hidden name=url value=\"{}\"><input type=hidden name=sha256 value=\"{}\">{marks}{button} \
             <a href=\"{}\">Back to the page, without it</a></form>",
            escaped(self.url),
            escaped(self.digest),
            escaped(&to_page(self.url)),
        )
    }

    fn follows(&self) -> String {
        format!(
            "<p role=status>{}.<p>It can be taken back on the view of <a href=\"{}\">the template</a>. <a href=\"{}\">Back to the page</a>",
            self.taught.follows,
            escaped(&to_template(self.host, self.taught.template)),
            escaped(&to_page(self.url)),
        )
    }
}

/// The changes on one page.
fn difference(of: &Difference) -> String {
    let Difference { page, words_before, words_after, gone, come } = of;
    let words = match of.is_none() {
        true => format!("{}, as before", number_of(words_before, "word")),
        false => format!("{}, then {words_after}", number_of(words_before, "word")),
    };
    let line = |mark: &str, name: &str, line: &String| format!("<li>{name}: <{mark}>{}</{mark}>", escaped(line));
    let gone: String = gone.iter().map(|text| line("del", "goes", text)).collect();
    let come: String = come.iter().map(|text| line("ins", "comes", text)).collect();
    format!("<h3 dir=auto>{}</h3><p>{words}<ul class=changes dir=auto>{gone}{come}</ul>", escaped(page))
}
