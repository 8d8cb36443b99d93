//! `tsrec-lab eval` on a small set of our own pages: what it prints, compares, writes and enforces.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Sites of the set, and pages per site.
const SITES: usize = 4;
const PAGES: usize = 3;

/// Writes a set of pages to a folder `set`: articles under a menu, and one page without gold. The
/// first site's pages are compressed.
fn set() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set");
    for part in ["html", "gold"] {
        std::fs::create_dir_all(set.join(part)).unwrap();
    }
    let mut meta = String::new();
    for site in 0..SITES {
        for page in 0..PAGES {
            let id = format!("{site}-{page}");
            let (html, gold) = article(site, page);
            match site {
                0 => std::fs::write(set.join(format!("html/{id}.html.gz")), packed(&html)).unwrap(),
                _ => std::fs::write(set.join(format!("html/{id}.html")), html).unwrap(),
            }
            std::fs::write(set.join(format!("gold/{id}.txt")), gold).unwrap();
            let kind = if site == 0 { "forum" } else { "article" };
            meta += &format!(
                "{{\"id\":\"{id}\",\"site\":\"site{site}.example\",\"url\":\"http://site{site}.example/news/{page}\",\
                 \"page_type\":\"{kind}\",\"with\":[\"harbour master\"],\"without\":[\"all about us\"]}}\n"
            );
        }
    }
    std::fs::write(set.join("html/z.html"), "<p>nobody marked this").unwrap();
    meta += "{\"id\":\"z\"}\n";
    std::fs::write(set.join("meta.jsonl"), meta).unwrap();
    (folder, set)
}

/// A page and its content as text.
fn article(site: usize, page: usize) -> (String, String) {
    let day = ["Monday", "Tuesday", "Wednesday"][page];
    let boat = ["ferry", "barge", "pilot boat", "trawler"][site];
    let paragraphs: Vec<String> = (0..4)
        .map(|number| {
            format!(
                "The {boat} number {number} sails again on {day}, said the harbour master of port {site}. She has a new \
                 engine, a coat of paint and {page} cats on board, who have always been there and pay no fare."
            )
        })
        .collect();
    let links = "<li><a href=/>Home page</a><li><a href=/all>All about us</a><li><a href=/jobs>Jobs</a>";
    let body = paragraphs.iter().map(|paragraph| format!("<p>{paragraph}")).collect::<String>();
    let html = format!("<title>x</title><ul>{links}</ul><div><h1>Port {site}</h1>{body}</div><ul>{links}</ul>");
    (html, format!("Port {site}\n{}", paragraphs.join("\n")))
}

fn packed(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn run(args: &[&str], set: Option<&Path>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tsrec-lab")).arg("eval").args(args).args(set).output().unwrap()
}

/// The output of a successful run.
fn eval(args: &[&str], set: &Path) -> String {
    let output = run(args, Some(set));
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The error message of a failed run. The exit code is 1 for errors in a set, 2 for arguments that
/// do not fit together.
fn refused(args: &[&str], set: Option<&Path>) -> String {
    let output = run(args, set);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

/// The cells of the row with this name.
fn row<'t>(table: &'t str, name: &str) -> Vec<&'t str> {
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.into_iter().find(|cells| cells.first() == Some(&name)).unwrap_or_else(|| panic!("no row {name} in\n{table}"))
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("{cell} is no number"))
}

#[test]
fn figures_are_given_by_set_kind_and_site() {
    let (_folder, set) = set();
    let by_set = eval(&["--method", "mss-blocks"], &set);
    assert_eq!(row(&by_set, "set")[1..3], ["12", "0"]);
    let by_kind = eval(&["--method", "mss-blocks", "--by", "kind"], &set);
    assert_eq!((row(&by_kind, "set/forum")[1], row(&by_kind, "set/article")[1]), ("3", "9"));
    assert_eq!(by_kind.lines().count(), 3);
    let by_site = eval(&["--method", "mss-blocks", "--by", "site"], &set);
    assert_eq!(row(&by_site, "set/site3.example")[1], "3");
    assert!(by_site.ends_with("sites with a mean bowF of 0.9 and more\n"), "{by_site}");
}

#[test]
fn the_measure_of_wcxb_counts_snippets() {
    let (_folder, set) = set();
    let table = eval(&["--method", "mss-blocks", "--report", "wcxb"], &set);
    let cells = row(&table, "set");
    assert_eq!(cells[1], "12");
    assert_eq!((number(cells[5]), number(cells[6])), (1.0, 0.0), "{table}");
}

