//! Finds the language of the text.
//!
//! If the text is long enough and detection is sure, the text decides: many templates declare one
//! language and are filled with another. If both name the same language, the declared tag stays,
//! because it may name a region. A part of the text is enough for that. Otherwise the page's
//! declaration counts: `lang` of `html`, JSON-LD, microdata, `content-language`, Open Graph's
//! locale.
//!
//! Detection compares the text with seventy languages, which takes half as long as parsing.
//! So it is asked only where the stop words of the text do not show the declared language.
//!
//! Detection knows seventy languages, and takes others for one of these, often without doubt:
//! Albanian for Afrikaans, Kazakh for Belarusian. So of a page that declares another one, the text
//! must also have the stop words of what was detected.

use whatlang::{Info, Lang, detect};

use super::{Source, Sourced, Subject, properties};
use crate::analysis::Tag;
use crate::analysis::language::stop_words_of_all;
use crate::words::beginning;

/// Bytes of text to examine. Judgement: more changes nothing.
const MOST: usize = 4096;
/// Bytes to examine first. If they are surely in the declared language, or have its stop words, we
/// stop there; without a declaration, if detection is sure and stop words show the same. Judgement.
const FIRST: usize = 1024;
/// Fewest bytes of text that show a language. Judgement, near whatlang's own.
const LEAST: usize = 120;
/// How sure detection must be to overrule the page. Judgement.
const SURE: f64 = 0.9;
/// The share of stop words that shows a language. Calibration, on the sentences of the tests here:
/// at most 0.16 of the words are stop words of a language that is not related to theirs.
const LEAST_STOP_WORDS: f64 = 0.25;
/// The languages of ISO 639-1 that detection does not know, and others that are written on the web.
const UNKNOWN: &str = "aa ab ae an as av ay ba bh bi bm bo br bs ce ch co cr cu cv dv dz ee eu ff fj fo fy ga gd gl gn gv \
                       ha ho ht hz ia ie ig ii ik io is iu kg ki kj kk kl kr ks ku kv kw ky lb lg li ln lo lu mg mh mi mn \
                       ms mt na nd ng nn nr nv ny oc oj om os pi ps qu rm rn rw sa sc sd se sg sh sm so sq ss st su sw tg \
                       ti tn to ts tt tw ty ug ve vo wa wo xh yo za \
                       ast bar ceb ckb crh dsb gsw haw hmn hsb ilo kab kok lad lmo mai mwl nap nds pap sah sat scn sco szl \
                       vec vls wuu yue zza";
/// For some of these, the languages with which they share most stop words.
const RELATED: [(&str, &[&str]); 16] = [
    ("gl", &["pt", "es"]),
    ("ast", &["es", "pt"]),
    ("an", &["es"]),
    ("lad", &["es"]),
    ("oc", &["fr", "es", "it"]),
    ("co", &["it"]),
    ("scn", &["it"]),
    ("nn", &["nb", "da"]),
    ("fo", &["da", "nb", "sv"]),
    ("lb", &["de"]),
    ("nds", &["de", "nl"]),
    ("gsw", &["de"]),
    ("bar", &["de"]),
    ("fy", &["nl"]),
    ("li", &["nl"]),
    ("sco", &["en"]),
];
/// Fewest words of a block to read: labels and menus are in the template's language. Judgement.
const LEAST_WORDS: u32 = 6;

/// Codes that ISO 639 withdrew, with their successors. Java gave them until version 16.
const OLD: [(&str, &str); 4] = [("in", "id"), ("iw", "he"), ("ji", "yi"), ("mo", "ro")];

/// A language, and how sure the text makes us. `None` if only the page declares it.
#[derive(Debug, Default)]
pub(super) struct Language {
    pub(super) tag: Sourced<String>,
    pub(super) confidence: Option<f64>,
}

