//! Losses that a command met: named on standard error, and told by the exit code of the program.

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use tsrec_store::Recovery;

/// The exit code if damage or a loss was found. It wins over all others.
const DAMAGED: u8 = 4;

/// Whether this process met a loss.
static IS_MET: AtomicBool = AtomicBool::new(false);

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

/// Notes a loss that is reported otherwise.
pub(super) fn note() {
    IS_MET.store(true, Ordering::Relaxed);
}

/// The exit code of the program, given that of a command.
pub(super) fn exit_code(of_command: ExitCode) -> ExitCode {
    match IS_MET.load(Ordering::Relaxed) {
        true => ExitCode::from(DAMAGED),
        false => of_command,
    }
}
