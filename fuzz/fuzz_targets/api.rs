//! Any bytes as a client's input to the API. The API answers or closes the connection, never with a
//! server error, and keeps running.
//!
//! The first byte decides what the rest is: the path and query of a request, a body that is posted,
//! or all bytes to send.

#![no_main]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tsrec_core::html::Limits;
use tsrec_crawl::frontier;
use tsrec_crawl::frontier::Embedded;
use tsrec_crawl::memories::SiteMemories;
use tsrec_server::http::{Api, Config, serve};
use tsrec_store::{Database, NewPage, Store};

/// The bytes between the request target and the end of the request.
const REST: &[u8] = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Methods, by the first byte.
const METHODS: [&[u8]; 4] = [b"GET ", b"PUT ", b"DELETE ", b"POST "];

/// Posted bodies, by the first byte past those of the methods: the target, and the content type.
const BODIES: [(&str, &str); 5] = [
    ("/v1/extract", "text/html"),
    ("/v1/extract?url=http://a.example/posted&store=true", "text/html"),
    ("/v1/extract", "application/json"),
    ("/v1/extract/batch", "application/x-ndjson"),
    ("/v1/frontier?seed=true", "application/x-ndjson"),
];

static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();

fn start() -> SocketAddr {
    let dir = std::env::temp_dir().join(format!("tsrec-fuzz-api-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let database = Database::open(&dir, &tsrec_store::Config::default()).unwrap();
    let (store, frontier) = (Store::new(&database), Embedded::new(&database, &frontier::Config::default()).unwrap());
    for n in 0..5 {
        let page = serde_json::json!({
            "url": format!("http://a.example/{n}"), "title": "A page", "comments": "", "text": "What it says.", "words": 3, "method": "blocks",
            "confidence": 0.5, "gates": [], "labels": {}, "fetched_at": "2026-11-21T00:00:00Z", "status": 200, "cut": [],
        });
        store.put(&serde_json::from_value::<NewPage>(page).unwrap()).unwrap();
    }
    database.durable().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let api = Api {
        memories: SiteMemories::over(&store, Default::default()),
        frontier: Some(Arc::new(frontier)),
        ready: Arc::new(|| Ok("ready".to_owned())),
        metrics: Arc::new(String::new),
        pace: Arc::default(),
        is_crawling: true,
        seeded: Arc::new(|_| {}),
        added: Arc::new(|| {}),
        limits: Limits::default(),
        favor: Default::default(),
        product_token: Some("fuzzbot".to_owned()),
        token: None,
        config: Config {
            max_wait: Duration::from_secs(1),
            idle_timeout: Duration::from_millis(100),
            ..Config::default()
        },
    };
    std::thread::spawn(move || {
        let _database = database;
        let _ = runtime.block_on(serve(listener, api, std::future::pending()));
    });
    address
}

fn ask(bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(ADDRESS.get_or_init(start)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    // The server may refuse it before all is sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    // An event stream has no end.
    let _ = stream.take(1 << 16).read_to_end(&mut answer);
    answer
}

/// The request that posts a body.
fn posted(first: u8, body: &[u8]) -> Option<Vec<u8>> {
    let (target, kind) = BODIES.get(usize::from(first).checked_sub(METHODS.len())?)?;
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    Some([head.as_bytes(), body].concat())
}

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let bytes = match METHODS.get(usize::from(*first)) {
        // Any client percent-encodes characters that would end the line.
        Some(method) => {
            let path = rest.iter().map(|byte| if byte.is_ascii_graphic() { *byte } else { b'%' });
            [method, &b"/"[..], &path.collect::<Vec<_>>(), REST].concat()
        }
        None => posted(*first, rest).unwrap_or_else(|| rest.to_vec()),
    };
    // The API answers a request that waits for a change one second later.
    if bytes.windows(4).any(|at| at == b"wait") || bytes.windows(6).any(|at| at == b"stream") {
        return;
    }
    let answer = ask(&bytes);
    let status = answer.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5));
    assert!(status.is_none_or(|status| status[0] != b'5'), "{}", String::from_utf8_lossy(&answer));
});
