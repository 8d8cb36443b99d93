//! The bytes of spaces: the value of a frame of writes, and the stamp before a value in sled.
//!
//! Writes, one space after another:
//!
//! | bytes | content |
//! |---|---|
//! | n | length of the name, and the name |
//! | n | number of its entries |
//! | … | for each entry: length of the key, the key, 0 for a removal, or 1 plus the length of the value, and the value |
//!
//! A stamp is two numbers: the number of the frame, and the bytes of the frame for each of its
//! entries. All numbers are LEB128, as postcard writes them.

use crate::error::Error;
use crate::log::Place;
use crate::log::packed::damaged;

/// Which frame has a value, and how many of the frame's bytes count for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) number: u64,
    pub(crate) weight: u64,
}

impl Stamp {
    /// The stamp of each of a frame's entries.
    pub(super) fn of(place: Place, entries: u64) -> Stamp {
        Stamp { number: place.number, weight: u64::from(place.len) / entries.max(1) }
    }
}

/// A value with its stamp.
pub(crate) fn stamped(stamp: Stamp, value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(value.len() + 8);
    put_number(&mut bytes, stamp.number);
    put_number(&mut bytes, stamp.weight);
    bytes.extend_from_slice(value);
    bytes
}

/// The stamp of a value, and the value. `None` if the stamp is damaged.
pub(crate) fn unstamped(bytes: &[u8]) -> Option<(Stamp, &[u8])> {
    let mut rest = bytes;
    let stamp = Stamp { number: take_number(&mut rest)?, weight: take_number(&mut rest)? };
    Some((stamp, rest))
}

/// Keys with their values; `None` removes a key.
type Entries<'b> = Vec<(&'b [u8], Option<&'b [u8]>)>;

/// The writes of a frame.
pub(super) fn encode(spaces: &[(&str, &Entries<'_>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, entries) in spaces {
        put_bytes(&mut bytes, name.as_bytes());
        put_number(&mut bytes, entries.len() as u64);
        for (key, value) in *entries {
            put_bytes(&mut bytes, key);
            put_number(&mut bytes, value.map_or(0, |value| value.len() as u64 + 1));
            bytes.extend_from_slice(value.unwrap_or_default());
        }
    }
    bytes
}

/// Reverses [`encode`].
///
/// # Errors
///
/// [`Error::is_damaged`].
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<(&str, Entries<'_>)>, Error> {
    let mut rest = bytes;
    let mut spaces = Vec::new();
    while !rest.is_empty() {
        spaces.push(take_space(&mut rest).ok_or_else(|| damaged("writes of a space", &bytes[..bytes.len().min(64)]))?);
    }
    Ok(spaces)
}

fn take_space<'b>(rest: &mut &'b [u8]) -> Option<(&'b str, Entries<'b>)> {
    let len = take_number(rest)?;
    let name = std::str::from_utf8(take(rest, len)?).ok()?;
    let mut entries = Vec::new();
    for _ in 0..take_number(rest)? {
        let len = take_number(rest)?;
        let key = take(rest, len)?;
        let value = match take_number(rest)? {
            0 => None,
            len => Some(take(rest, len - 1)?),
        };
        entries.push((key, value));
    }
    Some((name, entries))
}

fn put_bytes(bytes: &mut Vec<u8>, text: &[u8]) {
    put_number(bytes, text.len() as u64);
    bytes.extend_from_slice(text);
}

fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take<'b>(rest: &mut &'b [u8], len: u64) -> Option<&'b [u8]> {
    let (taken, after) = rest.split_at_checked(usize::try_from(len).ok()?)?;
    *rest = after;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_come_back_and_what_is_cut_is_damaged() {
        let long = vec![7; 300];
        let entries: [Entries<'_>; 2] =
            [vec![(b"a\0b", Some(b"1")), (b"", None), (&long, Some(&long))], vec![(b"k", Some(b""))]];
        let spaces = [("urls", &entries[0]), ("hosts", &entries[1])];
        let bytes = encode(&spaces);
        let back = decode(&bytes).unwrap();
        assert_eq!(back, [("urls", entries[0].clone()), ("hosts", entries[1].clone())]);
        let whole_first = encode(&spaces[..1]).len();
        for end in (1..bytes.len()).filter(|end| *end != whole_first) {
            assert!(decode(&bytes[..end]).unwrap_err().is_damaged(), "{end}");
        }
    }

    #[test]
    fn a_stamp_comes_back() {
        for (number, weight) in [(0, 0), (127, 128), (u64::MAX, 1 << 40)] {
            let stamp = Stamp { number, weight };
            assert_eq!(unstamped(&stamped(stamp, b"value")), Some((stamp, &b"value"[..])));
        }
        assert_eq!(unstamped(&[0xff; 40]), None);
        assert_eq!(unstamped(&[1, 0x80]), None);
    }
}
