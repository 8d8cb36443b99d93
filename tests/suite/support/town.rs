//! A town's paper: a generated site of some two hundred pages, with the gold of each. It is the
//! same on every machine.
//!
//! Four fifths are articles of two templates, where a template diff finds the content. The rest are
//! special pages: each has its own structure, so that no sibling passes its gates. Articles share
//! one stock of sentences, the readers' letters another. The paper's praise of itself under every
//! article has a third.

use std::collections::BTreeMap;

/// The site.
pub(crate) struct Town {
    /// Pages by path.
    pub(crate) pages: BTreeMap<String, TownPage>,
}

/// A page of it.
pub(crate) struct TownPage {
    pub(crate) html: String,
    /// Headline and paragraphs; `None` for a page that only links.
    pub(crate) gold: Option<String>,
}

/// The sections, and whether they use the newer of the two templates.
const SECTIONS: [(&str, bool); 4] = [("harbour", true), ("council", true), ("culture", false), ("sport", false)];
/// Articles of a section.
const ARTICLES: usize = 40;
/// Special pages.
pub(crate) const SPECIALS: usize = 40;

impl Town {
    /// Builds the site with two front pages. `/index.html` links to the sections and the first
    /// `early` special pages, `/later.html` to the other special pages.
    pub(crate) fn build(early: usize) -> Town {
        let mut pages = BTreeMap::new();
        let mut links = Vec::new();
        for (number, (section, newer)) in SECTIONS.into_iter().enumerate() {
            let stories: Vec<Story> = (0..ARTICLES).map(|n| Story::new((number * 1_000 + n) as u64, section)).collect();
            for (n, story) in stories.iter().enumerate() {
                let related: Vec<&Story> = (1..=4).map(|step| &stories[(n + step) % stories.len()]).collect();
                let html = if newer { newer_template(story, &related) } else { older_template(story, &related) };
                pages.insert(story.path.clone(), TownPage { html, gold: Some(story.gold()) });
            }
            let path = format!("/{section}/index.html");
            pages.insert(path.clone(), TownPage { html: index(section, stories.iter()), gold: None });
            links.push(path);
        }
        let specials: Vec<Story> = (0..SPECIALS).map(|n| Story::new(9_000 + n as u64, "special")).collect();
        for story in &specials {
            pages.insert(story.path.clone(), TownPage { html: special(story), gold: Some(story.gold()) });
        }
        let (first, other) = specials.split_at(early);
        links.extend(first.iter().map(|story| story.path.clone()));
        pages.insert("/index.html".to_owned(), front(links));
        pages.insert("/later.html".to_owned(), front(other.iter().map(|story| story.path.clone()).collect()));
        Town { pages }
    }
}

/// A page before and after a redesign: the same story in both templates.
pub(crate) struct Redesigned {
    pub(crate) path: String,
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) gold: String,
}

/// This many articles of one section, each in both templates.
pub(crate) fn redesigned(count: usize) -> Vec<Redesigned> {
    let stories = || (0..count).map(|n| Story::new((20_000 + n) as u64, "harbour")).collect::<Vec<_>>();
    let (before, after) = (stories(), stories());
    (0..count)
        .map(|n| {
            let others = (1..=4).map(|step| (n + step) % count);
            let old_related: Vec<&Story> = others.clone().map(|at| &before[at]).collect();
            let new_related: Vec<&Story> = others.map(|at| &after[at]).collect();
            Redesigned {
                path: before[n].path.clone(),
                old: older_template(&before[n], &old_related),
                new: newer_template(&after[n], &new_related),
                gold: before[n].gold(),
            }
        })
        .collect()
}

/// An article.
struct Story {
    path: String,
    title: String,
    paragraphs: Vec<String>,
    letters: Vec<String>,
    dice: std::cell::RefCell<Dice>,
}

impl Story {
    fn new(seed: u64, section: &str) -> Story {
        let mut dice = Dice::new(seed);
        let title = headline(&mut dice);
        let slug = title.to_lowercase().replace(' ', "-");
        let path = format!("/{section}/2026/{slug}-{seed}.html");
        let paragraphs = (0..dice.between(4, 8)).map(|_| sentences(&mut dice, REPORTS, 3, 5)).collect();
        let letters = (0..dice.between(3, 5)).map(|_| sentences(&mut dice, LETTERS, 2, 4)).collect();
        Story { path, title, paragraphs, letters, dice: std::cell::RefCell::new(dice) }
    }

