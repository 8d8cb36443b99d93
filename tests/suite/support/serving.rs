//! A store in its own directory, with the API while a test needs it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tsrec_core::html::Limits;
use tsrec_core::metadata::Metadata;
use tsrec_crawl::frontier::Embedded;
use tsrec_crawl::memories::SiteMemories;
use tsrec_server::http;
use tsrec_server::http::{Api, Config as HttpConfig, Token};
use tsrec_store::{Config, Database, NewPage, Store};

/// A page whose text names its URL.
pub(crate) fn page(url: &str, text: &str) -> NewPage {
    NewPage {
        url: url.into(),
        metadata: Metadata { title: Some(format!("Title of {url}")), ..Default::default() },
        comments: String::new(),
        text: text.into(),
        html: Some(format!("<p>{text}</p>")),
        words: text.split_whitespace().count() as u64,
        method: "template".into(),
        confidence: 0.43691936321504876,
        kind: Some("article".into()),
        kind_probability: Some(0.75),
        sibling: None,
        template: None,
        gates: serde_json::json!([{ "passed": true, "measured": 0.25 }]),
        labels: [("common".to_owned(), 12)].into(),
        fetched_at: "2026-11-21T00:00:00Z".parse().unwrap(),
        status: 200,
        charset: Some("UTF-8".into()),
        cut: vec![],
    }
}

pub(crate) fn open(dir: &Path) -> (Database, Store) {
    let database = Database::open(dir, &Config::default()).unwrap();
    let store = Store::new(&database);
    (database, store)
}

/// An API that serves until dropped.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    shutdown: Option<oneshot::Sender<()>>,
    runtime: Option<tokio::runtime::Runtime>,
    task: Option<tokio::task::JoinHandle<std::io::Result<()>>>,
}

impl Serving {
    /// `ready` is the answer of `/readyz`.
    pub(crate) fn start(store: &Store, ready: Arc<AtomicBool>) -> Serving {
        let config = HttpConfig { max_wait: Duration::from_secs(30), ..HttpConfig::default() };
        Serving::with(store, ready, config, None)
    }

    /// With other settings, and a token.
    pub(crate) fn with(store: &Store, ready: Arc<AtomicBool>, config: HttpConfig, token: Option<Token>) -> Serving {
        Serving::over(store, None, ready, config, token)
    }

    /// With a frontier.
    pub(crate) fn over(
        store: &Store,
        frontier: Option<Arc<Embedded>>,
        ready: Arc<AtomicBool>,
        config: HttpConfig,
        token: Option<Token>,
    ) -> Serving {
        let memories = SiteMemories::over(store, Default::default());
        Serving::within(&memories, (frontier, ready), config, token, Limits::default())
    }

    /// With what sites have taught so far, and other limits on pages.
    pub(crate) fn within(
        memories: &SiteMemories,
        (frontier, ready): (Option<Arc<Embedded>>, Arc<AtomicBool>),
        config: HttpConfig,
        token: Option<Token>,
        limits: Limits,
    ) -> Serving {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let api = Api {
            memories: memories.clone(),
            frontier,
            ready: Arc::new(move || {
                ready.load(Ordering::SeqCst).then_some("ready".to_owned()).ok_or_else(|| "the test says so".to_owned())
            }),
            metrics: Arc::new(|| "pages 3\n".to_owned()),
            pace: Arc::default(),
            is_crawling: true,
            seeded: Arc::new(|_| {}),
            added: Arc::new(|| {}),
            favor: Default::default(),
            product_token: Some("testbot".to_owned()),
            token,
            limits,
            config,
        };
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (shutdown, stopped) = oneshot::channel::<()>();
        let task = runtime.spawn(http::serve(listener, api, async move { drop(stopped.await) }));
        Serving { address, shutdown: Some(shutdown), runtime: Some(runtime), task: Some(task) }
    }

    /// Begins the shutdown, and returns when it is done.
    pub(crate) fn stop(&mut self) {
        self.shutdown.take();
        if let (Some(runtime), Some(task)) = (&self.runtime, self.task.take()) {
            runtime.block_on(task).unwrap().unwrap();
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}