#[test]
fn snippets_are_looked_for_in_the_markdown_too() {
    let (_folder, set) = set();
    let table = eval(&["--method", "mss-blocks", "--report", "markdown"], &set);
    let cells = row(&table, "set");
    assert_eq!((cells[1], number(cells[2]), number(cells[3])), ("12", 1.0, 1.0), "{table}");
}

#[test]
fn kinds_are_told_and_held_against_those_that_are_known() {
    let (_folder, set) = set();
    let by_kind = eval(&["--report", "kinds", "--by", "kind"], &set);
    let counts = |name: &str| row(&by_kind, name)[3..].iter().map(|cell| number(cell)).collect::<Vec<f64>>();
    for (name, pages) in [("set/article", 9.0), ("set/forum", 3.0), ("all", 12.0)] {
        assert_eq!(counts(name).iter().sum::<f64>(), pages, "{by_kind}");
    }
    // The pages of both kinds are the same articles.
    let right = |name: &str| number(row(&by_kind, name)[2]);
    assert_eq!((right("set/article"), right("set/forum"), right("all")), (1.0, 0.0, 0.75), "{by_kind}");
    // The report shows the kind of the page even if the set does not give it.
    assert_eq!(row(&eval(&["--report", "kinds"], &set), "set")[1], "13");
    let untold = ["--report", "kinds", "--method", "mss-blocks"];
    assert!(refused(&untold, Some(&set)).contains("nothing is known"));
}

#[test]
fn calibration_is_a_table_of_tenths_and_one_of_sets() {
    let (_folder, set) = set();
    let table = eval(&["--report", "calibration", "--by", "kind"], &set);
    let tenths: Vec<&str> = table.lines().take_while(|line| !line.is_empty()).collect();
    assert!(tenths[0].starts_with("confidence"), "{table}");
    let pages: f64 = tenths[1..].iter().map(|line| number(line.split_whitespace().nth(3).unwrap())).sum();
    assert_eq!((pages, row(&table, "all")[1], row(&table, "set/forum")[1]), (12.0, "12", "3"));
    let json = eval(&["--report", "calibration", "--by", "kind", "--json"], &set);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let of =
        |name: &str| json["tenths"].as_array().unwrap().iter().map(|tenth| tenth[name].as_f64().unwrap()).sum::<f64>();
    assert_eq!(of("pages"), 12.0);
    let all = json["rows"].as_array().unwrap().iter().find(|row| row["name"] == "all").unwrap();
    assert_eq!(format!("{:.4}", all["F1"].as_f64().unwrap()), row(&table, "all")[5]);
    assert!(refused(&["--report", "wcxb", "--json"], Some(&set)).contains("--report calibration"));
}

#[test]
fn intervals_hold_the_mean() {
    let (_folder, set) = set();
    let table = eval(&["--method", "longest", "--intervals", "--by", "kind"], &set);
    for name in ["set/article", "all"] {
        let cells = row(&table, name);
        let (f1, low, high) = (number(cells[5]), number(cells[11]), number(cells[12]));
        assert!(low <= f1 && f1 <= high, "{table}");
    }
    // The forum is a single site, so there are no results for other sites.
    assert_eq!(row(&table, "set/forum")[11..], ["-", "-"]);
}

