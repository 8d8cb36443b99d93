//! Dates of test pages.

use super::*;

#[test]
fn what_readers_see_goes_before_what_only_programs_read() {
    let stated = |day: &str| format!("<title>Ferry</title><meta property=article:published_time content={day}>");
    for (page, expect) in [
        // A day below the headline, on a line of its own.
        (format!("{}<h1>Ferry</h1><p>By Ann Orr · May 3, 2026", stated("2026-01-02T10:00:00Z")), "2026-05-03"),
        // The same day: the head is more precise.
        (format!("{}<h1>Ferry</h1><p>May 3, 2026", stated("2026-05-03T10:00:00Z")), "2026-05-03T10:00:00Z"),
        // A date of a change is not one of publication.
        (format!("{}<h1>Ferry</h1><p>Updated May 3, 2026", stated("2026-01-02")), "2026-01-02"),
        (
            format!("{}<h1>Ferry</h1><time datetime=2026-05-03>Last updated: May 3, 2026</time>", stated("2026-01-02")),
            "2026-01-02",
        ),
        // Nor is a day within a sentence, or one above the headline.
        (
            format!(
                "{}<h1>Ferry</h1><p>She sails again on Monday, May 3, 2026, after a winter in which nobody saw her.",
                stated("2026-01-02")
            ),
            "2026-01-02",
        ),
        (format!("{}<p>Sunday, May 3, 2026<h1>Ferry</h1>", stated("2026-01-02")), "2026-01-02"),
        // The local day of an instant in UTC.
        (format!("{}<h1>Ferry</h1><p>January 1, 2026", stated("2026-01-02T02:00:00Z")), "2026-01-01"),
        (
            "<title>Ferry</title><h1>Ferry</h1><time datetime=2026-01-02T02:00:00Z>Jan 1, 2026</time>".to_owned(),
            "2026-01-01",
        ),
        // Names for the date that only this site uses.
        ("<title>Ferry</title><meta name=x-published-date content=20260102><h1>Ferry</h1>".to_owned(), "2026-01-02"),
        // An element like `time`, and a headline that is not in a heading.
        (
            "<title>Ferry sails again</title><div>Ferry sails again</div><x-time datetime=2026-01-02>lately</x-time>"
                .to_owned(),
            "2026-01-02",
        ),
    ] {
        assert_eq!(text(Sort::Text, &page).metadata.published.as_deref(), Some(expect), "{page}");
    }
    let agreed =
        "<meta property=article:published_time content=2026-01-02><title>Ferry</title><h1>Ferry</h1><p>May 3, 2026";
    let found = read_page(agreed, "https://x.example/2026/01/02/ferry", Sort::Text, &Stated::default());
    assert_eq!(found.metadata.published.as_deref(), Some("2026-01-02"), "address and head agree");
    let local = "<meta property=article:published_time content=2026-01-03T02:00:00Z><title>Ferry</title><h1>Ferry</h1>";
    let found = read_page(local, "https://x.example/20260102/ferry", Sort::Text, &Stated::default());
    assert_eq!((found.metadata.published.as_deref(), found.sources["published"]), (Some("2026-01-02"), Source::Url));
}

#[test]
fn a_date_far_from_the_headline_is_found_on_a_text() {
    let story = "<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch over the whole of the crew, as it had done \
                 every morning since the old harbour master gave up his post and moved inland, where nobody asks him for the tides.</p>";
    let page = |end: &str| format!("<title>Ferry</title><h1>Ferry</h1>{}<footer>{end}</footer>", story.repeat(4));
    for (sort, end, expect) in [
        (Sort::Text, "<p>May 1, 2026<p>Posted on May 3, 2026", Some("2026-05-03")),
        (Sort::Text, "<p>Last edited May 1, 2026", Some("2026-05-01")),
        (Sort::Text, "<p>Member since May 1, 2026", None),
        (Sort::Text, "<p>© May 1, 2026", None),
        (Sort::Other, "<p>May 1, 2026", None),
    ] {
        let found = read_page(&page(end), "https://x.example/", sort, &Stated::default());
        assert_eq!(found.metadata.published.as_deref(), expect, "{end}");
    }
    let thread = "<title>Where is it?</title><dl><dt>Joined: 1 May 2020</dl><p>2 May 2026, 10:00<p>Where is the ferry?<p>3 May 2026, 11:00<p>At the quay.";
    let found = read_page(thread, "https://x.example/", Sort::Thread, &Stated::default());
    assert_eq!(found.metadata.published.as_deref(), Some("2026-05-02"));
}

