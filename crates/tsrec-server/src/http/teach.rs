//! Teaching a lesson: enters a page that a person labelled into the memory of its site. The
//! command line does the same if no daemon runs.
//!
//! It reports objections, and then refuses the lesson unless it is forced. It shows what the
//! lesson changes on other pages whose bytes are kept. After an accepted lesson, all pages of the
//! template follow. The crawl extracts kept bytes again, page by page; for other pages it makes
//! the URLs due at once. So the person who teaches does not wait for pages.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use super::reading::{Failed, PageReader, refusal};
use tsrec_core::extract::Page;
use tsrec_core::html::{Document, Limits, parse};
use tsrec_core::learn::model::hex;
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_core::taught::{Difference, MOST_TRIED, Mark, with_annotation, with_marks};
use tsrec_core::template::{Learned, Memory, Site, Visit};
use tsrec_core::words::number_of;
use tsrec_crawl::frontier::Embedded;
use tsrec_crawl::memories::SiteMemories;
use tsrec_store::{Parked, Store};

/// A lesson, as `POST /v1/hosts/{host}/teach` takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The page's URL. It is required without `page`; the store must then keep the page's bytes.
    #[serde(default)]
    pub url: Option<Url>,
    /// The page's bytes in base64 (RFC 4648).
    #[serde(default)]
    pub page: Option<String>,
    /// The charset that the server stated over HTTP, if any.
    #[serde(default)]
    pub charset: Option<String>,
    /// The output of `tsrec annotate` for the page: every block has a label. It is required without
    /// `marks`.
    #[serde(default)]
    pub annotation: Option<String>,
    /// Elements that are content or are not. The lesson says nothing about the others.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// The SHA-256 of the page's bytes, in hexadecimal. If the bytes have changed, the lesson is
    /// refused.
    #[serde(default)]
    pub sha256: Option<String>,
}

impl Lesson {
    /// The lesson of a page given as bytes.
    pub fn of_bytes(url: Option<Url>, bytes: &[u8], charset: Option<String>, annotation: String) -> Lesson {
        Lesson {
            url,
            page: Some(STANDARD.encode(bytes)),
            charset,
            annotation: Some(annotation),
            marks: Vec::new(),
            sha256: None,
        }
    }
}

/// How to take a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// Enter it despite objections.
    pub force: bool,
    /// Enter nothing; only report what would change.
    pub preview: bool,
    /// The limits on the pages that it reads.
    pub limits: Limits,
}

/// The effect of a lesson, or of its preview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Taught {
    /// The page's template.
    pub template: u32,
    /// Whether this template is new.
    pub is_new: bool,
    /// The objections to the lesson, in words.
    pub objections: Vec<String>,
    /// What the lesson changes on the page itself.
    pub own: Difference,
    /// The number of words at places where the lesson's labels disagree. The template learns
    /// nothing from those places.
    #[serde(default)]
    pub undecided_words: u64,
    /// What the lesson changes on other pages whose bytes the store keeps. At most ten pages.
    pub differences: Vec<Difference>,
    /// Whether the lesson was entered.
    pub applied: bool,
    /// The pages that follow the lesson.
    pub follows: FollowingPages,
}

/// How many pages follow a change in what a template was taught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FollowingPages {
    /// Pages that the crawl extracts again from kept bytes. A running crawl does so at once;
    /// otherwise the next crawl does when it begins.
    pub again: u64,
    /// Pages whose bytes are gone. Their URLs are due in the same crawl.
    pub due: u64,
    /// Stored pages whose URL the frontier does not know or is visiting. They follow with their
    /// next visit.
    pub later: u64,
    /// Whether the host has more pages than were counted. Those follow too.
    #[serde(default)]
    pub more: bool,
}

impl std::fmt::Display for FollowingPages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let FollowingPages { again, due, later, more } = self;
        write!(
            f,
            "stored pages that follow: {again} from kept bytes, {due} due at once since their bytes are gone, {later} with their next visit"
        )?;
        if *more { write!(f, "; so do the others of the host, which were not counted") } else { Ok(()) }
    }
}

impl Taught {
    /// Why the lesson was refused, and what to do.
    pub fn refusal(&self) -> String {
        format!("the lesson was not entered: {}. If you are sure, say so (force)", self.objections.join("; "))
    }
}

/// The message that a lesson's labels disagree at some places; `words` counts the words at those
/// places.
pub fn undecided(words: u64) -> Option<String> {
    let words = (words > 0).then(|| number_of(words, "word"))?;
    Some(format!(
        "{words} of the page stand at places that the lesson calls now content, now not: of those nothing is learned"
    ))
}

