//! The place of a block on a site: names that are the same on the site's other pages.

use super::Container;
use super::names::mix;

/// The number of container levels whose names make a place. Judgement: with fewer levels all places
/// look the same, and with more they differ from page to page.
const LEVELS: usize = 4;

/// The number of the nearest container that breaks the flow, starting with the given one. If none
/// does, the number of the outermost.
pub(super) fn flow(containers: &[Container], container: u32) -> u32 {
    let mut at = container;
    while !containers[at as usize].breaks && containers[at as usize].parent != at {
        at = containers[at as usize].parent;
    }
    at
}

/// The place of text in `container` that flows in `flow`. It is made of the names of `flow`, of the
/// three containers around that, and of `container`.
pub(super) fn place(containers: &[Container], flow: u32, container: u32) -> u64 {
    let (mut at, mut place) = (flow, containers[flow as usize].name);
    for _ in 1..LEVELS {
        let parent = containers[at as usize].parent;
        if parent == at {
            break;
        }
        (at, place) = (parent, mix(place, containers[parent as usize].name));
    }
    mix(place, containers[container as usize].name)
}