#[test]
fn siblings_are_offered_as_many_as_asked_for() {
    let (_folder, set) = set();
    let table = eval(&["--report", "siblings"], &set);
    let head = table.lines().next().unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(head, ["dataset", "pages", "paired", "0", "1", "2", "4", "8", "all"]);
    let cells = row(&table, "set");
    assert_eq!(cells[1..3], ["12", "12"]);
    // The curve joins the results of single runs, and no page has more than two siblings.
    for (at, siblings) in [(3, "0"), (4, "1"), (5, "2"), (7, "9")] {
        assert_eq!(cells[at], row(&eval(&["--siblings", siblings], &set), "set")[5], "{siblings}");
    }
    let method = |siblings: &str| {
        let lines = eval(&["--json", "--siblings", siblings], &set);
        let page: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        page["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(method("1"), "template");
    assert_ne!(method("0"), "template");
}

/// Its gold belongs to another page, as happens in real sets. No person could have labelled it, and
/// the model learns nothing from it.
#[test]
fn a_page_without_its_gold_teaches_nothing() {
    let (_folder, set) = set();
    let judged = |taught: &str| {
        let lines = eval(&["--json", "--siblings", "1", "--taught", taught], &set);
        lines.lines().filter(|line| line.contains("\"1-")).map(str::to_owned).collect::<Vec<_>>()
    };
    let menu = "Home page All about us Jobs Home page All about us Jobs";
    for page in 0..PAGES {
        std::fs::write(set.join(format!("gold/1-{page}.txt")), menu).unwrap();
    }
    assert_ne!(judged("1"), judged("0"), "what the page has is learned, even of a menu");
    for page in 0..PAGES {
        let elsewhere = article(3, page).1.replace("sails", "rolls").to_uppercase();
        std::fs::write(set.join(format!("gold/1-{page}.txt")), format!("{menu} {elsewhere} {elsewhere}")).unwrap();
    }
    assert_eq!(judged("1"), judged("0"), "mostly elsewhere");
}

#[test]
fn the_worst_pages_are_named_with_what_is_wrong() {
    let (_folder, set) = set();
    // Gold that is not on the page, and a sentence of the menu.
    std::fs::write(set.join("gold/2-1.txt"), "Home page All about us Jobs and what nobody wrote").unwrap();
    let said = eval(&["--method", "mss-blocks", "--worst", "2"], &set);
    let worst = said.split("worst page").nth(1).unwrap();
    let named: Vec<&str> = worst.lines().filter(|line| line.starts_with("set/")).collect();
    assert_eq!(named.len(), 2, "{worst}");
    assert!(named[0].starts_with("set/2-1") && named[0].ends_with("mss-blocks"), "{worst}");
    assert!(worst.contains("html > body > div > p:nth-of-type(1)"), "{worst}");
}

#[test]
fn a_report_that_has_no_row_says_what_the_set_wants() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set");
    for (file, text) in [
        ("html/a.html", "<p>Some words of a page that has a gold text and nothing else beside it."),
        ("gold/a.txt", "Some words of a page that has a gold text and nothing else beside it."),
        ("meta.jsonl", "{\"id\":\"a\"}"),
    ] {
        std::fs::create_dir_all(set.join(file).parent().unwrap()).unwrap();
        std::fs::write(set.join(file), text).unwrap();
    }
    for (args, said) in
        [(["--report", "metadata"], "title, author and date in its line"), (["--by", "kind"], "--kind SET=KIND")]
    {
        let output = run(&args, Some(&set));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && stderr.contains(said), "{args:?}: {stderr}");
    }
}

