//! Words around names and words that stand in place of names, in the fourteen languages of the stop
//! words and some more.

use std::collections::HashSet;
use std::sync::LazyLock;

/// What comes before an author's name, in lower case, with a `|` between.
const BY: [&str; 37] = [
    "written by|posted by|published by|authored by|article by|words by|text by|story by|post by|blog by|contributed by|recipe by|interview by|by|authors|author(s)|author|report by|reporting by|reported by|essay by|column by|commentary by|opinion by|analysis by|compiled by|guest post by",
    "verfasst von|geschrieben von|veröffentlicht von|ein artikel von|von",
    "autorinnen/autoren|autoren/autorinnen|autorin/autor|autor/autorin|autor/in|autor:in|autor*in|autor_in|autor(in)|autor(a)|autor(es)",
    "auteur(s)|auteur(e)|autorinnen|autoren|autorin",
    "autores|autora|autore|autorius|autors|autor",
    "écrit par|publié par|rédigé par|proposé par|parašė|par|auteurs|auteure|auteur",
    "escrito por|publicado por|por",
    "scritto da|pubblicato da|a cura di|ditulis oleh|di|autrice",
    "geschreven door|geplaatst door|door",
    "skrevet af|skrevet av|skriven av|publicerad av|af|av|forfatter|författare",
    "kirjoittanut|kirjoittaja|írta|szerző",
    "автори|автор|написала|написал|текст",
    "yazan|yazar",
    "بقلم الكاتب|بقلم|الكاتب",
    "του|της|συντάκτης",
    "מאת|लेखक",
    "著者|執筆者|執筆|投稿者|ライター",
    "글쓴이|작성자|기자",
    "作者|文图|文/图|文・写真|文字|文|撰文|記者",
    "napsal|napisał",
    "记者|本报记者|本报讯 记者|特约记者|特约撰稿|撰稿人|撰稿|采写|采访",
    "取材・文|取材・構成|写真・文|構成・文|取材|寄稿",
    "本社記者|글|취재",
    "نویسنده|به قلم|خبرنگار",
    "โดย|ผู้เขียน|tác giả|oleh|penulis",
    "scris de|piše|napisao|napisala",
    "egilea|escrit per",
    "लेखिका|লেখক|লিখেছেন|எழுதியவர்",
    "כתבה|כתב",
    "skrifað af|höfundur|kirjutas",
    "von unserer redakteurin|von unserem redakteur|von unserem korrespondenten|ein gastbeitrag von|gastbeitrag von|ein bericht von|ein kommentar von|eine reportage von|eine analyse von|ein interview von|interview von|text von",
    "propos recueillis par|recueilli par|article rédigé par|article écrit par|texte de|texte par|de notre envoyé spécial|de notre envoyée spéciale",
    "texto de|texto por|redactado por|reportaje de|reportagem de",
    "testo di|testi di|articolo di|dal nostro inviato|dalla nostra inviata|redatto da",
    "tekst van|text av|tekst av|tekst af|reportage av|journalist",
    "автор статьи|авторы|авторка|автор материала|autorka|autorzy|autoři|autorka článku",
    "γράφει η|γράφει ο|κείμενο|συντάκτρια|الكاتبة|haberi yazan|kaleme alan",
];
/// The same, where a colon follows. Without one they begin other texts.
const BY_COLON: &str = "text|texte|textes|texto|textos|testo|testi|tekst|story|words|report|haber|redacción|reportaje|reportagem|redazione|kirjoittajat|كتبت|كتب|إعداد";

/// All words before an author's name, and whether a colon must follow. A longer one comes before a
/// shorter one.
pub(super) fn by() -> Vec<(&'static str, bool)> {
    let split = |words: &'static str, with_colon: bool| words.split('|').map(move |word| (word, with_colon));
    let mut all: Vec<_> = BY.iter().flat_map(|words| split(words, false)).chain(split(BY_COLON, true)).collect();
    all.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    all
}

/// True of a word before an author's name.
pub(super) fn is_by(word: &str) -> bool {
    BY.iter().flat_map(|words| words.split('|')).any(|by| by == word)
}

