//! What a page is about: its content, by kind of page.

mod reference;

use super::boxes;
use super::language::Wording;
use super::prose::TextWriter;
use super::sheet::PageSheet;
use super::style::{ElementRole, NamingStyle};

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Body {
    Story,
    Guide,
    Reference,
    Manual,
    Changes,
    Glossary,
    Index,
    Thread,
    Tables,
}

/// How a template writes its content. Chosen once for all of its pages.
pub(super) struct Habits {
    pub(super) body: Body,
    /// The level of headings under the title, 2 to 4.
    pub(super) heading: usize,
    /// A link to the heading itself stands in each heading.
    pub(super) permalinks: bool,
    /// A link to edit the section stands in each heading.
    pub(super) edits: bool,
    /// Code has a button to copy it.
    pub(super) copies: bool,
    /// Which of several forms a part has.
    pub(super) form: usize,
    /// Something that is no content stands between paragraphs.
    pub(super) interrupted: bool,
    /// Pages are a few lines long: a function, a name that nothing uses, a short message.
    pub(super) short: bool,
}

/// Writes the content.
pub(super) struct BodyAuthor<'a, 'l> {
    pub(super) writer: &'a mut TextWriter<'l>,
    pub(super) style: &'a NamingStyle,
    pub(super) habits: &'a Habits,
}

impl BodyAuthor<'_, '_> {
    /// The whole content, without its title.
    pub(super) fn write(&mut self, sheet: &mut PageSheet) {
        if self.habits.short {
            return self.short(sheet);
        }
        match self.habits.body {
            Body::Story => self.story(sheet),
            Body::Guide => self.guide(sheet),
            Body::Reference => self.reference(sheet),
            Body::Manual => self.manual(sheet),
            Body::Changes => self.changes(sheet),
            Body::Glossary => self.glossary(sheet),
            Body::Index => self.index(sheet),
            Body::Thread => self.thread(sheet),
            Body::Tables => self.tables(sheet),
        }
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.writer.chance.is(probability)
    }

    fn short(&mut self, sheet: &mut PageSheet) {
        if matches!(self.habits.body, Body::Reference | Body::Manual) {
            let signature = format!("{}({})", self.writer.identifier(), self.writer.identifier());
            sheet.element("pre", |sheet| sheet.leaf("code", &signature));
        }
        sheet.leaf("p", &self.writer.sentence());
        if self.chance(0.4) {
            self.paragraph(sheet);
        }
        if self.habits.body == Body::Index {
            self.links(sheet, 1, 5);
        }
    }

    fn story(&mut self, sheet: &mut PageSheet) {
        let paragraphs = self.writer.chance.from(2, 16);
        for at in 0..paragraphs {
            if at > 1 && self.chance(0.12) {
                self.heading(sheet, self.habits.heading);
            }
            if self.habits.interrupted && at > 0 && self.chance(0.2) {
                let (writer, style) = (&mut *self.writer, self.style);
                sheet.other(|sheet| boxes::interruption(sheet, writer, style));
            }
            match self.writer.chance.from(0, 14) {
                0 if at > 0 => self.figure(sheet),
                1 if at > 0 => self.quotation(sheet),
                2 if at > 0 => self.list(sheet),
                _ => self.paragraph(sheet),
            }
        }
    }

    fn guide(&mut self, sheet: &mut PageSheet) {
        for section in 0..self.writer.chance.from(1, 6) {
            if section > 0 {
                let deeper = usize::from(self.chance(0.3));
                self.heading(sheet, self.habits.heading + deeper);
            }
            for _ in 0..self.writer.chance.from(1, 5) {
                match self.writer.chance.from(0, 9) {
                    0 | 1 => self.code(sheet),
                    2 => self.list(sheet),
                    3 => self.note(sheet),
                    4 => self.definitions(sheet),
                    5 => self.table(sheet),
                    _ => self.paragraph(sheet),
                }
            }
        }
    }

