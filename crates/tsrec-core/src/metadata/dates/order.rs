//! Whether the day or the month comes first in ambiguous numeric dates.
//!
//! The page's declared languages decide, else the language of its text; the first that is clear
//! wins. English without a country is not clear. Then we pass over an ambiguous date and look for
//! another. If there is none, we read it as in the United States.

use std::cell::{Cell, OnceCell};

use super::super::date::{self, InText};
use super::super::{Subject, language};

/// Countries whose English has the month first. They inherit the date formats of the Unicode CLDR's
/// `en`, not `en-001`.
const MONTH_FIRST: [&str; 9] = ["US", "AS", "GU", "MH", "MP", "PH", "PR", "UM", "VI"];

/// Which of two numbers comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateOrder {
    Day,
    Month,
}

/// How to read a page's dates.
#[derive(Debug)]
pub(super) struct Order<'a> {
    subject: &'a Subject<'a>,
    /// Computed at the first ambiguous date; few are ambiguous.
    first: OnceCell<Option<DateOrder>>,
    /// The order to use if nothing decides; `None` passes over the date.
    guess: Option<DateOrder>,
    passed_over: Cell<bool>,
}

impl<'a> Order<'a> {
    pub(super) fn from_subject(subject: &'a Subject<'a>) -> Order<'a> {
        Order { subject, first: OnceCell::new(), guess: None, passed_over: Cell::new(false) }
    }

    /// The same, but ambiguous dates are guessed. `None` if no date was ambiguous.
    pub(super) fn guessing(self) -> Option<Order<'a>> {
        let passed_over = Cell::new(false);
        self.has_passed_over().then_some(Order { guess: Some(DateOrder::Month), passed_over, ..self })
    }

    /// True once an ambiguous date was passed over.
    pub(super) fn has_passed_over(&self) -> bool {
        self.passed_over.get()
    }

    /// The first date in a text.
    pub(super) fn find(&self, text: &str) -> Option<InText> {
        self.decide(date::find(text, false)?, || date::find(text, true))
    }

    /// All dates in a text, without those in doubt.
    pub(super) fn all(&self, text: &str) -> Vec<InText> {
        let found = date::all(text, false).into_iter().enumerate();
        let turned = |at: usize| date::all(text, true).into_iter().nth(at);
        found.filter_map(|(at, found)| self.decide(found, || turned(at))).collect()
    }

    /// A date, or the same with day and month swapped, if that is how the page writes it.
    fn decide(&self, found: InText, turned: impl FnOnce() -> Option<InText>) -> Option<InText> {
        if found.or.is_none() {
            return Some(found);
        }
        match self.first.get_or_init(|| first(self.subject)).or(self.guess) {
            Some(DateOrder::Day) => Some(found),
            Some(DateOrder::Month) => turned(),
            None => {
                self.passed_over.set(true);
                None
            }
        }
    }

    /// A stated date: in ISO 8601, else the first in the text.
    pub(super) fn read(&self, text: &str) -> Option<String> {
        date::in_order(text).or_else(|| self.find(text).map(|found| found.iso))
    }
}

fn first(subject: &Subject<'_>) -> Option<DateOrder> {
    let declared = language::declared(subject).find_map(|(tag, _)| first_in(&tag));
    declared.or_else(|| first_in(&language::find(subject).tag?.0))
}

/// The order in a language. `None` for English without a country.
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
