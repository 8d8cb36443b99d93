//! Tests of evidence, lessons and models on a toy site.

use crate::learn::parallel::tests::Backwards;
use std::collections::HashSet;

use super::decide::Decision;
use super::favor::Favor;
use super::kind::PageKind;
use super::lesson::BlockLesson;
use super::model::BlockModel;
use super::tables::Tables;
use super::training::{BlockTraining, Error, cross_fit, fit};
use super::*;
use crate::html::{Document, parse};
use crate::learn::boosting;
use crate::learn::model::{Header, Payload};
use crate::page::Gold;
use crate::template::{EVIDENCE, Memory};

/// A page of a site: a menu, an article of its own, and a notice that is on every page.
fn page(site: usize, number: usize) -> String {
    let words = ["ferry", "harbour", "sauna", "roof", "quay", "band", "lighthouse", "rope", "gull", "tide"];
    let word = |n: usize| words[(n * 7 + site * 3 + number * 3) % words.len()];
    let sentence = |n: usize| {
        format!("The {} and the {} of site {site} met {} times, and nobody minded.", word(n), word(n + 1), n + 2)
    };
    let paragraphs: Vec<String> = (0..4).map(|n| [sentence(n), sentence(n + 4), sentence(n + 8)].join(" ")).collect();
    let menu: String = words.iter().map(|word| format!("<li><a href='/{word}'>{word} {site}</a>")).collect();
    let body: String = paragraphs.iter().map(|paragraph| format!("<p>{paragraph}</p>")).collect();
    format!(
        "<!DOCTYPE html><title>Story {number}</title><ul class=nav>{menu}</ul><div class=story><h1>Story {number}</h1>{body}</div>\
         <div class=legal><p>All of this belongs to the owners of site {site}, who reserve what rights they have.</p></div>"
    )
}

/// The text of the story.
fn gold(document: &Document) -> Gold {
    let mut gold = Gold::unmarked(document);
    for word in &mut gold.words {
        word.kept = document.ancestors(word.node).any(|above| document.attribute(above, "class") == Some("story"));
    }
    gold
}

fn lessons(sites: usize, pages: usize) -> Vec<BlockLesson> {
    let all = (0..sites).flat_map(|site| (0..pages).map(move |number| (site, number)));
    all.map(|(site, number)| {
        let document = parse(page(site, number).as_bytes(), None, &Default::default());
        let kind = if number == 0 { PageKind::Listing } else { PageKind::Article };
        let name = format!("site {site}");
        BlockLesson::new(Analysis::new(&document), None, Some(&name), Some(kind), &gold(&document))
    })
    .collect()
}

fn small() -> BlockTraining {
    let trees = boosting::Training { trees: 10, leaves: 4, least_leaf_rows: 2, ..boosting::Training::default() };
    BlockTraining { folds: 2, trees: trees.clone(), places: trees.clone(), kinds: trees, ..BlockTraining::default() }
}

/// The part of the rows that places remember.
fn taken(rows: &[f32]) -> impl Iterator<Item = [f32; EVIDENCE]> {
    rows.chunks_exact(columns().len()).map(places::taken)
}

#[test]
fn evidence_is_named_once_and_said_of_every_block() {
    let names: HashSet<&str> = all_columns().map(|column| column.name).collect();
    assert_eq!(names.len(), all_columns().count());
    assert!(all_columns().all(|column| !column.about.is_empty()));
    for html in ["", "<p>one", "<table><tr><td>a<td>b</table><p hidden>c", &"<div><p>x y".repeat(300)] {
        let document = parse(html.as_bytes(), None, &Default::default());
        let analysis = Analysis::new(&document);
        let first = rows(&analysis, None, &Tables::default());
        let blocks = analysis.blocks().len();
        assert_eq!(first.len(), blocks * columns().len());
        let memory = places::remember(&analysis, taken(&first), &vec![0.5; blocks]);
        let places = places::Places::new(&analysis, &memory);
        assert_eq!((places.of_block.len(), places.rows.len()), (blocks, memory.places().len()));
    }
}

