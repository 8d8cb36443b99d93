//! Losses that a command met: named on standard error, and told by the exit code of the program.

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use tsrec_core::words::number_of;
use tsrec_crawl::frontier::mended;
use tsrec_store::Recovery;

/// The exit code if damage or a loss was found. It wins over all others.
const DAMAGED: u8 = 4;

/// Whether this process met a loss.
static IS_MET: AtomicBool = AtomicBool::new(false);

/// Whether this process is a command that reads a frontier. A crawl mends it and goes on.
static READS_FRONTIER: AtomicBool = AtomicBool::new(false);

/// Notes that the command reads a frontier: what it finds damaged there is reported at its end.
pub(super) fn reads_frontier() {
    READS_FRONTIER.store(true, Ordering::Relaxed);
}

/// Reports what was damaged in the frontier.
fn report_frontier() {
    let mended = if READS_FRONTIER.load(Ordering::Relaxed) { mended() } else { 0 };
    if mended > 0 {
        let entries = number_of_entries(mended);
        let _ = writeln!(
            std::io::stderr(),
            "tsrec: {entries} of the frontier damaged and mended: what was known of these URLs or hosts is lost, and \
             the crawl finds it anew"
        );
        note();
    }
}

fn number_of_entries(count: u64) -> String {
    if count == 1 { "an entry was".to_owned() } else { format!("{count} entries were") }
}

/// Reports what opening a store found lost.
pub(super) fn report(found: &Recovery) {
    if let Some(report) = found.report() {
        // Whoever closed standard error still gets the exit code.
        let _ = writeln!(
            std::io::stderr(),
            "tsrec: {report}. `tsrec store stats` lists it until `tsrec store acknowledge`"
        );
        note();
    }
}

/// Reports a record that cannot be read.
pub(super) fn report_unreadable(url: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "tsrec: the record of {url} cannot be read, and is lost: {why}");
    note();
}

/// Reports reads of frames that failed.
pub(super) fn report_frames(count: u64) {
    let _ = writeln!(
        std::io::stderr(),
        "tsrec: {} of the journal cannot be read: what was in them is lost. The next command that opens the store \
         reads everything, and lists the loss",
        number_of(count, "frame")
    );
    note();
}

/// Notes a loss that is reported otherwise.
pub(super) fn note() {
    IS_MET.store(true, Ordering::Relaxed);
}

/// The exit code of the program, given that of a command.
pub(super) fn exit_code(of_command: ExitCode) -> ExitCode {
    report_frontier();
    match IS_MET.load(Ordering::Relaxed) {
        true => ExitCode::from(DAMAGED),
        false => of_command,
    }
}
