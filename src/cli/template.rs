//! `tsrec template`: shows and changes the memory of a site's templates, in a file or in a store.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Subcommand;
use url::{Host, Url};

use super::access::{self, Access, DataDir};
use super::listing;
use crate::cli::input;
use tsrec_core::extract::Page;
use tsrec_core::extract::beside::stated;
use tsrec_core::extract::scored::Scored;
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_core::template::{Error, Learned, Redesign, Site, Visit};
use tsrec_core::words::number_of;
use tsrec_server::http::templates::{TemplateRow, Templates};
use tsrec_terminal::usage::wrong;
use tsrec_terminal::viewer::{RenderArgs, Viewer};
use tsrec_terminal::whole_file;

/// Arguments of `tsrec template`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: TemplateCommand,
    #[command(flatten)]
    data_dir: DataDir,
}

#[derive(Debug, Subcommand)]
enum TemplateCommand {
    /// Learn pages of a site into a memory file. extract --memory then needs no sibling. A crawl
    /// learns its sites by itself.
    Learn(Learn),
    /// List the templates: number, pages, places, bytes and state. Also shows between which of the
    /// pages each was served. For a data directory without --host, lists the hosts that have
    /// templates.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        of: Where,
    },
    /// Print the places of a template. For each: pages, blocks and words there, how much repeats,
    /// its scores, and what was taught.
    Show(One),
    /// Forget a template.
    Drop(One),
    /// Write a host's templates from a data directory into a memory file. extract --memory reads
    /// it.
    Export {
        /// The memory file.
        file: PathBuf,
        #[command(flatten)]
        of: Where,
    },
    /// Read a memory file into a data directory, as the templates of a host.
    Import {
        /// The memory file.
        file: PathBuf,
        /// Replace the templates that the host already has.
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        of: Where,
    },
}

#[derive(Debug, clap::Args)]
struct Learn {
    /// Pages of one site, in the order to learn them: files or http(s) URLs.
    #[arg(required = true, value_name = "PAGE")]
    pages: Vec<String>,
    /// The memory file. It is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    memory: PathBuf,
    #[command(flatten)]
    render: RenderArgs,
    #[command(flatten)]
    input: input::FetchArgs,
}

/// Which templates to use: those in a file, or those of a host in a data directory.
#[derive(Debug, clap::Args)]
pub(super) struct Where {
    /// Use a memory file (tsrec template learn, export) instead of a data directory.
    #[arg(long, value_name = "FILE", conflicts_with = "host")]
    pub(super) memory: Option<PathBuf>,
    /// The host in the data directory.
    #[arg(long, value_parser = input::host)]
    host: Option<Host>,
}

impl Where {
    /// The host, as URLs write it. It may come from a page's address.
    pub(super) fn host(&self, url: Option<&Url>) -> Result<String> {
        let (named, of_page) = (self.host.as_ref().map(Host::to_string), url.and_then(Url::host_str));
        match (named, of_page) {
            (Some(named), Some(of_page)) if named != of_page => Err(wrong(format!(
                "the page is one of {of_page}, and --host names {named}: a page teaches its own host, leave --host out"
            ))),
            (Some(host), _) => Ok(host),
            (None, Some(host)) => Ok(host.to_owned()),
            (None, None) => Err(wrong(
                "name the site: --host HOST (or --url URL, for a page) of a data directory, or --memory FILE",
            )),
        }
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> Result<String> {
        self.memory.as_ref().map_or_else(|| self.host(None), |file| Ok(file.display().to_string()))
    }

    /// The error for a missing template. It says how to list the existing ones.
    pub(super) fn lacks(&self, template: &str) -> anyhow::Error {
        let option = if self.memory.is_some() { "--memory" } else { "--host" };
        match self.name() {
            Ok(name) => {
                anyhow!("{name} has no {template}: tsrec template list {option} {name} shows those that there are")
            }
            Err(unnamed) => unnamed,
        }
    }

    /// Fails if there are no templates at all.
    fn ensure_remembered(&self, site: &Site) -> Result<()> {
        let way_out = match self.memory {
            Some(_) => "tsrec template learn PAGE… --memory FILE learns some",
            None => "tsrec template list shows the hosts of which something is",
        };
        let name = self.name()?;
        ensure!(!site.templates().is_empty(), "nothing is remembered of {name}: {way_out}");
        Ok(())
    }
}

#[derive(Debug, clap::Args)]
struct One {
    /// The template's number. tsrec template list prints it.
    number: u32,
    #[command(flatten)]
    of: Where,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let dir = &args.data_dir;
    match &args.command {
        TemplateCommand::Learn(args) => learn(args),
        TemplateCommand::List { json, of: Where { memory: None, host: None } } => hosts(dir, *json),
        TemplateCommand::List { json, of } => list(&read_from(of, dir)?, of, *json),
        TemplateCommand::Show(one) => show(&read_from(&one.of, dir)?, one),
        TemplateCommand::Drop(one) => drop_one(one, dir),
        TemplateCommand::Export { file, of } => {
            let site = read_from(of, dir)?;
            of.ensure_remembered(&site)?;
            write(file, &site)
        }
        TemplateCommand::Import { file, replace, of } => import(file, *replace, of, dir),
    }
}

/// Reads a memory that was made with the shipped model.
pub(super) fn read(path: &Path) -> Result<Site> {
    Site::from_file(&bytes_of(path)?, Scored::shipped_digest()).with_context(|| path.display().to_string())
}

/// Reads a memory to continue with. If there is no file yet, it is empty. If it was made with
/// another model, only a person's lessons are kept, and a message says so.
pub(super) fn read_or_new(path: &Path) -> Result<Site> {
    if !path.exists() {
        return Ok(Site::default());
    }
    match Site::from_file(&bytes_of(path)?, Scored::shipped_digest()) {
        Err(Error::OtherModel(taught)) => {
            let stays = if taught.templates().is_empty() { "" } else { "what was taught stays, " };
            let said =
                format!("{} was made with another model: {stays}its pages are to be learned again", path.display());
            writeln!(std::io::stderr(), "tsrec: {said}")?;
            Ok(*taught)
        }
        read => read.with_context(|| path.display().to_string()),
    }
}

/// The bytes of a memory file. If there is none, the error says how to make one.
fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => "is not there",
            ErrorKind::IsADirectory => "is a directory",
            _ => return anyhow::Error::from(error).context(format!("{} cannot be read", path.display())),
        };
        anyhow!("{} {why}: tsrec template learn PAGE… --memory FILE makes a memory", path.display())
    })
}

