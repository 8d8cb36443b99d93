//! Tests that templates are told apart, remembered, redesigned and forgotten.

use super::*;
use crate::template::{EVIDENCE, NOTICED_AFTER, Objection, SeenBlock};

/// A page whose places are `from` and the next ones.
fn page(from: u64, places: u64, text: u64) -> Memory {
    Memory::of_page((from..from + places).map(|place| SeenBlock {
        place,
        text: text << 40 | place << 33,
        words: 10,
        odds: 0.0,
        evidence: [0.0; EVIDENCE],
    }))
}

/// The template of a page, and whether it is new.
fn joins(site: &mut Site, page: &Memory) -> (u32, bool) {
    let learned = site.learn(page);
    (learned.number, learned.is_new)
}

#[test]
fn a_page_joins_the_template_whose_places_it_has() {
    let mut site = Site::default();
    assert_eq!(site.template_of(&page(0, 10, 0)), None);
    assert_eq!(joins(&mut site, &page(0, 10, 1)), (1, true));
    assert_eq!(joins(&mut site, &page(2, 10, 2)), (1, false));
    assert_eq!(joins(&mut site, &page(100, 10, 3)), (2, true));
    assert_eq!(site.template_of(&page(6, 10, 4)).map(|template| template.number), Some(1));
    assert_eq!(site.template_of(&page(9, 20, 4)), None);
    assert_eq!(site.templates().iter().map(|template| template.memory.pages()).collect::<Vec<_>>(), [2, 1]);
    assert!(site.forget(1) && !site.forget(1));
    assert_eq!(joins(&mut site, &page(0, 10, 5)), (3, true));
}

#[test]
fn a_page_is_remembered_once() {
    let mut site = Site::default();
    site.learn(&page(0, 10, 1));
    let (once, mut taught) = (site.templates()[0].memory.clone(), page(0, 10, 1));
    taught.teach(3, 10, true);
    site.learn(&taught);
    let template = &site.templates()[0];
    assert!(template.knows(&taught) && !template.knows(&page(0, 10, 2)));
    assert_eq!((template.memory.pages(), template.memory.place(3).unwrap().taught()), (1, Some(1.0)));
    assert_eq!(once.place(4), template.memory.place(4));
}

/// A template forgets its places of fewest words. What a page has there is known while the page is
/// at hand, also if it was learned before.
#[test]
fn a_page_seen_again_has_all_of_its_places() {
    let bounds = Bounds { template_bytes: Bounds::LEAST_TEMPLATE_BYTES, ..Bounds::default() };
    let mut site = Site::default();
    let visit = |site: &mut Site, text| site.learn_within(&page(0, 100, text), Visit::default(), &bounds).number;
    (0..=ENOUGH_PAGES.into()).for_each(|text| assert_eq!(visit(&mut site, text), 1));
    assert!(site.templates()[0].memory.places().len() < 100);
    for text in [1, 99] {
        let again = page(0, 100, text);
        let known = site.known_with(&again);
        assert!(known.pages() > ENOUGH_PAGES && again.alike(&known) == 1.0, "page {text}");
    }
}

#[test]
fn the_template_that_was_longest_not_served_makes_room() {
    let mut site = Site::default();
    let most = Bounds::default().templates;
    for template in 0..most as u64 {
        site.learn(&page(template * 100, 10, template));
    }
    site.learn(&page(0, 10, 99));
    site.learn(&page(9000, 10, 100));
    let numbers: Vec<u32> = site.templates().iter().map(|template| template.number).collect();
    assert_eq!(site.templates().len(), most);
    assert!(numbers.contains(&1) && !numbers.contains(&2) && numbers.contains(&(most as u32 + 1)));
}

/// A page of many places, each with its own text, so that places reach their full size.
fn page_of_new_texts(places: u64, page: u64) -> Memory {
    Memory::of_page((0..places).map(|place| SeenBlock {
        place,
        text: (page << 20 | place).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        words: 10,
        odds: 0.0,
        evidence: [0.0; EVIDENCE],
    }))
}

