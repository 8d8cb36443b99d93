//! A site with memory: each page teaches the memory how to extract the pages after it. No page is
//! compared with another.
//!
//! `cargo run --example site -- FOLDER`: the .html files of a folder, as pages of one site.

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use std::path::{Path, PathBuf};

use tsrec::{Extract, Limits, Site, parse};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "fixtures/demo".to_owned());
    let mut pages = Vec::new();
    collect(Path::new(&folder), &mut pages)?;
    pages.sort();

    let mut site = Site::default();
    for path in pages {
        let document = parse(&std::fs::read(&path)?, None, &Limits::default());
        let found = Extract::new(&document).site(&site).run()?;
        let title = found.described().metadata.title.as_deref().unwrap_or("-");
        let known = found.remembered();
        println!("{:>5} words, by {known} pages remembered: {title}", found.text().split_whitespace().count());
        let learned = Extract::new(&document).run()?.teach(&mut site);
        println!("            a page of template {}", learned.number);
    }
    println!("{} pages are remembered, in {} bytes", site.pages(), site.to_bytes().len());
    Ok(())
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            pages.push(path);
        }
    }
    Ok(())
}
