//! Authors of test pages.

use super::*;

fn authors_of(page: &str) -> String {
    let page = format!("<title>Ferry sails</title><h1>Ferry sails</h1>{page}");
    text(Sort::Text, &page).metadata.authors.join("|")
}

#[test]
fn a_byline_names_several_authors() {
    for (byline, expect) in [
        (
            "<p class=byline>By <a href=/staff/a>Ann Orr</a>, <a href=/staff/b>Ben Ley</a> and <a href=/staff/c>Cy Moe</a></p>",
            "Ann Orr|Ben Ley|Cy Moe",
        ),
        (
            "<p>By <a href=/a>Ann Orr</a>, <a href=/b>Ben Ley</a> and <a href=/c>Cy Moe</a></p>",
            "Ann Orr|Ben Ley|Cy Moe",
        ),
        ("<p>Von <a href=/a>Änne Öhr</a> und <a href=/b>Ben Ley</a></p>", "Änne Öhr|Ben Ley"),
        ("<p>Par <b>Anne Orre</b> et <b>Benoît Lay</b>, le 2 mai 2026</p>", "Anne Orre|Benoît Lay"),
        (
            "<p class=byline>By <span class=author>Ann Orr</span> and <span class=author>Ben Ley</span></p>",
            "Ann Orr|Ben Ley",
        ),
        ("<div class=authors><a href=/a>Ann Orr</a><a href=/b>Ben Ley</a></div>", "Ann Orr|Ben Ley"),
        ("<ul class=authors><li class=author>Ann Orr</li><li class=author>Ben Ley</li></ul>", "Ann Orr|Ben Ley"),
        ("<div><span class=author>Ann Orr</span> · <span class=author>Ben Ley</span></div>", "Ann Orr|Ben Ley"),
        ("<p class=byline>By <a href=/a>Ann Orr</a> &amp; <a href=/b>Ben Ley</a> · 2 May 2026</p>", "Ann Orr|Ben Ley"),
        ("<p class=byline>By Ann Orr, Ben Ley, and Cy Moe</p>", "Ann Orr|Ben Ley|Cy Moe"),
        (
            "<p class=byline><a href=/a>Ann Orr</a>, Chief Reporter, and <a href=/b>Ben Ley</a>, Science Editor</p>",
            "Ann Orr|Ben Ley",
        ),
        ("<p><a rel=author href=/a>Ann Orr</a>, <a rel=author href=/b>Ben Ley</a></p>", "Ann Orr|Ben Ley"),
        ("<p class=byline>Words: <a href=/a>Ann Orr</a> and <a href=/b>Ben Ley</a></p>", "Ann Orr|Ben Ley"),
        ("<p>By Ann Orr in Skerry, Ben Ley in Rome and Cy Moe in Berlin</p>", "Ann Orr|Ben Ley|Cy Moe"),
        // Not of those who did something else, and not of a name that is there twice.
        ("<p class=byline>By <a href=/a>Ann Orr</a>, reviewed by <a href=/b>Ben Ley</a></p>", "Ann Orr"),
        ("<p class=byline>By <a href=/a>Ann Orr</a> <a href=/a>Ann Orr</a></p>", "Ann Orr"),
        ("<p class=byline>By <a href=/a>Ann Orr</a>, <a href=/t>Harbour Editor</a></p>", "Ann Orr"),
        ("<p class=byline>By <a href=/a>Ann Orr</a> <span>New York</span></p>", "Ann Orr"),
        // The head names the first, the byline all.
        (
            "<meta name=author content='Ann Orr'><p class=byline>By <a href=/a>Ann Orr</a> and <a href=/b>Ben Ley</a></p>",
            "Ann Orr|Ben Ley",
        ),
    ] {
        assert_eq!(authors_of(byline), expect, "{byline}");
    }
}

#[test]
fn slashes_bars_and_pictures_part_names() {
    for (byline, expect) in [
        ("<p>By Ann Orr / Ben Ley</p>", "Ann Orr|Ben Ley"),
        ("<p>By Ann Orr/Ben Ley</p>", "Ann Orr|Ben Ley"),
        ("<p>By Ann Orr | Ben Ley</p>", "Ann Orr|Ben Ley"),
        ("<p class=author>Ann Orr/dpa</p>", "Ann Orr"),
        ("<meta name=author content='Ann Orr / Ben Ley'>", "Ann Orr|Ben Ley"),
        ("<p>✍️ By Ann Orr 🌊</p>", "Ann Orr"),
        ("<p class=author>👩‍💻 Ann Orr</p>", "Ann Orr"),
        ("<meta name=author content='🚢 Ann Orr'>", "Ann Orr"),
        (
            "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"name\":\"Ann Orr 🇬🇧/Ben Ley\"}}</script>",
            "Ann Orr|Ben Ley",
        ),
        ("<p>By 📷</p>", ""),
    ] {
        assert_eq!(authors_of(byline), expect, "{byline}");
    }
}

