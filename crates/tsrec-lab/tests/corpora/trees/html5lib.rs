//! The tree-construction tests of html5lib on our documents.

use tsrec_core::html::{Limits, standard_tree};

use super::{Outline, folder};

/// Tests whose tree differs, with the reason: file, the number of the test in it from 1, reason.
const EXCEPTIONS: [(&str, usize, &str); 19] = [
    ("menuitem-element.dat", 14, SELECT),
    ("noscript01.dat", 10, NOSCRIPT),
    ("tests1.dat", 30, SELECT),
    ("tests1.dat", 102, SELECT),
    ("tests10.dat", 4, SELECT),
    ("tests10.dat", 5, SELECT),
    ("tests10.dat", 17, SELECT),
    ("tests10.dat", 18, SELECT),
    ("tests16.dat", 83, TITLE),
    ("tests16.dat", 89, NOSCRIPT),
    ("tests16.dat", 180, TITLE),
    ("tests16.dat", 186, NOSCRIPT),
    ("tests18.dat", 14, SELECT),
    ("tests18.dat", 15, SELECT),
    ("tests7.dat", 31, SELECT),
    ("tests9.dat", 5, SELECT),
    ("tests9.dat", 6, SELECT),
    ("tests9.dat", 18, SELECT),
    ("tests9.dat", 19, SELECT),
];

/// These tests are older than the standard. Since 2025 a `select` may hold other elements, and
/// html5ever follows that.
const SELECT: &str = "what a select may hold";
/// We close a title that the page never closes (`html/unclosed.rs`).
const TITLE: &str = "a title that is never closed";
/// We parse the content of a `noscript`, but only up to the point where a browser with scripts
/// skips to. These tests run with scripts off; there, unclosed content extends to the end of the
/// page.
const NOSCRIPT: &str = "what nothing closes in a noscript";

/// One test of a file.
struct Test {
    data: String,
    fragment: bool,
    script_on: bool,
    expected: Outline,
}

#[test]
fn trees_are_those_of_html5lib() {
    let mut files: Vec<_> = std::fs::read_dir(folder("TSREC_HTML5LIB", "../../../shared/html5lib-tests"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "dat"))
        .collect();
    files.sort();
    let (mut run, mut fragments, mut scripted, mut failed, mut excepted) = (0, 0, 0, Vec::new(), Vec::new());
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, test) in (1..).zip(tests(&text)) {
            // We parse whole pages and run no script.
            fragments += usize::from(test.fragment);
            scripted += usize::from(!test.fragment && test.script_on);
            if test.fragment || test.script_on {
                continue;
            }
            run += 1;
            let outline = Outline::of(&standard_tree(test.data.as_bytes(), Some("utf-8"), &Limits::default()));
            if !outline.is_that_of(&test.expected) {
                let reason = EXCEPTIONS.iter().find(|(name, at, _)| (*name, *at) == (&*file, number));
                match reason {
                    Some((_, _, reason)) => excepted.push(format!("{file} {number}: {reason}")),
                    None => {
                        failed.push(format!("{file} {number}, {:?}: {}", test.data, outline.difference(&test.expected)))
                    }
                }
            }
        }
    }
    println!(
        "html5lib: {run} trees; {fragments} fragments and {scripted} with scripts left out; excepted:\n{}",
        excepted.join("\n")
    );
    assert!(failed.is_empty(), "{} of {run} trees differ:\n{}", failed.len(), failed.join("\n"));
    assert!(run > 1_300, "{run} tests");
    assert_eq!(excepted.len(), EXCEPTIONS.len(), "an exception that is none: only {excepted:?} differ");
}

/// The tests of a file. Lines that begin with `#` are headings within a test.
fn tests(file: &str) -> Vec<Test> {
    let mut tests = Vec::new();
    for piece in format!("\n{file}").split("\n#data\n").skip(1) {
        let (data, rest) =
            piece.split_once("\n#errors").or_else(|| Some(("", piece.strip_prefix("#errors")?))).unwrap();
        let (heads, document) = rest.split_once("\n#document\n").unwrap();
        tests.push(Test {
            data: data.to_owned(),
            fragment: heads.contains("\n#document-fragment"),
            script_on: heads.contains("\n#script-on"),
            expected: expected(document.trim_end_matches('\n')),
        });
    }
    tests
}

/// The expected tree, without what our documents leave out.
fn expected(document: &str) -> Outline {
    let mut outline = Outline::default();
    let mut open: Option<Open> = None;
    // Skip everything deeper than this: the contents of a template.
    let mut left_out = usize::MAX;
    for line in document.split("\n| ") {
        let line = line.strip_prefix("| ").unwrap_or(line);
        let content = line.trim_start_matches(' ');
        let depth = (line.len() - content.len()) / 2;
        if depth > left_out {
            continue;
        }
        left_out = usize::MAX;
        let attribute = content.split_once("=\"").filter(|_| !content.starts_with('"') && !content.ends_with('>'));
        if let (Some((name, value)), Some((_, _, attributes))) = (attribute, &mut open) {
            let name = name.rsplit(' ').next().unwrap_or(name);
            attributes.push((name.to_owned(), value.strip_suffix('"').unwrap_or(value).to_owned()));
            continue;
        }
        flush(&mut outline, open.take());
        if content == "content" {
            left_out = depth;
        } else if let Some(text) = content.strip_prefix('"') {
            outline.text(depth, text.strip_suffix('"').unwrap_or(text));
        } else if let Some(name) = content
            .strip_prefix('<')
            .and_then(|name| name.strip_suffix('>'))
            .filter(|name| !name.starts_with(['!', '?']))
        {
            let name = name.strip_prefix("svg ").or_else(|| name.strip_prefix("math ")).unwrap_or(name);
            open = Some((depth, name.to_owned(), Vec::new()));
        }
    }
    flush(&mut outline, open);
    outline
}

/// An element while its attributes are read: its depth, name and attributes.
type Open = (usize, String, Vec<(String, String)>);

fn flush(outline: &mut Outline, element: Option<Open>) {
    if let Some((depth, name, attributes)) = element {
        outline.element(depth, &name, attributes.iter().map(|(name, value)| (&**name, &**value)).collect());
    }
}
