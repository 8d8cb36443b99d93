//! Particle swarm optimisation: finds the maximum of any function of a few numbers (Kennedy,
//! Eberhart 1995, in the form of Ziegler and Skubacz 2007, section 3.5.3 and algorithm 1).
//!
//! A particle has a position, a velocity and its own best position so far. Each round pulls it
//! towards its own best position and towards the best particle of the *current* population. That is
//! not the best one ever seen, so the swarm as a whole forgets.
//!
//! # Deviations
//!
//! - Velocity is bounded ([`Settings::speed`]), as in Kennedy and Eberhart. With inertia near 1 and
//!   pulls of 2 it would grow without bound.
//! - The paper's loop names no best particle before its first round. Here the first population is
//!   judged before it moves.

use super::threads::Threads;
use tsrec_core::learn::parallel;
use tsrec_core::learn::random::Random;

/// How the swarm moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Particles, at least 1.
    pub particles: usize,
    /// Number of judged populations, the first one included; at least 1.
    pub rounds: usize,
    /// τ: the pull towards the particle's own best position.
    pub cognitive: f64,
    /// φ: the pull towards the population's best particle.
    pub social: f64,
    /// ω: how much of its velocity a particle keeps.
    pub inertia: f64,
    /// The greatest velocity along each axis, in positions per round. Particles start in [0, 1].
    pub speed: f64,
}

impl Default for Settings {
    /// The paper's values, where it gives them: 100 particles, 100 rounds, pulls of "around 2",
    /// inertia "close to 1". The cognitive pull is the stronger one in the run that gave the
    /// paper's thresholds. The speed is our choice. For speeds from 0.05 to 0.5 and inertia from
    /// 0.7 to 1, the fitness of the block thresholds differs by at most 0.013 over seeds 1 to 3.
    /// These settings give the best and the most even fitness.
    fn default() -> Self {
        Settings { particles: 100, rounds: 100, cognitive: 2.5, social: 1.5, inertia: 0.9, speed: 0.1 }
    }
}

/// The values of one population.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwarmRound {
    /// Its best particle's value.
    pub best: f64,
    /// The mean of its particles' values.
    pub mean: f64,
}

/// What a swarm found.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum<const D: usize> {
    /// The best position of all rounds; if several are equal, the first.
    pub position: [f64; D],
    /// Its value.
    pub value: f64,
    /// Every population in order: gives the two curves of the paper's figure 3.
    pub history: Vec<SwarmRound>,
}

/// Looks for the maximum of a function, from positions in [0, 1] along each of its axes. Particles
/// may leave that cube.
///
/// `rounds` is called with each population after it was judged. The function is called `particles ×
/// rounds` times, on as many threads as there are processors. The same settings and seed give the
/// same result on any number of threads.
///
/// # Panics
///
/// If there is no particle or no round.
///
/// ```
/// use tsrec_papers::learn::swarm::{Settings, maximise};
/// let hill = |[x, y]: &[f64; 2]| -(x - 0.3).powi(2) - (y - 0.6).powi(2);
/// let found = maximise(hill, &Settings::default(), 1, |_| ());
/// assert!((found.position[0] - 0.3).abs() < 0.01 && (found.position[1] - 0.6).abs() < 0.01);
/// ```
pub fn maximise<const D: usize>(
    function: impl Fn(&[f64; D]) -> f64 + Sync,
    settings: &Settings,
    seed: u64,
    mut rounds: impl FnMut(&SwarmRound),
) -> Optimum<D> {
    assert!(settings.particles > 0 && settings.rounds > 0, "a swarm has particles and rounds");
    let mut random = Random::new(seed);
    let mut swarm: Vec<Particle<D>> = (0..settings.particles).map(|_| Particle::new(&mut random)).collect();
    let mut found = Optimum { position: [0.0; D], value: f64::NEG_INFINITY, history: Vec::new() };
    loop {
        let values = judge(&function, &swarm);
        let best = first_greatest(&values);
        let round = SwarmRound { best: values[best], mean: values.iter().sum::<f64>() / values.len() as f64 };
        rounds(&round);
        found.history.push(round);
        if values[best] > found.value {
            (found.position, found.value) = (swarm[best].position, values[best]);
        }
        if found.history.len() == settings.rounds {
            return found;
        }
        let leader = swarm[best].position;
        for (particle, value) in swarm.iter_mut().zip(values) {
            particle.remember(value);
            particle.fly(&leader, settings, &mut random);
        }
    }
}

struct Particle<const D: usize> {
    position: [f64; D],
    velocity: [f64; D],
    own_best: [f64; D],
    own_value: f64,
}

impl<const D: usize> Particle<D> {
    fn new(random: &mut Random) -> Self {
        let position = std::array::from_fn(|_| random.unit());
        Particle { position, velocity: [0.0; D], own_best: position, own_value: f64::NEG_INFINITY }
    }

    fn remember(&mut self, value: f64) {
        if value > self.own_value {
            (self.own_best, self.own_value) = (self.position, value);
        }
    }

    fn fly(&mut self, leader: &[f64; D], settings: &Settings, random: &mut Random) {
        for (axis, leads) in leader.iter().enumerate() {
            let at = self.position[axis];
            let (own, others) = (random.unit() * settings.cognitive, random.unit() * settings.social);
            let pulled =
                settings.inertia * self.velocity[axis] + own * (self.own_best[axis] - at) + others * (leads - at);
            self.velocity[axis] = pulled.clamp(-settings.speed, settings.speed);
            self.position[axis] = at + self.velocity[axis];
        }
    }
}

/// The values of all particles, in their order.
fn judge<const D: usize>(function: &(impl Fn(&[f64; D]) -> f64 + Sync), swarm: &[Particle<D>]) -> Vec<f64> {
    parallel::map(&Threads, swarm.iter().collect(), |particle: &Particle<D>| function(&particle.position))
}

fn first_greatest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, index| if values[index] > values[best] { index } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every axis has its maximum elsewhere. There are steps everywhere, as thresholds make them.
    fn stairs(position: &[f64; 8]) -> f64 {
        let miss = |(axis, x): (usize, &f64)| ((x * 40.0).floor() / 40.0 - axis as f64 / 8.0).abs();
        1.0 - position.iter().enumerate().map(miss).sum::<f64>() / 8.0
    }

    #[test]
    fn the_optimum_is_found() {
        for seed in 0..4 {
            let found = maximise(stairs, &Settings::default(), seed, |_| ());
            assert!(found.value > 0.97, "seed {seed}: {}", found.value);
            assert_eq!(found.value, stairs(&found.position));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_swarm() {
        let settings = Settings { rounds: 20, ..Settings::default() };
        let run = |seed| maximise(stairs, &settings, seed, |_| ());
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
    }

    #[test]
    fn every_round_is_told() {
        let settings = Settings { particles: 3, rounds: 5, ..Settings::default() };
        let mut told = Vec::new();
        let found = maximise(stairs, &settings, 1, |round| told.push(*round));
        assert_eq!((told.len(), &told), (5, &found.history));
        assert!(told.iter().all(|round| round.mean <= round.best && round.best <= found.value));
    }

    #[test]
    fn a_swarm_without_pull_stays_where_it_is() {
        let settings = Settings { cognitive: 0.0, social: 0.0, rounds: 3, ..Settings::default() };
        let found = maximise(stairs, &settings, 1, |_| ());
        assert_eq!(found.history, [found.history[0]; 3]);
    }
}
