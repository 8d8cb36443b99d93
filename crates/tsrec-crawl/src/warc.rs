//! Web archives: WARC 1.0 and 1.1 (ISO 28500), plain or packed by gzip or zstd, with one member for
//! each record or for all; and WACZ, a zip that contains such archives.
//!
//! [`WarcWriter`] writes them, with one packed member for each record, and [`ArchiveFolder`] writes
//! whole files of them. [`WarcReader`] goes through the records of a file in constant memory.
//! [`Originals`] finds the answers that revisits refer to. [`response`] turns an HTTP response into
//! what a browser would have received. Crawlers do not always write what the standard says. So line
//! ends, chunks and content encodings are read as leniently as possible without guessing.

mod date;
mod digest;
mod error;
mod fields;
mod folder;
mod http;
mod members;
mod originals;
mod reader;
mod record;
mod wacz;
mod writer;

pub use date::date;
pub use digest::digest;
pub(crate) use digest::is_of_others;
pub use error::Error;
pub use fields::fields;
pub use folder::ArchiveFolder;
pub use http::{Response, response};
pub use originals::Originals;
pub use reader::{AfterDamage, WarcReader};
pub use record::{Kind, WarcRecord};
pub use writer::{NewRecord, Packing, WarcWriter};