#[test]
fn a_site_keeps_to_its_bounds_to_the_byte() {
    for bounds in [
        Bounds::default(),
        Bounds { templates: 2, template_bytes: 16 << 10 },
        Bounds { templates: 2, template_bytes: Bounds::LEAST_TEMPLATE_BYTES },
    ] {
        let mut site = Site::default();
        // One and a half times as many as fit.
        let places = bounds.template_bytes as u64 / 100;
        let mut first = page_of_new_texts(places, 1);
        first.teach(places - 1, 10, true);
        site.learn_within(&first, Visit::default(), &bounds);
        for number in 2..60 {
            site.learn_within(&page_of_new_texts(places, number), Visit::default(), &bounds);
        }
        for template in 1..20 {
            site.learn_within(&page(template * 10_000, 10, template), Visit::default(), &bounds);
        }
        let widest = site.templates().iter().map(Template::bytes).max().unwrap();
        assert!(widest > bounds.template_bytes && widest < 4 * bounds.template_bytes, "{bounds:?}: {widest}");
        site.enforce(&bounds);
        assert!(site.templates().len() <= bounds.templates);
        let widest = site.templates().iter().map(Template::bytes).max().unwrap();
        assert!(widest <= bounds.template_bytes && widest > bounds.template_bytes * 9 / 10, "{bounds:?}: {widest}");
        let taught = &site.template(1).unwrap().memory;
        assert_eq!(taught.place(places - 1).unwrap().taught(), Some(1.0), "what a person said goes last");
        let before = site.clone();
        site.enforce(&bounds);
        assert!(site == before, "what is within bounds stays as it is");
    }
}

#[test]
fn a_site_of_ten_thousand_pages_is_flat() {
    let bytes = |pages: u64| {
        let mut site = Site::default();
        for number in 0..pages {
            site.learn(&page(number % 40, 60, number));
        }
        postcard::to_stdvec(&site).unwrap().len()
    };
    // Both memories of the template are full by then.
    let (some, many) = (bytes(700), bytes(10_000));
    assert!(many < some + some / 4, "{some} bytes after 700 pages, {many} after 10,000");
}

/// A visit of an unknown URL of this pattern.
fn new(pattern: u32) -> Visit<'static> {
    Visit { pattern: Some(pattern), before: None, stated: None }
}

/// A visit of a URL that was of this template.
fn again(pattern: u32, before: u32) -> Visit<'static> {
    Visit { pattern: Some(pattern), before: Some(before), stated: None }
}

#[test]
fn a_redesign_is_noticed_within_five_pages_and_another_section_is_none() {
    let mut site = Site::default();
    for number in 0..20 {
        assert_eq!(site.learn_at(&page(0, 10, number), new(1)).redesign, None);
    }
    // Another section has pages of another kind. New pages of a kind that shares the frame are no
    // redesign either.
    for number in 20..30 {
        assert_eq!(site.learn_at(&page(500, 10, number), new(2)).redesign, None);
        assert_eq!(site.learn_at(&page(6, 12, number), new(1)).redesign, None, "{number}");
    }
    // A page of the old template in between: the design is being tested.
    for number in 30..34 {
        assert_eq!(site.learn_at(&page(900, 10, number), new(1)).redesign, None);
        site.learn_at(&page(0, 10, number), new(1));
    }
    let mut after_redesign = (40..45).map(|number| site.learn_at(&page(1000, 10, number), new(1)).redesign);
    let noticed = after_redesign.position(|redesign| redesign.is_some());
    assert_eq!(noticed, Some(NOTICED_AFTER as usize - 1));
    assert_eq!(site.template(1).unwrap().replaced_by(), Some(site.template_of(&page(1000, 10, 1)).unwrap().number));
}

/// An index has many places of its own, beside the frame of its site.
#[test]
fn an_index_within_the_frame_is_no_redesign() {
    let mut site = Site::default();
    (0..20).for_each(|number| drop(site.learn_at(&page(0, 10, number), new(1))));
    for number in 20..40 {
        assert_eq!(site.learn_at(&page(5, 100, number), new(1)).redesign, None, "{number}");
    }
}

#[test]
fn urls_that_change_their_template_are_a_redesign_whatever_their_pattern() {
    let mut site = Site::default();
    (0..6).for_each(|number| drop(site.learn_at(&page(0, 10, number), new(number as u32))));
    let seen: Vec<bool> =
        (0..4).map(|number| site.learn_at(&page(7, 12, number), again(number as u32, 1)).redesign.is_some()).collect();
    assert_eq!(seen, [false, false, true, false]);
}

#[test]
fn a_page_seen_again_is_not_learned_again() {
    let mut site = Site::default();
    (0..6).for_each(|number| drop(site.learn(&page(0, 10, number))));
    let learned = site.learn_at(&page(0, 10, 99), again(1, 1));
    assert_eq!((learned.number, site.templates()[0].memory.pages(), site.pages()), (1, 6, 7));
}

#[test]
fn a_template_that_was_replaced_is_forgotten_when_it_is_no_longer_seen() {
    let mut site = Site::default();
    (0..10).for_each(|number| drop(site.learn_at(&page(0, 10, number), new(1))));
    (10..20).for_each(|number| drop(site.learn_at(&page(100, 10, number), new(1))));
    assert_eq!(site.template(1).unwrap().replaced_by(), Some(2));
    // It stays as long as some of its pages are seen.
    for round in 0..10 {
        (0..150).for_each(|number| drop(site.learn_at(&page(100, 10, number % 10 + 10), again(1, 2))));
        assert_eq!(site.learn_at(&page(0, 10, round), again(1, 1)).number, 1);
    }
    let forgotten: Vec<u32> =
        (0..=LAPSE).flat_map(|number| site.learn_at(&page(100, 10, number % 10 + 10), again(1, 2)).forgotten).collect();
    assert_eq!((forgotten, site.templates().len()), (vec![1], 1));
}