/// The head wins if readers see its day too, or may: other dates on the page are about something
/// else.
#[test]
fn the_head_is_right_where_readers_see_its_day() {
    let head = "<html lang=en-US><title>Ferry sails</title><meta property=article:published_time content=2026-01-02T03:04:05Z><h1>Ferry sails</h1>";
    for (lines, expect) in [
        ("<p>July 15, 2026</p><p>January 2, 2026</p>", "2026-01-02T03:04:05Z"),
        ("<p>02/01/2026</p>", "2026-01-02T03:04:05Z"),
        ("<p>03/01/2026</p>", "2026-03-01"),
        ("<p>July 15, 2026</p>", "2026-07-15"),
        ("<p>July 15, 2026</p><p>Our crew</p>STORY<time datetime=2026-01-02>2 January</time>", "2026-01-02T03:04:05Z"),
    ] {
        let lines = lines.replace(
            "STORY",
            &"<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch.".repeat(20),
        );
        assert_eq!(text(Sort::Text, &format!("{head}{lines}")).metadata.published.as_deref(), Some(expect), "{lines}");
    }
}

#[test]
fn what_says_outright_that_it_is_the_publication_is_believed_wherever_it_stands() {
    let story =
        "<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch over the crew.</p>"
            .repeat(20);
    let head = "<title>Ferry sails</title><meta property=article:published_time content=2026-05-05T03:04:05Z><h1>Ferry sails</h1>";
    for (after, expect) in [
        ("<div>Published <time pubdate datetime=2026-01-02>2 January 2026</time></div>", "2026-01-02"),
        // If there are several days, they are of other pages.
        (
            "<p>Published <time datetime=2026-01-02>2 January</time></p><p>Published <time datetime=2026-01-03>3 January</time></p>",
            "2026-05-05T03:04:05Z",
        ),
        ("<a href=/b>Cat found <time class=published datetime=2026-01-02>2 January</time></a>", "2026-05-05T03:04:05Z"),
    ] {
        assert_eq!(
            text(Sort::Text, &format!("{head}{story}{after}")).metadata.published.as_deref(),
            Some(expect),
            "{after}"
        );
    }
}

#[test]
fn days_stand_in_addresses_with_the_names_of_months() {
    let page =
        "<html lang=en><title>Ferry sails</title><h1>Ferry sails</h1><p>03/10/2025</p><p>The ferry sailed at nine.</p>";
    let found = read_page(page, "https://courier.example/news/2025/october/03/ferry", Sort::Text, &Stated::default());
    assert_eq!((found.metadata.published.as_deref(), found.sources["published"]), (Some("2025-10-03"), Source::Url));
    let found = read_page(page, "https://courier.example/news/2025/harbour/03/ferry", Sort::Text, &Stated::default());
    assert_eq!(found.metadata.published.as_deref(), Some("2025-03-10"));
}

#[test]
fn posts_of_a_thread_tell_their_day_and_members_when_they_came() {
    // The forum's clock is far from the headline.
    let menu = "<p>Harbour".repeat(8);
    let thread = |posts: &str| {
        text(Sort::Thread, &format!("<html lang=en><title>Which ferry?</title><time datetime=2026-05-05T01:02:03Z>now</time>{menu}<h1>Which ferry?</h1>{posts}"))
            .metadata
            .published
    };
    for posts in [
        "<p>Joined: February 2019</p><p>2026-01-02, 09:14 PM</p>",
        "<p>Founded: Dec 11, 2021</p><p>January 2, 2026</p>",
        "<p>Started by ann77, January 02, 2026, 11:23:55 AM</p>",
    ] {
        assert_eq!(thread(posts).as_deref(), Some("2026-01-02"), "{posts}");
    }
    // The forum's custom elements state it only for programs.
    for post in ["x-post created-timestamp", "x-ago ts", "x-date publishdate"] {
        let page = format!("<title>Which ferry?</title><h1>Which ferry?</h1><{post}=2026-01-02T03:04:05+0000><p>Nine?");
        assert_eq!(
            text(Sort::Thread, &page).metadata.published.as_deref(),
            Some("2026-01-02T03:04:05+00:00"),
            "{post}"
        );
    }
}

