//! Floods of frames, and other servers that break HTTP/2.

use super::frames::*;
use super::*;
use crate::fetch::Cause;

/// More than a second of a flood brings on a fast machine, and less than one without end.
const MOST_BYTES: usize = 4 << 30;

/// Short deadlines, all different, so that a test can tell which one passed. Only the connection
/// has long enough on a busy machine.
fn impatient(config: &mut Config) {
    config.connect_timeout = 60_000 * MS;
    config.response_timeout = 1_000 * MS;
    config.slow_grace = 800 * MS;
    config.timeout = 60_000 * MS;
}

async fn check(name: &str, answer: impl Fn(u32) -> Frames + Send + Sync + 'static, expect: Cause) {
    check_with(name, frame(SETTINGS, 0, 0, &[]), answer, expect).await;
}

async fn check_with(name: &str, first: Vec<u8>, answer: impl Fn(u32) -> Frames + Send + Sync + 'static, expect: Cause) {
    let server = FrameServer::start_with(first, answer).await;
    let error = server.identity.fetcher(impatient).follow(&server.server.url()).await.expect_err(name);
    assert_eq!(error.cause(), expect, "{name}: {error} {:?}", std::error::Error::source(&error));
    assert!(server.sent() < MOST_BYTES, "{name}: {} bytes", server.sent());
}

/// The head without its end.
fn begun(stream: u32) -> Vec<u8> {
    frame(HEADERS, 0, stream, &fields(&[]))
}

#[tokio::test]
async fn heads_without_end_in_frames() {
    let empty = |stream| frame(CONTINUATION, 0, stream, &[]).repeat(1_000);
    check("CONTINUATION", move |s| Frames::once(begun(s)).then_for_ever(empty(s)), Cause::HeaderFlood).await;
    let full = |stream| frame(CONTINUATION, 0, stream, &field("x-a", "0123456789").repeat(900));
    check("CONTINUATION, full", move |s| Frames::once(begun(s)).then_for_ever(full(s)), Cause::HeaderFlood).await;
    let list = |count: usize| (0..count).flat_map(|n| field(&format!("x-{n}"), "y")).collect::<Vec<_>>();
    let many = move |s| Frames::once(frame(HEADERS, END_HEADERS | END_STREAM, s, &fields(&list(500))));
    check("five hundred headers", many, Cause::HeaderFlood).await;
    let wide = |s| {
        let pieces = (0..9).map(|n| {
            frame(CONTINUATION, if n == 8 { END_HEADERS } else { 0 }, s, &field("x-a", &"0".repeat(100)).repeat(150))
        });
        Frames::once([begun(s), pieces.flatten().collect()].concat())
    };
    check("a list of 140 KB", wide, Cause::HeaderFlood).await;
    // One field goes into the table, and then an index of a byte stands for it, again and again
    // (RFC 7541, section 6.1).
    let bomb = |s| {
        let entry = [&[0x40, 3][..], b"x-a", &[100], &[b'0'; 100]].concat();
        let payload = [fields(&entry), vec![0xBE; 16_000]].concat();
        Frames::once(frame(HEADERS, 0, s, &payload)).then_for_ever(frame(CONTINUATION, 0, s, &[0xBE; 16_000]))
    };
    check("a bomb of headers", bomb, Cause::HeaderFlood).await;
    let interim = |s| frame(HEADERS, END_HEADERS, s, &field(":status", "103")).repeat(500);
    check("103 for ever", move |s| Frames::once(Vec::new()).then_for_ever(interim(s)), Cause::ResponseTimeout).await;
}

#[tokio::test]
async fn frames_of_the_connection_without_end() {
    for (name, flood) in [
        ("PING", frame(PING, 0, 0, &[0; 8])),
        ("answers to PING", frame(PING, 1, 0, &[0; 8])),
        ("SETTINGS", frame(SETTINGS, 0, 0, &[])),
        ("SETTINGS that change", frame(SETTINGS, 0, 0, &[0, 4, 0, 1, 0, 0])),
        ("WINDOW_UPDATE", frame(WINDOW_UPDATE, 0, 0, &1u32.to_be_bytes())),
        ("PRIORITY", frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 0])),
        ("unknown frames", frame(0xFA, 0, 0, &[0; 8])),
    ] {
        let flood = flood.repeat(500);
        let (heard, deaf) = (flood.clone(), flood);
        // A frame may be refused once it comes too often.
        let server = FrameServer::start(move |_| Frames::once(Vec::new()).then_for_ever(heard.clone())).await;
        let error = server.identity.fetcher(impatient).follow(&server.server.url()).await.expect_err(name);
        let is_known = matches!(error.cause(), Cause::ResponseTimeout | Cause::HeaderFlood | Cause::BadHttp);
        assert!(is_known, "{name}: {error}");
        // The same from a server that does not read the answers to it.
        let server = FrameServer::start(move |_| Frames::once(Vec::new()).then_for_ever(deaf.clone()).deaf()).await;
        let error = server.identity.fetcher(impatient).follow(&server.server.url()).await.expect_err(name);
        let is_known = matches!(error.cause(), Cause::ResponseTimeout | Cause::HeaderFlood | Cause::BadHttp);
        assert!(is_known, "{name}, deaf: {error}");
    }
}

