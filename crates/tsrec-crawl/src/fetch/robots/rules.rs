//! One robots.txt as one crawler has to read it (RFC 9309): its rules, its delay, its sitemaps.
//!
//! ```
//! use tsrec_crawl::fetch::robots::Rules;
//!
//! let rules = Rules::parse(b"User-agent: *\nDisallow: /private\nAllow: /private/press$", "examplebot");
//! let decide = |path: &str| {
//!     let decision = rules.decide(&format!("https://example.org/{path}").parse().unwrap());
//!     (decision.allowed, decision.rule.unwrap().to_string())
//! };
//! assert_eq!(decide("private/diary"), (false, "Disallow: /private".to_owned()));
//! assert_eq!(decide("private/press"), (true, "Allow: /private/press$".to_owned()));
//! ```
//!
//! # What is read beyond the RFC
//! - UTF-16, recognised by its byte order mark or by the zeros in its first two bytes. The RFC
//!   knows UTF-8 only.
//! - Misspelt keys that Google's parser accepts, `user agent` and `dissallow` among them, and
//!   blanks instead of the colon. Whoever wrote such a line meant it.
//! - `Crawl-delay`, in seconds with decimals. It does not end a group's list of user agents
//!   (section 2.2.4). Of several that apply, the longest counts.
//! - `Sitemap`, which belongs to no group.
//!
//! # Cost
//! Parsing is linear in the file. One decision costs at most (bytes of all rules) + (rules × bytes
//! of the URL): each piece between wildcards is searched for once, in linear time, and never again.
//! There is no cap on rules: what fits into [`MAX_ROBOTS_BYTES`] counts.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt;
use std::time::Duration;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use memchr::memmem;
use url::{Position, Url};

use super::octets::{normal_path, normal_rule};

/// Bytes of a robots.txt that are parsed, the least that RFC 9309, section 2.5 allows. The line
/// that crosses the limit is dropped.
pub const MAX_ROBOTS_BYTES: usize = 500 << 10;

/// Most `Sitemap` lines kept. Judgement: a sitemap index names 50,000 sitemaps, so a file that
/// lists more than this is hostile.
const MAX_SITEMAPS: usize = 1_000;

/// The rules for one crawler at one origin.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Sorted so that the first match decides: longest first, allowing before disallowing.
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<Box<str>>,
}

/// An `Allow` or `Disallow` line that is not empty. Its text is a line that would parse to the same
/// rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    allow: bool,
    /// The value as written.
    written: Box<str>,
    /// Its normal form (see [`normal_rule`]), without a final `$` and without repeated wildcards.
    pattern: Box<[u8]>,
    /// Whether the match must end where the URL does.
    anchored: bool,
    /// Bytes of the normal form. The longest rule wins.
    length: usize,
}

/// The decision of the rules on one URL. Its text is the verdict, the URL, and the rule or `no
/// rule`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsDecision {
    /// Whether the URL may be requested.
    pub allowed: bool,
    /// The rule that decided. `None` if none applies, and for `/robots.txt`, which is always
    /// allowed.
    pub rule: Option<Rule>,
    /// The URL that was judged.
    pub url: Url,
}

