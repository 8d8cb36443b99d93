//! The configuration. Each module owns its part; this file combines, loads and checks them.
//!
//! `config.toml` beside the sources holds every key with its default and a comment. A test checks
//! that the defaults agree.

mod address;
mod check;
mod removed;
mod size;
mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use url::Url;

use tsrec_core::html;
use tsrec_crawl::{fetch, frontier, pipeline};
use tsrec_server::http;

pub(crate) use self::address::{has_public_suffix, parse_url, with_scheme};
pub(crate) use self::check::{FILTERS, parse_filter};
pub use self::store::StoreSettings;

/// All settings. New versions add settings: start with [`Config::default`] and change what you
/// need.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The crawler's name, with a way to reach its operator. There is no default: a crawler must
    /// say who runs it.
    pub user_agent: Option<String>,
    /// The folder of the store and the frontier.
    pub data_dir: PathBuf,
    /// The start URLs of a crawl. It follows links within their hosts.
    #[serde(deserialize_with = "address::urls")]
    pub seeds: Vec<Url>,
    /// Logging.
    pub log: Log,
    /// Limits on parsing.
    pub html: html::Limits,
    /// The HTTP client.
    pub fetch: fetch::Config,
    /// The frontier.
    pub frontier: frontier::Config,
    /// The content store, and what sites have taught.
    pub store: StoreSettings,
    /// The crawl.
    pub crawl: pipeline::Config,
    /// Extraction.
    pub extract: pipeline::ExtractConfig,
    /// The archive of fetched pages.
    pub warc: pipeline::Archiving,
    /// The HTTP API.
    pub http: http::Config,
}

/// Logging, to standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// The log filter: a level, or `tracing` directives.
    pub filter: String,
    /// For people or for machines.
    pub format: LogFormat,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// A line for a person.
    #[default]
    Human,
    /// One JSON object per line.
    Json,
}

impl Default for Log {
    fn default() -> Self {
        Log { filter: "info".to_owned(), format: LogFormat::Human }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            user_agent: None,
            data_dir: "data".into(),
            seeds: Vec::new(),
            log: Log::default(),
            html: html::Limits::default(),
            fetch: fetch::Config::default(),
            frontier: frontier::Config::default(),
            store: StoreSettings::default(),
            crawl: pipeline::Config::default(),
            extract: pipeline::ExtractConfig::default(),
            warc: pipeline::Archiving::default(),
            http: http::Config::default(),
        }
    }
}

/// Why a configuration cannot be used. Names the file, and the key if one is wrong.
#[derive(Debug)]
pub struct Error {
    what: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl Error {
    /// True if the file could not be read. Otherwise its content is wrong, or a setting from
    /// elsewhere.
    pub fn is_io(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.is::<std::io::Error>())
    }

    /// An error that does not belong to one file.
    pub(crate) fn new(what: impl Into<String>) -> Error {
        Error { what: what.into(), source: None }
    }

    /// The same with its cause.
    fn because(what: impl Into<String>, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error { what: what.into(), source: Some(source.into()) }
    }
}

impl Config {
    /// The settings that differ from `other`'s, as `table.key`, ordered.
    pub fn differences(&self, other: &Config) -> Vec<String> {
        let (mut here, mut there) = (BTreeMap::new(), BTreeMap::new());
        for (config, into) in [(self, &mut here), (other, &mut there)] {
            if let Ok(table) = toml::Table::try_from(config) {
                flatten(&table, "", into);
            }
        }
        let keys: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        keys.into_iter().filter(|key| here.get(*key) != there.get(*key)).cloned().collect()
    }

    /// Reads a file. Missing keys keep their defaults.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not TOML, or has an unknown key or a value out of range.
    pub fn load(file: &Path) -> Result<Config, Error> {
        let text = std::fs::read_to_string(file).map_err(|source| Error {
            what: format!("the configuration {} cannot be read", file.display()),
            source: Some(source.into()),
        })?;
        let config = Self::parse(&text).map_err(|source| Error {
            what: format!("the configuration {} cannot be used", file.display()),
            source: Some(source),
        })?;
        Ok(config)
    }

    fn parse(text: &str) -> Result<Config, Box<dyn std::error::Error + Send + Sync>> {
        if let Some(advice) = removed::advice(text) {
            return Err(advice.into());
        }
        let text = size::in_bytes(text)?;
        let config: Config = toml::from_str(&text).map_err(|error| {
            let meant = meant(error.message()).map(|key| format!("did you mean `{key}`?"));
            match meant.or_else(|| size::example(error.message()).map(str::to_owned)) {
                Some(advice) => format!("{error}\n{advice}").into(),
                None => Box::<dyn std::error::Error + Send + Sync>::from(error),
            }
        })?;
        config.check()?;
        Ok(config)
    }

    /// Every setting, as TOML.
    pub fn to_toml(&self) -> String {
        toml::Table::try_from(self).map(|table| table.to_string()).unwrap_or_default()
    }