#[test]
fn an_organisation_yields_to_persons() {
    let linked = |author: &str| {
        format!("<script type=application/ld+json>{{\"@type\":\"Article\",\"author\":{author}}}</script>")
    };
    let organisation = linked("{\"@type\":\"Organization\",\"name\":\"Tide Watch\"}");
    let press = linked("{\"name\":\"Harbour Press\"}");
    let byline = "<p class=byline>By Ann Orr and Ben Ley</p>";
    let graph = "<script type=application/ld+json>{\"@graph\":[{\"@type\":\"Article\",\"author\":{\"@type\":\"NewsMediaOrganization\",\"name\":\"Tide Watch\"}},{\"@type\":\"Person\",\"name\":\"Di Fay\"}]}</script>";
    for (page, expect) in [
        (organisation.clone() + byline, "Ann Orr|Ben Ley"),
        (press.clone() + byline, "Ann Orr|Ben Ley"),
        (graph.to_owned() + byline, "Ann Orr|Ben Ley"),
        (organisation.clone() + "<meta name=author content='Ann Orr'>", "Ann Orr"),
        (organisation.clone() + "<p>By Ann Orr</p>", "Ann Orr"),
        (organisation.clone() + "<a rel=author href=/a>Ann Orr</a>", "Ann Orr"),
        ("<meta name=author content='Harbour Publishing Ltd'>".to_owned() + byline, "Ann Orr|Ben Ley"),
        // Other words are no better than the organisation.
        (organisation.clone() + "<p class=byline>Harbour Strategy Team</p>", "Tide Watch"),
        (organisation.clone(), "Tide Watch"),
        // Both are stated.
        (
            linked(
                "[{\"@type\":\"Person\",\"name\":\"Ann Orr\"},{\"@type\":\"Organization\",\"name\":\"Tide Watch\"}]",
            ),
            "Ann Orr|Tide Watch",
        ),
    ] {
        assert_eq!(authors_of(&page), expect, "{page}");
    }
}

#[test]
fn bylines_of_east_asia_are_read() {
    for (byline, expect) in [
        ("<div><span>2024-05-14 08:30</span> <span>记者：林小明</span> <span>编辑：王芳</span></div>", "林小明"),
        ("<p>本报记者 林小明</p>", "林小明"),
        ("<p>本报记者林小明</p>", "林小明"),
        ("<p>记者 林小明 王芳</p>", "林小明|王芳"),
        ("<p>作者：林小明、王芳</p>", "林小明|王芳"),
        ("<p>撰文：林小明　摄影：王芳</p>", "林小明"),
        ("<p>文／林小明</p>", "林小明"),
        ("<p>文｜林小明</p>", "林小明"),
        ("<p>来源：旧城网　作者：林小明</p>", "林小明"),
        ("<p>林小明/文 王芳/图</p>", ""),
        ("<p class=author>林小明/文 王芳/图</p>", "林小明"),
        ("<p>旧城5月14日电（记者 林小明）老图书馆将重新开放。</p>", "林小明"),
        ("<p>文：山田花子</p>", "山田花子"),
        ("<p>取材・文＝山田花子</p>", "山田花子"),
        ("<p>文・写真 山田花子</p>", "山田花子"),
        ("<p>山田花子記者</p>", "山田花子"),
        ("<p>著者：山田 花子</p>", "山田 花子"),
        ("<p>홍길동 기자</p>", "홍길동"),
        ("<p>[서울=항구뉴스] 홍길동 기자 = </p>", "홍길동"),
        ("<p>홍길동기자 hong@harbour.example</p>", "홍길동"),
        ("<p>作者丨林小明 编辑丨王芳</p>", "林小明"),
        ("<p>本报记者 林小明 通讯员 王芳</p>", "林小明"),
        ("<p>2024-05-14 08:30 记者 林小明</p>", "林小明"),
        ("<p>【記者林小明／台北報導】</p>", "林小明"),
        ("<p>文字：林小明</p>", "林小明"),
        ("<p class=author>山田太郎（本社記者）</p>", "山田太郎"),
        ("<p>글 홍길동 사진 김철수</p>", "홍길동"),
        ("<p class=byline>홍길동 선임기자</p>", "홍길동"),
        // Headings and agencies.
        ("<p>记者观察</p>", ""),
        ("<p>新华社记者</p>", ""),
        ("<p>编辑：王芳</p>", ""),
        ("<p>来源：旧城网</p>", ""),
    ] {
        assert_eq!(authors_of(byline), expect, "{byline}");
    }
}

