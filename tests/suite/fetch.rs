//! The HTTP client against a server on 127.0.0.1: everything that needs a connection. Rules that
//! need none have tests beside their code.
/// What the client refuses to request: schemes, credentials, addresses.
mod addresses;
/// Heads and bodies that browsers read: encodings, types, dates, cookies.
mod browsers;
/// `tsrec robots`, the command.
mod command;
/// Delays: per host, per address, and for robots.txt and its redirect targets.
mod delays;
/// Conditional requests, and the headers of an answer.
mod headers;
/// Hostile servers: floods, drips, bombs, resets, false headers.
mod hostile;
/// Sitemaps and feeds.
mod listings;
/// Pages: statuses, types, limits, time-outs.
mod pages;
/// Requests by way of a proxy.
mod proxy;
/// Redirects of pages.
mod redirects;
/// robots.txt: its outcomes and its cache.
mod robots;
/// A server that answers as a test tells it.
mod server;
