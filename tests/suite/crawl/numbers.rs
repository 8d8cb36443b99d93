//! Traps: pages that differ in their numbers are none, and endless ones are.

use super::{DAY, PAGE};
use crate::support::script::{Bench, html, listing, page};
use tsrec_crawl::frontier::Leads;

const PAGES: usize = 151;

/// A page of a family, with links.
fn family(text: String, links: &[String]) -> String {
    let links: String = links.iter().map(|link| format!("<li><a href=\"{link}\">on</a></li>")).collect();
    format!(
        "<html><head><title>The chandler</title></head><body><ul>{links}</ul><h1>The chandler</h1><p>{text}</p></body></html>"
    )
}

/// A folder, and the text of its page with a number.
type Family = (&'static str, fn(usize) -> String);

#[tokio::test(start_paused = true)]
async fn products_tides_and_prices_are_all_stored() {
    let families: [Family; 3] = [
        ("/product/", |n| {
            format!("This rope of {} mm is sold by the metre on the quay, for {} euro.", 6 + n % 9, 20 + n * 7)
        }),
        ("/tides/", |n| {
            format!("High water stands at {}.{} metres on the pier, and low water at {}.{}.", 4 + n % 3, n, n % 2, n)
        }),
        ("/prices/", |n| {
            format!("Today cod costs {}, herring {}, plaice {} and eel {} by the kilo.", n + 90, n * 2, n + 9, n * 3)
        }),
    ];
    for (path, text) in families {
        for one_by_one in [false, true] {
            let mut bench = Bench::new(move |url, _| match url.path().strip_prefix(path) {
                Some(n) => {
                    let n: usize = n.parse().unwrap();
                    let next = (n + 1 < PAGES && one_by_one).then(|| format!("{path}{}", n + 1));
                    page(family(text(n), &next.into_iter().collect::<Vec<_>>()))
                }
                None => {
                    let all: Vec<String> =
                        (0..if one_by_one { 1 } else { PAGES }).map(|n| format!("{path}{n}")).collect();
                    page(html("Front", &all.iter().map(String::as_str).collect::<Vec<_>>()))
                }
            });
            bench.run(&[PAGE], None).await;
            let stored = (0..PAGES).filter(|n| bench.record(&format!("http://a.example{path}{n}")).is_some()).count();
            assert_eq!(stored, PAGES, "{path}, one by one: {one_by_one}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn endless_pages_cost_sixty_requests_even_where_a_sitemap_lists_them() {
    let families: [Family; 4] = [
        ("/calendar/2031/", |n| {
            format!("May {}: {}. There are no events in this month.", 2031 + n / 12, "1 2 3 4 5 6 7 8 9")
        }),
        ("/day?n=", |n| {
            format!("{} May {}: there are no events on this day. Look at the week.", n % 31 + 1, 2031 + n / 365)
        }),
        ("/day?date=2031-05-", |n| format!("2031-05-{n}, week {}: there are no events on this day.", n % 53)),
        ("/rope?session=", |_| "This rope of 12 mm is sold by the metre, for 48.50 euro, at the old pier.".to_owned()),
    ];
    for (path, text) in families {
        for in_sitemap in [false, true] {
            let mut bench = Bench::that_hears(move |asked, _| {
                let at = asked.url.as_str().strip_prefix("http://a.example").unwrap();
                if asked.leads() == Leads::ToListing {
                    let all: String = (0..2_000).map(|n| format!("<url><loc>{path}{n}</loc></url>")).collect();
                    return listing(asked.url, &format!("<urlset>{all}</urlset>"));
                }
                match at.strip_prefix(path) {
                    Some(n) => {
                        let n: usize = n.parse().unwrap();
                        page(family(text(n), &[format!("{path}{}", n + 1), format!("{path}{}", n + 7)]))
                    }
                    None => page(html("Front", &[&format!("{path}0")])),
                }
            });
            if in_sitemap {
                bench.script.sitemaps = vec!["/sitemap.xml"];
            }
            bench.run(&[PAGE], Some(DAY / 2)).await;
            let asked = bench.asked().iter().filter(|url| url.contains(path)).count();
            assert!(asked <= 60, "{path}, in a sitemap: {in_sitemap}: {asked}");
        }
    }
}