#[test]
fn names_in_json_are_read_as_they_are_meant() {
    for (author, expect) in [
        ("{\"@type\":\"Person\",\"name\":\"Se&aacute;n O&#039;Vale\"}", "Seán O'Vale"),
        ("\"Se&aacute;n O&#x27;Vale\"", "Seán O'Vale"),
        ("\"Ann &amp; Ben Ley\"", "Ann & Ben Ley"),
        ("[{\"name\":\"Ann&nbsp;Orr\"},{\"name\":\"Bj&ouml;rn &Aring;s\"}]", "Ann Orr|Björn Ås"),
        ("\"Se&amp;aacute;n Vale\"", "Seán Vale"),
        ("\"<a href='/ann'>Ann Orr</a>\"", "Ann Orr"),
        ("{\"@type\":\"Person\",\"givenName\":\"Ann\",\"familyName\":\"Orr\"}", "Ann Orr"),
        (
            "[{\"givenName\":\"Ann\",\"familyName\":\"Orr\"},{\"givenName\":\"Ben\",\"familyName\":\"Ley\"}]",
            "Ann Orr|Ben Ley",
        ),
        ("{\"givenName\":\"花子\",\"familyName\":\"山田\"}", "山田花子"),
        ("{\"familyName\":\"Orr\"}", "Orr"),
        ("{\"name\":{\"@value\":\"Ann Orr\",\"@language\":\"en\"}}", "Ann Orr"),
        ("{\"name\":[\"Ann Orr\",\"Ben Ley\"]}", "Ann Orr|Ben Ley"),
        ("{\"@list\":[]}", ""),
    ] {
        let page =
            format!("<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"author\":{author}}}</script>");
        assert_eq!(authors_of(&page), expect, "{author}");
    }
}

/// A site written by one person: its author stays when the site is known.
#[test]
fn who_writes_every_page_of_a_site_is_its_author() {
    let linked =
        "<script type=application/ld+json>{\"@type\":\"BlogPosting\",\"author\":{\"name\":\"Ann Orr\"}}</script>";
    for (author, expect) in [
        ("<p class=byline>By Ann Orr</p>", "Ann Orr"),
        ("<p>By Ann Orr</p>", "Ann Orr"),
        ("<a rel=author href=/about>Ann Orr</a>", "Ann Orr"),
        ("<span itemprop=author>Ann Orr</span>", "Ann Orr"),
        ("<meta property=article:author content='Ann Orr'>", "Ann Orr"),
        ("<meta name=author content='Ann Orr'>", "Ann Orr"),
        ("<meta name=author content='Ann Orr'><p class=byline>By Ann Orr</p>", "Ann Orr"),
        ("<p class=byline>By ann77</p>", "ann77"),
        ("<meta name=author content=ann77>", "ann77"),
        ("<meta name=author content=\"Ann 'ann77' van Orr\">", "Ann 'ann77' van Orr"),
        ("<meta name=author content=林小明>", "林小明"),
        (linked, "Ann Orr"),
        // What the template says of itself.
        ("<meta name=author content='Harbour Press'>", ""),
        ("<meta name=author content='Themes Ltd'>", ""),
        ("<meta name=author content='Mark Mole, Tom Tar and Harbour contributors'>", ""),
    ] {
        let page = |name: &str, siblings: &Stated| {
            let page = format!("<title>{name}</title><h1>{name}</h1>{author}<p>It was late when {name} came up.");
            read_page(&page, "https://x.example/", Sort::Text, siblings)
        };
        let mut site = Stated::default();
        (0..40).for_each(|number| site.add(&page(&format!("Ferry {number}"), &site).stated));
        assert_eq!(page("A cat", &site).metadata.authors.join("|"), expect, "{author}");
    }
}

