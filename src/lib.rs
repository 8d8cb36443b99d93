//! tsrec takes the boilerplate off web pages by comparing them with each other.
//!
//! Two pages made by one template share what is template: the navigation, the footer, the lists of links. tsrec encodes both as tag
//! sequences with region codes (TSReC), takes away what they have in common and what is built alike, and keeps the rest: the content. Where
//! there is no page to compare with, maximum subsequence segmentation finds the content on the page alone.
//!
//! Data flows one way, and the modules stand in its order: bytes → [`html::Document`] → [`tsrec::TagSequence`] → labels
//! ([`page::Label`]) → [`page::Content`] → text ([`render`]), or with the feature `daemon` on into the [`store`]. The core knows no clock, no
//! files and no network.
//!
//! # A tour
//!
//! ```
//! use tsrec::extract::cascade::Cascade;
//! use tsrec::extract::{Extractor, Method, Page, Sibling};
//! use tsrec::html::{Limits, parse};
//! use tsrec::render::text::text;
//! use tsrec::tsrec::build::tag_sequence;
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
//! let (sequence, sibling) = (tag_sequence(&page), tag_sequence(&sibling));
//! let cascade = Cascade::new(vec![Sibling { name: "another story".to_owned(), sequence: &sibling }]);
//! let extraction = cascade.extract(&Page { document: &page, sequence: &sequence });
//!
//! assert_eq!(extraction.method, Method::Template);
//! assert_eq!(text(&page, &extraction.content), format!("Ferry\n\n{prose}"));
//! ```
//!
//! The papers behind it are cited where they are implemented: [`tsrec`] (Li, Meng, Li, Wang 2006), [`extract::mss`] (Pasternack, Roth 2009).

pub mod block;
#[cfg(feature = "chromium")]
pub mod browser;
#[cfg(feature = "daemon")]
pub mod cli;
#[cfg(feature = "daemon")]
pub mod config;
#[cfg(feature = "daemon")]
pub mod crawl;
pub mod eval;
pub mod extract;
#[cfg(feature = "daemon")]
pub mod fetch;
#[cfg(feature = "daemon")]
pub mod frontier;
pub mod html;
#[cfg(feature = "daemon")]
pub mod http;
pub mod learn;
pub mod page;
pub mod pairing;
pub mod render;
#[cfg(feature = "daemon")]
pub mod store;
pub mod style;
pub mod tsrec;
pub mod words;
