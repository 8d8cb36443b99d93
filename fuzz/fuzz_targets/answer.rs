//! Any bytes as a server's answer. The result is bounded, errors have a cause, and nothing panics.
//!
//! The test runs the whole client over loopback. It requests `/robots.txt`, since that URL needs no
//! robots.txt first.

#![no_main]

use std::net::{Ipv4Addr, TcpListener};
use std::sync::OnceLock;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;
use tsrec_crawl::fetch::{Config, FetchRequest, Fetched, Fetcher, Validators};
use url::Url;

const MAX_BODY_BYTES: usize = 1 << 16;

struct Bench {
    runtime: Runtime,
    fetcher: Fetcher,
    listener: tokio::net::TcpListener,
}

static BENCH: OnceLock<Bench> = OnceLock::new();

fn bench() -> Bench {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = Config {
        allow_private_addresses: true,
        max_body_bytes: MAX_BODY_BYTES,
        timeout: Duration::from_secs(5),
        ..Config::default()
    };
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let listener = runtime.block_on(async { tokio::net::TcpListener::from_std(listener).unwrap() });
    Bench { runtime, fetcher: Fetcher::new(&config, "examplebot/1.0").unwrap(), listener }
}

fuzz_target!(|input: &[u8]| {
    let Bench { runtime, fetcher, listener } = BENCH.get_or_init(bench);
    // Each input has its own address. With one address, lingering connections would soon use up its
    // ports.
    let number = u32::from_le_bytes([input.len() as u8, input.first().copied().unwrap_or(0), rand_byte(input), 0]);
    let address = Ipv4Addr::from(0x7F00_0001 + number % 0x00FF_FFF0);
    let port = listener.local_addr().unwrap().port();
    let url = Url::parse(&format!("http://{address}:{port}/robots.txt")).unwrap();
    let known = Validators { etag: Some("\"a\"".to_owned()), last_modified: None };
    let server = async {
        let Ok((mut stream, _)) = listener.accept().await else { return };
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).await;
        let _ = stream.write_all(input).await;
    };
    let request = FetchRequest::new(&url).unless(&known);
    let (visit, ()) = runtime.block_on(async { tokio::join!(fetcher.visit(&request), server) });
    match visit.result {
        Ok(Fetched::Page(page)) => assert!(page.body.len() <= MAX_BODY_BYTES && (200..300).contains(&page.status)),
        Ok(Fetched::Redirect { to, .. }) => assert!(to.password().is_none() && to.fragment().is_none()),
        Ok(Fetched::NotModified { .. }) => {}
        Err(error) => assert!(error.to_string().chars().count() < 2000 && !error.cause().as_str().is_empty()),
    }
});

/// A byte that depends on the whole input.
fn rand_byte(input: &[u8]) -> u8 {
    input.iter().fold(0, |sum: u8, byte| sum.wrapping_mul(31).wrapping_add(*byte))
}
