//! The part of the crate `psl` that tsrec uses, with the public suffix list as sorted text. The
//! crate has the list as code, which would be an eighth of the package. Lookups are slower: some
//! microseconds.

use std::cmp::Ordering;

use psl_types::{Domain, Info, List as _, Suffix, Type};

/// The rules, one a line, each with its labels from the right: `uk.co`, `ck.*`, `ck.!www`.
static RULES: &str = include_str!(concat!(env!("OUT_DIR"), "/rules.txt"));

struct List;

impl psl_types::List for List {
    fn find<'a, T>(&self, labels: T) -> Info
    where
        T: Iterator<Item = &'a [u8]>,
    {
        let mut info = Info { len: 0, typ: None };
        // The labels so far, as in a rule.
        let mut key: Vec<u8> = Vec::new();
        for label in labels {
            let (above, length) = (key.len(), if key.is_empty() { 0 } else { key.len() + 1 } + label.len());
            // An exception: the suffix is what is above.
            if above > 0 && has_rule(&[&key[..], b".!", label].concat()) {
                return Info { len: above, typ: Some(Type::Icann) };
            }
            if above > 0 {
                key.push(b'.');
            }
            key.extend(label);
            let is_rule = has_rule(&key);
            if is_rule {
                info = Info { len: length, typ: Some(Type::Icann) };
            }
            if !is_rule && !has_prefix(&[&key[..], b"."].concat()) {
                if above > 0 && has_rule(&[&key[..above], b".*"].concat()) {
                    return Info { len: length, typ: Some(Type::Icann) };
                }
                // A top-level domain that no rule knows is a suffix.
                return if above == 0 { Info { len: length, typ: None } } else { info };
            }
            if above == 0 && !is_rule {
                info.len = length;
            }
        }
        info
    }
}

fn has_rule(key: &[u8]) -> bool {
    rule_from(key) == key
}

fn has_prefix(prefix: &[u8]) -> bool {
    rule_from(prefix).starts_with(prefix)
}

/// The first rule that does not come before the key; empty if there is none.
fn rule_from(key: &[u8]) -> &'static [u8] {
    let rules = RULES.as_bytes();
    let end_of = |begin: usize| begin + rules[begin..].iter().position(|&byte| byte == b'\n').unwrap_or(0);
    // The wanted line begins at or after `low`, and at or before `high`.
    let (mut low, mut high) = (0, rules.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let begin = rules[..middle].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let end = end_of(begin);
        match rules[begin..end].cmp(key) {
            Ordering::Less => low = end + 1,
            Ordering::Equal => return &rules[begin..end],
            Ordering::Greater => high = begin,
        }
    }
    if low < rules.len() { &rules[low..end_of(low)] } else { b"" }
}

/// The public suffix of a domain.
#[must_use]
pub fn suffix(name: &[u8]) -> Option<Suffix<'_>> {
    List.suffix(name)
}

/// The public suffix of a domain.
#[must_use]
pub fn suffix_str(name: &str) -> Option<&str> {
    std::str::from_utf8(suffix(name.as_bytes())?.trim().as_bytes()).ok()
}

/// The registrable domain.
#[must_use]
pub fn domain_str(name: &str) -> Option<&str> {
    let domain: Domain<'_> = List.domain(name.as_bytes())?;
    std::str::from_utf8(domain.trim().as_bytes()).ok()
}
