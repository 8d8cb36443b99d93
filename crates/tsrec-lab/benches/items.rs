//! How cost grows with the number of items of a kind on a page.
//!
//! There is a family of pages for each piece of metadata, each kind of evidence, and each element
//! that a renderer knows.
//!
//! - `cargo bench -p tsrec-lab --bench items -- FAMILY…` prints the milliseconds of each stage for
//!   10,000 and 40,000 items, for all families if none is named.
//! - `… -- suspects` prints the families whose least times in twelve rounds do not show that they
//!   are linear. Other load on the machine may add families.
//! - `… -- once STAGE ITEMS FAMILY` runs one case, for `benches/instructions` to count.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

#[path = "items/families.rs"]
mod families;

use std::sync::Mutex;

use tsrec_core::analysis::Analysis;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extract, Page, Sibling};
use tsrec_core::html::directives::Directives;
use tsrec_core::html::links::{MostLinks, base_url, canonical, feeds, links};
use tsrec_core::html::refresh::refreshes;
use tsrec_core::html::{self, Document, Limits};
use tsrec_core::page::{Content, Piece};
use tsrec_core::render::{self, Along};
use tsrec_core::template::{ENOUGH_PAGES, Site};
use url::Url;

use families::{FAMILIES, Family};

/// The sizes of the table.
const TABLE: [usize; 2] = [10_000, 40_000];
/// The sizes by which growth is judged.
const JUDGED: [usize; 2] = [2_500, 5_000];
/// A family is suspect if its time grows more often than this. It is below the bound of
/// `benches/instructions` because times are not exact.
const SUSPECT: f64 = 2.15;
/// How often a family is measured before its times show that it is linear. With one round, load
/// during the small page alone could show that of a family that is not.
const LEAST_ROUNDS: usize = 2;
/// How often a family is measured before it is suspect. Judgement: other load does not last.
const ROUNDS: usize = 12;
const ADDRESS: &str = "http://a.example/news/story";

/// A stage: its name, and what gives its processor time in seconds on a page of a family with so
/// many items.
type Stage = (&'static str, fn(&Family, usize) -> f64);

const STAGES: [Stage; 9] = [
    ("parse", |family, items| {
        let bytes = family.page(items, 0);
        timed(|| read_head(&parsed(&bytes)))
    }),
    ("analysis", |family, items| {
        let document = parsed(&family.page(items, 0));
        timed(|| Analysis::new(&document))
    }),
    ("score", |family, items| {
        let (document, url) = (parsed(&family.page(items, 0)), address());
        let page = Page::new(&document).at(Some(&url));
        timed(|| Extract::new(&page).run().expect("auto needs no sibling").words())
    }),
    ("memory", |family, items| {
        let (document, url) = (parsed(&family.page(items, 0)), address());
        let (page, site) = (Page::new(&document).at(Some(&url)), site(family));
        timed(|| {
            let found = Extract::new(&page).site(&site).run().expect("auto needs no sibling");
            found.teach(&mut site.clone())
        })
    }),
    ("diff", |family, items| {
        let documents = [0, 1].map(|side| parsed(&family.page(items, side)));
        let [page, other] = [0, 1].map(|side| Page::new(&documents[side]));
        let other = Sibling::new("sibling", &other);
        timed(|| TemplateDiff::against(&page, &other).attempts)
    }),
    ("metadata", |family, items| {
        let (document, url) = (parsed(&family.page(items, 0)), address());
        let found = Extract::new(&document).url(&url).run().expect("auto needs no sibling");
        timed(|| found.json())
    }),
    ("text", |family, items| rendered(family, items, text)),
    ("markup", |family, items| rendered(family, items, markup)),
    ("whole", |family, items| {
        let (bytes, other, url) = (family.page(items, 0), parsed(&family.page(items, 1)), address());
        timed(|| {
            let document = parsed(&bytes);
            let head = read_head(&document);
            let found = Extract::new(&document).url(&url).sibling("sibling", &other).run();
            let found = found.expect("auto needs no sibling");
            let content = everything(found.page().analysis(), &document);
            let written = text(&document, &content, &url) + &markup(&document, &content, &url);
            (head, found.described().clone(), found.comments(), written)
        })
    }),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    warm();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["suspects"] => suspects(),
        ["once", stage, items, family] => {
            let items = items.parse().expect("a number of items");
            let (_, run) = STAGES.iter().find(|(name, _)| name == stage).expect("a stage");
            let family = FAMILIES.iter().find(|Family(name, ..)| name == family).expect("a family");
            run(family, items);
        }
        wanted => table(wanted),
    }
}

fn address() -> Url {
    ADDRESS.parse().expect("a URL")
}

fn parsed(bytes: &[u8]) -> Document {
    html::parse(bytes, None, &Limits::default())
}

