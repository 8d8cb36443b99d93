//! Gradient-boosted trees: a sum of small decision trees. Each is fitted to the errors of those
//! before it.
//!
//! The method is from "Greedy Function Approximation: A Gradient Boosting Machine" (Friedman 2001).
//! The gain of a split, its L2 penalty and the learned side for absent values are from "XGBoost: A
//! Scalable Tree Boosting System" (Chen, Guestrin 2016, equations 5 to 7 and algorithm 3). Binned
//! columns, growth of the best leaf first and histograms by subtraction are from "LightGBM: A
//! Highly Efficient Gradient Boosting Decision Tree" (Ke et al. 2017). [`Training`] has LightGBM's
//! defaults.
//!
//! ```
//! use tsrec_core::learn::boosting::{Rows, Training, train};
//!
//! // Exclusive or, which no sum of single columns can tell. An absent value would be `NAN`.
//! let mut rows = Rows::new(2);
//! let mut labels = Vec::new();
//! for i in 0..401u16 {
//!     let (a, b) = (i % 2, i / 2 % 2);
//!     rows.push(&[f32::from(a), f32::from(b)]);
//!     labels.push(f32::from(a ^ b));
//! }
//! let weights = vec![1.0; rows.len()];
//! let training = Training { trees: 40, leaves: 4, ..Training::default() };
//! let trained = train(&rows, &labels, &weights, &training, |_| {})?;
//! assert!(trained.model.probability(&[1.0, 0.0]) > 0.9);
//! assert!(trained.model.probability(&[1.0, 1.0]) < 0.1);
//! # Ok::<(), tsrec_core::learn::boosting::Error>(())
//! ```
//!
//! # Deviations
//!
//! - Derivatives are rounded to integers before they are summed (`gradient`). Compare "Quantized
//!   Training of Gradient Boosting Decision Trees" (Shi et al. 2022), which needs 3 bits; we keep
//!   20 to 31. Sums of integers are exact in any order. So a model is the same to the byte on any
//!   number of threads, and subtracting histograms gives the same result as counting.
//! - Rows in a leaf are counted; LightGBM estimates them from the Hessian.
//! - If training met no absent value at a split, absent values go to the heavier child.

mod abreast;
mod bins;
mod error;
mod exit;
mod explain;
mod forest;
mod form;
mod gradient;
mod grow;
mod histogram;
mod model;
mod rows;
mod sample;
mod split;
#[cfg(test)]
mod tests;
mod train;
mod training;

pub use error::Error;
pub use explain::Explanation;
pub use model::{ClassModel, Model};
pub use rows::Rows;
pub use train::{Round, TrainedForest, train, train_beyond, train_classes};
pub use training::Training;
