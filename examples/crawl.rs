//! A crawl within another program. It crawls a site on loopback to the end and reads its records.
//!
//! `cargo run --example crawl` crawls the demo site of this repository,
//! `cargo run --example crawl -- URL` another.

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use tsrec::{Config, Crawler, Until};
use url::Url;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut config = Config::default();
    config.user_agent = Some("ExampleBot/1.0 (+https://bot.example/)".to_owned());
    config.data_dir = folder.path().join("data");
    let seed = match std::env::args().nth(1) {
        Some(url) => Url::parse(&url)?,
        None => {
            // Our own site on our own machine needs no protection.
            config.fetch.allow_private_addresses = true;
            config.frontier.delay = Duration::from_millis(10);
            Url::parse(&format!("http://{}/index.html", serve()?))?
        }
    };

    let crawler = Crawler::open(config)?;
    let until = Until { drained: true, pages: Some(50) };
    let summary = crawler.run(&[seed], until, std::future::pending()).await?;

    for row in crawler.store().list(None, None, 100)? {
        let record = crawler.store().get(&row.url)?.ok_or("it was stored a moment ago")?;
        println!("{:>5} words  {}  {}", record.words, record.url, record.metadata.title.as_deref().unwrap_or("-"));
    }
    println!("{} pages visited, {} stored", summary.visited, summary.stored);
    Ok(())
}

/// Serves the demo site while the program runs.
fn serve() -> std::io::Result<std::net::SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    Ok(address)
}

/// Answers the requests of one connection with files of the demo site.
fn answer(mut stream: std::net::TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let Some(request) = lines.next().transpose()? else { return Ok(()) };
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or("/").trim_start_matches('/');
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo").join(path);
    let body = if path.contains("..") { None } else { std::fs::read(file).ok() };
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let kind = if path.ends_with(".txt") { "text/plain" } else { "text/html" };
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}
