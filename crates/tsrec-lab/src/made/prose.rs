//! Sentences without meaning, with as many common words, commas and names as prose has.

use tsrec_core::learn::random::Random;

use super::language::MadeLanguage;

/// Choices by chance. The same seed gives the same choices.
pub(super) struct Chance(Random);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Chance(Random::new(seed))
    }

    /// A number from `least` to `most`, both included.
    pub(super) fn from(&mut self, least: usize, most: usize) -> usize {
        least + (self.0.unit() * (most + 1 - least) as f64) as usize
    }

    /// True with this probability.
    pub(super) fn is(&mut self, probability: f64) -> bool {
        self.0.unit() < probability
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.from(0, all.len() - 1)]
    }
}

/// Writes text in a language.
pub(super) struct TextWriter<'l> {
    pub(super) language: &'l MadeLanguage,
    pub(super) chance: Chance,
    common: Vec<&'l str>,
    words: Vec<&'l str>,
}

impl<'l> TextWriter<'l> {
    pub(super) fn new(language: &'l MadeLanguage, seed: u64) -> Self {
        let split = |text: &'l str| text.split(' ').collect();
        TextWriter { language, chance: Chance::new(seed), common: split(language.common), words: split(language.words) }
    }

    /// A word that is not one of the most frequent.
    fn word(&mut self) -> &'l str {
        self.chance.one_of(&self.words)
    }

    /// A few words, as in a heading or a link.
    pub(super) fn phrase(&mut self, least: usize, most: usize) -> String {
        let count = self.chance.from(least, most);
        let words: Vec<&str> =
            (0..count).map(|at| if at % 3 == 1 { self.chance.one_of(&self.common) } else { self.word() }).collect();
        capital(&words.join(self.language.space))
    }

    /// A sentence. Somewhat under half of its words are common ones, as in news of these languages.
    pub(super) fn sentence(&mut self) -> String {
        let count = self.chance.from(5, 24);
        let mut text = String::new();
        for at in 0..count {
            let word = match self.chance.from(0, 19) {
                0 => self.chance.from(2, 2_030).to_string(),
                1..=9 => self.chance.one_of(&self.common).to_owned(),
                10 => capital(self.word()),
                _ => self.word().to_owned(),
            };
            if at > 0 {
                let comma = at + 2 < count && self.chance.is(0.09);
                text += if comma { self.language.comma } else { "" };
                text += if comma && !self.language.space.is_empty() { " " } else { self.language.space };
            }
            text += &word;
        }
        capital(&text) + self.language.stop
    }

    /// A paragraph of as many sentences.
    pub(super) fn paragraph(&mut self, least: usize, most: usize) -> String {
        let count = self.chance.from(least, most);
        let sentences: Vec<String> = (0..count).map(|_| self.sentence()).collect();
        sentences.join(self.language.space)
    }

    /// A person's name.
    pub(super) fn name(&mut self) -> String {
        let mut part = || capital(self.word());
        format!("{} {}", part(), part())
    }

    /// A name as in a program.
    pub(super) fn identifier(&mut self) -> String {
        const PARTS: [&str; 20] = [
            "read", "write", "open", "buffer", "node", "index", "value", "next", "size", "list", "map", "state", "key",
            "path", "time", "parse", "send", "lock", "count", "item",
        ];
        let (one, two) = (self.chance.one_of(&PARTS), self.chance.one_of(&PARTS));
        if self.chance.is(0.5) { format!("{one}_{two}") } else { one.to_owned() + &capital(two) }
    }

    /// Some lines of code.
    pub(super) fn code(&mut self) -> String {
        let lines = self.chance.from(1, 9);
        let line = |writer: &mut Self| {
            let (a, b, c) = (writer.identifier(), writer.identifier(), writer.identifier());
            match writer.chance.from(0, 5) {
                0 => format!("let {a} = {b}({c}, {});", writer.chance.from(0, 99)),
                1 => format!("    {a}.{b}({c})"),
                2 => format!("if {a} < {b}:"),
                3 => format!("#define {} {}", a.to_uppercase(), writer.chance.from(1, 512)),
                4 => format!("$ {a} --{b} {c}"),
                _ => format!("return {a}[{b}]"),
            }
        };
        (0..lines).map(|_| line(self)).collect::<Vec<_>>().join("\n")
    }
}

/// The text with a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
