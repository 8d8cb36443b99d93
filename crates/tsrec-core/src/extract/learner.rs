//! Learners: methods that are trained on pages with gold.
//!
//! What a page teaches is its lesson, which is small and outlives the page: so training may run
//! beside a crawl, and cross-validation parses each page once.

use std::borrow::Borrow;

use super::example::Example;
use crate::learn::Step;
use crate::learn::model::Payload;

/// A method that learns.
pub trait Learner: Sync {
    /// What training needs of a page.
    type Lesson: Clone + Send + Sync;
    /// What training makes.
    type Model: Payload;
    /// Why nothing could be learned, such as lessons that show one class alone.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The lesson of a page. `None` where a page teaches nothing.
    fn lesson(&self, example: &Example<'_>) -> Option<Self::Lesson>;

    /// Learns. The same lessons in the same order and the same seed give the same model. `progress`
    /// is told each step.
    ///
    /// # Errors
    ///
    /// When the lessons are not enough to tell content from the rest.
    fn train(
        &self,
        lessons: impl Iterator<Item = impl Borrow<Self::Lesson>>,
        seed: u64,
        progress: &mut dyn FnMut(&Step<'_>),
    ) -> Result<Self::Model, Self::Error>;
}