    fn gold(&self) -> String {
        format!("{}\n\n{}\n", self.title, self.paragraphs.join("\n\n"))
    }
}

fn newer_template(story: &Story, related: &[&Story]) -> String {
    let dice = &mut *story.dice.borrow_mut();
    let related: String = related.iter().map(|other| item(other)).collect();
    let teasers: String =
        (0..3).map(|_| format!("<p><a href=\"/harbour/index.html\">{}</a></p>\n", headline(dice))).collect();
    let letters: String = story
        .letters
        .iter()
        .map(|letter| format!("<div class=\"comment\"><b>{}</b><p>{letter}</p></div>\n", pick(dice, READERS)))
        .collect();
    format!(
        "<html><head><title>{title} - The town</title></head><body>\n\
         <div class=\"top\"><ul><li><a href=\"/harbour/index.html\">Harbour</a></li><li><a href=\"/council/index.html\">Council</a></li>\
         <li><a href=\"/culture/index.html\">Culture</a></li><li><a href=\"/sport/index.html\">Sport</a></li></ul></div>\n\
         <div class=\"story\"><h1>{title}</h1>\n{body}</div>\n\
         <div class=\"join\"><p>{praise}</p></div>\n\
         <div class=\"aside\"><h3>Most read this week</h3>{teasers}</div>\n\
         <div class=\"related\"><h3>More on this</h3><ul>{related}</ul></div>\n\
         <div id=\"comments\"><h3>Letters from readers</h3>{letters}</div>\n\
         <div class=\"foot\"><p>The town is printed by its own people on the old quay and sold wherever bread is sold.</p>\
         <p>Nothing here may be copied without a word to the office first.</p></div></body></html>",
        title = story.title,
        body = paragraphs(&story.paragraphs, "p"),
        praise = PRAISE[..4].join(" "),
    )
}

fn older_template(story: &Story, related: &[&Story]) -> String {
    let dice = &mut *story.dice.borrow_mut();
    let related: String = related.iter().map(|other| item(other)).collect();
    let letters: String = story
        .letters
        .iter()
        .map(|letter| format!("<li class=\"comment\"><i>{} writes:</i> {letter}</li>\n", pick(dice, READERS)))
        .collect();
    format!(
        "<html><head><title>{title}</title></head><body bgcolor=\"white\"><table><tr>\n\
         <td width=\"120\"><a href=\"/index.html\">Front page</a><br><a href=\"/culture/index.html\">Stage and song</a><br>\
         <a href=\"/sport/index.html\">Fields and pitches</a><br><a href=\"/council/index.html\">Town hall</a></td>\n\
         <td width=\"400\"><h1>{title}</h1>\n{body}<p>{praise}</p><hr>\n<h4>Also in this part</h4><ul>{related}</ul>\n\
         <ol class=\"comments\">{letters}</ol></td>\n\
         <td width=\"120\"><b>Tides today</b><br>High at six and again at dusk<br><b>Office hours</b><br>Nine to four, Fridays until noon</td>\n\
         </tr></table><center>Set in type at the old press. All rights with those who wrote it.</center></body></html>",
        title = story.title,
        body = paragraphs(&story.paragraphs, "p"),
        praise = PRAISE[4..].join(" "),
    )
}

