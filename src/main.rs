//! The `tsrec` command: parse arguments, start tracing, dispatch.

use std::process::ExitCode;

use clap::Parser;

/// What glibc's allocator has in its arenas it keeps: half of a busy daemon's memory was free, and
/// grew. This one gives it back.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match tsrec::cli::run(tsrec::cli::Cli::parse()) {
        Ok(code) => code,
        // A reader that has seen enough (`tsrec … | head`) is no error.
        Err(error) if tsrec_terminal::usage::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("tsrec: {error:#}");
            }
            tsrec::cli::exit_code(&error)
        }
    }
}
