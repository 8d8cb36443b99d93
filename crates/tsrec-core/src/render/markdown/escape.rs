//! Escapes text that Markdown would read as marks (CommonMark 0.31, section 2.4; GFM tables and
//! strikethrough).

/// What is around a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    pub(super) in_table: bool,
    /// Within the text of a link or the description of an image, which a bracket would end.
    pub(super) in_link: bool,
    /// The character written after it.
    pub(super) after: char,
}

/// Escapes text within a line; [`line`] escapes its beginning. Brackets alone mean nothing, since
/// our output defines no references except footnotes.
pub(super) fn text(out: &mut String, text: &str, around: Surroundings) {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let begins_block = out.is_empty();
        let before = out.chars().next_back().unwrap_or(' ');
        let next = rest.as_str().chars().next();
        let after = next.unwrap_or(around.after);
        let stands_alone = before.is_whitespace() && after.is_whitespace();
        let is_mark = match c {
            // At the end it would escape the next character or break the line.
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '`' => true,
            '*' => !stands_alone,
            // Between letters it is not a mark, so names of programs stay readable.
            '_' => !(stands_alone || before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)),
            // One that begins a word may stay: every one that could close it is escaped.
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

/// Whether a bracket with this text after it begins a task's box.
fn is_task(rest: &str) -> bool {
    ["x]", "X]", " ]"].iter().any(|mark| rest.starts_with(mark))
}

/// Whether an ampersand with this text after it begins a character reference.
fn is_reference(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    end > 0 && name[end..].starts_with(';')
}

/// Writes a line of a paragraph with escaped text. It also escapes what would begin a heading,
/// list, quote, rule or table.
pub(super) fn line(out: &mut String, line: &str) {
    let at = mark_of_block(line).unwrap_or(line.len());
    out.push_str(&line[..at]);
    if at < line.len() {
        out.push('\\');
        out.push_str(&line[at..]);
    }
}

/// The position of the mark that would make the line begin a block (sections 4 and 5; GFM tables).
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

/// Writes code within a line, between as many backticks as needed (section 6.1).
pub(super) fn code(out: &mut String, code: &str, in_table: bool) {
    let fence = "`".repeat(longest_run(code, '`') + 1);
    // If spaces are at both ends, Markdown removes one at each.
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

/// TeX on one line. It is not escaped: what Markdown would read as the end of a cell, or as a tag,
/// gets another form that means the same to TeX.
pub(super) fn tex(tex: &str, in_table: bool) -> String {
    let mut out = String::with_capacity(tex.len());
    for word in tex.split_whitespace() {
        out.push_str(if out.is_empty() { "" } else { " " });
        out.push_str(word);
    }
    if in_table {
        out = out.replace("\\|", "\\Vert ").replace('|', "\\vert ").trim_end().to_owned();
    }
    let begins_tag = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
    let tags: Vec<usize> = out.match_indices('<').map(|(at, _)| at + 1).filter(|&at| begins_tag(&out[at..])).collect();
    tags.into_iter().rev().for_each(|at| out.insert(at, ' '));
    out
}

/// The length of the longest run of a character.
pub(super) fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

/// Writes the target of a link (section 6.3), escaped so that nothing in it ends it.
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