pub(super) fn find(subject: &Subject<'_>) -> Language {
    let declared = declared(subject).next();
    let text = sample(subject);
    let tells = Some(&*text).filter(|text| text.len() >= LEAST);
    let beginning = tells.map_or("", |text| beginning(text, FIRST));
    if declared.as_ref().is_some_and(|(tag, _)| has_stop_words(beginning, primary(tag))) {
        return Language { tag: declared, confidence: Some(1.0) };
    }
    let agrees = |detected: &Info| {
        let code = two_letters(detected.lang());
        declared.as_ref().is_some_and(|(tag, _)| primary(tag) == code || primary(tag) == "no" && code == "nb")
    };
    let is_sure = |detected: &Info| detected.is_reliable() && detected.confidence() >= SURE;
    let is_shown_first = |detected: &Info| match &declared {
        Some(_) => agrees(detected),
        None => has_stop_words(beginning, two_letters(detected.lang())),
    };
    let first = tells.filter(|text| text.len() > FIRST).and_then(|_| detect(beginning));
    let first = first.filter(|first| is_sure(first) && is_shown_first(first));
    let detected = first.or_else(|| tells.and_then(detect));
    let Some(detected) = detected else { return Language { tag: declared, confidence: None } };
    let confidence = Some((detected.confidence() * 1e4).round() / 1e4);
    let code = two_letters(detected.lang());
    match &declared {
        Some(_) if agrees(&detected) => Language { tag: declared, confidence },
        Some((tag, _)) if !is_sure(&detected) || is_unknown(tag) && !is_shown(&text, code, primary(tag)) => {
            Language { tag: declared, confidence: None }
        }
        None if !detected.is_reliable() && !has_stop_words(&text, code) => Language::default(),
        _ => Language { tag: Some((code.to_owned(), Source::Text)), confidence },
    }
}

/// Whether a tag names a language that detection cannot find.
fn is_unknown(tag: &str) -> bool {
    UNKNOWN.split_ascii_whitespace().any(|language| language == primary(tag))
}

/// Whether the stop words of a text show that it is in one language, and not in the declared one.
fn is_shown(text: &str, code: &str, declared: &str) -> bool {
    let is_related = RELATED.iter().any(|(language, others)| *language == declared && others.contains(&code));
    !is_related && has_stop_words(text, code)
}

