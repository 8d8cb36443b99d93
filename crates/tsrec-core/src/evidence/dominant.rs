//! The containers that hold most of a page's text, and the containers in them.

use std::ops::Range;

use super::reader::unlinked;
use crate::analysis::{Analysis, Container};

/// The shares of the page's unlinked text that a dominant container must hold.
pub(super) const SHARES: [f32; 3] = [0.4, 0.2, 0.7];

/// A dominant container, with those around it.
pub(super) struct Dominant {
    /// Its number.
    pub(super) number: u32,
    /// Numbers of itself and of those around it, the nearest first. Each range has a container and
    /// all those in it.
    levels: Vec<Range<u32>>,
}

impl Dominant {
    /// The dominant container of a page for each of [`SHARES`]. Linear.
    pub(super) fn from_analysis(analysis: &Analysis) -> [Dominant; SHARES.len()] {
        let heaviest = heaviest(analysis);
        SHARES.map(|least| Dominant::new(analysis, deepest(analysis, &heaviest, least)))
    }

    /// The dominant container with this number. Linear.
    fn new(analysis: &Analysis, number: u32) -> Dominant {
        let containers = analysis.containers();
        // Containers inside another come after it, and are deeper.
        let mut behind = number as usize + 1;
        let mut level = |(at, container): (u32, &Container)| {
            let rest = containers.get(behind..).unwrap_or_default();
            behind += rest.iter().take_while(|other| other.depth > container.depth).count();
            at..behind as u32
        };
        Dominant { number, levels: analysis.upwards(number).map(&mut level).collect() }
    }

    /// Whether a container is the dominant one, or in it.
    pub(super) fn holds(&self, container: u32) -> bool {
        self.levels.first().is_some_and(|own| own.contains(&container))
    }

    /// How many levels lead up from the dominant container to one that also holds the given one.
    pub(super) fn levels_to(&self, container: u32) -> usize {
        self.levels.iter().take_while(|level| !level.contains(&container)).count()
    }
}

/// For each container, the one directly in it with the most unlinked words. Its own number if it
/// has none. Linear.
fn heaviest(analysis: &Analysis) -> Vec<u32> {
    let containers = analysis.containers();
    let mut heaviest: Vec<u32> = (0..containers.len() as u32).collect();
    for (number, container) in (0_u32..).zip(containers).skip(1) {
        let parent = container.parent as usize;
        let best = heaviest[parent];
        let first = best as usize == parent;
        if unlinked(container) > 0 && (first || unlinked(container) > unlinked(&containers[best as usize])) {
            heaviest[parent] = number;
        }
    }
    heaviest
}

/// The deepest container that holds at least this share of the page's unlinked words. Linear in the
/// depth.
fn deepest(analysis: &Analysis, heaviest: &[u32], least: f32) -> u32 {
    let Some(first) = analysis.containers().first() else { return 0 };
    let least = least * unlinked(first) as f32;
    let mut found = 0;
    loop {
        let below = heaviest[found as usize];
        if below == found || (unlinked(analysis.container(below)) as f32) < least {
            return found;
        }
        found = below;
    }
}
