//! The crawler of tsrec: the HTTP client, the frontier, and the pipeline from a lease to its
//! acknowledgement.

mod fault;
pub mod fetch;
pub mod frontier;
pub mod pipeline;
pub mod warc;

pub use fault::Fault;
