//! Text that Markdown would read as marks, written so that it reads it as text (CommonMark 0.31, section 2.4; GFM tables and strikethrough).

/// Text amid a line. Marks at the beginnings of lines are [`line`]'s.
pub(super) fn text(out: &mut String, text: &str, in_table: bool) {
    let mut previous = ' ';
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let next = rest.as_str().chars().next();
        let is_mark = match c {
            '\\' | '`' | '*' | '[' | ']' | '~' => true,
            // Between letters it is no mark: names of programs stay readable.
            '_' => !(previous.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)),
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => is_reference(rest.as_str()),
            '|' => in_table,
            // What comes next may be a link, which it would make an image.
            '!' => next.is_none(),
            _ => false,
        };
        if is_mark {
            out.push('\\');
        }
        out.push(c);
        previous = c;
    }
}

/// Whether what follows an ampersand makes it a character reference.
fn is_reference(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    end > 0 && name[end..].starts_with(';')
}

/// A line of a paragraph, whose text is escaped: what would begin a heading, list, quote, rule or table there does so no more.
pub(super) fn line(out: &mut String, line: &str) {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = &line[digits..];
    let ends_word = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let at = match line.chars().next() {
        Some('#' | '+' | '-' | '=' | '>' | '|') => Some(0),
        Some(':') if line[1..].starts_with('-') => Some(0),
        _ if (1..=9).contains(&digits) && after.starts_with(['.', ')']) && ends_word(&after[1..]) => Some(digits),
        _ => None,
    };
    if let Some(at) = at {
        out.push_str(&line[..at]);
        out.push('\\');
        out.push_str(&line[at..]);
    } else {
        out.push_str(line);
    }
}

/// Code amid a line: between as many backticks as it takes (section 6.1).
pub(super) fn code(out: &mut String, code: &str, in_table: bool) {
    let fence = "`".repeat(longest_run(code, '`') + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    out.push_str(&fence);
    out.push_str(pad);
    match in_table {
        true => out.push_str(&code.replace('|', "\\|")),
        false => out.push_str(code),
    }
    out.push_str(pad);
    out.push_str(&fence);
}

/// The longest run of a character.
pub(super) fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

/// The target of a link (section 6.3): nothing in it ends it.
pub(super) fn target(out: &mut String, url: &str) {
    for c in url.chars() {
        match c {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '\\' => out.push_str("%5C"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '|' => out.push_str("%7C"),
            '`' => out.push_str("%60"),
            c if c.is_whitespace() || c.is_control() => out.push_str("%20"),
            '&' => out.push_str("\\&"),
            c => out.push(c),
        }
    }
}
