//! A page compared with another one of its site. Text on both is template.
//!
//! `cargo run --example pair -- page.html sibling.html`

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use tsrec::{Extract, Limits, parse};

const PAGE: &str = "fixtures/demo/news/2026/04/school-roof-will-collect-rain.html";
const SIBLING: &str = "fixtures/demo/news/2026/02/lifeboat-crew-finds-drifting-sauna.html";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (page, sibling) = (args.next().unwrap_or(PAGE.into()), args.next().unwrap_or(SIBLING.into()));

    let [document, other] = [&page, &sibling].map(std::fs::read);
    let (document, other) = (parse(&document?, None, &Limits::default()), parse(&other?, None, &Limits::default()));
    let found = Extract::new(&document).sibling(&sibling, &other).run()?;

    // If a sibling does not fit, it is not used; its gates say why.
    for attempt in found.attempts() {
        println!("compared with {}: {}", attempt.sibling, if attempt.passed() { "it fits" } else { "it does not fit" });
        for gate in &attempt.gates {
            println!("  {:<20} {:.2}{}", gate.name, gate.measured, if gate.passed() { "" } else { "  failed" });
        }
    }
    println!("\n{}", found.text());
    Ok(())
}