/// A page with its own structure: its own frame and navigation, letters under a name of its own,
/// and some of the praise.
fn special(story: &Story) -> String {
    let dice = &mut *story.dice.borrow_mut();
    let name = |dice: &mut Dice| format!("{}{}{}", pick(dice, SYLLABLES), pick(dice, SYLLABLES), dice.below(90) + 10);
    let (outer, inner) = (pick(dice, &["div", "section", "table", "dl"]), pick(dice, &["p", "div", "blockquote"]));
    let (open, close) = match outer {
        "table" => ("<table><tr><td>", "</td></tr></table>"),
        "dl" => ("<dl><dd>", "</dd></dl>"),
        "section" => ("<section><div>", "</div></section>"),
        _ => ("<div>", "</div>"),
    };
    let links: String = (0..dice.between(8, 16)).map(|_| format!("<a href=\"#\">{}</a> ", name(dice))).collect();
    let letters: String =
        story.letters.iter().map(|letter| format!("<{inner} class=\"{}\">{letter}</{inner}>\n", name(dice))).collect();
    let teasers: String = (0..dice.between(2, 5)).map(|_| format!("<span>{}</span>\n", headline(dice))).collect();
    let first = dice.below(PRAISE.len() - 3);
    let praise = PRAISE[first..first + 3].join(" ");
    let above = if dice.below(2) == 0 { &teasers } else { "" };
    format!(
        "<html><head><title>{title}</title></head><body class=\"{id}\">{open}{links}{close}{above}\n\
         {open}<h1>{title}</h1>{body}<{inner}>{praise}</{inner}>{close}\n<h5>{heading}</h5>{open}{letters}{close}\n{teasers}<address>{id} {office}</address></body></html>",
        title = story.title,
        body = paragraphs(&story.paragraphs, inner),
        id = name(dice),
        heading = name(dice),
        office = name(dice),
    )
}

fn front(paths: Vec<String>) -> TownPage {
    let list: String = paths.iter().map(|path| format!("<li><a href=\"{path}\">{path}</a></li>\n")).collect();
    TownPage {
        html: format!("<html><head><title>The town</title></head><body><ul>{list}</ul></body></html>"),
        gold: None,
    }
}

fn index<'s>(section: &str, stories: impl Iterator<Item = &'s Story>) -> String {
    let list: String = stories.map(item).collect();
    format!("<html><head><title>{section}</title></head><body><h1>{section}</h1><ul>{list}</ul></body></html>")
}

fn item(story: &Story) -> String {
    format!("<li><a href=\"{}\">{}</a></li>\n", story.path, story.title)
}

fn paragraphs(paragraphs: &[String], tag: &str) -> String {
    paragraphs.iter().map(|paragraph| format!("<{tag}>{paragraph}</{tag}>\n")).collect()
}

fn headline(dice: &mut Dice) -> String {
    let pattern = pick(dice, HEADLINES);
    let title = fill(dice, pattern);
    title.trim_end_matches('.').to_owned()
}

