//! Names of tags and attributes as html5ever's atoms, cached so that few need a look-up.

use html5ever::LocalName;

/// Recently used names. If two share a slot, the later one stays.
pub(super) struct Names {
    slots: Vec<LocalName>,
}

/// Slots. Pages of 2026 use some 100 names of tags and attributes (judgement).
const SLOTS: usize = 1 << BITS;
const BITS: u32 = 9;

impl Names {
    pub(super) fn new() -> Names {
        Names { slots: vec![LocalName::default(); SLOTS] }
    }

    /// Returns the atom of a name as written, in lower case and without NUL.
    pub(super) fn get(&mut self, name: &str) -> LocalName {
        let (mut hash, mut rare) = (0_u32, false);
        for byte in name.bytes() {
            rare |= byte.is_ascii_uppercase() || byte == 0;
            hash = (hash.rotate_left(5) ^ u32::from(byte)).wrapping_mul(0x9e37_79b9);
        }
        if rare {
            return self.get(&name.to_ascii_lowercase().replace('\0', "\u{fffd}"));
        }
        let slot = &mut self.slots[(hash >> (u32::BITS - BITS)) as usize];
        if **slot != *name {
            *slot = LocalName::from(name);
        }
        slot.clone()
    }
}
