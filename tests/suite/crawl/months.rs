//! Weeks of a changing site, in seconds. Stories appear each day, change, move, disappear or ask
//! not to be stored. A part of the site is down for days, a calendar has no end, and the daemon
//! restarts every few days. The store and the feed must follow.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;
use tsrec_crawl::frontier::Frontier;
use tsrec_crawl::pipeline::outcome::NoPage;

use crate::support::script::{Bench, Reply, not_modified, page, page_with, redirect, say};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const DAYS: u64 = 30;
/// Days between two starts of the daemon.
const STARTED_EACH: u64 = 4;
/// The crawl visits a page again within this many days, so it knows what happened earlier.
const SEEN_WITHIN: u64 = 5;
/// Stories at the start. One more appears each day.
const FIRST: usize = 32;

const WORDS: [&str; 16] = [
    "ferry", "harbour", "council", "winter", "choir", "bridge", "market", "school", "boat", "museum", "orchard",
    "lantern", "parcel", "quarry", "saddle", "violin",
];

/// What happens to a story, by its number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Becomes {
    Gone,
    Moved,
    Rewritten,
    Noindex,
    Down,
    Unchanged,
    Still,
}

fn becomes(number: usize) -> Becomes {
    use Becomes::*;
    [Gone, Moved, Rewritten, Noindex, Down, Unchanged, Still, Still][number % 8]
}

/// Names differ in more than digits, so that the stories do not look like a trap.
fn name(number: usize) -> String {
    format!("{}-{}", WORDS[number % 16], WORDS[(number / 16 + 5 * number) % 16])
}

fn path(number: usize) -> String {
    format!("/{}/{}", if number < FIRST { "story" } else { "news" }, name(number))
}

/// A story in one of its editions, from 0.
fn story(number: usize, edition: u64) -> String {
    let word = |at: usize| WORDS[(number * 7 + at * 5 + at * at / 3 + edition as usize * 11) % 16];
    let sentence = |at: usize| {
        format!("The {} of the {} was seen near the {} and a {}. ", word(at), word(at + 1), word(at + 3), word(at + 6))
    };
    let text: String = (0..12).map(sentence).collect();
    let name = name(number);
    format!(
        "<html><head><title>{name}</title></head><body><ul><li><a href=/>Front</a></ul><h1>{name}</h1><p>{text}</p></body></html>"
    )
}

/// What the site answers on a day. `asked_unless`: whether the request is conditional.
fn says(path_of: &str, asked_unless: bool, day: u64) -> Reply {
    let number = (0..FIRST + DAYS as usize).find(|&number| path(number) == path_of);
    let moved = path_of
        .strip_prefix("/moved/")
        .and_then(|named| (0..FIRST + DAYS as usize).find(|&number| name(number) == named));
    match (path_of, number.map(|number| (number, becomes(number))), moved) {
        ("/", ..) => {
            let links: String =
                (0..FIRST + day as usize).map(|number| format!("<li><a href={0}>{0}</a></li>", path(number))).collect();
            page(format!("<title>Front</title><h1>Front</h1><ul>{links}</ul><a href=/calendar/1>Calendar</a>"))
        }
        (_, Some((_, Becomes::Gone)), _) if day >= 12 => say(NoPage::Gone),
        (_, Some((number, Becomes::Moved)), _) if day >= 9 => {
            redirect(&format!("http://a.example/moved/{}", name(number)), true)
        }
        (_, Some((number, Becomes::Rewritten)), _) => page(story(number, day / 3)),
        (_, Some((number, Becomes::Noindex)), _) if day >= 15 => page_with(story(number, 0), "", "noindex"),
        (_, Some((_, Becomes::Down)), _) if (6..9).contains(&day) => say(NoPage::Unreachable { retry_after: None }),
        (_, Some((_, Becomes::Unchanged)), _) if asked_unless => not_modified(),
        (_, Some((number, Becomes::Unchanged)), _) => page_with(story(number, 0), "\"1\"", ""),
        (_, Some((number, _)), _) | (_, None, Some(number)) => page(story(number, 0)),
        (other, None, None) => match other.strip_prefix("/calendar/").and_then(|day| day.parse::<u64>().ok()) {
            Some(day) => page(format!(
                "<h1>{day}</h1><p>There are no events on this day. Look at another day, or add one of your own.</p>\
                 <a href=/calendar/{0}>{0}</a> <a href=/calendar/{1}>{1}</a>",
                day + 1,
                day + 7
            )),
            None => say(NoPage::Gone),
        },
    }
}

