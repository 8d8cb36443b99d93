//! A disk that fills up. A limit on file sizes acts as a full disk or a quota does. The crawl ends
//! with an error. The store that it leaves opens, is sound and readable, and the crawl continues
//! once there is room.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{crawl, export, operate, tsrec};
use crate::support::site::Site;

/// Runs a program with a limit on its file sizes, in blocks of 512 bytes. A write past the limit
/// fails (EFBIG). The limit is under a megabyte, the length of a small journal's segments.
fn within(blocks: usize, program: &Command) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""), "sh"]);
    command.arg(program.get_program()).args(program.get_args());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Pages that compress badly, in a tree of links. In a chain, late pages would be deeper than the
/// crawl follows links.
fn page(path: &str) -> Option<Vec<u8>> {
    let n: u64 = path.strip_prefix('/')?.strip_suffix(".html")?.parse().unwrap_or(0);
    let links: String =
        (3 * n + 1..3 * n + 4).filter(|n| *n < 60).map(|n| format!("<a href=/{n}.html>{n}</a> ")).collect();
    let words: String = (0..4_000).map(|at| format!("{:x} ", super::kills::mix(n * 10_000 + at))).collect();
    Some(format!("<html><title>{n}</title><body>{links}<h1>{n}</h1><p>{words}</p></body></html>").into_bytes())
}

#[test]
fn a_disk_that_fills_leaves_a_store_that_opens_and_is_read() {
    let (site, dir) = (Site::serve(page), tempfile::tempdir().unwrap());
    for blocks in [1_500, 1_900] {
        let data_dir = dir.path().join(blocks.to_string());
        let mut child = within(blocks, &crawl(&site, &data_dir, "1ms")).spawn().unwrap();
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(60), "it neither ends nor goes on: {blocks}");
            std::thread::sleep(Duration::from_millis(20));
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && !said.contains("panicked"), "{blocks}: {:?} {said}", output.status);
        let before = pages(&data_dir);
        assert!(before > 0 && before < 60, "{blocks}: {before} pages");
        let still_full = within(blocks, tsrec().args(["export", "--data-dir"]).arg(&data_dir)).output().unwrap();
        assert!(still_full.status.success(), "{blocks}: {}", String::from_utf8_lossy(&still_full.stderr));
        assert!(crawl(&site, &data_dir, "1ms").status().unwrap().success());
        assert_eq!(pages(&data_dir), 60, "{blocks}");
    }
}

/// The number of pages in a store that must be sound.
fn pages(data_dir: &Path) -> usize {
    let stats: Value = serde_json::from_str(&operate(data_dir, &["store", "stats"])).unwrap();
    assert_eq!(stats["counts"]["losses"], 0, "{stats}");
    let verified: Value = serde_json::from_str(&operate(data_dir, &["store", "verify"])).unwrap();
    assert_eq!(verified["damaged_frames"], 0, "{verified}");
    export(data_dir).len()
}
