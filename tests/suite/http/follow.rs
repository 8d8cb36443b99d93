//! Readers of the feed: consumers that acknowledge, an event stream, a first snapshot.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tsrec_store::DeletionReason;

use super::{Bench, ask};
use crate::support::serving::page;

#[test]
fn a_consumer_says_how_far_it_is_and_others_see_it() {
    let bench = Bench::new(&["http://a/1", "http://a/2", "http://a/3"]);
    let cursor = bench.json("/v1/changes?limit=2")["next"].as_str().unwrap().to_owned();
    assert_eq!(bench.json("/v1/consumers"), json!({ "consumers": [] }));
    let put =
        |name: &str, cursor: &str| ask(bench.serving.address, "PUT", &format!("/v1/consumers/{name}?cursor={cursor}"));
    let told: Value = serde_json::from_str(&put("indexer-1", &cursor).body).unwrap();
    assert_eq!((&told["name"], &told["cursor"], &told["behind"]), (&json!("indexer-1"), &json!(cursor), &json!(1)));
    assert_eq!(bench.json("/v1/consumers/indexer-1"), told);
    assert_eq!(bench.json("/v1/consumers")["consumers"].as_array().unwrap().len(), 1);
    for (name, cursor, status) in [
        ("indexer-1", "nonsense", 400),
        ("indexer-1", "0000000000000001:1", 410),
        ("bad%20name", cursor.as_str(), 400),
        (&"x".repeat(65), cursor.as_str(), 400),
    ] {
        assert_eq!(put(name, cursor).status, status, "{name} {cursor}");
    }
    assert_eq!(ask(bench.serving.address, "DELETE", "/v1/consumers/indexer-1").status, 204);
    assert_eq!(ask(bench.serving.address, "DELETE", "/v1/consumers/indexer-1").status, 404);
    assert_eq!(bench.get("/v1/consumers/indexer-1").status, 404);
}

#[test]
fn deletions_wait_for_those_who_have_not_seen_them() {
    let bench = Bench::new(&["http://a/1", "http://a/2"]);
    let (store, at) = (&bench.store, "2026-11-21T00:00:00Z".parse().unwrap());
    let before = store.changes(None, 10).unwrap().next;
    store.acknowledge("slow", before, at).unwrap();
    let deleted = store.delete("http://a/1", DeletionReason::Gone, at).unwrap().unwrap();
    bench.database.durable().unwrap();
    let later = "2026-12-21T00:00:00Z".parse().unwrap();
    let seen = |since: &str| store.seen_by_all(since.parse().unwrap()).unwrap();
    assert_eq!(seen("2026-11-20T00:00:00Z"), Some(before.sequence()));
    assert_eq!(seen("2026-11-22T00:00:00Z"), None, "one that is silent is not waited for");
    assert_eq!(store.prune_seen_tombstones(later, before.sequence()).unwrap(), 0);
    assert_eq!(store.changes(Some(before), 10).unwrap().changes.len(), 1, "it is still there to be seen");
    store.acknowledge("slow", store.changes(None, 10).unwrap().next, at).unwrap();
    assert_eq!(seen("2026-11-20T00:00:00Z"), Some(deleted));
    assert_eq!(store.prune_seen_tombstones(later, deleted).unwrap(), 1);
}

/// An event stream, line by line.
fn follow(bench: &Bench, target: &str, header: &str) -> (String, BufReader<TcpStream>) {
    let mut stream = TcpStream::connect(bench.serving.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n").unwrap();
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).unwrap();
    }
    (head, reader)
}

/// The lines of the next event. Chunk sizes are on their own lines.
fn event(reader: &mut BufReader<TcpStream>) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ended: {lines:?}");
        let line = line.trim_end();
        let is_field = ["id: ", "event: ", "data: "].iter().any(|field| line.starts_with(field));
        match line {
            _ if is_field => lines.push(line.to_owned()),
            "" if lines.iter().any(|line| line.starts_with("data: ")) => return lines,
            _ => {}
        }
    }
}

#[test]
fn changes_come_as_events_and_a_reader_that_comes_back_goes_on() {
    let bench = Bench::new(&["http://a/1", "http://a/2"]);
    let (head, mut reader) = follow(&bench, "/v1/changes/stream", "");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"), "{head}");
    assert_eq!(event(&mut reader)[0], "event: upsert");
    let last = event(&mut reader);
    assert!(last[0].starts_with("id: ") && last[2].contains("http://a/2"), "{last:?}");
    bench.store.delete("http://a/1", DeletionReason::Gone, "2026-11-21T00:00:00Z".parse().unwrap()).unwrap();
    bench.database.durable().unwrap();
    let live = event(&mut reader);
    assert!(live[1] == "event: delete" && live[2].contains("gone"), "{live:?}");
    drop(reader);
    bench.store.put(&page("http://a/3", "news")).unwrap();
    bench.database.durable().unwrap();
    let id = live[0].trim_start_matches("id: ");
    let (_, mut reader) = follow(&bench, "/v1/changes/stream", &format!("Last-Event-ID: {id}\r\n"));
    assert!(event(&mut reader)[2].contains("http://a/3"));
    let (head, _) = follow(&bench, "/v1/changes/stream?since=0000000000000001:1", "");
    assert!(head.starts_with("HTTP/1.1 410"), "{head}");
}

#[test]
fn a_stream_ends_with_the_daemon() {
    let mut bench = Bench::new(&[]);
    let (_, mut reader) = follow(&bench, "/v1/changes/stream", "");
    bench.serving.stop();
    let mut rest = String::new();
    while reader.read_line(&mut rest).unwrap() > 0 {}
    assert_eq!(rest.trim(), "0", "{rest}");
}

#[test]
fn a_snapshot_and_the_feed_from_its_cursor_are_everything() {
    let urls: Vec<String> = (0..250).map(|n| format!("http://a/{n:03}")).collect();
    let bench = Bench::new(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let snapshot = bench.get("/v1/snapshot");
    assert_eq!((snapshot.status, snapshot.header("content-type")), (200, Some("application/x-ndjson")));
    let objects: Vec<Value> = snapshot.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects[0]["pages"], 250);
    let listed: Vec<&str> = objects[1..].iter().map(|record| record["url"].as_str().unwrap()).collect();
    assert_eq!(listed, urls);
    assert!(objects[1]["text"].is_string());
    bench.store.put(&page("http://a/new", "news")).unwrap();
    bench.database.durable().unwrap();
    let cursor = objects[0]["cursor"].as_str().unwrap();
    let rest = bench.json(&format!("/v1/changes?since={cursor}"));
    assert_eq!(rest["changes"].as_array().unwrap().len(), 1);
    assert_eq!(rest["changes"][0]["url"], "http://a/new");
}

#[test]
fn a_stream_says_that_it_lives_while_nothing_happens() {
    let bench = Bench::new(&[]);
    let (_, mut reader) = follow(&bench, "/v1/changes/stream", "");
    let mut line = String::new();
    while line.trim_end() != ":" {
        line.clear();
        // The socket's own time-out is longer than one heartbeat and shorter than two.
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ended");
    }
}