#[test]
fn a_lesson_knows_which_blocks_are_content() {
    let lesson = &lessons(1, 1)[0];
    let kept: Vec<bool> = lesson.labels().collect();
    assert_eq!(kept.iter().filter(|kept| **kept).count(), 5);
    assert!(!kept[0] && kept[10] && !kept[kept.len() - 1]);
    assert_eq!((lesson.f1(&kept), lesson.lost), (Some(1.0), 0));
    assert!((lesson.weights().iter().sum::<f32>() - 1.0).abs() < 1e-4);
}

#[test]
fn what_is_learned_holds_on_sites_that_were_not_seen() {
    let lessons = lessons(6, 3);
    let folds: Vec<usize> = (0..lessons.len()).map(|number| number / 9).collect();
    for (fold, model) in cross_fit(&lessons, &folds, &small(), 1, &mut |_| {}).unwrap().iter().enumerate() {
        for lesson in lessons.iter().zip(&folds).filter(|(_, of)| **of == fold).map(|(lesson, _)| lesson) {
            let first = model.first(&lesson.analysis, None);
            let score = model.score(&lesson.analysis, &first, &Memory::default(), Favor::Balance);
            assert!(lesson.f1(&score.decision.kept).unwrap() > 0.95, "{:?}", score.decision);
        }
    }
    let model = fit(&lessons, &small(), 1, &mut |_| {}).unwrap();
    let document = parse(page(99, 1).as_bytes(), None, &Default::default());
    let analysis = Analysis::new(&document);
    let first = model.first(&analysis, None);
    let score = model.score(&analysis, &first, &Memory::default(), Favor::Balance);
    let lesson = BlockLesson::new(analysis.clone(), None, None, None, &gold(&document));
    assert_eq!(lesson.f1(&score.decision.kept), Some(1.0));
    assert!(score.confidence > 0.9 && score.kind.is_some_and(|(kind, _)| PageKind::LEARNED.contains(&kind)));
    // The moves add up to the scores, but for a constant.
    let reasons = model.reasons(&analysis, None, &Memory::default(), &Backwards(3));
    let sum = |block: usize| reasons[block].iter().map(|reason| reason.moves).sum::<f64>();
    let odds = |block: usize| f64::from((score.likely[block] / (1.0 - score.likely[block])).ln());
    let constant = odds(0) - sum(0);
    for block in 0..reasons.len() {
        assert!((odds(block) - sum(block) - constant).abs() < 1e-3, "block {block}");
    }
}

/// If a model is trained without some evidence, no decision, probability or kind of page depends on
/// it.
#[test]
fn what_a_model_is_trained_without_it_does_not_read() {
    let lessons = lessons(6, 3);
    for kind in Kind::ALL {
        let training = BlockTraining { without: vec![kind], ..small() };
        let model = fit(&lessons, &training, 1, &mut |_| {}).unwrap();
        let reasons = model.reasons(&lessons[0].analysis, None, &Memory::default(), &Backwards(3));
        let read = reasons.iter().flatten().find(|reason| reason.column.kind == kind && reason.moves != 0.0);
        assert_eq!(read, None, "{kind}");
    }
}

#[test]
fn the_same_lessons_and_seed_make_the_same_model() {
    let make = |seed, workers: &'static Backwards| {
        let training = small().with_workers(workers);
        fit(&lessons(3, 2), &training, seed, &mut |_| {}).unwrap().to_payload()
    };
    assert_eq!(make(1, &Backwards(1)), make(1, &Backwards(2)));
}