/// What joins two names, in lower case.
pub(super) const AND: [&str; 33] = [
    "and",
    "und",
    "et",
    "y",
    "e",
    "en",
    "og",
    "och",
    "ja",
    "és",
    "и",
    "ve",
    "και",
    "with",
    "i",
    "a",
    "&",
    "+",
    "oraz",
    "și",
    "şi",
    "və",
    "й",
    "და",
    "և",
    "و",
    "और",
    "এবং",
    "และ",
    "及",
    "和",
    "및",
    "與",
];
/// Words for a writer that stand at his name without a mark, in scripts without spaces.
pub(super) const JOINED_BY: [&str; 5] = ["本报记者", "记者", "特约记者", "本社記者", "記者"];
/// What others than the writer do, before their names.
pub(super) const OTHER_PARTS: [&str; 18] = [
    "通讯员",
    "摄影",
    "摄",
    "图",
    "图片",
    "编辑",
    "责编",
    "校对",
    "审核",
    "来源",
    "写真",
    "撮影",
    "編集",
    "사진",
    "报道",
    "报导",
    "報道",
    "報導",
];
/// What stands for more names at the end of a list.
pub(super) const OTHERS: &str = " and others| and colleagues| et al.| et al| u. a.| u.a.| et autres| y otros| e outros| e altri| en anderen| och andra| og andre| и др.| и другие";
/// News agencies, in lower case.
pub(super) const AGENCIES: [&str; 30] = [
    "reuters",
    "afp",
    "ap",
    "associated press",
    "dpa",
    "apa",
    "sda",
    "epd",
    "kna",
    "ansa",
    "efe",
    "europa press",
    "lusa",
    "anp",
    "belga",
    "ntb",
    "tt",
    "ritzau",
    "pap",
    "tass",
    "interfax",
    "ukrinform",
    "xinhua",
    "kyodo",
    "yonhap",
    "pti",
    "ani",
    "aap",
    "upi",
    "bloomberg",
];
/// What writers and photographers do, beside their names: `林小明/文 王芳/图`.
pub(super) const WRITERS: [&str; 9] = ["文", "撰文", "采写", "记者", "記者", "글", "取材", "執筆", "文字"];
/// See [`WRITERS`].
pub(super) const PHOTOGRAPHERS: [&str; 10] = ["图", "圖", "摄", "摄影", "攝影", "写真", "撮影", "사진", "图片", "编辑"];
/// The most frequent family names of China, in both forms of their signs.
pub(super) const SURNAMES: &str = "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭田董袁潘于\
    蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鐘谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢\
    严嚴覃武戴莫孔向汤湯";
/// Lower-case words within names.
pub(super) const PARTICLES: [&str; 33] = [
    "de", "da", "do", "dos", "das", "del", "della", "di", "du", "la", "le", "van", "von", "der", "den", "dem", "ter",
    "ten", "bin", "ibn", "al", "el", "af", "av", "zu", "y", "e", "of", "the", "and", "und", "et", "&",
];
/// Accounts, not names.
pub(super) const ACCOUNTS: [&str; 18] = [
    "admin",
    "administrator",
    "webmaster",
    "root",
    "user",
    "wordpress",
    "author",
    "unknown",
    "guest",
    "null",
    "undefined",
    "none",
    "default",
    "cms",
    "system",
    "editor",
    "superuser",
    "web",
];

/// Words for writing groups.
pub(super) const GROUPS: [&str; 12] = [
    "team",
    "staff",
    "editors",
    "editorial",
    "desk",
    "newsroom",
    "contributors",
    "contributor",
    "redaktion",
    "redazione",
    "redacción",
    "rédaction",
];
/// Words in names of organisations.
pub(super) const ORGANISATIONS: [&str; 44] = [
    "inc",
    "llc",
    "ltd",
    "gmbh",
    "corp",
    "corporation",
    "company",
    "university",
    "college",
    "institute",
    "association",
    "foundation",
    "services",
    "department",
    "agency",
    "group",
    "media",
    "news",
    "projects",
    "official",
    "coalition",
    "alliance",
    "council",
    "committee",
    "society",
    "federation",
    "union",
    "ministry",
    "museum",
    "network",
    "centre",
    "center",
    "press",
    "times",
    "herald",
    "tribune",
    "gazette",
    "courier",
    "magazine",
    "newspaper",
    "publishing",
    "productions",
    "bank",
    "school",
];
/// Template words that stand where a name could, besides weekdays.
pub(super) const LABELS: [&str; 35] = [
    "post",
    "posts",
    "updated",
    "updated by",
    "published",
    "home",
    "guide",
    "news",
    "blog",
    "article",
    "articles",
    "about",
    "about the author",
    "meet the author",
    "view more posts",
    "view profile",
    "view full profile",
    "follow",
    "profile",
    "skip to content",
    "menu",
    "log in",
    "login",
    "sign in",
    "subscribe",
    "share",
    "read more",
    "contact us",
    "search",
    "comments",
    "veröffentlicht",
    "aktualisiert",
    "publié",
    "publicado",
    "pubblicato",
];

/// The words with which labels of buttons that share or print a text begin, in lower case.
pub(super) const SHARING: [&str; 15] = [
    "share",
    "tweet this",
    "print this",
    "email this",
    "teilen",
    "drucken",
    "partager",
    "imprimer",
    "compartir",
    "compartilhar",
    "condividi",
    "udostępnij",
    "sdílet",
    "поделиться",
    "分享",
];

