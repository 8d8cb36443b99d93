use std::process::{Command, Output};

use crate::fetch::server::Server;

/// The example of RFC 9309, section 5.1, rewritten: groups, precedence, wildcards, the end anchor.
const ROBOTS: &str = "\
User-agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-agent: barbot
User-agent: bazbot
Disallow: /example/page.html

User-agent: quxbot
";

fn robots(user_agent: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tsrec"))
        .args(["robots", "--user-agent", user_agent])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn the_file_is_asked_for_each_url_and_nothing_is_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, ROBOTS).unwrap();
    let file = file.to_str().unwrap();
    for (user_agent, url, expect) in [
        ("foobot/2.1 (+https://example.org)", "http://x.example/example/page.html", "Allow: /example/page.html"),
        ("FOOBOT", "http://x.example/example/disallowed.gif", "Disallow: /"),
        ("barbot", "http://x.example/example/page.html", "Disallow: /example/page.html"),
        ("bazbot", "http://x.example/a.gif", "no rule"),
        ("quxbot", "http://x.example/example/page.html", "no rule"),
        ("otherbot", "http://x.example/a.gif", "Disallow: *.gif$"),
        ("otherbot", "http://x.example/a.gif?b", "no rule"),
        ("otherbot", "http://x.example/publications/", "Allow: /publications/"),
    ] {
        let verdict = if expect.starts_with("Disallow") { "disallowed" } else { "allowed" };
        let output = robots(user_agent, &["--robots", file, url]);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{verdict} {url} {expect}\n"), "{user_agent}");
    }
    let both = robots("foobot", &["--robots", file, "http://x.example/b", "http://x.example/a"]);
    let expect = "disallowed http://x.example/b Disallow: /\ndisallowed http://x.example/a Disallow: /\n";
    assert_eq!(String::from_utf8(both.stdout).unwrap(), expect);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_file_the_site_is_asked() {
    let server = Server::with_robots("User-agent: examplebot\nDisallow: /private").await;
    let url = server.url("/private/a").to_string();
    let output = tokio::task::spawn_blocking(move || robots("examplebot/1.0", &["--allow-private-addresses", &url]));
    let expect = format!("disallowed {} Disallow: /private\n", server.url("/private/a"));
    assert_eq!(String::from_utf8(output.await.unwrap().stdout).unwrap(), expect);
    assert_eq!(server.paths(), ["/robots.txt"]);
}

#[test]
fn what_is_missing_is_named() {
    let output = robots("2bot", &["--robots", "/nonexistent/robots.txt", "http://x.example/"]);
    assert!(!output.status.success());
    let output = Command::new(env!("CARGO_BIN_EXE_tsrec")).args(["robots", "http://x.example/"]).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("--user-agent"));
}
