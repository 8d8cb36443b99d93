//! The `tsrec` command: parse arguments, start tracing, dispatch.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match tsrec::cli::run(tsrec::cli::Cli::parse()) {
        Ok(code) => code,
        // A reader that has seen enough (`tsrec … | head`) is no error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("tsrec: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