/// Whether a text has more stop words of this language than of any other, and enough of them.
fn has_stop_words(text: &str, code: &str) -> bool {
    let found = stop_words_of_all(text);
    let listed = if code == "nb" { "no" } else { code };
    found.share >= LEAST_STOP_WORDS && found.language == Some(listed)
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
    let first = OLD.iter().find(|(old, _)| *old == first).map_or(first, |(_, new)| (*new).to_owned());
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
            ("in_ID", Some("id-ID")),
            ("iw", Some("he")),
            ("english", None),
            ("", None),
        ] {
            assert_eq!(tidy(tag).as_deref(), expect, "{tag}");
        }
        assert_eq!((two_letters(Lang::Deu), two_letters(Lang::Nob)), ("de", "nb"));
    }

    /// Sentences in languages that detection does not know.
    const SENTENCES: [(&str, &str); 19] = [
        (
            "gl",
            "O transbordador sae do peirao ás nove da mañá e volve ao mediodía, aínda que o \
             mestre di que co vento de hoxe ninguén pode estar seguro. A xente da illa leva anos \
             pedindo un barco máis grande, porque no verán quedan moitos coches en terra.",
        ),
        (
            "is",
            "Ferjan siglir frá bryggjunni klukkan níu á morgnana og kemur aftur um hádegi, þó að \
             skipstjórinn segi að í þessum vindi geti enginn verið viss. Eyjarskeggjar hafa árum \
             saman beðið um stærra skip, því á sumrin verða margir bílar eftir á landi.",
        ),
        (
            "eu",
            "Itsasontzia goizeko bederatzietan ateratzen da kaitik eta eguerdian itzultzen da, \
             nahiz eta kapitainak dioen gaurko haizearekin inor ezin dela seguru egon. Uharteko \
             jendeak urteak daramatza ontzi handiago bat eskatzen, udan auto asko lehorrean \
             geratzen direlako.",
        ),
        (
            "bs",
            "Trajekt isplovljava s pristaništa u devet sati ujutro i vraća se u podne, iako \
             kapetan kaže da pri današnjem vjetru niko ne može biti siguran. Stanovnici otoka \
             godinama traže veći brod, jer ljeti mnogo automobila ostane na obali i čeka do \
             sljedećeg dana.",
        ),
        (
            "ms",
            "Feri itu bertolak dari jeti pada pukul sembilan pagi dan kembali pada waktu tengah \
             hari, walaupun nakhoda berkata tiada siapa boleh pasti dengan angin hari ini. \
             Penduduk pulau sudah bertahun-tahun meminta kapal yang lebih besar, kerana pada \
             musim cuti banyak kereta tertinggal di darat.",
        ),
        (
            "sq",
            "Trageti niset nga moli në orën nëntë të mëngjesit dhe kthehet në mesditë, megjithëse \
             kapiteni thotë se me erën e sotme askush nuk mund të jetë i sigurt. Banorët e \
             ishullit kërkojnë prej vitesh një anije më të madhe, sepse në verë shumë makina \
             mbeten në tokë.",
        ),
        (
            "nn",
            "Ferja går frå kaien klokka ni om morgonen og kjem attende midt på dagen, endå \
             skipperen seier at ingen kan vere viss i den vinden som bles i dag. Folk på øya har \
             i årevis bede om eit større skip, fordi mange bilar om sommaren vert ståande att på \
             land.",
        ),
        (
            "mt",
            "Il-vapur jitlaq mill-moll fid-disgħa ta' filgħodu u jerġa' lura f'nofsinhar, \
             għalkemm il-kaptan jgħid li bir-riħ tal-lum ħadd ma jista' jkun żgur. In-nies \
             tal-gżira ilhom snin jitolbu bastiment akbar, għax fis-sajf ħafna karozzi jibqgħu \
             fuq l-art.",
        ),
        (
            "sw",
            "Kivuko huondoka gatini saa tatu asubuhi na kurudi saa sita mchana, ingawa nahodha \
             anasema kwamba kwa upepo wa leo hakuna anayeweza kuwa na hakika. Watu wa kisiwa \
             wameomba meli kubwa zaidi kwa miaka mingi, kwa sababu wakati wa likizo magari mengi \
             hubaki nchi kavu.",
        ),
        (
            "ga",
            "Fágann an bád farantóireachta an ché ar a naoi a chlog ar maidin agus filleann sí ag \
             meán lae, cé go ndeir an captaen nach féidir le duine ar bith a bheith cinnte leis \
             an ngaoth atá ann inniu. Tá muintir an oileáin ag iarraidh báid níos mó le blianta \
             anuas.",
        ),
        (
            "lb",
            "D'Fähr fiert moies um néng Auer vum Quai of a kënnt um zwielef Auer zréck, och wann \
             de Kapitän seet, datt bei deem Wand vun haut kee ka sécher sinn. D'Leit vun der \
             Insel froen zanter Joren no engem méi grousse Schëff, well am Summer vill Autoen um \
             Land stoe bleiwen.",
        ),
        (
            "fo",
            "Ferjan fer úr ferjulegunnar klokkan níggju á morgni og kemur aftur um middagsleitið, \
             hóast skiparin sigur, at eingin kann vera vísur í tí vindinum, sum er í dag. Fólkið \
             á oynni hevur í mong ár biðið um eitt størri skip, tí at um summarið standa nógvir \
             bilar eftir á landi.",
        ),
        (
            "fy",
            "De boat giet om njoggen oere moarns fan de kade en komt tsjin de middei werom, al \
             seit de skipper dat mei de wyn fan hjoed nimmen der wis fan wêze kin. De minsken fan \
             it eilân freegje al jierren om in grutter skip, om't simmerdeis in protte auto's op \
             it lân stean bliuwe.",
        ),
        (
            "oc",
            "Lo batèu partís del quai a nòu oras del matin e torna a miègjorn, mas lo capitani \
             ditz que amb lo vent de uèi degun pòt pas èsser segur. Lo monde de l'illa demandan \
             dempuèi d'annadas un batèu mai grand, perque l'estiu fòrça veituras demòran a tèrra.",
        ),
        (
            "kk",
            "Паром айлақтан таңғы сағат тоғызда шығып, түсте қайтып келеді, бірақ капитан бүгінгі \
             желде ешкім сенімді бола алмайды дейді. Арал тұрғындары көп жылдан бері үлкенірек \
             кеме сұрап келеді, өйткені жазда көптеген көліктер жағада қалып қояды.",
        ),
        (
            "mn",
            "Гатлага онгоц өглөөний есөн цагт боомтоос хөдөлж, үд дундад буцаж ирдэг боловч ахмад \
             өнөөдрийн салхинд хэн ч итгэлтэй байж чадахгүй гэж хэлэв. Арлын оршин суугчид олон \
             жил том хөлөг онгоц хүсэж байгаа бөгөөд зун олон машин эрэг дээр үлддэг.",
        ),
        (
            "ky",
            "Паром эртең менен саат тогузда пристандан чыгып, түштө кайтып келет, бирок капитан \
             бүгүнкү шамалда эч ким ишенимдүү боло албайт дейт. Аралдын тургундары көп жылдан \
             бери чоңураак кеме сурап келишет, анткени жайкысын көп унаалар жээкте калат.",
        ),
        (
            "ckb",
            "کەشتییەکە کاتژمێر نۆی بەیانی لە بەندەرەکە دەردەچێت و نیوەڕۆ دەگەڕێتەوە، هەرچەندە \
             کاپتنەکە دەڵێت لەم بایەی ئەمڕۆدا کەس ناتوانێت دڵنیا بێت. خەڵکی دوورگەکە ساڵانێکە \
             داوای کەشتییەکی گەورەتر دەکەن.",
        ),
        (
            "ps",
            "بېړۍ سهار نهه بجې له بندره روانېږي او غرمه بېرته راځي، خو کپتان وايي چې د نن ورځې په \
             باد کې هېڅوک ډاډه نه شي کېدای. د ټاپو خلک له کلونو راهيسې لويه بېړۍ غواړي، ځکه په \
             دوبي کې ډېر موټر په وچه پاتې کېږي.",
        ),
    ];

    fn language_of(page: &str) -> (Option<String>, bool) {
        let document = crate::html::parse(page.as_bytes(), None, &Default::default());
        let analysis = crate::analysis::Analysis::new(&document);
        let statements = &super::super::statements::collect(&document, &analysis);
        let (sort, siblings) = (super::super::Sort::Text, &super::super::Stated::default());
        let found = find(&Subject { document: &document, analysis: &analysis, statements, url: None, sort, siblings });
        (found.tag.map(|(tag, _)| tag), found.confidence.is_some())
    }

    #[test]
    fn a_language_that_detection_does_not_know_is_believed() {
        for (tag, text) in SENTENCES {
            let page = format!("<html lang={tag}><p>{text}<p>{text}");
            assert_eq!(language_of(&page), (Some(tag.to_owned()), false), "{tag}");
        }
    }

    #[test]
    fn detection_does_not_know_these() {
        let known: Vec<&str> = Lang::all().iter().flat_map(|&lang| [two_letters(lang), lang.code()]).collect();
        for language in UNKNOWN.split_ascii_whitespace() {
            assert!(!known.contains(&language), "{language}");
        }
        for (language, _) in SENTENCES {
            assert!(is_unknown(language), "{language}");
        }
        for other in RELATED.iter().map(|(language, _)| language) {
            assert!(is_unknown(other), "{other}");
        }
    }

    #[test]
    fn a_tag_that_names_no_language_says_nothing() {
        let english = "<p>The ferry leaves the quay at nine in the morning and is back at noon, though the skipper says that \
                       with the wind of today nobody can be sure of it, and the people of the island wait.";
        for (tag, expect) in [("utf-8", "en"), ("html", "en"), ("xx", "en"), ("english", "en"), ("in-ID", "en")] {
            let found = language_of(&format!("<html lang={tag}>{english}"));
            assert_eq!(found, (Some(expect.to_owned()), true), "{tag}");
        }
    }

    #[test]
    fn a_template_in_any_language_may_be_filled_with_another() {
        let english = "The ferry leaves the quay at nine in the morning and is back at noon, though the skipper says that \
                       with the wind of today nobody can be sure of it. The people of the island have asked for a larger \
                       ship for years, since many cars are left on the shore in summer.";
        let russian = "Паром отходит от причала в девять утра и возвращается в полдень, хотя капитан говорит, что при \
                       сегодняшнем ветре никто не может быть в этом уверен. Жители острова много лет просят судно побольше, \
                       потому что летом многие машины остаются на берегу.";
        for (tag, _) in SENTENCES {
            for (text, expect) in [(english, "en"), (russian, "ru")] {
                let page = format!("<html lang={tag}><p>{text}<p>{text}");
                assert_eq!(language_of(&page), (Some(expect.to_owned()), true), "{tag}");
            }
        }
    }

    /// Detection cannot well tell Danish from Norwegian.
    #[test]
    fn stop_words_confirm_what_detection_found_with_doubt() {
        let danish = "Bestyrelsen har besluttet at lukke svømmehallen i sommerferien, fordi taget skal skiftes og rørene er \
                      utætte. Mange familier er skuffede, men kommunen siger, at der ikke er penge til at vente. Hallen åbner \
                      igen efter ferien, hvis håndværkerne bliver færdige til tiden.";
        assert_eq!(language_of(&format!("<p>{danish}")), (Some("da".to_owned()), true));
        let (_, basque) = SENTENCES[2];
        assert_eq!(language_of(&format!("<p>{basque}")), (None, false));
    }
}
