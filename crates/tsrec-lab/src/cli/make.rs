//! `tsrec-lab make DIR`: writes a set of pages made from templates.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::json;

use crate::made;

/// Arguments of `tsrec-lab make`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder to write: html/<id>.html, gold/<id>.txt and meta.jsonl. It must not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The number of templates.
    #[arg(long, default_value_t = 200)]
    templates: u64,
    /// The number of pages of each template.
    #[arg(long, default_value_t = 3)]
    pages: usize,
    /// The seed of random choices. The same seed makes the same pages, to the byte.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let folder = &args.folder;
    fs::create_dir(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let [html, gold] = ["html", "gold"].map(|name| folder.join(name));
    fs::create_dir(&html)?;
    fs::create_dir(&gold)?;
    let mut meta = String::new();
    for template in 0..args.templates {
        for (at, page) in made::pages(template, args.seed, args.pages).into_iter().enumerate() {
            let id = format!("{template:03}-{at}");
            fs::write(html.join(format!("{id}.html")), &page.html)?;
            fs::write(gold.join(format!("{id}.txt")), &page.gold)?;
            meta += &json!({
                "id": id, "url": page.url, "host": page.host, "site": page.host,
                "page_type": page.kind.as_str(), "language": page.language, "title": page.title,
            })
            .to_string();
            meta.push('\n');
        }
    }
    fs::write(folder.join("meta.jsonl"), meta).with_context(|| format!("cannot write to {}", folder.display()))
}