/// The heads of all pages name the publisher, and most name a writer elsewhere, too.
#[test]
fn an_organisation_in_all_heads_is_the_templates_also_where_others_name_a_writer() {
    let page = |name: &str, more: &str, siblings: &Stated| {
        let page = format!(
            "<title>{name}</title><meta name=author content='Harbour Press'>{more}<h1>{name}</h1><p>It was late when {name} came up."
        );
        read_page(&page, "https://x.example/", Sort::Text, siblings)
    };
    let of_person =
        "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"name\":\"Ann Orr\"}}</script>";
    let mut site = Stated::default();
    (0..40).for_each(|number| site.add(&page(&format!("Ferry {number}"), of_person, &site).stated));
    let authors = |more| page("A cat", more, &site).metadata.authors.join("|");
    assert_eq!((authors(of_person), authors("")), ("Ann Orr".to_owned(), String::new()));
}

#[test]
fn a_name_in_parts_is_one_name() {
    for (parts, expect) in [
        ("<a rel=author href=/a><span class=firstname>Ann</span> <span class=lastname>Orr</span></a>", "Ann Orr"),
        ("<a rel=author><span class=first-name>Ann Lee</span><span class=last-name>Orr</span></a>", "Ann Lee Orr"),
        ("<p class=byline><b class='given-name x'>Ann</b><b class='family-name x'>Orr</b></p>", "Ann Orr"),
        (
            "<p itemprop=author itemscope><i itemprop=givenName>Ann</i> <i itemprop=familyName>van Orr</i></p>",
            "Ann van Orr",
        ),
        ("<p class=byline><span>Ann Orr</span> <span>Skerry</span></p>", "Ann Orr"),
    ] {
        assert_eq!(authors_of(parts), expect, "{parts}");
    }
}

#[test]
fn a_label_may_name_writers_of_any_sex_or_number() {
    for (line, expect) in [
        ("<p>Autorin/Autor: Ann Orr</p>", "Ann Orr"),
        ("<p><b>Autor/in</b> Ann Orr</p>", "Ann Orr"),
        ("<p>Autor:in: Ann Orr</p>", "Ann Orr"),
        ("<p>Autor*in Ann Orr</p>", "Ann Orr"),
        ("<p>Autor(in): Ann Orr</p>", "Ann Orr"),
        ("<p>Author(s): Ann Orr</p>", "Ann Orr"),
        ("<p>Auteur(s) : Anne Orre</p>", "Anne Orre"),
        ("<p>Autor(es): Ana Orra</p>", "Ana Orra"),
    ] {
        assert_eq!(authors_of(line), expect, "{line}");
    }
}

#[test]
fn a_name_with_a_bar_and_a_date_after_the_headline_is_the_authors() {
    for (line, expect) in [
        ("<p>Ann Orr | 2 May 2026</p>", "Ann Orr"),
        ("<p><span>Ann Orr &nbsp;|</span> <span>02.05.2026</span></p>", "Ann Orr"),
        ("<p>Ann Orr, Ben Ley • 2. Mai 2026, 08:30</p>", "Ann Orr|Ben Ley"),
        ("<div>林小明 ｜ 2026年5月2日</div>", "林小明"),
        ("<p>Ann Orr · May 2, 2026 · 5 min read</p>", "Ann Orr"),
        ("<p>Ann Orr | Senior Writer | 2 May 2026</p>", "Ann Orr"),
        // A section, no date, and a date that is not next to it.
        ("<p><a href=/real-estate>Real Estate |</a> 2 May 2026</p>", ""),
        ("<p>Ann Orr | The Lights | 2 May 2026</p>", ""),
        ("<p>Lights | 2 May 2026</p>", ""),
        ("<p>Harbour News | 2 May 2026</p>", ""),
        ("<p>Ann Orr | Lights</p>", ""),
        ("<p>Ann Orr | seen on 2 May 2026</p>", ""),
        ("<p>The ferry sails again | 2 May 2026</p>", ""),
    ] {
        assert_eq!(authors_of(line), expect, "{line}");
    }
}

