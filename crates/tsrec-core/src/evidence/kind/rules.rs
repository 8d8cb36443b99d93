//! Rules for pages whose own text shows that they have no content, and for those that a program
//! for documentation made.
//!
//! The rules prefer precision to recall. A phrase counts only at the usual position on such pages,
//! and only if there is little else on the page. The status of a response is not used, since only
//! successful responses become pages. The rules find failures that were sent with status 200. The
//! phrases are [`PHRASES`]. They are judgement, from the texts of servers, content management
//! systems and consent managers.

use std::sync::LazyLock;

use super::PageKind;
use crate::analysis::head::OgType;
use crate::analysis::text::count;
use crate::analysis::{Analysis, Block};

mod phrases;

use phrases::{BARE_ERRORS, CHALLENGED, CHALLENGES, CHOICES, CONSENT, ERRORS, WHOLE_ERRORS};

/// The greatest number of visible words outside links in an error message: it is one paragraph,
/// besides any menus.
const MOST_ERROR_WORDS: u32 = 150;
/// The greatest number of visible words outside links on a page whose text alone, without a title
/// or a heading, is an error message.
const MOST_BARE_WORDS: u32 = 60;
/// The greatest number of visible words on a consent wall. Longer pages have a text of their own.
const MOST_CONSENT_WORDS: u32 = 600;
/// The greatest number of words of a button's text.
const MOST_CHOICE_WORDS: u32 = 8;
/// The least number of words of a block that explains the request.
const LEAST_EXPLANATION: u32 = 10;

/// The kind that the page's own text gives, by [`PHRASES`], or the program that made it. `None` for
/// most pages. Linear; on long pages it only adds up counts.
pub(super) fn told(analysis: &Analysis) -> Option<PageKind> {
    let visible = || analysis.blocks().iter().filter(|block| !block.hidden);
    let (words, unlinked) = visible().fold((0, 0), |(words, unlinked), block| {
        (words + block.text.words, unlinked + block.text.words - block.linked.words)
    });
    let is_error = unlinked <= MOST_ERROR_WORDS && (names_error(analysis) || challenges(analysis))
        || unlinked <= MOST_BARE_WORDS && is_bare_error(analysis);
    if is_error {
        return Some(PageKind::Error);
    }
    if words <= MOST_CONSENT_WORDS && asks_for_consent(analysis, words) {
        return Some(PageKind::ConsentWall);
    }
    // Some of these programs write blogs, too.
    let head = analysis.head();
    (head.documentation && head.og_type != Some(OgType::Article)).then_some(PageKind::Documentation)
}

/// True if an error is a challenge, or what a program prints when it fails.
pub(super) fn is_out_of_order(analysis: &Analysis) -> bool {
    told(analysis) == Some(PageKind::Error) && (challenges(analysis) || is_bare_error(analysis))
}

/// True if the title or a heading of the first two levels names an error.
fn names_error(analysis: &Analysis) -> bool {
    is_headed(analysis, |words| PHRASES.errors.stand_in(words) || PHRASES.whole_errors.are(words))
}

/// True if the title or a heading is that of a challenge, and the text says what the challenge
/// wants. The titles alone ("One moment") could be those of a poem.
fn challenges(analysis: &Analysis) -> bool {
    let wants = |block: &&Block| !block.hidden && PHRASES.challenged.stand_in(analysis.words(block));
    is_headed(analysis, |words| PHRASES.challenges.are(words)) && analysis.blocks().iter().any(|block| wants(&block))
}

/// True if a text is what programs print when they or their database fail.
fn is_bare_error(analysis: &Analysis) -> bool {
    let says = |block: &Block| !block.hidden && PHRASES.bare_errors.stand_in(analysis.words(block));
    analysis.blocks().iter().any(says)
}

/// True if the title or a heading of the first two levels is like this.
fn is_headed(analysis: &Analysis, names: impl Fn(&[u32]) -> bool) -> bool {
    let is_headline = |block: &&Block| !block.hidden && analysis.heading_level(block).is_some_and(|level| level <= 2);
    names(&analysis.head().title)
        || analysis.blocks().iter().filter(is_headline).any(|block| names(analysis.words(block)))
}

/// True if half of the visible text is about consent, and there is a choice to make.
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
    /// One bit for each first word, by the end of its hash. Most words of a page begin no phrase.
    first_words: [u64; FIRST_WORDS / 64],
}

