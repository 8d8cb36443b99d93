//! Models of folds that are kept between runs. Training takes most of the time of `--folds`, and
//! questions about decisions, rules and output need no new models.

use std::fmt::Debug;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use tsrec_core::evidence::model::BlockModel;
use tsrec_core::evidence::{Column, all_columns};
use tsrec_core::learn::model::{Header, Payload, hex};
use tsrec_papers::model::AnyModel;
use tsrec_terminal::whole_file;

use crate::cli::corpus;
use crate::cli::corpus::Corpus;

/// A folder with the models of `--folds`, and what they are made from.
pub(super) struct KeptModels<'f> {
    folder: &'f Path,
    header: Header,
}

impl<'f> KeptModels<'f> {
    /// The place of models of these pages. `settings` are all settings of their training.
    ///
    /// # Errors
    ///
    /// If a page cannot be read.
    pub(super) fn new(folder: &'f Path, corpora: &[Corpus], settings: &impl Debug, seed: u64) -> Result<Self> {
        let known: Vec<_> =
            corpora.iter().flat_map(Corpus::entries).map(|entry| (&entry.info.kind, &entry.info.site)).collect();
        let columns: Vec<&Column> = all_columns().collect();
        // The command stands for all that the header has no field for.
        let command = hex(&Sha256::digest(format!("{known:?} {columns:?} {settings:?}")));
        let (method, version) = (BlockModel::METHOD.to_owned(), BlockModel::VERSION);
        let header = Header { method, version, corpus: corpus::digest(corpora)?, seed, command };
        Ok(KeptModels { folder, header })
    }

    /// The models of all `count` parts. `None` if one is missing, or is made from something else.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or is damaged.
    pub(super) fn read(&self, count: usize) -> Result<Option<Vec<AnyModel>>> {
        (0..count).map(|part| self.read_part(part)).collect()
    }

    fn read_part(&self, part: usize) -> Result<Option<AnyModel>> {
        let path = self.path(part);
        let file = match fs::read(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        };
        match AnyModel::from_file(&file) {
            Ok((header, model)) => Ok((header == self.header).then_some(model)),
            Err(error) if error.is_mismatch() => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{}: delete it", path.display())),
        }
    }

    /// Writes the models, in the order of the parts.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub(super) fn write(&self, models: &[AnyModel]) -> Result<()> {
        fs::create_dir_all(self.folder).with_context(|| format!("{} cannot be made", self.folder.display()))?;
        for (part, model) in models.iter().enumerate() {
            whole_file::write(&self.path(part), &model.to_file(&self.header))?;
        }
        Ok(())
    }

    fn path(&self, part: usize) -> PathBuf {
        self.folder.join(format!("part-{}.model", part + 1))
    }
}