    /// What changed in each version: a heading with a date, and a list.
    fn changes(&mut self, sheet: &mut PageSheet) {
        for at in 0..self.writer.chance.from(2, 25) {
            let day = self.writer.chance.from(1, 28);
            sheet.leaf(&format!("h{}", self.habits.heading), &format!("1.{}", 40 - at));
            if self.habits.form.is_multiple_of(2) {
                sheet.leaf("p", &format!("2024-{:02}-{day:02}", at % 12 + 1));
            }
            sheet.element("ul", |sheet| {
                for _ in 0..self.writer.chance.from(1, 12) {
                    sheet.element("li", |sheet| {
                        let area = self.writer.identifier();
                        sheet.text(&format!("[{area}]"));
                        sheet.leaf("p", &self.writer.paragraph(1, 2));
                        sheet.leaf("a href=\"/issue\"", &format!("#{}", self.writer.chance.from(1, 9_999)));
                    });
                }
            });
        }
    }

    fn glossary(&mut self, sheet: &mut PageSheet) {
        for _ in 0..self.writer.chance.from(1, 6) {
            self.heading(sheet, self.habits.heading);
            self.definitions(sheet);
        }
    }

    /// A page of links that are its content: a chapter's sections, or all names of a package.
    fn index(&mut self, sheet: &mut PageSheet) {
        if self.chance(0.6) {
            self.paragraph(sheet);
        }
        for _ in 0..self.writer.chance.from(1, 5) {
            self.heading(sheet, self.habits.heading);
            if self.habits.form.is_multiple_of(2) {
                self.links(sheet, 3, 30);
            } else {
                self.summary(sheet);
            }
        }
    }

    fn links(&mut self, sheet: &mut PageSheet, least: usize, most: usize) {
        let count = self.writer.chance.from(least, most);
        sheet.element("ul", |sheet| {
            for at in 0..count {
                let text = if self.habits.form.is_multiple_of(3) {
                    self.writer.identifier()
                } else {
                    self.writer.phrase(1, 6)
                };
                sheet.element("li", |sheet| {
                    sheet.leaf(&format!("a href=\"part{at}.html\""), &text);
                    if self.writer.chance.is(0.3) {
                        sheet.text(&self.writer.phrase(3, 9));
                    }
                });
            }
        });
    }

    fn thread(&mut self, sheet: &mut PageSheet) {
        for at in 0..self.writer.chance.from(2, 12) {
            let (name, date) = (self.writer.name(), format!("{}.{}.2024", at + 1, self.writer.chance.from(1, 12)));
            let (style, language) = (self.style, self.writer.language);
            sheet.element(&style.tag("div", ElementRole::Item), |sheet| {
                sheet.other(|sheet| {
                    sheet.element("div class=\"user\"", |sheet| {
                        sheet.leaf("a href=\"/u\"", &name);
                        sheet.leaf("span", &date);
                    });
                });
                sheet.element("div class=\"message\"", |sheet| {
                    for _ in 0..self.writer.chance.from(1, 3) {
                        sheet.leaf("p", &self.writer.paragraph(1, 4));
                    }
                    if self.writer.chance.is(0.15) {
                        self.code(sheet);
                    }
                });
                sheet.other(|sheet| sheet.leaf("a href=\"#reply\"", language.say(Wording::Reply)));
            });
        }
    }

    fn tables(&mut self, sheet: &mut PageSheet) {
        for _ in 0..self.writer.chance.from(1, 3) {
            self.heading(sheet, self.habits.heading);
            self.paragraph(sheet);
            self.table(sheet);
        }
    }

    fn heading(&mut self, sheet: &mut PageSheet, level: usize) {
        let (text, id) = (self.writer.phrase(1, 7), self.writer.identifier());
        let (permalinks, edits) = (self.habits.permalinks, self.habits.edits);
        let edit = self.writer.language.say(Wording::Edit);
        sheet.element(&format!("h{} id=\"{id}\"", level.min(5)), |sheet| {
            sheet.text(&text);
            permalink(sheet, permalinks, &id);
            if edits {
                sheet.other(|sheet| sheet.leaf("span class=\"edit\"", &format!("[{edit}]")));
            }
        });
    }

