//! A linear-chain conditional random field (Lafferty, McCallum, Pereira 2001).
//!
//! A chain is a row of positions, and some attributes hold at each position. The field scores every
//! labelling of a chain. The score is a sum of weights: one for each (attribute, label) at each
//! position, and one for each (attribute, label before, label) between two positions. The
//! probability of a labelling is the exponential of its score, normalised. [`train`] finds the
//! weights that make given labels most probable under a Gaussian prior.
//!
//! This is our own code, not a crate, for three reasons. Confidence needs marginal probabilities.
//! Models must be small and free of words, so weights have no names. The result must be the same to
//! the bit on any number of processors. Attributes are numbers; the caller knows what they mean.

pub mod inference;
pub mod training;

use serde::{Deserialize, Serialize};

pub use training::{Config, train};

/// The attributes that hold at each position of a chain, as numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    states: Lists,
    edges: Lists,
}

/// Lists of numbers, joined end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lists {
    numbers: Vec<u32>,
    ends: Vec<usize>,
}

impl Lists {
    fn push(&mut self, list: &[u32]) {
        self.numbers.extend_from_slice(list);
        self.ends.push(self.numbers.len());
    }

    fn get(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.numbers[start..self.ends[index]]
    }
}

impl Chain {
    /// Appends a position: the attributes for its label, and those for its label together with the
    /// one before. The second are ignored at the first position.
    pub fn push(&mut self, states: &[u32], edges: &[u32]) {
        self.states.push(states);
        self.edges.push(edges);
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.states.ends.len()
    }

    /// True if the chain has no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The number of labels and attributes of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldShape {
    /// Labels.
    pub labels: usize,
    /// Attributes of positions.
    pub states: usize,
    /// Attributes of steps from one position to the next, not counting the step itself, which
    /// always counts.
    pub edges: usize,
}

impl FieldShape {
    /// The number of weights: one per label for each attribute of positions, then one per pair of
    /// labels for the step itself and for each attribute of steps. A file may give a shape that
    /// fits in no memory: its number saturates, and no field has as many.
    pub fn weights(&self) -> usize {
        let pairs = self.labels.saturating_mul(self.labels);
        self.labels.saturating_mul(self.states).saturating_add(pairs.saturating_mul(self.edges.saturating_add(1)))
    }

    /// Where the weights of an attribute of positions begin.
    fn state(&self, attribute: u32) -> usize {
        self.labels * attribute as usize
    }

    /// Where the weights of the step itself begin.
    fn step(&self) -> usize {
        self.labels * self.states
    }

    /// Where the weights of an attribute of steps begin.
    fn edge(&self, attribute: u32) -> usize {
        self.step() + self.labels * self.labels * (attribute as usize + 1)
    }
}

/// A trained field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    shape: FieldShape,
    weights: Vec<f32>,
}

impl Field {
    /// A field with these weights, in the order of [`FieldShape::weights`]. `None` if their number
    /// does not match.
    pub fn new(shape: FieldShape, weights: Vec<f32>) -> Option<Field> {
        (weights.len() == shape.weights()).then_some(Field { shape, weights })
    }

    /// The number of labels and attributes.
    pub fn shape(&self) -> FieldShape {
        self.shape
    }

    /// True if the number of weights matches the shape. Check this for a field that was read from a
    /// file.
    pub fn is_sound(&self) -> bool {
        self.shape.labels > 0 && self.weights.len() == self.shape.weights()
    }

    /// The most probable labels of a chain. O(positions × (attributes × labels + labels²)).
    ///
    /// # Panics
    /// If an attribute's number is not below what the shape says.
    pub fn decode(&self, chain: &Chain) -> Vec<usize> {
        inference::Scores::new(self.shape, &self.weights, chain).best()
    }

    /// For each position the probability of each label, whatever the other labels. Costs as much as
    /// [`Field::decode`].
    ///
    /// # Panics
    /// If an attribute's number is not below what the shape says.
    pub fn marginals(&self, chain: &Chain) -> Vec<Vec<f64>> {
        let scores = inference::Scores::new(self.shape, &self.weights, chain);
        let flow = scores.flow();
        (0..chain.len()).map(|at| flow.marginal(at).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_sound_that_has_as_many_weights_as_its_shape_says() {
        let field = |labels, states, edges, weights: usize| {
            let shape = FieldShape { labels, states, edges };
            Field { shape, weights: vec![0.0; weights] }.is_sound()
        };
        assert!(field(2, 3, 1, 14));
        assert!(!field(2, 3, 1, 13) && !field(0, 3, 1, 0));
        // The products would overflow and wrap to zero.
        assert!(!field(1 << 32, 0, 0, 0) && !field(1 << 63, 2, usize::MAX, 0));
    }
}
