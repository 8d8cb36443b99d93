//! Teaching a site with one of its pages: how labels by a person change the memory of the site, and
//! how that changes other pages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::annotation::{self, Error};
use crate::evidence;
use crate::evidence::lesson::BlockLesson;
use crate::extract::report::block_of_elements;
use crate::extract::scored::Scored;
use crate::extract::{Extract, Page};
use crate::marks::spread;
use crate::page::Gold;
use crate::template::{Memory, Site};

pub use crate::marks::{Mark, NoSuchElement};

/// The memory of a page that has gold: its places, with the labels of each. Linear.
pub fn with_gold(page: &Page<'_>, gold: &Gold) -> Memory {
    let mut memory = Scored::shipped().remember(page);
    let lesson = BlockLesson::new(page.analysis().clone(), None, None, gold);
    evidence::teach(&mut memory, page.analysis(), &lesson.said());
    memory
}

/// The memory of a page on which a person marked some elements. The other elements have no label.
/// Linear.
///
/// # Errors
///
/// A mark names an element that the page does not have.
pub fn with_marks(page: &Page<'_>, marks: &[Mark]) -> Result<Memory, NoSuchElement> {
    let marked = spread(marks, &page.sequence().parents())?;
    let mut said = vec![None; page.analysis().blocks().len()];
    for (block, marked) in block_of_elements(page).into_iter().zip(marked) {
        if let (Some(block), Some(content)) = (block, marked) {
            said[block] = Some(content);
        }
    }
    let mut memory = Scored::shipped().remember(page);
    evidence::teach(&mut memory, page.analysis(), &said);
    Ok(memory)
}

/// The memory of an annotated page. `name` is the page's name in errors. `bytes` are the bytes that
/// the page was parsed from.
///
/// # Errors
///
/// The annotation is of another page, is malformed, or is not complete.
pub fn with_annotation(page: &Page<'_>, name: &str, bytes: &[u8], annotation: &str) -> Result<Memory, Error> {
    Ok(with_gold(page, &annotation::read_gold(name, bytes, page.document(), annotation)?))
}

/// The greatest number of other pages to try a lesson on. Judgement: a person reads that many.
pub const MOST_TRIED: usize = 10;

/// The greatest number of removed and of added lines to show for each page. Judgement: enough to
/// recognise the part of the page.
const MOST_LINES: usize = 5;

/// What a lesson changes on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// The page.
    pub page: String,
    /// The number of words of content before the lesson.
    pub words_before: usize,
    /// The number of words of content after the lesson.
    pub words_after: usize,
    /// The first lines that are no longer content.
    pub gone: Vec<String>,
    /// The first lines that are content now.
    pub come: Vec<String>,
}

impl Difference {
    /// Compares the content of one page under two memories of its site. Linear in the page.
    pub fn between<'p>(name: &str, page: &'p Page<'p>, before: &'p Site, after: &'p Site) -> Difference {
        let found = |site| Extract::new(page).site(site).run().expect("auto needs no sibling");
        let (before, after) = (found(before), found(after));
        let (old, new) = (before.text(), after.text());
        Difference {
            page: name.to_owned(),
            words_before: before.words(),
            words_after: after.words(),
            gone: missing(&old, &new),
            come: missing(&new, &old),
        }
    }

    /// Whether nothing changes.
    pub fn is_none(&self) -> bool {
        self.gone.is_empty() && self.come.is_empty()
    }
}

/// The first lines of a text that the other text lacks, or has less often.
fn missing(lines: &str, other: &str) -> Vec<String> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    other.lines().for_each(|line| *left.entry(line).or_default() += 1);
    let is_missing = |line: &&str| match left.get_mut::<str>(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !line.trim().is_empty(),
    };
    lines.lines().filter(is_missing).take(MOST_LINES).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    /// The innermost mark counts. Unmarked elements have no label.
    #[test]
    fn a_mark_is_of_all_that_is_in_the_element() {
        let html = "<div><h1>The ferry</h1><ul><li>It sails at nine<li>and at ten</ul></div><p>Contact us</p>";
        let document = parse(html.as_bytes(), None, &Default::default());
        let page = Page::new(&document);
        let number = |name: &str| {
            1 + page.sequence().elements().iter().position(|element| &*element.name == name).expect("it is there")
        };
        let said = |marks: &[Mark]| {
            let memory = with_marks(&page, marks).unwrap();
            let blocks = page.analysis().blocks().iter();
            let places = blocks.map(|block| block.place);
            places.map(|place| memory.place(place).unwrap().taught()).collect::<Vec<_>>()
        };
        assert_eq!(said(&[]), [None; 4]);
        let inner = Mark { element: number("ul"), content: false };
        let outer = Mark { element: number("div"), content: true };
        for marks in [[inner, outer], [outer, inner]] {
            assert_eq!(said(&marks), [Some(1.0), Some(0.0), Some(0.0), None]);
        }
        for element in [0, 100] {
            let error = with_marks(&page, &[Mark { element, content: true }]).unwrap_err();
            assert!(error.to_string().ends_with(&format!("none of the number {element}")), "{error}");
        }
    }

    /// Items at one place have contradicting labels: nothing is learned of any.
    #[test]
    fn words_at_places_of_two_minds_are_counted() {
        let document =
            parse(b"<h1>The ferry</h1><ul><li>It sails at nine<li>and at ten</ul>", None, &Default::default());
        let page = Page::new(&document);
        let first = page.sequence().elements().iter().position(|element| &*element.name == "li").unwrap() + 1;
        let undecided = |second: bool| {
            let marks = [Mark { element: first, content: true }, Mark { element: first + 1, content: second }];
            with_marks(&page, &marks).unwrap().undecided_words()
        };
        assert_eq!((undecided(true), undecided(false)), (0, 7));
    }

    #[test]
    fn lines_that_go_and_come_are_told() {
        assert_eq!(missing("a\n\nb\na\nc", "a\nc"), ["b", "a"]);
        assert!(missing("a\nb", "b\na\n").is_empty());
        let many: String = (0..20).map(|n| format!("{n}\n")).collect();
        assert_eq!(missing(&many, "").len(), MOST_LINES);
    }
}
