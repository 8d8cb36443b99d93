//! A full-text index that follows the store of a tsrec daemon, and a page to search it.
//!
//! ```text
//! daemon ─ api ─→ snapshot, changes ─ follow ─→ index (documents and cursor, one commit) ─ search ─→ hits ─ page ─→ HTML
//! ```
//!
//! The index holds the pages of the store and, in the same commit, the cursor up to which it has
//! read the feed: so whenever it is killed, it goes on from what it has. A cursor that the daemon
//! no longer knows (410) means to begin anew, from a snapshot; until that is whole, searches see
//! what was there before.

pub mod api;
pub mod follow;
pub mod index;
pub mod page;
pub mod search;
pub mod words;