/// Newspapers print the writer's name in bold over the text.
#[test]
fn a_name_in_bold_over_the_text_is_its_author() {
    let text =
        format!("<p>{}</p>", "The ferry sailed at nine with the band on board, and it came back at noon. ".repeat(3));
    let organisation = "<meta name=author content='Harbour Tidings Newspaper'>";
    for (over, expect) in [
        (format!("<p><strong>Ann Orr</strong></p>{text}"), "Ann Orr"),
        (format!("<p>&nbsp;</p><p><b>ANN ORR</b></p>{text}"), "ANN ORR"),
        (format!("{organisation}<p><b>Ann Orr/Ben van Ley</b></p>{text}"), "Ann Orr|Ben van Ley"),
        (format!("<p><b>Ann Orr and Ben Ley</b></p>{text}"), "Ann Orr|Ben Ley"),
        // Somebody else, a place, a heading, a name that is not over the text, or words.
        (format!("<meta name=author content='Cy Moe'><p><b>Ann Orr</b></p>{text}"), "Cy Moe"),
        (format!("<p>Ann Orr</p>{text}"), ""),
        (format!("<p><b>Skerry</b></p>{text}"), ""),
        (format!("<p><b>Ann Orr</b> sails</p>{text}"), ""),
        (format!("<h2><b>Ann Orr</b></h2>{text}"), ""),
        (format!("{text}<p><b>Ann Orr</b></p>"), ""),
        (format!("<p><b>The ferry sails</b></p>{text}"), ""),
    ] {
        assert_eq!(authors_of(&over), expect, "{over}");
    }
}

#[test]
fn the_publisher_in_the_head_is_no_author_beside_a_person() {
    let head = "<meta name=publisher content='Skerry Wave (www.wave.example)'><meta name=author content='Skerry Wave (www.wave.example)'>";
    for (line, expect) in [
        ("<ul><li><b>Autorin/Autor</b> Ann Orr</li></ul>", "Ann Orr"),
        ("<p class=byline>Ann Orr</p>", "Ann Orr"),
        ("", "Skerry Wave (www.wave.example)"),
    ] {
        assert_eq!(authors_of(&format!("{head}{line}")), expect, "{line}");
    }
}

#[test]
fn words_for_by_are_known_in_many_forms() {
    for (line, expect) in [
        ("Report by Ann Orr", "Ann Orr"),
        ("Text: Ann Orr", "Ann Orr"),
        ("Story: Ann Orr", "Ann Orr"),
        ("Guest post by Ann Orr", "Ann Orr"),
        ("Ein Gastbeitrag von Änne Öhr", "Änne Öhr"),
        ("Text: Änne Öhr", "Änne Öhr"),
        ("Propos recueillis par Anne Orre", "Anne Orre"),
        ("Texte : Anne Orre", "Anne Orre"),
        ("Texto: Ana Orra", "Ana Orra"),
        ("Articolo di Anna Orri", "Anna Orri"),
        ("dal nostro inviato Carlo Orri", "Carlo Orri"),
        ("Reportagem: Ana Orra", "Ana Orra"),
        ("Tekst: Anna van Orr", "Anna van Orr"),
        ("Journalist Anna Orr", "Anna Orr"),
        ("Автор статьи: Анна Орр", "Анна Орр"),
        ("Авторы: Анна Орр, Пётр Лей", "Анна Орр|Пётр Лей"),
        ("Autorka: Anna Orr", "Anna Orr"),
        ("Yazan: İpek Or", "İpek Or"),
        ("Haber: İpek Or", "İpek Or"),
        ("Γράφει η Άννα Ορρ", "Άννα Ορρ"),
        ("كتب: سمير الخطيب", "سمير الخطيب"),
        ("[항구신문=홍길동 기자]", "홍길동"),
        ("항구신문 홍길동 기자", "홍길동"),
        ("입력 2024.05.14 08:30 홍길동 기자", "홍길동"),
        ("홍길동, 김철수 기자", "홍길동|김철수"),
        ("本报记者 林小明 报道", "林小明"),
        ("【记者林小明／港城报导】", "林小明"),
        // Words that begin something else.
        ("Text messages of Ann Orr", ""),
        ("By the spring the ferry sails again, say the masons", ""),
        ("كتب جديدة", ""),
    ] {
        assert_eq!(authors_of(&format!("<div>{line}</div>")), expect, "{line}");
    }
}

