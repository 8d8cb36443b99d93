//! Checks what the types of a configuration cannot: ranges, and whether the files that it names
//! exist on this machine.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use super::{Config, Error};
use tsrec_crawl::fetch::product_token;
use tsrec_crawl::frontier::LONGEST_TIME;
use tsrec_server::http::Listen;

impl Config {
    /// Checks what the types cannot. It reads and writes no files.
    ///
    /// # Errors
    ///
    /// If a value is out of range; the error names it.
    pub fn check(&self) -> Result<(), Error> {
        self.check_durations()?;
        self.check_urls()?;
        let tsrec_core::html::Limits { bytes, nodes, depth, attributes, steps, .. } = self.html;
        if [bytes, nodes, depth, attributes].contains(&0) || steps == 0 {
            return Err(Error::new("the limits in [html] must be at least 1"));
        }
        let filter = &self.log.filter;
        parse_filter(filter).map_err(|error| Error::because(format!("log.filter is {filter:?}, {FILTERS}"), error))?;
        if let Some(user_agent) = &self.user_agent {
            product_token(user_agent).map_err(|error| Error::because("user_agent cannot be used", error))?;
        }
        self.crawl.check().map_err(Error::new)?;
        self.extract.check().map_err(Error::new)?;
        self.frontier.check().map_err(|error| Error::because("[frontier] cannot be used", error))?;
        self.store.of_store().check().map_err(|error| Error::because("[store] cannot be used", error))?;
        self.store.of_memories().check().map_err(|why| Error::new(format!("[store] cannot be used: {why}")))?;
        self.http.check().map_err(|error| Error::because("[http] cannot be used", error))?;
        self.fetch.check().map_err(|error| Error::because("[fetch] cannot be used", error))
    }

    /// Checks the files and folders that the settings name, and the address space, as a crawl would
    /// at its start. Creates nothing.
    ///
    /// # Errors
    ///
    /// If the token cannot be read or is invalid, if the archive's folder is no folder or cannot be
    /// written to, or if the process may take less address space than the settings need.
    pub(crate) fn check_files(&self) -> Result<(), Error> {
        self.check_address_space(getrlimit(Resource::As).current)?;
        if let Listen::Addr(_) = self.http.listen {
            self.http.token().map_err(|error| Error::because("http.token_file cannot be used", error))?;
        }
        let Some(dir) = &self.warc.dir else { return Ok(()) };
        can_be_written(dir).map_err(|error| Error::because(format!("warc.dir {} cannot be used", dir.display()), error))
    }

    /// Without the room an allocation fails, and the process aborts in the middle of its work.
    fn check_address_space(&self, limit: Option<u64>) -> Result<(), Error> {
        let store = &self.store;
        let needed = self.crawl.memory as u64 + store.cache_capacity + store.site_cache_bytes + PROGRAM_SPACE;
        let Some(limit) = limit.filter(|limit| *limit < needed) else { return Ok(()) };
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        Err(Error::new(format!(
            "the process may take {} MiB of address space (ulimit -v, LimitAS), and these settings need {} MiB: raise the limit, or \
             lower crawl.memory, which is {} MiB",
            limit >> 20,
            mib(needed),
            mib(self.crawl.memory as u64)
        )))
    }

    fn check_durations(&self) -> Result<(), Error> {
        let too_long = self.durations().into_iter().find(|(_, value)| *value > LONGEST_TIME);
        let Some((key, value)) = too_long else { return Ok(()) };
        let (value, most) = (humantime::format_duration(value), humantime::format_duration(LONGEST_TIME));
        Err(Error::new(format!("{key} is {value}, it must be at most {most}")))
    }

    fn check_urls(&self) -> Result<(), Error> {
        let all = [("seeds", &self.seeds), ("crawl.sitemaps", &self.crawl.sitemaps)];
        for (key, urls) in all {
            if let Some(url) = urls.iter().find(|url| !matches!(url.scheme(), "http" | "https")) {
                return Err(Error::new(format!("{key}: {url} is not an http or https URL")));
            }
        }
        Ok(())
    }

