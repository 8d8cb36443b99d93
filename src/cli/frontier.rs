//! `tsrec frontier`: shows the frontier and changes it, with or without a running daemon.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use url::{Host, Url};

use super::access::{self, Access, DataDir};
use super::listing::{self, ListingPart};
use tsrec_core::html::printable;
use tsrec_core::words::number_of;
use tsrec_crawl::frontier::{Filter, KeptHost, ListedUrl, Section, Trap, UrlState};
use tsrec_server::http::{HostChange, delay};

/// Arguments of `tsrec frontier`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: FrontierCommand,
    #[command(flatten)]
    data_dir: DataDir,
}

/// The states by name, so that the error for a mistyped one suggests the right one.
fn states() -> impl TypedValueParser<Value = Filter> {
    PossibleValuesParser::new(Filter::names()).try_map(|name| name.parse::<Filter>())
}

#[derive(Debug, clap::Subcommand)]
enum FrontierCommand {
    /// List URLs, with their state and outcome. URLs that are gone have the page that links to
    /// them.
    List {
        /// Only URLs in this state.
        #[arg(long, default_value = "all", value_parser = states())]
        state: Filter,
        /// Only URLs of this host.
        #[arg(long, value_parser = super::input::host)]
        host: Option<Host>,
        /// Print one JSON object per URL.
        #[arg(long)]
        json: bool,
    },
    /// List sections of hosts, with the number of links that each refused. A section holds the URLs
    /// of one pattern, or those below one folder.
    Sections {
        /// Only sections that refused links, or whose pages were copies of each other. A section
        /// refuses links if it or its host is full, or if the host was dropped.
        #[arg(long)]
        refusing: bool,
        /// Only sections of this host.
        #[arg(long, value_parser = super::input::host)]
        host: Option<Host>,
        /// Print one JSON object per section.
        #[arg(long)]
        json: bool,
    },
    /// Make URLs due now, whatever happened to them before.
    Requeue {
        /// The URLs.
        #[arg(required_unless_present = "state", value_parser = super::input::url)]
        urls: Vec<Url>,
        /// Requeue all URLs in this state instead.
        #[arg(long, conflicts_with = "urls", value_parser = states())]
        state: Option<Filter>,
        /// Only URLs of this host.
        #[arg(long, requires = "state", value_parser = super::input::host)]
        host: Option<Host>,
    },
    /// Stop starting requests to a host.
    Pause {
        /// The host.
        #[arg(value_parser = super::input::host)]
        host: Host,
    },
    /// Start requests to a host again, without delay. Also check again what was taken for a trap.
    Resume {
        /// The host.
        #[arg(value_parser = super::input::host)]
        host: Host,
    },
    /// Forget all URLs of a host, and take no new ones until it is resumed. What is stored stays.
    Drop {
        /// The host.
        #[arg(value_parser = super::input::host)]
        host: Host,
    },
    /// Set the delay between two requests to a host. If robots.txt asks for a longer delay, that
    /// one holds.
    Delay {
        /// The host.
        #[arg(value_parser = super::input::host)]
        host: Host,
        /// The delay, such as 5s. Without it, the configured delay holds.
        #[arg(value_parser = delay)]
        delay: Option<Duration>,
    },
}

pub(super) fn run(args: &Args) -> Result<()> {
    access::block_on(async {
        let access = Access::open_with_frontier(&args.data_dir).await?;
        let named = |host: &Option<Host>| host.as_ref().map(Host::to_string);
        match &args.command {
            FrontierCommand::List { state, host, json } => list(&access, *state, named(host).as_deref(), *json).await,
            FrontierCommand::Sections { refusing, host, json } => {
                sections(&access, *refusing, named(host).as_deref(), *json).await
            }
            FrontierCommand::Requeue { urls, state: None, .. } => {
                requeue(&access, urls.iter().map(Url::to_string)).await
            }
            FrontierCommand::Requeue { state: Some(state), host, .. } => {
                let listed = all(&access, *state, named(host).as_deref()).await?;
                requeue(&access, listed.into_iter().map(|listed| listed.url)).await
            }
            FrontierCommand::Pause { host } => access.change_host(&host.to_string(), HostChange::Pause).await,
            FrontierCommand::Resume { host } => access.change_host(&host.to_string(), HostChange::Resume).await,
            FrontierCommand::Delay { host, delay } => {
                access.change_host(&host.to_string(), HostChange::Delay(*delay)).await
            }
            FrontierCommand::Drop { host } => {
                let dropped = access.drop_host(&host.to_string()).await?;
                Ok(writeln!(std::io::stderr(), "tsrec: {} of {host} forgotten", number_of(dropped, "URL"))?)
            }
        }
    })
}

