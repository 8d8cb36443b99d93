//! The HTTP client against a server on 127.0.0.1: everything that takes a connection. Rules that
//! need none are tested beside their code.
/// What is not asked for: schemes, credentials, addresses.
mod addresses;
/// `tsrec robots`, the command.
mod command;
/// Delays: at hosts, at addresses, of robots.txt and where it redirects to.
mod delays;
/// Conditional requests, and what an answer's head says.
mod headers;
/// What hosts do to crawlers: floods, drips, bombs, resets, lies.
mod hostile;
/// Sitemaps and feeds.
mod listings;
/// Pages: statuses, types, limits, time-outs.
mod pages;
/// Redirects of pages.
mod redirects;
/// robots.txt: what becomes of it, and what is kept of it.
mod robots;
/// A server that answers what a test tells it to.
mod server;
