//! One page: its content as Markdown, and its metadata.
//!
//! `cargo run --example page -- page.html https://example.org/page`

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use tsrec::{Along, Extract, Limits, parse};
use url::Url;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file =
        args.next().unwrap_or_else(|| "fixtures/demo/news/2026/04/school-roof-will-collect-rain.html".to_owned());
    let url =
        Url::parse(&args.next().unwrap_or_else(|| "https://courier.example/news/2026/04/school-roof".to_owned()))?;

    let page = parse(&std::fs::read(file)?, None, &Limits::default());
    let found = Extract::new(&page).url(&url).run()?;

    let metadata = &found.described().metadata;
    println!("title:      {}", metadata.title.as_deref().unwrap_or("-"));
    println!("authors:    {}", metadata.authors.join(", "));
    println!("published:  {}", metadata.published.as_deref().unwrap_or("-"));
    println!("kind:       {}", found.kind().map_or("-", |(kind, _)| kind.as_str()));
    println!("method:     {}, confidence {:.2}", found.method(), found.confidence());
    println!("\n{}", found.markdown(Along::default()));
    Ok(())
}
