//! The browser's process: finds it, starts it, and ends it with all its children.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use serde_json::json;
use tempfile::TempDir;

use super::Config;
use super::connection::{CommandDone, Pipes};
use super::error::{Error, Said};

/// Names of Chromium's binary, in lookup order.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// How long a browser may take to start. Judgement: half a second is usual, a cold disk takes
/// several.
const START: Duration = Duration::from_secs(60);

/// Chromium speaks the protocol on descriptors 3 (in) and 4 (out). Setting these needs a shell,
/// or unsafe code.
const WITH_PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// Flags that keep the browser quiet: no window, no network, no services of its own.
const FLAGS: [&str; 22] = [
    "--headless",
    "--remote-debugging-pipe",
    // Network: all requests, also to loopback, go to a proxy. Neither its name nor any other
    // resolves. UDP cannot bypass it.
    "--proxy-server=http://nowhere.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-features=MediaRouter,DialMediaRouteProvider,HttpsUpgrades,OptimizationHints,Translate",
    // Services for its user.
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--mute-audio",
    "--no-first-run",
    "--no-pings",
    // Graphics. Containers have too small a /dev/shm for it.
    "--disable-dev-shm-usage",
    "--disable-gpu",
    // Boxes are as wide as the window, with or without a scroll bar.
    "--hide-scrollbars",
    "--force-color-profile=srgb",
];

/// A running browser and its profile folder.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) connection: Pipes,
    child: Child,
    /// `None` only during the drop.
    folder: Option<TempDir>,
}

impl Process {
    /// Starts a browser and waits until it answers.
    pub(super) fn start(config: &Config) -> Result<Self, Error> {
        let binary = find(config.path.as_deref())?;
        let cannot = |error| Error::start(&binary, error);
        let folder = tempfile::Builder::new().prefix("tsrec-browser-").tempdir().map_err(cannot)?;
        let stderr = std::fs::File::create(folder.path().join(STDERR)).map_err(cannot)?;
        let mut child = command(&binary, config, folder.path()).stderr(stderr).spawn().map_err(cannot)?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both ends are piped");
        };
        let mut process = Process { connection: Pipes::new(to, from), child, folder: Some(folder) };
        let version = process.connection.ask::<CommandDone>("Browser.getVersion", &json!({}), Instant::now() + START);
        version.map_err(|fault| Error::of_start(fault, START, process.last_words()))?;
        Ok(process)
    }

    /// The end of the browser's standard error, on one line.
    pub(super) fn last_words(&self) -> Said {
        /// Bytes: two or three of its messages.
        const MOST: u64 = 500;
        let Some(folder) = &self.folder else { return Said(String::new()) };
        let mut said = Vec::new();
        // If the browser wrote nothing, this is empty.
        let _ = std::fs::File::open(folder.path().join(STDERR)).and_then(|mut file| {
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(MOST)))?;
            file.take(MOST).read_to_end(&mut said)
        });
        Said(String::from_utf8_lossy(&said).split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// The file in the profile folder for standard error.
const STDERR: &str = "stderr.log";

fn command(binary: &Path, config: &Config, folder: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(WITH_PIPES).arg(binary).args(FLAGS);
    command.arg(joined("--user-data-dir=", folder)).arg(format!("--window-size={},{}", config.width, config.height));
    // Chromium has no sandbox for root, and does not start as root with one.
    if geteuid().is_root() || !config.sandbox {
        command.arg("--no-sandbox");
    }
    // It cannot leak an environment that it does not have. Its files go with its folder.
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.envs(["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"].map(|name| (name, folder)));
    command.envs([("LANG", "C.UTF-8"), ("LANGUAGE", "en"), ("TZ", "UTC")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    // A process group of its own, so that we can end all its processes at once, and so that only
    // we get an interrupt from the terminal.
    command.process_group(0);
    command
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push(path);
    argument
}

/// The binary: `path`, looked up on `PATH` if it is only a name, or else the first of [`NAMES`].
fn find(path: Option<&Path>) -> Result<PathBuf, Error> {
    let names: Vec<&Path> = path.map_or_else(|| NAMES.map(Path::new).to_vec(), |path| vec![path]);
    let found = names.iter().find_map(|name| look_up(name, &std::env::var_os("PATH").unwrap_or_default()));
    found.ok_or_else(|| match path {
        Some(path) => Error::missing(format!("executable file {}", path.display())),
        None => Error::missing(format!("Chromium: none of {} is on PATH", NAMES.join(", "))),
    })
}

/// The file that a shell would run for that name.
fn look_up(name: &Path, path: &OsStr) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return is_executable(name).then(|| name.to_owned());
    }
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

impl Drop for Process {
    /// Ends every process of the browser and removes its folder.
    fn drop(&mut self) {
        /// Some of its processes may still write for a moment. Judgement: times 10 ms, half a
        /// second.
        const TRIES: usize = 50;
        // Both fail only if no process is left.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
        let Some(folder) = self.folder.take() else { return };
        let path = folder.keep();
        for _ in 0..TRIES {
            if std::fs::remove_dir_all(&path).is_ok() || !path.exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        tracing::warn!(folder = %path.display(), "browser.folder_not_removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_found_as_a_shell_would() {
        let folder = tempfile::tempdir().unwrap();
        let (own, other) = (folder.path().join("own"), folder.path().join("other"));
        for path in [&own, &other] {
            std::fs::create_dir(path).unwrap();
        }
        std::fs::write(own.join("chromium"), "not executable").unwrap();
        std::fs::write(other.join("chromium"), "").unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(other.join("chromium"), executable).unwrap();
        let path = std::env::join_paths([&own, &other]).unwrap();
        for (name, expect) in [
            (PathBuf::from("chromium"), Some(other.join("chromium"))),
            (PathBuf::from("chrome"), None),
            (other.join("chromium"), Some(other.join("chromium"))),
            (own.join("chromium"), None),
            (own.clone(), None),
        ] {
            assert_eq!(look_up(&name, &path), expect, "{}", name.display());
        }
    }

    #[test]
    fn a_missing_binary_is_named_with_the_way_out() {
        let error = find(Some(Path::new("/no/such/chromium"))).unwrap_err();
        assert!(error.is_missing());
        let message = error.to_string();
        assert!(message.contains("/no/such/chromium") && message.contains("install Chromium"), "{message}");
    }

    #[test]
    fn what_is_no_browser_is_told_by_its_own_words() {
        let error = Process::start(&Config { path: Some("cat".into()), ..Config::default() }).unwrap_err();
        assert!(error.to_string().contains("--headless"), "{error}");
        assert!(!error.is_missing() && !error.is_timeout() && !error.is_crash());
    }
}