/// Enters a lesson, unless there are objections. Blocks.
///
/// # Errors
///
/// The errors of the store or the frontier. The inner error says what is wrong with the lesson.
pub fn teach(
    memories: &SiteMemories,
    frontier: Option<&Embedded>,
    host: &str,
    lesson: &Lesson,
    how: How,
) -> Result<Result<Taught, String>, Failed> {
    if let Err(why) = check_host(host, lesson) {
        return Ok(Err(why));
    }
    let store = memories.store();
    let given = match bytes_of(store, lesson)? {
        Ok(given) => given,
        Err(why) => return Ok(Err(why)),
    };
    let reader = PageReader { memories, frontier, limits: &how.limits };
    let Some(document) = given.document(&reader, name(lesson))? else { return Ok(Err(refusal(name(lesson)))) };
    let read = Page::new(&document).at(lesson.url.as_ref());
    if given.is_too_long(&reader, name(lesson), &read)? {
        return Ok(Err(refusal(name(lesson))));
    }
    let page = match remember(&read, given.bytes(), lesson) {
        Ok(page) => page,
        Err(why) => return Ok(Err(why)),
    };
    let before = memories.site(host)?;
    let mut after = (*before).clone();
    let stored = lesson.url.as_ref().map(|url| store.get(url.as_str())).transpose()?.flatten();
    let of = stored.and_then(|record| record.template);
    let pattern = lesson.url.as_ref().map(pattern_hash);
    let visit = Visit { pattern, before: of.map(|template| template.number), stated: None };
    let Learned { number, is_new, .. } = after.learn_within(&page, visit, &memories.site_bounds());
    let objections = before.objections(&page).iter().map(ToString::to_string).collect::<Vec<_>>();
    let own = Difference::between(name(lesson), &read, &before, &after);
    let differences = differences(&reader, host, number, lesson.url.as_ref(), (&before, &after))?;
    let applied = !how.preview && (objections.is_empty() || how.force);
    let (undecided_words, follows) = (page.undecided_words(), FollowingPages::default());
    let mut taught =
        Taught { template: number, is_new, objections, own, undecided_words, differences, applied, follows };
    if applied {
        // The site may have changed meanwhile.
        let bounds = memories.site_bounds();
        let learned =
            memories.change_site(host, |site| Ok::<_, ()>(site.learn_within(&page, visit, &bounds).number))?;
        taught.template = learned.unwrap_or(number);
        taught.follows = follow(memories, frontier, host, taught.template)?;
    }
    Ok(Ok(taught))
}

/// Removes what a template was taught. `None` if it was taught nothing, or if no template has
/// that number. Blocks.
///
/// # Errors
///
/// The errors of the store or the frontier.
pub fn take_back(
    memories: &SiteMemories,
    frontier: Option<&Embedded>,
    host: &str,
    number: u32,
) -> Result<Option<FollowingPages>, Failed> {
    let done = memories.change_site(host, |site| if site.forget_taught(number) { Ok(()) } else { Err(()) })?;
    if done.is_err() {
        return Ok(None);
    }
    follow(memories, frontier, host, number).map(Some)
}

/// The labelled page.
enum GivenPage {
    /// It came with the lesson.
    WithLesson { bytes: Vec<u8>, charset: Option<String> },
    /// The store keeps its bytes.
    Kept(Parked),
}

impl GivenPage {
    fn bytes(&self) -> &[u8] {
        match self {
            GivenPage::WithLesson { bytes, .. } => bytes,
            GivenPage::Kept(page) => &page.body,
        }
    }

    /// Parses it. `None` if it is in quarantine.
    fn document(&self, reader: &PageReader<'_>, url: &str) -> Result<Option<Document>, Failed> {
        match self {
            GivenPage::WithLesson { bytes, charset } => Ok(Some(parse(bytes, charset.as_deref(), reader.limits))),
            GivenPage::Kept(page) => reader.document(url, page),
        }
    }

    /// Whether it takes too much work. A page of the store goes into quarantine then.
    fn is_too_long(&self, reader: &PageReader<'_>, url: &str, read: &Page<'_>) -> Result<bool, Failed> {
        match self {
            GivenPage::WithLesson { .. } => Ok(read.is_too_much_work()),
            GivenPage::Kept(page) => reader.is_too_long(url, page, read),
        }
    }
}

/// Refuses a page of another host, compared as URLs write it: the lesson's host would never see
/// the page.
fn check_host(host: &str, lesson: &Lesson) -> Result<(), String> {
    match lesson.url.as_ref().and_then(Url::host_str) {
        Some(of_page) if of_page != host => {
            Err(format!("the page is one of {of_page}, and the lesson was for {host}: teach {of_page} by it"))
        }
        _ => Ok(()),
    }
}

/// The display name of the page.
fn name(lesson: &Lesson) -> &str {
    lesson.url.as_ref().map_or("the page", Url::as_str)
}