#[test]
fn a_model_comes_back_and_damage_is_an_error() {
    let model = fit(&lessons(3, 2), &small(), 1, &mut |_| {}).unwrap();
    let payload = model.to_payload();
    let header = |version| Header {
        method: BlockModel::METHOD.to_owned(),
        version,
        corpus: String::new(),
        seed: 1,
        command: String::new(),
    };
    assert_eq!(BlockModel::from_payload(&header(BlockModel::VERSION), &payload).unwrap(), model);
    assert!(BlockModel::from_payload(&header(BlockModel::VERSION + 1), &payload).unwrap_err().is_mismatch());
    for length in (0..payload.len()).step_by(97) {
        assert!(BlockModel::from_payload(&header(BlockModel::VERSION), &payload[..length]).is_err(), "{length}");
    }
}

#[test]
fn too_little_to_learn_from_is_said() {
    let few = fit(&lessons(1, 3), &small(), 1, &mut |_| {}).unwrap_err();
    assert!(matches!(few, Error::FewSites { sites: 1, least: 2 }), "{few}");
    let mut blank = lessons(3, 1);
    blank.iter_mut().for_each(|lesson| lesson.kept.fill(0.0));
    let one = fit(&blank, &small(), 1, &mut |_| {}).unwrap_err();
    assert_eq!(one.to_string(), "the lessons show one class alone: no block of theirs is content");
}

#[test]
fn places_say_what_repeats_and_where_content_stands() {
    let analyses: Vec<Analysis> =
        (0..3).map(|number| Analysis::new(&parse(page(1, number).as_bytes(), None, &Default::default()))).collect();
    let odds = |analysis: &Analysis| {
        let blocks = analysis.blocks().iter();
        blocks.map(|block| if block.text.words > 15 { 4.0 } else { -4.0 }).collect::<Vec<f32>>()
    };
    let mut memory = Memory::default();
    for analysis in &analyses {
        memory.merge(&places::remember(analysis, taken(&rows(analysis, None, &Tables::default())), &odds(analysis)));
    }
    let places = places::Places::new(&analyses[0], &memory);
    let column = |name| place_columns().iter().position(|column| column.name == name).unwrap();
    let value = |block: usize, name| places.rows.row(places.of_block[block])[column(name)];
    let (menu, paragraph, legal) = (0, 11, analyses[0].blocks().len() - 1);
    assert_eq!((value(menu, "site text pages"), value(legal, "site text pages")), (1.0, 1.0));
    assert!(value(paragraph, "site text pages") < 0.4 && value(paragraph, "site repeats") < 0.01);
    assert_eq!((value(menu, "site places"), value(paragraph, "site places")), (1.0, 1.0));
    assert!(value(paragraph, "score likely") > 0.9 && value(menu, "score likely") < 0.1);
    assert_eq!((value(paragraph, "score"), value(paragraph, "score spread")), (4.0, 0.0));
    assert!(places.surely_none.iter().all(|none| !none), "other pages may say something else of a place");
}

/// On a page without siblings, the second stage is skipped for places without possible content.
#[test]
fn of_a_page_that_is_alone_each_sure_block_is_believed() {
    let analysis = Analysis::new(&parse(page(1, 0).as_bytes(), None, &Default::default()));
    let of_block = |odds: &[f32]| {
        let memory = places::remember(&analysis, taken(&rows(&analysis, None, &Tables::default())), odds);
        let places = places::Places::new(&analysis, &memory);
        places.of_block.iter().map(|&place| places.surely_none[place]).collect::<Vec<bool>>()
    };
    let mut odds = vec![-6.0; analysis.blocks().len()];
    assert!(of_block(&odds).iter().all(|none| *none));
    odds[11] = 0.0;
    let place = analysis.blocks()[11].place;
    let expect: Vec<bool> = analysis.blocks().iter().map(|block| block.place != place).collect();
    assert_eq!(of_block(&odds), expect);
}

