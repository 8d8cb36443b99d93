//! A list of pages: one per line.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;

use super::entry::{BatchPage, PageBytes, ReadProgress, Unusable};
use crate::config::parse_url;
use tsrec_core::html::sniff::not_html;

/// A line that is a JSON object. Other fields are ignored.
#[derive(Debug, Deserialize)]
struct ListLine {
    path: Option<PathBuf>,
    html: Option<String>,
    url: Option<String>,
    id: Option<String>,
    site: Option<String>,
}

/// The pages of a list, read on demand. Blank lines are skipped.
pub(super) fn lines(
    list: impl Read + Send,
    share: ReadProgress,
) -> impl Iterator<Item = Result<BatchPage, Unusable>> + Send {
    let mut list = BufReader::new(list);
    let mut number = 0;
    let mut ended = false;
    std::iter::from_fn(move || {
        while !ended {
            number += 1;
            let mut line = Vec::new();
            let read = list.read_until(b'\n', &mut line).context("the list cannot be read");
            match read {
                Ok(0) => return None,
                Ok(length) => {
                    share.add(length as u64);
                    if !line.trim_ascii().is_empty() {
                        return Some(entry(&line, number));
                    }
                }
                Err(why) => {
                    ended = true;
                    return Some(Err(Unusable { id: format!("line {number}"), why }));
                }
            }
        }
        None
    })
}

/// What a file is, by its first bytes, if it is not a list: most often a page.
pub(super) fn is_none(head: &[u8]) -> Option<&'static str> {
    match head.trim_ascii_start() {
        // With or without a byte order mark.
        [b'<', ..] | [0xef, 0xbb, 0xbf, b'<', ..] => Some("a page"),
        // A line of a list can be a JSON object.
        [b'{', ..] => None,
        _ => not_html(head, None),
    }
}

/// The page of a line. A page that cannot be used keeps its name. If the line has no name, the
/// line's number replaces it.
fn entry(line: &[u8], number: u64) -> Result<BatchPage, Unusable> {
    let read = read(line).map_err(|why| Unusable { id: format!("line {number}"), why })?;
    let is_named = read.id.is_some();
    let id = read.id.clone().or_else(|| read.path.as_deref().map(id_of)).or_else(|| read.url.clone());
    let of_line = || format!("line-{number}");
    match page(read) {
        Ok(page) => Ok(BatchPage { id: id.unwrap_or_else(of_line), is_named, ..page }),
        Err(why) => {
            Err(Unusable { id: id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("line {number}")), why })
        }
    }
}

/// Parses a line: a JSON object, or a path, optionally followed by a tab and an address.
fn read(line: &[u8]) -> Result<ListLine> {
    let line = std::str::from_utf8(line).context("the line is no UTF-8")?.trim_end_matches(['\n', '\r']);
    if line.trim_start().starts_with('{') {
        return serde_json::from_str(line).context("the line is no JSON object with a page's path or html");
    }
    let (path, url) = line.split_once('\t').map_or((line, ""), |(path, url)| (path, url.trim()));
    let url = Some(url.to_owned()).filter(|url| !url.is_empty());
    Ok(ListLine { path: Some(path.into()), html: None, url, id: None, site: None })
}

/// The page, without its name.
fn page(line: ListLine) -> Result<BatchPage> {
    let ListLine { path, html, url, site, .. } = line;
    let body = match (path, html) {
        (Some(path), None) => PageBytes::File(path),
        (None, Some(html)) => PageBytes::Bytes(html.into_bytes(), Some("utf-8".to_owned())),
        (Some(_), Some(_)) => bail!("the line has both path and html: one of them is the page"),
        (None, None) => bail!("the line has neither path nor html: one of them must be the page"),
    };
    if let PageBytes::File(path) = &body
        && let Some(name) = path.to_str().filter(|name| name.starts_with("http://") || name.starts_with("https://"))
    {
        bail!("{name} is a URL: a batch reads files; tsrec crawl fetches, and tsrec extract fetches one page");
    }
    let url = url.as_deref().map(parse_url).transpose().map_err(|why| anyhow!("url: {why}"))?;
    Ok(BatchPage { id: String::new(), is_named: false, url, site, body })
}

/// The path without a page's file extension.
pub(super) fn id_of(path: &Path) -> String {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(".html").or(name.strip_suffix(".htm")).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(list: &str) -> Vec<Result<BatchPage, Unusable>> {
        lines(std::io::Cursor::new(list.as_bytes().to_vec()), ReadProgress::new(None)).collect()
    }

    #[test]
    fn a_line_is_a_path_with_or_without_its_url_or_an_object() {
        let list = "d/a.html\r\n\n  \nb c.htm.gz\thttp://x.example/b\n{\"path\":\"c\",\"id\":\"3\",\"site\":\"s\"}\n\
                    {\"html\":\"<p>x\",\"url\":\"http://x.example/d\",\"more\":1}\n{\"html\":\"\"}";
        let pages: Vec<BatchPage> = entries(list).into_iter().map(Result::unwrap).collect();
        let short = |page: &BatchPage| {
            let url = page.url.as_ref().map_or("", |url| url.as_str());
            (page.id.clone(), url.to_owned(), page.site_name().unwrap_or_default(), page.name())
        };
        let strings = |a: &str, b: &str, c: &str, d: &str| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned());
        let expect = [
            strings("d/a", "", "", "d/a.html"),
            strings("b c", "http://x.example/b", "x.example", "b c.htm.gz"),
            strings("3", "", "s", "c"),
            strings("http://x.example/d", "http://x.example/d", "x.example", "http://x.example/d"),
            strings("line-7", "", "", "line-7"),
        ];
        assert_eq!(pages.iter().map(short).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn a_line_that_names_no_page_is_told_by_its_name_and_those_after_it_are_read() {
        for (line, name) in [
            ("{}", "line 1"),
            ("{\"path\":1}", "line 1"),
            ("{\"path\":\"b\",\"html\":\"\"}", "b"),
            ("b.html\tno url", "b"),
            ("https://x.example/", "https://x.example/"),
            ("{", "line 1"),
            ("{\"html\":\"<p>x\",\"url\":\"\"}", "line 1"),
            ("{\"html\":\"<p>x\",\"url\":\"\",\"id\":\"7\"}", "7"),
            ("{\"path\":\"b.html\",\"url\":\"no url\",\"id\":\"7\"}", "7"),
            ("{\"id\":\"7\"}", "7"),
        ] {
            let pages = entries(&format!("{line}\na.html"));
            let [Err(bad), Ok(good)] = &pages[..] else { panic!("{line}: {pages:?}") };
            assert_eq!((bad.id.as_str(), good.id.as_str()), (name, "a"), "{line}");
        }
    }
}
