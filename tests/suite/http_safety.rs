//! The API against hostile or broken clients: which requests it answers, how many, how long, and
//! with how much memory.
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use tsrec_server::http::{Config, Token};
use tsrec_store::{Database, Store};

use crate::support::serving;

use serving::{Serving, open, page};

fn serve(config: Config, token: Option<&str>) -> (Serving, Store, Database, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    let token = token.map(|token| Token::new(token).unwrap());
    (Serving::with(&store, Default::default(), config, token), store, database, dir)
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// The status of the answer to a request with these header fields.
fn status(address: SocketAddr, target: &str, fields: &str) -> u16 {
    let mut stream = connect(address);
    write!(stream, "GET {target} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Whether the server closes the connection within a time, without an answer.
fn is_closed_within(stream: &mut TcpStream, patience: Duration) -> bool {
    stream.set_read_timeout(Some(patience)).unwrap();
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn only_hosts_that_are_ours_are_answered() {
    let config = Config { hosts: vec!["Tsrec.Example".into()], ..Config::default() };
    let (serving, ..) = serve(config, None);
    let port = serving.address.port();
    for (fields, expect) in [
        (format!("Host: 127.0.0.1:{port}\r\n"), 200),
        ("Host: localhost\r\n".into(), 200),
        ("Host: LOCALHOST:80\r\n".into(), 200),
        ("Host: [::1]:1\r\n".into(), 200),
        ("Host: tsrec.example\r\n".into(), 200),
        ("Host: evil.example\r\n".into(), 421),
        ("Host: 127.0.0.1.evil.example\r\n".into(), 421),
        ("Host: 192.0.2.1\r\n".into(), 421),
        ("Host: \r\n".into(), 421),
        (String::new(), 421),
        ("Host: localhost\r\nHost: localhost\r\n".into(), 400),
        ("Host: localhost\r\nhost: evil.example\r\n".into(), 400),
        ("Host: evil.example\r\nX: y\r\nHOST: localhost\r\n".into(), 400),
    ] {
        for target in ["/v1/changes", "/healthz"] {
            assert_eq!(status(serving.address, target, &fields), expect, "{target} {fields:?}");
        }
    }
}

#[test]
fn a_token_that_is_set_must_be_borne() {
    let (serving, ..) = serve(Config::default(), Some("0123456789abcdef"));
    for (target, authorization, expect) in [
        ("/v1/changes", "", 401),
        ("/v1/changes", "Authorization: Bearer 0123456789abcdee\r\n", 401),
        ("/v1/changes", "Authorization: Basic 0123456789abcdef\r\n", 401),
        ("/v1/changes", "Authorization: 0123456789abcdef\r\n", 401),
        ("/v1/changes", "Authorization: Bearer 0123456789abcdef\r\n", 200),
        ("/v1/changes", "authorization: bearer 0123456789abcdef\r\n", 200),
        ("/metrics", "", 401),
        ("/nowhere", "", 401),
        ("/healthz", "", 200),
        ("/readyz", "", 503),
    ] {
        let fields = format!("Host: localhost\r\n{authorization}");
        assert_eq!(status(serving.address, target, &fields), expect, "{target} {authorization}");
    }
    for bad in ["short", "sixteen letters and spaces", "0123456789abcde\u{e9}"] {
        assert!(Token::new(bad).is_none(), "{bad}");
    }
}

#[test]
fn connections_that_ask_for_nothing_are_closed() {
    let config = Config { idle_timeout: Duration::from_millis(400), ..Config::default() };
    let (serving, ..) = serve(config, None);
    let mut silent = connect(serving.address);
    let mut half = connect(serving.address);
    half.write_all(b"GET /healthz HTTP/1.1\r\nHost: local").unwrap();
    let mut body = connect(serving.address);
    body.write_all(b"PUT /v1/hosts/a.example/memory HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
        .unwrap();
    let mut kept = connect(serving.address);
    kept.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    for (name, stream) in
        [("silent", &mut silent), ("half a request", &mut half), ("half a body", &mut body), ("kept alive", &mut kept)]
    {
        assert!(is_closed_within(stream, Duration::from_secs(5)), "{name}");
    }
    // A client that sends very slowly makes no request either.
    let mut trickle = connect(serving.address);
    let begin = Instant::now();
    let mut closed = false;
    while !closed && begin.elapsed() < Duration::from_secs(5) {
        closed = trickle.write_all(b"G").is_err();
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(closed, "a client that sends a byte now and then is kept");
}

#[test]
fn more_connections_than_allowed_wait_and_are_answered_when_others_have_gone() {
    let config = Config { max_connections: 8, idle_timeout: Duration::from_millis(1500), ..Config::default() };
    let (serving, ..) = serve(config, None);
    let before = descriptors();
    let silent: Vec<_> = (0..100).map(|_| connect(serving.address)).collect();
    std::thread::sleep(Duration::from_millis(300));
    // The client ends are in this process too. Other tests of this binary may have a few.
    let servers = descriptors().saturating_sub(before + silent.len());
    assert!(servers < 40, "{servers} descriptors for 100 connections, where 8 are allowed");
    drop(silent);
    assert_eq!(status(serving.address, "/healthz", "Host: localhost\r\n"), 200);
}

/// Whatever other clients do, health and single records are answered soon.
#[test]
fn health_and_single_records_have_reserved_room() {
    // So many that the kernel's buffers do not hold an answer.
    const RECORD: usize = 4_000_000;
    let many = |count: usize, request: &'static str| (count, request);
    for (what, (count, request)) in [
        ("slow readers of the feed", many(8, "GET /v1/changes?content=true HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        ("slow readers of a record", many(8, "GET /v1/pages?url=http://a/3 HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        ("slow readers of snapshots", many(8, "GET /v1/snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        ("silent connections", many(400, "")),
        ("half requests", many(400, "GET /healthz HTTP/1.1\r\nHos")),
        ("long polls", many(200, "GET /v1/changes?since=END&wait=max HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        ("idle connections", many(200, "GET /v1/consumers HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        (
            "half bodies",
            many(200, "PUT /v1/hosts/a.example/memory HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na"),
        ),
    ] {
        let (serving, store, database, _dir) = serve(Config::default(), None);
        for n in 0..10 {
            store.put(&page(&format!("http://a/{n}"), &"word ".repeat(RECORD / 10))).unwrap();
        }
        store.put(&page("http://a/short", "word")).unwrap();
        database.durable().unwrap();
        let request = request.replace("END", &store.end().to_string());
        let held: Vec<_> = (0..count)
            .map(|_| {
                let mut stream = connect(serving.address);
                stream.write_all(request.as_bytes()).unwrap();
                stream
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        for target in ["/healthz", "/v1/pages?url=http://a/short", "/metrics", "/healthz"] {
            let begin = Instant::now();
            assert_eq!(status(serving.address, target, "Host: localhost\r\n"), 200, "{what}: {target}");
            let most = Duration::from_secs(if what == "slow readers of a record" { 5 } else { 1 });
            assert!(begin.elapsed() < most, "{what}: {target} took {:?}", begin.elapsed());
        }
        drop(held);
    }
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn a_request_head_has_a_bound() {
    let (serving, ..) = serve(Config::default(), None);
    let many = "X: y\r\n".repeat(100);
    assert_eq!(status(serving.address, "/healthz", &format!("Host: localhost\r\n{many}")), 431);
    let long = format!("Host: localhost\r\nX: {}\r\n", "y".repeat(100_000));
    let mut stream = connect(serving.address);
    let sent = write!(stream, "GET /healthz HTTP/1.1\r\n{long}\r\n");
    let mut text = Vec::new();
    let read = stream.read_to_end(&mut text);
    assert!(sent.is_err() || read.is_err() || text.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&text));
}

/// Pages that compress a thousandfold. Many clients request all of them at once.
#[test]
fn an_answer_with_records_is_bounded_as_it_is_read_and_memory_stays_flat() {
    // As text, and the same length again as markup.
    const RECORD: usize = 6_000_000;
    let (serving, store, database, _dir) = serve(Config::default(), None);
    for n in 0..40 {
        store.put(&page(&format!("http://a/{n}"), &"word ".repeat(RECORD / 10))).unwrap();
    }
    database.durable().unwrap();
    let before = most_memory();
    let asking: Vec<_> = (0..8)
        .map(|n| {
            let address = serving.address;
            let target = if n % 2 == 0 { "/v1/changes?content=true" } else { "/v1/pages?url=http://a/7" };
            std::thread::spawn(move || length(address, target))
        })
        .collect();
    let lengths: Vec<usize> = asking.into_iter().map(|asking| asking.join().unwrap()).collect();
    for length in lengths {
        assert!((RECORD..8 << 20).contains(&length), "{length} bytes");
    }
    let grown = most_memory() - before;
    assert!(grown < 64 << 20, "{grown} bytes of memory for eight requests");
}

/// Clients that request all records and do not read them delay only each other.
#[test]
fn snapshots_that_nobody_reads_stop_no_other_answer() {
    let (serving, store, database, _dir) = serve(Config::default(), None);
    for n in 0..40 {
        store.put(&page(&format!("http://a/{n}"), &"word ".repeat(200_000))).unwrap();
    }
    database.durable().unwrap();
    let ask = || {
        let mut stream = connect(serving.address);
        stream.write_all(b"GET /v1/snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        (String::from_utf8_lossy(&status).into_owned(), stream)
    };
    let asked: Vec<_> = (0..8).map(|_| ask()).collect();
    let given = asked.iter().filter(|(status, _)| status.ends_with("200")).count();
    assert!(
        (1..8).contains(&given) && asked.iter().all(|(status, _)| status.ends_with("200") || status.ends_with("503"))
    );
    let begin = Instant::now();
    for target in ["/v1/pages?url=http://a/7", "/v1/changes?content=true&limit=2"] {
        assert_eq!(status(serving.address, target, "Host: localhost\r\n"), 200, "{target}");
    }
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

/// Reads an answer to its end and discards it. Returns its length.
fn length(address: SocketAddr, target: &str) -> usize {
    let mut stream = connect(address);
    write!(stream, "GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let (mut total, mut piece) = (0, vec![0; 64 << 10]);
    loop {
        match stream.read(&mut piece).unwrap() {
            0 => return total,
            len => total += len,
        }
    }
}

/// The peak memory of this process, in bytes.
fn most_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}
