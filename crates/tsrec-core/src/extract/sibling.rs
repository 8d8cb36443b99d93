//! Siblings: pages to compare a page with.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::Page;
use super::beside;
use super::scored::Scored;
use crate::html::Document;
use crate::metadata::Stated;
use crate::template::Memory;
use crate::tsrec::TagSequence;

/// A page to compare with, and its name.
#[derive(Clone, Debug)]
pub struct Sibling<'s> {
    name: String,
    form: SiblingForm<'s>,
    /// Its memory from the score's first stage, once computed. `None` if it says nothing of the
    /// site's places.
    memory: OnceCell<Option<Cow<'s, Memory>>>,
}

/// The available form of a sibling.
#[derive(Clone, Debug)]
enum SiblingForm<'s> {
    /// The page.
    Page(Box<Cow<'s, Page<'s>>>),
    /// Only its tag sequence.
    Sequence(TagSequence<'s>),
}

impl<'s> Sibling<'s> {
    /// A sibling from a page, or from a document that is read now. The name is its URL or file
    /// name, for reports.
    pub fn new(name: impl Into<String>, page: impl Into<Cow<'s, Page<'s>>>) -> Self {
        Sibling { name: name.into(), form: SiblingForm::Page(Box::new(page.into())), memory: OnceCell::new() }
    }

    /// A sibling whose page is no longer available, from its tag sequence and its memory.
    #[doc(hidden)]
    pub fn of_sequence(name: impl Into<String>, sequence: TagSequence<'s>, memory: Option<Memory>) -> Self {
        let form = SiblingForm::Sequence(sequence);
        Sibling { name: name.into(), form, memory: OnceCell::from(memory.map(Cow::Owned)) }
    }

    /// Adds its memory, computed before or taught by a person.
    #[doc(hidden)]
    pub fn with_memory(self, memory: &'s Memory) -> Self {
        Sibling { memory: OnceCell::from(Some(Cow::Borrowed(memory))), ..self }
    }

    /// Its URL or file name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its tag sequence. The first call is linear.
    #[doc(hidden)]
    pub fn sequence(&self) -> &TagSequence<'s> {
        match &self.form {
            SiblingForm::Page(page) => page.sequence(),
            SiblingForm::Sequence(sequence) => sequence,
        }
    }

    /// Its document. `None` if only its sequence is available.
    #[doc(hidden)]
    pub fn document(&self) -> Option<&'s Document> {
        match &self.form {
            SiblingForm::Page(page) => Some(page.document()),
            SiblingForm::Sequence(_) => None,
        }
    }

    /// Its memory, computed with this score if not known yet. The first call is linear in the page.
    #[doc(hidden)]
    pub fn memory(&self, score: &Scored) -> Option<&Memory> {
        let remember = || match &self.form {
            SiblingForm::Page(page) => Some(Cow::Owned(score.remember(page))),
            SiblingForm::Sequence(_) => None,
        };
        self.memory.get_or_init(remember).as_deref()
    }

    /// The steps of its [memory](Self::memory), if it is not known yet.
    pub(super) fn steps_of_memory(&self) -> u64 {
        match &self.form {
            SiblingForm::Page(page) if self.memory.get().is_none() => page.steps_of_score(),
            _ => 0,
        }
    }

    /// The metadata that it states. Nothing if only its sequence is available. Linear.
    pub(super) fn stated(&self) -> Option<Stated> {
        match &self.form {
            SiblingForm::Page(page) => Some(beside::stated(page)),
            SiblingForm::Sequence(_) => None,
        }
    }
}
