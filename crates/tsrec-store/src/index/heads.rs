//! Heads: the small entries of the tree `heads`, with the places of the values in the journals.

use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::error::Error;
use crate::instant;
use crate::key::Key;
use crate::log::Place;
use crate::log::op::{FollowingEntry, PageInfo, PageSort, Uses};
use crate::log::packed::damaged;

/// The sort of a head. The byte begins the keys of the tree `heads`, and is part of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum HeadSort {
    Page = b'p',
    Tombstone = b't',
    /// The body of a page.
    Body = b'b',
    /// Lists the bodies of siblings.
    Held = b'h',
    /// Lists the bodies of pages that wait.
    Parked = b'w',
    /// The memory of a site; its key names a host, not a URL.
    Memory = b'm',
    /// Progress of re-extraction for a host; its key names the host.
    Following = b'f',
}

impl HeadSort {
    /// The sort of a key of the tree `heads`.
    pub(crate) fn from_key(tree_key: &[u8]) -> Option<HeadSort> {
        let sorts = [
            HeadSort::Page,
            HeadSort::Tombstone,
            HeadSort::Body,
            HeadSort::Held,
            HeadSort::Parked,
            HeadSort::Memory,
            HeadSort::Following,
        ];
        sorts.into_iter().find(|sort| Some(&(*sort as u8)) == tree_key.first())
    }

    /// Whether heads of this sort are of bodies, which can be had again.
    pub(crate) fn can_be_had_again(self) -> bool {
        matches!(self, HeadSort::Body | HeadSort::Held | HeadSort::Parked)
    }
}

/// The head of a page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PageHead {
    pub(crate) page: PageInfo,
    pub(crate) place: Place,
    pub(crate) sort: PageSort,
}

/// The head of a tombstone.
#[derive(Serialize, Deserialize)]
pub(crate) struct Tombstone {
    pub(crate) seq: u64,
    #[serde(with = "instant")]
    pub(crate) at: Timestamp,
    pub(crate) place: Place,
}

/// The head of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BodyHead {
    pub(crate) uses: Uses,
    #[serde(with = "instant")]
    pub(crate) fetched_at: Timestamp,
    pub(crate) place: Place,
}

/// Lists a sibling.
#[derive(Serialize, Deserialize)]
pub(crate) struct HeldHead {
    /// Larger for siblings held later.
    pub(crate) order: u64,
}

/// Lists a page that waits.
#[derive(Serialize, Deserialize)]
pub(crate) struct ParkedHead {
    #[serde(with = "instant")]
    pub(crate) fetched_at: Timestamp,
}

/// The head of a site's memory.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct MemoryHead {
    pub(crate) place: Place,
}

/// The templates of a host, by number.
#[derive(Serialize, Deserialize)]
pub(crate) struct FollowingHead {
    pub(crate) place: Place,
    pub(crate) entries: Vec<FollowingEntry>,
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    postcard::from_bytes(bytes).map_err(Error::decode("a head"))
}

/// The place in a head of this sort; lists have none.
pub(crate) fn place_of(sort: HeadSort, head: &[u8]) -> Result<Option<Place>, Error> {
    Ok(match sort {
        HeadSort::Page => Some(decode::<PageHead>(head)?.place),
        HeadSort::Tombstone => Some(decode::<Tombstone>(head)?.place),
        HeadSort::Body => Some(decode::<BodyHead>(head)?.place),
        HeadSort::Held | HeadSort::Parked => None,
        HeadSort::Memory => Some(decode::<MemoryHead>(head)?.place),
        HeadSort::Following => Some(decode::<FollowingHead>(head)?.place),
    })
}

/// The key of a head: its sort, then `host\0url`.
pub(crate) fn tree_key(sort: HeadSort, key: &Key) -> Vec<u8> {
    [&[sort as u8], key.as_bytes()].concat()
}

/// The prefix of all heads of a sort, or of a sort and a host.
pub(crate) fn tree_prefix(sort: HeadSort, host: Option<&str>) -> Vec<u8> {
    match host {
        Some(host) => [&[sort as u8], host.as_bytes(), b"\0"].concat(),
        None => vec![sort as u8],
    }
}

/// The URL key inside a key of the tree `heads`.
pub(crate) fn url_key(tree_key: &[u8]) -> Result<Key, Error> {
    tree_key.get(1..).and_then(Key::from_bytes).ok_or_else(|| damaged("this is no key", tree_key))
}
