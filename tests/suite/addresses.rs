//! The same bytes are the same page wherever they stand.

use std::path::Path;

use tsrec_core::extract::Extract;
use tsrec_core::html::{Limits, parse};
use url::Url;

/// Addresses as those of a story, a product, a thread, a list, and a manual.
const ADDRESSES: [&str; 5] = [
    "https://news.example/2024/05/17/a-bridge-for-the-harbour.html",
    "https://shop.example/product/kettle-12?variant=3",
    "https://forum.example/viewtopic.php?t=4711",
    "https://blog.example/category/",
    "https://docs.example/en/latest/reference/api.html",
];

#[test]
fn text_kind_and_confidence_do_not_depend_on_the_address() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/languages");
    let mut pages: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "html"));
    assert!(pages.len() > 10);
    for page in pages {
        let document = parse(&std::fs::read(&page).unwrap(), None, &Limits::default());
        let found = |address: &str| {
            let url = Url::parse(address).unwrap();
            let found = Extract::new(&document).url(&url).run().unwrap();
            let (result, said) = (found.extraction(), &found.described().metadata);
            (found.text(), result.kind, result.confidence, said.title.clone(), said.authors.clone())
        };
        let first = found(ADDRESSES[0]);
        for address in &ADDRESSES[1..] {
            assert_eq!(found(address), first, "{} at {address}", page.display());
        }
    }
}
