//! Frames of HTTP/2, and a server that sends them as a test says.

use super::*;

/// What a client sends first (RFC 9113, section 3.4).
const PREFACE_BYTES: usize = 24;

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const PRIORITY: u8 = 2;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PUSH_PROMISE: u8 = 5;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
pub(super) const CONTINUATION: u8 = 9;

pub(super) const END_STREAM: u8 = 1;
pub(super) const END_HEADERS: u8 = 4;

/// A frame (RFC 9113, section 4.1).
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header field as HPACK writes it without a table (RFC 7541, section 6.2.2). Both parts are
/// shorter than 127 bytes.
pub(super) fn field(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}

/// The fields of an answer: 200, HTML, and these.
pub(super) fn fields(more: &[u8]) -> Vec<u8> {
    [&field(":status", "200"), &field("content-type", "text/html"), more].concat()
}

/// The head of an answer.
pub(super) fn head(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, &fields(&[]))
}

/// A page.
pub(super) fn page(stream: u32) -> Vec<u8> {
    [head(stream), frame(DATA, END_STREAM, stream, b"<p>Hello")].concat()
}

/// What the server sends after a request: some bytes once, then others again and again, as fast as
/// the client reads.
pub(super) struct Frames {
    pub(super) once: Vec<u8>,
    pub(super) for_ever: Vec<u8>,
    /// Whether it closes the connection then.
    pub(super) closes: bool,
    /// Whether it reads what the client sends meanwhile.
    pub(super) reads: bool,
}

impl Frames {
    /// Sends these bytes, and nothing more.
    pub(super) fn once(once: Vec<u8>) -> Self {
        Self { once, for_ever: Vec::new(), closes: false, reads: true }
    }

    pub(super) fn then_for_ever(self, for_ever: Vec<u8>) -> Self {
        Self { for_ever, ..self }
    }

    pub(super) fn then_closed(self) -> Self {
        Self { closes: true, ..self }
    }

    pub(super) fn deaf(self) -> Self {
        Self { reads: false, ..self }
    }
}

/// A server of HTTP/2 that answers each request as the test says for its stream.
pub(super) struct FrameServer {
    pub(super) server: TlsServer,
    pub(super) identity: Identity,
    counts: Arc<Counts>,
}

/// What a server counts.
#[derive(Default)]
struct Counts {
    /// Bytes sent for ever, so far.
    sent: AtomicUsize,
    /// Connections that the client closed meanwhile.
    floods_ended: AtomicUsize,
}

impl FrameServer {
    pub(super) async fn start(answer: impl Fn(u32) -> Frames + Send + Sync + 'static) -> Self {
        Self::start_with(frame(SETTINGS, 0, 0, &[]), answer).await
    }

    /// Begins each connection with these bytes.
    pub(super) async fn start_with(first: Vec<u8>, answer: impl Fn(u32) -> Frames + Send + Sync + 'static) -> Self {
        let identity = Identity::new(&["h2"]);
        let (counts, answer) = (Arc::new(Counts::default()), Arc::new(answer));
        let counted = Arc::clone(&counts);
        let server = TlsServer::start(&identity, move |stream| {
            serve(stream, first.clone(), Arc::clone(&answer), Arc::clone(&counted))
        })
        .await;
        Self { server, identity, counts }
    }

    /// Bytes sent for ever, so far.
    pub(super) fn sent(&self) -> usize {
        self.counts.sent.load(Ordering::Relaxed)
    }

    /// Connections that the client closed meanwhile.
    pub(super) fn floods_ended(&self) -> usize {
        self.counts.floods_ended.load(Ordering::Relaxed)
    }
}

/// Answers each request with a page.
pub(super) async fn serve_pages(stream: TlsStream<TcpStream>) {
    let answer = Arc::new(|stream| Frames::once(page(stream)));
    serve(stream, frame(SETTINGS, 0, 0, &[]), answer, Arc::default()).await;
}

async fn serve(stream: TlsStream<TcpStream>, first: Vec<u8>, answer: Arc<impl Fn(u32) -> Frames>, counts: Arc<Counts>) {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let mut preface = [0; PREFACE_BYTES];
    if reader.read_exact(&mut preface).await.is_err() || writer.write_all(&first).await.is_err() {
        return;
    }
    let _ = writer.flush().await;
    while let Some(stream) = request(&mut reader).await {
        let frames = answer(stream);
        let (once, for_ever) = (frames.once, frames.for_ever);
        let writing = write(&mut writer, &once, &for_ever, &counts.sent);
        if for_ever.is_empty() {
            writing.await;
        } else {
            let reading = async {
                while frames.reads && request(&mut reader).await.is_some() {}
                if !frames.reads {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                () = writing => {}
                () = reading => {}
            }
            counts.floods_ended.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if frames.closes {
            let _ = writer.shutdown().await;
            return;
        }
    }
}

/// Reads frames up to the next request; `None` at the end.
async fn request<S: AsyncRead>(reader: &mut ReadHalf<S>) -> Option<u32> {
    loop {
        let mut head = [0; 9];
        reader.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        reader.read_exact(&mut vec![0; length]).await.ok()?;
        if head[3] == HEADERS {
            return Some(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
        }
    }
}

async fn write<S: AsyncWrite>(writer: &mut WriteHalf<S>, once: &[u8], for_ever: &[u8], sent: &AtomicUsize) {
    // If the client closes early because it has read enough, writing fails.
    if writer.write_all(once).await.is_err() || writer.flush().await.is_err() || for_ever.is_empty() {
        return;
    }
    while writer.write_all(for_ever).await.is_ok() {
        sent.fetch_add(for_ever.len(), Ordering::Relaxed);
    }
}
