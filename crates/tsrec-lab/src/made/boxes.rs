//! What stands around the content, and is none.

use super::language::Said;
use super::prose::Writer;
use super::sheet::Sheet;
use super::style::{Role, Style};

/// A box after the content, or beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Box {
    Advertisement,
    Newsletter,
    Related,
    NextStory,
    MostRead,
    Tags,
    Share,
    Comments,
    Writer,
    Helpful,
    Paywall,
    Keys,
}

impl Box {
    /// All of them.
    pub(super) const ALL: [Box; 12] = [
        Box::Advertisement,
        Box::Newsletter,
        Box::Related,
        Box::NextStory,
        Box::MostRead,
        Box::Tags,
        Box::Share,
        Box::Comments,
        Box::Writer,
        Box::Helpful,
        Box::Paywall,
        Box::Keys,
    ];

    pub(super) fn write(self, sheet: &mut Sheet, writer: &mut Writer, style: &Style) {
        let language = writer.language;
        let say = |said| language.say(said);
        match self {
            Box::Advertisement => advertisement(sheet, writer, style),
            Box::Newsletter => sheet.element(&style.open("section", Role::Newsletter), |sheet| {
                sheet.leaf("h3", say(Said::Subscribe));
                sheet.leaf("p", say(Said::Newsletter));
                sheet.raw("<form><input type=\"email\">");
                sheet.leaf("button", say(Said::Subscribe));
                sheet.raw("</form>");
            }),
            Box::Related => teasers(sheet, writer, &style.open("aside", Role::Related), Said::Related),
            Box::NextStory => sheet.element(&style.open("section", Role::Related), |sheet| {
                sheet.leaf("h2", say(Said::Related));
                sheet.element(&style.open("article", Role::Item), |sheet| {
                    sheet.leaf("h2", &writer.phrase(4, 9));
                    for _ in 0..writer.chance.from(1, 4) {
                        sheet.leaf("p", &writer.paragraph(2, 4));
                    }
                });
            }),
            Box::MostRead => teasers(sheet, writer, &style.open("aside", Role::Sidebar), Said::MostRead),
            Box::Tags => sheet.element(&style.tag("div", Role::Tags), |sheet| {
                sheet.leaf("span", say(Said::Tags));
                for _ in 0..writer.chance.from(2, 9) {
                    sheet.leaf("a href=\"/tag\" rel=\"tag\"", &writer.phrase(1, 2));
                }
            }),
            Box::Share => sheet.element(&style.tag("ul", Role::Share), |sheet| {
                for service in ["Facebook", "X", "WhatsApp", "E-Mail"] {
                    sheet.element("li", |sheet| sheet.leaf("a href=\"/share\"", service));
                }
                sheet.leaf("li", say(Said::Share));
            }),
            Box::Comments => sheet.element(&style.open("section", Role::Comments), |sheet| {
                sheet.leaf("h3", say(Said::Comments));
                for _ in 0..writer.chance.from(1, 8) {
                    sheet.element(&style.tag("div", Role::Item), |sheet| {
                        sheet.leaf("b", &writer.name());
                        sheet.leaf("p", &writer.paragraph(1, 3));
                        sheet.leaf("a href=\"#\"", say(Said::Reply));
                    });
                }
            }),
            Box::Writer => sheet.element(&style.tag("div", Role::Writer), |sheet| {
                let name = writer.name();
                sheet.leaf("h4", &name);
                sheet.leaf("p", &format!("{name} {}", say(Said::Writer)));
            }),
            Box::Helpful => sheet.element(&style.tag("div", Role::Helpful), |sheet| {
                sheet.leaf("p", say(Said::Helpful));
                sheet.leaf("button", say(Said::Yes));
                sheet.leaf("button", say(Said::No));
            }),
            Box::Paywall => sheet.element(&style.tag("div", Role::Newsletter), |sheet| {
                sheet.leaf("p", say(Said::Paywall));
                sheet.leaf("a href=\"/plans\"", say(Said::Subscribe));
            }),
            Box::Keys => sheet.element(&style.tag("div", Role::Hidden), |sheet| {
                sheet.leaf("p", say(Said::Keys));
            }),
        }
    }
}

/// What stands between two paragraphs of a story.
pub(super) fn interruption(sheet: &mut Sheet, writer: &mut Writer, style: &Style) {
    match writer.chance.from(0, 3) {
        0 => Box::Newsletter.write(sheet, writer, style),
        1 => {
            let text = format!("{}: {}", writer.language.say(Said::Related), writer.phrase(4, 9));
            sheet.element("p", |sheet| sheet.leaf("a href=\"/story\"", &text));
        }
        _ => advertisement(sheet, writer, style),
    }
}

fn advertisement(sheet: &mut Sheet, writer: &mut Writer, style: &Style) {
    sheet.element(&style.tag("div", Role::Advertisement), |sheet| {
        sheet.leaf("span", writer.language.say(Said::Advertisement));
        sheet.raw("<iframe src=\"/slot\"></iframe>");
    });
}

/// Teasers of other pages: links, some with a line of text.
fn teasers(sheet: &mut Sheet, writer: &mut Writer, open: &str, title: Said) {
    let with_text = writer.chance.is(0.5);
    sheet.element(open, |sheet| {
        sheet.leaf("h3", writer.language.say(title));
        for _ in 0..writer.chance.from(3, 8) {
            sheet.element("div", |sheet| {
                sheet.element("h4", |sheet| sheet.leaf("a href=\"/story\"", &writer.phrase(4, 10)));
                if with_text {
                    sheet.leaf("p", &writer.sentence());
                }
            });
        }
    });
}
