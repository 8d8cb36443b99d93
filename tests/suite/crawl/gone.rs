//! Pages that are gone, each with the page that links to it.

use crate::support::script::{Bench, html, page, say};
use tsrec_crawl::frontier::{Filter, Frontier, UrlState};
use tsrec_crawl::pipeline::outcome::NoPage;

use super::PAGE;

#[tokio::test(start_paused = true)]
async fn a_broken_link_is_listed_with_its_page_until_it_works() {
    let mut bench = Bench::new(|url, times| match url.path() {
        "/" => page(html("Front", &["/lost", "/good"])),
        "/lost" if times == 0 => say(NoPage::Gone),
        path => page(html(path, &[])),
    });
    let lost = "http://a.example/lost";
    bench.run(&[PAGE], None).await;
    let listed = bench.frontier().list(Filter::Gone, None, None, 9).unwrap().0;
    let found = listed.iter().map(|listed| (listed.url.as_str(), listed.status.found_on.as_deref()));
    assert_eq!(found.collect::<Vec<_>>(), [(lost, Some(PAGE))]);
    assert!(matches!(listed[0].status.state, UrlState::Gone { .. }));
    let stats = bench.frontier().stats().await.unwrap();
    assert_eq!((stats.gone, stats.known), (1, 2));

    assert!(bench.frontier().make_due(lost).await.unwrap());
    bench.run(&[], None).await;
    assert!(bench.record(lost).is_some());
    assert!(matches!(bench.status(lost).await.state, UrlState::Known { .. }));
    assert_eq!(bench.frontier().stats().await.unwrap().gone, 0);
}