impl Rules {
    /// Reads a robots.txt for the crawler with this product token. Never fails: it skips lines that
    /// make no sense.
    pub fn parse(bytes: &[u8], product_token: &str) -> Self {
        let text = text_of(bytes);
        let (mut own, mut general, mut sitemaps) = (AgentGroup::default(), AgentGroup::default(), Vec::new());
        // A delay ends a list of user agents for delays, but not for rules.
        let (mut for_rules, mut for_delays) = (Agents::default(), Agents::default());
        for line in text.split(is_line_end).filter_map(RobotsLine::read) {
            match line {
                RobotsLine::UserAgent(agent) => {
                    let is_us = product_token_of(agent).eq_ignore_ascii_case(product_token.as_bytes());
                    let is_all = matches!(agent, b"*" | [b'*', b' ' | b'\t', ..]);
                    for_rules.name(is_us, is_all);
                    for_delays.name(is_us, is_all);
                    own.is_there |= is_us;
                }
                RobotsLine::Rule(allow, value) => {
                    (for_rules.open, for_delays.open) = (false, false);
                    if for_rules.us {
                        own.rules.extend(Rule::new(allow, value));
                    }
                    if for_rules.all {
                        general.rules.extend(Rule::new(allow, value));
                    }
                }
                RobotsLine::CrawlDelay(delay) => {
                    for_delays.open = false;
                    if for_delays.us {
                        own.crawl_delay = own.crawl_delay.max(Some(delay));
                    }
                    if for_delays.all {
                        general.crawl_delay = general.crawl_delay.max(Some(delay));
                    }
                }
                RobotsLine::Sitemap(url) if sitemaps.len() < MAX_SITEMAPS => sitemaps.push(text_shown(url)),
                RobotsLine::Sitemap(_) => {}
            }
        }
        let AgentGroup { mut rules, crawl_delay, .. } = if own.is_there { own } else { general };
        rules.sort_by_key(|rule| (Reverse(rule.length), Reverse(rule.allow)));
        rules.shrink_to_fit();
        Self { rules, crawl_delay, sitemaps }
    }

    /// No rules: everything is allowed.
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Whether the rules allow `url`, and which rule decides: the longest that matches, an `Allow`
    /// before a `Disallow` of the same length (section 2.2.2).
    pub fn decide(&self, url: &Url) -> RobotsDecision {
        // Implicitly allowed, whatever its content or absence (RFC 9309, section 2.2.2).
        let rule = if url.path() == "/robots.txt" { None } else { self.rule_for(url) };
        RobotsDecision { allowed: rule.is_none_or(|rule| rule.allow), rule: rule.cloned(), url: url.clone() }
    }

    fn rule_for(&self, url: &Url) -> Option<&Rule> {
        let path = normal_path(&url[Position::BeforePath..Position::AfterQuery]);
        self.rules.iter().find(|rule| rule.matches(&path))
    }

    /// The longest crawl delay of the groups that apply, as written.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps that the file names, on any host, resolved against `origin`, in the file's
    /// order; at most a thousand.
    pub fn sitemaps(&self, origin: &Url) -> Vec<Url> {
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
        self.sitemaps.iter().filter_map(|value| origin.join(value).ok()).filter(is_web).collect()
    }

    /// About how many bytes of memory the rules take.
    pub fn weight(&self) -> usize {
        let rules = self.rules.iter().map(|rule| size_of_val(rule) + rule.written.len() + rule.pattern.len());
        rules.chain(self.sitemaps.iter().map(|url| size_of_val(url) + url.len())).sum()
    }
}

/// The lines of all groups for one user agent together.
#[derive(Default)]
struct AgentGroup {
    is_there: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

/// The user agents that a group is for.
#[derive(Default)]
struct Agents {
    us: bool,
    all: bool,
    /// Whether the next `User-agent` line adds to the list. If not, it begins a new list.
    open: bool,
}

impl Agents {
    fn name(&mut self, is_us: bool, is_all: bool) {
        if !std::mem::replace(&mut self.open, true) {
            (self.us, self.all) = (false, false);
        }
        self.us |= is_us;
        self.all |= is_all;
    }
}

impl Rule {
    /// `None` for an empty value, which is no rule.
    fn new(allow: bool, value: &[u8]) -> Option<Self> {
        if value.is_empty() {
            return None;
        }
        let mut pattern = normal_rule(value);
        let length = pattern.len();
        let anchored = pattern.last() == Some(&b'$');
        if anchored {
            pattern.pop();
        }
        pattern.dedup_by(|next, before| (*next, *before) == (b'*', b'*'));
        Some(Self { allow, written: text_shown(value), pattern: pattern.into(), anchored, length })
    }

    /// Whether the rule allows the URLs that it matches.
    pub fn allows(&self) -> bool {
        self.allow
    }