    /// The settings that differ from their defaults, as TOML.
    pub fn changed_toml(&self) -> String {
        let changed = self.differences(&Config::default());
        let all = toml::Table::try_from(self).unwrap_or_default();
        let mut table = toml::Table::new();
        for key in changed {
            let (mut from, mut into) = (Some(&all), &mut table);
            let mut parts = key.split('.').peekable();
            while let (Some(part), Some(values)) = (parts.next(), from) {
                let Some(value) = values.get(part) else { break };
                if parts.peek().is_none() {
                    into.insert(part.to_owned(), value.clone());
                    break;
                }
                from = value.as_table();
                let inner = into.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
                let Some(inner) = inner.as_table_mut() else { break };
                into = inner;
            }
        }
        table.to_string()
    }
}

/// The least similarity of a mistyped key and a suggested one. Judgement: the value that clap uses
/// for options.
const ALIKE: f64 = 0.7;

/// The known key most like the unknown one, if there is one. serde says "unknown field `x`,
/// expected one of `a`, `b`", and so on.
fn meant(message: &str) -> Option<&str> {
    let mut names = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let given = names.next()?;
    let rated = names.map(|name| (strsim::jaro_winkler(given, name), name));
    let best = rated.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

fn flatten(table: &toml::Table, prefix: &str, into: &mut BTreeMap<String, toml::Value>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => flatten(inner, &format!("{prefix}{key}."), into),
            value => drop(into.insert(format!("{prefix}{key}"), value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_at_fault_is_told() {
        let missing = Config::load(Path::new("/nowhere/config.toml")).unwrap_err();
        assert!(missing.is_io(), "{missing}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "seed = 1").unwrap();
        let wrong = Config::load(file.path()).unwrap_err();
        assert!(!wrong.is_io() && wrong.to_string().contains("cannot be used"), "{wrong}");
    }

    #[test]
    fn what_differs_is_named() {
        let mut other = Config::default();
        assert_eq!(other.differences(&Config::default()), [""; 0]);
        other.crawl.concurrency += 1;
        other.user_agent = Some("x".into());
        assert_eq!(other.differences(&Config::default()), ["crawl.concurrency", "user_agent"]);
        let changed = other.changed_toml();
        assert_eq!(changed.lines().count(), 4, "{changed}");
        for config in [Config::default(), other] {
            assert_eq!(Config::parse(&config.to_toml()).unwrap(), config);
            assert_eq!(Config::parse(&config.changed_toml()).unwrap(), config);
        }
    }

    const FILE: &str = include_str!("../config.toml");

    /// Every key of the defaults, as `table.key`.
    fn keys(table: &toml::Table, prefix: &str, into: &mut Vec<String>) {
        for (key, value) in table {
            match value {
                toml::Value::Table(inner) => keys(inner, &format!("{prefix}{key}."), into),
                _ => into.push(format!("{prefix}{key}")),
            }
        }
    }

    #[test]
    fn the_file_says_what_the_defaults_are() {
        assert_eq!(Config::parse(FILE).unwrap(), Config::default());
    }

    #[test]
    fn the_file_holds_every_key_and_the_user_agent_commented_out() {
        let (mut in_file, mut in_types) = (Vec::new(), Vec::new());
        keys(&FILE.parse().unwrap(), "", &mut in_file);
        keys(&toml::Table::try_from(Config::default()).unwrap(), "", &mut in_types);
        in_file.sort();
        in_types.sort();
        assert_eq!(in_file, in_types);
        assert!(FILE.lines().any(|line| line.starts_with("# user_agent = ")));
    }

    #[test]
    fn every_key_of_the_file_has_a_comment() {
        let mut commented = false;
        for line in FILE.lines() {
            let is_key = line.contains(" = ") && !line.starts_with('#');
            assert!(!is_key || commented, "no comment above {line}");
            commented = line.starts_with('#') || (is_key && commented && line.ends_with('['));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, named) in [
            ("user_agnet = 'x'", "did you mean `user_agent`?"),
            ("[store]\nbodies_byte = 1", "did you mean `bodies_bytes`?"),
            ("[crwal]\nlistings = true", "did you mean `crawl`?"),
            ("[crawl]\nconcurency = 3", "concurency"),
            ("[crawl]\nconcurrency = 0", "crawl.concurrency"),
            ("[frontier]\ndelay = 'soon'", "delay"),
            ("seeds = ['ftp://x.example/']", "ftp://x.example/"),
            ("seeds = ['x.example/a']", "did you mean https://x.example/a?"),
            ("[crawl]\nsitemaps = ['ftp://x.example/']", "crawl.sitemaps"),
            ("user_agent = '1.0'", "user_agent"),
            ("[log]\nfilter = 'tsrec=loud'", "log.filter"),
            ("[store]\ncache_capacity = 1", "store"),
            ("[fetch]\ntimeout = '0s'", "fetch"),
            ("[http]\nmax_wait = '1day'", "http"),
            ("[training]\nhold_out = 1", "the setting [training] is gone"),
        ] {
            let error = Config::parse(text).unwrap_err();
            assert!(error.to_string().contains(named), "{text}: {error}");
        }
    }
}
