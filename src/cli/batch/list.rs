//! A list of pages: a line each.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use url::Url;

use super::entry::{Body, Entry, Share, Unusable};
use crate::html::sniff::not_html;

/// A line that is a JSON object. What else is in it is passed over.
#[derive(Debug, Deserialize)]
struct Line {
    path: Option<PathBuf>,
    html: Option<String>,
    url: Option<String>,
    id: Option<String>,
    site: Option<String>,
}

/// The pages of a list, one by one as they are asked for. Blank lines name none.
pub(super) fn lines(list: impl Read + Send, share: Share) -> impl Iterator<Item = Result<Entry, Unusable>> + Send {
    let mut list = BufReader::new(list);
    let mut number = 0;
    let mut ended = false;
    std::iter::from_fn(move || {
        while !ended {
            number += 1;
            let mut line = Vec::new();
            let read = list.read_until(b'\n', &mut line).context("the list cannot be read");
            let why = match read {
                Ok(0) => return None,
                Ok(length) => {
                    share.add(length as u64);
                    if line.trim_ascii().is_empty() {
                        continue;
                    }
                    match entry(&line, number) {
                        Ok(entry) => return Some(Ok(entry)),
                        Err(why) => why,
                    }
                }
                Err(why) => {
                    ended = true;
                    why
                }
            };
            return Some(Err(Unusable { id: format!("line {number}"), why }));
        }
        None
    })
}

/// What a file is, by its beginning, that was taken for a list and is none: a page above all.
pub(super) fn is_none(head: &[u8]) -> Option<&'static str> {
    match head.trim_ascii_start() {
        // A byte order mark, or none.
        [b'<', ..] | [0xef, 0xbb, 0xbf, b'<', ..] => Some("a page"),
        // A line of a list can be a JSON object.
        [b'{', ..] => None,
        _ => not_html(head, None),
    }
}

/// The page that a line names.
fn entry(line: &[u8], number: u64) -> Result<Entry> {
    let line = std::str::from_utf8(line).context("the line is no UTF-8")?.trim_end_matches(['\n', '\r']);
    if !line.trim_start().starts_with('{') {
        let (path, url) = line.split_once('\t').map_or((line, None), |(path, url)| (path, Some(url.trim())));
        return page(Path::new(path), url.filter(|url| !url.is_empty()), None, None);
    }
    let Line { path, html, url, id, site } =
        serde_json::from_str(line).context("the line is no JSON object with a page's path or html")?;
    match (path, html) {
        (Some(path), None) => page(&path, url.as_deref(), id, site),
        (None, Some(html)) => Ok(Entry {
            id: id.or_else(|| url.clone()).unwrap_or_else(|| format!("line-{number}")),
            url: url.as_deref().map(parse).transpose()?,
            site,
            body: Body::Bytes(html.into_bytes(), Some("utf-8".to_owned())),
        }),
        (Some(_), Some(_)) => bail!("the line has both path and html: one of them is the page"),
        (None, None) => bail!("the line has neither path nor html: one of them must be the page"),
    }
}

/// A page in a file, called by its path where the line has no other name for it.
fn page(path: &Path, url: Option<&str>, id: Option<String>, site: Option<String>) -> Result<Entry> {
    if let Some(name) = path.to_str().filter(|name| name.starts_with("http://") || name.starts_with("https://")) {
        bail!("{name} is a URL: a batch reads files; tsrec crawl fetches, and tsrec extract fetches one page");
    }
    let id = id.unwrap_or_else(|| id_of(path));
    Ok(Entry { id, url: url.map(parse).transpose()?, site, body: Body::File(path.to_owned()) })
}

/// The path without the ending that pages have.
pub(super) fn id_of(path: &Path) -> String {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(".html").or(name.strip_suffix(".htm")).unwrap_or(name).to_owned()
}

fn parse(url: &str) -> Result<Url> {
    Url::parse(url).with_context(|| format!("{url:?} is no URL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Vec<Result<Entry, Unusable>> {
        lines(std::io::Cursor::new(list.as_bytes().to_vec()), Share::new(None)).collect()
    }

    #[test]
    fn a_line_is_a_path_with_or_without_its_url_or_an_object() {
        let list = "d/a.html\r\n\n  \nb c.htm.gz\thttp://x.example/b\n{\"path\":\"c\",\"id\":\"3\",\"site\":\"s\"}\n\
                    {\"html\":\"<p>x\",\"url\":\"http://x.example/d\",\"more\":1}\n{\"html\":\"\"}";
        let pages: Vec<Entry> = read(list).into_iter().map(Result::unwrap).collect();
        let short = |page: &Entry| {
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
    fn a_line_that_names_no_page_is_told_and_those_after_it_are_read() {
        for line in
            ["{}", "{\"path\":1}", "{\"path\":\"a\",\"html\":\"\"}", "a.html\tno url", "https://x.example/", "{"]
        {
            let pages = read(&format!("{line}\na.html"));
            let [Err(bad), Ok(good)] = &pages[..] else { panic!("{line}: {pages:?}") };
            assert_eq!((bad.id.as_str(), good.id.as_str()), ("line 1", "a"), "{line}");
        }
    }
}
