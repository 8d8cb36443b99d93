//! Real rendering: what a headless Chromium makes of a page, as computed styles and boxes.
//!
//! ```text
//! Browser::render ─┬─ process     the browser's process: flags, profile folder, its end
//!                  ├─ connection  the DevTools protocol over a pipe: commands, answers, events
//!                  ├─ tab         one page's life: everything intercepted, the page's bytes handed over, loaded, described
//!                  └─ snapshot    the browser's description → Document and Styles; columns
//! ```
//!
//! A rendered page brings a [`Document`] of its own. The bytes are decoded as for
//! [`html::parse`](tsrec_core::html::parse), but the browser's parser reads them: its tree is the
//! one that the boxes belong to.
//!
//! Invariants:
//! - **The browser sends nothing.** The page's bytes are handed over through the pipe, and whatever
//!   else is asked for gets no answer, style sheets and images too: each request is refused by a
//!   content security policy, then by interception, then by a proxy that does not exist, whose name
//!   and all others resolve to nothing. The fetcher with its address rules stays the only HTTP
//!   client.
//! - The browser listens nowhere: it is spoken to through a pair of pipes, and ends when they are
//!   closed, even by the death of this process.
//! - Pages share nothing: each has a browser context of its own, with no cookies, cache or storage
//!   of another.
//! - Every wait is bounded. Whatever goes wrong ends the browser, and the next page gets a new one.
//! - The profile folder is a temporary one, removed with the browser.
//!
//! Pages are hostile, so Chromium's own sandbox is on unless this process runs as root, where
//! Chromium refuses to have one: do not render pages of strangers as root.
//!
//! # What the boxes are
//!
//! An element's box is what `getBoundingClientRect` says, from the top left corner of the page; a
//! text's is the bounds of its lines. In a multi-column layout that box would span all columns that
//! an element touches, and two paragraphs of one article would stand side by side. What tells body
//! text from what stands beside it (Luo et al. 2009, section 4.2) is where it stands *within its
//! column*. So `left` and `width` are given as if all columns stood where the first one does; `top`
//! and `height` stay as painted.
//!
//! # What is missing
//!
//! Style sheets and images of other addresses are not loaded, so a page whose layout hangs on them
//! is laid out as far as its own `style` elements and attributes go. Of frames there is the box
//! alone.

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

/// How pages are rendered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The browser's binary: a path, or a name to be looked up on `PATH`. By default the first of
    /// `chromium`, `chromium-browser`, `google-chrome` and `google-chrome-stable` that is there.
    pub path: Option<PathBuf>,
    /// Width of the window in CSS pixels, 320 to 7,680; by default 1,280, what most pages of two
    /// decades were laid out for.
    pub width: u32,
    /// Height of the window in CSS pixels, 240 to 4,320; by default 1,024. Pages are laid out to
    /// their end whatever it is; it is what CSS's `vh` and fixed positions refer to.
    pub height: u32,
    /// Time for one page, start of the browser left out. More than 0; by default 30 s, a hundred
    /// times what a page takes.
    #[serde(with = "humantime_serde")]
    pub timeout: Duration,
    /// Whether the page's scripts run, until its load event. By default false: the same bytes then
    /// give the same result, and `noscript` fallbacks apply.
    pub scripts: bool,
    /// Whether Chromium's sandbox is on. By default true. Root never gets one. False is for systems
    /// whose kernel denies user namespaces, and then for pages of your own only.
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

/// A browser, for one page at a time. It ends, with all its processes, when this is dropped.
#[derive(Debug)]
pub struct Browser {
    config: Config,
    /// `None` after a failure, until the next page.
    process: Option<Process>,
    /// Pages that the present process has rendered.
    rendered: usize,
}

/// After so many pages the browser is started anew, since browsers are not built to be visited for
/// months. Judgement: a start costs as much as three pages.
const PAGES_PER_PROCESS: usize = 500;

/// A page as the browser shows it.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The browser's tree: pseudo elements, comments and frames' documents left out, contents of
    /// shadow trees in their places.
    pub document: Document,
    /// Style and box of each of its nodes. `noscript` and what is in it counts as invisible, as
    /// everywhere here, though without scripts it is laid out.
    pub styles: Styles,
}

impl Browser {
    /// Starts a browser. Blocks, up to a minute when the browser does not come up.
    ///
    /// # Errors
    /// A configuration out of range; no browser, or one that does not start: see
    /// [`Error::is_missing`] and the message, which has the browser's own words.
    pub fn launch(config: &Config) -> Result<Self, Error> {
        config.check()?;
        let process = Process::start(config)?;
        Ok(Browser { config: config.clone(), process: Some(process), rendered: 0 })
    }

    /// Renders a page. `charset` is the label that the HTTP header gave, if any; `url` is where the
    /// page came from, which matters to its scripts only, and is left out where it is not of HTTP.
    /// Blocks, at most for [`Config::timeout`], and as long as [`launch`](Self::launch) where the
    /// browser has to be started anew.
    ///
    /// # Errors
    /// The page takes too long, breaks the browser, or makes a tree that is too large to be handed
    /// over; the next page can be rendered all the same. Never for what is in the page otherwise.
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
        // Only a browser that did as it was told is used again: after an error it ends here.
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
