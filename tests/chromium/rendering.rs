//! Rendering by a real Chromium. Chromium must be installed; no test is skipped.

use std::io::Read;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tsrec_browser::{Browser, Config, Error, Rendered};
use tsrec_core::extract::{Extractor, PageContext};
use tsrec_core::html::{Cut, Limits, NodeId};
use tsrec_core::render::text::text;
use tsrec_papers::segments::Segments;
use tsrec_papers::style::{Color, Display, Rect};
use url::Url;

fn launch(config: &Config) -> Browser {
    Browser::launch(config).unwrap_or_else(|error| {
        panic!("these tests need Chromium (Debian: apt-get install --no-install-recommends chromium): {error}")
    })
}

fn with_scripts(timeout: Duration) -> Config {
    Config { scripts: true, timeout, ..Config::default() }
}

fn render(browser: &mut Browser, page: &[u8]) -> Result<Rendered, Error> {
    browser.render(page, None, None, &Limits::default())
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rendered").join(name)).unwrap()
}

/// The element with that id.
fn by_id(page: &Rendered, id: &str) -> NodeId {
    let document = &page.document;
    let found = document.descendants(document.root()).find(|&node| document.attribute(node, "id") == Some(id));
    found.unwrap_or_else(|| panic!("no element with id {id}"))
}

/// The first element of that name.
fn by_name(page: &Rendered, name: &str) -> NodeId {
    let document = &page.document;
    document.descendants(document.root()).find(|&node| document.is_element(node, name)).unwrap()
}

fn text_of(page: &Rendered, below: NodeId) -> String {
    page.document.descendants(below).filter_map(|node| page.document.text(node)).collect()
}

fn all_text(page: &Rendered) -> String {
    text_of(page, page.document.root())
}

/// Left edge and width.
fn extent(page: &Rendered, node: NodeId) -> (f32, f32) {
    let Rect { left, width, .. } = page.styles.rect(node).expect("a box");
    (left, width)
}

#[test]
fn styles_and_boxes_are_those_of_the_browser() {
    let page = render(&mut launch(&Config::default()), &fixture("article.html")).unwrap();
    assert_eq!((page.document.encoding(), page.document.cuts()), ("UTF-8", &[][..]));
    assert!(!page.document.has_quirks());
    let ink = Color::rgb(20, 20, 20);
    for (node, display, size, color, expect) in [
        (by_name(&page, "main"), Display::Block, 16.0, ink, (40.0, 700.0)),
        (by_name(&page, "h1"), Display::Block, 32.0, ink, (40.0, 700.0)),
        (by_id(&page, "lead"), Display::Block, 16.0, ink, (40.0, 700.0)),
        (by_id(&page, "caption"), Display::Block, 16.0, ink, (40.0, 300.0)),
        (by_id(&page, "related"), Display::Block, 16.0, ink, (540.0, 200.0)),
        (by_id(&page, "footer"), Display::Block, 16.0, ink, (0.0, 1280.0)),
    ] {
        let style = page.styles.style(node);
        assert_eq!((style.display, style.font_size, style.color, style.visible), (display, size, color, true));
        assert_eq!(extent(&page, node), expect, "{:?}", page.document.attribute(node, "id"));
    }
    let link = by_name(&page, "a");
    let style = page.styles.style(link);
    assert_eq!((style.display, style.font_size, style.color), (Display::Inline, 13.0, Color::rgb(0, 0, 200)));
    let text = page.document.children(link).next().unwrap();
    assert_eq!(page.styles.style(text), style, "a text has its parent's style");
    let (lead, h1) = (page.styles.rect(by_id(&page, "lead")).unwrap(), page.styles.rect(by_name(&page, "h1")).unwrap());
    assert_eq!(h1.height, 40.0);
    assert_eq!(lead.top, h1.top + h1.height + 20.0);
    assert_eq!(lead.height % 20.0, 0.0, "whole lines");
    let (note, ghost) = (by_id(&page, "note"), by_id(&page, "ghost"));
    assert_eq!((page.styles.style(note).display, page.styles.rect(note)), (Display::None, None));
    assert!(page.styles.rect(ghost).is_some());
    for hidden in [note, ghost, page.document.children(ghost).next().unwrap(), by_name(&page, "style")] {
        assert!(!page.styles.style(hidden).visible);
    }
}

