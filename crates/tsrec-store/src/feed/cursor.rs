//! The position of a feed reader.
//!
//! # Pruned tombstones
//!
//! A cursor `epoch:sequence` says how far its reader is. Pruning tombstones sets the floor: the
//! highest sequence among those pruned. A reader before the floor may have missed a tombstone, so
//! it must start over. The exception is a reader that started from the beginning *since* the
//! pruning. It is also before the floor, but it has missed nothing: the pages of those tombstones
//! were already gone. If it had to start over, it would never get through a feed longer than one
//! answer. So while a reader is before the floor, its cursor carries the floor of that time as a
//! third number: `epoch:sequence:floor`. It is gone only if tombstones past that floor have been
//! pruned since.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind};

/// A place in the feed. As text: `epoch:sequence`, with the epoch in sixteen hexadecimal digits,
/// or `epoch:sequence:floor` (see the module). Readers keep it and return it unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cursor {
    pub(crate) epoch: u64,
    pub(crate) sequence: u64,
    pub(crate) floor: Option<u64>,
}

impl schemars::JsonSchema for Cursor {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Cursor".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^[0-9a-f]{16}:(0|[1-9][0-9]{0,17})(:(0|[1-9][0-9]{0,17}))?$",
            "description": "A place in the feed. Readers keep it and give it back as it is.",
        })
    }
}

impl Cursor {
    /// The sequence number of the last change its reader has seen; 0 before the first.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Whether a reader with this cursor may continue.
    pub(crate) fn check(self, epoch: u64, floor: u64, newest: u64) -> Result<(), Error> {
        let cursor = self.to_string();
        if self.epoch != epoch {
            return Err(Kind::CursorEpoch { cursor, epoch: format!("{epoch:016x}") }.into());
        }
        if self.sequence > newest {
            return Err(Kind::CursorAhead { cursor, newest }.into());
        }
        if self.sequence < floor && self.floor.is_none_or(|seen| seen < floor) {
            return Err(Kind::CursorPruned { cursor, floor }.into());
        }
        Ok(())
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}:{}", self.epoch, self.sequence)?;
        self.floor.map_or(Ok(()), |floor| write!(f, ":{floor}"))
    }
}

impl FromStr for Cursor {
    type Err = Error;

    /// Reads the output of `Display`; anything else is [`Error::is_invalid`].
    fn from_str(text: &str) -> Result<Cursor, Error> {
        let parse = || {
            let (epoch, rest) = text.split_once(':')?;
            let (sequence, floor) =
                rest.split_once(':').map_or((rest, None), |(sequence, floor)| (sequence, Some(floor)));
            let epoch = u64::from_str_radix(epoch, 16).ok()?;
            let floor = floor.map(|floor| floor.parse().ok()).map_or(Some(None), |floor| floor.map(Some))?;
            Some(Cursor { epoch, sequence: sequence.parse().ok()?, floor })
        };
        // Refuses other spellings of the same numbers (`+1`, `01`): readers return a cursor
        // unchanged.
        let cursor = parse().filter(|cursor| cursor.to_string() == text);
        cursor.ok_or_else(|| Kind::CursorText { text: text.chars().take(80).collect() }.into())
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> String {
        cursor.to_string()
    }
}

impl TryFrom<String> for Cursor {
    type Error = Error;

    fn try_from(text: String) -> Result<Cursor, Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_are_written_and_not_otherwise() {
        for (text, good) in [
            ("00000000000000ff:0", true),
            ("00000000000000ff:18446744073709551615", true),
            ("00000000000000ff:3:9", true),
            ("ff:3", false),
            ("00000000000000FF:3", false),
            ("00000000000000ff:03", false),
            ("00000000000000ff:+3", false),
            ("00000000000000ff:3:", false),
            ("00000000000000ff:3:4:5", false),
            ("00000000000000ff:18446744073709551616", false),
            ("00000000000000ff", false),
            ("", false),
        ] {
            match text.parse::<Cursor>() {
                Ok(cursor) => assert!(good && cursor.to_string() == text, "{text}"),
                Err(error) => assert!(!good && error.is_invalid() && !error.is_gone(), "{text}: {error}"),
            }
        }
    }

    #[test]
    fn a_cursor_is_checked_against_epoch_floor_and_newest() {
        let (epoch, floor, newest) = (7, 10, 20);
        for (cursor, expect) in [
            ("0000000000000007:10", "good"),
            ("0000000000000007:20", "good"),
            ("0000000000000007:21", "invalid"),
            ("0000000000000007:9", "gone"),
            ("0000000000000007:9:8", "gone"),
            ("0000000000000007:9:10", "good"),
            ("0000000000000008:10", "gone"),
            ("0000000000000008:30", "gone"),
        ] {
            let found = match cursor.parse::<Cursor>().unwrap().check(epoch, floor, newest) {
                Ok(()) => "good",
                Err(error) if error.is_gone() => "gone",
                Err(error) if error.is_invalid() => "invalid",
                Err(error) => panic!("{error}"),
            };
            assert_eq!(found, expect, "{cursor}");
        }
    }
}
