//! The words that stand around names and in their place, in the fourteen languages of the stop
//! words and some more.

/// Bytes that the longest of [`BY`] has at most: what comes later in a text need not be read.
pub(super) const LONGEST_BY: usize = 48;
/// What stands before an author's name, in lower case, the longer of two that begin alike first.
pub(super) const BY: [&str; 85] = [
    "written by",
    "posted by",
    "published by",
    "authored by",
    "article by",
    "words by",
    "text by",
    "story by",
    "post by",
    "blog by",
    "contributed by",
    "recipe by",
    "interview by",
    "by",
    "authors",
    "author",
    "verfasst von",
    "geschrieben von",
    "veröffentlicht von",
    "ein artikel von",
    "von",
    "autorinnen",
    "autoren",
    "autorin",
    "autor",
    "écrit par",
    "publié par",
    "rédigé par",
    "proposé par",
    "par",
    "auteurs",
    "auteure",
    "auteur",
    "escrito por",
    "publicado por",
    "por",
    "autores",
    "autora",
    "scritto da",
    "pubblicato da",
    "a cura di",
    "di",
    "autore",
    "autrice",
    "geschreven door",
    "geplaatst door",
    "door",
    "skrevet af",
    "skrevet av",
    "skriven av",
    "publicerad av",
    "af",
    "av",
    "forfatter",
    "författare",
    "kirjoittanut",
    "kirjoittaja",
    "írta",
    "szerző",
    "автор",
    "написал",
    "текст",
    "yazan",
    "yazar",
    "بقلم",
    "الكاتب",
    "του",
    "της",
    "συντάκτης",
    "מאת",
    "लेखक",
    "著者",
    "執筆者",
    "執筆",
    "投稿者",
    "ライター",
    "글쓴이",
    "작성자",
    "기자",
    "作者",
    "文",
    "撰文",
    "記者",
    "napsal",
    "napisał",
];
/// What joins two names, in lower case.
pub(super) const AND: [&str; 18] =
    ["and", "und", "et", "y", "e", "en", "og", "och", "ja", "és", "и", "ve", "και", "with", "i", "a", "&", "+"];
/// Words in lower case that stand in names.
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

/// Words of groups that write.
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
/// Words of names of organisations.
pub(super) const ORGANISATIONS: [&str; 32] = [
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
];
/// What stands where a name could, and is none, beside days of the week: words of templates.
pub(super) const LABELS: [&str; 29] = [
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
];

/// Words for what somebody is who writes, in lower case, a language a line: a part of a byline with
/// one of them is no name.
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
    "記者 編集者 编辑 編輯 记者 기자 편집장 संवाददाता संपादक",
];
/// Words for what else somebody is, in lower case: what has one is no name, but may be all that a
/// page says of its author, and stays.
const OTHER_POSTS: [&str; 5] = ["director", "expert", "manager", "representative", "analyst"];
/// What stands before such a word, in lower case, so that both are no name without a comma either:
/// `Ann Orr Staff Writer`.
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
/// Words that lead from a name to where somebody writes, or for whom. No language has one of them
/// in names before a capital.
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

/// True of a word for what somebody is who writes.
pub(super) fn is_post(word: &str) -> bool {
    has(&POSTS, &word.to_lowercase())
}

/// True of a word for what else somebody is.
pub(super) fn is_other_post(word: &str) -> bool {
    OTHER_POSTS.contains(&word.to_lowercase().as_str())
}

/// True of a word that stands before one of those who write.
pub(super) fn is_rank(word: &str) -> bool {
    RANKS.contains(&word.to_lowercase().as_str())
}

/// True of a day of the week, with a full stop behind it or none, in the letters that it has in a
/// text.
pub(super) fn is_weekday(word: &str) -> bool {
    has(&WEEKDAYS, word.trim_end_matches('.'))
}

/// The same, in any letters.
pub(super) fn is_weekday_alone(word: &str) -> bool {
    let word = word.trim_end_matches('.').to_lowercase();
    WEEKDAYS.iter().any(|line| line.to_lowercase().split(' ').any(|known| known == word))
}

/// True of a word, as it stands in a byline, that a place or a paper follows.
pub(super) fn is_whereabouts(word: &str) -> bool {
    WHEREABOUTS.contains(&word)
}
