//! Fields that a later program put behind what an earlier one wrote.

use serde::{Deserialize, Deserializer};

/// Reads the last field of a value in postcard. What an earlier program wrote ends before it, and
/// has none. Nothing else can fail here: values lie in frames with a checksum, or in sled.
///
/// # Errors
///
/// Never.
pub(super) fn or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Before {
        number: u64,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct After {
        number: u64,
        #[serde(deserialize_with = "super::or_none")]
        kind: Option<String>,
    }

    /// Both ways: the older program passes over what it does not know.
    #[test]
    fn what_was_written_before_and_after_is_read() {
        let after = |kind: Option<&str>| After { number: 7, kind: kind.map(str::to_owned) };
        let before = postcard::to_stdvec(&Before { number: 7 }).unwrap();
        assert_eq!(postcard::from_bytes::<After>(&before).unwrap(), after(None));
        for kind in [None, Some("article")] {
            let bytes = postcard::to_stdvec(&after(kind)).unwrap();
            assert_eq!(postcard::from_bytes::<After>(&bytes).unwrap(), after(kind));
            assert_eq!(postcard::from_bytes::<Before>(&bytes).unwrap(), Before { number: 7 });
        }
    }
}