/// The number of bits for first words. Judgement: a list has some hundred phrases.
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

    /// True if one of the phrases is somewhere in these words.
    fn stand_in(&self, words: &[u32]) -> bool {
        let begins = |&at: &usize| self.may_begin_with(words[at]);
        let mut places = (0..words.len()).filter(begins);
        places.any(|at| self.all.iter().any(|phrase| words[at..].starts_with(phrase)))
    }

    fn may_begin_with(&self, word: u32) -> bool {
        let at = word as usize % FIRST_WORDS;
        self.first_words[at / 64] >> (at % 64) & 1 == 1
    }

    /// True if the words are one of the phrases.
    fn are(&self, words: &[u32]) -> bool {
        self.all.iter().any(|phrase| phrase == words)
    }
}

/// All phrases, hashed once.
struct PhraseTable {
    errors: Phrases,
    whole_errors: Phrases,
    challenges: Phrases,
    challenged: Phrases,
    bare_errors: Phrases,
    consent: Phrases,
    choices: Phrases,
}

static PHRASES: LazyLock<PhraseTable> = LazyLock::new(|| PhraseTable {
    errors: Phrases::new(ERRORS),
    whole_errors: Phrases::new(WHOLE_ERRORS),
    challenges: Phrases::new(CHALLENGES),
    challenged: Phrases::new(CHALLENGED),
    bare_errors: Phrases::new(BARE_ERRORS),
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
        let PhraseTable { errors, whole_errors, challenges, challenged, bare_errors, consent, choices } = &*PHRASES;
        let all = [errors, whole_errors, challenges, challenged, bare_errors, consent, choices];
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
    fn programs_for_documentation_name_themselves() {
        let page = |head: &str| format!("{head}<title>open</title><h1>open</h1><p>Opens a file.");
        for name in ["rustdoc", "Doxygen 1.9.8", "javadoc/ClassWriterImpl", "Docutils 0.19: https://x.example/"] {
            assert_eq!(kind(&page(&format!("<meta name=generator content='{name}'>"))), Some(PageKind::Documentation));
        }
        for head in [
            "<meta name=generator content='WordPress 6.4'>",
            "<meta name=author content=Doxygen>",
            "<meta name=generator content=Docusaurus><meta property=og:type content=article>",
        ] {
            assert_eq!(kind(&page(head)), None, "{head}");
        }
        let error =
            "<meta name=generator content=rustdoc><title>Page not found</title><h1>Page not found</h1><p>Sorry.";
        assert_eq!(kind(error), Some(PageKind::Error));
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
    fn challenges_say_what_they_want() {
        for (title, heading, text) in [
            ("Just a moment...", "port.example", "Enable JavaScript and cookies to continue"),
            (
                "Attention Required! | Cloudflare",
                "Sorry, you have been blocked",
                "You are unable to access port.example",
            ),
            ("Nur einen Moment…", "port.example", "Aktivieren Sie JavaScript und Cookies, um fortzufahren."),
            ("Un instant…", "port.example", "Activez JavaScript et les cookies pour continuer"),
            ("Один момент…", "port.example", "Включите JavaScript и файлы cookie, чтобы продолжить"),
            ("しばらくお待ちください...", "port.example", "JavaScript と Cookie を有効にして続行してください"),
            ("请稍候…", "port.example", "请启用 JavaScript 和 Cookie 以继续"),
            ("DDoS-Guard", "Checking your browser before accessing port.example", "This takes a few seconds."),
            ("", "Checking your browser before you access the harbour", "Please allow up to 5 seconds."),
            ("port.example", "", "Request unsuccessful. Incapsula incident ID: 77-12345"),
            ("Access Denied", "Access Denied", "You don't have permission to access this page on this server."),
            (
                "Sucuri WebSite Firewall - Access Denied",
                "Access Denied - Sucuri Website Firewall",
                "Block reason: a rule.",
            ),
            (
                "You are being redirected...",
                "",
                "Javascript is required. Please enable javascript before you are allowed to see this page.",
            ),
            (
                "Human Verification",
                "",
                "JavaScript is disabled. In order to continue, we need to verify that you're not a robot.",
            ),
            ("", "JavaScript is disabled", "In order to continue, we need to verify that you're not a robot."),
            (
                "Pardon Our Interruption",
                "Pardon Our Interruption",
                "As you were browsing something made us think of a bot.",
            ),
            ("Access to this page has been denied.", "Please verify you are a human", "We use cookies for it."),
            ("port.example", "", "Please enable JS and disable any ad blocker"),
            ("Robot Challenge Screen", "Checking site connection security", "One moment."),
            ("Vercel Security Checkpoint", "", "We're verifying your browser"),
            ("Making sure you're not a bot!", "Making sure you're not a bot!", "Loading..."),
            ("Вы не робот?", "Подтвердите, что запросы отправляли вы, а не робот", "Нам очень жаль."),
        ] {
            let page = format!("<title>{title}</title><h1>{heading}</h1><p>{text}</p>");
            assert_eq!(kind(&page), Some(PageKind::Error), "{title} / {heading} / {text}");
        }
    }

    #[test]
    fn databases_and_programs_that_fail_are_errors() {
        for (title, heading, text) in [
            ("Database Error", "Error establishing a database connection", ""),
            ("", "", "Error establishing a database connection"),
            ("", "Fehler beim Aufbau einer Datenbankverbindung", ""),
            ("", "Erreur lors de la connexion à la base de données", ""),
            ("", "Error al establecer una conexión con la base de datos", ""),
            ("", "", "Ошибка установки соединения с базой данных"),
            ("", "データベース接続確立エラー", ""),
            ("", "", "Could not connect to MySQL."),
            ("", "", "Warning: mysqli_connect(): (HY000/2002): Connection refused in /srv/www/db.php on line 12"),
            ("", "", "Connection failed: SQLSTATE[HY000] [2002] No such file or directory"),
            ("", "", "Lost connection to MySQL server at 'reading initial communication packet'"),
            ("", "", "Access denied for user 'port'@'localhost' (using password: YES)"),
            (
                "",
                "",
                "Warning: pg_connect(): Unable to connect to PostgreSQL server: FATAL: sorry, too many clients already",
            ),
            ("", "", "could not connect to server: Connection refused Is the server running on host db?"),
            ("Error", "", "The website encountered an unexpected error. Please try again later."),
            ("Site off-line", "Site off-line", "The site is currently not available due to technical problems."),
            ("Error: 500", "", "Error displaying the error page: Application Instantiation Error: no."),
            ("Database error", "Database error", "A database query error has occurred. This may indicate a bug."),
            ("Port", "Sorry! This site is experiencing technical difficulties.", "Try waiting a few minutes."),
            ("Port - Database Error", "", "The Port database has encountered a problem."),
            ("WordPress › Error", "", "There has been a critical error on this website."),
            ("We're sorry, but something went wrong (500)", "We're sorry, but something went wrong.", ""),
            ("Port", "Server Error in '/' Application.", "Timeout expired."),
            ("HTTP Status 500 – Internal Server Error", "HTTP Status 500 – Internal Server Error", ""),
        ] {
            let page = format!("<title>{title}</title><h1>{heading}</h1><p>{text}</p>");
            assert_eq!(kind(&page), Some(PageKind::Error), "{title} / {heading} / {text}");
        }
    }

    #[test]
    fn what_speaks_of_challenges_and_databases_is_none() {
        let story = "The harbour master moved the whole register to the new machine, and nobody noticed it. ".repeat(6);
        for page in [
            "<title>Un instant</title><h1>Un instant</h1><p>La mer se tait, le vent revient, le port s'endort."
                .to_owned(),
            "<title>One moment</title><h1>One moment</h1><p>A poem of the sea, and of a boat that waits.".to_owned(),
            format!(
                "<title>Cannot connect</title><h1>Cannot connect</h1><p>Could not connect to MySQL, it says. {story}"
            ),
            format!("<title>Help</title><h1>How do I fix “Error establishing a database connection”?</h1><p>{story}"),
            "<title>DDoS attacks</title><h1>What a guard does</h1><p>It checks browsers before they come in."
                .to_owned(),
            "<title>Checking your boat</title><h1>Checking your boat</h1><p>Look at the hull first.".to_owned(),
            "<title>Maintenance of engines</title><h1>Maintenance</h1><p>Change the oil each spring.".to_owned(),
            "<title>Database</title><h1>Database</h1><p>All ships since 1850, with crews and cargo.".to_owned(),
            "<title>Human verification of catch reports</title><h1>Reports</h1><p>Two people read each.".to_owned(),
            "<title>Robots</title><h1>Not a robot</h1><p>The crane is moved by hand, as ever.".to_owned(),
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
