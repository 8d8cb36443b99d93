//! Learners: methods that are trained on pages with gold.
//!
//! A page is reduced to a lesson, which is small and does not need the page. So training can run
//! beside a crawl, and cross-validation parses each page once.

use std::borrow::Borrow;

use super::example::Example;
use crate::learn::Step;
use crate::learn::model::Payload;

/// A method that learns.
pub trait Learner: Sync {
    /// The data that training needs of a page.
    type Lesson: Clone + Send + Sync;
    /// The result of training.
    type Model: Payload;
    /// The reason for a failure, such as lessons that show one class alone.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The lesson of a page. `None` if it teaches nothing.
    fn lesson(&self, example: &Example<'_>) -> Option<Self::Lesson>;

    /// Whether a lesson reads what the diff with a sibling found.
    fn reads_diff(&self) -> bool {
        false
    }

    /// Learns. The same lessons in the same order and the same seed give the same model. `progress`
    /// gets each step.
    ///
    /// # Errors
    ///
    /// The lessons are not enough to tell content from the rest.
    fn train(
        &self,
        lessons: impl Iterator<Item = impl Borrow<Self::Lesson>>,
        seed: u64,
        progress: &mut dyn FnMut(&Step<'_>),
    ) -> Result<Self::Model, Self::Error>;
}
