//! The models that methods are run with, whichever method they belong to; among them those that ship (`src/models/README.md`).

use super::{Method, crf, mss, swarm};
use crate::evidence;
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
    /// Of `blocks` and the cascade.
    Blocks(Box<evidence::model::Model>),
}

impl Model {
    /// The model that ships for a method, with its header. `None` where the method takes none, or its own is not built in (the feature `papers`).
    pub fn shipped(method: Method) -> Option<(Header, Model)> {
        shipped_file(method).map(|file| Model::from_file(file).expect("a test reads every model that ships"))
    }

    /// True when the method is run with a model of its own.
    pub fn is_taken_by(method: Method) -> bool {
        matches!(method, Method::Supervised | Method::Semi | Method::Crf | Method::Swarm | Method::Blocks)
    }

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
            evidence::model::Model::METHOD => Model::Blocks(Box::new(Payload::from_payload(&header, payload)?)),
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
            Model::Blocks(model) => encode(header, &model.to_payload()),
        }
    }
}

/// The file that ships for a method that takes a model.
fn shipped_file(method: Method) -> Option<&'static [u8]> {
    match method {
        Method::Blocks => Some(include_bytes!("../models/blocks.model")),
        #[cfg(feature = "papers")]
        Method::Supervised | Method::Semi => Some(include_bytes!("../models/mss.model")),
        #[cfg(feature = "papers")]
        Method::Crf => Some(include_bytes!("../models/crf.model")),
        #[cfg(feature = "papers")]
        Method::Swarm => Some(include_bytes!("../models/swarm.model")),
        _ => None,
    }
}

/// What a model is of, or the model back where it is of another kind.
macro_rules! kinds {
    ($($kind:ident: $model:ty),*) => {$(
        impl TryFrom<Model> for $model {
            type Error = Model;

            fn try_from(model: Model) -> Result<Self, Model> {
                match model {
                    Model::$kind(model) => Ok(model),
                    other => Err(other),
                }
            }
        }
    )*};
}

kinds!(Mss: mss::model::Model, Crf: crf::Model, Swarm: swarm::Model, Blocks: Box<evidence::model::Model>);

#[cfg(all(test, feature = "papers"))]
mod tests {
    use super::*;

    #[test]
    fn every_method_that_takes_a_model_has_one_that_ships() {
        for method in Method::ALL {
            let shipped = Model::shipped(method);
            let is_trained =
                matches!(method, Method::Supervised | Method::Semi | Method::Crf | Method::Swarm | Method::Blocks);
            assert_eq!((shipped.is_some(), Model::is_taken_by(method)), (is_trained, is_trained), "{method}");
            if let Some((header, _)) = shipped {
                assert!(header.command.starts_with("tsrec train"), "{method}: {}", header.command);
            }
        }
    }
}
