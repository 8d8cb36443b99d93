//! Families of pages: for each piece of metadata, each kind of evidence and each element that a
//! renderer knows, a page with as many of them as is wanted.

/// Where the pieces of a family stand.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// In the head.
    Head,
    /// In the list of a JSON-LD script, which begins like this.
    Linked(&'static str),
    /// In the body, before the headline.
    Above,
    /// In the body, after the text.
    Below,
    /// In one paragraph.
    Line,
    /// In one element, which begins like this.
    Within(&'static str),
    /// In the body, after what this makes of the number of pieces.
    Behind(fn(usize) -> String),
}

use Place::{Above, Behind, Below, Head, Line, Linked, Within};

/// A family's name, the place of its pieces, and the piece of a number.
pub(crate) struct Family(pub(crate) &'static str, pub(crate) Place, pub(crate) fn(usize) -> String);

impl Family {
    /// The page with so many pieces. A page of the other side has other words at the same places.
    pub(crate) fn page(&self, items: usize, side: usize) -> Vec<u8> {
        let Family(_, place, piece) = self;
        let pieces: String = (0..items).map(|n| piece(n + side)).collect();
        let mut at = [const { String::new() }; 3];
        let [head, above, below] = &mut at;
        match place {
            Head => *head = pieces,
            Linked(begin) => *head = format!("<script type=application/ld+json>{begin}{pieces}null]}}</script>"),
            Above => *above = pieces,
            Below => *below = pieces,
            Line => *below = format!("<p>{pieces}</p>"),
            Within(begin) => *below = format!("{begin}{pieces}"),
            Behind(begin) => *below = begin(items) + &pieces,
        }
        format!(
            "<!doctype html><html lang=en><head><meta charset=utf-8>{head}<title>The ferry {side} sails</title></head>\
             <body>{above}<h1>The ferry {side} sails</h1><p>{PROSE}</p><p>{PROSE}</p>{below}",
        )
        .into_bytes()
    }
}

const PROSE: &str = "The ferry sailed at nine with the band on board, and the harbour master waved until it was \
    out of sight, which took longer than anybody had expected on such a clear and quiet morning in May.";

/// Every family. A new field, kind of evidence or element needs a row.
pub(crate) const FAMILIES: &[Family] = &[
    // Titles.
    Family("title", Head, |n| format!("<title>Story {n}</title>")),
    Family("title in og", Head, |n| format!("<meta property=og:title content='Story {n}'>")),
    Family("title in twitter", Head, |n| format!("<meta name=twitter:title content='Story {n}'>")),
    Family("title of parts", Within("<title>"), |n| format!("Part {n} | ")),
    Family("title of parts in og", Within("<meta property=og:title content='"), |n| format!("Part {n} - ")),
    Family("headline linked", Linked("{\"@type\":\"Article\",\"headline\":["), |n| format!("\"Story {n}\",")),
    Family("headline marked", Below, |n| format!("<b itemprop=headline>Story {n}</b>")),
    Family("headings", Below, |n| format!("<h2>Story {n}</h2>")),
    Family("headings of the first level", Above, |n| format!("<h1>Story {n}</h1>")),
    Family("headings of spans", Below, |n| format!("<h3><span>S</span>tory {n}</h3>")),
    Family("spans in a heading", Within("<h1>"), |n| format!("<span>word{n}</span>")),
    // Authors.
    Family("author", Head, |n| format!("<meta name=author content='Ann Orr{n}'>")),
    Family("authors in one", Within("<meta name=author content='"), |n| format!("Ann Orr{}, ", letters(n))),
    Family("authors joined", Within("<meta name=author content='"), |n| format!("Ann Orr{} and ", letters(n))),
    Family("citation authors", Head, |n| format!("<meta name=citation_author content='Orr{n}, Ann'>")),
    Family("authors linked", Linked("{\"@type\":\"Article\",\"author\":["), |n| {
        format!("{{\"@type\":\"Person\",\"name\":\"Ann Orr{}\"}},", letters(n))
    }),
    Family("authors linked by name", Linked("{\"@type\":\"Article\",\"author\":["), |n| {
        format!("\"Ann Orr{}\",", letters(n))
    }),
    Family("authors by rel", Below, |n| format!("<a rel=author href=/a/{n}>Ann Orr{}</a> ", letters(n))),
    Family("authors by property", Above, |n| format!("<b itemprop=author>Ann Orr{}</b> ", letters(n))),
    Family("bylines", Below, |n| format!("<p class=byline>By Ann Orr{}</p>", letters(n))),
    Family("bylines above", Above, |n| format!("<p class=byline>By Ann Orr{}</p>", letters(n))),
    Family("names in a byline", Within("<p class=byline>By "), |n| format!("<a href=/a>Ann Orr{}</a>, ", letters(n))),
    Family("words in a byline", Within("<p class=byline>By "), |n| format!("Ann Orr{}, ", letters(n))),
    Family("authors by folder", Below, |n| format!("<a href=/author/ann-orr{n}>Ann Orr{}</a> ", letters(n))),
    Family("by text", Below, |n| format!("<p>By Ann Orr{}</p>", letters(n))),
    Family("by text above", Above, |n| format!("<p>By Ann Orr{}</p>", letters(n))),
    Family("by text in a line", Line, |n| format!("By Ann Orr{} ", letters(n))),
    Family("by text in leaves", Line, |n| format!("<b>By</b> <i>Ann Orr{}</i> and ", letters(n))),
    Family("written by", Below, |n| format!("<p>This post was written by Ann Orr{}.</p>", letters(n))),
    Family("posters", Below, |n| format!("<div class=post><b class=username>ann{n}</b><p>Said {n}</p></div>")),
    Family("addresses", Below, |n| format!("<address>Ann Orr {n}</address>")),
    // Dates.
    Family("date", Head, |n| format!("<meta property=article:published_time content=2026-05-{:02}>", 1 + n % 28)),
    Family("dates linked", Linked("{\"@type\":\"Article\",\"datePublished\":["), |n| {
        format!("\"2026-05-{:02}T0{}:00:00Z\",", 1 + n % 28, n % 10)
    }),
    Family("times", Below, |n| format!("<time datetime=2026-05-{:02}>May {n}</time> ", 1 + n % 28)),
    Family("times above", Above, |n| format!("<time datetime=2026-05-{:02}>May {n}</time> ", 1 + n % 28)),
    Family("dates by property", Below, |n| format!("<b itemprop=datePublished>{} May 2026</b> ", 1 + n % 28)),
    Family("dates", Below, |n| format!("<p>{} May 20{:02}</p>", 1 + n % 28, n % 27)),
    Family("dates above", Above, |n| format!("<p>{} May 20{:02}</p>", 1 + n % 28, n % 27)),
    Family("dates in a line", Line, |n| format!("{} May 20{:02}, ", 1 + n % 28, n % 27)),
    Family("dates in figures", Below, |n| format!("<p class=date>{:02}.05.20{:02}</p>", 1 + n % 28, n % 27)),
    Family("updated", Below, |n| format!("<p>Updated: May {}, 2026</p>", 1 + n % 28)),
    Family("figures", Line, |n| format!("{} {} 20{:02} ", n % 32, n % 13, n % 27)),
    // Other metadata.
    Family("image", Head, |n| format!("<meta property=og:image content=/{n}.png>")),
    Family("images linked", Linked("{\"@type\":\"Article\",\"image\":["), |n| format!("{{\"url\":\"/{n}.png\"}},")),
    Family("images by property", Below, |n| format!("<img itemprop=image src=/{n}.png>")),
    Family("site name", Head, |n| format!("<meta property=og:site_name content='Courier {n}'>")),
    Family("publishers", Linked("{\"@graph\":["), |n| {
        format!("{{\"@type\":\"Article\",\"publisher\":{{\"name\":\"Courier {n}\"}}}},")
    }),
    Family("homes", Above, |n| format!("<a href=/>Courier {n}</a>")),
    Family("homes with images", Above, |n| format!("<a href=/><img alt='Courier {n}'></a>")),
    Family("description", Head, |n| format!("<meta name=description content='The ferry sails {n}'>")),
    Family("description of words", Within("<meta name=description content='"), |n| format!("word{n} ")),
    Family("languages", Head, |n| format!("<meta http-equiv=content-language content=l{n}>")),
    Family("languages of elements", Below, |n| format!("<p lang=l{n}>word{n}</p>")),
    Family("alternates", Head, |n| format!("<link rel=alternate hreflang=l{n} href=/{n}>")),
    Family("scripts of the world", Line, |n| ["море ", "海の上", "θάλασσα ", "بحر ", "sea "][n % 5].to_owned()),
    Family("canonical", Head, |n| format!("<link rel=canonical href=/{n}>")),
    Family("licences", Below, |n| format!("<a rel=license href=/{n}>Licence {n}</a>")),
    Family("keywords", Head, |n| format!("<meta name=keywords content='word{n}'>")),
    Family("keywords in one", Within("<meta name=keywords content='"), |n| format!("word{n}, ")),
    Family("keywords linked", Linked("{\"@type\":\"Article\",\"keywords\":["), |n| format!("\"word{n}\",")),
    Family("tags", Head, |n| format!("<meta property=article:tag content='word{n}'>")),
    Family("tags by rel", Below, |n| format!("<a rel=tag href=/t/{n}>word{n}</a> ")),
    Family("metas", Head, |n| format!("<meta name=m{n} content='word{n}'>")),
    Family("feeds", Head, |n| format!("<link rel=alternate type=application/rss+xml href=/{n}.xml>")),
    Family("bases", Head, |n| format!("<base href=/{n}/>")),
    Family("refreshes", Head, |n| format!("<meta http-equiv=refresh content='{n}; url=/{n}'>")),
    Family("robots", Head, |n| format!("<meta name=robots content='max-snippet:{n}'>")),
    Family("things", Linked("{\"@graph\":["), |n| {
        format!("{{\"@type\":\"Thing\",\"@id\":\"#{n}\",\"name\":\"T{n}\"}},")
    }),
    Family("things that refer", Linked("{\"@graph\":["), |n| {
        format!("{{\"@type\":\"Article\",\"@id\":\"#{n}\",\"author\":{{\"@id\":\"#{}\"}}}},", n + 1)
    }),
    Family("scripts", Head, |n| {
        format!("<script type=application/ld+json>{{\"@type\":\"Thing\",\"name\":\"{n}\"}}</script>")
    }),
    Family("broken scripts", Head, |n| format!("<script type=application/ld+json>{{\"name\":\"{n}\",,}}</script>")),
    Family("lists in lists", Linked("{\"@graph\":["), |_| "[".to_owned()),
    Family("items", Below, |n| {
        format!("<div itemscope itemtype=http://schema.org/Thing><b itemprop=name>T{n}</b></div>")
    }),
    Family("items in items", Below, |n| format!("<div itemscope><b itemprop=name>T{n}</b>")),
    // Evidence.
    Family("paragraphs", Below, |n| format!("<p>Word{n} and word{}.</p>", n / 2)),
    Family("paragraphs in boxes", Below, |n| format!("<div class=c{n} id=i{n}><p>Word{n}</p></div>")),
    Family("one class", Below, |n| format!("<div class=story><p>Word{n}</p></div>")),
    Family("classes", Within("<div class='"), |n| format!("c{n} ")),
    Family("nested", Below, |n| format!("<div class=c{n}>a")),
    Family("nested and closed", Below, |n| format!("<div><div><div><p>Word{n}</p></div></div></div>")),
    Family("links", Below, |n| format!("<a href=/{n}>Story {n}</a> ")),
    Family("links in paragraphs", Below, |n| format!("<p><a href=/{n}>Story {n}</a></p>")),
    Family("links elsewhere", Below, |n| format!("<p><a href=http://h{n}.example/{n}?a=b&c=d>Story {n}</a></p>")),
    Family("anchors", Below, |n| format!("<p id=a{n}><a href=#a{}>Word{n}</a></p>", n + 1)),
    Family("lines", Line, |n| format!("word{n}<br>")),
    Family("words", Line, |n| format!("word{n} ")),
    Family("inline", Line, |n| format!("<b>word{n}</b> ")),
    Family("inline in each other", Line, |n| format!("<b>a{n}")),
    Family("inline across", Below, |n| format!("<b><p>a{n}</b>")),
    Family("hidden", Below, |n| format!("<div hidden><p>Word{n}</p></div>")),
    Family("hidden by style", Below, |n| format!("<p style='display:none'>Word{n}</p>")),
    Family("aria", Below, |n| format!("<div aria-hidden=true><p>Word{n}</p></div>")),
    Family("menus", Above, |n| format!("<nav><ul><li><a href=/{n}>Word{n}</a></ul></nav>")),
    Family("menu of items", Within("<nav><ul>"), |n| format!("<li><a href=/{n}>Word{n}</a>")),
    Family("comments", Below, |n| format!("<div class=comment><p>Said {n}</p></div>")),
    Family("comments in one", Within("<section id=comments>"), |n| format!("<div class=comment><p>Said {n}</p></div>")),
    Family("forms", Below, |n| format!("<form><label>Name {n}</label><input name=n{n}><button>Send</button></form>")),
    Family("options", Within("<select>"), |n| format!("<option>Word{n}</option>")),
    Family("noscript", Below, |n| format!("<noscript><img src=/{n}.png></noscript>")),
    Family("noscript with text", Below, |n| format!("<noscript><p>Word{n}</p></noscript>")),
    Family("noscript in the head", Head, |n| format!("<noscript><link href=/{n}.css></noscript>")),
    Family("frames", Below, |n| format!("<iframe src=/{n}></iframe>")),
    Family("frame documents", Below, |n| format!("<iframe srcdoc='<p>Word{n}</p>'></iframe>")),
    Family("templates", Below, |n| format!("<template><p>Word{n}</p></template>")),
    Family("shadows", Below, |n| {
        format!("<x-a><template shadowrootmode=open><p>Word{n}</p><slot></slot></template><i>In{n}</i></x-a>")
    }),
    Family("articles", Below, |n| format!("<article><h2>Story {n}</h2><p>Word{n}</p></article>")),
    Family("sections", Below, |n| format!("<section><h2>Part {n}</h2><p>Word{n}</p></section>")),
    Family("prices", Below, |n| format!("<li class=product><b>Thing {n}</b> <i>{n}.00 €</i></li>")),
    Family("crumbs", Within("<div class=breadcrumb>"), |n| format!("<a href=/{n}>Word{n}</a> &gt; ")),
    Family("references", Line, |n| format!("&amp;{n};&eacute")),
    Family("broken tags", Below, |n| format!("<p <b a{n}='<' </p>")),
    Family("end tags", Below, |_| "</div></p></b>".to_owned()),
    Family("remarks", Below, |n| format!("<!-- word{n} --><p>a</p>")),
    Family("xml", Below, |n| format!("<a{n}:b/><p/>")),
    // Elements of renderers.
    Family("list", Within("<ul>"), |n| format!("<li>Word{n} is here</li>")),
    Family("lists", Below, |n| format!("<ol start={n}><li>Word{n}</ol>")),
    Family("lists within lists", Below, |n| format!("<ul><li>Word{n}")),
    Family("terms", Within("<dl>"), |n| format!("<dt>Term {n}<dd>Word{n}")),
    Family("rows", Within("<table>"), |n| format!("<tr><td>Word{n}<td>{n}</tr>")),
    Family("cells", Within("<table><tr>"), |n| format!("<td>Word{n}")),
    Family("spanning cells", Within("<table>"), |n| format!("<tr><td rowspan={n} colspan=9>Word{n}<td>{n}</tr>")),
    Family("tables", Below, |n| format!("<table><tr><th>Head<tr><td>Word{n}</table>")),
    Family("tables in tables", Below, |n| format!("<table><tr><td>Word{n}")),
    Family("quotes", Below, |n| format!("<blockquote><p>Word{n} said so</p></blockquote>")),
    Family("code", Below, |n| format!("<pre><code>let word{n} = {n};\n</code></pre>")),
    Family("lines of code", Within("<pre><code>"), |n| format!("<span>let</span> word{n} = {n};\n")),
    Family("numbered lines", Within("<table>"), |n| format!("<tr><td class=gutter>{n}<td><pre>let a{n};</pre></tr>")),
    Family("code in a line", Line, |n| format!("<code>word{n}</code> and ")),
    Family("pictures", Below, |n| format!("<p><img src=/{n}.png alt='Word{n}'></p>")),
    Family("lazy pictures", Below, |n| {
        format!("<img data-src=/{n}.png src=data:,><noscript><img src=/{n}.png></noscript>")
    }),
    Family("sets of pictures", Below, |n| {
        format!("<picture><source srcset='/{n}.webp 2x'><img src=/{n}.png></picture>")
    }),
    Family("sources of a picture", Within("<p><img srcset='"), |n| format!("/{n}.png {n}w, ")),
    Family("figures with captions", Below, |n| {
        format!("<figure><img src=/{n}.png><figcaption>Word{n}</figcaption></figure>")
    }),
    Family("notes", Below, |n| {
        format!("<p>Word{n}<sup id=r{n}><a href=#n{n}>{n}</a></sup></p><p id=n{n}><a href=#r{n}>^</a> Note {n}</p>")
    }),
    Family("formulas", Below, |n| format!("<math><mi>x</mi><mo>=</mo><mfrac><mn>{n}</mn><mi>y</mi></mfrac></math>")),
    Family("formulas in scripts", Below, |n| format!("<p>So <script type=math/tex>x={n}</script></p>")),
    Family("formulas in text", Line, |n| format!("\\(x={n}\\) and $y$ ")),
    Family("shortcodes", Below, |n| format!("<p>[caption id={n}]Word{n}[/caption]</p>")),
    Family("rules", Below, |n| format!("<p>Word{n}</p><hr>")),
    Family("details", Below, |n| format!("<details><summary>Word{n}</summary><p>More {n}</p></details>")),
    Family("drawings", Below, |n| format!("<svg><title>Word{n}</title><text>Word{n}</text></svg>")),
    Family("rubies", Line, |n| format!("<ruby>海<rt>word{n}</rt></ruby>")),
    Family("tabs and signs", Line, |n| format!("*{n}* _a_ # `b` | ~~c~~ [d](e) ")),
    Family("backticks", Within("<p><code>"), |n| "`".repeat(n % 7) + " "),
    Family("embedded pages", Below, |n| {
        format!("<script type=application/json>{{\"body\":\"<p>Word{n}</p>\"}}</script>")
    }),
    // What is made to take long.
    Family("attributes of html", Below, |n| format!("<html a{n}=b>")),
    Family("attributes of body", Below, |n| format!("<body a{n}=b>")),
    Family("one attribute", Within("<p title='"), |n| format!("word{n} ")),
    Family("style", Within("<p style='"), |n| format!("a{n}:b;")),
    Family("relations", Within("<a href=/ rel='"), |n| format!("r{n} ")),
    Family("long path", Within("<a href='/"), |n| format!("author/{n}/../")),
    Family("long base", Behind(|items| format!("<base href='/{}/'>", "long/".repeat(items / 10))), |n| {
        format!("<a href=x{n}>a</a>")
    }),
    Family("links on a long base", Behind(|items| format!("<base href='/{}/'>", "long/".repeat(items / 10))), |n| {
        format!("<p><img src=x{n}>Word{n}</p>")
    }),
    Family("deep paragraphs", Behind(|_| "<blockquote>".repeat(400)), |n| format!("<p>Word{n}</p>")),
    Family("deep lists", Behind(|_| "<ul><li>".repeat(200)), |n| format!("<li>Word{n}")),
    Family("deep inline", Behind(|_| "<b><i>".repeat(200)), |n| format!("<p>Word{n}</p>")),
    Family("deep pictures", Behind(|_| "<div>".repeat(400)), |n| format!("<img src=/{n}.png>")),
    Family("deep links", Behind(|_| "<div class=a>".repeat(400)), |n| {
        format!("<a rel=author href=/author/a{n}>Ann Orr</a>")
    }),
    Family("open formatting", Below, |n| format!("<b class=c{n}><p>")),
    Family("open links", Below, |n| format!("<a href=/{n}><div>")),
    Family("text in a table", Below, |n| format!("<table>word{n}")),
    Family("text beside cells", Within("<table>"), |n| format!("word{n}<tr>")),
    Family("inline beside cells", Within("<table>"), |n| format!("<b>word{n}<tr>")),
    Family("forms in forms", Below, |n| format!("<form><div>a{n}")),
    Family("open options", Below, |n| format!("<select><option>a{n}<optgroup>")),
    Family("open buttons", Below, |n| format!("<button>a{n}")),
    Family("foreign", Below, |n| format!("<svg><foreignObject><p>a{n}</foreignObject>")),
    Family("foreign in each other", Below, |n| format!("<svg><foreignObject><math><mi>a{n}")),
    Family("templates in each other", Below, |n| format!("<template><p>a{n}")),
    Family("open noscript", Below, |n| format!("<noscript>a{n}")),
    Family("frames in noscript", Below, |n| format!("<noscript><iframe src=/{n}>")),
    Family("styles in noscript", Below, |n| format!("<noscript><style>a{n}")),
    Family("texts in noscript", Below, |n| format!("<noscript><textarea>a{n}</noscript>")),
    Family("pictures in noscript", Within("<noscript>"), |n| format!("<img src=/{n}.png>")),
    Family("pictures beside noscript", Below, |n| format!("<img src=/{n}.png class=lazy><noscript>")),
    Family("noscripts in a figure", Within("<figure>"), |n| format!("<noscript><img src=/{n}.png alt=a></noscript>")),
    Family("open texts", Below, |n| format!("<textarea>a{n}")),
    Family("open styles", Below, |n| format!("<style>a{n}")),
    Family("open scripts", Below, |n| format!("<script>a{n}<!--<script>")),
    Family("open remarks", Below, |n| format!("<!-- a{n} --!")),
    Family("open sections", Below, |n| format!("<svg><![CDATA[a{n}")),
    Family("open quotes", Below, |n| format!("<p title='a{n}>")),
    Family("open references", Line, |n| format!("&#{n}&not&notin&ampamp")),
    Family("question marks", Below, |n| format!("<?a{n}>")),
    Family("wide cells", Within("<table>"), |n| format!("<tr><td colspan=1000>Word{n}<td>{n}</tr>")),
    Family("high cells", Within("<table>"), |n| format!("<tr><td rowspan=65534>Word{n}<td>{n}</tr>")),
    Family("broken json", Within("<script type=application/ld+json>{"), |n| format!("\"a{n}\":'b,,\n\",")),
    Family("open json", Within("<script type=application/ld+json>"), |n| format!("{{\"a{n}\":")),
    Family("by by", Line, |_| "<b>By</b> ".to_owned()),
    Family("by and by", Line, |n| format!("<b>By</b> <b>and</b> <b>Ann Orr{}</b> <b>,</b> ", letters(n))),
    Family("by apart", Below, |n| format!("<p>By</p><p>Ann Orr{}</p>", letters(n))),
    Family("by in words", Line, |_| "by by and by, ".to_owned()),
    Family("bylines in each other", Below, |n| format!("<div class=byline>Ann Orr{}", letters(n))),
    Family("authors in each other", Below, |n| format!("<div itemprop=author>Ann Orr{}", letters(n))),
    Family("times in each other", Below, |n| format!("<time datetime=2026-05-{:02}>", 1 + n % 28)),
    Family("headings in each other", Below, |n| format!("<h2><div>Word{n}")),
    Family("capitals", Line, |n| format!("Ann Orr{} ", letters(n))),
    Family("hyphens", Line, |_| "a-".to_owned()),
    Family("stops", Line, |_| "a. ".to_owned()),
    Family("brackets", Line, |_| "[a](".to_owned()),
    Family("stars", Line, |_| "*a **b ".to_owned()),
    Family("dollars", Line, |_| "$a $$ \\( ".to_owned()),
    Family("codes", Line, |_| "[a [/b ".to_owned()),
    Family("spaces", Line, |_| " \n\t".to_owned()),
    Family("signs of the world", Line, |n| {
        char::from_u32(0x4e00 + n as u32 % 20_000).map(String::from).unwrap_or_default()
    }),
    Family("marks on a letter", Line, |_| "\u{301}".to_owned()),
    Family("turned text", Line, |_| "\u{202e}a".to_owned()),
];

/// A number as letters: names have no digits.
fn letters(n: usize) -> String {
    let mut n = n + 26;
    let mut text = String::new();
    while n > 0 {
        text.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
    }
    text
}