#[test]
fn the_day_of_a_change_is_given_twice_where_readers_see_no_other() {
    for (head, lines, expect) in [
        ("", "<p>Updated May 3, 2026</p>", (Some("2026-05-03"), Some("2026-05-03"))),
        ("", "<time datetime=2026-05-03>Last updated: May 3, 2026</time>", (Some("2026-05-03"), Some("2026-05-03"))),
        ("", "<p>Published May 1, 2026</p><p>Updated May 3, 2026</p>", (Some("2026-05-01"), Some("2026-05-03"))),
        // A date that only programs read is taken as stated.
        ("<meta property=article:modified_time content=2026-05-03>", "", (None, Some("2026-05-03"))),
        ("<meta name=date content=2026-05-01>", "<p>Updated May 3, 2026</p>", (Some("2026-05-01"), Some("2026-05-03"))),
    ] {
        let found = text(Sort::Text, &format!("<title>Ferry</title>{head}<h1>Ferry</h1>{lines}")).metadata;
        assert_eq!((found.published.as_deref(), found.modified.as_deref()), expect, "{head}{lines}");
    }
}

#[test]
fn day_and_month_stand_as_the_pages_language_has_them() {
    let german = "<p>Die Fähre fuhr um neun Uhr mit der Kapelle an Bord, und eine Katze im Steuerhaus hielt Wache über die ganze Mannschaft, wie sie \
                  es jeden Morgen getan hatte, seit der alte Hafenmeister sein Amt aufgab und ins Landesinnere zog.</p>"
        .repeat(3);
    let english = "<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch over the whole of the crew, as it \
                   had done every morning since the old harbour master gave up his post and moved inland.</p>"
        .repeat(3);
    for (html, head, story, expect) in [
        ("<html lang=de>", "", "", "2021-04-03"),
        ("<html lang=en-GB>", "", "", "2021-04-03"),
        ("<html lang=en_AU>", "", "", "2021-04-03"),
        ("<html lang=en-US>", "", "", "2021-03-04"),
        ("<html lang=en-US>", "<meta property=og:locale content=en_GB>", "", "2021-03-04"),
        // English without a country, then a locale with one.
        ("<html lang=en>", "<meta property=og:locale content=en_GB>", "", "2021-04-03"),
        ("<html>", "<meta property=og:locale content=de_DE>", english.as_str(), "2021-04-03"),
        // The language of the text, if the page declares none.
        ("<html>", "", german.as_str(), "2021-04-03"),
        ("<html lang=en>", "", german.as_str(), "2021-04-03"),
        // Nothing decides.
        ("<html>", "", english.as_str(), "2021-03-04"),
        ("<html lang=en>", "", "", "2021-03-04"),
    ] {
        let page = format!("{html}<head>{head}<title>Ferry</title><body><h1>Ferry</h1><p>03/04/2021</p>{story}");
        let found = read_page(&page, "https://x.example/", Sort::Text, &Stated::default());
        assert_eq!(found.metadata.published.as_deref(), Some(expect), "{html}{head}");
    }
}

