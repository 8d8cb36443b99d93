//! `--render`: pages as our parser reads them, or as a browser renders them.

use std::path::PathBuf;

use anyhow::Result;

use super::input::Input;
use tsrec_core::html;
use tsrec_core::html::{Document, Limits};
use tsrec_papers::style::Styles;

/// Whether and how pages are rendered.
#[derive(Debug, clap::Args)]
pub struct RenderArgs {
    /// Lay pages out in a headless Chromium, which fetches nothing. Needs tsrec built with
    /// --features chromium.
    #[arg(long)]
    render: bool,
    /// The browser's binary [default: chromium, chromium-browser or google-chrome on PATH].
    #[arg(long, value_name = "PATH", requires = "render")]
    chromium: Option<PathBuf>,
    /// Run the pages' scripts, until each page is loaded.
    #[arg(long, requires = "render")]
    scripts: bool,
    /// Turn off the browser's sandbox. Use this if the kernel denies the sandbox, and only for your
    /// own pages. For root the sandbox is always off.
    #[arg(long, requires = "render")]
    no_sandbox: bool,
}

/// Turns pages into documents.
#[derive(Debug)]
pub enum Viewer {
    /// Our parser.
    Parser,
    /// A browser.
    #[cfg(feature = "chromium")]
    Browser(Box<tsrec_browser::Browser>),
}

/// A page's document, and its styles if it was rendered.
#[derive(Debug)]
pub struct View {
    /// The page.
    pub document: Document,
    /// Its computed styles, if a browser laid it out.
    pub styles: Option<Styles>,
}

impl Viewer {
    /// Starts the browser if the arguments ask for one.
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
