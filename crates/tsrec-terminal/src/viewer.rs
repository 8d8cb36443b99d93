//! `--render`: pages as our parser reads them, or as a browser shows them.

use std::path::PathBuf;

use anyhow::Result;

use super::input::Input;
use tsrec_core::html;
use tsrec_core::html::{Document, Limits};
use tsrec_papers::style::Styles;

/// Whether and how pages are rendered.
#[derive(Debug, clap::Args)]
pub struct RenderArgs {
    /// Have a headless Chromium lay the pages out, which fetches nothing. Needs tsrec built with
    /// --features chromium.
    #[arg(long)]
    render: bool,
    /// The browser's binary; by default chromium, chromium-browser or google-chrome on PATH.
    #[arg(long, value_name = "PATH", requires = "render")]
    chromium: Option<PathBuf>,
    /// Let the pages' scripts run, until each page is loaded.
    #[arg(long, requires = "render")]
    scripts: bool,
    /// Do without the browser's sandbox, as it is for root: for kernels that deny it, and pages of
    /// your own.
    #[arg(long, requires = "render")]
    no_sandbox: bool,
}

/// What makes documents of pages.
#[derive(Debug)]
pub enum Viewer {
    /// Our parser.
    Parser,
    /// A browser.
    #[cfg(feature = "chromium")]
    Browser(Box<tsrec_browser::Browser>),
}

/// A page's document, and what it looks like where it was rendered.
#[derive(Debug)]
pub struct View {
    /// The page.
    pub document: Document,
    /// Its computed styles, where a browser laid it out.
    pub styles: Option<Styles>,
}

impl Viewer {
    /// Starts the browser, when one is asked for.
    pub fn new(args: &RenderArgs) -> Result<Viewer> {
        match args.render {
            false => Ok(Viewer::Parser),
            true => Viewer::browser(args),
        }
    }

    #[cfg(feature = "chromium")]
    fn browser(args: &RenderArgs) -> Result<Viewer> {
        use anyhow::Context;
        let config = tsrec_browser::Config {
            path: args.chromium.clone(),
            scripts: args.scripts,
            sandbox: !args.no_sandbox,
            ..tsrec_browser::Config::default()
        };
        let browser = tsrec_browser::Browser::launch(&config).context("--render needs a browser")?;
        Ok(Viewer::Browser(Box::new(browser)))
    }

    #[cfg(not(feature = "chromium"))]
    fn browser(_: &RenderArgs) -> Result<Viewer> {
        Err(crate::usage::wrong(
            "--render: tsrec was built without a browser; build it with: cargo build --features chromium",
        ))
    }

    /// Reads a page.
    pub fn view(&mut self, page: &Input, limits: &Limits) -> Result<View> {
        match self {
            Viewer::Parser => {
                Ok(View { document: html::parse(&page.bytes, page.charset.as_deref(), limits), styles: None })
            }
            #[cfg(feature = "chromium")]
            Viewer::Browser(browser) => {
                use anyhow::Context;
                let rendered = browser
                    .render(&page.bytes, page.charset.as_deref(), page.url.as_ref(), limits)
                    .with_context(|| format!("{} was not rendered", page.name))?;
                Ok(View { document: rendered.document, styles: Some(rendered.styles) })
            }
        }
    }
}