    fn paragraph(&mut self, sheet: &mut PageSheet) {
        let link = self.chance(0.3).then(|| self.writer.phrase(1, 4));
        let (one, two) = (self.writer.paragraph(1, 4), self.writer.paragraph(0, 2));
        let tag = if self.habits.form == 5 { "div" } else { "p" };
        sheet.element(tag, |sheet| {
            sheet.text(&one);
            if let Some(link) = link {
                sheet.raw(" ");
                sheet.leaf("a href=\"/elsewhere\"", &link);
                sheet.raw(" ");
            }
            sheet.text(&two);
        });
    }

    fn list(&mut self, sheet: &mut PageSheet) {
        let tag = if self.chance(0.3) { "ol" } else { "ul" };
        let short = self.chance(0.5);
        sheet.element(tag, |sheet| {
            for _ in 0..self.writer.chance.from(2, 8) {
                let text = if short { self.writer.phrase(2, 8) } else { self.writer.sentence() };
                sheet.leaf("li", &text);
            }
        });
    }

    fn definitions(&mut self, sheet: &mut PageSheet) {
        sheet.element("dl", |sheet| {
            for _ in 0..self.writer.chance.from(2, 9) {
                let term = if self.writer.chance.is(0.6) { self.writer.identifier() } else { self.writer.phrase(1, 3) };
                sheet.leaf("dt", &term);
                sheet.leaf("dd", &self.writer.paragraph(1, 2));
            }
        });
    }

    fn table(&mut self, sheet: &mut PageSheet) {
        let columns = self.writer.chance.from(2, 5);
        sheet.element("table", |sheet| {
            for row in 0..self.writer.chance.from(3, 16) {
                let cell = if row == 0 { "th" } else { "td" };
                sheet.element("tr", |sheet| {
                    for column in 0..columns {
                        let text = match column {
                            0 => self.writer.phrase(1, 3),
                            1 => self.writer.phrase(1, 8),
                            _ => self.writer.chance.from(0, 9_999).to_string(),
                        };
                        sheet.leaf(cell, &text);
                    }
                });
            }
        });
    }

    fn note(&mut self, sheet: &mut PageSheet) {
        let (label, text) = (self.writer.language.say(Wording::Note), self.writer.paragraph(1, 2));
        sheet.element(&self.style.tag("div", ElementRole::Note), |sheet| {
            sheet.leaf("p class=\"title\"", label);
            sheet.leaf("p", &text);
        });
    }

    fn code(&mut self, sheet: &mut PageSheet) {
        let code = self.writer.code();
        if self.chance(0.2) {
            sheet.leaf("p", self.writer.language.say(Wording::Example));
        }
        sheet.element("div class=\"highlight\"", |sheet| {
            sheet.element("pre", |sheet| sheet.leaf("code", &code));
            if self.habits.copies {
                sheet.other(|sheet| sheet.leaf("button", "Copy"));
            }
        });
    }

    fn figure(&mut self, sheet: &mut PageSheet) {
        let caption = self.writer.sentence();
        sheet.element("figure", |sheet| {
            sheet.raw("<img src=\"/a.jpg\" alt=\"\">");
            sheet.leaf("figcaption", &caption);
        });
    }

    fn quotation(&mut self, sheet: &mut PageSheet) {
        let (words, by) = (self.writer.paragraph(1, 2), self.writer.name());
        sheet.element("blockquote", |sheet| {
            sheet.leaf("p", &words);
            sheet.leaf("cite", &format!("— {by}"));
        });
    }
}

fn permalink(sheet: &mut PageSheet, is_there: bool, id: &str) {
    if is_there {
        sheet.other(|sheet| sheet.leaf(&format!("a class=\"headerlink\" href=\"#{id}\""), "¶"));
    }
}
