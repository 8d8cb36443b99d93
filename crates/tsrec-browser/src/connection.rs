//! The DevTools protocol over a pair of pipes: JSON messages, each ended by a zero byte.
//!
//! Two threads read and write, so that a caller waits no longer than its deadline, even if the
//! browser neither reads nor writes. Both threads end when the browser's ends of the pipes are
//! closed.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Instant;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

/// The longest message read, in bytes. A page at the default limits gives at most 100 MB; the
/// bound is for trees that scripts make.
const MAX_MESSAGE: usize = 256 << 20;

/// Messages read ahead; after that the browser waits.
const READ_AHEAD: usize = 256;

/// What can go wrong with a running browser.
#[derive(Debug)]
pub(super) enum BrowserFault {
    /// It closed the connection, so it has ended.
    Closed,
    /// It did not answer in time.
    Late,
    /// A message was longer than so many bytes.
    TooLarge(usize),
    /// The page's process ended.
    PageCrashed,
    /// The page navigated to another page.
    Left,
    /// It refused a command.
    Refused { command: &'static str, message: String },
    /// Its answer was invalid.
    Answer(String),
}

/// The id of a sent command, to match its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommandId(u64);

/// A message from the browser.
#[derive(Debug)]
pub(super) enum Message {
    Answer(CommandAnswer),
    Event(Event),
}

/// The answer to a command.
#[derive(Debug)]
pub(super) struct CommandAnswer {
    pub(super) id: CommandId,
    /// The error, if the command failed.
    error: Option<String>,
    message: Vec<u8>,
}

/// An event, in the session of a page or in none.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub(super) method: String,
    #[serde(rename = "sessionId")]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
}

/// One end of the pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<Result<Vec<u8>, BrowserFault>>,
    last_id: u64,
}

impl Pipes {
    pub(super) fn new(to: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Self {
        let (outgoing, to_be_written) = channel();
        let (read, incoming) = sync_channel(READ_AHEAD);
        std::thread::spawn(move || write_messages(to, &to_be_written));
        std::thread::spawn(move || read_messages(from, &read));
        Pipes { outgoing, incoming, last_id: 0 }
    }

    /// Sends a command to the browser or to a page's session. Does not wait.
    pub(super) fn send(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<CommandId, BrowserFault> {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let mut message = command.to_string().into_bytes();
        message.push(0);
        self.outgoing.send(message).map_err(|_| BrowserFault::Closed)?;
        Ok(CommandId(self.last_id))
    }

    /// The next message.
    pub(super) fn next(&mut self, deadline: Instant) -> Result<Message, BrowserFault> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.incoming.recv_timeout(left) {
            Ok(message) => Message::read(message?),
            Err(RecvTimeoutError::Timeout) => Err(BrowserFault::Late),
            Err(RecvTimeoutError::Disconnected) => Err(BrowserFault::Closed),
        }
    }

    /// Sends a command to the browser itself and waits for the answer. Skips all other messages.
    pub(super) fn ask<T: DeserializeOwned>(
        &mut self,
        method: &'static str,
        params: &Value,
        deadline: Instant,
    ) -> Result<T, BrowserFault> {
        let id = self.send(None, method, params)?;
        loop {
            match self.next(deadline)? {
                Message::Answer(answer) if answer.id == id => return answer.result(method),
                _ => {}
            }
        }
    }
}

impl Message {
    fn read(message: Vec<u8>) -> Result<Message, BrowserFault> {
        #[derive(Deserialize)]
        struct Head {
            id: Option<u64>,
            error: Option<Refusal>,
        }
        #[derive(Deserialize)]
        struct Refusal {
            message: String,
        }
        let head: Head = serde_json::from_slice(&message).map_err(not_understood)?;
        Ok(match head.id {
            Some(id) => Message::Answer(CommandAnswer {
                id: CommandId(id),
                error: head.error.map(|error| error.message),
                message,
            }),
            None => Message::Event(serde_json::from_slice(&message).map_err(not_understood)?),
        })
    }
}

impl CommandAnswer {
    /// The result of `command`.
    pub(super) fn result<T: DeserializeOwned>(self, command: &'static str) -> Result<T, BrowserFault> {
        #[derive(Deserialize)]
        struct Body<T> {
            result: T,
        }
        match self.error {
            Some(message) => Err(BrowserFault::Refused { command, message }),
            None => serde_json::from_slice(&self.message).map(|Body { result }| result).map_err(not_understood),
        }
    }
}

/// A command's answer without a result.
pub(super) type CommandDone = IgnoredAny;

fn not_understood(error: serde_json::Error) -> BrowserFault {
    BrowserFault::Answer(error.to_string())
}

fn write_messages(mut to: impl Write, messages: &Receiver<Vec<u8>>) {
    for message in messages {
        // If the browser has gone, the wait for the answer shows it.
        if to.write_all(&message).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

fn read_messages(from: impl Read, messages: &SyncSender<Result<Vec<u8>, BrowserFault>>) {
    let mut from = BufReader::new(from);
    loop {
        let mut message = Vec::new();
        let read = from.by_ref().take(MAX_MESSAGE as u64).read_until(0, &mut message);
        let message = match (read, message.pop()) {
            (Ok(_), Some(0)) => Ok(message),
            (Ok(MAX_MESSAGE), _) => Err(BrowserFault::TooLarge(MAX_MESSAGE)),
            _ => Err(BrowserFault::Closed),
        };
        let is_last = message.is_err();
        if messages.send(message).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::time::Duration;

    use super::*;

    fn connection(incoming: &'static [u8]) -> (Pipes, Instant) {
        (Pipes::new(std::io::sink(), Cursor::new(incoming)), Instant::now() + Duration::from_secs(1))
    }

    #[test]
    fn answers_are_told_from_events_and_from_those_to_others() {
        let (mut connection, deadline) = connection(
            b"{\"method\":\"A.b\",\"params\":{}}\0{\"id\":7,\"result\":{\"x\":1}}\0{\"id\":1,\"result\":{\"x\":2}}\0",
        );
        #[derive(Deserialize)]
        struct X {
            x: u32,
        }
        let X { x } = connection.ask("C.d", &json!({}), deadline).unwrap();
        assert_eq!(x, 2);
    }

    #[test]
    fn each_fault_is_told() {
        for (incoming, expect) in [
            (&b""[..], "Closed"),
            (b"{\"id\":1,\"result\"", "Closed"),
            (
                b"{\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}\0",
                "Refused { command: \"C.d\", message: \"no\" }",
            ),
            (b"{\"id\":1,\"result\":7}\0 nonsense\0", "Answer"),
            (b"nonsense\0", "Answer"),
        ] {
            let (mut connection, deadline) = connection(incoming);
            let fault = connection.ask::<String>("C.d", &json!({}), deadline).unwrap_err();
            assert!(format!("{fault:?}").starts_with(expect), "{incoming:?}: {fault:?}");
        }
    }

    #[test]
    fn a_silent_browser_is_not_waited_for_past_the_deadline() {
        let (from, _held) = std::io::pipe().unwrap();
        let mut connection = Pipes::new(std::io::sink(), from);
        let fault = connection.next(Instant::now() + Duration::from_millis(20)).unwrap_err();
        assert!(matches!(fault, BrowserFault::Late), "{fault:?}");
    }
}