#[test]
fn begins_to_serve_is_said_once() {
    let mut site = Site::default();
    let said: Vec<bool> = (0..8).map(|number| site.learn(&page(0, 10, number)).begins_to_serve).collect();
    assert_eq!(said, [false, false, false, true, false, false, false, false]);
    let mut taught = page(200, 10, 1);
    taught.teach(203, 10, true);
    assert!(site.learn(&taught).begins_to_serve, "one page that was taught is enough");
    assert!(site.template_of(&page(200, 10, 2)).unwrap().with(&page(200, 10, 2)).is_some());
}

#[test]
fn what_speaks_against_a_lesson_is_said() {
    let mut site = Site::default();
    let taught = |from: u64, place: u64, keep: bool| {
        let mut page = page(from, 10, 77);
        page.teach(place, 10, keep);
        page
    };
    assert_eq!(site.objections(&page(0, 10, 1)), [Objection::Nothing]);
    assert_eq!(site.objections(&taught(0, 3, true)), []);
    (0..10).for_each(|number| drop(site.learn_at(&page(0, 10, number), new(1))));
    assert_eq!(site.objections(&taught(50, 53, true)), [Objection::Unknown]);
    let fresh = site.clone();
    site.learn(&taught(0, 3, true));
    assert_eq!(site.objections(&taught(0, 3, true)), []);
    let [Objection::Contradicts { number: 1, places: 1, words: 10 }] = site.objections(&taught(0, 3, false))[..] else {
        panic!("{:?}", site.objections(&taught(0, 3, false)))
    };
    let mut nothing_left = page(0, 10, 78);
    (0..10).filter(|place| *place != 3).for_each(|place| nothing_left.teach(place, 10, false));
    let [Objection::Empties { percent: 90, pages: 11, all: 11 }] = site.objections(&nothing_left)[..] else {
        panic!("{:?}", site.objections(&nothing_left))
    };
    // More than half of the words go, unless words labelled as content make up for them.
    let lesson = |dismissed: u64, called: u64| {
        let mut lesson = page(0, 10, 80);
        (0..dismissed).for_each(|place| lesson.teach(place, 10, false));
        (10 - called..10).for_each(|place| lesson.teach(place, 10, true));
        fresh.objections(&lesson)
    };
    assert_eq!(lesson(5, 0), []);
    assert_eq!(lesson(6, 0), [Objection::Empties { percent: 60, pages: 10, all: 10 }]);
    assert_eq!(lesson(6, 4), []);
    let mut none_at_all = page(200, 10, 79);
    (200..210).for_each(|place| none_at_all.teach(place, 10, false));
    assert_eq!(Site::default().objections(&none_at_all), [Objection::EmptiesThePage { percent: 100 }]);
    (10..20).for_each(|number| drop(site.learn_at(&page(100, 10, number), new(1))));
    assert_eq!(site.objections(&taught(0, 3, true)), [Objection::Replaced { number: 1, by: 2 }]);
}

#[test]
fn for_another_model_what_was_taught_stays_and_the_rest_begins_anew() {
    let mut site = Site::default();
    let mut taught = page(0, 10, 1);
    taught.teach(3, 10, true);
    site.learn(&taught);
    site.learn(&page(100, 10, 2));
    let mut left = site.start_over();
    assert_eq!((left.templates().len(), left.templates()[0].memory.pages()), (1, 0));
    let learned = left.learn(&page(0, 10, 5));
    let place = left.template(learned.number).unwrap().memory.place(3).unwrap();
    assert_eq!((learned.number, place.taught(), place.blocks()), (1, Some(1.0), 1));
}

/// A damaged file can have a template served after the last page.
#[test]
fn a_template_of_the_future_is_not_forgotten() {
    let mut site = Site::default();
    joins(&mut site, &page(0, 40, 1));
    site.templates[0].last = u64::MAX;
    joins(&mut site, &page(1_000, 40, 2));
    assert_eq!(site.templates().len(), 2);
}

/// A damaged file can hold the largest possible page count.
#[test]
fn counts_that_are_full_stay_full() {
    let mut site = Site::default();
    joins(&mut site, &page(0, 40, 1));
    site.pages = u64::MAX;
    site.given = u32::MAX;
    joins(&mut site, &page(0, 40, 2));
    joins(&mut site, &page(1_000, 40, 3));
    assert_eq!(site.pages, u64::MAX);
    assert_eq!(site.templates().len(), 2);
}
