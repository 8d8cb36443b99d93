//! Whether the day or the month comes first in dates that are written in numbers and could be read
//! both ways.
//!
//! What the page declares says it, else the language of its text: the first that tells. English of
//! no country does not: a date that is in doubt is passed over for another, and read as in the
//! United States where there is none.

use std::cell::{Cell, OnceCell};

use super::super::date::{self, InText};
use super::super::{Subject, language};

/// Countries whose English has the month first: those that inherit the dates of the Unicode CLDR's
/// `en`, not `en-001`.
const MONTH_FIRST: [&str; 9] = ["US", "AS", "GU", "MH", "MP", "PH", "PR", "UM", "VI"];

/// Which of two numbers comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateOrder {
    Day,
    Month,
}

/// How a page's dates are read.
#[derive(Debug)]
pub(super) struct Order<'a> {
    subject: &'a Subject<'a>,
    /// Looked for when the first date is in doubt: few are.
    first: OnceCell<Option<DateOrder>>,
    /// What is read where nothing tells; `None` passes over the date.
    guess: Option<DateOrder>,
    passed_over: Cell<bool>,
}

impl<'a> Order<'a> {
    pub(super) fn from_subject(subject: &'a Subject<'a>) -> Order<'a> {
        Order { subject, first: OnceCell::new(), guess: None, passed_over: Cell::new(false) }
    }

    /// The same, where what is in doubt is read all the same; `None` where nothing was.
    pub(super) fn guessing(self) -> Option<Order<'a>> {
        let passed_over = Cell::new(false);
        self.has_passed_over().then_some(Order { guess: Some(DateOrder::Month), passed_over, ..self })
    }

    /// True once a date was in doubt and passed over.
    pub(super) fn has_passed_over(&self) -> bool {
        self.passed_over.get()
    }

    /// The first date in a text.
    pub(super) fn find(&self, text: &str) -> Option<InText> {
        let found = date::find(text, false)?;
        if found.or.is_none() {
            return Some(found);
        }
        match self.first.get_or_init(|| first(self.subject)).or(self.guess) {
            Some(DateOrder::Day) => Some(found),
            Some(DateOrder::Month) => date::find(text, true),
            None => {
                self.passed_over.set(true);
                None
            }
        }
    }

    /// A date that is stated: in ISO 8601, or the first in the text.
    pub(super) fn read(&self, text: &str) -> Option<String> {
        date::in_order(text).or_else(|| self.find(text).map(|found| found.iso))
    }
}

fn first(subject: &Subject<'_>) -> Option<DateOrder> {
    let declared = language::declared(subject).find_map(|(tag, _)| first_in(&tag));
    declared.or_else(|| first_in(&language::find(subject).tag?.0))
}

/// What comes first in a language: `None` of English that does not say of which country it is.
fn first_in(tag: &str) -> Option<DateOrder> {
    if language::primary(tag) != "en" {
        return Some(DateOrder::Day);
    }
    let country = tag.split('-').skip(1).find(|subtag| subtag.len() == 2)?;
    Some(if MONTH_FIRST.contains(&country) { DateOrder::Month } else { DateOrder::Day })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_says_what_comes_first_and_english_with_its_country() {
        for (tag, expect) in [
            ("de", Some(DateOrder::Day)),
            ("en-GB", Some(DateOrder::Day)),
            ("en-Latn-AU", Some(DateOrder::Day)),
            ("en-001", None),
            ("en-US", Some(DateOrder::Month)),
            ("en", None),
        ] {
            assert_eq!(first_in(tag), expect, "{tag}");
        }
    }
}