/// The lesson's bytes, or else the kept ones.
fn bytes_of(store: &Store, lesson: &Lesson) -> Result<Result<GivenPage, String>, Failed> {
    Ok(match (&lesson.page, &lesson.url) {
        (Some(page), _) => match STANDARD.decode(page) {
            Ok(bytes) => Ok(GivenPage::WithLesson { bytes, charset: lesson.charset.clone() }),
            Err(error) => Err(format!("page is no base64: {error}")),
        },
        (None, Some(url)) => match store.bytes_of(url.as_str())? {
            Some(page) => Ok(GivenPage::Kept(page)),
            None => Err(format!("no bytes of {url} are kept: give them as page, in base64")),
        },
        (None, None) => Err("give the page, in base64, or the url of one whose bytes are kept".to_owned()),
    })
}

/// The memory of the labelled page.
fn remember(page: &Page<'_>, bytes: &[u8], lesson: &Lesson) -> Result<Memory, String> {
    let name = name(lesson);
    if lesson.sha256.as_ref().is_some_and(|digest| *digest != hex(&Sha256::digest(bytes))) {
        return Err(format!("the bytes of {name} are not those that were marked: look at it again"));
    }
    match (&lesson.annotation, lesson.marks.as_slice()) {
        (Some(annotation), []) => with_annotation(page, name, bytes, annotation)
            .map_err(|error| format!("the annotation cannot be used: {error}")),
        (None, marks @ [_, ..]) => {
            with_marks(page, marks).map_err(|error| format!("the marks cannot be used: {error}"))
        }
        (Some(_), _) => Err("annotation labels all of the page, marks some of it: give one or the other".to_owned()),
        (None, []) => Err("say what is content: give an annotation of the page, or marks of its elements".to_owned()),
    }
}

/// What a lesson changes on other pages of the template whose bytes are kept.
fn differences(
    reader: &PageReader<'_>,
    host: &str,
    number: u32,
    taught: Option<&Url>,
    (before, after): (&Site, &Site),
) -> Result<Vec<Difference>, Failed> {
    let store = reader.store();
    let mut found: Vec<Difference> = Vec::new();
    let is_other = |url: &str| taught.is_none_or(|taught| taught.as_str() != url);
    let is_of_template = |url: &str| {
        let record = store.get(url)?;
        Ok::<_, Failed>(record.and_then(|record| record.template).is_some_and(|template| template.number == number))
    };
    // A page that takes too much work is passed over.
    let difference = |url: &str, page: &Parked| {
        let Some(document) = reader.document(url, page)? else { return Ok(None) };
        let at = Url::parse(url).ok();
        let read = Page::new(&document).at(at.as_ref());
        let is_too_long = reader.is_too_long(url, page, &read)?;
        Ok::<_, Failed>((!is_too_long).then(|| Difference::between(url, &read, before, after)))
    };
    let parked = store.list_parked(Some(host), None, MOST_LOOKED_AT)?.into_iter().map(|(url, _)| url);
    let raw = store.list_raw(Some(host), None, MOST_RAW_LOOKED_AT)?;
    for url in parked.chain(raw) {
        if found.len() < MOST_TRIED
            && is_other(&url)
            && !found.iter().any(|shown| shown.page == url)
            && is_of_template(&url)?
            && let Some(page) = store.bytes_of(&url)?
        {
            found.extend(difference(&url, &page)?);
        }
    }
    Ok(found)
}

/// Kept bodies examined to find pages of the template. Judgement: more than are kept of a host.
const MOST_LOOKED_AT: usize = 100;
/// The same for raw pages. Judgement: a second of reading.
const MOST_RAW_LOOKED_AT: usize = 10_000;
/// Records listed together.
const LISTED: usize = 500;
/// Pages of a host counted while somebody waits for the answer. Judgement: a second of reading.
const MOST_COUNTED: u64 = 10_000;

/// Makes the pages of a template follow, and counts them.
fn follow(
    memories: &SiteMemories,
    frontier: Option<&Embedded>,
    host: &str,
    number: u32,
) -> Result<FollowingPages, Failed> {
    let store = memories.store();
    let mut follows = FollowingPages::default();
    let (mut looked_at, mut after) = (0, None::<String>);
    loop {
        let pages = store.list(Some(host), after.as_deref(), LISTED)?;
        let Some(last) = pages.last() else { break };
        after = Some(last.url.clone());
        looked_at += pages.len() as u64;
        if looked_at > MOST_COUNTED {
            follows.more = true;
            break;
        }
        for page in &pages {
            let Some(record) = store.get(&page.url)? else { continue };
            // If a page's template is not known, it may be this one.
            if record.template.is_some_and(|template| template.number != number) {
                continue;
            }
            if store.keeps_bytes_of(&page.url, record.fetched_at)? {
                follows.again += 1;
            } else if frontier.map(|frontier| frontier.can_requeue(&page.url)).transpose()?.unwrap_or(false) {
                follows.due += 1;
            } else {
                follows.later += 1;
            }
        }
    }
    memories.follow(host, number)?;
    Ok(follows)
}
