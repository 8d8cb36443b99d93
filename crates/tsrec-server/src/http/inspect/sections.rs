//! Sections without new links: traps that the crawl found, and full sections of hosts.

use jiff::Timestamp;

use super::super::frontier::ask;
use super::super::problem::Problem;
use super::super::routes::ApiContext;
use crate::inspector::escaped;
use tsrec_core::words::number_of;
use tsrec_crawl::frontier::{Section, Trap};

/// Sections shown.
const SHOWN: usize = 20;

/// The sections of a host, or of all.
pub(super) struct Refusing {
    sections: Vec<Section>,
    /// Whether the host or the frontier has more, or was not read to its end.
    is_cut: bool,
}

impl Refusing {
    /// Reads the sections; `None` if the API has no frontier.
    pub(super) async fn of(context: &ApiContext, host: Option<String>) -> Result<Option<Refusing>, Problem> {
        if context.api.frontier.is_none() {
            return Ok(None);
        }
        let listed = ask(context, move |frontier| frontier.list_sections(true, host.as_deref(), None, SHOWN)).await?;
        let (sections, next) = listed;
        Ok(Some(Refusing { sections, is_cut: next.is_some() }))
    }

    pub(super) fn html(&self, now: Timestamp) -> String {
        let rows: String = self.sections.iter().map(|section| row(section, now)).collect();
        let list = match rows.is_empty() {
            true => "<p>None.".to_owned(),
            false => format!(
                "<ul>{rows}</ul><p>What is no trap: <code>tsrec frontier resume HOST</code> has the host's looked at anew, <code>[crawl] no_traps</code> says so for good."
            ),
        };
        let more = if self.is_cut {
            "<p>There may be more: <code>tsrec frontier sections --refusing</code> lists all."
        } else {
            ""
        };
        format!("<section aria-labelledby=traps><h2 id=traps>Traps and full sections</h2>{list}{more}</section>")
    }
}

fn row(section: &Section, now: Timestamp) -> String {
    let Section { host, section, urls, refused, last_refused, trap } = section;
    let mut said = Vec::new();
    if let Some(Trap { until, times, .. }) = trap {
        let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
        let date = until.strftime("%F %T");
        said.push(match *until > now {
            true => format!("a trap, found {times}: its pages are copies of each other, and no new ones are asked for until <time>{date}</time>"),
            false => format!("was a trap, found {times}, until <time>{date}</time>: its next pages tell whether it still is"),
        });
    }
    if *refused > 0 {
        let whole = if section.is_empty() { "the host is full or dropped" } else { "full" };
        let refused = number_of(refused, "link");
        said.push(format!("{whole}: {refused} refused, the last <small>{}</small>", escaped(last_refused)));
    }
    if !section.is_empty() {
        said.push(format!("{} known", number_of(urls, "URL")));
    }
    format!("<li><b dir=auto>{}{}</b> {}", escaped(host), escaped(section), said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_and_a_full_section_say_what_they_are() {
        let now: Timestamp = "2026-11-24T00:00:00Z".parse().unwrap();
        let section = |section: &str, refused, trap| Section {
            host: "a.example".into(),
            section: section.into(),
            urls: 40,
            refused,
            last_refused: if refused > 0 { "http://a.example/?<b>".into() } else { String::new() },
            trap,
        };
        let trap = |until: &str, times| Some(Trap { until: until.parse().unwrap(), times, prints: Vec::new() });
        let html = Refusing {
            sections: vec![
                section("", 3, None),
                section("/day/#", 0, trap("2026-11-25T00:00:00Z", 2)),
                section("/old/#", 7, trap("2026-11-23T00:00:00Z", 1)),
            ],
            is_cut: false,
        }
        .html(now);
        let rows: Vec<&str> = html.split("<li>").skip(1).collect();
        assert_eq!(rows.len(), 3, "{html}");
        assert!(rows[0].contains("<b dir=auto>a.example</b> the host is full or dropped: 3 links refused, the last <small>http://a.example/?&lt;b&gt;"), "{html}");
        assert!(
            rows[1].contains("a.example/day/#</b> a trap, found 2 times")
                && rows[1].contains("until <time>2026-11-25 00:00:00</time>; 40 URLs known"),
            "{html}"
        );
        assert!(
            rows[2].contains("was a trap, found once, until <time>2026-11-23")
                && rows[2].contains("full: 7 links refused"),
            "{html}"
        );
        assert!(!html.contains("There may be more"));
        let none = Refusing { sections: Vec::new(), is_cut: true }.html(now);
        assert!(none.contains("<p>None.") && none.contains("There may be more"), "{none}");
    }
}
