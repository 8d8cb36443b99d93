//! The HTTP client against a server on 127.0.0.1: everything that takes a connection. Rules that need none are tested
//! beside their code.
#![cfg(feature = "daemon")]

/// What is not asked for: schemes, credentials, addresses.
#[path = "fetch/addresses.rs"]
mod addresses;
/// `tsrec robots`, the command.
#[path = "fetch/command.rs"]
mod command;
/// Delays: at hosts, at addresses, of robots.txt and where it redirects to.
#[path = "fetch/delays.rs"]
mod delays;
/// Conditional requests, and what an answer's head says.
#[path = "fetch/headers.rs"]
mod headers;
/// What hosts do to crawlers: floods, drips, bombs, resets, lies.
#[path = "fetch/hostile.rs"]
mod hostile;
/// Sitemaps and feeds.
#[path = "fetch/listings.rs"]
mod listings;
/// Pages: statuses, types, limits, time-outs.
#[path = "fetch/pages.rs"]
mod pages;
/// Redirects of pages.
#[path = "fetch/redirects.rs"]
mod redirects;
/// robots.txt: what becomes of it, and what is kept of it.
#[path = "fetch/robots.rs"]
mod robots;
/// A server that answers what a test tells it to.
#[path = "fetch/server.rs"]
mod server;
