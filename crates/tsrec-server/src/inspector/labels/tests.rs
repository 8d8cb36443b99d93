//! Tests of the label sheet for a small page, and for hostile ones.

use super::*;
use tsrec_core::block::text_blocks::text_blocks;
use tsrec_core::html::parse;

fn sheet(body: &str) -> LabelSheet {
    let document = parse(format!("<!DOCTYPE html><body>{body}").as_bytes(), None, &Default::default());
    LabelSheet::new(&Page::new(&document), &text_blocks(&document))
}

/// The rows without their markup, one per line: `step name: text`.
fn rows(sheet: &LabelSheet, shown: Range<usize>, labels: &str) -> Vec<String> {
    let given: Vec<_> = labels.chars().map(BlockLabel::from_key).collect();
    let labels = GivenLabels { given: &given, suggested: &|_| None, form: "f" };
    let html = sheet.rows(shown, &labels);
    let between = |row: &str, from: &str, to: &str| {
        row.split_once(from)
            .and_then(|(_, rest)| rest.split_once(to))
            .map_or(String::new(), |(text, _)| text.to_owned())
    };
    let line = |row: &str| {
        let step = row.split_once("group i").or(row.split_once("class=i")).map_or("", |(_, rest)| &rest[..1]);
        format!("{step} {}: {}", between(row, "<code>", "</code>"), between(row, "<span dir=auto>", "</span>"))
    };
    html.lines().map(line).collect()
}

#[test]
fn blocks_stand_in_the_elements_that_hold_several() {
    let sheet = sheet(
        "<div><div id=top class=menu><ul class='a b'><li><a>Home</a><li>News</ul></div></div>\
         <p>See <a>us</a><br>there<p>Soft\u{ad}ly",
    );
    let all = [
        "0 body: 1 content, 2 other, 3 without a label",
        "1 ul.a: 2 other",
        "2 li: Home",
        "2 li: News",
        "1 p: 1 content, 2 without a label",
        "2 p: See",
        "2 ↳: us",
        "2 ↳: there",
        "1 p: Softly",
    ];
    assert_eq!(rows(&sheet, 0..6, "oop..."), all);
    // A part begins with the elements that continue from the previous part.
    let later = [all[0], all[4], all[6], all[7]];
    assert_eq!(rows(&sheet, 3..5, "oop..."), later);
    assert_eq!(rows(&sheet, 5..6, "oop..."), [all[0], all[8]]);
}

#[test]
fn a_page_of_one_block_has_no_element_to_mark() {
    assert_eq!(rows(&sheet("<div><p>alone"), 0..1, "p"), ["0 p: alone"]);
}

#[test]
fn what_a_page_says_is_text_and_has_an_end() {
    let long = "é".repeat(MOST_SHOWN + 1);
    let sheet = sheet(&format!(
        "<div id='\"><script>x'><p>&lt;script&gt;alert(1)&lt;/script&gt;\u{202e}\u{1b}[2J<p>{long}</div><p id={long}>a<b>b"
    ));
    let given = vec![None; sheet.len()];
    let suggested = |block| (block == 0).then_some(BlockLabel::Header);
    let html = sheet.rows(0..sheet.len(), &GivenLabels { given: &given, suggested: &suggested, form: "f" });
    assert!(!html.contains("<script") && !html.contains(['\u{1b}', '\u{202e}']), "{html}");
    assert!(html.contains("<code>div#&quot;&gt;&lt;script&gt;x</code>"), "{html}");
    assert!(html.contains("<b class=content>header?</b>") && html.matches("?</b>").count() == 1);
    assert!(html.contains(&format!("({} characters in all)", MOST_SHOWN + 1)) && !html.contains(&long));
    assert!(html.contains(&format!("p#{}…<", "é".repeat(LONGEST_NAME - 2))));
}

#[test]
fn the_label_given_is_the_one_that_is_chosen() {
    let sheet = sheet("<p>a<p>b");
    let given = [Some(BlockLabel::Continuation), None];
    let html = sheet.rows(0..2, &GivenLabels { given: &given, suggested: &|_| None, form: "f" });
    assert!(
        html.contains("<option value=c selected>continuation") && html.matches(" selected>").count() == 1,
        "{html}"
    );
    assert!(
        html.contains("name=b1") && html.contains("name=b2") && html.contains("name=m2 value=\"content\""),
        "{html}"
    );
    let legend = label_legend(&given);
    assert!(legend.contains("content <b>1</b>") && legend.contains("without a label <b>1</b>"), "{legend}");
}

/// A part has one row for each block, and one for each element around them: the parser bounds
/// their depth.
#[test]
fn a_part_of_a_deep_page_is_short() {
    let body: String = (0..3_000).map(|n| format!("<div>{n}<p>{n}</p>")).collect();
    let sheet = sheet(&body);
    let rows = rows(&sheet, 100..200, &".".repeat(sheet.len()));
    assert!(sheet.len() > 500 && (100..700).contains(&rows.len()), "{} blocks, {} rows", sheet.len(), rows.len());
    assert!(rows.iter().all(|row| row.len() < 60), "{rows:?}");
}
