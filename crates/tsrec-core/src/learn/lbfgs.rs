//! Minimising a smooth function: L-BFGS (Nocedal 1980; Nocedal, Wright, "Numerical Optimization",
//! algorithm 7.4).
//!
//! The inverse Hessian is never stored; the last few steps and gradient changes approximate it. The
//! step length comes from backtracking until the function falls enough (Armijo's condition). A
//! convex function needs no more.

/// When to stop, and how many steps to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Steps and gradient changes to keep. Default 8: between 3 and 20 is usual (Nocedal, Wright).
    pub memory: usize,
    /// The most steps. Default 200.
    pub rounds: usize,
    /// Stop if the last [`Config::patience`] steps together reduced the value by less than this
    /// share of it. Default 1e-4.
    pub tolerance: f64,
    /// Default 10.
    pub patience: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config { memory: 8, rounds: 200, tolerance: 1e-4, patience: 10 }
    }
}

/// Where a minimisation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The arguments.
    pub point: Vec<f64>,
    /// The function's value there.
    pub value: f64,
    /// Steps taken.
    pub rounds: usize,
}

/// Armijo's constant: the least share of the decrease that the slope predicts (Nocedal, Wright,
/// section 3.1).
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a step before the search stops. By then rounding hides the slope.
const HALVINGS: usize = 40;

/// Minimises `function` from `start`. The function gets a point, fills in the gradient and returns
/// the value.
///
/// After each step it calls `progress` with the round and the value. Deterministic; memory is `2 *
/// config.memory + 4` vectors.
pub fn minimise(
    start: Vec<f64>,
    config: &Config,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
    mut progress: impl FnMut(usize, f64),
) -> Minimum {
    let mut point = start;
    let mut gradient = vec![0.0; point.len()];
    let mut value = function(&point, &mut gradient);
    let mut values = vec![value];
    let mut history = History::new(config.memory);
    let (mut next, mut next_gradient) = (point.clone(), gradient.clone());
    for round in 1..=config.rounds {
        let mut direction = history.direction(&gradient);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            // Rounding has spoilt the stored steps: restart with the steepest descent.
            history.steps.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = -dot(&gradient, &gradient);
        }
        let length = norm(&gradient);
        if length <= f64::EPSILON * norm(&point).max(1.0) {
            break;
        }
        // Without stored steps the direction has no scale, so the first step has length 1.
        let mut step = if history.steps.is_empty() { 1.0 / length } else { 1.0 };
        let mut found = None;
        for _ in 0..HALVINGS {
            for ((to, from), along) in next.iter_mut().zip(&point).zip(&direction) {
                *to = from + step * along;
            }
            let reached = function(&next, &mut next_gradient);
            if reached <= value + SUFFICIENT * step * slope {
                found = Some(reached);
                break;
            }
            step /= 2.0;
        }
        let Some(reached) = found else { break };
        history.push(difference(&next, &point), difference(&next_gradient, &gradient));
        std::mem::swap(&mut point, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        value = reached;
        values.push(value);
        progress(round, value);
        let before = values.len().checked_sub(config.patience + 1).map(|at| values[at]);
        if before.is_some_and(|before| before - value < config.tolerance * value.abs()) {
            break;
        }
    }
    Minimum { point, value, rounds: values.len() - 1 }
}

/// The last steps, oldest first.
struct History {
    memory: usize,
    steps: Vec<LbfgsStep>,
}

struct LbfgsStep {
    /// The step.
    way: Vec<f64>,
    /// The change of the gradient over it.
    change: Vec<f64>,
    /// Their product: the curvature along the step.
    curvature: f64,
}

impl History {
    fn new(memory: usize) -> Self {
        History { memory, steps: Vec::new() }
    }

    /// Stores a step. A step without positive curvature is skipped.
    fn push(&mut self, way: Vec<f64>, change: Vec<f64>) {
        let curvature = dot(&way, &change);
        if curvature > f64::EPSILON * dot(&change, &change) {
            if self.steps.len() == self.memory {
                self.steps.remove(0);
            }
            self.steps.push(LbfgsStep { way, change, curvature });
        }
    }

    /// The two-loop recursion: the search direction at a point with this gradient.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let share = dot(&step.way, &direction) / step.curvature;
            add(&mut direction, -share, &step.change);
            shares.push(share);
        }
        if let Some(last) = self.steps.last() {
            let scale = last.curvature / dot(&last.change, &last.change);
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (step, share) in self.steps.iter().zip(shares.iter().rev()) {
            let back = dot(&step.change, &direction) / step.curvature;
            add(&mut direction, share - back, &step.way);
        }
        direction
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += times * w);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(start: &[f64], expect: &[f64], function: impl FnMut(&[f64], &mut [f64]) -> f64) {
        let config = Config { tolerance: 1e-14, ..Config::default() };
        let minimum = minimise(start.to_vec(), &config, function, |_, _| ());
        for (found, expect) in minimum.point.iter().zip(expect) {
            assert!((found - expect).abs() < 1e-4, "{minimum:?}");
        }
    }

    #[test]
    fn minima_are_found() {
        check(&[], &[], |_, _| 1.0);
        check(&[5.0, -3.0, 0.5], &[1.0, 2.0, 3.0], |x, g| {
            (0..3).for_each(|i| g[i] = 2.0 * 10f64.powi(i as i32) * (x[i] - (i + 1) as f64));
            (0..3).map(|i| 10f64.powi(i as i32) * (x[i] - (i + 1) as f64).powi(2)).sum()
        });
        // Rosenbrock's function, which is not convex.
        check(&[-1.2, 1.0], &[1.0, 1.0], |x, g| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            (g[0], g[1]) = (-2.0 * a - 400.0 * x[0] * b, 200.0 * b);
            a * a + 100.0 * b * b
        });
    }
}
