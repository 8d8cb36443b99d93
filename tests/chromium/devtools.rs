//! Drives a real Chromium on pages served on loopback. The driver presses keys as a person does and
//! reads what a screen reader gets.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest wait for an answer or a page.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub(crate) struct Devtools {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    last_id: u64,
    session: Option<String>,
    _folder: tempfile::TempDir,
}

/// A node of the accessibility tree.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) focusable: bool,
}

impl Devtools {
    pub(crate) fn launch() -> Devtools {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("/bin/sh");
        // Chromium reads the protocol on descriptor 3 and writes it on descriptor 4.
        command.args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "chromium"]);
        command.args([
            "--headless",
            "--remote-debugging-pipe",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ]);
        command.args(["--force-renderer-accessibility", "--window-size=1400,1000"]);
        command.arg(format!("--user-data-dir={}", folder.path().display())).env("HOME", folder.path());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("these tests need Chromium: {error}"));
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for message in from.split(0).map_while(Result::ok) {
                if serde_json::from_slice(&message).map(|message: Value| sender.send(message)).is_err() {
                    return;
                }
            }
        });
        let mut browser = Devtools { child, to, from: receiver, last_id: 0, session: None, _folder: folder };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        browser.ask("Page.enable", json!({}));
        browser.ask("Accessibility.enable", json!({}));
        browser
    }

    /// Sends a command and returns the answer.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_ask(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{command}\0").as_bytes()).unwrap();
        self.to.flush().unwrap();
        loop {
            let message =
                self.from.recv_timeout(PATIENCE).map_err(|_| "no answer: is Chromium installed?".to_owned())?;
            if message["id"] == self.last_id {
                return match message.get("error") {
                    Some(error) => Err(error.to_string()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    /// The value of an expression on the page. Our pages run no script; the browser evaluates this
    /// one.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let result = self.try_ask("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        result.map_or(Value::Null, |result| result["result"]["value"].clone())
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let began = Instant::now();
        while self.value(&format!("document.readyState == 'complete' && ({expression})")) != true {
            let seen = self.value("location.href + ' ' + document.body.innerText.slice(0, 500)");
            assert!(began.elapsed() < PATIENCE, "{expression} did not come about: {seen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn open(&mut self, url: &str) {
        self.ask("Page.navigate", json!({ "url": url }));
        self.wait_for(&format!("location.href == {}", json!(url)));
    }

    /// Presses a key, given its name, its code and the text that it types.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "ArrowRight" => (39, ""),
            " " => (32, " "),
            letter if letter.len() == 1 => (i32::from(letter.as_bytes()[0].to_ascii_uppercase()), letter),
            other => panic!("no key {other}"),
        };
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        for kind in [down, "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" {
                event["text"] = text.into();
            }
            self.ask("Input.dispatchKeyEvent", event);
        }
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.ask("Input.insertText", json!({ "text": text }));
    }

    /// Presses Tab until an expression holds for the focused element `it`.
    pub(crate) fn tab_to(&mut self, expression: &str) {
        for _ in 0..400 {
            self.press("Tab");
            if self.value(&format!("(it => {expression})(document.activeElement)")) == true {
                let shown = "(it => it.matches(':focus-visible') && getComputedStyle(it).outlineStyle != 'none')";
                assert_eq!(
                    self.value(&format!("{shown}(document.activeElement)")),
                    true,
                    "focus is seen at {expression}"
                );
                return;
            }
        }
        panic!("Tab does not lead to {expression}");
    }

    /// What a screen reader gets from the page.
    pub(crate) fn told(&mut self) -> Vec<Told> {
        let tree = self.ask("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().unwrap().iter().filter(|node| node["ignored"] != true);
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        let focusable = |node: &Value| {
            let properties = node["properties"].as_array().into_iter().flatten();
            properties.filter(|one| one["name"] == "focusable").any(|one| one["value"]["value"] == true)
        };
        nodes
            .map(|node| Told { role: text(&node["role"]), name: text(&node["name"]), focusable: focusable(node) })
            .collect()
    }
}

impl Drop for Devtools {
    fn drop(&mut self) {
        let _ = self.try_ask("Browser.close", json!({}));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
