//! Trained models, for prediction.

use serde::{Deserialize, Serialize};

use super::forest::Forest;
use super::form::Form;
use super::{Explanation, Rows, explain};
use crate::float::exp_f64;
use crate::learn::naive_bayes::probability;

/// Trees that give the probability of the label 1. Reading them from damaged bytes gives an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct Model(Forest);

impl Model {
    pub(super) fn new(forest: Forest) -> Model {
        Model(forest)
    }

    /// The same with shorter numbers, for a smaller download. The value of a leaf changes by at
    /// most 1/256 of itself. Linear.
    pub fn shortened(self) -> Model {
        Model(shortened(self.0))
    }

    /// The log odds of the label 1. O(trees · depth), without allocation.
    ///
    /// # Panics
    /// When the row has not as many columns as were trained on.
    pub fn predict(&self, row: &[f32]) -> f32 {
        self.0.score(row, 0) as f32
    }

    /// The probability of the label 1.
    ///
    /// # Panics
    /// As [`Model::predict`].
    pub fn probability(&self, row: &[f32]) -> f32 {
        probability(self.0.score(row, 0)) as f32
    }

    /// The log odds of each row, as [`Model::predict`] gives them, in about a third of the time.
    ///
    /// # Panics
    /// As [`Model::predict`].
    pub fn predict_batch(&self, rows: &Rows) -> Vec<f32> {
        let mut scores = Vec::with_capacity(rows.len());
        self.0.score_all(rows, 0, &mut scores);
        scores.into_iter().map(|score| score as f32).collect()
    }

    /// What each column adds to a row's log odds. O(leaves · depth²).
    ///
    /// # Panics
    /// As [`Model::predict`].
    pub fn explain(&self, row: &[f32]) -> Explanation {
        explain::explain(&self.0, row, 0)
    }

    /// The number of columns of a row.
    pub fn columns(&self) -> usize {
        self.0.columns
    }

    /// The number of trees.
    pub fn trees(&self) -> usize {
        self.0.roots.len()
    }

    /// The number of leaves of all trees.
    pub fn leaves(&self) -> usize {
        self.0.leaves()
    }
}

fn shortened(forest: Forest) -> Forest {
    let mut form = Form::from(forest);
    form.shorten();
    Forest::try_from(form).expect("the same trees")
}

impl From<Model> for Form {
    fn from(model: Model) -> Form {
        model.0.into()
    }
}

impl TryFrom<Form> for Model {
    type Error = &'static str;

    fn try_from(form: Form) -> Result<Model, &'static str> {
        let forest = Forest::try_from(form)?;
        if forest.base.len() == 1 { Ok(Model(forest)) } else { Err("it is a model of classes") }
    }
}

/// Trees that give the probability of each of several classes. Reading them from damaged bytes
/// gives an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct ClassModel(Forest);

impl ClassModel {
    pub(super) fn new(forest: Forest) -> ClassModel {
        ClassModel(forest)
    }

    /// As [`Model::shortened`].
    pub fn shortened(self) -> ClassModel {
        ClassModel(shortened(self.0))
    }

    /// The probability of each class. They sum to 1. O(trees · depth).
    ///
    /// # Panics
    /// When the row has not as many columns as were trained on.
    pub fn probabilities(&self, row: &[f32]) -> Vec<f32> {
        let scores: Vec<f64> = (0..self.classes()).map(|class| self.0.score(row, class)).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|score| exp_f64(score - most)).sum();
        scores.iter().map(|score| (exp_f64(score - most) / total) as f32).collect()
    }

    /// The most likely class (the first if equal) and its probability.
    ///
    /// # Panics
    /// As [`ClassModel::probabilities`].
    pub fn classify(&self, row: &[f32]) -> (usize, f32) {
        let probabilities = self.probabilities(row).into_iter().enumerate();
        probabilities.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("there are classes")
    }

    /// What each column adds to a row's score for a class. The probability is proportional to the
    /// exponential of the score.
    ///
    /// # Panics
    /// As [`ClassModel::probabilities`], and when there is no such class.
    pub fn explain(&self, row: &[f32], class: usize) -> Explanation {
        explain::explain(&self.0, row, class)
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.0.base.len()
    }

    /// The number of columns of a row.
    pub fn columns(&self) -> usize {
        self.0.columns
    }

    /// The number of trees of all classes.
    pub fn trees(&self) -> usize {
        self.0.roots.len()
    }

    /// The number of leaves of all trees.
    pub fn leaves(&self) -> usize {
        self.0.leaves()
    }
}

impl From<ClassModel> for Form {
    fn from(model: ClassModel) -> Form {
        model.0.into()
    }
}

impl TryFrom<Form> for ClassModel {
    type Error = &'static str;

    fn try_from(form: Form) -> Result<ClassModel, &'static str> {
        let forest = Forest::try_from(form)?;
        if forest.base.len() > 1 { Ok(ClassModel(forest)) } else { Err("it is no model of classes") }
    }
}
