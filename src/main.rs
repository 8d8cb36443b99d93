//! The `tsrec` command: parse arguments, start tracing, dispatch.

use std::process::ExitCode;

use clap::Parser;

/// glibc's allocator keeps freed memory in its arenas: half of a busy daemon's memory was free, and
/// it grew. This allocator gives it back.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match tsrec::cli::run(tsrec::cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            // A closed pipe (`tsrec … | head`) is no error.
            #[allow(clippy::print_stderr)]
            if !tsrec_terminal::usage::is_broken_pipe(&error) {
                eprintln!("tsrec: {error:#}");
            }
            tsrec::cli::exit_code(&error)
        }
    }
}