#[test]
fn boxes_let_segments_drop_what_is_out_of_line() {
    let parts = [
        ("The ferry to the island sails again.", true),
        ("The crossing takes twenty minutes", true),
        ("The ferry on the morning of its first crossing", false),
        ("Read on about the long winter", false),
    ];
    let page = render(&mut launch(&Config::default()), &fixture("article.html")).unwrap();
    let own = tsrec_core::html::parse(&fixture("article.html"), None, &Limits::default());
    for (document, styles) in [(&page.document, Some(&page.styles)), (&own, None)] {
        let segments = Segments { styles, ..Segments::default() };
        let extraction = segments.extract(&PageContext::alone(document)).unwrap();
        let text = text(document, &extraction.content);
        for (part, is_article) in parts {
            assert_eq!(text.contains(part), is_article || styles.is_none(), "{part:?}, rendered: {}", styles.is_some());
        }
        assert!(!text.contains("for machines alone") && !text.contains("is not seen"));
    }
}

#[test]
fn segments_of_every_column_are_kept() {
    let page = render(&mut launch(&Config::default()), &fixture("columns.html")).unwrap();
    let segments = Segments { styles: Some(&page.styles), ..Segments::default() };
    let extraction = segments.extract(&PageContext::alone(&page.document)).unwrap();
    let text = text(&page.document, &extraction.content);
    for part in ["for the postman", "for the goats", "for the choir", "for everybody else"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("A goat, calm"), "the inset is narrower than its column");
}

#[test]
fn columns_stand_where_the_first_one_does() {
    let page = render(&mut launch(&Config::default()), &fixture("columns.html")).unwrap();
    for (id, expect) in [
        ("columns", (40.0, 660.0)),
        ("one", (50.0, 200.0)),
        ("two", (50.0, 200.0)),
        ("three", (50.0, 200.0)),
        ("inset", (80.0, 90.0)),
        ("across", (50.0, 640.0)),
        ("broken", (50.0, 200.0)),
        ("after", (0.0, 1280.0)),
    ] {
        assert_eq!(extent(&page, by_id(&page, id)), expect, "{id}");
    }
    // Their tops show that they stand side by side.
    let top = |id| page.styles.rect(by_id(&page, id)).unwrap().top;
    assert_eq!((top("one"), top("two")), (10.0, 10.0));
}

#[test]
fn what_has_no_box_of_its_own_is_understood() {
    let page = br#"<!doctype html><style>b::before{content:"x"} body::first-letter{color:red}</style>
        <div id=contents style="display:contents"><b id=bold>bold</b></div>
        <div id=host><template shadowrootmode=open><i>shadow</i><slot></slot></template>light</div>
        <details><summary>seen</summary><p id=closed>unseen</p></details>
        <noscript><p id=noscript>unseen</p></noscript>
        <svg><linearGradient/></svg><iframe srcdoc="<p>framed"></iframe>"#;
    let page = render(&mut launch(&Config::default()), page).unwrap();
    let seen = |id| page.styles.style(by_id(&page, id)).visible;
    assert_eq!(page.styles.style(by_id(&page, "contents")).display, Display::Contents);
    assert_eq!(text_of(&page, by_id(&page, "bold")), "bold");
    assert_eq!(text_of(&page, by_id(&page, "host")), "shadowlight");
    assert!(seen("contents") && seen("bold") && !seen("closed") && !seen("noscript"));
    assert!(!all_text(&page).contains("framed"));
    by_name(&page, "linearGradient");
}

