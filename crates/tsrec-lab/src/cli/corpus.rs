//! A set of pages with gold text, on disk.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

use tsrec_core::html;
use tsrec_core::html::{Document, Limits};
use tsrec_core::learn::model::hex;
use tsrec_core::page::Gold;
use tsrec_core::render;
use tsrec_core::{annotation, gold};
use tsrec_terminal::corpus::{Set, SetPageInfo};

/// A set of pages. Their files are read on demand.
pub(super) struct Corpus {
    /// The set's data about its pages, with the folder's name.
    pub(super) set: Set,
    folder: PathBuf,
}

/// A page of a set.
#[derive(Clone, Copy)]
pub(super) struct SetPage<'c> {
    /// The set's data about the page.
    pub(super) info: &'c SetPageInfo,
    folder: &'c Path,
}

impl Corpus {
    pub(super) fn read(folder: &Path) -> Result<Corpus> {
        let meta = folder.join("meta.jsonl");
        let lines = std::fs::read_to_string(&meta).with_context(|| {
            format!(
                "{} cannot be read: a set of pages holds html/, gold/ (or annotations/) and meta.jsonl",
                meta.display()
            )
        })?;
        let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        let name = name.unwrap_or_else(|| folder.display().to_string());
        let set = Set::read(&name, &lines).with_context(|| format!("{} cannot be read", meta.display()))?;
        Ok(Corpus { set, folder: folder.to_owned() })
    }

    /// The name of its folder.
    pub(super) fn name(&self) -> &str {
        &self.set.name
    }

    /// The number of its pages.
    pub(super) fn len(&self) -> usize {
        self.set.pages.len()
    }

    /// One of its pages.
    pub(super) fn entry(&self, index: usize) -> SetPage<'_> {
        SetPage { info: &self.set.pages[index], folder: &self.folder }
    }

    /// Its pages, by ascending id.
    pub(super) fn entries(&self) -> impl Iterator<Item = SetPage<'_>> {
        (0..self.len()).map(|index| self.entry(index))
    }
}

impl SetPage<'_> {
    /// The page's bytes, from `html/<id>.html` or `html/<id>.html.gz`.
    pub(super) fn html(&self) -> Result<Vec<u8>> {
        let plain = self.path("html", "html");
        let packed = self.path("html", "html.gz");
        if let Some(bytes) = read_if_there(&plain)? {
            return Ok(bytes);
        }
        let packed_bytes = read_if_there(&packed)?.with_context(|| {
            format!("neither {} nor {} is there", plain.display(), packed.file_name().unwrap_or_default().display())
        })?;
        let mut bytes = Vec::new();
        let unpacked = MultiGzDecoder::new(packed_bytes.as_slice()).read_to_end(&mut bytes);
        unpacked.with_context(|| format!("{} cannot be unpacked", packed.display()))?;
        Ok(bytes)
    }

    /// The text of the page's content: its labels by hand, or else the gold text. `None` if the
    /// page has neither.
    pub(super) fn gold_text(&self) -> Result<Option<String>> {
        if let Some(annotation) = self.annotation()? {
            let document = html::parse(&self.html()?, None, &Limits::default());
            return Ok(Some(render::text::text(&document, &self.annotated(&document, &annotation)?.content())));
        }
        let bytes = read_if_there(&self.path("gold", "txt"))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The page's labels by hand, or else the gold text, aligned with the parsed page. `None` if
    /// the page has neither.
    pub(super) fn gold(&self, document: &Document) -> Result<Option<Gold>> {
        if let Some(annotation) = self.annotation()? {
            return self.annotated(document, &annotation).map(Some);
        }
        Ok(match &self.info.markup {
            Some(markup) => Some(gold::align_markup(document, markup)),
            None => self.gold_text()?.map(|text| gold::align(document, &text)),
        })
    }

    fn annotated(&self, document: &Document, annotation: &str) -> Result<Gold> {
        annotation::read_gold(&self.info.id, &self.html()?, document, annotation)
            .with_context(|| format!("{} cannot be used", self.path("annotations", "anno").display()))
    }

    /// The file of `tsrec annotate`, if the page was labelled by hand.
    fn annotation(&self) -> Result<Option<String>> {
        let path = self.path("annotations", "anno");
        let bytes = read_if_there(&path)?;
        bytes.map(String::from_utf8).transpose().with_context(|| format!("{} is no UTF-8", path.display()))
    }

    fn path(&self, folder: &str, extension: &str) -> PathBuf {
        self.folder.join(folder).join(format!("{}.{extension}", self.info.id))
    }
}

/// The content of a file. `None` if there is no such file.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// SHA-256 of all pages, unpacked, and their gold, in hexadecimal. It does not depend on the
/// location of the sets.
pub(super) fn digest(corpora: &[Corpus]) -> Result<String> {
    let mut digest = Sha256::new();
    for entry in corpora.iter().flat_map(Corpus::entries) {
        let gold = match (entry.annotation()?, &entry.info.markup) {
            (Some(annotation), _) => annotation,
            (None, Some(markup)) => markup.clone(),
            (None, None) => entry.gold_text()?.unwrap_or_default(),
        };
        for part in [entry.info.id.as_bytes(), &entry.html()?, gold.as_bytes()] {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
    }
    Ok(hex(&digest.finalize()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_page_may_lie_packed_and_its_gold_may_lack() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        write("meta.jsonl", b"{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n{\"id\":\"d\"}");
        write("html/a.html", b"<p>plain");
        // A file of two members, as some tools write it.
        write("html/b.html.gz", &[packed("<p>packed "), packed("twice")].concat());
        write("html/c.html.gz", b"not packed");
        write("gold/a.txt", b"plain");
        write("gold/b.txt", b"");
        let corpus = Corpus::read(folder.path()).unwrap();
        assert_eq!(corpus.entry(0).html().unwrap(), b"<p>plain");
        assert_eq!(corpus.entry(1).html().unwrap(), b"<p>packed twice");
        assert!(format!("{:#}", corpus.entry(2).html().unwrap_err()).contains("c.html.gz cannot be unpacked"));
        assert!(format!("{:#}", corpus.entry(3).html().unwrap_err()).contains("d.html nor d.html.gz is there"));
        let gold: Vec<_> = corpus.entries().map(|entry| entry.gold_text().unwrap()).collect();
        assert_eq!(gold, [Some("plain".to_owned()), Some(String::new()), None, None]);
    }
}