    /// Every duration setting, by its key.
    fn durations(&self) -> [(&'static str, Duration); 22] {
        let Config { fetch, frontier, crawl, http, .. } = self;
        [
            ("fetch.connect_timeout", fetch.connect_timeout),
            ("fetch.response_timeout", fetch.response_timeout),
            ("fetch.timeout", fetch.timeout),
            ("fetch.slow_grace", fetch.slow_grace),
            ("fetch.robots_ttl", fetch.robots_ttl),
            ("frontier.delay", frontier.delay),
            ("frontier.address_delay", frontier.address_delay),
            ("frontier.give_up_after", frontier.give_up_after),
            ("frontier.forget_after", frontier.forget_after),
            ("frontier.retry_base", frontier.retry_base),
            ("frontier.retry_cap", frontier.retry_cap),
            ("crawl.sibling_wait", crawl.sibling_wait),
            ("crawl.refetch_after", crawl.refetch_after),
            ("crawl.most_crawl_delay", crawl.most_crawl_delay),
            ("crawl.refetch_least", crawl.refetch_least),
            ("crawl.refetch_most", crawl.refetch_most),
            ("crawl.listings_after", crawl.listings_after),
            ("crawl.keep_tombstones", crawl.keep_tombstones),
            ("crawl.keep_tombstones_longest", crawl.keep_tombstones_longest),
            ("crawl.grace", crawl.grace),
            ("http.max_wait", http.max_wait),
            ("http.idle_timeout", http.idle_timeout),
        ]
    }
}

/// Address space of the program besides its configured memory: code, threads, the allocator's
/// reserve. Calibration: a crawl of one page aborts with 256 MiB and ends well with 512 MiB
/// (`ulimit -v`).
const PROGRAM_SPACE: u64 = 512 << 20;

/// The valid forms of a log filter.
pub(crate) const FILTERS: &str =
    "it must be a level (error, warn, info, debug, trace) or directives such as info,tsrec::fetch=debug";

/// Reads a log filter.
///
/// # Errors
///
/// If it is neither a level nor directives.
pub(crate) fn parse_filter(filter: &str) -> Result<EnvFilter, ParseError> {
    // The last directive for a target holds.
    EnvFilter::builder().parse(format!("{QUIET},{filter}"))
}

/// Libraries whose lines say nothing to an operator: how a page breaks the rules of HTML, and how
/// sled rearranges its files. A filter that names them shows them.
const QUIET: &str = "html5ever=off,markup5ever=off,sled=off";

/// Whether files can be created in a folder, or in its nearest existing parent.
fn can_be_written(dir: &Path) -> std::io::Result<()> {
    let there = dir.ancestors().find(|dir| dir.as_os_str().is_empty() || dir.symlink_metadata().is_ok());
    let there = there.filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !std::fs::metadata(there)?.is_dir() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::NotADirectory,
            format!("{} is no folder", there.display()),
        ));
    }
    // A file without a name. Permissions alone do not suffice for root, or on file systems that
    // take no files.
    tempfile::tempfile_in(there).map(drop)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every text of the defaults that parses as a time, as `table.key`.
    fn times(table: &toml::Table, prefix: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (key, value) in table {
            match value {
                toml::Value::Table(inner) => found.extend(times(inner, &format!("{prefix}{key}."))),
                toml::Value::String(text) if humantime::parse_duration(text).is_ok() => {
                    found.insert(format!("{prefix}{key}"));
                }
                _ => {}
            }
        }
        found
    }

    #[test]
    fn every_duration_is_bounded() {
        let known = Config::default().durations().map(|(key, _)| key.to_owned());
        assert_eq!(BTreeSet::from(known.clone()), times(&toml::Table::try_from(Config::default()).unwrap(), ""));
        for key in known {
            let (table, name) = key.split_once('.').unwrap();
            let text = format!("[{table}]\n{name} = \"500000000000years\"");
            let error = Config::parse(&text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{key} is ")) && error.ends_with("at most 100years"), "{error}");
        }
    }

    #[test]
    fn too_little_address_space_is_told_before_the_start() {
        let mut config = Config::default();
        let check =
            |config: &Config, limit: Option<u64>| config.check_address_space(limit).map_err(|error| error.to_string());
        assert_eq!((check(&config, None), check(&config, Some(8 << 30))), (Ok(()), Ok(())));
        let said = check(&config, Some(1 << 30)).unwrap_err();
        assert!(said.contains("1024 MiB") && said.contains("crawl.memory") && said.contains("LimitAS"), "{said}");
        config.crawl.memory = 256 << 20;
        assert_eq!(check(&config, Some(1 << 30)), Ok(()));
    }

    #[test]
    fn what_is_named_on_this_machine_is_looked_at_and_nothing_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        let mut config = Config::default();
        let mut check = |warc: Option<&str>, token: Option<&str>| {
            (config.warc.dir, config.http.token_file) = (warc.map(at), token.map(at));
            config.check_files().map_err(|error| error.to_string())
        };
        assert_eq!(check(Some("new/deep"), None), Ok(()));
        assert!(!at("new").exists());
        for (warc, token, named) in [
            (Some("file"), None, "warc.dir"),
            (Some("file/deep"), None, "warc.dir"),
            (Some("/proc/none"), None, "warc.dir"),
            (None, Some("file"), "http.token_file"),
            (None, Some("absent"), "http.token_file"),
        ] {
            assert!(check(warc, token).unwrap_err().contains(named), "{warc:?} {token:?}");
        }
    }
}
