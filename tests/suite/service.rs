//! The daemon under a service manager, which a test plays. It checks what the daemon reports, when,
//! and its exit code. `systemd/check` does the same with a real systemd.
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::site::Site;

const UNIT: &str = include_str!("../../systemd/tsrec.service");

/// The manager's socket, which receives the daemon's messages.
struct Manager {
    socket: UnixDatagram,
    dir: tempfile::TempDir,
}

impl Manager {
    fn new() -> Manager {
        let dir = tempfile::tempdir().unwrap();
        let socket = UnixDatagram::bind(dir.path().join("notify")).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        Manager { socket, dir }
    }

    fn start(&self, site: &Site, watchdog: Duration) -> Child {
        let config = self.dir.path().join("config.toml");
        std::fs::write(&config, format!("seeds = ['{}']", site.url("/index.html"))).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
        command.args([
            "crawl",
            "--allow-private-addresses",
            "--user-agent",
            "test-crawler (a test)",
            "--listen",
            "none",
        ]);
        command.arg("--config").arg(config).arg("--data-dir").arg(self.dir.path().join("data"));
        command.env("NOTIFY_SOCKET", self.dir.path().join("notify"));
        command.env("WATCHDOG_USEC", watchdog.as_micros().to_string()).env_remove("WATCHDOG_PID");
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The lines of the next message, or nothing if none comes for a tenth of a second.
    fn next(&self) -> Vec<String> {
        let mut bytes = [0; 4096];
        let len = self.socket.recv(&mut bytes).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..len]).lines().map(str::to_owned).collect()
    }

    /// The messages that arrive within a time.
    fn hear(&self, time: Duration) -> Vec<String> {
        let until = Instant::now() + time;
        let mut heard = Vec::new();
        while Instant::now() < until {
            heard.extend(self.next());
        }
        heard
    }

    /// Waits for this message. Returns all messages so far.
    fn hear_until(&self, word: &str) -> Vec<String> {
        let until = Instant::now() + Duration::from_secs(30);
        let mut heard = Vec::new();
        while !heard.iter().any(|line| line == word) {
            assert!(Instant::now() < until, "{word} is not said: {heard:?}");
            heard.extend(self.next());
        }
        heard
    }
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn signs_of_life(heard: &[String]) -> usize {
    heard.iter().filter(|line| *line == "WATCHDOG=1").count()
}

#[test]
fn a_service_manager_is_told_what_the_daemon_does() {
    let (site, manager) = (Site::start("fixtures/demo"), Manager::new());
    let mut child = manager.start(&site, Duration::from_secs(2));
    let before = manager.hear_until("READY=1");
    assert_eq!(signs_of_life(&before), 0, "not before it is ready: {before:?}");
    // The crawl is idle most of this time, and still sends its watchdog signal.
    let heard = manager.hear(Duration::from_secs(6));
    assert!(signs_of_life(&heard) >= 3, "a sign of life a second: {heard:?}");
    signal(&child, "-HUP");
    manager.hear_until("RELOADING=1");
    manager.hear_until("READY=1");
    // A stopped process sends no signal, and its manager ends it.
    signal(&child, "-STOP");
    manager.hear(Duration::from_millis(300));
    assert_eq!(manager.hear(Duration::from_secs(3)), Vec::<String>::new());
    signal(&child, "-CONT");
    signal(&child, "-TERM");
    manager.hear_until("STOPPING=1");
    assert!(child.wait().unwrap().success(), "told to stop, it ends well");
}

/// The values of a setting in the unit file.
fn setting(name: &str) -> Vec<&'static str> {
    let line = UNIT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("{name} is not set")).split_whitespace().collect()
}

