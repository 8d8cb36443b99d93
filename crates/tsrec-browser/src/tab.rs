//! One page in the browser, with a context and a tab of its own. It answers the page's first
//! request with the page's bytes, and refuses all others. At the load event it takes the
//! description.

use std::time::Instant;

use base64::Engine;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;

use super::Config;
use super::connection::{BrowserFault, CommandDone, CommandId, Event, Message, Pipes};
use super::snapshot::{PROPERTIES, Snapshot};

/// Loads `html` as if it came from `url`, and describes it.
pub(super) fn describe(
    connection: &mut Pipes,
    html: &str,
    url: Option<&Url>,
    config: &Config,
    deadline: Instant,
) -> Result<Snapshot, BrowserFault> {
    let context: Context = connection.ask("Target.createBrowserContext", &json!({}), deadline)?;
    let mut tab = Tab::open(connection, &context, config, deadline)?;
    tab.load(html, &address(url))?;
    let mut snapshot: Snapshot = tab.ask("DOMSnapshot.captureSnapshot", &json!({ "computedStyles": PROPERTIES }))?;
    snapshot.has_quirks = tab.has_quirks()?;
    connection.ask::<CommandDone>(
        "Target.disposeBrowserContext",
        &json!({ "browserContextId": context.id }),
        deadline,
    )?;
    Ok(snapshot)
}

/// The URL of the page for its scripts: its own without private parts, or one that nobody has.
fn address(url: Option<&Url>) -> Url {
    let own = url.filter(|url| matches!(url.scheme(), "http" | "https")).cloned();
    let mut url = own.unwrap_or_else(|| Url::parse("http://page.invalid/").expect("a URL"));
    url.set_fragment(None);
    // Both fail only for URLs that cannot have a user name, and so have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[derive(Deserialize)]
struct Context {
    #[serde(rename = "browserContextId")]
    id: String,
}

/// A tab and its connection.
struct Tab<'c> {
    connection: &'c mut Pipes,
    deadline: Instant,
    session: String,
    /// The main frame; its id is the tab's.
    frame: String,
    scripts: bool,
    /// The page, until the tab requests it.
    page: Option<String>,
    /// Whether the tab shows the page, or a part of it.
    is_shown: bool,
    /// Whether the whole page is loaded, and everything it requested is loaded or refused.
    is_loaded: bool,
}

impl<'c> Tab<'c> {
    fn open(
        connection: &'c mut Pipes,
        context: &Context,
        config: &Config,
        deadline: Instant,
    ) -> Result<Self, BrowserFault> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Target {
            target_id: String,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Session {
            session_id: String,
        }
        let target = json!({ "url": "about:blank", "browserContextId": context.id });
        let Target { target_id } = connection.ask("Target.createTarget", &target, deadline)?;
        let attach = json!({ "targetId": target_id, "flatten": true });
        let Session { session_id } = connection.ask("Target.attachToTarget", &attach, deadline)?;
        let mut tab = Tab {
            connection,
            deadline,
            session: session_id,
            frame: target_id,
            scripts: config.scripts,
            page: None,
            is_shown: false,
            is_loaded: false,
        };
        tab.prepare(context, config)?;
        Ok(tab)
    }

    /// Sets everything that must hold before the page comes.
    fn prepare(&mut self, context: &Context, config: &Config) -> Result<(), BrowserFault> {
        let no_downloads = json!({ "behavior": "deny", "browserContextId": context.id });
        self.connection.ask::<CommandDone>("Browser.setDownloadBehavior", &no_downloads, self.deadline)?;
        let size = json!({ "width": config.width, "height": config.height, "deviceScaleFactor": 1, "mobile": false });
        let media = json!({ "media": "screen", "features": [
            { "name": "prefers-reduced-motion", "value": "reduce" },
            { "name": "prefers-color-scheme", "value": "light" },
        ] });
        // Windows and workers that the page opens wait for a debugger that never starts them.
        let hold = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        for (method, params) in [
            ("Inspector.enable", json!({})),
            ("Page.enable", json!({})),
            ("Target.setAutoAttach", hold),
            ("Emulation.setDeviceMetricsOverride", size),
            ("Emulation.setEmulatedMedia", media),
            ("Emulation.setScriptExecutionDisabled", json!({ "value": !config.scripts })),
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
        ] {
            self.ask::<CommandDone>(method, &params)?;
        }
        Ok(())
    }

