//! tsrec takes the boilerplate off web pages by comparing them with each other.
//!
//! Two pages made by one template share what is template: the navigation, the footer, the lists of links. tsrec encodes both as tag
//! sequences with region codes (TSReC) and finds what they have in common and what is built alike. That, and all else that is known of each block of
//! a page, is evidence for one learned score; segmenting the page by it leaves the content, with siblings or without.
//!
//! Data flows one way, and the modules stand in its order: bytes → [`html::Document`] → [`analysis::Analysis`] and [`tsrec::TagSequence`] →
//! [`evidence`] → labels ([`page::Label`]) → [`page::Content`] → text ([`render`]), or with the feature `store` on into the [`store`]. The core knows no clock, no
//! files and no network.
//!
//! # A tour
//!
//! ```
//! use tsrec::extract::cascade::Cascade;
//! use tsrec::extract::scored::Scored;
//! use tsrec::extract::{Extractor, Method, Page, Sibling};
//! use tsrec::html::{Limits, parse};
//! use tsrec::render::text::text;
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
//! let sibling = Page::new(&sibling);
//! let memory = Scored::shipped().remember(&sibling);
//! let sibling = Sibling { name: "another story".to_owned(), sequence: sibling.sequence(), memory: Some(&memory) };
//! let extraction = Cascade::new(vec![sibling]).extract(&Page::new(&page));
//!
//! assert_eq!(extraction.method, Method::Template);
//! let found = text(&page, &extraction.content);
//! assert!(found.contains(&prose) && !found.contains("Sport"), "{found}");
//! ```
//!
//! The papers behind it are cited where they are implemented: [`tsrec`] (Li, Meng, Li, Wang 2006), [`extract::mss`] (Pasternack, Roth 2009).

pub mod analysis;
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
pub mod evidence;
pub mod extract;
#[cfg(feature = "daemon")]
pub mod fetch;
#[cfg(feature = "daemon")]
pub mod frontier;
pub mod html;
#[cfg(feature = "daemon")]
pub mod http;
#[cfg(feature = "daemon")]
pub mod inspector;
pub mod learn;
pub mod metadata;
pub mod page;
pub mod pairing;
pub mod render;
#[cfg(feature = "store")]
pub mod store;
pub mod style;
pub mod template;
pub mod tsrec;
#[cfg(feature = "daemon")]
pub mod warc;
pub mod words;