    /// Takes each piece between wildcards at its first occurrence. If any match exists, this finds
    /// one. Linear.
    fn matches(&self, path: &[u8]) -> bool {
        let mut pieces = self.pattern.split(|byte| *byte == b'*');
        let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else { return false };
        let mut last = None;
        for piece in pieces {
            // The piece before this one is not the last, so its first occurrence counts.
            if let Some(piece) = last.replace(piece) {
                match memmem::find(rest, piece) {
                    Some(at) => rest = &rest[at + piece.len()..],
                    None => return false,
                }
            }
        }
        match last {
            None => !self.anchored || rest.is_empty(),
            Some(last) if self.anchored => rest.ends_with(last),
            Some(last) => memmem::find(rest, last).is_some(),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.allow { "Allow" } else { "Disallow" }, self.written)
    }
}

impl fmt::Display for RobotsDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", if self.allowed { "allowed" } else { "disallowed" }, self.url)?;
        match &self.rule {
            Some(rule) => write!(f, "{rule}"),
            None => f.write_str("no rule"),
        }
    }
}

/// A line with a known key.
enum RobotsLine<'t> {
    UserAgent(&'t [u8]),
    Rule(bool, &'t [u8]),
    CrawlDelay(Duration),
    Sitemap(&'t [u8]),
}

impl<'t> RobotsLine<'t> {
    fn read(line: &'t [u8]) -> Option<Self> {
        let line = line[..memchr::memchr(b'#', line).unwrap_or(line.len())].trim_ascii();
        let (key, value) = match memchr::memchr(b':', line) {
            Some(colon) => (line[..colon].trim_ascii_end(), line[colon + 1..].trim_ascii_start()),
            None => without_colon(line)?,
        };
        let is = |names: &[&str]| names.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()));
        if is(&["user-agent", "user agent", "useragent"]) {
            Some(Self::UserAgent(value))
        } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
            Some(Self::Rule(false, value))
        } else if is(&["allow"]) {
            Some(Self::Rule(true, value))
        } else if is(&["crawl-delay", "crawl delay", "crawldelay"]) {
            let seconds = std::str::from_utf8(value).ok()?.parse().ok()?;
            Duration::try_from_secs_f64(seconds).ok().map(Self::CrawlDelay)
        } else if is(&["sitemap", "site-map", "site map"]) && !value.is_empty() {
            Some(Self::Sitemap(value))
        } else {
            None
        }
    }
}

/// Key and value of a line without a colon. The value follows the last blank.
fn without_colon(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = memchr::memrchr2(b' ', b'\t', line)?;
    Some((line[..blank].trim_ascii_end(), &line[blank + 1..]))
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0)
}

/// The letters, `-` and `_` at the start of a `User-agent` value (section 2.2.1). So
/// `examplebot/2.1` counts.
fn product_token_of(value: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    &value[..value.iter().position(|byte| !is_part(byte)).unwrap_or(value.len())]
}

fn text_shown(value: &[u8]) -> Box<str> {
    String::from_utf8_lossy(value).into()
}

/// The text up to the last line that ends within [`MAX_ROBOTS_BYTES`].
fn text_of(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Some(window) = bytes.get(..=MAX_ROBOTS_BYTES) else { return decode(bytes) };
    let mut text = decode(window);
    let end = text.iter().rposition(is_line_end).unwrap_or(0);
    match &mut text {
        Cow::Borrowed(text) => *text = &text[..end],
        Cow::Owned(text) => text.truncate(end),
    }
    text
}

/// Whether a file is taken for UTF-16.
pub(super) fn is_utf_16(bytes: &[u8]) -> bool {
    utf_16(bytes).is_some()
}

/// Recognised UTF-16 as UTF-8; everything else as it is, without its byte order mark.
fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    match utf_16(bytes) {
        Some((encoding, text)) => Cow::Owned(encoding.decode_without_bom_handling(text).0.into_owned().into_bytes()),
        None => Cow::Borrowed(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)),
    }
}

/// UTF-16 by its mark or its first letter, and the text after the mark.
fn utf_16(bytes: &[u8]) -> Option<(&'static Encoding, &[u8])> {
    match bytes {
        [0xFF, 0xFE, text @ ..] => Some((UTF_16LE, text)),
        [0xFE, 0xFF, text @ ..] => Some((UTF_16BE, text)),
        [first, 0, ..] if first.is_ascii_graphic() => Some((UTF_16LE, bytes)),
        [0, second, ..] if second.is_ascii_graphic() => Some((UTF_16BE, bytes)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