#[test]
fn encodings_are_found_as_for_our_own_parser() {
    let mut browser = launch(&Config::default());
    let (pier, limits) = (b"<meta charset=windows-1252><p>\xd0\xd2\xc9\xde\xc1\xcc".as_slice(), Limits::default());
    for (bytes, charset, expect) in [
        (pier, Some("koi8-r"), "причал"),
        (pier, None, "ÐÒÉÞÁÌ"),
        ("\u{feff}<meta charset=koi8-r><p>причал".as_bytes(), Some("latin1"), "причал"),
        ("<meta charset=utf-16><p>причал".as_bytes(), None, "причал"),
    ] {
        let page = browser.render(bytes, charset, None, &limits).unwrap();
        let own = tsrec_core::html::parse(bytes, charset, &limits);
        assert_eq!(all_text(&page), expect);
        assert_eq!(page.document.encoding(), own.encoding());
        assert!(page.document.has_quirks());
    }
}

/// A page that tries every way, by markup and by script, to reach a server on this machine.
fn page_that_phones_home(tcp: u16, udp: u16) -> String {
    let home = format!("http://127.0.0.1:{tcp}");
    let named = format!("http://localhost:{tcp}");
    format!(
        r#"<!doctype html><html manifest="{home}/appcache"><head>
        <link rel=preconnect href="{home}"><link rel=dns-prefetch href="{named}"><link rel=prefetch href="{home}/prefetch">
        <link rel=prerender href="{home}/prerender"><link rel=preload as=image href="{home}/preload">
        <link rel=modulepreload href="{home}/module.js"><link rel=manifest href="{home}/manifest"><link rel=icon href="{home}/icon">
        <link rel=stylesheet href="{home}/sheet.css"><style>@import "{named}/import.css"; @font-face {{ font-family: f; src: url({home}/font) }}
        p {{ font-family: f; background: url({home}/background) }}</style>
        <meta http-equiv=refresh content="0; url={home}/refresh">
        <meta http-equiv=Content-Security-Policy content="img-src 'none'; report-uri {home}/report">
        <script type=speculationrules>{{"prerender": [{{"urls": ["{home}/speculation"]}}]}}</script>
        <script src="{home}/script.js"></script></head>
        <body background="{named}/body"><p>text<img src="{home}/image"><img srcset="{named}/set 1x"><picture><source srcset="{home}/source"><img></picture>
        <iframe src="{home}/frame"></iframe><iframe srcdoc="<img src={home}/inner>"></iframe><object data="{home}/object"></object><embed src="{home}/embed">
        <video src="{home}/video" poster="{home}/poster" autoplay></video><audio src="{home}/audio" autoplay></audio>
        <svg><image href="{home}/svg"/><use href="{home}/use#x"/></svg><input type=image src="{home}/input"><frameset><frame src="{home}/old"></frameset>
        <form action="{home}/form" method=post id=form><input name=a></form><a id=ping href="{home}/link" ping="{home}/ping">link</a>
        <script>
        const home = "{home}", attempts = [
            () => fetch(home + "/fetch", {{mode: "no-cors"}}), () => navigator.sendBeacon(home + "/beacon"), () => new WebSocket("ws://127.0.0.1:{tcp}/socket"),
            () => new EventSource(home + "/events"), () => {{ let x = new XMLHttpRequest(); x.open("GET", home + "/xhr"); x.send(); }},
            () => new Worker(URL.createObjectURL(new Blob([`fetch("${{home}}/worker")`]))), () => navigator.serviceWorker.register("/sw.js"),
            () => new WebTransport("https://127.0.0.1:{udp}/"), () => new Image().src = home + "/new-image", () => import(home + "/import.js"),
            () => {{ let rtc = new RTCPeerConnection({{iceServers: [{{urls: ["stun:127.0.0.1:{udp}", "turn:127.0.0.1:{tcp}?transport=tcp"], username: "u", credential: "c"}}]}});
                    rtc.createDataChannel("d"); rtc.createOffer().then(offer => rtc.setLocalDescription(offer)); }},
            () => window.open(home + "/window"), () => document.getElementById("ping").click(), () => document.getElementById("form").submit(),
            () => {{ location = home + "/location"; }},
        ];
        document.title = "tried " + attempts.filter(attempt => {{ try {{ attempt(); return true; }} catch {{ return false; }} }}).length;
        // Leave time for requests that the page makes in the background.
        for (const end = Date.now() + 300; Date.now() < end;);
        </script></body></html>"#
    )
}

