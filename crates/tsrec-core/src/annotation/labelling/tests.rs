//! Labels on a small page, as a person gives them.

use super::*;
use crate::block::text_blocks::text_blocks;
use crate::html::parse;
use crate::page::Piece;

/// A menu of two items, a heading, a paragraph of three blocks, a paragraph of one, and a footer.
const PAGE: &str = "<ul><li>Home<li>News</ul><div><h1>Ferry</h1><p>See <a>us</a> for more.<p>Soon</div><p>Imprint";

/// The labelling of such a body, with the labels as keys and `.` for none, and the numbers of its
/// elements.
fn labelling(body: &str, labels: &str) -> (Labelling, impl Fn(&str) -> usize + use<>) {
    let document = parse(format!("<!DOCTYPE html><body>{body}").as_bytes(), None, &Default::default());
    let page = Page::new(&document);
    let names: Vec<String> = page.sequence().elements().iter().map(|element| element.name.to_string()).collect();
    let number = move |name: &str| 1 + names.iter().position(|other| other == name).expect("it is there");
    (Labelling::new(&page, &text_blocks(&document), labels.chars().map(BlockLabel::from_key).collect()), number)
}

fn keys(labels: impl IntoIterator<Item = Option<BlockLabel>>) -> String {
    labels.into_iter().map(|label| label.map_or('.', BlockLabel::key)).collect()
}

/// `div=content` marks an element, and `3=h` labels block 3, counted from 0.
fn check(before: &str, said: &str, expect: &str) {
    let (mut labelling, number) = labelling(PAGE, before);
    let (mut marks, mut given) = (Vec::new(), Vec::new());
    for (name, value) in said.split_whitespace().filter_map(|said| said.split_once('=')) {
        match name.parse() {
            Ok(block) => given.push((block, value.chars().next().and_then(BlockLabel::from_key))),
            Err(_) => marks.push(Mark { element: number(name), content: value == "content" }),
        }
    }
    labelling.mark(&marks, &given).unwrap();
    assert_eq!(keys(labelling.labels().iter().copied()), expect, "{said:?} on {before}");
}

#[test]
fn marks_and_labels_are_taken_together() {
    for (before, said, expect) in [
        ("........", "", "........"),
        ("........", "0=o 2=h 3=p 4=c 5=c", "o.hpcc.."),
        ("oohpccpo", "2=", "oo.pccpo"),
        // A mark covers everything in the element. The tags give the types.
        ("........", "ul=other div=content", "oohpccp."),
        ("........", "body=other", "oooooooo"),
        // The innermost mark counts, and a label of the block's own counts before any mark.
        ("........", "body=content ul=other", "oohpccpp"),
        ("........", "body=other div=content 6=o", "oohpccoo"),
        ("........", "p=content 4=o", "...poc.."),
        // A continuation needs content before it on its line.
        ("........", "p=content 3=o", "...opc.."),
        // Blocks that are content already keep their type. Others get one.
        ("..ph...l", "body=content ul=other", "oophccpl"),
        ("oooooooo", "div=content", "oohpccpo"),
        // A continuation needs a block to continue.
        ("........", "0=c", "........"),
        ("ooo.....", "3=c", "ooo....."),
        ("........", "0=o 1=o 2=c", "oo......"),
        ("........", "1=c", ".c......"),
        ("..o.....", "2=c", "..c....."),
    ] {
        check(before, said, expect);
    }
}

#[test]
fn a_refused_continuation_and_an_element_that_is_not_there_are_told() {
    let (mut labelling, _) = labelling(PAGE, "oo......");
    let goes_on = Some(BlockLabel::Continuation);
    assert_eq!(labelling.mark(&[], &[(2, goes_on), (3, goes_on)]), Ok(vec![2]));
    assert_eq!(keys(labelling.labels().iter().copied()), "oo.c....");
    for element in [0, 100] {
        assert!(labelling.mark(&[Mark { element, content: true }], &[(5, goes_on)]).is_err());
    }
    assert_eq!(keys(labelling.labels().iter().copied()), "oo.c....");
}

#[test]
fn every_change_can_be_taken_back() {
    let (mut labelling, number) = labelling(PAGE, "........");
    let mark = |content| [Mark { element: number("div"), content }];
    labelling.mark(&mark(true), &[]).unwrap();
    // A mark that changes no label adds no undo step.
    labelling.mark(&mark(true), &[]).unwrap();
    labelling.rest();
    assert_eq!((keys(labelling.labels().iter().copied()).as_str(), labelling.undoable()), ("oohpccpo", 2));
    assert!(labelling.undo());
    assert_eq!((keys(labelling.labels().iter().copied()).as_str(), labelling.labelled()), ("..hpccp.", 5));
    assert!(labelling.undo() && !labelling.undo());
    assert_eq!(labelling.labelled(), 0);
    for _ in 0..MOST_UNDONE {
        labelling.mark(&mark(true), &[]).unwrap();
        labelling.mark(&mark(false), &[]).unwrap();
    }
    assert_eq!(labelling.undoable(), MOST_UNDONE);
}

/// The labels suggested for a body, as keys. All text without an x is kept.
fn suggested(body: &str, labels: &str) -> Labelling {
    let document = parse(format!("<!DOCTYPE html><body>{body}").as_bytes(), None, &Default::default());
    let blocks = text_blocks(&document);
    let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
    let kept = texts.filter(|&node| document.text(node).is_some_and(|text| !text.contains('x')));
    let content = Content::new(kept.map(|node| Piece::whole(&document, node)));
    let labels = (0..blocks.len()).map(|block| labels.chars().nth(block).and_then(BlockLabel::from_key));
    let mut labelling = Labelling::new(&Page::new(&document), &blocks, labels.collect());
    labelling.suggest(&document, &blocks, &content);
    labelling
}

#[test]
fn tags_give_the_type_of_what_is_suggested() {
    for (body, expect) in [
        ("<ul><li>x</ul><h1><b>a</b></h1><p>a<p>b <a>c</a> d<ul><li>a<li><p>b</ul><div>a", "ohppccllp"),
        ("<p><b>x</b> a <a>b</a><p>c <img alt=cat> d <a>x</a> e", "opcpococ"),
        ("<p>a<br>b<br><br>c", "pcp"),
        ("<dl><dt>a<dd>b</dl><td>a<blockquote>b", "llpp"),
        ("<pre>a\nb\n\nc</pre>", "pcp"),
    ] {
        let mut labelling = suggested(body, "");
        let blocks = 0..labelling.labels().len();
        assert_eq!(keys(blocks.map(|block| labelling.suggestion(block))), expect, "{body}");
        assert_eq!(labelling.labelled(), 0, "nothing counts before it is accepted");
        labelling.accept();
        assert_eq!(keys(labelling.labels().iter().copied()), expect, "{body}");
    }
}

#[test]
fn suggestions_are_taken_where_no_label_is() {
    let mut labelling = suggested("<p>x<h1>a</h1><p>b", ".l.");
    assert_eq!(labelling.suggestion(1), None);
    labelling.accept();
    assert_eq!(keys(labelling.labels().iter().copied()), "olp");
    labelling.undo();
    labelling.rest();
    assert_eq!(keys(labelling.labels().iter().copied()), "olo");
    let (mut alone, _) = super::tests::labelling(PAGE, "oo......");
    alone.accept();
    assert_eq!(keys(alone.labels().iter().copied()), "oo......");
}
