//! The models that methods are run with, whichever method they belong to.

use super::{Method, crf, mss, swarm};
use crate::learn::model::{Error, Header, Payload, decode, encode};

/// A trained model.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Of `mss-supervised` and `mss-semi`.
    Mss(mss::model::Model),
    /// Of `crf`.
    Crf(crf::Model),
    /// Of `swarm`.
    Swarm(swarm::Model),
}

impl Model {
    /// Reads a model file, of whichever method.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn from_file(file: &[u8]) -> Result<(Header, Model), Error> {
        let (header, payload) = decode(file)?;
        let model = match &*header.method {
            mss::model::Model::METHOD => Model::Mss(Payload::from_payload(&header, payload)?),
            crf::Model::METHOD => Model::Crf(Payload::from_payload(&header, payload)?),
            swarm::Model::METHOD => Model::Swarm(Payload::from_payload(&header, payload)?),
            _ => return Err(Error::unknown(&header)),
        };
        Ok((header, model))
    }

    /// A model file.
    pub fn to_file(&self, header: &Header) -> Vec<u8> {
        match self {
            Model::Mss(model) => encode(header, &model.to_payload()),
            Model::Crf(model) => encode(header, &model.to_payload()),
            Model::Swarm(model) => encode(header, &model.to_payload()),
        }
    }

    /// True when the method is run with models of this kind.
    pub fn serves(&self, method: Method) -> bool {
        match self {
            Model::Mss(_) => matches!(method, Method::Supervised | Method::Semi),
            Model::Crf(_) => method == Method::Crf,
            Model::Swarm(_) => method == Method::Swarm,
        }
    }
}