#[test]
fn no_request_leaves_the_browser() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let port = tcp.local_addr().unwrap().port();
    let html = page_that_phones_home(port, udp.local_addr().unwrap().port());
    for (scripts, title) in [(false, ""), (true, "tried 1")] {
        let mut browser = launch(&Config { scripts, ..Config::default() });
        // Test the server's own address too, where nothing is cross-origin.
        for url in ["https://site.example/page".to_owned(), format!("http://127.0.0.1:{port}/page")] {
            let page =
                browser.render(html.as_bytes(), None, Some(&Url::parse(&url).unwrap()), &Limits::default()).unwrap();
            assert!(all_text(&page).contains("text"), "the page itself is there");
            let tried =
                page.document.descendants(page.document.root()).find(|&node| page.document.is_element(node, "title"));
            assert!(tried.map_or(String::new(), |tried| text_of(&page, tried)).starts_with(title), "its scripts ran");
        }
        std::thread::sleep(Duration::from_millis(300));
        drop(browser);
        assert!(tcp.accept().is_err(), "a connection came with scripts {scripts}");
        assert!(udp.recv_from(&mut [0; 64]).is_err(), "a datagram came with scripts {scripts}");
    }
    // Check that the server would have seen both:
    let _client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"x", udp.local_addr().unwrap()).unwrap();
    assert!(tcp.accept().is_ok() && udp.recv_from(&mut [0; 64]).is_ok());
}

#[test]
fn scripts_are_off_unless_they_are_asked_for() {
    let html = b"<p id=p onclick=''>as sent</p><img src=x onerror=\"p.textContent='by handler'\"><noscript>fallback</noscript>
        <script>document.getElementById('p').textContent = 'by script'</script><iframe src=\"javascript:parent.p.textContent='by url'\"></iframe>";
    for (config, expect, fallback) in
        [(Config::default(), "as sent", true), (with_scripts(Duration::from_secs(30)), "by script", false)]
    {
        let page = render(&mut launch(&config), html).unwrap();
        let text = text_of(&page, by_id(&page, "p"));
        assert!(if fallback { text == expect } else { text.starts_with("by ") }, "{text}");
        let noscript = by_name(&page, "noscript");
        assert_eq!(page.document.children(noscript).any(|child| page.styles.rect(child).is_some()), fallback);
    }
}

#[test]
fn a_page_that_hangs_ends_in_time_and_the_next_one_is_rendered() {
    // Short enough to wait for, and long enough for a page on a busy machine.
    let timeout = Duration::from_secs(6);
    let mut browser = launch(&with_scripts(timeout));
    for hanging in
        ["<script>for(;;);</script>", "<p>x<script>addEventListener('DOMContentLoaded', () => { for(;;); })</script>"]
    {
        let began = Instant::now();
        let error = render(&mut browser, hanging.as_bytes()).unwrap_err();
        assert!(error.is_timeout() && !error.is_crash(), "{error}");
        assert!(began.elapsed() < timeout + Duration::from_secs(20), "{:?}", began.elapsed());
        // The browser's start does not count as the page's time.
        let page = render(&mut browser, b"<p>still here").unwrap();
        assert_eq!(all_text(&page), "still here");
    }
}

#[test]
fn dialogs_windows_and_redirections_do_not_get_in_the_way() {
    let mut browser = launch(&with_scripts(Duration::from_secs(20)));
    for html in [
        "<p>text<script>alert(1); confirm(2); prompt(3); print()</script>",
        "<p>text<script>onbeforeunload = () => 'stay'; window.open('about:blank'); window.open('/x', '_blank', 'noopener')</script>",
        "<p>text<script>location = 'http://elsewhere.example/'</script>",
        "<p>text<script>location.reload()</script>",
        "<meta http-equiv=refresh content='0; url=http://elsewhere.example/'><p>text",
        "<p>text<script>history.pushState({}, '', '/elsewhere')</script>",
        "<p>text<script>setTimeout(() => { for(;;); }, 5000)</script>",
        "<p>text<form action=http://elsewhere.example/><script>document.forms[0].submit()</script>",
        "<p>text<script>document.open(); document.write('<p>text'); document.close()</script>",
        "<p>text<a download href='data:text/plain,x'></a><script>document.links[0].click()</script>",
    ] {
        let page = render(&mut browser, html.as_bytes()).unwrap_or_else(|error| panic!("{html}: {error}"));
        assert_eq!(text_of(&page, by_name(&page, "p")).split('<').next().unwrap().get(..4), Some("text"), "{html}");
    }
}

