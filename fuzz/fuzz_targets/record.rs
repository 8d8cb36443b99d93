//! Any bytes as a record of the store. They are not a record, or the store keeps them, returns them
//! unchanged and writes each format without a panic.
//!
//! If the first byte is odd, the rest is the markup of a record, since all formats are made from
//! it. Otherwise it is the record's JSON.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tsrec_core::render::Along;
use tsrec_store::{Config, Database, NewPage, Store};

fn store() -> &'static Store {
    static STORE: OnceLock<(Database, Store)> = OnceLock::new();
    let opened = STORE.get_or_init(|| {
        let dir = std::env::temp_dir().join(format!("tsrec-fuzz-record-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let database = Database::open(&dir, &Config::default()).unwrap();
        let store = Store::new(&database);
        (database, store)
    });
    &opened.1
}

/// A record with this markup.
fn marked_up(html: &str) -> NewPage {
    let page = serde_json::json!({
        "url": "http://a.example/1", "title": "A page", "comments": "", "text": "What it says.", "html": html, "words": 3, "method": "blocks",
        "confidence": 0.5, "gates": [], "labels": {}, "fetched_at": "2026-11-21T00:00:00Z", "status": 200, "cut": [],
    });
    serde_json::from_value(page).unwrap()
}

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let page = match first % 2 {
        1 => marked_up(&String::from_utf8_lossy(rest)),
        _ => match serde_json::from_slice::<NewPage>(rest) {
            Ok(page) => page,
            Err(_) => return,
        },
    };
    for along in [Along::default(), Along { links: false, images: true }, Along { links: true, images: false }] {
        let _ = (page.markdown(along), page.content_html(along), page.tei(along));
    }
    let _ = page.front_matter();
    match store().put(&page) {
        Ok(put) => {
            let record = store().get(&page.url).unwrap().expect("what was kept is there");
            assert_eq!(record.seq, put.seq);
            assert_eq!(record.page, NewPage { url: record.page.url.clone(), ..page });
            let _ = record.html_page();
            let _ = serde_json::to_vec(&record).unwrap();
        }
        Err(error) => assert!(error.is_invalid() || error.is_too_large(), "{error}"),
    }
});
