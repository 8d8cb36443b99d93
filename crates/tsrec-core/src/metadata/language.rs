//! Finds the language of the text.
//!
//! If the text is long enough and detection is sure, the text decides: many templates declare one
//! language and are filled with another. If both name the same language, the declared tag stays,
//! because it may name a region. A part of the text is enough for that. Otherwise the page's
//! declaration counts: `lang` of `html`, JSON-LD, microdata, `content-language`, Open Graph's
//! locale.

use whatlang::{Info, Lang, detect};

use super::{Source, Sourced, Subject, properties};
use crate::analysis::Tag;
use crate::words::beginning;

/// Bytes of text to examine. Judgement: more changes nothing.
const MOST: usize = 4096;
/// Bytes to examine first. If they are surely in the declared language, we stop there. Judgement.
const FIRST: usize = 1024;
/// Fewest bytes of text that show a language. Judgement, near whatlang's own.
const LEAST: usize = 120;
/// How sure detection must be to overrule the page. Judgement.
const SURE: f64 = 0.9;
/// Fewest words of a block to read: labels and menus are in the template's language. Judgement.
const LEAST_WORDS: u32 = 6;

/// A language, and how sure the text makes us. `None` if only the page declares it.
#[derive(Debug, Default)]
pub(super) struct Language {
    pub(super) tag: Sourced<String>,
    pub(super) confidence: Option<f64>,
}

pub(super) fn find(subject: &Subject<'_>) -> Language {
    let declared = declared(subject).next();
    let text = sample(subject);
    let agrees = |detected: &Info| {
        let code = two_letters(detected.lang());
        declared.as_ref().is_some_and(|(tag, _)| primary(tag) == code || primary(tag) == "no" && code == "nb")
    };
    let is_sure = |detected: &Info| detected.is_reliable() && detected.confidence() >= SURE;
    let tells = Some(&*text).filter(|text| text.len() >= LEAST);
    let first = tells.filter(|text| text.len() > FIRST).and_then(|text| detect(beginning(text, FIRST)));
    let first = first.filter(|first| is_sure(first) && agrees(first));
    let detected = first.or_else(|| tells.and_then(detect));
    let Some(detected) = detected else { return Language { tag: declared, confidence: None } };
    let confidence = Some((detected.confidence() * 1e4).round() / 1e4);
    let code = two_letters(detected.lang());
    match &declared {
        Some(_) if agrees(&detected) => Language { tag: declared, confidence },
        Some(_) if !is_sure(&detected) => Language { tag: declared, confidence: None },
        None if !detected.is_reliable() => Language::default(),
        _ => Language { tag: Some((code.to_owned(), Source::Text)), confidence },
    }
}

/// The beginning of a page's visible running text, without code.
fn sample(subject: &Subject<'_>) -> String {
    let (document, analysis) = (subject.document, subject.analysis);
    let mut text = String::new();
    let blocks = analysis.blocks().iter().filter(|block| !block.hidden && block.text.words >= LEAST_WORDS);
    for leaf in blocks.flat_map(|block| analysis.leaves_of(block)) {
        if text.len() >= MOST {
            break;
        }
        let is_code = || analysis.upwards(leaf.container).any(|(_, above)| matches!(above.tag, Tag::Pre | Tag::Code));
        if !analysis.is_side_matter(leaf.node) && !is_code() {
            text.push_str(document.text(leaf.node).unwrap_or_default());
            text.push(' ');
        }
    }
    text
}

/// The tags that the page declares, most reliable first.
pub(super) fn declared(subject: &Subject<'_>) -> impl Iterator<Item = (String, Source)> {
    let statements = subject.statements;
    let of_things = statements.linked.things.iter().find_map(|thing| thing.language.clone());
    let of_properties = properties::text(subject, "inlanguage");
    let of_metas = statements.meta(&["content-language", "language", "dc.language", "dcterms.language"]);
    let given = [
        statements.lang.clone().map(|tag| (tag, Source::Lang)),
        of_things.map(|tag| (tag, Source::JsonLd)),
        of_properties,
        of_metas.map(|tag| (tag.to_owned(), Source::Meta)),
        statements.meta(&["og:locale"]).map(|tag| (tag.to_owned(), Source::OpenGraph)),
    ];
    given.into_iter().flatten().filter_map(|(tag, source)| Some((tidy(&tag)?, source)))
}

