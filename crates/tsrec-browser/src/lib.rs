//! Real rendering: a headless Chromium renders a page, and gives computed styles and boxes.
//!
//! ```text
//! Browser::render ─┬─ process     the browser's process: flags, profile folder, its end
//!                  ├─ connection  the DevTools protocol over a pipe: commands, answers, events
//!                  ├─ tab         one page: intercepts requests, passes bytes, describes it
//!                  └─ snapshot    the browser's description → Document and Styles; columns
//! ```
//!
//! A rendered page has a [`Document`] of its own. The bytes are decoded as for
//! [`html::parse`](tsrec_core::html::parse), but the browser's parser reads them: the boxes
//! belong to its tree.
//!
//! Invariants:
//! - **The browser sends nothing.** We pass the page's bytes through the pipe. Every other
//!   request gets no answer, also those for style sheets and images. A content security policy
//!   refuses it first, then interception. Last comes a proxy that does not exist: no name
//!   resolves, not even the proxy's. The fetcher with its address rules stays the only HTTP
//!   client.
//! - The browser listens nowhere: we speak to it through a pair of pipes. It ends when they are
//!   closed, also when this process dies.
//! - Pages share nothing: each has a browser context of its own, without cookies, cache or
//!   storage of another.
//! - Every wait is bounded. Any error ends the browser, and the next page gets a new one.
//! - The profile folder is temporary, and removed with the browser.
//!
//! Pages are hostile, so Chromium's own sandbox is on unless this process runs as root. Chromium
//! refuses a sandbox for root: do not render pages of strangers as root.
//!
//! # What the boxes are
//!
//! An element's box is that of `getBoundingClientRect`, from the top left corner of the page; a
//! text's box bounds its lines. In a multi-column layout that box would span all columns that an
//! element touches, and two paragraphs of one article would stand side by side. The position
//! *within its column* tells body text from the text beside it (Luo et al. 2009, section 4.2). So
//! `left` and `width` are given as if all columns stood at the first one; `top` and `height` stay
//! as painted.
//!
//! # What is missing
//!
//! The browser does not load style sheets and images of other addresses. If a page's layout needs
//! them, only its own `style` elements and attributes apply. Of frames there is only the box.

mod columns;
mod connection;
mod error;
mod process;
mod snapshot;
mod tab;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use url::Url;

pub use self::error::Error;

use self::process::Process;
use tsrec_core::html::{Document, Limits, SourceText};
use tsrec_papers::style::Styles;

/// Settings for rendering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The browser's binary: a path, or a name to look up on `PATH`. By default the first that
    /// exists of `chromium`, `chromium-browser`, `google-chrome` and `google-chrome-stable`.
    pub path: Option<PathBuf>,
    /// Width of the window in CSS pixels, 320 to 7,680; by default 1,280, which most pages of two
    /// decades were designed for.
    pub width: u32,
    /// Height of the window in CSS pixels, 240 to 4,320; by default 1,024. Pages are laid out to
    /// their end for any height. CSS's `vh` and fixed positions refer to it.
    pub height: u32,
    /// Time for one page, without the start of the browser. More than 0; by default 30 s, a
    /// hundred times what a page takes.
    #[serde(with = "humantime_serde")]
    pub timeout: Duration,
    /// Whether the page's scripts run, until its load event. By default false: then the same
    /// bytes give the same result, and `noscript` fallbacks apply.
    pub scripts: bool,
    /// Whether Chromium's sandbox is on. By default true. Root never gets one. Set false if the
    /// kernel denies user namespaces, and then render only pages of your own.
    pub sandbox: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            path: None,
            width: 1280,
            height: 1024,
            timeout: Duration::from_secs(30),
            scripts: false,
            sandbox: true,
        }
    }
}

impl Config {
    /// Checks the ranges that the fields name.
    ///
    /// # Errors
    /// The first field out of its range, with the range.
    pub fn check(&self) -> Result<(), Error> {
        for (field, value, range) in [("width", self.width, 320..=7_680), ("height", self.height, 240..=4_320)] {
            if !range.contains(&value) {
                let (least, most) = (range.start(), range.end());
                return Err(Error::setup(format!("`{field}` is {value}; it can be {least} to {most} pixels")));
            }
        }
        if self.timeout.is_zero() {
            return Err(Error::setup("`timeout` is 0, which no page can be rendered in; set it to more".to_owned()));
        }
        Ok(())
    }
}

/// A browser, for one page at a time. Dropping this ends it with all its processes.
#[derive(Debug)]
pub struct Browser {
    config: Config,
    /// `None` after a failure, until the next page.
    process: Option<Process>,
    /// Pages that the current process has rendered.
    rendered: usize,
}

/// The browser restarts after this many pages, since browsers are not built to run for months.
/// Judgement: a start costs as much as three pages.
const PAGES_PER_PROCESS: usize = 500;

/// A rendered page.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The browser's tree. It omits pseudo elements, comments and frames' documents, and has the
    /// contents of shadow trees in their places.
    pub document: Document,
    /// Style and box of each of its nodes. `noscript` and its contents count as invisible, as
    /// everywhere in this crate, though they are laid out without scripts.
    pub styles: Styles,
}

impl Browser {
    /// Starts a browser. Blocks, up to a minute if the browser does not start.
    ///
    /// # Errors
    /// A configuration out of range; no browser, or one that does not start: see
    /// [`Error::is_missing`]. The message has the browser's own words.
    pub fn launch(config: &Config) -> Result<Self, Error> {
        config.check()?;
        let process = Process::start(config)?;
        Ok(Browser { config: config.clone(), process: Some(process), rendered: 0 })
    }

    /// Renders a page. `charset` is the label of the HTTP header, if any. `url` is the page's
    /// URL; only its scripts can see it, and it is omitted if it is not HTTP. Blocks for at most
    /// [`Config::timeout`], and as long as [`launch`](Self::launch) if the browser must restart.
    ///
    /// # Errors
    /// If the page takes too long, breaks the browser, or makes a tree too large to transfer. The
    /// next page can still be rendered. No other content of a page is an error.
    pub fn render(
        &mut self,
        bytes: &[u8],
        charset: Option<&str>,
        url: Option<&Url>,
        limits: &Limits,
    ) -> Result<Rendered, Error> {
        let source = SourceText::read(bytes, charset, limits);
        let mut process = self.take_process()?;
        let deadline = Instant::now() + self.config.timeout;
        let snapshot = tab::describe(&mut process.connection, &source.text, url, &self.config, deadline);
        let rendered = snapshot.and_then(|snapshot| snapshot.into_rendered(source, limits));
        let rendered = rendered.map_err(|fault| Error::of_page(fault, self.config.timeout, process.last_words()))?;
        // Use the browser again only after success: an error ends it here.
        self.process = Some(process);
        self.rendered += 1;
        Ok(rendered)
    }

    fn take_process(&mut self) -> Result<Process, Error> {
        match self.process.take() {
            Some(process) if self.rendered < PAGES_PER_PROCESS => Ok(process),
            worn => {
                drop(worn);
                self.rendered = 0;
                Process::start(&self.config)
            }
        }
    }
}
