//! Pages named on the command line: files, standard input, URLs.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use url::{Host, Url};

use crate::config::{Config, has_public_suffix, parse_url, with_scheme};
use tsrec_core::html::Limits;
use tsrec_crawl::fetch::Fetcher;

use super::batch::is_archive;
use tsrec_terminal::input::{Input, page_in, page_of};
use tsrec_terminal::usage::wrong;

/// A URL on the command line.
pub(super) fn url(given: &str) -> Result<Url, String> {
    parse_url(given)
}

/// A host on the command line.
pub(super) fn host(given: &str) -> Result<Host, String> {
    let without_port = given.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map(|(host, _)| host);
    Host::parse(given).map_err(|error| match without_port.map(Host::parse) {
        Some(Ok(host)) => format!("a host is named without its port: {host}"),
        _ => error.to_string(),
    })
}

/// How to fetch pages. The daemon fetches them the same way.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct FetchArgs {
    /// The daemon's configuration file. It sets the user agent and the limits.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The user agent for requests, such as 'YourBot/1.0 (+https://your.example/bot)'.
    #[arg(long, value_name = "UA")]
    user_agent: Option<String>,
    /// Also fetch from loopback, private and other special addresses.
    #[arg(long)]
    allow_private_addresses: bool,
}

impl FetchArgs {
    /// The configuration, with the flags applied.
    pub(super) fn configuration(&self) -> Result<Config> {
        let mut config = self.config.as_deref().map_or_else(|| Ok(Config::default()), Config::load)?;
        if self.user_agent.is_some() {
            config.user_agent.clone_from(&self.user_agent);
        }
        config.fetch.allow_private_addresses |= self.allow_private_addresses;
        Ok(config)
    }

    /// The user agent from the flags or the file.
    pub(super) fn user_agent<'c>(&self, config: &'c Config) -> Result<&'c str> {
        config.user_agent.as_deref().ok_or_else(|| {
            wrong(
                "a user agent must be set: give --user-agent 'YourBot/1.0 (+https://your.example/bot)', or --config with a \
                 file that sets it",
            )
        })
    }
}

/// Reads pages. It creates an HTTP client at the first URL.
pub(super) struct PageReader {
    args: FetchArgs,
    config: Config,
    client: OnceCell<(tokio::runtime::Runtime, Fetcher)>,
    read_stdin: bool,
}

impl PageReader {
    pub(super) fn new(args: &FetchArgs) -> Result<PageReader> {
        Ok(PageReader { config: args.configuration()?, args: args.clone(), client: OnceCell::new(), read_stdin: false })
    }

    /// The limits on parsing.
    pub(super) fn limits(&self) -> &Limits {
        &self.config.html
    }

    /// Reads a page: `-` is standard input, a name that starts with http:// or https:// is fetched,
    /// all else is a file.
    pub(super) fn read(&mut self, name: &str) -> Result<Input> {
        if name == "-" {
            return self.read_stdin();
        }
        if name.starts_with("http://") || name.starts_with("https://") {
            return self.fetch(name);
        }
        let path = Path::new(name);
        ensure!(!path.is_dir(), "page {name:?} is a folder: tsrec extract --batch {name} extracts the pages in it");
        ensure!(
            !is_archive(path),
            "page {name:?} is a web archive: tsrec extract --batch {name} extracts the pages in it"
        );
        let page = page_in(path, &format!("page {name:?}"), self.limits().bytes);
        let page =
            page.map_err(|error| match with_scheme(name).filter(|url| has_public_suffix(url) && !path.exists()) {
                Some(url) => {
                    error.context(format!("page {name:?} is no file here, and has no scheme: did you mean {url}?"))
                }
                None => error,
            });
        Input::from_bytes(name, page?)
    }

    fn read_stdin(&mut self) -> Result<Input> {
        if std::mem::replace(&mut self.read_stdin, true) {
            bail!("standard input (-) can be one of the pages, not several");
        }
        let bytes = page_of(std::io::stdin().lock(), "standard input", self.limits().bytes)?;
        Input::from_bytes("-", bytes)
    }

    fn fetch(&self, name: &str) -> Result<Input> {
        let url = Url::parse(name).with_context(|| format!("{name:?} is no URL"))?;
        if self.client.get().is_none() {
            let client = self.make_client()?;
            let _ = self.client.set(client);
        }
        let (runtime, fetcher) = self.client.get().context("the HTTP client was just made")?;
        let page = runtime.block_on(fetcher.follow(&url))?;
        Ok(Input { name: name.to_owned(), bytes: page.body, charset: page.charset, url: Some(page.url) })
    }

    fn make_client(&self) -> Result<(tokio::runtime::Runtime, Fetcher)> {
        let user_agent = self.args.user_agent(&self.config)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok((runtime, Fetcher::new(&self.config.fetch, user_agent)?))
    }
}
