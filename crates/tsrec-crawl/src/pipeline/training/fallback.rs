//! The model in use where no sibling serves: read at the start, trusted site by site, swapped when a training finds a better one.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::SystemTime;

use tsrec_core::learn::model::{Payload, decode};
use tsrec_papers::mss::model::MssModel;

/// The model's file in the data directory.
const FILE: &str = "mss.model";

/// The model in use, and where it is trusted. Nowhere, until [`Fallback::trust`] says so.
#[derive(Debug)]
pub struct Fallback {
    file: PathBuf,
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    model: Option<Arc<MssModel>>,
    sites: BTreeSet<String>,
    /// When the file was written, as far as it can be told.
    written: Option<SystemTime>,
}

/// A model file that cannot be used.
#[derive(Debug)]
pub struct Unusable {
    file: PathBuf,
    /// Where it was moved, or why it could not be.
    set_aside: Result<PathBuf, std::io::Error>,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cannot be used ({}); pages without a sibling are extracted without a model, ",
            self.file.display(),
            self.source
        )?;
        match &self.set_aside {
            Ok(to) => write!(f, "and the file is kept as {}", to.display()),
            Err(error) => write!(f, "and the file cannot be moved away ({error})"),
        }
    }
}

impl std::error::Error for Unusable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}

impl Fallback {
    /// Reads the model in a data directory, if there is one. A file that cannot be used is renamed, and told of.
    pub fn open(data_dir: &Path) -> (Fallback, Option<Unusable>) {
        let file = data_dir.join(FILE);
        let (state, unusable) = match read(&file) {
            Ok(model) => (State { written: written(&file), model: model.map(Arc::new), sites: BTreeSet::new() }, None),
            Err(source) => {
                let set_aside = set_aside(&file, "unusable");
                (State::default(), Some(Unusable { file: file.clone(), set_aside, source }))
            }
        };
        (Fallback { file, state: RwLock::new(state) }, unusable)
    }

    /// The model for pages of a host, if there is one and the host trusts it.
    pub fn for_host(&self, host: &str) -> Option<Arc<MssModel>> {
        let state = self.state();
        state.model.clone().filter(|_| state.sites.contains(host))
    }

    /// The model, whoever trusts it.
    pub fn model(&self) -> Option<Arc<MssModel>> {
        self.state().model.clone()
    }

    /// When the model's file was written. `None` without a model, or where the file system cannot tell.
    pub fn written(&self) -> Option<SystemTime> {
        self.state().written
    }

    /// Uses the model for pages of these hosts from now on, and of no others.
    pub fn trust(&self, sites: BTreeSet<String>) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).sites = sites;
    }

    /// Puts another model in its place, on disk first: whole or not at all.
    ///
    /// # Errors
    ///
    /// The disk's; then the model in use stays.
    pub fn replace(&self, model: MssModel, file: &[u8], sites: BTreeSet<String>) -> std::io::Result<()> {
        write(&self.file, file)?;
        let state = State { model: Some(Arc::new(model)), sites, written: written(&self.file) };
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        Ok(())
    }

    /// Uses no model from now on. The file is renamed, so that nothing is lost.
    ///
    /// # Errors
    ///
    /// The disk's; then the model would be back at the next start.
    pub fn retire(&self) -> std::io::Result<()> {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = State::default();
        match set_aside(&self.file, "retired") {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            moved => moved.map(drop),
        }
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        // It is replaced whole: a panic elsewhere leaves nothing half done.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(file: &Path) -> Result<Option<MssModel>, Box<dyn std::error::Error + Send + Sync>> {
    let bytes = match std::fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    let (header, payload) = decode(&bytes)?;
    Ok(Some(MssModel::from_payload(&header, payload)?))
}

fn written(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}

/// Renames a file to its name and a word more. What had that name is overwritten, so that they do not pile up.
fn set_aside(file: &Path, word: &str) -> std::io::Result<PathBuf> {
    let to = file.with_file_name(format!("{FILE}.{word}"));
    std::fs::rename(file, &to)?;
    Ok(to)
}

/// Writes a file whole or not at all, and so that it survives a power cut.
fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::learn::model::{Header, encode};
    use tsrec_papers::mss::model::Setting;
    use tsrec_papers::mss::train::Trainer;

    /// A model and its file, that differ by the number.
    fn model(number: u32) -> (MssModel, Vec<u8>) {
        use tsrec_core::block::symbols::{Symbol, SymbolKind};
        let symbols: Vec<Symbol> = (0..80).map(|n| Symbol { code: n * number, kind: SymbolKind::Word }).collect();
        let mut trainer = Trainer::new(Setting::Article);
        trainer.learn(&symbols, 10..70);
        let model = trainer.finish().unwrap();
        let header = Header {
            method: MssModel::METHOD.to_owned(),
            version: MssModel::VERSION,
            corpus: String::new(),
            seed: 0,
            command: String::new(),
        };
        let file = encode(&header, &model.to_payload());
        (model, file)
    }

    fn sites(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_model_is_used_where_it_is_trusted_and_comes_back_untrusted() {
        let dir = tempfile::tempdir().unwrap();
        let (fallback, unusable) = Fallback::open(dir.path());
        assert!(unusable.is_none() && fallback.model().is_none() && fallback.for_host("a").is_none());
        for number in [1, 2] {
            let (new, file) = model(number);
            fallback.replace(new.clone(), &file, sites(&["a"])).unwrap();
            assert_eq!((fallback.for_host("a").as_deref(), fallback.for_host("b")), (Some(&new), None));
            let (again, unusable) = Fallback::open(dir.path());
            assert_eq!((again.model().as_deref(), again.for_host("a")), (Some(&new), None));
            assert!(unusable.is_none() && again.written().is_some());
            again.trust(sites(&["b"]));
            assert_eq!((again.for_host("b").as_deref(), again.for_host("a")), (Some(&new), None));
        }
        fallback.retire().unwrap();
        fallback.retire().unwrap();
        assert!(fallback.model().is_none() && Fallback::open(dir.path()).0.model().is_none());
        assert_eq!(std::fs::read(dir.path().join("mss.model.retired")).unwrap(), model(2).1);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_set_aside() {
        let whole = model(1).1;
        let mut other = whole.clone();
        *other.last_mut().unwrap() ^= 1;
        let of_another_method = encode(
            &Header { method: "crf".into(), version: 1, corpus: String::new(), seed: 0, command: String::new() },
            b"",
        );
        for bytes in [&b"no model"[..], b"", &whole[..40], &whole[..whole.len() - 1], &other, &of_another_method] {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join(FILE), bytes).unwrap();
            let (fallback, unusable) = Fallback::open(dir.path());
            let said = unusable.unwrap().to_string();
            assert!(said.contains("mss.model cannot be used") && said.contains("mss.model.unusable"), "{said}");
            assert!(fallback.model().is_none() && !dir.path().join(FILE).exists());
            assert_eq!(std::fs::read(dir.path().join("mss.model.unusable")).unwrap(), bytes);
        }
    }
}
