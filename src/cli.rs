//! The command line: one file per subcommand. Code that the library could have does not belong
//! here.

mod access;
mod add;
mod addresses;
mod annotate;
mod batch;
mod changes;
mod compare;
mod completions;
mod configuration;
mod crawl;
mod csv;
mod daemon;
mod demo;
mod diff;
mod explain;
mod export;
mod extract;
mod file_name;
mod filter;
mod frontier;
mod get;
mod input;
mod list;
mod listing;
mod log_pipe;
mod loss;
mod moved;
mod output;
mod page_index;
mod pair;
mod robots;
mod seeds;
mod serve;
mod served;
mod store;
mod teach;
mod telemetry;
mod template;
mod why;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use tsrec_terminal::usage;

use crate::config;
use crate::crawler::CrawlError;

/// Takes the boilerplate off web pages by comparing them with each other.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// How much to log to standard error: a level, or `tracing` directives such as
    /// tsrec_crawl::fetch=debug [default: warn; for crawl what the configuration says, which is
    /// info].
    #[arg(long, global = true, env = "TSREC_LOG", value_name = "FILTER", value_parser = telemetry::filter)]
    log: Option<String>,
}

const EXIT_CODES: &str = "Exit codes: 0 success; 1 an error, named on standard error, or crawl --once stored nothing; 2 wrong arguments; \
                          3 the page is not in the store (get), or the crawl knows nothing of the URL (why); 4 a command that reads the store found damage or a loss, or cannot read a record, named on standard error; \
                          5 some pages of a batch failed, each named with its error (extract --batch); \
                          78 the configuration cannot be used; 130 a second signal ended the crawl at once.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Crawl a built-in example site on loopback and show the results.
    Demo(demo::Args),
    /// Print the content of one page, or with --batch of many. Siblings to compare it with are
    /// optional.
    Extract(extract::Args),
    /// Print the content of page A, after a comparison with page B.
    Diff(diff::Args),
    /// Crawl: fetch, pair, extract and store pages until you stop it.
    Crawl(crawl::Args),
    /// Put URLs into a crawl, running or not: one, or a million.
    Add(add::Args),
    /// Serve extraction to other crawlers, and the store, over HTTP: the API without a crawl.
    Serve(serve::Args),
    /// List the pages of the store.
    List(list::Args),
    /// Print the stored record of a page.
    Get(get::Args),
    /// Print the change feed, one JSON object per line.
    Changes(changes::Args),
    /// Export the records of the store as JSON lines, Parquet, a web archive or a folder of
    /// Markdown.
    Export(export::Args),
    /// Print all that the crawl knows of a URL: where it was found, its visits, how its content was
    /// found.
    Why(why::Args),
    /// Show and change URLs and hosts of the frontier.
    Frontier(frontier::Args),
    /// Verify, repair, compact, back up or restore a store.
    Store(store::Args),
    /// Check a configuration, or print the values in effect.
    Config(configuration::Args),
    /// Learn, list, show, drop, export and import a site's templates, in a file or a data
    /// directory.
    Template(template::Args),
    /// Label the blocks of a page by hand, in a browser.
    Annotate(annotate::Args),
    /// Apply the labels of one page (tsrec annotate) to its whole site, where they outweigh the
    /// score. --undo takes them back.
    Teach(Box<teach::Args>),
    #[command(hide = true)]
    Untaught(moved::Args),
    #[command(hide = true)]
    Eval(moved::Args),
    #[command(hide = true)]
    Train(moved::Args),
    /// Rate pages as siblings of a page by their URLs, with the reasons.
    Pair(pair::Args),
    /// Print whether a robots.txt allows URLs, and by which rule.
    Robots(robots::Args),
    /// Print the addresses of a sitemap or a feed, one per line.
    Listing(addresses::Args),
    /// Print a script that completes the command line in a shell.
    Completions(completions::Args),
    /// Print the manual, or write a page for each command.
    Man(completions::ManArgs),
}

/// Runs the command. Its output goes to standard output, everything else to standard error.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    run_command(cli).map(loss::exit_code)
}

fn run_command(cli: Cli) -> anyhow::Result<ExitCode> {
    let log = cli.log.as_deref();
    let done = match cli.command {
        Command::Diff(args) => diff::run(&args),
        Command::Extract(args) => return extract::run(&args),
        Command::Pair(args) => pair::run(&args),
        Command::Template(args) => template::run(&args),
        Command::Teach(args) => teach::run(&args),
        Command::Untaught(args) => moved::run("untaught", "tsrec teach --undo NUMBER", &args),
        Command::Eval(args) => moved::run("eval", moved::LAB, &args),
        Command::Train(args) => moved::run("train", moved::LAB, &args),
        Command::Robots(args) => robots::run(&args),
        Command::Listing(args) => addresses::run(&args),
        Command::Annotate(args) => annotate::run(&args),
        Command::Crawl(args) => crawl::run(&args, log),
        Command::Add(args) => add::run(&args),
        Command::Serve(args) => serve::run(&args, log),
        Command::Demo(args) => demo::run(&args, log),
        Command::Get(args) => return get::run(&args),
        Command::List(args) => list::run(&args),
        Command::Changes(args) => changes::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Store(args) => store::run(&args),
        Command::Frontier(args) => frontier::run(&args),
        Command::Why(args) => return why::run(&args),
        Command::Config(args) => configuration::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => completions::man(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// The exit code of an error. A service manager should not retry wrong arguments and configuration
/// errors (`EX_CONFIG` of `sysexits.h`), so these have their own codes.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    const EX_CONFIG: u8 = 78;
    let is_setting = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<config::Error>() || cause.downcast_ref::<CrawlError>().is_some_and(CrawlError::is_setting)
    };
    loss::exit_code(match error {
        error if usage::is_broken_pipe(error) => ExitCode::SUCCESS,
        error if error.is::<usage::Usage>() => ExitCode::from(usage::WRONG_ARGUMENTS),
        error if error.chain().any(is_setting) => ExitCode::from(EX_CONFIG),
        _ => ExitCode::FAILURE,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_fit_together() {
        <super::Cli as clap::CommandFactory>::command().debug_assert();
    }
}