/// Whether a story is stored at the end.
fn is_stored(number: usize) -> bool {
    matches!(becomes(number), Becomes::Rewritten | Becomes::Down | Becomes::Unchanged | Becomes::Still)
}

#[tokio::test(start_paused = true)]
async fn what_is_stored_follows_a_site_for_weeks() {
    let first = Instant::now();
    let day = move || first.elapsed().as_secs() / DAY.as_secs();
    let mut bench = Bench::that_hears(move |asked, _| says(asked.url.path(), asked.unless.is_some(), day()));
    let config = &mut bench.config;
    (config.refetch_after, config.refetch_least, config.refetch_most) =
        (DAY, 12 * HOUR, u32::try_from(SEEN_WITHIN).unwrap() * DAY);
    for _ in 0..DAYS.div_ceil(STARTED_EACH) {
        bench.run(&["http://a.example/"], Some(u32::try_from(STARTED_EACH).unwrap() * DAY)).await;
        bench.close();
    }
    let at = |path: &str| format!("http://a.example{path}");

    // The crawl may not know stories of the last days yet, nor what happened to them.
    for number in 0..FIRST + (DAYS - SEEN_WITHIN) as usize {
        let (url, becomes) = (at(&path(number)), becomes(number));
        let record = bench.record(&url);
        assert_eq!(record.is_some(), is_stored(number), "{url} {becomes:?}");
        if becomes == Becomes::Rewritten {
            let editions: Vec<u64> = ((DAYS - SEEN_WITHIN - 1) / 3..=(DAYS + STARTED_EACH) / 3).collect();
            let text = record.unwrap().page.text;
            let is_of = |edition: &u64| story(number, *edition).contains(text.lines().last().unwrap().trim());
            assert!(editions.iter().any(is_of), "{url} is of none of the editions {editions:?}: {text}");
        }
        if becomes == Becomes::Moved {
            assert!(bench.record(&at(&format!("/moved/{}", name(number)))).is_some(), "{url}");
        }
    }

    // A reader that follows the feed from its start has all stored pages.
    let mut followed = BTreeSet::new();
    for (url, deleted) in bench.feed() {
        match deleted {
            None => followed.insert(url),
            Some(_) => followed.remove(&url),
        };
    }
    let stored: BTreeSet<String> =
        bench.store().list(None, None, 10_000).unwrap().into_iter().map(|page| page.url).collect();
    assert_eq!(followed, stored);

    // The crawl stores some twenty pages of the calendar and visits them again. The calendar stays
    // a trap after restarts. A few more requests check whether it still is one. No request is under
    // way, and the host had its delay between any two requests.
    let asked = bench.asked();
    let of_calendar = asked.iter().filter(|url| url.contains("/calendar/")).count();
    let pages: BTreeSet<_> = asked.iter().filter(|url| url.contains("/calendar/")).collect();
    assert!(
        pages.len() < 40 && of_calendar < 400,
        "{of_calendar} of {} requests, for {} pages",
        asked.len(),
        pages.len()
    );
    assert_eq!(bench.frontier().stats().await.unwrap().leased, 0);
    let mut times: Vec<_> =
        asked.iter().collect::<BTreeSet<_>>().into_iter().flat_map(|url| bench.times(url)).collect();
    times.sort();
    let least = times.windows(2).map(|two| two[1].duration_since(two[0]).as_millis()).min().unwrap();
    assert!(least >= 1_000, "{least} ms between two requests");
}
