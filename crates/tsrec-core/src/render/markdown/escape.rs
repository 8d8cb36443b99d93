//! Text that Markdown would read as marks, written so that it reads it as text (CommonMark 0.31,
//! section 2.4; GFM tables and strikethrough).

/// What is around a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    pub(super) in_table: bool,
    /// Within the text of a link or the words for an image, which a bracket would end.
    pub(super) in_link: bool,
    /// What is written after it.
    pub(super) after: char,
}

/// Text amid a line. Marks at the beginnings of lines are [`line`]'s. Brackets mean nothing of
/// their own: nothing that is written defines a reference, but for footnotes.
pub(super) fn text(out: &mut String, text: &str, around: Surroundings) {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let begins_block = out.is_empty();
        let before = out.chars().next_back().unwrap_or(' ');
        let next = rest.as_str().chars().next();
        let after = next.unwrap_or(around.after);
        let stands_alone = before.is_whitespace() && after.is_whitespace();
        let is_mark = match c {
            // At the end it would escape what comes next, or break the line.
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '`' => true,
            '*' => !stands_alone,
            // Between letters it is no mark: names of programs stay readable.
            '_' => !(stands_alone || before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)),
            // One that begins a word may stay: none that would end what it begins does.
            '~' => !before.is_whitespace() || after == '~',
            '[' => around.in_link || after == '^' || begins_block && is_task(rest.as_str()),
            ']' => around.in_link || matches!(after, '(' | '[' | ':'),
            '<' => after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?'),
            '&' => is_reference(rest.as_str()),
            '|' => around.in_table,
            '!' => after == '[',
            _ => false,
        };
        if is_mark {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Whether what follows a bracket makes it the box of a task.
fn is_task(rest: &str) -> bool {
    ["x]", "X]", " ]"].iter().any(|mark| rest.starts_with(mark))
}

/// Whether what follows an ampersand makes it a character reference.
fn is_reference(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    end > 0 && name[end..].starts_with(';')
}

/// A line of a paragraph, whose text is escaped: what would begin a heading, list, quote, rule or
/// table there does so no more.
pub(super) fn line(out: &mut String, line: &str) {
    let at = mark_of_block(line).unwrap_or(line.len());
    out.push_str(&line[..at]);
    if at < line.len() {
        out.push('\\');
        out.push_str(&line[at..]);
    }
}

/// Where the mark stands by which a line would begin a block (sections 4 and 5; GFM tables).
fn mark_of_block(line: &str) -> Option<usize> {
    let ends_word = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let has_only = |marks: &str| line.chars().all(|c| c == ' ' || marks.contains(c));
    let is_mark = match line.chars().next()? {
        '>' => true,
        '#' => {
            let after = line.trim_start_matches('#');
            line.len() - after.len() <= 6 && ends_word(after)
        }
        '+' | '*' => ends_word(&line[1..]),
        '-' => ends_word(&line[1..]) || has_only("-|:"),
        '|' | ':' => has_only("-|:"),
        '=' => has_only("="),
        '_' => has_only("_"),
        _ => false,
    };
    if is_mark {
        return Some(0);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = line[digits..].strip_prefix(['.', ')'])?;
    ((1..=9).contains(&digits) && ends_word(after)).then_some(digits)
}

/// Code amid a line: between as many backticks as it takes (section 6.1).
pub(super) fn code(out: &mut String, code: &str, in_table: bool) {
    let fence = "`".repeat(longest_run(code, '`') + 1);
    // Of spaces at both ends one goes.
    let has_spaces = code.starts_with(' ') && code.ends_with(' ') && !code.trim().is_empty();
    let pad = if has_spaces || code.starts_with('`') || code.ends_with('`') { " " } else { "" };
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
    for (at, c) in url.char_indices() {
        match c {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '\\' => out.push_str("%5C"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '|' => out.push_str("%7C"),
            '`' => out.push_str("%60"),
            c if c.is_whitespace() || c.is_control() => out.push_str("%20"),
            '&' if is_reference(&url[at + 1..]) => out.push_str("\\&"),
            c => out.push(c),
        }
    }
}
