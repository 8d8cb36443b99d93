//! A site, served from files or from memory, that counts its requests.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// Requests by path.
pub(crate) type Requests = Arc<Mutex<BTreeMap<String, usize>>>;

/// A site that serves until dropped.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Requests,
    _runtime: tokio::runtime::Runtime,
}

impl Site {
    /// Serves the files of a folder.
    pub(crate) fn start(folder: &str) -> Site {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        Site::serve(move |path| read(&folder, path))
    }

    /// Serves the result of the function for a path.
    pub(crate) fn serve(read: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Site {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Requests::default();
        let (read, count) = (Arc::new(read), Arc::clone(&requests));
        let site = Router::new().fallback(move |uri: Uri| {
            *count.lock().unwrap().entry(uri.path().to_owned()).or_insert(0) += 1;
            let answer = answer(uri.path(), read(uri.path()));
            async move { answer }
        });
        runtime.spawn(async move { axum::serve(listener, site).await });
        Site { address, requests, _runtime: runtime }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Pages requested so far, without robots.txt.
    pub(crate) fn pages_asked_for(&self) -> usize {
        self.requests.lock().unwrap().keys().filter(|path| path.as_str() != "/robots.txt").count()
    }
}

fn read(folder: &Path, path: &str) -> Option<Vec<u8>> {
    let inside = PathBuf::from(path.trim_start_matches('/'));
    let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    std::fs::read(folder.join(&inside)).ok().filter(|_| is_plain)
}

fn answer(path: &str, body: Option<Vec<u8>>) -> Response {
    let kind = if path.ends_with(".txt") { "text/plain" } else { "text/html; charset=utf-8" };
    body.map_or_else(
        || StatusCode::NOT_FOUND.into_response(),
        |body| ([(header::CONTENT_TYPE, kind)], body).into_response(),
    )
}