/// What a crawl reads of a page besides its content.
fn read_head(document: &Document) -> (usize, usize, usize, bool, bool) {
    let url = address();
    let most = MostLinks { within: 50_000, beyond: 1_000 };
    let found = links(document, &url, most).urls.len() + feeds(document, &url, 100).len();
    let (refreshes, base) = (refreshes(document, &url).len(), base_url(document, &url).as_str().len());
    (found, refreshes, base, canonical(document).is_some(), Directives::from_document(document, None).noindex)
}

/// The site of a family, known from small pages.
fn site(family: &Family) -> Site {
    let (mut site, url) = (Site::default(), address());
    for side in 1..=ENOUGH_PAGES as usize {
        let other = parsed(&family.page(100, side));
        Extract::new(&other).url(&url).run().expect("auto needs no sibling").teach(&mut site);
    }
    site
}

/// All text of a page.
fn everything(analysis: &Analysis, document: &Document) -> Content {
    Content::new(analysis.leaves().iter().map(|leaf| Piece::whole(document, leaf.node)))
}

fn text(document: &Document, content: &Content, _: &Url) -> String {
    render::text::text(document, content) + &render::cleaneval::cleaneval(document, content, &[])
}

fn markup(document: &Document, content: &Content, url: &Url) -> String {
    let (url, along) = (Some(url), Along::default());
    render::markdown::markdown(document, content, url, along)
        + &render::html::html(document, content, url, along)
        + &render::tei::tei(document, content, url, along, &Default::default())
}

/// The time of a renderer over all of a page.
fn rendered(family: &Family, items: usize, render: fn(&Document, &Content, &Url) -> String) -> f64 {
    let (document, url) = (parsed(&family.page(items, 0)), address());
    let content = everything(&Analysis::new(&document), &document);
    timed(|| render(&document, &content, &url))
}

/// The model and the tables are loaded once a process.
fn warm() {
    let small = parsed(b"<title>a</title><p>By Ann Orr, 2 May 2026");
    Extract::new(&small).run().expect("auto needs no sibling").json();
}

/// Does what is counted. It is a function of its own so that a profile can name it.
#[inline(never)]
fn stage_counted(work: &mut dyn FnMut()) {
    work();
}

fn timed<T>(work: impl Fn() -> T) -> f64 {
    let mut done = None;
    let before = processor_time();
    stage_counted(&mut || done = Some(work()));
    let took = processor_time() - before;
    drop(std::hint::black_box(done));
    took
}

/// The processor time of this thread, in seconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).expect("a number") / 1e9
}

/// How often the time of a stage grows between two sizes, and the times.
fn growth((_, run): &Stage, family: &Family, sizes: [usize; 2]) -> (f64, [f64; 2]) {
    let times = sizes.map(|items| run(family, items));
    (times[1] / times[0].max(1e-6), times)
}

/// The least times of a family in seconds, on pages of the two judged sizes. Other load only adds
/// to a time, so more rounds come closer to the truth for both.
struct LeastTimes {
    family: &'static Family,
    least: [f64; 2],
}

impl LeastTimes {
    fn measure(&mut self, (_, run): &Stage) {
        for (least, items) in self.least.iter_mut().zip(JUDGED) {
            *least = least.min(run(self.family, items));
        }
    }

    fn growth(&self) -> f64 {
        self.least[1] / self.least[0].max(1e-6)
    }
}

/// Prints the families that no round has shown to be linear, the fastest growing first.
fn suspects() {
    let whole = STAGES.iter().find(|(name, _)| *name == "whole").expect("a stage");
    let mut left: Vec<LeastTimes> =
        FAMILIES.iter().map(|family| LeastTimes { family, least: [f64::INFINITY; 2] }).collect();
    for round in 1..=ROUNDS {
        measure_all(&mut left, whole);
        left.retain(|times| round < LEAST_ROUNDS || times.growth() > SUSPECT);
    }
    left.sort_by(|a, b| b.growth().total_cmp(&a.growth()));
    left.iter().for_each(|times| println!("{}", times.family.0));
}

fn measure_all(left: &mut [LeastTimes], stage: &Stage) {
    let left = Mutex::new(left.iter_mut());
    let next = || left.lock().expect("no thread panics").next();
    let work = || {
        while let Some(times) = next() {
            times.measure(stage);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
}

fn table(wanted: &[&str]) {
    for family in FAMILIES.iter().filter(|family| wanted.is_empty() || wanted.contains(&family.0)) {
        for stage in &STAGES {
            let (growth, [few, many]) = growth(stage, family, TABLE);
            println!("{:28} {:10} {:9.2} {:9.2} {growth:6.1}", family.0, stage.0, few * 1e3, many * 1e3);
        }
    }
}
