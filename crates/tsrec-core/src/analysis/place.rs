//! Where a site puts a block: names that are the same on its other pages.

use super::Container;
use super::names::mix;

/// Levels of containers whose names make a place. Judgement: nearer ones alone are the same
/// everywhere, farther ones differ from page to page.
const LEVELS: usize = 4;

/// The number of the nearest container that breaks the flow, the given one included; of the
/// outermost where none does.
pub(super) fn flow(containers: &[Container], container: u32) -> u32 {
    let mut at = container;
    while !containers[at as usize].breaks && containers[at as usize].parent != at {
        at = containers[at as usize].parent;
    }
    at
}

/// The place of what stands in a container whose text flows in another: that other's name with
/// those of the three containers around it, and the container's own.
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
