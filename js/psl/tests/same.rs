//! The same results as the crate `psl`.

fn check(name: &str) {
    assert_eq!(psl::suffix_str(name), real::suffix_str(name), "suffix of {name:?}");
    assert_eq!(psl::domain_str(name), real::domain_str(name), "domain of {name:?}");
    let known = (psl::suffix(name.as_bytes()), real::suffix(name.as_bytes()));
    assert_eq!(known.0.map(|suffix| suffix.is_known()), known.1.map(|suffix| suffix.is_known()), "{name:?}");
}

#[test]
fn every_rule_and_what_is_near_it_gives_the_same() {
    let rules = include_str!(concat!(env!("OUT_DIR"), "/rules.txt"));
    assert!(rules.lines().count() > 9_000);
    for rule in rules.lines() {
        let labels: Vec<&str> = rule.split('.').rev().map(|label| label.trim_start_matches('!')).collect();
        let name = labels.join(".");
        for name in [name.clone(), name.replace('*', "x"), name.replace("*.", "")] {
            check(&name);
            for before in ["a", "a.b", "a.b.c", "www", "*"] {
                check(&format!("{before}.{name}"));
                check(&format!("{before}.{name}."));
            }
            // A label more, a letter more, a letter less.
            check(&format!("x{name}"));
            check(&format!("a.{name}x"));
            let mut letters = name.chars();
            letters.next_back();
            check(letters.as_str());
        }
    }
    for name in [
        "",
        ".",
        "..",
        "localhost",
        "a.localhost",
        "127.0.0.1",
        "a..com",
        ".com",
        "com..",
        "com",
        "ck",
        "www.ck",
        "!www.ck",
        "*.ck",
    ] {
        check(name);
    }
}
