//! Pages made by chance from templates, with exact gold: kinds of page, frames and wordings that
//! the real sets hardly have.
//!
//! A template has a frame, boxes, a kind of content, a naming and one of ten languages. All pages
//! of a template share these, as the pages of a site do. The text has no meaning, but common words,
//! commas and sentences as prose has. The same number and seed give the same bytes.

mod body;
mod boxes;
mod frame;
mod language;
mod prose;
mod sheet;
mod style;

use body::{Body, BodyAuthor, Habits};
use frame::SiteFrame;
use language::LANGUAGES;
use prose::TextWriter;
use sheet::PageSheet;
use style::{ElementRole, NamingStyle};
use tsrec_core::evidence::kind::PageKind;

/// A page with its gold.
#[derive(Debug)]
pub struct MadePage {
    /// Its address, on a host of the template's own.
    pub url: String,
    /// The host.
    pub host: String,
    /// What kind of page it is.
    pub kind: PageKind,
    /// Its language (BCP 47).
    pub language: &'static str,
    /// The title of its content.
    pub title: String,
    /// Its bytes.
    pub html: String,
    /// The text of its content, a line for each piece.
    pub gold: String,
}

/// The pages of a template. `template` is its number; other seeds give other templates.
pub fn pages(template: u64, seed: u64, count: usize) -> Vec<MadePage> {
    let Some(language) = LANGUAGES.get((template % LANGUAGES.len() as u64) as usize) else { return Vec::new() };
    let seed = seed.wrapping_mul(1_000_003).wrapping_add(template);
    let mut chooser = TextWriter::new(language, seed);
    let chance = &mut chooser.chance;
    // Most templates are documentation: the real sets have 91 pages of it among 4,000.
    let body = chance.one_of(&[
        Body::Story,
        Body::Story,
        Body::Story,
        Body::Guide,
        Body::Guide,
        Body::Reference,
        Body::Reference,
        Body::Manual,
        Body::Changes,
        Body::Glossary,
        Body::Index,
        Body::Thread,
        Body::Tables,
    ]);
    let habits = Habits {
        body,
        heading: chance.from(2, 4),
        permalinks: chance.is(0.4),
        edits: chance.is(0.2),
        copies: chance.is(0.3),
        form: chance.from(0, 5),
        interrupted: chance.is(0.5),
        short: body != Body::Thread && chance.is(0.15),
    };
    let style = NamingStyle::by_chance(chance);
    let of_documentation = !matches!(body, Body::Story | Body::Thread);
    let bare = of_documentation && chance.is(0.25);
    let most_boxes = if bare {
        0
    } else if of_documentation {
        1
    } else {
        6
    };
    let boxes: Vec<boxes::Box> =
        (0..chance.from(0, most_boxes)).map(|_| chance.one_of(&boxes::Box::ALL)).filter(|of| fits(*of, body)).collect();
    let frame = SiteFrame::by_chance(&mut chooser, bare);
    let template = MadeTemplate { seed, habits, style, frame, boxes };
    (0..count).map(|page| template.page(language, page)).collect()
}

/// Whether a page of this kind may have the box. Posts of a thread are content, so comments below
/// it could not be told from them.
fn fits(of: boxes::Box, body: Body) -> bool {
    use boxes::Box::{Advertisement, Comments, Helpful, Keys, Share, Writer};
    match body {
        Body::Story => true,
        Body::Thread => of != Comments && of != Writer,
        _ => matches!(of, Advertisement | Helpful | Keys | Share),
    }
}

struct MadeTemplate {
    seed: u64,
    habits: Habits,
    style: NamingStyle,
    frame: SiteFrame,
    boxes: Vec<boxes::Box>,
}

impl MadeTemplate {
    fn page(&self, language: &'static language::MadeLanguage, number: usize) -> MadePage {
        let mut site = TextWriter::new(language, self.seed ^ 0x5170);
        let mut page = TextWriter::new(language, self.seed.wrapping_mul(7_919).wrapping_add(number as u64));
        let title = match self.habits.body {
            Body::Reference | Body::Manual => page.identifier(),
            _ => page.phrase(2, 9),
        };
        let host = format!("t{}.example", self.seed);
        let mut sheet = PageSheet::default();
        sheet.raw(&format!(
            "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title} - {host}</title></head><body>\n",
            language.code
        ));
        let style = &self.style;
        sheet.element(&style.tag("div", ElementRole::Page), |sheet| {
            self.frame.write(sheet, (&mut site, &mut page), style, |sheet, page| self.content(sheet, page, &title));
        });
        sheet.raw("</body></html>\n");
        MadePage {
            url: format!("https://{host}/part/page-{number}.html"),
            host,
            kind: self.kind(),
            language: language.code,
            title,
            html: sheet.html,
            gold: sheet.gold,
        }
    }

    fn content(&self, sheet: &mut PageSheet, page: &mut TextWriter, title: &str) {
        let style = &self.style;
        sheet.element(&style.open("article", ElementRole::Content), |sheet| {
            sheet.content(|sheet| {
                sheet.leaf("h1", title);
                // Gold of real sets has the contents of a page that stand in its text.
                if self.frame.outline {
                    frame::outline(sheet, page, style);
                }
                BodyAuthor { writer: page, style, habits: &self.habits }.write(sheet);
            });
        });
        self.boxes.iter().for_each(|of| of.write(sheet, page, style));
    }

    fn kind(&self) -> PageKind {
        match self.habits.body {
            Body::Story => PageKind::Article,
            Body::Thread => PageKind::Forum,
            _ => PageKind::Documentation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_gives_the_same_bytes_and_another_gives_others() {
        let html = |template, seed| pages(template, seed, 2).into_iter().map(|page| page.html).collect::<Vec<_>>();
        assert_eq!(html(3, 1), html(3, 1));
        assert_ne!(html(3, 1), html(13, 1));
        assert_ne!(html(3, 1), html(3, 2));
        assert_ne!(html(3, 1)[0], html(3, 1)[1]);
    }

    #[test]
    fn all_gold_is_on_the_page_in_its_order() {
        for template in 0..200 {
            for page in pages(template, 1, 2) {
                assert!(!page.gold.trim().is_empty(), "template {template}");
                let mut rest = &*page.html.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
                for line in page.gold.lines() {
                    let at = rest.find(line).unwrap_or_else(|| panic!("template {template}: {line:?}"));
                    rest = &rest[at + line.len()..];
                }
            }
        }
    }

    #[test]
    fn two_hundred_templates_have_all_languages_and_kinds() {
        let all: Vec<MadePage> = (0..200).flat_map(|template| pages(template, 1, 1)).collect();
        for kind in [PageKind::Article, PageKind::Forum, PageKind::Documentation] {
            assert!(all.iter().filter(|page| page.kind == kind).count() > 10, "{kind:?}");
        }
        let languages: std::collections::BTreeSet<&str> = all.iter().map(|page| page.language).collect();
        assert_eq!(languages.len(), LANGUAGES.len());
    }
}
