//! A full-text index that follows the store of a tsrec daemon, and a page to search it.
//!
//! ```text
//! daemon ─ api ─→ snapshot, changes ─ follow ─→ index (documents and cursor, one commit) ─ search ─→ hits ─ page ─→ HTML
//! ```
//!
//! One commit writes the documents and the feed cursor up to which the index has read. So after a
//! kill, the index continues from its last commit. If the daemon no longer knows the cursor (410),
//! the index starts over from a snapshot. Until that is complete, searches see the old documents.

pub mod api;
pub mod follow;
pub mod index;
pub mod page;
pub mod search;
pub mod words;
