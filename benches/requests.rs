//! Requests per second of processor time, of a fetcher on one thread and a server on loopback.
//!
//! `cargo bench --bench requests` prints a line for connections that are used again, and one for a
//! connection a request. The time is that of the fetcher's thread alone, so that other load on the
//! machine counts less.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use tsrec_crawl::fetch::{Config, Delays, Fetcher};
use url::Url;

/// Requests of a measurement, after a fifth as many to warm up. Judgement: below a second.
const REQUESTS: usize = 2_000;
/// Measurements of each kind, of which the median is printed.
const ROUNDS: usize = 5;
/// The bytes of a page. Judgement: a small one, so that the connection costs more than the copying.
const PAGE_BYTES: usize = 4_096;

fn main() {
    for (name, closes) in [("connections used again", false), ("a connection a request", true)] {
        let url = serve(closes);
        let mut rates: Vec<f64> = (0..ROUNDS).map(|_| requests_per_second(&url)).collect();
        rates.sort_by(f64::total_cmp);
        println!("{name}: {:.0} requests a second ({:.0} to {:.0})", rates[ROUNDS / 2], rates[0], rates[ROUNDS - 1]);
    }
}

/// Starts a server, and returns the address of its page.
fn serve(closes: bool) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream, closes));
        }
    });
    format!("http://127.0.0.1:{port}/page").parse().expect("a URL")
}

/// Answers the requests of a connection. robots.txt is the same page, and so forbids nothing.
fn answer(mut stream: TcpStream, closes: bool) {
    let connection = if closes { "close" } else { "keep-alive" };
    let page = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: {connection}\r\nContent-Length: {PAGE_BYTES}\r\n\r\n{}",
        "<p>Hello".repeat(PAGE_BYTES / 8)
    );
    let (mut head, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        head.extend_from_slice(&piece[..read]);
        if head.ends_with(b"\r\n\r\n") {
            head.clear();
            if stream.write_all(page.as_bytes()).is_err() || closes {
                return;
            }
        }
    }
}

fn requests_per_second(url: &Url) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let config = Config { allow_private_addresses: true, ..Config::default() };
        let delays = Delays { origin: Default::default(), address: Default::default() };
        let fetcher = Fetcher::with_delays(&config, "examplebot/1.0", delays).expect("the settings are right");
        for _ in 0..REQUESTS / 5 {
            fetcher.follow(url).await.expect("a page");
        }
        let before = processor_time();
        for _ in 0..REQUESTS {
            fetcher.follow(url).await.expect("a page");
        }
        REQUESTS as f64 / (processor_time() - before)
    })
}

/// The processor time of this thread, in seconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).expect("a number") / 1e9
}
