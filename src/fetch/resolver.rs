//! Names to addresses, through the operating system, with refused addresses taken out.
//!
//! The HTTP client connects to exactly what is returned here, so a name cannot show one address to a check and another
//! to the connection (DNS rebinding).

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;

use super::address;

/// Lookups at work at one time. The operating system's lookup blocks a thread, for half a minute and more when a name
/// server is silent, and outlives a request that was given up. Judgement: an eighth of tokio's 512 blocking threads,
/// which the store's disk writes need too.
const MAX_LOOKUPS: usize = 64;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The resolver given to the HTTP client.
pub(super) struct Resolver {
    allow_private_addresses: bool,
    lookups: Arc<Semaphore>,
}

impl Resolver {
    pub(super) fn new(allow_private_addresses: bool) -> Self {
        Self { allow_private_addresses, lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)) }
    }
}

/// Every address of a name is refused. Found again in the source chain of the HTTP client's error.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllRefused {
    /// The first of the addresses.
    pub(super) address: IpAddr,
    /// What it is, see [`address::refusal`].
    pub(super) what: &'static str,
}

impl fmt::Display for AllRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "every address of the name is refused; {} is {}", self.address, self.what)
    }
}

impl std::error::Error for AllRefused {}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private_addresses = self.allow_private_addresses;
        let lookups = Arc::clone(&self.lookups);
        Box::pin(async move {
            let permit = lookups.acquire_owned().await?;
            // A task of its own: it holds its permit until the thread is free, even when nobody waits any more.
            let lookup = tokio::spawn(async move {
                let found = tokio::net::lookup_host((name.as_str(), 0)).await.map(Vec::from_iter);
                drop(permit);
                found
            });
            let found = lookup.await??;
            let reachable = if allow_private_addresses { found } else { reachable(found)? };
            Ok(Box::new(reachable.into_iter()) as Addrs)
        })
    }
}

/// The addresses that are not refused; an error when there were some and all of them are.
fn reachable(found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, BoxError> {
    let mut first_refused = None;
    let mut reachable = Vec::with_capacity(found.len());
    for socket in found {
        match address::refusal(socket.ip()) {
            None => reachable.push(socket),
            Some(what) => first_refused = first_refused.or(Some(AllRefused { address: socket.ip(), what })),
        }
    }
    match first_refused {
        Some(refused) if reachable.is_empty() => Err(refused.into()),
        _ => Ok(reachable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sockets(addresses: &[&str]) -> Vec<SocketAddr> {
        addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect()
    }

    #[test]
    fn refused_addresses_are_taken_out() {
        for (found, expect) in [
            (&["8.8.8.8", "2606:4700::1111"][..], &["8.8.8.8", "2606:4700::1111"][..]),
            (&["127.0.0.1", "8.8.8.8", "::1"], &["8.8.8.8"]),
            (&[], &[]),
        ] {
            assert_eq!(reachable(sockets(found)).unwrap(), sockets(expect));
        }
    }

    #[test]
    fn a_name_with_refused_addresses_only_is_an_error_that_names_the_first() {
        let error = reachable(sockets(&["10.0.0.1", "::1"])).unwrap_err();
        assert_eq!(error.downcast_ref::<AllRefused>().unwrap().address, "10.0.0.1".parse::<IpAddr>().unwrap());
    }
}