#[test]
fn two_runs_are_set_side_by_side() {
    let (folder, set) = set();
    let write = |name: &str, args: &[&str]| {
        let file = folder.path().join(name);
        std::fs::write(&file, eval(&[args, &["--json"]].concat(), &set)).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (before, after) = (write("a", &["--method", "longest"]), write("b", &["--method", "mss-blocks"]));
    let compare = |args: &[&str]| {
        let output = run(&[&["--compare"], args].concat(), None);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let table = compare(&[&before, &after]);
    let cells: Vec<f64> = row(&table, "set")[1..].iter().map(|cell| number(cell)).collect();
    let [pages, mean_before, mean_after, difference, low, high, better, worse] = cells[..] else { panic!("{table}") };
    assert_eq!(pages, 12.0);
    let single = |method: &str| number(row(&eval(&["--method", method], &set), "set")[5]);
    assert_eq!((mean_before, mean_after), (single("longest"), single("mss-blocks")));
    assert!((mean_after - mean_before - difference).abs() < 2e-4, "{table}");
    assert!(low <= difference && difference <= high && better + worse <= pages, "{table}");
    let same = compare(&[&after, &after, "--by", "kind"]);
    assert_eq!(row(&same, "all")[4..], ["0.0000", "0.0000", "0.0000", "0", "0"]);
    assert!(refused(&["--compare", &before, "no such file"], None).contains("no such file cannot be read"));
}

#[test]
fn a_run_is_written_as_one_html_page() {
    let (folder, set) = set();
    let file = folder.path().join("run.html");
    eval(&["--html", file.to_str().unwrap()], &set);
    let page = std::fs::read_to_string(&file).unwrap();
    for part in [
        "By set",
        "By kind of page",
        "set/forum",
        "<svg",
        "Confidence",
        "Worst pages",
        "Mean distance between confidence",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}: the page needs nothing beside it");
    }
}

#[test]
fn floors_hold_rise_and_fall_only_when_told_to() {
    let (folder, set) = set();
    let file = folder.path().join("floors.toml");
    let path = file.to_str().unwrap();
    let write = |floor: &str| {
        let text =
            format!("[[floor]]\noptions = \"--method mss-blocks\"\ncolumn = \"bowF\"\nrows = {{ set = {floor} }}\n");
        std::fs::write(&file, text).unwrap();
    };
    let floor = || {
        tsrec_lab::eval::floors::Floors::parse(&std::fs::read_to_string(&file).unwrap()).unwrap().runs[0].rows["set"]
    };
    let reached = number(row(&eval(&["--method", "mss-blocks"], &set), "set")[5]);

    write("0.1");
    eval(&["--floors", path], &set);
    assert_eq!(floor(), 0.1);
    eval(&["--floors", path, "--update-floors"], &set);
    assert!(floor() <= reached - 0.004 && floor() >= reached - 0.006, "{} for {reached}", floor());

    write("1.1");
    let said = refused(&["--floors", path, "--update-floors"], Some(&set));
    assert!(said.contains("set: bowF") && said.contains("is below 1.1 (--method mss-blocks)"), "{said}");
    assert_eq!(floor(), 1.1);
    eval(&["--floors", path, "--lower-floors"], &set);
    assert!(floor() < reached);
    eval(&["--floors", path], &set);

    std::fs::write(&file, "[[floor]]\noptions = \"--method none\"\ncolumn = \"bowF\"\nrows = { set = 0.1 }").unwrap();
    assert!(refused(&["--floors", path], Some(&set)).contains("is nothing to run"));
    write("0.1");
    let other = folder.path().join("other");
    std::fs::rename(&set, &other).unwrap();
    assert!(refused(&["--floors", path], Some(&other)).contains("set has floors, and is not among the sets"));
}

#[test]
fn pages_of_a_site_are_held_out_together() {
    let (_folder, set) = set();
    let lines = eval(&["--method", "mss-supervised", "--hold-out", "0.3", "--json"], &set);
    let pages: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let judged = pages.iter().filter_map(|page| page["site"].as_str()).collect::<Vec<_>>();
    assert!(!judged.is_empty() && judged.len() % PAGES == 0 && judged.len() < SITES * PAGES, "{judged:?}");
}

/// One page of the last site is in German. Its site's other pages are not judged, and the model
/// does not see them.
#[test]
fn pages_in_a_language_are_held_out() {
    let (_folder, set) = set();
    let id = format!("{}-1", SITES - 1);
    let text = "Die F\u{e4}hre f\u{e4}hrt am Montag wieder, sagte der Hafenmeister. Sie hat einen neuen Motor und \
                eine frische Farbe, und an Bord leben zwei Katzen, die schon immer da waren und nichts bezahlen.";
    std::fs::write(set.join(format!("html/{id}.html")), format!("<html lang=en><p>{text}<p>{text}")).unwrap();
    std::fs::write(set.join(format!("gold/{id}.txt")), format!("{text}\n{text}")).unwrap();
    let held = |language: &str| ["--method", "mss-supervised", "--leave-out-language", language].map(str::to_owned);
    let judged = |language: &str| {
        let args = held(language);
        let args: Vec<&str> = args.iter().map(String::as_str).chain(["--json"]).collect();
        let lines = eval(&args, &set);
        let pages = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        pages.filter_map(|page| Some(page.get("id")?.as_str()?.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(judged("de"), [id]);
    let all = held("xx");
    let error = refused(&all.each_ref().map(String::as_str), Some(&set));
    assert!(error.contains("no page is in it. The pages are in: de, en"), "{error}");
    let both = ["--folds", "2", "--leave-out-language", "de"];
    assert!(refused(&both, Some(&set)).contains("cannot be used with"));
}

#[test]
fn the_floors_of_the_corpora_are_written_as_the_program_writes_them() {
    let text = include_str!("floors.toml");
    assert_eq!(tsrec_lab::eval::floors::Floors::parse(text).unwrap().to_text(), text);
}

/// Without any evidence the score cannot tell blocks apart.
#[test]
fn evidence_can_be_taken_away() {
    let (_folder, set) = set();
    let f1 = |args: &[&str]| number(row(&eval(&[&["--folds", "2"], args].concat(), &set), "set")[5]);
    let kinds: Vec<&str> = tsrec_core::evidence::Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let without: Vec<&str> = kinds.iter().flat_map(|kind| ["--without", kind]).collect();
    let unnamed = f1(&["--without", "names"]);
    assert!(unnamed > 0.9, "{unnamed}");
    assert!(f1(&without) < 0.99);
    assert!(refused(&["--without", "names"], Some(&set)).contains("--hold-out or --leave-out-language"));
    let other = ["--without", "names", "--folds", "2", "--method", "crf"];
    assert!(refused(&other, Some(&set)).contains("--method auto or blocks"));
}

/// To see that kept models are read, one of them is swapped for another.
#[test]
fn models_of_folds_are_kept_for_the_same_pages_and_settings() {
    let (folder, set) = set();
    let kept = folder.path().join("kept");
    let with = |more: &[&str]| eval(&[&["--folds", "2", "--models", kept.to_str().unwrap()], more].concat(), &set);
    let file = |part: usize| kept.join(format!("part-{part}.model"));
    let first = with(&[]);
    assert_eq!(first, eval(&["--folds", "2"], &set));
    let models = [1, 2].map(|part| std::fs::read(file(part)).unwrap());
    assert_eq!(with(&[]), first);
    std::fs::write(file(1), &models[1]).unwrap();
    with(&[]);
    assert_eq!(std::fs::read(file(1)).unwrap(), models[1], "it was trained again");
    // Another seed, other evidence and other pages need other models.
    with(&["--seed", "2"]);
    let of_seed = std::fs::read(file(2)).unwrap();
    assert_ne!(of_seed, models[1]);
    with(&["--without", "names"]);
    assert_ne!(std::fs::read(file(2)).unwrap(), of_seed);
    with(&[]);
    assert_eq!(std::fs::read(file(1)).unwrap(), models[0]);
    std::fs::write(set.join("gold/1-1.txt"), "Port 1").unwrap();
    with(&[]);
    assert_ne!(std::fs::read(file(1)).unwrap(), models[0]);
    let mut damaged = models[0].clone();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(file(1), damaged).unwrap();
    let models = ["--folds", "2", "--models", kept.to_str().unwrap()];
    let message = refused(&models, Some(&set));
    assert!(message.contains("part-1.model") && message.contains("delete"), "{message}");
    assert!(refused(&["--models", "kept"], Some(&set)).contains("--folds"));
    assert!(refused(&[&models[..], &["--method", "crf"]].concat(), Some(&set)).contains("--method auto or blocks"));
}

/// A page and its annotation file, without any labels yet.
fn annotated() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["html", "annotations"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
    }
    std::fs::write(dir.path().join("meta.jsonl"), "{\"id\": \"a\"}\n").unwrap();
    let (page, _) = article(1, 1);
    std::fs::write(dir.path().join("html/a.html"), &page).unwrap();
    let document = tsrec_core::html::parse(page.as_bytes(), None, &Default::default());
    let blocks = tsrec_core::block::text_blocks::text_blocks(&document);
    let texts = blocks.iter().map(|block| block.text.clone());
    let file = dir.path().join("annotations/a.anno");
    let annotation = tsrec_core::annotation::Annotation::new("html/a.html", page.as_bytes(), texts);
    std::fs::write(&file, annotation.to_string()).unwrap();
    (dir, file)
}

#[test]
fn training_and_scoring_read_what_was_labelled() {
    let (dir, file) = annotated();
    let model = dir.path().join("m.model");
    let train = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec-lab"));
        command.args(["train", "mss"]).arg(dir.path()).arg("--out").arg(&model).output().unwrap()
    };
    let refused = train();
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr.contains("annotations/a.anno cannot be used: ") && stderr.contains("have no label yet"), "{stderr}");

    // The menu is not content, everything else is.
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replacen("[?]", "[o]", 3).replacen("[?]", "[h]", 1).replacen("[?]", "[p]", 4).replace("[?]", "[o]");
    std::fs::write(&file, text).unwrap();
    let trained = train();
    assert!(trained.status.success() && model.exists(), "{}", String::from_utf8_lossy(&trained.stderr));
    assert!(eval(&["--method", "mss-blocks", "--json"], dir.path()).contains("\"scores\":{"));
}
