//! The crawler of tsrec: what fetches pages, what is to be fetched, and the pipeline from a lease
//! to its acknowledgement.

pub mod fetch;
pub mod frontier;
pub mod pipeline;
pub mod warc;
