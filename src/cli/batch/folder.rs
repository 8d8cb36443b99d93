//! A folder of pages, with or without a file of data about them.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::entry::{BatchPage, PageBytes};
use super::list::id_of;
use tsrec_terminal::corpus::{Set, SetPageInfo};

/// The pages of a folder, by ascending id: those in its `meta.jsonl`, or in that of the set with
/// this `html` folder, and files that are not in it. Memory holds the data about the pages, not the
/// pages.
pub(super) fn pages(folder: &Path) -> Result<Vec<BatchPage>> {
    let (set, html) = set_of(folder)?;
    let mut files = BTreeMap::new();
    find(&html, &html, &mut files)?;
    let known = set.into_iter().flat_map(|set| set.pages);
    let mut pages: BTreeMap<String, BatchPage> = BTreeMap::new();
    for SetPageInfo { id, url, site, .. } in known {
        // A missing page is reported when it is read.
        let path = files.remove(&id).unwrap_or_else(|| html.join(format!("{id}.html")));
        pages.insert(id.clone(), BatchPage { id, is_named: true, url, site, body: PageBytes::File(path) });
    }
    for (id, path) in files {
        pages.insert(id.clone(), BatchPage { id, is_named: true, url: None, site: None, body: PageBytes::File(path) });
    }
    ensure!(!pages.is_empty(), "{} holds no page: no file in it ends with .html, .htm or .html.gz", folder.display());
    Ok(pages.into_values().collect())
}

/// The data about the pages, and their folder: `html` in a set's folder, or the folder itself. If
/// the folder is named `html`, the data file is beside it, unless a file of that name is something
/// else.
fn set_of(folder: &Path) -> Result<(Option<Set>, PathBuf)> {
    if let Some(lines) = known(folder)? {
        let meta = folder.join("meta.jsonl");
        let set = Set::read("batch", &lines).with_context(|| format!("{} cannot be read", meta.display()))?;
        let html = folder.join("html");
        return Ok((Some(set), if html.is_dir() { html } else { folder.to_owned() }));
    }
    let is_html = folder.canonicalize().is_ok_and(|folder| folder.file_name().is_some_and(|name| name == "html"));
    let set = match is_html {
        true => known(&folder.join(".."))?.and_then(|lines| Set::read("batch", &lines).ok()),
        false => None,
    };
    Ok((set, folder.to_owned()))
}

/// The text of a folder's `meta.jsonl`, if it exists.
fn known(folder: &Path) -> Result<Option<String>> {
    let meta = folder.join("meta.jsonl");
    match std::fs::read_to_string(&meta) {
        Ok(lines) => Ok(Some(lines)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", meta.display())),
    }
}

/// Pages in a folder and its subfolders, by id: their path from `root`, without its extension.
fn find(root: &Path, folder: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let cannot = || format!("{} cannot be read", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            let (path, kind) = (entry.path(), entry.file_type().with_context(cannot)?);
            let name = entry.file_name().to_string_lossy().into_owned();
            // A link to a folder may lead back up, so links are not followed.
            if kind.is_dir() {
                folders.push(path);
            } else if [".html", ".htm", ".html.gz"].iter().any(|ending| name.ends_with(ending)) {
                let id = id_of(path.strip_prefix(root).unwrap_or(&path));
                files.insert(id, path);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_pages_that_its_list_names_and_others() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for name in ["html/b.html", "html/a.htm", "html/deep/c.html.gz", "html/d.txt", "gold/b.html"] {
            write(name, "");
        }
        let ids = |at: &str| -> Vec<(String, Option<String>)> {
            pages(&folder.path().join(at)).unwrap().into_iter().map(|page| (page.id, page.site)).collect()
        };
        let none = |id: &str| (id.to_owned(), None);
        assert_eq!(ids("html"), [none("a"), none("b"), none("deep/c")]);
        write("meta.jsonl", "{\"id\":\"b\",\"site\":\"s\"}\n{\"id\":\"e\",\"site\":\"s\"}");
        let all =
            [none("a"), ("b".to_owned(), Some("s".to_owned())), none("deep/c"), ("e".to_owned(), Some("s".to_owned()))];
        assert_eq!((ids("html"), ids(".")), (all.to_vec(), all.to_vec()));
        assert!(pages(&folder.path().join("gold/..//html/deep/..")).is_ok());
        std::fs::create_dir(folder.path().join("none")).unwrap();
        // A data file beside other folders, or a file that is something else, is ignored.
        assert_eq!(ids("html/deep"), [none("c")]);
        assert_eq!(ids("gold"), [none("b")]);
        write("meta.jsonl", "{\"made by\": \"another program\"}");
        assert_eq!(ids("html"), [none("a"), none("b"), none("deep/c")]);
        assert!(pages(folder.path()).unwrap_err().to_string().contains("meta.jsonl cannot be read"));
        std::fs::remove_file(folder.path().join("meta.jsonl")).unwrap();
        assert!(pages(&folder.path().join("none")).unwrap_err().to_string().contains("holds no page"));
    }
}
