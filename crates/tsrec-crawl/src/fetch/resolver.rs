//! Resolves names to addresses through the operating system, removes refused addresses, and keeps
//! the rest for a moment.
//!
//! The client connects to exactly what is returned here. So a name cannot show one address to a
//! check and another to the connection (DNS rebinding).

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use url::{Host, Url};

use super::address;
use super::admission::Refusal;
use super::cause::Cause;

/// Lookups under way at one time. The operating system's lookup blocks a thread, for half a minute
/// and more if a name server is silent, even after the request is given up. Judgement: an eighth of
/// tokio's 512 blocking threads, which the store's disk writes need too.
const MAX_LOOKUPS: usize = 64;

/// How long an answer is used. The operating system does not report the record's lifetime.
/// Judgement: long enough for the turn, robots.txt and the page; short enough to follow a site that
/// moves.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// Names kept. Judgement: some hundred KB.
const MAX_NAMES: usize = 4096;

/// Addresses used of one name. Judgement: connections are tried one after the other.
const MAX_ADDRESSES: usize = 4;

/// Different names that fail in a row, for a reason that may pass, before the resolver counts as
/// down. Judgement: a site's name servers fail now and then. Three sites hardly fail in a row with
/// no name resolved between.
const NAMES_THAT_FAIL: usize = 3;

/// The resolver. Clones share the kept answers.
#[derive(Clone, Debug)]
pub(super) struct Resolver {
    allow_private_addresses: bool,
    lookups: Arc<Semaphore>,
    known: Arc<Mutex<ResolvedHost>>,
}

#[derive(Debug, Default)]
struct ResolvedHost {
    names: HashMap<String, (Vec<IpAddr>, Instant)>,
    /// Names that failed since a name was last resolved.
    failed: HashSet<String>,
}

/// Why there is no address.
#[derive(Debug)]
pub(super) enum Unresolved {
    /// Every address is refused.
    Refused(Refusal),
    /// Anything else.
    Failed(Cause, std::io::Error),
}

impl Resolver {
    pub(super) fn new(allow_private_addresses: bool) -> Self {
        let lookups = Arc::new(Semaphore::new(MAX_LOOKUPS));
        Self { allow_private_addresses, lookups, known: Arc::default() }
    }

    /// The addresses for `url`, an admitted one, in the order to try them; never empty.
    pub(super) async fn resolve(&self, url: &Url) -> Result<Vec<IpAddr>, Unresolved> {
        match url.host() {
            Some(Host::Ipv4(literal)) => Ok(vec![literal.into()]),
            Some(Host::Ipv6(literal)) => Ok(vec![literal.into()]),
            Some(Host::Domain(name)) => match self.kept(name, Instant::now()) {
                Some(addresses) => Ok(addresses),
                None => self.look_up(name).await,
            },
            None => Err(Unresolved::Failed(Cause::NoSuchName, std::io::Error::other("the URL names no host"))),
        }
    }

    /// Has these addresses for a name, for tests.
    #[cfg(test)]
    pub(super) fn learn(&self, name: &str, addresses: &[IpAddr]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.keep(name, addresses, Instant::now());
    }

    /// The lookup timed out. Tells whether the name's servers or our resolver are silent.
    pub(super) fn is_silent(&self, url: &Url) -> Cause {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.cause(url.host_str().unwrap_or_default(), &std::io::ErrorKind::TimedOut.into())
    }

    fn kept(&self, name: &str, now: Instant) -> Option<Vec<IpAddr>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.names.get(name).filter(|(_, until)| *until > now).map(|(addresses, _)| addresses.clone())
    }

    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, Unresolved> {
        let ended = |_| Unresolved::Failed(Cause::Interrupted, std::io::Error::other("the program ends"));
        let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(|_| ended(()))?;
        let asked = name.to_owned();
        // A separate task holds the permit until its thread is free, even if nobody waits any more.
        let lookup = tokio::spawn(async move {
            let found = tokio::net::lookup_host((asked.as_str(), 0)).await.map(Vec::from_iter);
            drop(permit);
            found
        });
        let found = lookup.await.map_err(|_| ended(()))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match found {
            Ok(found) => {
                known.failed.clear();
                let addresses = if self.allow_private_addresses { ips(found) } else { reachable(found)? };
                if addresses.is_empty() {
                    let none = std::io::Error::other("the name has no address");
                    return Err(Unresolved::Failed(Cause::NoSuchName, none));
                }
                known.keep(name, &addresses, Instant::now());
                Ok(addresses)
            }
            Err(error) => Err(Unresolved::Failed(known.cause(name, &error), error)),
        }
    }
}

impl ResolvedHost {
    fn keep(&mut self, name: &str, addresses: &[IpAddr], now: Instant) {
        if self.names.len() >= MAX_NAMES {
            self.names.retain(|_, (_, until)| *until > now);
        }
        if self.names.len() < MAX_NAMES {
            self.names.insert(name.to_owned(), (addresses.to_vec(), now + KEPT_FOR));
        }
    }

