//! Code that benches share: numbers that are the same in each run, and figures of a process and of
//! its metrics.
#![allow(dead_code, reason = "no bench takes all of it")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Child;

/// SplitMix64: the n-th pseudo-random number, n from 0 on, the same in each run.
pub(crate) fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Memory of a process in bytes, from one line of its status: `VmRSS:` for now, `VmHWM:` for the
/// peak.
pub(crate) fn memory(child: &Child, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|found| found.strip_prefix(line)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// The answer of `/metrics`, or nothing if no daemon answers.
pub(crate) fn metrics(api: SocketAddr) -> String {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(api)?;
        write!(stream, "GET /metrics HTTP/1.0\r\nHost: {api}\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    };
    ask().unwrap_or_default()
}

/// The value of a metric without labels, or 0 if it is missing.
pub(crate) fn metric(metrics: &str, name: &str) -> f64 {
    let value = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    metrics.lines().find_map(value).unwrap_or(0.0)
}