fn sentences(dice: &mut Dice, patterns: &[&'static str], least: usize, most: usize) -> String {
    let count = dice.between(least, most);
    let mut next = || {
        let pattern = pick(dice, patterns);
        fill(dice, pattern)
    };
    (0..count).map(|_| next()).collect::<Vec<_>>().join(" ")
}

/// Fills a pattern. Each word with a leading asterisk names a list to draw from.
fn fill(dice: &mut Dice, pattern: &str) -> String {
    let words: Vec<String> = pattern
        .split(' ')
        .map(|word| {
            let Some(list) = word.strip_prefix('*') else { return word.to_owned() };
            let letters = list.trim_end_matches([',', '.', '!', '?']);
            format!("{}{}", pick(dice, list_of(letters)), &list[letters.len()..])
        })
        .collect();
    let text = words.join(" ");
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn list_of(name: &str) -> &'static [&'static str] {
    match name {
        "who" => WHO,
        "did" => DID,
        "what" => WHAT,
        "where" => WHERE,
        "when" => WHEN,
        "how" => HOW,
        "many" => MANY,
        "feel" => FEEL,
        "my" => MY,
        "thing" => THING,
        _ => panic!("no list of the name {name}"),
    }
}

const HEADLINES: &[&str] = &[
    "*who *did *what",
    "*what kept *where",
    "*many hours for *what",
    "*who back *where",
    "No *thing for *what",
    "*where waits for *what",
];
const REPORTS: &[&str] = &[
    "*who *did *what *when, and nobody *where had expected it.",
    "It took *many weeks before *who *did *what *where.",
    "According to the minutes, *what will stay *where until *when.",
    "*when the work on *what came to rest *where, since *who had asked for more time.",
    "A spokeswoman said that *who *did *what *how, but gave no figure.",
    "The cost of *what is put at *many thousand, of which *who pays a third.",
    "Where *what once stood, *who now keeps *what for visitors *where.",
    "In *many years *who has never *did *what so *how.",
    "Work is to begin *when, provided that *who and the owners of *what agree.",
    "Before the vote, *who *did *what *how and left *where by the side door.",
    "Two boats brought *what to *where *when, escorted by *who.",
    "For *who the matter is closed, yet *what remains *where.",
];
const LETTERS: &[&str] = &[
    "I *feel this *thing, and my *my says so too.",
    "Why does nobody ever ask *my before such a *thing is printed?",
    "You *feel us readers with every *thing you print about it!",
    "My *my would *feel to see that *thing done properly for once.",
    "Thank you, thank you, I *feel every *thing you write here.",
    "Honestly, who would *feel such a *thing if not your own *my?",
    "We used to *feel our *thing in peace when my *my was young.",
    "Please print less *thing and more of what your *my might *feel.",
];
const PRAISE: &[&str] = &[
    "You have read this far because somebody went out and asked.",
    "Nobody pays us but you, the people who live here and want to know what goes on.",
    "Become a friend of the paper today and it will lie in your box every Thursday before breakfast.",
    "Friends get the almanac for nothing and may bring a guest to the summer party in the yard of the press.",
    "Of every crown you give, ninety cents go into reporting and the rest into ink.",
    "We carry no advertising for banks, for spirits or for anybody who sits on a board.",
    "Call in at the office, bring your own cup, and sign your name in the big green book.",
    "A gift of a year costs less than a pair of boots and keeps warm for longer.",
];
const READERS: &[&str] =
    &["Oda", "Per from the hill", "A subscriber", "Marit", "Old Jens", "T. K.", "Two sisters", "Name withheld"];
const SYLLABLES: &[&str] = &["ka", "lom", "vi", "sten", "ru", "fjo", "mel", "tra", "bur", "ni", "sol", "gre"];
const WHO: &[&str] = &[
    "the harbour master",
    "a retired teacher",
    "the mayor",
    "the rowing club",
    "the choir",
    "the fishermen",
    "a group of pupils",
    "the ferry company",
    "the librarian",
    "the council",
    "an engineer from the capital",
    "the brass band",
    "the baker",
    "the new vicar",
    "the lighthouse society",
];
const DID: &[&str] = &[
    "measured",
    "repaired",
    "opened",
    "painted",
    "sold",
    "inspected",
    "moved",
    "defended",
    "photographed",
    "lifted",
    "weighed",
    "rebuilt",
];
const WHAT: &[&str] = &[
    "the old crane",
    "a second jetty",
    "the school roof",
    "the winter timetable",
    "the bronze bell",
    "a load of timber",
    "the sports hall",
    "the town archive",
    "forty benches",
    "the fish market",
    "a wooden bridge",
    "the clock tower",
    "the swimming pool",
    "the ice house",
];
const WHERE: &[&str] = &[
    "on the quay",
    "behind the town hall",
    "at the eastern mole",
    "in the upper town",
    "near the mill",
    "along the river",
    "below the church",
    "by the sluice",
    "in the assembly room",
    "at the railway yard",
];
const WHEN: &[&str] = &[
    "on Monday",
    "last autumn",
    "before dawn",
    "after a long debate",
    "in the first week of March",
    "at the end of the season",
    "overnight",
    "during the storm",
    "next spring",
    "at short notice",
];
const HOW: &[&str] = &[
    "quietly",
    "without haste",
    "twice over",
    "in good order",
    "by hand",
    "with some pride",
    "in the rain",
    "at great cost",
];
const MANY: &[&str] = &["two", "three", "seven", "eleven", "fourteen", "thirty", "ninety"];
const FEEL: &[&str] = &["love", "hate", "mistrust", "adore", "miss", "doubt", "enjoy", "fear"];
const MY: &[&str] = &["neighbour", "wife", "husband", "grandmother", "dog", "dentist", "boss", "aunt"];
const THING: &[&str] = &["nonsense", "story", "plan", "joke", "scandal", "breakfast", "idea", "noise"];

fn pick(dice: &mut Dice, list: &[&'static str]) -> &'static str {
    list[dice.below(list.len())]
}

/// Knuth's multiplicative generator (MMIX): the high bits are random enough for words.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.below(2);
        dice.below(2);
        dice
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }

    fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }
}