    fn load(&mut self, html: &str, url: &Url) -> Result<(), BrowserFault> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Navigation {
            error_text: Option<String>,
        }
        self.page = Some(base64::engine::general_purpose::STANDARD.encode(html));
        let Navigation { error_text } = self.ask("Page.navigate", &json!({ "url": url.as_str() }))?;
        if let Some(message) = error_text {
            return Err(BrowserFault::Refused { command: "Page.navigate", message: format!("{url}: {message}") });
        }
        while !self.is_loaded {
            match self.connection.next(self.deadline)? {
                Message::Event(event) => self.handle(&event)?,
                Message::Answer(_) => {}
            }
        }
        Ok(())
    }

    fn has_quirks(&mut self) -> Result<bool, BrowserFault> {
        #[derive(Deserialize)]
        struct Answer {
            root: Root,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Root {
            compatibility_mode: String,
        }
        let Answer { root } = self.ask("DOM.getDocument", &json!({ "depth": 0 }))?;
        Ok(root.compatibility_mode == "QuirksMode")
    }

    /// Sends a command and waits for its answer. Handles events meanwhile.
    fn ask<T: DeserializeOwned>(&mut self, method: &'static str, params: &Value) -> Result<T, BrowserFault> {
        let id = self.tell(method, params)?;
        loop {
            match self.connection.next(self.deadline)? {
                Message::Answer(answer) if answer.id == id => return answer.result(method),
                // An answer that `tell` does not wait for. A request may be gone before its
                // refusal arrives.
                Message::Answer(_) => {}
                Message::Event(event) => self.handle(&event)?,
            }
        }
    }

    /// Sends a command without waiting for its answer.
    fn tell(&mut self, method: &str, params: &Value) -> Result<CommandId, BrowserFault> {
        self.connection.send(Some(&self.session), method, params)
    }

    fn handle(&mut self, event: &Event) -> Result<(), BrowserFault> {
        if event.session.as_deref() != Some(&self.session) {
            return Ok(());
        }
        match event.method.as_str() {
            "Fetch.requestPaused" => self.intercept(&event.params),
            "Page.frameNavigated" if event.params["frame"]["id"] == self.frame.as_str() => {
                // The tab went to a URL without a request, such as about:blank. All others were
                // refused.
                if std::mem::replace(&mut self.is_shown, true) { Err(BrowserFault::Left) } else { Ok(()) }
            }
            // If a page navigates before it is loaded, it stops without the event.
            "Page.loadEventFired" => self.loaded(),
            "Page.frameStoppedLoading" if event.params["frameId"] == self.frame.as_str() => self.loaded(),
            // alert() and similar calls block the page until they are answered.
            "Page.javascriptDialogOpening" => {
                self.tell("Page.handleJavaScriptDialog", &json!({ "accept": false })).map(drop)
            }
            "Inspector.targetCrashed" => Err(BrowserFault::PageCrashed),
            _ => Ok(()),
        }
    }

    fn loaded(&mut self) -> Result<(), BrowserFault> {
        self.is_loaded = self.is_shown;
        Ok(())
    }

    /// Answers the first request of the main frame with the page, and refuses all others.
    fn intercept(&mut self, params: &Value) -> Result<(), BrowserFault> {
        let request = &params["requestId"];
        let is_navigation = params["resourceType"] == "Document" && params["frameId"] == self.frame.as_str();
        match self.page.take_if(|_| is_navigation) {
            Some(page) => {
                let headers: Vec<Value> = headers(self.scripts)
                    .into_iter()
                    .map(|(name, value)| json!({ "name": name, "value": value }))
                    .collect();
                let answer =
                    json!({ "requestId": request, "responseCode": 200, "responseHeaders": headers, "body": page });
                self.tell("Fetch.fulfillRequest", &answer)?;
            }
            // As if the user had stopped it: another reason would show an error page of the
            // browser.
            None => {
                self.tell("Fetch.failRequest", &json!({ "requestId": request, "errorReason": "Aborted" }))?;
            }
        }
        Ok(())
    }
}

/// Headers of the page. The encoding overrides the page's own; the policy allows only what the
/// page contains.
fn headers(scripts: bool) -> [(&'static str, &'static str); 4] {
    let policy = match scripts {
        true => {
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'unsafe-inline' 'unsafe-eval'; \
             form-action 'none'; webrtc 'block'"
        }
        false => "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; webrtc 'block'",
    };
    [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", policy),
        ("X-DNS-Prefetch-Control", "off"),
        ("Cache-Control", "no-store"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_shown_under_their_own_address_without_secrets() {
        for (url, expect) in [
            (Some("https://site.example/a?b#c"), "https://site.example/a?b"),
            (Some("http://user:secret@site.example/"), "http://site.example/"),
            (Some("file:///etc/passwd"), "http://page.invalid/"),
            (None, "http://page.invalid/"),
        ] {
            let url = url.map(|url| Url::parse(url).unwrap());
            assert_eq!(address(url.as_ref()).as_str(), expect);
        }
    }
}