async fn list(access: &Access, state: Filter, host: Option<&str>, json: bool) -> Result<()> {
    listing::write(json, row, async |after| urls(access, state, host, after).await).await
}

async fn sections(access: &Access, refusing: bool, host: Option<&str>, json: bool) -> Result<()> {
    let part = async |after: Option<String>| {
        let part = access.sections(refusing, host, after.as_deref()).await?;
        Ok((part.sections, part.next))
    };
    listing::write(json, section_row, part).await
}

async fn all(access: &Access, state: Filter, host: Option<&str>) -> Result<Vec<ListedUrl>> {
    listing::all(async |after| urls(access, state, host, after).await).await
}

/// Some of its URLs, and the position to continue from.
pub(super) async fn urls(
    access: &Access,
    state: Filter,
    host: Option<&str>,
    after: Option<String>,
) -> Result<ListingPart<ListedUrl>> {
    let part = access.frontier(state, host, after.as_deref()).await?;
    Ok((part.urls, part.next))
}

/// Some of its hosts, and the position to continue from.
pub(super) async fn hosts(access: &Access, after: Option<String>) -> Result<ListingPart<KeptHost>> {
    let hosts = access.hosts(after.as_deref()).await?.hosts;
    let last = hosts.last().map(|last| last.host.clone());
    Ok((hosts, last))
}

async fn requeue(access: &Access, urls: impl Iterator<Item = String>) -> Result<()> {
    let mut requeued = 0;
    for url in urls {
        match access.requeue(&url).await? {
            true => requeued += 1,
            false => writeln!(std::io::stderr(), "tsrec: {url} is not in the frontier, or is being visited")?,
        }
    }
    Ok(writeln!(std::io::stderr(), "tsrec: {} due at once", number_of(requeued, "URL"))?)
}

/// The name of a state, and the date from which the URL is due, if it is scheduled for one.
pub(super) fn state_and_date(state: UrlState) -> (&'static str, Option<Timestamp>) {
    match state {
        UrlState::Discovered => ("discovered", None),
        UrlState::Known { refetchable_from } => ("known", Some(refetchable_from)),
        UrlState::Gone { refetchable_from } => ("gone", Some(refetchable_from)),
        UrlState::Failed { retry_from, .. } => ("failed", Some(retry_from)),
        UrlState::GivenUp { .. } => ("given-up", None),
        UrlState::Skipped => ("skipped", None),
        UrlState::Quarantined => ("quarantined", None),
    }
}

fn row(out: &mut dyn Write, listed: &ListedUrl) -> std::io::Result<()> {
    let (state, date) = state_and_date(listed.status.state);
    let date = date.map_or_else(|| "-".to_owned(), |date| format!("{date:.0}"));
    let said = listed.waits_for.as_ref().map(|sibling| format!("waits for {sibling}"));
    let said = said.or_else(|| listed.status.last.as_ref().map(|last| last.said.clone())).unwrap_or_default();
    // Whoever mends a broken link needs the page that has it.
    let found_on = listed.status.found_on.as_deref().filter(|_| state == "gone");
    let found_on = found_on.map(|page| format!("; a link on {page}")).unwrap_or_default();
    writeln!(out, "{state:<12} {date:<20}  {}  {}{found_on}", listed.url, printable(&said))
}

fn section_row(out: &mut dyn Write, section: &Section) -> std::io::Result<()> {
    let Section { host, section, urls, refused, last_refused, trap } = section;
    write!(out, "{:>13}  {host}{section}", number_of(urls, "URL"))?;
    if *refused > 0 {
        write!(out, "  refused {}, the last {last_refused}", number_of(refused, "link"))?;
    }
    if let Some(Trap { until, times, .. }) = trap {
        write!(out, "  a trap, found {times}×, no new pages until {until:.0}")?;
    }
    writeln!(out)
}