#[test]
fn a_page_that_goes_where_no_request_is_needed_is_an_error() {
    let mut browser = launch(&with_scripts(Duration::from_secs(20)));
    let error = render(&mut browser, b"<p>text<script>location = 'about:blank'</script>").unwrap_err();
    assert!(error.to_string().contains("another in its place") && !error.is_timeout(), "{error}");
    assert_eq!(all_text(&render(&mut browser, b"<p>still here").unwrap()), "still here");
}

#[test]
fn hostile_pages_end_within_their_limits() {
    let timeout = Duration::from_secs(20);
    let mut browser = launch(&Config { timeout, ..Config::default() });
    let limits = Limits::default();
    let small = Limits::default().with_nodes(10_000);
    for (name, html, limits, expect) in [
        ("deep", format!("{}deep{}after", "<div>".repeat(5_000), "</div>".repeat(5_000)), &limits, Some(Cut::Depth)),
        ("very deep", format!("{}deep", "<div>".repeat(100_000)), &limits, None),
        ("unclosed fonts", "<font>x<p>".repeat(20_000), &limits, None),
        ("many nodes", "<p>x".repeat(15_000), &small, Some(Cut::Nodes)),
        (
            "many attributes",
            format!("<p{}>x", (0..40_000).map(|i| format!(" a{i}")).collect::<String>()),
            &limits,
            Some(Cut::Attributes),
        ),
    ] {
        let began = Instant::now();
        match browser.render(html.as_bytes(), None, None, limits) {
            Ok(page) => {
                assert!(page.document.len() <= limits.nodes + 1, "{name}: {} nodes", page.document.len());
                assert!(
                    expect.is_none_or(|cut| page.document.cuts().contains(&cut)),
                    "{name}: {:?}",
                    page.document.cuts()
                );
                assert!(
                    page.document
                        .descendants(page.document.root())
                        .all(|n| page.document.ancestors(n).count() <= limits.depth + 1)
                );
            }
            Err(error) => assert!(error.is_timeout() && expect.is_none(), "{name}: {error}"),
        }
        assert!(began.elapsed() < 2 * timeout, "{name}: {:?}", began.elapsed());
    }
    assert_eq!(all_text(&render(&mut browser, b"<p>still here").unwrap()), "still here");
}

/// `tsrec extract --render` on a page. Its temporary files go into a folder of the test.
fn command(folder: &Path, page: &str, arguments: &[&str]) -> Command {
    std::fs::write(folder.join("page.html"), page).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.arg("extract").arg(folder.join("page.html")).arg("--render").args(arguments);
    command.env("TMPDIR", folder.join("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
    std::fs::create_dir_all(folder.join("tmp")).unwrap();
    command
}

/// All processes in /proc: id, parent, command line.
fn processes() -> Vec<(u32, u32, String)> {
    let number = |path: PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let ids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| number(entry.ok()?.path()));
    ids.filter_map(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        let line = std::fs::read(format!("/proc/{id}/cmdline")).ok()?;
        Some((id, parent, String::from_utf8_lossy(&line).replace('\0', " ")))
    })
    .collect()
}

/// The descendants of a process, without the process itself.
fn descendants(of: u32) -> Vec<(u32, String)> {
    let all = processes();
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut parents = vec![of];
    while let Some(above) = parents.pop() {
        for (id, _, line) in all.iter().filter(|(_, parent, _)| *parent == above) {
            parents.push(*id);
            found.push((*id, line.clone()));
        }
    }
    found
}

/// Waits until `test` returns something, for at most twenty seconds. A page has longer.
fn wait_for<T>(what: &str, mut test: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = test() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{what} did not come about");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn are_gone(ids: &[u32]) -> bool {
    ids.iter().all(|id| {
        // A zombie has ended, even if its parent has not noticed yet.
        std::fs::read_to_string(format!("/proc/{id}/stat")).map_or(true, |stat| stat.contains(") Z "))
    })
}