#[test]
fn a_date_that_could_be_two_speaks_where_no_other_does() {
    let seen = |html: &str| format!("{html}<title>Ferry</title>HEAD<h1>Ferry</h1><p>03/04/2021</p>");
    let stated = "<meta name=date content=2021-05-06>";
    for (html, head, expect) in [
        ("<html lang=en>", stated, "2021-05-06"),
        ("<html lang=en>", "<meta name=date content=07/05/2021><meta name=pubdate content=2021-05-06>", "2021-05-06"),
        ("<html lang=en>", "", "2021-03-04"),
        // This one is not ambiguous, and a visible date beats the head.
        ("<html lang=en-GB>", stated, "2021-04-03"),
    ] {
        let page = seen(html).replace("HEAD", head);
        let found = read_page(&page, "https://x.example/", Sort::Text, &Stated::default());
        assert_eq!(found.metadata.published.as_deref(), Some(expect), "{html}{head}");
    }
}

#[test]
fn a_date_in_doubt_near_the_headline_goes_before_one_far_from_it() {
    let story =
        "<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch over the crew.</p>"
            .repeat(20);
    let page = format!(
        "<html lang=en><title>Ferry</title><h1>Ferry</h1><p>Updated 03/04/2021</p>{story}<p>Posted on May 13, 2026</p>"
    );
    let found = read_page(&page, "https://x.example/", Sort::Text, &Stated::default()).metadata;
    assert_eq!((found.published.as_deref(), found.modified.as_deref()), (Some("2021-03-04"), Some("2021-03-04")));
    let page = "<html lang=en><title>Ferry</title><h1>Ferry</h1><p>Published 03/04/2021</p><p>Updated May 3, 2021</p>";
    let found = read_page(page, "https://x.example/", Sort::Text, &Stated::default()).metadata;
    assert_eq!((found.published.as_deref(), found.modified.as_deref()), (Some("2021-03-04"), Some("2021-05-03")));
}

#[test]
fn no_page_is_changed_before_it_is_published() {
    let published = "<meta property=article:published_time content=2026-01-05T10:00:00Z>";
    let changed = |date: &str| format!("<meta property=article:modified_time content={date}>");
    for (head, lines, expect) in [
        (
            published.to_owned() + &changed("2026-01-06T10:00:00Z"),
            "",
            (Some("2026-01-05T10:00:00Z"), Some("2026-01-06T10:00:00Z")),
        ),
        (published.to_owned() + &changed("2026-01-04T10:00:00Z"), "", (Some("2026-01-05T10:00:00Z"), None)),
        // The same instant in another zone.
        (
            published.to_owned() + &changed("2026-01-05T05:00:00-05:00"),
            "",
            (Some("2026-01-05T10:00:00Z"), Some("2026-01-05T05:00:00-05:00")),
        ),
        // A date only seen somewhere is weaker than what the head states.
        (changed("2026-01-02"), "<p>May 3, 2026</p>", (None, Some("2026-01-02"))),
        (changed("2026-06-02"), "<p>May 3, 2026</p>", (Some("2026-05-03"), Some("2026-06-02"))),
    ] {
        let page = format!("<html lang=en><head><title>Ferry</title>{head}<body><h1>Ferry</h1>{lines}");
        let found = text(Sort::Text, &page).metadata;
        assert_eq!((found.published.as_deref(), found.modified.as_deref()), expect, "{head}{lines}");
    }
}

#[test]
fn the_first_day_of_a_calendar_is_no_date() {
    let page = "<title>Ferry</title><meta property=article:published_time content=1970-01-01T00:00:00+00:00>\
                <meta property=article:modified_time content=1970-01-01T00:00:00+00:00><h1>Ferry</h1><p>By Ann Orr, May 3, 2026</p>";
    let found = text(Sort::Text, page).metadata;
    assert_eq!((found.published.as_deref(), found.modified), (Some("2026-05-03"), None));
}

