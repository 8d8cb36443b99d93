//! The section of a forum, which its titles name between the thread and the site: `Which lamp? /
//! Lamp Talk / Skerry`.

use super::super::site::parts;
use super::super::statements::Statements;
use super::super::{Source, Subject, fold};

/// Words in the names of forums.
const FORUMS: [&str; 25] = [
    "forum",
    "forums",
    "fora",
    "community",
    "board",
    "boards",
    "discussion",
    "discussions",
    "foren",
    "foro",
    "foros",
    "fórum",
    "fóruns",
    "fórumok",
    "comunidad",
    "comunidade",
    "communauté",
    "форум",
    "форуми",
    "форумы",
    "φόρουμ",
    "论坛",
    "論壇",
    "フォーラム",
    "포럼",
];
/// Most words of the name of a forum or a section. Judgement.
const MOST_WORDS: usize = 5;
/// Most sections of a title. Judgement: a forum, a group and a section.
const MOST_SECTIONS: usize = 4;

/// The title of a thread without its section and the forum's name. In a heading it stays, unless
/// there is also a heading without it. Linear in the page.
pub(super) fn without(subject: &Subject<'_>, statements: &Statements, found: (String, Source)) -> (String, Source) {
    let (title, source) = found;
    let ranges = parts(&title);
    let is_section = |part: &str| {
        let folded = fold(part);
        let words: Vec<&str> = folded.split(' ').collect();
        words.len() <= MOST_WORDS && (words.iter().any(|word| FORUMS.contains(word)) || is_link(subject, &folded))
    };
    let ends = ranges.iter().skip(1).rev().take(MOST_SECTIONS);
    let sections = ends.take_while(|part| is_section(&title[(*part).clone()])).count();
    let thread = title[..ranges[ranges.len() - 1 - sections].end].trim();
    let is_heading = || {
        let folded = fold(thread);
        statements.headings.iter().any(|heading| fold(&heading.text) == folded)
    };
    if sections == 0 || thread.is_empty() || source == Source::Heading && !is_heading() {
        return (title, source);
    }
    (thread.to_owned(), source)
}

/// Whether a link of the page says just this, as the path to a thread does.
fn is_link(subject: &Subject<'_>, folded: &str) -> bool {
    let linked = subject.analysis.leaves().iter().filter(|leaf| leaf.linked);
    let mut texts = linked.filter_map(|leaf| subject.document.text(leaf.node));
    texts.any(|text| text.len() <= 4 * folded.len() + 64 && fold(text) == folded)
}
