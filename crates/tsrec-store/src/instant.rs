//! A moment as a number. It takes 9 bytes in postcard, where text takes 25 to 31.

use std::fmt;

use jiff::Timestamp;
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// The longest number, in bytes.
const MAX_NUMBER_LEN: usize = size_of::<i128>();

/// Writes nanoseconds since 1970 in two's complement, first byte first, without the bytes that
/// only repeat the sign.
///
/// # Errors
///
/// The serializer's errors.
pub(crate) fn serialize<S: Serializer>(moment: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    let nanoseconds = moment.as_nanosecond();
    let bytes = nanoseconds.to_be_bytes();
    let sign = if nanoseconds < 0 { 0xff } else { 0 };
    let is_spare = |at: usize| bytes[at] == sign && bytes[at + 1] & 0x80 == sign & 0x80;
    let first = (0..bytes.len() - 1).find(|&at| !is_spare(at)).unwrap_or(bytes.len() - 1);
    to.serialize_bytes(&bytes[first..])
}

/// Reads such a number.
///
/// # Errors
///
/// If the bytes are no such number, or no moment.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    from.deserialize_bytes(Moment)
}

struct Moment;

impl Visitor<'_> for Moment {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a moment, as a number of bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Timestamp, E> {
        if bytes.len() > MAX_NUMBER_LEN {
            return Err(E::custom("a moment of too many bytes"));
        }
        let first = bytes.first().ok_or_else(|| E::custom("a moment of no bytes"))?;
        let sign = if first & 0x80 == 0 { 0 } else { -1i128 };
        let nanoseconds = bytes.iter().fold(sign, |number, &byte| number << 8 | i128::from(byte));
        Timestamp::from_nanosecond(nanoseconds).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Now {
        #[serde(with = "super")]
        at: Timestamp,
        next: u8,
    }

    #[test]
    fn what_is_written_is_read() {
        let moments = ["1970-01-01T00:00:00Z", "2026-11-21T12:30:00.123456789Z", "1901-02-03T04:05:06.7Z"];
        let bounds = [Timestamp::MIN, Timestamp::MAX, Timestamp::from_nanosecond(-1).unwrap()];
        for at in moments.into_iter().map(|text| text.parse().unwrap()).chain(bounds) {
            let written = postcard::to_stdvec(&Now { at, next: 7 }).unwrap();
            assert_eq!(postcard::from_bytes::<Now>(&written).unwrap(), Now { at, next: 7 });
        }
        let now = Now { at: moments[1].parse().unwrap(), next: 7 };
        assert_eq!(postcard::to_stdvec(&now).unwrap().len(), 10);
    }

    #[test]
    fn what_is_no_moment_is_an_error() {
        for bytes in [&b""[..], &[0x7f; 16], b"no moment, but rather long"] {
            let written = postcard::to_stdvec(&(bytes, 7u8)).unwrap();
            assert!(postcard::from_bytes::<Now>(&written).is_err(), "{bytes:?}");
        }
    }
}