/// With two pages no text repeats on the site. With four, the texts of all pages do.
#[test]
fn what_repeats_counts_by_how_many_pages_say_it() {
    let analyses: Vec<Analysis> =
        (0..4).map(|number| Analysis::new(&parse(page(1, number).as_bytes(), None, &Default::default()))).collect();
    let (mut memory, mut repeated) = (Memory::default(), Vec::new());
    for analysis in &analyses {
        let rows = rows(analysis, None, &Tables::default());
        memory.merge(&places::remember(analysis, taken(&rows), &vec![0.0; analysis.blocks().len()]));
        let places = places::Places::new(&analyses[0], &memory);
        repeated.push((places.repeated[11], *places.repeated.last().unwrap()));
    }
    let (paragraph, legal): (Vec<f32>, Vec<f32>) = repeated.into_iter().unzip();
    assert_eq!(paragraph, [0.0; 4]);
    assert_eq!(legal, [0.0, 0.0, 1.5_f32.log2(), 1.0]);
}

/// With more pages of the site the model's score changes, and the report counts these pages.
#[test]
fn what_is_remembered_of_a_site_moves_the_score() {
    let model = fit(&lessons(6, 3), &small(), 1, &mut |_| {}).unwrap();
    let analysis = |number| Analysis::new(&parse(page(99, number).as_bytes(), None, &Default::default()));
    let (one, other) = (analysis(1), analysis(2));
    let (first, mut memory) = (model.first(&one, None), model.first(&other, None).into_memory());
    memory.merge(first.memory());
    let score = model.score(&one, &first, &memory, Favor::Balance);
    let reasons = model.reasons(&one, None, &memory, &Backwards(3));
    let kinds: HashSet<Kind> =
        reasons.iter().flatten().filter(|reason| reason.moves != 0.0).map(|reason| reason.column.kind).collect();
    assert!(kinds.contains(&Kind::Score) || kinds.contains(&Kind::Site), "{kinds:?}");
    let odds = |block: usize| f64::from((score.likely[block] / (1.0 - score.likely[block])).ln());
    let sum = |block: usize| reasons[block].iter().map(|reason| reason.moves).sum::<f64>();
    let constant = odds(0) - sum(0);
    for block in 0..reasons.len() {
        assert!((odds(block) - sum(block) - constant).abs() < 1e-2, "block {block}");
    }
    // If a person labels a place, that is the only reason.
    let mut taught = memory.clone();
    super::teach(&mut taught, &one, &vec![Some(false); one.blocks().len()]);
    let score = model.score(&one, &first, &taught, Favor::Balance);
    assert!(score.likely.iter().all(|likely| *likely < 0.01) && score.decision.kept.iter().all(|kept| !kept));
    let reasons = model.reasons(&one, None, &taught, &Backwards(3));
    assert!(reasons.iter().all(|reasons| reasons.len() == 1 && reasons[0].column.name == "taught"));
}

#[test]
fn a_page_without_text_is_empty() {
    let model = fit(&lessons(3, 2), &small(), 1, &mut |_| {}).unwrap();
    let analysis = Analysis::new(&parse(b"<p> <script>x</script>", None, &Default::default()));
    let first = model.first(&analysis, None);
    let score = model.score(&analysis, &first, &Memory::default(), Favor::Balance);
    assert_eq!((score.kind, score.decision), (Some((PageKind::Empty, 1.0)), Decision::default()));
}

/// It took over 100 seconds when each heading was compared with every word of the title.
#[test]
fn a_long_title_beside_many_headings_takes_no_time() {
    let parts =
        |before: &str, after: &str| (0..40_000).map(|at| format!("{before}part {at:x}{after}")).collect::<String>();
    let page = format!("<title>{}</title>{}<p>text", parts("", " | "), parts("<h1>", "</h1>"));
    let analysis = Analysis::new(&parse(page.as_bytes(), None, &Default::default()));
    let began = std::time::Instant::now();
    let found = rows(&analysis, None, &Tables::default());
    let took = began.elapsed();
    assert!(took < std::time::Duration::from_secs(8), "{took:?}");
    let at = columns().iter().position(|column| column.name == "title covered").unwrap();
    assert!(found[at] > 0.0);
}
