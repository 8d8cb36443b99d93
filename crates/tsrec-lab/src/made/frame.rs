//! The frame of a site: the same on all of its pages.

use super::language::Said;
use super::prose::Writer;
use super::sheet::Sheet;
use super::style::{Role, Style};

/// Where a site has its parts.
pub(super) struct Frame {
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

impl Frame {
    pub(super) fn by_chance(writer: &mut Writer, bare: bool) -> Self {
        let chance = &mut writer.chance;
        let links = |chance: &mut super::prose::Chance, most: usize| if bare { 0 } else { chance.from(0, most) };
        Frame {
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
        sheet: &mut Sheet,
        (site, page): (&mut Writer, &mut Writer),
        style: &Style,
        content: impl FnOnce(&mut Sheet, &mut Writer),
    ) {
        let language = site.language;
        if self.consent == Some(true) {
            consent(sheet, site, style);
        }
        if self.menu > 0 {
            self.header(sheet, site, style);
        }
        if self.path {
            sheet.element(&style.open("nav", Role::Path), |sheet| {
                sheet.leaf("a href=\"/\"", language.say(Said::Home));
                sheet.text(" › ");
                sheet.leaf("a href=\"/part\"", &site.phrase(1, 2));
            });
        }
        let (row, cell) = if self.as_table { ("<table><tr>", "td") } else { ("", "div") };
        sheet.raw(row);
        if self.sidebar > 0 && self.sidebar_first {
            self.aside(sheet, site, style, cell);
        }
        let main = if self.as_table { style.tag(cell, Role::Main) } else { style.open("main", Role::Main) };
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

    fn header(&self, sheet: &mut Sheet, site: &mut Writer, style: &Style) {
        let language = site.language;
        sheet.element(&style.open("header", Role::Header), |sheet| {
            sheet.leaf("a href=\"#content\"", language.say(Said::Skip));
            sheet.leaf("a href=\"/\"", &site.phrase(1, 3));
            sheet.element(&style.open("nav", Role::Navigation), |sheet| {
                sheet.leaf("button", language.say(Said::Menu));
                links(sheet, site, self.menu);
                sheet.leaf("a href=\"/search\"", language.say(Said::Search));
                sheet.leaf("a href=\"/login\"", language.say(Said::LogIn));
            });
        });
    }

    fn aside(&self, sheet: &mut Sheet, site: &mut Writer, style: &Style, cell: &str) {
        let open = if self.as_table { style.tag(cell, Role::Sidebar) } else { style.open("aside", Role::Sidebar) };
        sheet.element(&open, |sheet| {
            for _ in 0..=self.sidebar / 15 {
                sheet.leaf("h3", &site.phrase(1, 3));
                links(sheet, site, self.sidebar.min(15));
            }
        });
    }

    fn foot(&self, sheet: &mut Sheet, site: &mut Writer, style: &Style) {
        let language = site.language;
        sheet.element(&style.open("footer", Role::Footer), |sheet| {
            links(sheet, site, self.footer);
            if site.chance.is(0.4) {
                sheet.leaf("p", &site.paragraph(1, 3));
            }
            for said in [Said::About, Said::Contact, Said::Privacy] {
                sheet.leaf("a href=\"/about\"", language.say(said));
            }
            sheet.leaf("p", &format!("© 2025 {} {}", site.phrase(1, 2), language.say(Said::Rights)));
            sheet.leaf("a href=\"#top\"", language.say(Said::Top));
        });
    }
}

/// The headings of a page, as links to them.
pub(super) fn outline(sheet: &mut Sheet, writer: &mut Writer, style: &Style) {
    sheet.element(&style.open("nav", Role::Contents), |sheet| {
        sheet.leaf("p", writer.language.say(Said::Contents));
        let count = writer.chance.from(2, 10);
        links(sheet, writer, count);
    });
}

fn links(sheet: &mut Sheet, writer: &mut Writer, count: usize) {
    sheet.element("ul", |sheet| {
        for _ in 0..count {
            sheet.element("li", |sheet| sheet.leaf("a href=\"/part\"", &writer.phrase(1, 4)));
        }
    });
}

fn pager(sheet: &mut Sheet, page: &mut Writer, style: &Style) {
    sheet.element(&style.tag("div", Role::Pager), |sheet| {
        for said in [Said::Previous, Said::Next] {
            let text = format!("{}: {}", page.language.say(said), page.phrase(1, 5));
            sheet.leaf("a href=\"next.html\"", &text);
        }
    });
}

fn consent(sheet: &mut Sheet, site: &mut Writer, style: &Style) {
    let language = site.language;
    sheet.element(&style.tag("div", Role::Notice), |sheet| {
        sheet.leaf("p", language.say(Said::Cookies));
        sheet.leaf("button", language.say(Said::Accept));
        sheet.leaf("a href=\"/privacy\"", language.say(Said::Privacy));
    });
}
