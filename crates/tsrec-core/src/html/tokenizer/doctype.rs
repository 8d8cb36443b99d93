//! `<!doctype …>`: the HTML standard, sections 13.2.5.53 to 13.2.5.68.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Doctype;

const KEYWORD: usize = "<!doctype".len();
const SPACES: [char; 4] = ['\t', '\n', '\u{c}', ' '];

/// Reads a whole `<!doctype …>`, or what a page has of one at its end. Linear.
pub(super) fn doctype(text: &str) -> Doctype {
    let (body, is_closed) = match text[KEYWORD..].strip_suffix('>') {
        Some(body) => (body, true),
        None => (&text[KEYWORD..], false),
    };
    let mut doctype = Doctype::default();
    let ignored = read(body, &mut doctype);
    // What stands after a system identifier is ignored, also the end of the page.
    doctype.force_quirks = ignored.is_none_or(|ignored| ignored.is_empty() && !is_closed);
    doctype
}

/// Reads name and identifiers. Returns what is left, or `None` if something is missing or does not
/// belong there.
fn read<'t>(body: &'t str, doctype: &mut Doctype) -> Option<&'t str> {
    let body = body.trim_start_matches(SPACES);
    let (name, rest) = body.split_at(body.find(SPACES).unwrap_or(body.len()));
    if name.is_empty() {
        return None;
    }
    doctype.name = Some(without_null(&name.to_ascii_lowercase()));
    let rest = rest.trim_start_matches(SPACES);
    if rest.is_empty() {
        return Some(rest);
    }
    let (keyword, mut rest) = rest.split_at_checked("public".len())?;
    if keyword.eq_ignore_ascii_case("public") {
        rest = identifier(rest, &mut doctype.public_id)?;
        if rest.is_empty() {
            return Some(rest);
        }
    } else if !keyword.eq_ignore_ascii_case("system") {
        return None;
    }
    identifier(rest, &mut doctype.system_id)
}

/// Reads an identifier in quotes, and the spaces around it. Returns what is left.
fn identifier<'t>(text: &'t str, into: &mut Option<StrTendril>) -> Option<&'t str> {
    let text = text.trim_start_matches(SPACES);
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let parted = text[1..].split_once(quote);
    *into = Some(without_null(parted.map_or(&text[1..], |(within, _)| within)));
    parted.map(|(_, rest)| rest.trim_start_matches(SPACES))
}

fn without_null(text: &str) -> StrTendril {
    text.replace('\0', "\u{fffd}").into()
}
