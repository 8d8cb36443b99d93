//! tsrec removes the boilerplate of web pages by comparing them with each other.
//!
//! Two pages from one template share the template's parts: the navigation, the footer, the lists of
//! links. tsrec encodes both pages as tag sequences with region codes (TSReC). It finds what they
//! have in common and what has the same structure. One learned score combines this with all other
//! evidence on each block of a page. Segmenting the page by that score gives the content, with
//! siblings or without.
//!
//! # A tour
//!
//! ```
//! use tsrec::{Along, Extract, Limits, Method, parse};
//!
//! let site = |article: &str| {
//!     format!(
//!         "<ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/sport>Sport</a></ul>\
//!          <div><h1>{article}</h1></div><p>All rights reserved by the owners of this site.</p>"
//!     )
//! };
//! let prose = "The ferry sails again. It was late by a year, and nobody on the quay minded, since the band had \
//!              used the time to learn a second tune, which it now played twice.";
//! let page = parse(site(&format!("Ferry</h1><p>{prose}</p><h1>")).as_bytes(), None, &Limits::default());
//! let sibling = parse(site("Another story").as_bytes(), None, &Limits::default());
//!
//! let found = Extract::new(&page).sibling("another story", &sibling).run()?;
//! assert_eq!(found.method(), Method::Template);
//! assert!(found.text().contains(&prose) && !found.text().contains("Sport"));
//! assert!(found.markdown(Along::default()).contains("a second tune"));
//! # Ok::<(), tsrec::NoSibling>(())
//! ```
//!
//! `examples/` shows one page, a pair of pages, a site with memory, and a crawl embedded in another
//! program.
//!
//! # What is the interface
//!
//! The public interface is the names on this page, and nothing else. The modules below are public
//! for the command line, the tests, the benches and the packages of this repository. They are
//! hidden here and change without notice. `tests/interface.txt` has every signature of the names on
//! this page, and a test fails if one changes.
//!
//! Programs that need less can use a smaller crate. `tsrec-core` extracts, without clock, files or
//! network. `tsrec-papers` adds the methods that read CSS or have a model of their own (`segments`,
//! `mss-supervised`, `mss-semi`, `crf`, `swarm`, `vote`). `tsrec-store` is the content store.
//!
//! The code cites the papers where it implements them: `tsrec` (Li, Meng, Li, Wang 2006),
//! `extract::mss` (Pasternack, Roth 2009).

#[doc(hidden)]
#[allow(rustdoc::bare_urls, rustdoc::invalid_html_tags, reason = "its comments are what --help prints, as plain text")]
pub mod cli;
#[doc(hidden)]
pub mod config;
mod crawler;

pub use config::{Config, Error as ConfigError};
pub use crawler::{CrawlError, Crawler};
pub use tsrec_core::evidence::kind::PageKind;
pub use tsrec_core::extract::choice::Choice;
pub use tsrec_core::extract::gates::{Gate, GateName};
pub use tsrec_core::extract::{Attempt, Extract, Extracted, Extractor, Method, NoSibling, Page, Sibling};
pub use tsrec_core::html::{Cut, Document, Limits, NodeId, parse};
pub use tsrec_core::metadata::{Described, Metadata, Source};
pub use tsrec_core::page::{Content, Label, Piece};
pub use tsrec_core::render::Along;
pub use tsrec_core::template::{Error as MemoryError, Learned, Redesign, Site};
pub use tsrec_crawl::pipeline::{CrawlSummary, Until};
pub use tsrec_papers::registry::shipped;
pub use tsrec_store::{Change, ChangeKind, Changes, Cursor, DeletionReason};
pub use tsrec_store::{Error as StoreError, NewPage, OfTemplate, PageRecord, PageSummary, Store};