pub(super) fn write(path: &Path, site: &Site) -> Result<()> {
    whole_file::write(path, &site.to_file(Scored::shipped_digest()))
}

fn read_from(of: &Where, dir: &DataDir) -> Result<Site> {
    match &of.memory {
        Some(file) => read(file),
        None => access::block_on(async { Access::open(dir).await?.site(&of.host(None)?).await }),
    }
}

fn hosts(dir: &DataDir, json: bool) -> Result<()> {
    access::block_on(async {
        let access = Access::open(dir).await?;
        let part = async |after: Option<String>| {
            let part = access.remembered(after.as_deref()).await?;
            Ok((part.hosts, part.next))
        };
        listing::write(json, |out, host| writeln!(out, "{host}"), part).await
    })
}

fn import(file: &Path, replace: bool, of: &Where, dir: &DataDir) -> Result<()> {
    if of.memory.is_some() {
        return Err(wrong("import takes a file into a data directory: name the host with --host"));
    }
    let host = of.host(None)?;
    let bytes = bytes_of(file)?;
    access::block_on(async {
        let imported = Access::open(dir).await?.import_site(&host, bytes, replace).await;
        let imported = imported.with_context(|| format!("{} is not imported", file.display()))?;
        let count = number_of(imported.templates.len(), "template");
        Ok(writeln!(std::io::stderr(), "tsrec: {count} of {host}")?)
    })
}

fn learn(args: &Learn) -> Result<()> {
    whole_file::check(&args.memory)?;
    let mut site = read_or_new(&args.memory)?;
    let mut reader = input::PageReader::new(&args.input)?;
    let mut viewer = Viewer::new(&args.render)?;
    let mut out = std::io::stdout().lock();
    for name in &args.pages {
        let input = reader.read(name)?;
        let document = viewer.view(&input, reader.limits())?.document;
        let page = Page::new(&document).at(input.url.as_ref());
        let (memory, stated) = (Scored::shipped().remember(&page), stated(&page));
        let visit = Visit { pattern: input.url.as_ref().map(pattern_hash), before: None, stated: Some(&stated) };
        let Learned { number, is_new, redesign, .. } = site.learn_at(&memory, visit);
        writeln!(out, "template {number}{}  {name}", if is_new { " (new)" } else { "" })?;
        if let Some(Redesign { from, to, .. }) = redesign {
            writeln!(out, "  a redesign: template {to} took the place of template {from}")?;
        }
    }
    write(&args.memory, &site)
}

fn list(site: &Site, of: &Where, json: bool) -> Result<()> {
    of.ensure_remembered(site)?;
    let mut out = std::io::stdout().lock();
    let listed = Templates::new(&of.name()?, site);
    if json {
        return tsrec_terminal::json::json_line(&mut out, &listed);
    }
    writeln!(out, "template  pages  places    bytes  served")?;
    for TemplateRow { number, pages, places, bytes, first, last, serves, taught, replaced_by } in listed.templates {
        let mut said = format!("{first} to {last} of {}", listed.pages);
        said += if serves { "" } else { ", too few pages yet" };
        said += if taught { ", taught" } else { "" };
        if let Some(by) = replaced_by {
            said += &format!(", replaced by {by}");
        }
        writeln!(out, "{number:>8} {pages:>6} {places:>7} {bytes:>8}  {said}")?;
    }
    Ok(())
}

fn show(site: &Site, One { number, of }: &One) -> Result<()> {
    let template = site.template(*number).ok_or_else(|| of.lacks(&format!("template {number}")))?;
    let judged = Scored::shipped().places(&template.memory);
    let mut out = std::io::stdout().lock();
    writeln!(out, "place             pages blocks   words repeats  blocks'  place's  taught")?;
    for ((key, place), likely) in template.memory.places().zip(judged) {
        let (pages, blocks, words, repeats) = (place.pages(), place.blocks(), place.words(), place.repeated());
        let taught = place.taught().map_or_else(|| "-".to_owned(), |share| format!("{share:.2}"));
        let own = place.likely().0;
        writeln!(
            out,
            "{key:016x} {pages:>6} {blocks:>6} {words:>7} {repeats:>7.2} {own:>8.2} {likely:>8.2} {taught:>7}"
        )?;
    }
    Ok(())
}

fn drop_one(One { number, of }: &One, dir: &DataDir) -> Result<()> {
    let dropped = match &of.memory {
        Some(file) => {
            let mut site = read(file)?;
            let dropped = site.forget(*number);
            write(file, &site)?;
            dropped
        }
        None => access::block_on(async { Access::open(dir).await?.drop_template(&of.host(None)?, *number).await })?,
    };
    if dropped { Ok(()) } else { Err(of.lacks(&format!("template {number}"))) }
}
