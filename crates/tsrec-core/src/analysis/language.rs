//! Stop words by language. Their share of a text tells prose from labels, and their language is the
//! language of the page.
//!
//! Ziegler and Skubacz (2007) use fourteen lists but do not name them. Ours are the 14 that the
//! Snowball project had published at the paper's time. They come from the crate `stop-words`, and
//! so do Arabic, Greek, Hebrew and Chinese. Japanese, Korean, Hindi and Thai are short lists of
//! ours, of particles and the like.
//!
//! In scripts without spaces, a word is what [`crate::words`] counts as one, so only lists of
//! single characters can match. Thai words are groups of four letters and match nothing. So
//! evidence for Thai is absent, not different.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::text::{WordHash, count};
use crate::words;
use crate::words::hashed::ByHash;

/// The languages by their ISO 639-1 codes. The fourteen of the paper come first.
pub const LANGUAGES: [&str; 21] = [
    "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv", "tr", "ar", "el", "he", "hi", "ja",
    "ko", "zh",
];

/// The languages of the paper.
const PAPER: u32 = (1 << 14) - 1;

/// Postpositions, auxiliaries and pronouns.
const HINDI: &str = "का की के को में से है हैं और पर यह वह ने कि था थे थी भी एक ही तो जो हो कर या नहीं इस उस अपने लिए साथ कुछ जब तक गया \
                     किया करने वाले हुए हुआ बाद अब";
/// Kana that are particles or endings. In running text every second character is one of these; in
/// labels few are.
const JAPANESE: &str = "の に は を た が で て と し れ さ あ い も す る か な ら り こ よ ま";
/// Particles, pronouns and endings that stand as words of their own.
const KOREAN: &str = "이 그 저 것 수 등 및 더 또 또는 그리고 하지만 그러나 때문에 위해 대한 통해 있는 있다 있습니다 없는 한다 합니다 했다 \
                      하는 된다 되는 됩니다 같은 모든 다른 우리 나는 그는 이는 것이다 것을 것은 것이 경우 따라 함께 많은 가장 매우 다시 바로";
/// Characters that are function words, or nearly always part of one.
const CHINESE: &str = "的 了 是 在 和 有 不 我 他 她 它 们 這 这 那 个 個 就 也 都 而 及 与 與 或 一 上 中 为 為 以 于 於 之 其 被 把 从 從 到 \
                       对 對 会 會 可 要 能 没 沒 很 但 还 還 么 麼 着 過 过 地 得 所 者 你 您 们 們 来 來";

/// A table from a word's hash to its languages: bit `i` stands for `LANGUAGES[i]`.
static LISTS: LazyLock<HashMap<u32, u32, ByHash>> = LazyLock::new(|| {
    let mut lists = HashMap::default();
    for (index, language) in LANGUAGES.into_iter().enumerate() {
        let mut add = |word: &str| *lists.entry(WordHash::from_word(word).finish()).or_insert(0) |= 1 << index;
        match language {
            "hi" => HINDI.split_whitespace().for_each(&mut add),
            "ja" => JAPANESE.split_whitespace().for_each(&mut add),
            "ko" => KOREAN.split_whitespace().for_each(&mut add),
            "zh" => CHINESE.split_whitespace().for_each(&mut add),
            _ => {
                let listed = stop_words::lookup(language).unwrap_or_default();
                // A listed word with an apostrophe counts as two words. Each part is in the list
                // too, or is a single letter.
                listed.iter().filter(|word| words::words(word).count() == 1).for_each(|word| add(word));
            }
        }
    }
    lists
});

/// The languages in which a word is a stop word, by its hash: bit `i` stands for `LANGUAGES[i]`.
pub fn languages_of(word: u32) -> u32 {
    LISTS.get(&word).copied().unwrap_or(0)
}

/// Stop words counted by language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally([u32; LANGUAGES.len()]);

