//! `tsrec why`: all that the crawl knows of a URL.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;
use url::Url;

use super::access::{self, Access, DataDir};
use super::frontier::state_and_date;
use tsrec_core::html::printable;
use tsrec_core::words::number_of;
use tsrec_crawl::frontier::{HostStatus, Section, UrlStatus};
use tsrec_server::http::{HowFound, Why};

/// The exit code if nothing is known of the URL.
const UNKNOWN: u8 = 3;

/// Arguments of `tsrec why`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page's URL.
    #[arg(value_parser = super::input::url)]
    url: Url,
    /// Print everything as a JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data_dir: DataDir,
}

pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let why = access::block_on(async { Access::open_with_frontier(&args.data_dir).await?.why(&args.url).await })?;
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&why)?)?,
        false => tell(&mut out, &why)?,
    }
    if !why.is_unknown() {
        return Ok(ExitCode::SUCCESS);
    }
    let add = format!("tsrec add {} puts it into the crawl", why.url);
    writeln!(std::io::stderr(), "tsrec: the crawl knows nothing of {}; {add}", why.url)?;
    Ok(ExitCode::from(UNKNOWN))
}

fn tell(out: &mut dyn Write, why: &Why) -> Result<()> {
    writeln!(out, "{}", why.url)?;
    if let Some(status) = &why.frontier {
        tell_status(out, status)?;
    }
    if let Some(host) = &why.host {
        tell_host(out, host, why.host_stopped)?;
    }
    for section in why.sections.iter().filter(|section| section.refused > 0 || section.trap.is_some()) {
        tell_section(out, section)?;
    }
    match &why.extraction {
        Some(found) => tell_extraction(out, found),
        None => row(out, "content", "not stored"),
    }
}

/// A line of the answer. Servers choose much of what is said.
fn row(out: &mut dyn Write, name: &str, said: &str) -> Result<()> {
    Ok(writeln!(out, "  {name:<9} {}", printable(said))?)
}

fn tell_status(out: &mut dyn Write, status: &UrlStatus) -> Result<()> {
    let (state, date) = state_and_date(status.state);
    let date = date.map(|date| format!(", due again {date:.0}")).unwrap_or_default();
    row(out, "state", &format!("{state}{date}"))?;
    let found = match &status.found_on {
        Some(page) => format!("on {page}, {} from a seed", number_of(u64::from(status.depth), "link")),
        None if status.depth == 0 => "a seed, or added".to_owned(),
        None => format!("{} from a seed", number_of(u64::from(status.depth), "link")),
    };
    row(out, "found", &found)?;
    if let Some(last) = &status.last {
        row(out, "last", &format!("{:.0}: {}", last.at, last.said))?;
    }
    if let Some(robots) = &status.robots {
        row(out, "robots", robots)?;
    }
    for request in &status.requests {
        row(out, "request", &format!("{:.0}: {}, {} ms", request.at, request.what, request.took_ms))?;
    }
    Ok(())
}

fn tell_host(out: &mut dyn Write, host: &HostStatus, is_stopped: bool) -> Result<()> {
    let mut said = vec![format!("one request each {}", humantime::format_duration(host.delay))];
    if is_stopped {
        said.push("stopped by an operator (tsrec frontier resume HOST)".to_owned());
    }
    if host.failures > 0 {
        said.push(format!("{} in a row", number_of(u64::from(host.failures), "failure")));
    }
    if let Some(from) = host.retry_from {
        said.push(format!("no request before {from:.0}"));
    }
    row(out, "host", &said.join(", "))
}

fn tell_section(out: &mut dyn Write, section: &Section) -> Result<()> {
    let name = if section.section.is_empty() { &section.host } else { &section.section };
    let trap = section.trap.as_ref().map(|trap| format!(", a trap: no new pages until {:.0}", trap.until));
    let refused =
        format!("{} of {name}, {} refused", number_of(section.urls, "URL"), number_of(section.refused, "link"));
    row(out, "section", &(refused + &trap.unwrap_or_default()))
}

fn tell_extraction(out: &mut dyn Write, found: &HowFound) -> Result<()> {
    let HowFound { fetched_at, changed_at, method, confidence, words, sibling, template, gates, cut, .. } = found;
    let words = number_of(*words, "word");
    row(out, "content", &format!("{words} by {method}, confidence {confidence:.2}"))?;
    row(out, "fetched", &format!("{fetched_at:.0}, changed {changed_at:.0}"))?;
    if let Some(sibling) = sibling {
        row(out, "sibling", sibling)?;
    }
    if let Some(template) = template {
        let pages = number_of(u64::from(template.pages), "other page");
        row(out, "template", &format!("number {}, known from {pages}", template.number))?;
    }
    for gate in gates.as_array().into_iter().flatten().filter(|gate| gate["passed"] == Value::Bool(false)) {
        row(out, "gate", &format!("failed: {gate}"))?;
    }
    if !cut.is_empty() {
        row(out, "cut", &cut.join(", "))?;
    }
    Ok(())
}