/// A server that answers, and then floods the idle connection.
#[tokio::test]
async fn floods_of_an_idle_connection_end_with_it() {
    let ping = frame(PING, 0, 0, &[0; 8]).repeat(500);
    let server = FrameServer::start(move |s| Frames::once(page(s)).then_for_ever(ping.clone())).await;
    let fetcher = server.identity.fetcher(impatient);
    assert_eq!(fetcher.follow(&server.server.url()).await.unwrap().body, b"<p>Hello");
    // The fetcher lives on.
    for _ in 0..1_200 {
        if server.floods_ended() > 0 {
            return;
        }
        tokio::time::sleep(100 * MS).await;
    }
    panic!("the connection is open after two minutes");
}

#[tokio::test]
async fn streams_that_are_reset() {
    let reset = |stream, code: u32| frame(RST_STREAM, 0, stream, &code.to_be_bytes());
    check("RST_STREAM", move |s| Frames::once(reset(s, 8)), Cause::Reset).await;
    check("RST_STREAM in the body", move |s| Frames::once([head(s), reset(s, 2)].concat()), Cause::Reset).await;
    let again = move |s| Frames::once(Vec::new()).then_for_ever(reset(s, 8).repeat(1_000));
    check("RST_STREAM for ever", again, Cause::Reset).await;
    let others = move |_| {
        let ids = (1..500).map(|n| reset(2 * n + 1, 8));
        Frames::once(Vec::new()).then_for_ever(ids.flatten().collect())
    };
    check("RST_STREAM of other streams", others, Cause::BadHttp).await;
    let promise = |s| frame(PUSH_PROMISE, END_HEADERS, s, &[&2u32.to_be_bytes()[..], &fields(&[])].concat());
    check("PUSH_PROMISE", move |s| Frames::once(promise(s)), Cause::BadHttp).await;
    let away = |code: u32| frame(GOAWAY, 0, 0, &[[0; 4], code.to_be_bytes()].concat());
    check("GOAWAY", move |_| Frames::once(away(0)).then_closed(), Cause::Incomplete).await;
    check("GOAWAY with a reason", move |_| Frames::once(away(11)).then_closed(), Cause::Reset).await;
    check("closed", |_| Frames::once(Vec::new()).then_closed(), Cause::Incomplete).await;
    check("closed in the body", |s| Frames::once(head(s)).then_closed(), Cause::Incomplete).await;
}

#[tokio::test]
async fn windows_that_stay_closed_or_overflow() {
    // Servers that give us no window: a request without a body needs none.
    let closed = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let server = FrameServer::start_with(closed, |s| Frames::once(page(s))).await;
    let fetched = server.identity.fetcher(impatient).follow(&server.server.url()).await.unwrap();
    assert_eq!(fetched.body, b"<p>Hello");
    check("a window, and no body", |s| Frames::once(head(s)), Cause::TooSlow).await;
    let byte = |s| frame(DATA, 0, s, b"a");
    check("a byte, and no more", move |s| Frames::once([head(s), byte(s)].concat()), Cause::TooSlow).await;
    let most = (u32::MAX >> 1).to_be_bytes();
    let wide = move |_| Frames::once(frame(WINDOW_UPDATE, 0, 0, &most).repeat(2));
    check("a window beyond its most", wide, Cause::BadHttp).await;
    let none = |_| Frames::once(frame(WINDOW_UPDATE, 0, 0, &[0; 4]));
    check("a window of nothing", none, Cause::BadHttp).await;
    let empty = |s| frame(DATA, 0, s, &[]).repeat(500);
    let nothing = move |s| Frames::once(head(s)).then_for_ever(empty(s));
    let server = FrameServer::start(nothing).await;
    let error = server.identity.fetcher(impatient).follow(&server.server.url()).await.unwrap_err();
    assert!(matches!(error.cause(), Cause::BadHttp | Cause::TooSlow), "empty frames: {error}");
    // More than the window that we give.
    let flood = |s| Frames::once(head(s)).then_for_ever(frame(DATA, 0, s, &[b'a'; 16_000]));
    let server = FrameServer::start(flood).await;
    let cut = server.identity.fetcher(impatient).follow(&server.server.url()).await;
    let most = Config::default().max_body_bytes;
    assert!(cut.as_ref().map_or_else(|error| error.cause() == Cause::BadHttp, |page| page.body.len() <= most));
    assert!(server.sent() < 4 * most, "{} bytes", server.sent());
}

#[tokio::test]
async fn what_is_no_http2_at_all() {
    check_with("HTTP/1.1", b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), |_| Frames::once(Vec::new()), Cause::BadHttp)
        .await;
    check("a frame too long", |_| Frames::once(frame(DATA, 0, 0, &[0; 1 << 20])), Cause::BadHttp).await;
    check("a PING of a stream", |s| Frames::once(frame(PING, 0, s, &[0; 8])), Cause::BadHttp).await;
    check("DATA before the head", |s| Frames::once(frame(DATA, 0, s, b"a")), Cause::BadHttp).await;
    check("no status", |s| Frames::once(frame(HEADERS, END_HEADERS, s, &field("x", "y"))), Cause::BadHttp).await;
    check("nothing", |_| Frames::once(Vec::new()), Cause::ResponseTimeout).await;
    let lie = |s| {
        let head = frame(HEADERS, END_HEADERS, s, &fields(&field("content-length", "3")));
        Frames::once([head, frame(DATA, END_STREAM, s, b"<p>Hello")].concat())
    };
    check("more than it says", lie, Cause::BadHttp).await;
}