#[test]
fn attributes_of_many_names_state_dates() {
    let instant = "2026-05-03T08:30:00Z";
    for (shown, expect) in [
        ("<abbr class=published title=2026-05-03T08:30:00Z>8:30 AM</abbr>", Some(instant)),
        ("<span class='date x' title=2026-05-03T08:30:00Z>3 hours ago</span>", Some(instant)),
        ("<abbr itemprop=datePublished title=2026-05-03T08:30:00Z>8:30 AM</abbr>", Some(instant)),
        ("<time title=2026-05-03T08:30:00Z>3 hours ago</time>", Some(instant)),
        ("<time datetime='' title=2026-05-03T08:30:00Z>3 hours ago</time>", Some(instant)),
        ("<time datetime=1777797000>3 hours ago</time>", Some(instant)),
        ("<span class=timestamp data-timestamp=1777797000000>3 hours ago</span>", Some(instant)),
        ("<span class=date data-date=2026-05-03>3 hours ago</span>", Some("2026-05-03")),
        ("<div><b>3</b><i>May</i><u>2026</u></div>", Some("2026-05-03")),
        ("<div><b>May</b><b>3</b><b>2026</b></div>", Some("2026-05-03")),
        ("<span title='May 3, 2026'>Ferry</span>", None),
        ("<span class=date title=Date>3 hours ago</span>", None),
    ] {
        let page = format!("<title>Ferry sails</title><h1>Ferry sails</h1><p>{shown}</p>");
        assert_eq!(text(Sort::Text, &page).metadata.published.as_deref(), expect, "{shown}");
    }
    for name in [
        "pub_date",
        "creation_date",
        "release_date",
        "article:post_date",
        "article_date_original",
        "bt:pubDate",
        "citation_online_date",
        "dcterms.available",
        "published_time_telegram",
        "timestamp",
    ] {
        let page = format!("<title>Ferry</title><meta name='{name}' content=2026-05-03>");
        assert_eq!(text(Sort::Text, &page).metadata.published.as_deref(), Some("2026-05-03"), "{name}");
    }
}

#[test]
fn dates_of_other_texts_and_events_are_not_the_pages() {
    let story =
        "<p>The ferry sailed at nine with the band on board, and a cat kept watch over the crew.</p>".repeat(20);
    let related = "<section class=related><a href=/x><time datetime=2021-03-05>Mar 5, 2021</time> Herons</a></section>";
    let aside = "<aside><a href=/x><time datetime=2021-03-05>Mar 5, 2021</time> Herons</a></aside>";
    let head = "<title>Ferry sails</title>";
    for (page, expect) in [
        (format!("{head}<h1>Ferry sails</h1>{story}{related}"), None),
        (format!("{head}{aside}<h1>Ferry sails</h1><p>May 3, 2026</p>{story}"), Some("2026-05-03")),
        (format!("{head}<h1>Ferry sails</h1><p>The works last from 3 June 2026 to 12 June 2026.</p>{story}"), None),
        (format!("{head}<h1>Ferry sails</h1><p>3 June 2026 bis 12 June 2026</p>{story}"), None),
    ] {
        assert_eq!(text(Sort::Text, &page).metadata.published.as_deref(), expect, "{page}");
    }
    let page = format!("{head}<h1>Ferry sails</h1><p>Erstellt: 03.05.2026 Stand: 05.05.2026</p>{story}");
    let found = text(Sort::Text, &page).metadata;
    assert_eq!((found.published.as_deref(), found.modified.as_deref()), (Some("2026-05-03"), Some("2026-05-05")));
}

#[test]
fn addresses_name_days_in_many_forms() {
    for (path, expect) in [
        ("2026/05/03/ferry", Some("2026-05-03")),
        ("n1/2026/0503/c100-402.html", Some("2026-05-03")),
        ("202605/t20260503_3714.htm", Some("2026-05-03")),
        ("ferry-sails-2026-05-03.html", Some("2026-05-03")),
        ("03-05-2026/ferry", Some("2026-05-03")),
        ("2026/05/92713", None),
        ("2026/05/0315555/ferry", None),
        ("2026/05/ferry", None),
        ("news/58202605-219/ferry", None),
        ("ferry-2026-05-03-and-more", None),
        ("ferry-2026-13-03", None),
    ] {
        let page = "<title>Ferry sails</title><h1>Ferry sails</h1>";
        let found = read_page(page, &format!("https://x.example/{path}"), Sort::Text, &Stated::default());
        assert_eq!(found.metadata.published.as_deref(), expect, "{path}");
    }
}
