//! The page to annotate. A fetched or piped page is kept: labels without their page teach nothing,
//! and the next fetch may bring another page.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};

use super::Args;
use crate::cli::input::PageReader;
use tsrec_core::html::encoding;
use tsrec_terminal::input::Input;
use tsrec_terminal::whole_file;

/// A page, and where to keep it.
pub(super) struct AnnotatedSource {
    /// Its name in the annotation.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    keep: Option<PathBuf>,
}

/// Reads the page. A file is read in place. Any other page is read from its kept copy, or else from
/// its source.
pub(super) fn read(args: &Args, reader: &mut PageReader) -> Result<AnnotatedSource> {
    if args.page != "-" && !is_url(&args.page) {
        ensure!(args.keep.is_none(), "--keep is for a page that is no file: {:?} is where it is", args.page);
        return Ok(AnnotatedSource { name: args.page.clone(), bytes: reader.read(&args.page)?.bytes, keep: None });
    }
    let kept = args.keep.clone().unwrap_or_else(|| args.out.with_extension("html"));
    ensure!(kept != args.out, "OUT holds the labels, not the page: give it another extension than html, such as anno");
    // A page from standard input has no name, so it gets that of its file.
    let name = if args.page == "-" { kept.display().to_string() } else { args.page.clone() };
    match (kept.exists(), args.out.exists()) {
        (true, true) => Ok(AnnotatedSource { name, bytes: reader.read(&kept.to_string_lossy())?.bytes, keep: None }),
        (true, false) => bail!(
            "{} exists, and {} with its labels does not: annotate the file itself, or keep the page elsewhere with --keep",
            kept.display(),
            args.out.display()
        ),
        (false, _) => Ok(AnnotatedSource { name, bytes: portable(reader.read(&args.page)?), keep: Some(kept) }),
    }
}

impl AnnotatedSource {
    /// Checks that the page can be kept, if necessary.
    pub(super) fn check(&self) -> Result<()> {
        self.keep.as_deref().map_or(Ok(()), whole_file::check)
    }

    /// Keeps the page, if necessary.
    pub(super) fn keep(&self) -> Result<()> {
        self.keep.as_deref().map_or(Ok(()), |path| whole_file::write(path, &self.bytes))
    }
}

/// True if the name is fetched.
pub(super) fn is_url(name: &str) -> bool {
    name.starts_with("http://") || name.starts_with("https://")
}

/// The page's bytes, in a form that needs no HTTP header to be read the same way. If the header
/// named a charset, this is UTF-8 with a byte order mark, which takes precedence.
fn portable(page: Input) -> Vec<u8> {
    let Some(charset) = &page.charset else { return page.bytes };
    let (text, _): (Cow<'_, str>, _) = encoding::decode(&page.bytes, Some(charset));
    format!("\u{feff}{text}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::html::parse;

    #[test]
    fn a_kept_page_reads_as_it_was_served() {
        for (bytes, charset, kept) in [
            (&b"<p>caf\xe9"[..], Some("windows-1252"), "\u{feff}<p>café".as_bytes()),
            ("<p>café".as_bytes(), Some("utf-8"), "\u{feff}<p>café".as_bytes()),
            ("\u{feff}<p>café".as_bytes(), Some("windows-1252"), "\u{feff}<p>café".as_bytes()),
            (b"<meta charset=koi8-r><p>\xc1", None, b"<meta charset=koi8-r><p>\xc1"),
        ] {
            let input =
                Input { name: String::new(), bytes: bytes.to_vec(), charset: charset.map(str::to_owned), url: None };
            let copy = portable(input);
            assert_eq!(copy, kept);
            let texts = |bytes: &[u8], charset| {
                let page = parse(bytes, charset, &Default::default());
                page.descendants(page.root()).filter_map(|node| page.text(node).map(str::to_owned)).collect::<Vec<_>>()
            };
            assert_eq!(texts(&copy, None), texts(bytes, charset));
        }
    }
}
