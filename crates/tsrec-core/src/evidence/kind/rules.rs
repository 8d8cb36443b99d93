//! Kinds that need no learning: pages that say of themselves that they are none.
//!
//! Precise before complete: a page is told only by phrases that stand where such pages have them,
//! and where there is little else on it. The status of an answer is not asked for, since only
//! successful ones become pages; what is told here are the failures that were answered with 200.
//! The phrases are [`PHRASES`]; judgement, of what servers, content management systems and consent
//! managers print.

use std::sync::LazyLock;

use super::PageKind;
use crate::analysis::text::count;
use crate::analysis::{Analysis, Block};

mod phrases;

use phrases::{CHOICES, CONSENT, ERRORS, WHOLE_ERRORS};

/// Visible words outside links that the message of an error has at most: it is a paragraph,
/// whatever menus are around it.
const MOST_ERROR_WORDS: u32 = 150;
/// Visible words of a page that asks for consent before it shows anything, at most: longer ones
/// have a text of their own.
const MOST_CONSENT_WORDS: u32 = 600;
/// Words of what a button says, at most.
const MOST_CHOICE_WORDS: u32 = 8;
/// Words of a block that explains what is asked, at least.
const LEAST_EXPLANATION: u32 = 10;

/// The kind that a page says itself, as [`PHRASES`] tell it. `None` of nearly all pages. Linear,
/// and nothing but sums where the page is long.
pub(super) fn told(analysis: &Analysis) -> Option<PageKind> {
    let visible = || analysis.blocks().iter().filter(|block| !block.hidden);
    let (words, unlinked) = visible().fold((0, 0), |(words, unlinked), block| {
        (words + block.text.words, unlinked + block.text.words - block.linked.words)
    });
    if unlinked <= MOST_ERROR_WORDS && names_error(analysis) {
        return Some(PageKind::Error);
    }
    (words <= MOST_CONSENT_WORDS && asks_for_consent(analysis, words)).then_some(PageKind::ConsentWall)
}

/// True when the title or a heading of the first two levels names an error.
fn names_error(analysis: &Analysis) -> bool {
    let names = |words: &[u32]| PHRASES.errors.stand_in(words) || PHRASES.whole_errors.are(words);
    let is_headline = |block: &&Block| !block.hidden && analysis.heading_level(block).is_some_and(|level| level <= 2);
    names(&analysis.head().title)
        || analysis.blocks().iter().filter(is_headline).any(|block| names(analysis.words(block)))
}

/// True when half of what is seen is about consent, and there is something to choose.
fn asks_for_consent(analysis: &Analysis, words: u32) -> bool {
    let (mut about, mut explained, mut choices) = (0, false, false);
    for block in analysis.blocks().iter().filter(|block| !block.hidden) {
        let (own, length) = (analysis.words(block), block.text.words);
        let is_choice = length <= MOST_CHOICE_WORDS && PHRASES.choices.stand_in(own);
        if is_choice || PHRASES.consent.stand_in(own) {
            about += length;
            choices |= is_choice;
            explained |= length >= LEAST_EXPLANATION;
        }
    }
    choices && explained && 2 * about >= words
}

/// Phrases, as the hashes of their words.
struct Phrases {
    all: Vec<Vec<u32>>,
    /// A bit for each first word, by the end of its hash: most words of a page begin none of them.
    first_words: [u64; FIRST_WORDS / 64],
}

/// How many first words are told apart. Judgement: a list has some hundred phrases.
const FIRST_WORDS: usize = 1024;

impl Phrases {
    fn new(phrases: &[&str]) -> Self {
        let hashed = |phrase: &&str| {
            let mut words = Vec::new();
            count(phrase, |word| words.push(word));
            words
        };
        let all: Vec<Vec<u32>> = phrases.iter().map(hashed).collect();
        let mut first_words = [0; FIRST_WORDS / 64];
        for word in all.iter().filter_map(|phrase| phrase.first()) {
            let at = *word as usize % FIRST_WORDS;
            first_words[at / 64] |= 1 << (at % 64);
        }
        Phrases { all, first_words }
    }

    /// True when one of them stands somewhere in these words.
    fn stand_in(&self, words: &[u32]) -> bool {
        let begins = |&at: &usize| self.may_begin_with(words[at]);
        let mut places = (0..words.len()).filter(begins);
        places.any(|at| self.all.iter().any(|phrase| words[at..].starts_with(phrase)))
    }

    fn may_begin_with(&self, word: u32) -> bool {
        let at = word as usize % FIRST_WORDS;
        self.first_words[at / 64] >> (at % 64) & 1 == 1
    }

    /// True when the words are one of them.
    fn are(&self, words: &[u32]) -> bool {
        self.all.iter().any(|phrase| phrase == words)
    }
}