#[test]
fn the_unit_knows_the_codes_that_the_daemon_ends_with() {
    let ends_with = |args: &[&str], dir: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
        command.args(args).current_dir(dir).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap().code().unwrap().to_string()
    };
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), "no_such_key = 1").unwrap();
    let never_again = setting("RestartPreventExitStatus");
    std::fs::write(dir.path().join("file"), "").unwrap();
    std::fs::write(dir.path().join("filter.toml"), "[log]\nfilter = 'tsrec=loud'").unwrap();
    std::fs::write(dir.path().join("token.toml"), "[http]\ntoken_file = 'file'").unwrap();
    std::fs::write(dir.path().join("absent.toml"), "[http]\ntoken_file = 'absent'").unwrap();
    std::fs::write(dir.path().join("warc.toml"), "[warc]\ndir = 'file'").unwrap();
    let with = |config| ["crawl", "http://127.0.0.1:9/", "--user-agent", "test (a test)", "--config", config];
    for args in [
        &["crawl", "--no-such-flag"][..],
        &["crawl", "--config", "config.toml"],
        &["crawl"],
        &with("filter.toml"),
        &with("token.toml"),
        &with("absent.toml"),
        &with("warc.toml"),
    ] {
        let code = ends_with(args, dir.path());
        assert!(never_again.contains(&code.as_str()), "{args:?} ends with {code}");
    }
    // Another process has the data directory: a temporary error.
    std::fs::create_dir(dir.path().join("data")).unwrap();
    let lock = std::fs::File::create(dir.path().join("data/lock")).unwrap();
    lock.lock().unwrap();
    let taken = ends_with(&["crawl", "http://127.0.0.1:9/", "--user-agent", "test (a test)", "--once"], dir.path());
    assert_eq!((taken.as_str(), setting("Restart")), ("1", vec!["on-failure"]));
    assert!(!never_again.contains(&"1"));
    // Two stop signals: see `a_second_sigterm_ends_a_crawl_at_once`.
    assert_eq!(setting("SuccessExitStatus"), ["130"]);
    assert_eq!((setting("Type"), setting("ExecReload")), (vec!["notify"], vec!["/bin/kill", "-HUP", "$MAINPID"]));
}

#[test]
fn a_configuration_is_checked_and_shown_before_it_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    let config = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tsrec")).arg("config").args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let name = file.to_str().unwrap();
    for (text, code, said) in [
        ("user_agent = 'bot/1.0 (a test)'\n[crawl]\nconcurrency = 7\n", 0, "can be used"),
        ("", 0, "sets no user_agent"),
        ("user_agent = '1.0'", 78, "cannot be used"),
        ("[crawl]\nconcurency = 7", 78, "concurency"),
        ("[http]\nlisten = '0.0.0.0:1'\ntoken_file = '/absent/token'", 78, "/absent/token"),
        ("[http", 78, "cannot be used"),
        ("[log]\nfilter = 'tsrec=loud'", 78, "log.filter"),
        ("[warc]\ndir = '/dev/null'", 78, "warc.dir /dev/null"),
        ("[crawl]\nsibling_wait = '500000000000years'", 78, "crawl.sibling_wait is "),
        ("[store]\ntemplates_per_host = 0", 78, "templates_per_host"),
    ] {
        std::fs::write(&file, text).unwrap();
        let (exit, stdout, stderr) = config(&["check", name]);
        assert_eq!((exit, stdout.as_str()), (code, ""), "{text}: {stderr}");
        assert!(stderr.contains(said) && stderr.contains(name), "{text}: {stderr}");
    }
    assert_eq!(config(&["check", "/absent.toml"]).0, 78);
    std::fs::write(&file, "user_agent = 'bot/1.0 (a test)'\n[crawl]\nconcurrency = 7\n").unwrap();
    let (_, changed, _) = config(&["show", name, "--changed"]);
    assert_eq!(changed, "user_agent = \"bot/1.0 (a test)\"\n\n[crawl]\nconcurrency = 7\n");
    let (_, all, _) = config(&["show", name]);
    assert!(all.contains("concurrency = 7\n") && all.contains("[warc]\nmax_bytes = 1073741824\n"), "{all}");
    // The output of `config show` works as a configuration file.
    std::fs::write(&file, &all).unwrap();
    assert_eq!(config(&["show", name]).1, all);
}

/// The log goes to a pipe that is full and that nobody reads.
#[test]
fn a_log_that_nobody_reads_stops_neither_the_crawl_nor_its_end() {
    let site = Site::start("fixtures/demo");
    let dir = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while std::io::Write::write(&mut &writer, &[b'\n'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args([
        "crawl",
        &site.url("/index.html"),
        "--allow-private-addresses",
        "--delay",
        "1ms",
        "--listen",
        "none",
    ]);
    command.args(["--user-agent", "test-crawler (a test)", "--log", "trace", "--data-dir"]).arg(dir.path());
    let mut daemon = command.stdout(Stdio::null()).stderr(writer).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while site.pages_asked_for() < 13 {
        assert!(Instant::now() < until, "{} pages were asked for", site.pages_asked_for());
        assert!(daemon.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    let begun = Instant::now();
    signal(&daemon, "-TERM");
    let status = daemon.wait().unwrap();
    assert!(status.success() && begun.elapsed() < Duration::from_secs(20), "{status} after {:?}", begun.elapsed());
    drop(reader);
}