impl Tally {
    /// Adds one word, with its languages.
    pub fn add(&mut self, mut languages: u32) {
        while languages != 0 {
            self.0[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
    }

    /// The number of the language with the most stop words, the first in a tie. `None` if there are
    /// none.
    pub fn best(&self) -> Option<usize> {
        let best = (0..LANGUAGES.len()).rev().max_by_key(|&index| self.0[index])?;
        (self.0[best] > 0).then_some(best)
    }
}

/// The share of stop words in a text, in the language that has the most of them (Ziegler, Skubacz
/// 2007, section 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopWords {
    /// The language, one of those counted; the first in a tie. `None` if the text has no stop word
    /// of any.
    pub language: Option<&'static str>,
    /// Their share of the text's words, 0 to 1.
    pub share: f64,
}

/// Counts the stop words of a text in each of the paper's languages. Linear: one look-up for each
/// word.
pub fn stop_words(text: &str) -> StopWords {
    stop_words_of(text, PAPER)
}

/// The same in all of [`LANGUAGES`].
pub fn stop_words_of_all(text: &str) -> StopWords {
    stop_words_of(text, u32::MAX)
}

fn stop_words_of(text: &str, languages: u32) -> StopWords {
    let (mut tally, mut all) = (Tally::default(), 0_u32);
    count(text, |word| {
        all += 1;
        tally.add(languages_of(word) & languages);
    });
    match tally.best() {
        Some(best) => StopWords { language: Some(LANGUAGES[best]), share: f64::from(tally.0[best]) / f64::from(all) },
        None => StopWords::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> Option<&'static str> {
        let mut tally = Tally::default();
        count(text, |word| tally.add(languages_of(word)));
        tally.best().map(|best| LANGUAGES[best])
    }

    #[test]
    fn stop_words_name_the_language() {
        for (text, expect) in [
            ("The harbour was not closed when they came back to it.", Some("en")),
            ("Der Hafen war nicht geschlossen, als sie zu ihm zurückkamen.", Some("de")),
            ("Le port n'était pas fermé quand ils sont revenus avec nous.", Some("fr")),
            ("Гавань не была закрыта, когда они вернулись к нему.", Some("ru")),
            ("Το λιμάνι δεν ήταν κλειστό όταν αυτοί γύρισαν από εκεί.", Some("el")),
            ("הנמל לא היה סגור כאשר הם חזרו אל העיר.", Some("he")),
            ("لم يكن الميناء مغلقا عندما عادوا إلى هناك من المدينة.", Some("ar")),
            ("जब वे वापस आए तो बंदरगाह बंद नहीं था और नाव वहीं थी।", Some("hi")),
            ("彼らが戻ったとき、港は閉まっていなかったのである。", Some("ja")),
            ("그들은 다시 돌아왔고 그리고 항구는 닫혀 있는 것이 아니었다.", Some("ko")),
            ("他们回来的时候，港口没有关闭，船还在那里。", Some("zh")),
            ("Sport Video 2026", None),
        ] {
            assert_eq!(language(text), expect, "{text}");
        }
    }

    #[test]
    fn the_share_is_of_all_words_in_the_languages_of_the_paper() {
        assert_eq!(stop_words("The harbour and THE lighthouse"), StopWords { language: Some("en"), share: 0.6 });
        for (text, expect) in [
            ("El puerto no estaba cerrado cuando ellos volvieron a él.", Some("es")),
            ("Il porto non era chiuso quando sono tornati con noi dalla città.", Some("it")),
            ("O porto não estava fechado quando eles voltaram com a gente para ele.", Some("pt")),
            ("De haven was niet gesloten toen zij er weer naar toe kwamen.", Some("nl")),
            ("Hamnen var inte stängd när de kom tillbaka till den.", Some("sv")),
            ("Satama ei ollut kiinni, kun he tulivat sinne takaisin.", Some("fi")),
            ("A kikötő nem volt zárva, amikor ők már visszatértek ide.", Some("hu")),
            ("他们回来的时候，港口没有关闭，船还在那里。", None),
            ("", None),
        ] {
            assert_eq!(stop_words(text).language, expect, "{text}");
        }
    }

    #[test]
    fn every_language_has_a_list() {
        for (index, language) in LANGUAGES.iter().enumerate() {
            let words = LISTS.values().filter(|&&bits| bits >> index & 1 == 1).count();
            assert!(words > 20, "{language}: {words}");
        }
    }
}
