//! The public suffix list: which ends of host names are those of registries.
//!
//! The crate `psl` has the list as ten thousand generic functions. Each crate that calls them
//! compiles them anew: in `tsrec-core`, they were a third of all code. So this is the only one that
//! calls them, and its own functions are not generic. A lookup is linear in the name.

/// The public suffix of a host name in lower case: `co.uk` of `www.example.co.uk`. The last label,
/// if no rule of the list matches. `None` for a name without labels.
pub fn suffix(host: &str) -> Option<&str> {
    psl::suffix_str(host)
}

/// Whether the list has a rule for the end of a host name in lower case.
pub fn has_known_suffix(host: &str) -> bool {
    psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
}

/// The domain whose owner can register all names below it: `example.co.uk`. `None` for a public
/// suffix.
pub fn registrable_domain(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_those_of_the_list_or_the_last_label() {
        for (host, expect, is_known, domain) in [
            ("www.example.co.uk", Some("co.uk"), true, Some("example.co.uk")),
            ("example.com", Some("com"), true, Some("example.com")),
            ("com", Some("com"), true, None),
            ("www.ck", Some("ck"), true, Some("www.ck")),
            ("a.b.ck", Some("b.ck"), true, Some("a.b.ck")),
            ("page.html", Some("html"), false, Some("page.html")),
            ("", None, false, None),
        ] {
            assert_eq!((suffix(host), registrable_domain(host)), (expect, domain), "{host}");
            assert_eq!(has_known_suffix(host), is_known, "{host}");
        }
    }
}