    /// Whether the name, its name servers, or our resolver failed.
    fn cause(&mut self, name: &str, error: &std::io::Error) -> Cause {
        let cause = cause_of_failure(error);
        match cause {
            Cause::NoSuchName => self.failed.clear(), // Somebody answered.
            Cause::NameService => {
                if self.failed.len() < NAMES_THAT_FAIL {
                    self.failed.insert(name.to_owned());
                }
                if self.failed.len() >= NAMES_THAT_FAIL {
                    return Cause::ResolverDown;
                }
            }
            _ => {}
        }
        cause
    }
}

/// The cause behind the operating system's error. The standard library keeps the text of
/// `gai_strerror` but not its number. The texts are glibc's and musl's, which are not translated
/// without `setlocale`.
fn cause_of_failure(error: &std::io::Error) -> Cause {
    if super::failure::is_exhausted(error) {
        return Cause::Exhausted;
    }
    let text = error.to_string();
    let unknown = ["Name or service not known", "No address associated", "Name does not resolve", "Name has no usable"];
    match unknown.iter().any(|part| text.contains(part)) {
        true => Cause::NoSuchName,
        false => Cause::NameService,
    }
}

/// Each address once.
fn ips(found: Vec<SocketAddr>) -> Vec<IpAddr> {
    let mut seen = HashSet::new();
    found.into_iter().map(|socket| socket.ip()).filter(|ip| seen.insert(*ip)).take(MAX_ADDRESSES).collect()
}

/// The addresses that are not refused. An error if there are addresses and all of them are refused.
fn reachable(found: Vec<SocketAddr>) -> Result<Vec<IpAddr>, Unresolved> {
    let first = found.first().map(|socket| socket.ip());
    let (refused, allowed): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|socket| address::refusal(socket.ip()).is_some());
    match first.filter(|_| allowed.is_empty() && !refused.is_empty()) {
        Some(first) => {
            let what = address::refusal(first).unwrap_or_default();
            Err(Unresolved::Refused(Refusal::Address(first, what)))
        }
        None => Ok(ips(allowed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sockets(addresses: &[&str]) -> Vec<SocketAddr> {
        addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect()
    }

    #[test]
    fn refused_addresses_are_taken_out_and_each_is_there_once() {
        for (found, expect) in [
            (&["8.8.8.8", "2606:4700::1111"][..], &["8.8.8.8", "2606:4700::1111"][..]),
            (&["127.0.0.1", "8.8.8.8", "8.8.8.8", "::1"], &["8.8.8.8"]),
            (&[], &[]),
        ] {
            let expect: Vec<IpAddr> = expect.iter().map(|address| address.parse().unwrap()).collect();
            assert_eq!(reachable(sockets(found)).unwrap(), expect);
        }
    }

    #[test]
    fn a_name_with_refused_addresses_only_is_an_error_that_names_the_first() {
        let Err(Unresolved::Refused(refusal)) = reachable(sockets(&["10.0.0.1", "::1"])) else { panic!("allowed") };
        assert!(refusal.to_string().starts_with("10.0.0.1 is a private address"), "{refusal}");
    }

    #[test]
    fn a_resolver_that_fails_for_several_names_is_down() {
        let error = |text: &str| std::io::Error::other(format!("failed to lookup address information: {text}"));
        let (again, unknown) = (error("Temporary failure in name resolution"), error("Name or service not known"));
        let mut known = ResolvedHost::default();
        for (name, error, expect) in [
            ("a", &unknown, Cause::NoSuchName),
            ("a", &again, Cause::NameService),
            ("a", &again, Cause::NameService),
            ("b", &again, Cause::NameService),
            ("c", &again, Cause::ResolverDown),
            ("a", &again, Cause::ResolverDown),
            ("d", &unknown, Cause::NoSuchName),
            ("a", &again, Cause::NameService),
            ("a", &std::io::Error::from_raw_os_error(24), Cause::Exhausted),
        ] {
            assert_eq!(known.cause(name, error), expect, "{name}");
        }
    }

    #[test]
    fn answers_are_kept_for_a_moment_and_names_are_bounded() {
        let resolver = Resolver::new(true);
        let (now, address) = (Instant::now(), ["192.0.2.1".parse().unwrap()]);
        for n in 0..2 * MAX_NAMES {
            resolver.known.lock().unwrap().keep(&n.to_string(), &address, now);
        }
        assert_eq!(resolver.known.lock().unwrap().names.len(), MAX_NAMES);
        assert_eq!(resolver.kept("0", now), Some(address.to_vec()));
        assert_eq!(resolver.kept("0", now + KEPT_FOR), None);
        resolver.known.lock().unwrap().keep("new", &address, now + KEPT_FOR);
        assert_eq!(resolver.kept("new", now + KEPT_FOR), Some(address.to_vec()));
    }
}
