//! What stands around the content, and is none.

use super::language::Wording;
use super::prose::TextWriter;
use super::sheet::PageSheet;
use super::style::{ElementRole, NamingStyle};

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

    pub(super) fn write(self, sheet: &mut PageSheet, writer: &mut TextWriter, style: &NamingStyle) {
        let language = writer.language;
        let say = |said| language.say(said);
        match self {
            Box::Advertisement => advertisement(sheet, writer, style),
            Box::Newsletter => sheet.element(&style.open("section", ElementRole::Newsletter), |sheet| {
                sheet.leaf("h3", say(Wording::Subscribe));
                sheet.leaf("p", say(Wording::Newsletter));
                sheet.raw("<form><input type=\"email\">");
                sheet.leaf("button", say(Wording::Subscribe));
                sheet.raw("</form>");
            }),
            Box::Related => teasers(sheet, writer, &style.open("aside", ElementRole::Related), Wording::Related),
            Box::NextStory => sheet.element(&style.open("section", ElementRole::Related), |sheet| {
                sheet.leaf("h2", say(Wording::Related));
                sheet.element(&style.open("article", ElementRole::Item), |sheet| {
                    sheet.leaf("h2", &writer.phrase(4, 9));
                    for _ in 0..writer.chance.from(1, 4) {
                        sheet.leaf("p", &writer.paragraph(2, 4));
                    }
                });
            }),
            Box::MostRead => teasers(sheet, writer, &style.open("aside", ElementRole::Sidebar), Wording::MostRead),
            Box::Tags => sheet.element(&style.tag("div", ElementRole::Tags), |sheet| {
                sheet.leaf("span", say(Wording::Tags));
                for _ in 0..writer.chance.from(2, 9) {
                    sheet.leaf("a href=\"/tag\" rel=\"tag\"", &writer.phrase(1, 2));
                }
            }),
            Box::Share => sheet.element(&style.tag("ul", ElementRole::Share), |sheet| {
                for service in ["Facebook", "X", "WhatsApp", "E-Mail"] {
                    sheet.element("li", |sheet| sheet.leaf("a href=\"/share\"", service));
                }
                sheet.leaf("li", say(Wording::Share));
            }),
            Box::Comments => sheet.element(&style.open("section", ElementRole::Comments), |sheet| {
                sheet.leaf("h3", say(Wording::Comments));
                for _ in 0..writer.chance.from(1, 8) {
                    sheet.element(&style.tag("div", ElementRole::Item), |sheet| {
                        sheet.leaf("b", &writer.name());
                        sheet.leaf("p", &writer.paragraph(1, 3));
                        sheet.leaf("a href=\"#\"", say(Wording::Reply));
                    });
                }
            }),
            Box::Writer => sheet.element(&style.tag("div", ElementRole::Writer), |sheet| {
                let name = writer.name();
                sheet.leaf("h4", &name);
                sheet.leaf("p", &format!("{name} {}", say(Wording::Writer)));
            }),
            Box::Helpful => sheet.element(&style.tag("div", ElementRole::Helpful), |sheet| {
                sheet.leaf("p", say(Wording::Helpful));
                sheet.leaf("button", say(Wording::Yes));
                sheet.leaf("button", say(Wording::No));
            }),
            Box::Paywall => sheet.element(&style.tag("div", ElementRole::Newsletter), |sheet| {
                sheet.leaf("p", say(Wording::Paywall));
                sheet.leaf("a href=\"/plans\"", say(Wording::Subscribe));
            }),
            Box::Keys => sheet.element(&style.tag("div", ElementRole::Hidden), |sheet| {
                sheet.leaf("p", say(Wording::Keys));
            }),
        }
    }
}

/// What stands between two paragraphs of a story.
pub(super) fn interruption(sheet: &mut PageSheet, writer: &mut TextWriter, style: &NamingStyle) {
    match writer.chance.from(0, 3) {
        0 => Box::Newsletter.write(sheet, writer, style),
        1 => {
            let text = format!("{}: {}", writer.language.say(Wording::Related), writer.phrase(4, 9));
            sheet.element("p", |sheet| sheet.leaf("a href=\"/story\"", &text));
        }
        _ => advertisement(sheet, writer, style),
    }
}

fn advertisement(sheet: &mut PageSheet, writer: &mut TextWriter, style: &NamingStyle) {
    sheet.element(&style.tag("div", ElementRole::Advertisement), |sheet| {
        sheet.leaf("span", writer.language.say(Wording::Advertisement));
        sheet.raw("<iframe src=\"/slot\"></iframe>");
    });
}

/// Teasers of other pages: links, some with a line of text.
fn teasers(sheet: &mut PageSheet, writer: &mut TextWriter, open: &str, title: Wording) {
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
