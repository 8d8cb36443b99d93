//! The frame of a site: the same on all of its pages.

use super::language::Wording;
use super::prose::TextWriter;
use super::sheet::PageSheet;
use super::style::{ElementRole, NamingStyle};

/// Where a site has its parts.
pub(super) struct SiteFrame {
    /// The elements around the content, beyond the first.
    pub(super) wrappers: usize,
    /// How long the lists of links are: 0 for none.
    pub(super) menu: usize,
    pub(super) sidebar: usize,
    pub(super) footer: usize,
    /// The sidebar stands before the content.
    pub(super) sidebar_first: bool,
    /// Columns are cells of a table, as in pages of around 2000.
    pub(super) as_table: bool,
    /// What a consent bar says comes first, or last.
    pub(super) consent: Option<bool>,
    /// Links to the pages before and after, over and below the content.
    pub(super) pager: bool,
    pub(super) outline: bool,
    pub(super) path: bool,
}

impl SiteFrame {
    pub(super) fn by_chance(writer: &mut TextWriter, bare: bool) -> Self {
        let chance = &mut writer.chance;
        let links = |chance: &mut super::prose::Chance, most: usize| if bare { 0 } else { chance.from(0, most) };
        SiteFrame {
            wrappers: if bare { 0 } else { chance.from(0, 4) },
            menu: links(chance, 14),
            sidebar: if chance.is(0.5) { 0 } else { links(chance, 90) },
            footer: links(chance, 24),
            sidebar_first: chance.is(0.5),
            as_table: !bare && chance.is(0.12),
            consent: (!bare && chance.is(0.3)).then(|| chance.is(0.5)),
            pager: chance.is(0.4),
            outline: !bare && chance.is(0.35),
            path: !bare && chance.is(0.4),
        }
    }

    /// Writes the frame around the content. `site` writes what all pages share, `page` what one
    /// has.
    pub(super) fn write(
        &self,
        sheet: &mut PageSheet,
        (site, page): (&mut TextWriter, &mut TextWriter),
        style: &NamingStyle,
        content: impl FnOnce(&mut PageSheet, &mut TextWriter),
    ) {
        let language = site.language;
        if self.consent == Some(true) {
            consent(sheet, site, style);
        }
        if self.menu > 0 {
            self.header(sheet, site, style);
        }
        if self.path {
            sheet.element(&style.open("nav", ElementRole::Path), |sheet| {
                sheet.leaf("a href=\"/\"", language.say(Wording::Home));
                sheet.text(" › ");
                sheet.leaf("a href=\"/part\"", &site.phrase(1, 2));
            });
        }
        let (row, cell) = if self.as_table { ("<table><tr>", "td") } else { ("", "div") };
        sheet.raw(row);
        if self.sidebar > 0 && self.sidebar_first {
            self.aside(sheet, site, style, cell);
        }
        let main =
            if self.as_table { style.tag(cell, ElementRole::Main) } else { style.open("main", ElementRole::Main) };
        sheet.element(&main, |sheet| {
            if self.pager {
                pager(sheet, page, style);
            }
            for _ in 0..self.wrappers {
                sheet.raw("<div>");
            }
            content(sheet, page);
            sheet.raw(&"</div>".repeat(self.wrappers));
            if self.pager {
                pager(sheet, page, style);
            }
        });
        if self.sidebar > 0 && !self.sidebar_first {
            self.aside(sheet, site, style, cell);
        }
        sheet.raw(if self.as_table { "</tr></table>" } else { "" });
        if self.footer > 0 {
            self.foot(sheet, site, style);
        }
        if self.consent == Some(false) {
            consent(sheet, site, style);
        }
    }

    fn header(&self, sheet: &mut PageSheet, site: &mut TextWriter, style: &NamingStyle) {
        let language = site.language;
        sheet.element(&style.open("header", ElementRole::Header), |sheet| {
            sheet.leaf("a href=\"#content\"", language.say(Wording::Skip));
            sheet.leaf("a href=\"/\"", &site.phrase(1, 3));
            sheet.element(&style.open("nav", ElementRole::Navigation), |sheet| {
                sheet.leaf("button", language.say(Wording::Menu));
                links(sheet, site, self.menu);
                sheet.leaf("a href=\"/search\"", language.say(Wording::Search));
                sheet.leaf("a href=\"/login\"", language.say(Wording::LogIn));
            });
        });
    }

    fn aside(&self, sheet: &mut PageSheet, site: &mut TextWriter, style: &NamingStyle, cell: &str) {
        let open = if self.as_table {
            style.tag(cell, ElementRole::Sidebar)
        } else {
            style.open("aside", ElementRole::Sidebar)
        };
        sheet.element(&open, |sheet| {
            for _ in 0..=self.sidebar / 15 {
                sheet.leaf("h3", &site.phrase(1, 3));
                links(sheet, site, self.sidebar.min(15));
            }
        });
    }

    fn foot(&self, sheet: &mut PageSheet, site: &mut TextWriter, style: &NamingStyle) {
        let language = site.language;
        sheet.element(&style.open("footer", ElementRole::Footer), |sheet| {
            links(sheet, site, self.footer);
            if site.chance.is(0.4) {
                sheet.leaf("p", &site.paragraph(1, 3));
            }
            for said in [Wording::About, Wording::Contact, Wording::Privacy] {
                sheet.leaf("a href=\"/about\"", language.say(said));
            }
            sheet.leaf("p", &format!("© 2025 {} {}", site.phrase(1, 2), language.say(Wording::Rights)));
            sheet.leaf("a href=\"#top\"", language.say(Wording::Top));
        });
    }
}

/// The headings of a page, as links to them.
pub(super) fn outline(sheet: &mut PageSheet, writer: &mut TextWriter, style: &NamingStyle) {
    sheet.element(&style.open("nav", ElementRole::Contents), |sheet| {
        sheet.leaf("p", writer.language.say(Wording::Contents));
        let count = writer.chance.from(2, 10);
        links(sheet, writer, count);
    });
}

fn links(sheet: &mut PageSheet, writer: &mut TextWriter, count: usize) {
    sheet.element("ul", |sheet| {
        for _ in 0..count {
            sheet.element("li", |sheet| sheet.leaf("a href=\"/part\"", &writer.phrase(1, 4)));
        }
    });
}

fn pager(sheet: &mut PageSheet, page: &mut TextWriter, style: &NamingStyle) {
    sheet.element(&style.tag("div", ElementRole::Pager), |sheet| {
        for said in [Wording::Previous, Wording::Next] {
            let text = format!("{}: {}", page.language.say(said), page.phrase(1, 5));
            sheet.leaf("a href=\"next.html\"", &text);
        }
    });
}

fn consent(sheet: &mut PageSheet, site: &mut TextWriter, style: &NamingStyle) {
    let language = site.language;
    sheet.element(&style.tag("div", ElementRole::Notice), |sheet| {
        sheet.leaf("p", language.say(Wording::Cookies));
        sheet.leaf("button", language.say(Wording::Accept));
        sheet.leaf("a href=\"/privacy\"", language.say(Wording::Privacy));
    });
}
