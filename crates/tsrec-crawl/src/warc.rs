//! Web archives: WARC 1.0 and 1.1 (ISO 28500), plain, packed by gzip or by zstd, a member a record
//! or all in one; and WACZ, a zip with such archives in it.
//!
//! [`WarcWriter`] writes them, a packed member a record, and [`ArchiveFolder`] whole files of them.
//! [`WarcReader`] goes through the records of a file in constant memory; [`Originals`] finds the
//! answers that revisits refer to; [`response`] makes of an HTTP response what a browser would have
//! had of it. What is written by crawlers is not always what the standard says: line ends, chunks
//! and content encodings are read as leniently as they can be without guessing.

mod digest;
mod error;
mod folder;
mod http;
mod members;
mod originals;
mod reader;
mod wacz;
mod writer;

pub use digest::digest;
pub(crate) use digest::is_of_others;
pub use error::Error;
pub use folder::ArchiveFolder;
pub use http::{Response, response};
pub use originals::Originals;
pub use reader::{Kind, WarcReader, WarcRecord};
pub use writer::{NewRecord, Packing, WarcWriter};
