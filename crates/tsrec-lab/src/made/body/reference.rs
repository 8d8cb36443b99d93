//! Pages that describe a program: what a package or a class has, and the page of a command.

use super::{BodyAuthor, permalink};
use crate::made::language::Wording;
use crate::made::sheet::PageSheet;

impl BodyAuthor<'_, '_> {
    pub(super) fn reference(&mut self, sheet: &mut PageSheet) {
        self.paragraph(sheet);
        if self.chance(0.4) {
            self.code(sheet);
        }
        if self.chance(0.5) {
            self.summary(sheet);
        }
        for _ in 0..self.writer.chance.from(2, 30) {
            self.entry(sheet);
        }
        if self.chance(0.3) {
            let title = self.writer.language.say(Wording::SeeAlso);
            sheet.leaf(&format!("h{}", self.habits.heading), title);
            self.links(sheet, 2, 6);
        }
    }

    /// One function or class: its signature, what it does, and its parameters.
    fn entry(&mut self, sheet: &mut PageSheet) {
        let name = self.writer.identifier();
        let signature = format!(
            "{name}({}, {} = {})",
            self.writer.identifier(),
            self.writer.identifier(),
            self.writer.chance.from(0, 9)
        );
        let words = self.writer.paragraph(0, 3);
        let (permalinks, form) = (self.habits.permalinks, self.habits.form);
        let link = |sheet: &mut PageSheet| permalink(sheet, permalinks, &name);
        match form {
            0 => sheet.element("dl class=\"function\"", |sheet| {
                sheet.element(&format!("dt id=\"{name}\""), |sheet| {
                    sheet.leaf("code", &signature);
                    link(sheet);
                });
                sheet.element("dd", |sheet| {
                    sheet.leaf("p", &words);
                    self.parameters(sheet);
                });
            }),
            1 => sheet.element("section class=\"detail\"", |sheet| {
                sheet.element(&format!("h{} id=\"{name}\"", self.habits.heading + 1), |sheet| {
                    sheet.text(&name);
                    link(sheet);
                });
                sheet.leaf("pre", &signature);
                sheet.leaf("div", &words);
                self.parameters(sheet);
            }),
            2 => sheet.element("details open", |sheet| {
                sheet.element("summary", |sheet| {
                    sheet.element(&format!("section id=\"{name}\""), |sheet| {
                        link(sheet);
                        sheet.leaf("h4 class=\"code-header\"", &format!("pub fn {signature}"));
                    });
                });
                sheet.element("div class=\"docblock\"", |sheet| {
                    sheet.leaf("p", &words);
                    if self.writer.chance.is(0.3) {
                        self.code(sheet);
                    }
                });
            }),
            3 => {
                sheet.element(&format!("h{}", self.habits.heading), |sheet| {
                    sheet.text(&format!("{name}()"));
                    link(sheet);
                });
                sheet.element("pre class=\"synopsis\"", |sheet| {
                    sheet.leaf("a href=\"types.html\"", self.writer.identifier().as_str());
                    sheet.text(&signature);
                });
                sheet.leaf("p", &words);
                self.parameters(sheet);
                if self.writer.chance.is(0.4) {
                    self.code(sheet);
                }
            }
            4 => sheet.element("dl", |sheet| {
                sheet.element("dt", |sheet| sheet.leaf("b", &signature));
                sheet.element("dd", |sheet| {
                    sheet.text(&words);
                    self.definitions(sheet);
                });
            }),
            _ => sheet.element("div class=\"memitem\"", |sheet| {
                sheet.element("table class=\"memname\"", |sheet| {
                    sheet.element("tr", |sheet| {
                        for part in signature.split(' ') {
                            sheet.leaf("td", part);
                        }
                    });
                });
                sheet.element("div class=\"memdoc\"", |sheet| {
                    sheet.leaf("p", &words);
                    self.parameters(sheet);
                });
            }),
        }
    }

    /// The page of a command or a class: a line on it, its synopsis, and sections.
    pub(super) fn manual(&mut self, sheet: &mut PageSheet) {
        let (name, line) = (self.writer.identifier(), self.writer.phrase(4, 12));
        sheet.leaf("p", &format!("{name} — {line}"));
        self.heading(sheet, self.habits.heading);
        let synopsis: Vec<String> = (0..self.writer.chance.from(1, 20)).map(|_| self.writer.code()).collect();
        sheet.leaf("pre", &synopsis.join("\n"));
        for _ in 0..self.writer.chance.from(1, 6) {
            self.heading(sheet, self.habits.heading);
            match self.writer.chance.from(0, 4) {
                0 => self.definitions(sheet),
                1 => (0..self.writer.chance.from(1, 8)).for_each(|_| self.entry(sheet)),
                2 => self.code(sheet),
                _ => self.paragraph(sheet),
            }
        }
    }

    /// What an entry takes and returns, as a list of definitions or a table.
    fn parameters(&mut self, sheet: &mut PageSheet) {
        if self.chance(0.4) {
            return;
        }
        let language = self.writer.language;
        let rows: Vec<(String, String)> =
            (0..self.writer.chance.from(1, 4)).map(|_| (self.writer.identifier(), self.writer.phrase(3, 12))).collect();
        if self.habits.form.is_multiple_of(2) {
            sheet.element("dl", |sheet| {
                sheet.leaf("dt", language.say(Wording::Parameters));
                for (name, does) in &rows {
                    sheet.element("dd", |sheet| {
                        sheet.leaf("code", name);
                        sheet.text(does);
                    });
                }
                sheet.leaf("dt", language.say(Wording::Returns));
                sheet.leaf("dd", &self.writer.phrase(2, 9));
            });
        } else {
            sheet.leaf("h5", language.say(Wording::Parameters));
            sheet.element("table", |sheet| {
                for (name, does) in &rows {
                    sheet.element("tr", |sheet| {
                        sheet.leaf("td", name);
                        sheet.leaf("td", does);
                    });
                }
            });
        }
    }

    /// A table of names with a line on each.
    pub(super) fn summary(&mut self, sheet: &mut PageSheet) {
        let rows: Vec<(String, String)> = (0..self.writer.chance.from(3, 25))
            .map(|_| (self.writer.identifier(), self.writer.phrase(2, 10)))
            .collect();
        let name = |sheet: &mut PageSheet, name: &str| {
            sheet.element("code", |sheet| sheet.leaf(&format!("a href=\"#{name}\""), name));
        };
        if self.habits.form.is_multiple_of(2) {
            sheet.element("table class=\"summary\"", |sheet| {
                for (of, does) in &rows {
                    sheet.element("tr", |sheet| {
                        sheet.element("td", |sheet| name(sheet, of));
                        sheet.leaf("td", does);
                    });
                }
            });
        } else {
            sheet.element("dl class=\"item-table\"", |sheet| {
                for (of, does) in &rows {
                    sheet.element("dt", |sheet| name(sheet, of));
                    sheet.leaf("dd", does);
                }
            });
        }
    }
}