const HANGS: &str = "<p>x<script>for(;;);</script>";

/// Starts a command that hangs in a page's script. Returns it and the processes of its browser.
fn hanging(folder: &Path) -> (std::process::Child, Vec<(u32, String)>) {
    let child = command(folder, HANGS, &["--scripts"]).spawn().unwrap();
    let browser = wait_for("a script without end", || {
        let browser = descendants(child.id());
        let hangs = |(id, line): &(u32, String)| line.contains("--type=renderer") && ticks(*id) > 30;
        browser.iter().any(hangs).then_some(browser)
    });
    (child, browser)
}

/// Processor time of a process, in hundredths of a second.
fn ticks(id: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split(' ').nth(11).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

#[test]
fn the_command_renders_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let html = String::from_utf8(fixture("article.html")).unwrap();
    let child = command(folder.path(), &html, &["--method", "mss"]).spawn().unwrap();
    let browser = wait_for("a browser", || Some(descendants(child.id())).filter(|found| found.len() > 1));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("The crossing takes twenty minutes"));
    let ids: Vec<u32> = browser.into_iter().map(|(id, _)| id).collect();
    wait_for("the browser's end", || are_gone(&ids).then_some(()));
    assert_eq!(std::fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0, "a profile folder was left");
}

#[test]
fn a_page_whose_process_dies_is_an_error_and_no_hang() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, browser) = hanging(folder.path());
    for (id, _) in browser.iter().filter(|(_, line)| line.contains("--type=renderer")) {
        Command::new("kill").args(["-KILL", &id.to_string()]).status().unwrap();
    }
    let status = wait_for("the command's end", || child.try_wait().unwrap());
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(status.code(), Some(1), "{message}");
    assert!(
        message.contains("page.html was not rendered") && message.contains("the page broke the browser"),
        "{message}"
    );
}

#[test]
fn the_browser_does_not_outlive_a_killed_command() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, browser) = hanging(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let ids: Vec<u32> = browser.into_iter().map(|(id, _)| id).collect();
    wait_for("the browser's end", || are_gone(&ids).then_some(()));
}

/// A page that tries every way to run a script. Each success leaves a mark.
fn hostile(story: &str) -> String {
    let mark = "document.body.appendChild(document.createElement('b')).id='ran'";
    let prose =
        format!("<p>{story} sailed at nine with the band on board, and a cat in the wheelhouse kept watch.</p>")
            .repeat(4);
    format!(
        "<title>{story}</title><script>{mark}</script><body><h1>{story}</h1><img src=x onerror=\"{mark}\"><svg onload=\"{mark}\"></svg>\
         <a href=\"javascript:{mark}\">{story}</a><p style='background:\\75rl(javascript:{mark})'>{story}</p>\
         <iframe srcdoc=\"<script>parent.{mark}</script>\"></iframe></style></title></textarea></pre><script>{mark}</script>{prose}"
    )
}

/// In a browser with scripts on, a report of such pages shows no mark. The pages themselves do.
#[test]
fn nothing_that_a_report_shows_runs() {
    let folder = tempfile::tempdir().unwrap();
    let pages = ["The ferry", "A lifeboat"].map(hostile);
    for (name, page) in ["a.html", "b.html"].iter().zip(&pages) {
        std::fs::write(folder.path().join(name), page).unwrap();
    }
    let mut diff = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    let diff =
        diff.current_dir(folder.path()).args(["diff", "a.html", "b.html", "--format", "report"]).output().unwrap();
    assert!(diff.status.success(), "{}", String::from_utf8_lossy(&diff.stderr));
    let mut browser = launch(&with_scripts(Duration::from_secs(20)));
    let mut has_run = |page: &[u8]| {
        let document = render(&mut browser, page).unwrap().document;
        document.descendants(document.root()).any(|node| document.attribute(node, "id") == Some("ran"))
    };
    assert!(has_run(pages[0].as_bytes()), "the page must run where nothing keeps it from that");
    assert!(!has_run(&diff.stdout));
}
