//! The crawler of tsrec: the HTTP client, the frontier, what sites have taught, and the pipeline
//! from a lease to its acknowledgement.

mod fault;
pub mod fetch;
pub mod frontier;
pub mod memories;
pub mod pipeline;
pub mod warc;

pub use fault::Fault;
