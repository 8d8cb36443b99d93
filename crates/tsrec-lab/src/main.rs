//! The `tsrec-lab` command.

use std::process::ExitCode;

use clap::Parser;

/// The same allocator as in `tsrec`, so that time and memory can be compared.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match tsrec_lab::cli::run(tsrec_lab::cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // A closed pipe (`tsrec-lab … | head`) is no error.
        Err(error) if tsrec_terminal::usage::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr, reason = "where errors become messages")]
            {
                eprintln!("tsrec-lab: {error:#}");
            }
            tsrec_lab::cli::exit_code(&error)
        }
    }
}
