//! Which version is spoken, and what is kept of it.

use super::frames::*;
use super::*;
use crate::fetch::{Cause, FetchRequest, Fetched};

/// A page over HTTP/1.1, for one request after the other.
pub(super) async fn serve_http1(mut stream: TlsStream<TcpStream>) {
    let mut head = Vec::new();
    while let Ok(byte) = stream.read_u8().await {
        head.push(byte);
        if head.ends_with(b"\r\n\r\n") {
            head.clear();
            let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<p>Hello";
            let _ = stream.write_all(page).await;
        }
    }
}

#[tokio::test]
async fn http2_is_spoken_where_tls_agrees_on_it() {
    let server = FrameServer::start(|stream| Frames::once(page(stream))).await;
    let fetcher = server.identity.fetcher(|_| ()).with_exchanges();
    let visit = fetcher.visit(&FetchRequest::new(&server.server.url())).await;
    let Ok(Fetched::Page(page)) = visit.result else { panic!("{:?}", visit.result) };
    let exchange = page.exchange.unwrap();
    assert_eq!((page.body.as_slice(), exchange.is_http2), (&b"<p>Hello"[..], true));
    // Archives have the form of HTTP/1.1.
    assert_eq!(exchange.status_line, "HTTP/1.1 200 OK");
    let request = String::from_utf8(exchange.request).unwrap();
    assert!(request.starts_with("GET /robots.txt?page HTTP/1.1\r\nhost: 127.0.0.1:"), "{request}");
    // The connection is used again.
    for _ in 0..5 {
        fetcher.follow(&server.server.url()).await.unwrap();
    }
    assert_eq!(server.server.connections(), 1);
}

#[tokio::test]
async fn http1_is_spoken_where_tls_does_not() {
    for protocols in [&["http/1.1"][..], &[]] {
        let identity = Identity::new(protocols);
        let server = TlsServer::start(&identity, serve_http1).await;
        let fetcher = identity.fetcher(|_| ()).with_exchanges();
        let page = fetcher.follow(&server.url()).await.unwrap();
        assert!(!page.exchange.unwrap().is_http2, "{protocols:?}");
    }
}

#[tokio::test]
async fn a_certificate_of_nobody_is_refused() {
    let (identity, other) = (Identity::new(&["h2"]), Identity::new(&["h2"]));
    let server = TlsServer::start(&identity, serve_http1).await;
    let error = other.fetcher(|_| ()).follow(&server.url()).await.unwrap_err();
    assert_eq!(error.cause(), Cause::Tls, "{error}");
}

/// HTTP_1_1_REQUIRED (RFC 9113, section 7).
const REQUIRED: [u8; 4] = [0, 0, 0, 13];

/// Asks for HTTP/1.1 with these frames, and serves a page where it is spoken, if at all.
async fn serve_only_http1(stream: TlsStream<TcpStream>, frames: Vec<u8>) {
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        let (mut reader, mut writer) = tokio::io::split(stream);
        let _ = writer.write_all(&[frame(SETTINGS, 0, 0, &[]), frames].concat()).await;
        let _ = writer.flush().await;
        let _ = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await;
    } else {
        serve_http1(stream).await;
    }
}

/// Each way to say it, and whether HTTP/1.1 is offered after it.
#[tokio::test]
async fn a_server_that_wants_http1_gets_it_once() {
    let goaway = frame(GOAWAY, 0, 0, &[&[0; 4][..], &REQUIRED].concat());
    for (name, frames) in [("RST_STREAM", frame(RST_STREAM, 0, 1, &REQUIRED)), ("GOAWAY", goaway)] {
        let identity = Identity::new(&["h2", "http/1.1"]);
        let said = frames.clone();
        let server = TlsServer::start(&identity, move |stream| serve_only_http1(stream, said.clone())).await;
        let fetcher = identity.fetcher(|_| ()).with_exchanges();
        let page = fetcher.follow(&server.url()).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.body == b"<p>Hello" && !page.exchange.unwrap().is_http2, "{name}");
        assert_eq!(server.connections(), 2, "{name}");
        // A server that speaks nothing else gets one more connection, and no third one.
        let identity = Identity::new(&["h2"]);
        let server = TlsServer::start(&identity, move |stream| serve_only_http1(stream, frames.clone())).await;
        let error = identity.fetcher(|_| ()).follow(&server.url()).await.unwrap_err();
        assert_eq!((error.cause(), server.connections()), (Cause::Tls, 2), "{name}: {error}");
    }
}