#[test]
fn a_byline_ends_where_it_speaks_of_something_else() {
    for (line, expect) in [
        ("By Ann Orr 4 min read", "Ann Orr"),
        ("By Ann Orr and Ben Ley 3 hours ago", "Ann Orr|Ben Ley"),
        ("By Ann Orr (Staff Writer)", "Ann Orr"),
        ("Par Anne Orre (avec AFP)", "Anne Orre"),
        ("By Ann Orr, photos by Ben Ley", "Ann Orr"),
        ("Words by Ann Orr and photography by Ben Ley", "Ann Orr"),
        ("By Ann Orr. Translated by Ben Ley", "Ann Orr"),
        ("By Ann Orr Fact checked by Ben Ley", "Ann Orr"),
        ("By Ann Orr, edited by Ben Ley", "Ann Orr"),
        ("Von Änne Öhr, Fotos von Ben Ley", "Änne Öhr"),
        ("By Ann Orr Special to the Courier", "Ann Orr"),
        ("By Ann Orr and others", "Ann Orr"),
        ("By Ann Orr, Ben Ley et al.", "Ann Orr|Ben Ley"),
        ("By Ann Orr, Reuters", "Ann Orr"),
        ("By ANN ORR, Associated Press", "ANN ORR"),
        ("Posted on May 3, 2026 by Ann Orr", "Ann Orr"),
        ("Monday May 3, 2026 10:05 am PDT by Ann Orr", "Ann Orr"),
        ("Publié le 3 mai 2026 à 10h par Anne Orre", "Anne Orre"),
        ("Par Anne Orre, le 3 mai 2026", "Anne Orre"),
        ("By Ann Orr Published May 3, 2026", "Ann Orr"),
        // What belongs to a name.
        ("By Omar al-Amin and Jean d’Arcy", "Omar al-Amin|Jean d’Arcy"),
        ("By Ann Orr, Jr.", "Ann Orr, Jr."),
        ("By Ann Orr, MD, RYT 200", "Ann Orr, MD, RYT 200"),
        ("By Ann Orr, MD, MPH", "Ann Orr, MD, MPH"),
        // Nobody who wrote.
        ("Photos by Ben Ley", ""),
        ("Medically reviewed by Ben Ley", ""),
    ] {
        for page in [format!("<p>{line}</p>"), format!("<p class=byline>{line}</p>")] {
            assert_eq!(authors_of(&page), expect, "{page}");
        }
    }
}

#[test]
fn markup_around_names_is_no_part_of_them() {
    for (page, expect) in [
        ("<p class=byline>Ann Orr / Ben Ley</p>", "Ann Orr|Ben Ley"),
        (
            "<div class=byline><p class=author><a href=/a>Ann Orr</a><i>Senior reporter</i></p><p class=author><a href=/b>Ben Ley</a><i>Harbour editor</i></p></div>",
            "Ann Orr|Ben Ley",
        ),
        ("<p class=author><style>.a{top:0}</style><script>var a;</script>Ann Orr</p>", "Ann Orr"),
        ("<p class=author>dpa</p>", "dpa"),
        ("<p class=yazar>İpek Or</p>", "İpek Or"),
        (
            "<div><p class=author>Medically reviewed by <a href=/b>Ben Ley</a></p><p class=author>Written by <a href=/a>Ann Orr</a></p></div>",
            "Ann Orr",
        ),
        ("<meta property=article:author content=/author/ann-orr/><p>By Ann Orr</p>", "Ann Orr"),
        ("<meta name=author content='&lt;img src=https://x.example/a.png&gt;Ann Orr'>", "Ann Orr"),
        ("<meta name=DC.creator content='Orr, Ann'><meta name=DC.creator content='Ley, Ben'>", "Ann Orr|Ben Ley"),
        ("<meta name=DC.creator content='Ann Orr, The Courier'>", "Ann Orr"),
        ("<meta name=citation_authors content='Orr, Ann M.; Ley, Ben'>", "Ann M. Orr|Ben Ley"),
        // The site in the place of a person.
        (
            "<a href=/>The Harbour Tidings</a><script type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"@type\":\"Person\",\"name\":\"The Harbour Tidings\"}}</script><p>By Ann Orr</p>",
            "Ann Orr",
        ),
        (
            "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"@type\":\"Role\",\"author\":{\"name\":\"Ann Orr\"}}}</script>",
            "Ann Orr",
        ),
        (
            "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"givenName\":\"Ann\",\"additionalName\":\"M.\",\"familyName\":\"Orr\"}}</script>",
            "Ann M. Orr",
        ),
    ] {
        assert_eq!(authors_of(page), expect, "{page}");
    }
    let story =
        "<p>The ferry sailed at nine with the band on board, and a cat kept watch over the crew.</p>".repeat(20);
    for (end, expect) in [
        ("<section class=related><h2>Related</h2><p class=author>By Ben Ley</p></section>", ""),
        ("<p><b>Автор:</b> Анна Орр</p>", "Анна Орр"),
    ] {
        assert_eq!(authors_of(&format!("{story}{end}")), expect, "{end}");
    }
}