/// All phrases, hashed once.
struct PhraseTable {
    errors: Phrases,
    whole_errors: Phrases,
    consent: Phrases,
    choices: Phrases,
}

static PHRASES: LazyLock<PhraseTable> = LazyLock::new(|| PhraseTable {
    errors: Phrases::new(ERRORS),
    whole_errors: Phrases::new(WHOLE_ERRORS),
    consent: Phrases::new(CONSENT),
    choices: Phrases::new(CHOICES),
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    fn kind(page: &str) -> Option<PageKind> {
        told(&Analysis::new(&parse(page.as_bytes(), None, &Default::default())))
    }

    #[test]
    fn a_phrase_of_no_word_would_stand_everywhere() {
        let all = [&PHRASES.errors, &PHRASES.whole_errors, &PHRASES.consent, &PHRASES.choices];
        assert!(all.iter().all(|phrases| phrases.all.iter().all(|phrase| !phrase.is_empty())));
    }

    #[test]
    fn errors_name_themselves_in_a_title_or_a_heading() {
        let menu = "<nav><a href=/>Home</a> <a href=/shop>The shop and all that it sells</a></nav>".repeat(20);
        for (title, heading) in [
            ("404 Not Found", "Not Found"),
            ("Port of Harbourville", "Oops! Page not found."),
            ("Page not found – Port of Harbourville", ""),
            ("", "404"),
            ("Just a moment...", ""),
            ("Hafen", "Die Seite wurde nicht gefunden"),
            ("Page introuvable | Le port", ""),
            ("", "Página no encontrada"),
            ("Гавань", "Страница не найдена"),
            ("", "ページが見つかりません"),
            ("", "页面不存在"),
            ("", "페이지를 찾을 수 없습니다"),
            ("", "الصفحة غير موجودة"),
        ] {
            let page = format!("<title>{title}</title>{menu}<h1>{heading}</h1><p>It may have moved, or never been.");
            assert_eq!(kind(&page), Some(PageKind::Error), "{title} / {heading}");
        }
    }

    #[test]
    fn what_speaks_of_errors_is_none() {
        let story = "The keeper looked for the page in the log of the lighthouse and never came back. ".repeat(20);
        for page in [
            format!("<title>Page not found: a history</title><h1>Page not found</h1><p>{story}"),
            "<title>Peugeot 404</title><h1>Peugeot 404 for sale</h1><p>One owner, blue, on blocks.".to_owned(),
            "<title>Missing cat not found</title><h1>Cat not found</h1><p>The search goes on.".to_owned(),
            "<title>Harbour</title><h1>Harbour</h1><p>Page not found? Write to us.".to_owned(),
            "<title>Harbour</title><div hidden><h1>Page not found</h1></div><p>Boats leave at nine.".to_owned(),
            String::new(),
        ] {
            assert_eq!(kind(&page), None, "{page}");
        }
    }

    #[test]
    fn consent_walls_ask_and_show_nothing_else() {
        for (explanation, choice) in [
            (
                "We and our partners use cookies to store and read information on your device, with your consent.",
                "Accept all",
            ),
            (
                "Wir und unsere Partner brauchen Ihre Einwilligung, um Cookies auf Ihrem Gerät zu speichern und zu lesen.",
                "Alle akzeptieren",
            ),
            (
                "Avec votre consentement, nous et nos partenaires utilisons des cookies pour mesurer votre visite du port.",
                "Tout accepter",
            ),
            (
                "Con su consentimiento, nosotros y nuestros socios usamos cookies para medir su visita a nuestro puerto.",
                "Aceptar todo",
            ),
            (
                "С вашего согласия мы используем файлы cookie, чтобы понять, как вы пользуетесь нашим сайтом.",
                "Принять все",
            ),
            ("当サイトでは、よりよいサービスのためにクッキーを使用しています。", "すべて受け入れる"),
        ] {
            let wall = format!("<title>Harbour</title><h1>Harbour</h1><p>{explanation}<p><button>{choice}</button>");
            assert_eq!(kind(&wall), Some(PageKind::ConsentWall), "{choice}");
            let story = "The ferry sailed at nine with the band on board and a cat in the wheelhouse. ".repeat(4);
            assert_eq!(kind(&format!("{wall}<p>{story}")), None, "{choice}: the page is behind it");
        }
    }

    #[test]
    fn what_speaks_of_cookies_is_no_wall() {
        for page in [
            "<title>Cookies</title><h1>Oat cookies</h1><p>Bake the cookies for ten minutes, let them cool, and eat them all.",
            "<title>Policy</title><h1>Cookies</h1><p>We use cookies to remember your language, and nothing else at all, ever.",
            "<title>Harbour</title><p>Boats leave at nine.<p><button>Accept all</button>",
        ] {
            assert_eq!(kind(page), None, "{page}");
        }
    }
}