/// Job titles of writers, in lower case, one language per line. A part of a byline with one of them
/// is not a name.
const POSTS: [&str; 15] = [
    "editor editors reporter correspondent writer columnist contributor journalist critic blogger staff team",
    "redakteur redakteurin chefredakteur chefredakteurin reporterin korrespondent korrespondentin kolumnist kolumnistin journalistin mitarbeiter mitarbeiterin redaktion",
    "rédacteur rédactrice journaliste correspondante chroniqueur chroniqueuse envoyé envoyée rédaction",
    "redactor redactora periodista corresponsal columnista colaborador colaboradora editora reportero reportera redacción",
    "redattore redattrice giornalista corrispondente inviato inviata collaboratore collaboratrice direttore direttrice redazione",
    "redator redatora jornalista correspondente colunista repórter redação",
    "redacteur verslaggever verslaggeefster columniste medewerker medewerkster redactie",
    "redaktör journalist krönikör skribent medarbetare redaktør medarbejder medarbeider",
    "toimittaja päätoimittaja kirjeenvaihtaja szerkesztő főszerkesztő újságíró tudósító munkatárs munkatársa",
    "редактор журналист корреспондент обозреватель репортёр редакция",
    "editör editörü muhabir muhabiri gazeteci yazarı",
    "δημοσιογράφος συντάκτης συντάκτρια ανταποκριτής αρχισυντάκτης",
    "redaktor redaktorka dziennikarz dziennikarka korespondent reportér reportérka novinář novinářka",
    "مراسل مراسلة محرر محررة صحفي صحفية כתב כתבת עורך עורכת",
    "記者 編集者 编辑 編輯 记者 首席记者 见习记者 实习记者 主编 編集委員 論説委員 特派員 本社記者 기자 선임기자 인턴기자 수습기자 전문기자 특파원 논설위원 편집위원 편집장 संवाददाता संपादक",
];
/// Other job titles, in lower case. Such a text is not a name, but may be all that a page says
/// about its author, and stays.
const OTHER_POSTS: [&str; 11] = [
    "director",
    "expert",
    "manager",
    "representative",
    "analyst",
    "president",
    "founder",
    "officer",
    "ceo",
    "professor",
    "producer",
];
/// Lower-case words before a job title. With one, both are dropped from a name even without a
/// comma: `Ann Orr Staff Writer`.
const RANKS: [&str; 12] = [
    "staff",
    "senior",
    "chief",
    "guest",
    "contributing",
    "managing",
    "associate",
    "assistant",
    "deputy",
    "executive",
    "freelance",
    "special",
];
/// The days of the week, as each language writes them in a text. From the Unicode CLDR.
const WEEKDAYS: [&str; 16] = [
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun",
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "mandag tirsdag onsdag torsdag fredag lørdag søndag måndag tisdag lördag söndag",
    "maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai",
    "hétfő kedd szerda csütörtök péntek szombat vasárnap",
    "понедельник вторник среда четверг пятница суббота воскресенье",
    "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
    "Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο Κυριακή",
    "poniedziałek wtorek środa czwartek piątek sobota niedziela pondělí úterý středa čtvrtek pátek neděle",
    "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
    "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 星期一 星期二 星期三 星期四 星期五 星期六 星期日 월요일 화요일 수요일 목요일 금요일 토요일 일요일",
];
/// Words between a name and the writer's place or employer. In no language do names have one of
/// them before a capital.
const WHEREABOUTS: [&str; 16] = [
    "in",
    "for",
    "at",
    "from",
    "reports",
    "reporting",
    "für",
    "bei",
    "aus",
    "pour",
    "à",
    "para",
    "em",
    "voor",
    "uit",
    "för",
];

fn has(lines: &[&str], word: &str) -> bool {
    lines.iter().any(|line| line.split(' ').any(|known| known == word))
}

/// True of a writer's job title.
pub(super) fn is_post(word: &str) -> bool {
    has(&POSTS, &word.to_lowercase())
}

/// True of another job title.
pub(super) fn is_other_post(word: &str) -> bool {
    OTHER_POSTS.contains(&word.to_lowercase().as_str())
}

/// True of a word that comes before a writer's job title.
pub(super) fn is_rank(word: &str) -> bool {
    RANKS.contains(&word.to_lowercase().as_str())
}

/// True of a weekday in its usual case, with or without a full stop.
pub(super) fn is_weekday(word: &str) -> bool {
    has(&WEEKDAYS, word.trim_end_matches('.'))
}

/// The same, in any case.
pub(super) fn is_weekday_alone(word: &str) -> bool {
    static LOWER: LazyLock<HashSet<String>> =
        LazyLock::new(|| WEEKDAYS.iter().flat_map(|line| line.split(' ')).map(str::to_lowercase).collect());
    LOWER.contains(&word.trim_end_matches('.').to_lowercase())
}

/// True of a word in a byline that a place or a newspaper follows.
pub(super) fn is_whereabouts(word: &str) -> bool {
    WHEREABOUTS.contains(&word)
}