/// A language tag in the usual case: `pt-BR`, `zh-Hant`. `None` if it is not a tag.
fn tidy(tag: &str) -> Option<String> {
    let tag = tag.split([',', ';', '.', ' ']).next().unwrap_or_default().replace('_', "-");
    let mut subtags = tag.split('-').filter(|subtag| !subtag.is_empty());
    let first = subtags.next()?.to_ascii_lowercase();
    let is_language = (2..=3).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_lowercase());
    let rest =
        subtags.take_while(|subtag| subtag.len() <= 8 && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let cased = rest.map(|subtag| match subtag.len() {
        2 => subtag.to_ascii_uppercase(),
        4 => format!("{}{}", subtag[..1].to_ascii_uppercase(), subtag[1..].to_ascii_lowercase()),
        _ => subtag.to_ascii_lowercase(),
    });
    is_language.then(|| std::iter::once(first).chain(cased).collect::<Vec<_>>().join("-"))
}

pub(super) fn primary(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

/// The code of ISO 639-1, else of 639-3.
fn two_letters(language: Lang) -> &'static str {
    const CODES: [(&str, &str); 65] = [
        ("epo", "eo"),
        ("eng", "en"),
        ("rus", "ru"),
        ("cmn", "zh"),
        ("spa", "es"),
        ("por", "pt"),
        ("ita", "it"),
        ("ben", "bn"),
        ("fra", "fr"),
        ("deu", "de"),
        ("ukr", "uk"),
        ("kat", "ka"),
        ("ara", "ar"),
        ("hin", "hi"),
        ("jpn", "ja"),
        ("heb", "he"),
        ("yid", "yi"),
        ("pol", "pl"),
        ("amh", "am"),
        ("jav", "jv"),
        ("kor", "ko"),
        ("nob", "nb"),
        ("dan", "da"),
        ("swe", "sv"),
        ("fin", "fi"),
        ("tur", "tr"),
        ("nld", "nl"),
        ("hun", "hu"),
        ("ces", "cs"),
        ("ell", "el"),
        ("bul", "bg"),
        ("bel", "be"),
        ("mar", "mr"),
        ("kan", "kn"),
        ("ron", "ro"),
        ("slv", "sl"),
        ("hrv", "hr"),
        ("srp", "sr"),
        ("mkd", "mk"),
        ("lit", "lt"),
        ("lav", "lv"),
        ("est", "et"),
        ("tam", "ta"),
        ("vie", "vi"),
        ("urd", "ur"),
        ("tha", "th"),
        ("guj", "gu"),
        ("uzb", "uz"),
        ("pan", "pa"),
        ("aze", "az"),
        ("ind", "id"),
        ("tel", "te"),
        ("pes", "fa"),
        ("mal", "ml"),
        ("ori", "or"),
        ("mya", "my"),
        ("nep", "ne"),
        ("sin", "si"),
        ("khm", "km"),
        ("tuk", "tk"),
        ("aka", "ak"),
        ("zul", "zu"),
        ("sna", "sn"),
        ("afr", "af"),
        ("lat", "la"),
    ];
    let code = language.code();
    CODES.iter().find(|(three, _)| *three == code).map_or(code, |(_, two)| two)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_tidied() {
        for (tag, expect) in [
            ("EN_us", Some("en-US")),
            ("zh-hant-tw", Some("zh-Hant-TW")),
            ("de, en", Some("de")),
            ("pt_BR.UTF-8", Some("pt-BR")),
            ("english", None),
            ("", None),
        ] {
            assert_eq!(tidy(tag).as_deref(), expect, "{tag}");
        }
        assert_eq!((two_letters(Lang::Deu), two_letters(Lang::Nob)), ("de", "nb"));
    }
}
