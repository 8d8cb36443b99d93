//! Lines of a request's body, read as they come.

use std::pin::pin;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

/// The lines of a body, one at a time in memory. Blank lines are skipped but counted.
pub(super) struct Lines {
    body: Body,
    most: usize,
    /// How to have longer ones, in words.
    way_out: &'static str,
    number: u64,
    /// What has come and is no line yet.
    rest: Vec<u8>,
    /// How much of it has no line break.
    seen: usize,
    is_over: bool,
}

impl Lines {
    /// Lines of at most so many bytes. `way_out` tells how to have longer ones.
    pub(super) fn new(body: Body, most: usize, way_out: &'static str) -> Lines {
        Lines { body, most, way_out, number: 0, rest: Vec::new(), seen: 0, is_over: false }
    }

    /// The next line and its number, from 1. A line that is too long, or a body that breaks off, is
    /// an error in its place.
    pub(super) async fn next(&mut self) -> Option<(u64, Result<Bytes, String>)> {
        loop {
            let line = self.line().await?;
            self.number += 1;
            match line {
                Ok(line) if line.trim_ascii().is_empty() => {}
                line => return Some((self.number, line.map(Bytes::from))),
            }
        }
    }

    async fn line(&mut self) -> Option<Result<Vec<u8>, String>> {
        let mut is_long = false;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.rest[self.seen..]) {
                let after = self.rest.split_off(self.seen + at + 1);
                let line = std::mem::replace(&mut self.rest, after);
                self.seen = 0;
                return Some(if is_long { Err(self.too_long()) } else { Ok(line) });
            }
            self.seen = self.rest.len();
            if self.seen > self.most {
                is_long = true;
                (self.rest, self.seen) = (Vec::new(), 0);
            }
            match pin!(self.body.frame()).await {
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    self.rest.extend_from_slice(&data);
                }
                Some(Err(error)) if !self.is_over => {
                    self.is_over = true;
                    return Some(Err(format!("the request broke off: {error}")));
                }
                _ if self.is_over => return None,
                _ => {
                    self.is_over = true;
                    self.seen = 0;
                    return match std::mem::take(&mut self.rest) {
                        _ if is_long => Some(Err(self.too_long())),
                        rest if rest.is_empty() => None,
                        rest => Some(Ok(rest)),
                    };
                }
            }
        }
    }

    fn too_long(&self) -> String {
        format!("the line has more than {} bytes{}", self.most, self.way_out)
    }

    /// Reads to the end.
    pub(super) async fn skip_all(mut self) {
        while let Some(Ok(_)) = self.body.frame().await {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::stream::AnswerPieces;

    async fn lines(pieces: &[&str], most: usize) -> Vec<(u64, Result<String, ()>)> {
        let pieces: Vec<std::io::Result<String>> = pieces.iter().map(|piece| Ok((*piece).to_owned())).collect();
        let (sender, receiver) = tokio::sync::mpsc::channel(pieces.len().max(1));
        for piece in pieces {
            sender.send(piece.map(Bytes::from)).await.unwrap();
        }
        drop(sender);
        let mut lines = Lines::new(Body::new(AnswerPieces(receiver)), most, "");
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next().await {
            let line = line.map(|line| String::from_utf8_lossy(&line).trim_end().to_owned());
            all.push((number, line.map_err(drop)));
        }
        all
    }

    #[tokio::test]
    async fn lines_are_counted_wherever_they_are_parted() {
        for (pieces, expect) in [
            (&[][..], vec![]),
            (&["a\nb\n"], vec![(1, Ok("a")), (2, Ok("b"))]),
            (&["a\nb"], vec![(1, Ok("a")), (2, Ok("b"))]),
            (&["a", "b\n", "\n", "c\r", "\nd"], vec![(1, Ok("ab")), (3, Ok("c")), (4, Ok("d"))]),
            (&["\n\n \n"], vec![]),
            (&["123456789\na\n"], vec![(1, Ok("123456789")), (2, Ok("a"))]),
            (&["123456789", "0\na\n"], vec![(1, Err(())), (2, Ok("a"))]),
            (&["123456789", "0", "1"], vec![(1, Err(()))]),
            (&["123456789", "0\n", "\n", "12345678901", "2"], vec![(1, Err(())), (3, Err(()))]),
        ] {
            let expect: Vec<_> = expect.into_iter().map(|(number, line)| (number, line.map(str::to_owned))).collect();
            assert_eq!(lines(pieces, 8).await, expect, "{pieces:?}");
        }
    }
}
