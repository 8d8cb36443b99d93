//! The models of all methods, including the shipped ones (`src/models/README.md`).

use crate::{crf, mss, swarm};
use tsrec_core::evidence;
use tsrec_core::extract::Method;
use tsrec_core::learn::model::{Error, Header, Payload, decode, encode};

/// A trained model of any method.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyModel {
    /// Of `mss-supervised` and `mss-semi`.
    Mss(mss::model::MssModel),
    /// Of `crf`.
    Crf(crf::CrfModel),
    /// Of `swarm`.
    Swarm(swarm::SwarmModel),
    /// Of `blocks` and `auto`.
    Blocks(Box<evidence::model::BlockModel>),
}

impl AnyModel {
    /// The shipped model of a method, with its header. `None` if the method takes no model.
    pub fn shipped(method: Method) -> Option<(Header, AnyModel)> {
        shipped_file(method).map(|file| AnyModel::from_file(file).expect("a test reads every model that ships"))
    }

    /// True if the method runs with a model of its own.
    pub fn is_taken_by(method: Method) -> bool {
        matches!(method, Method::Supervised | Method::Semi | Method::Crf | Method::Swarm | Method::Blocks)
    }

    /// Reads a model file of any method.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn from_file(file: &[u8]) -> Result<(Header, AnyModel), Error> {
        let (header, payload) = decode(file)?;
        let model = match &*header.method {
            mss::model::MssModel::METHOD => AnyModel::Mss(Payload::from_payload(&header, payload)?),
            crf::CrfModel::METHOD => AnyModel::Crf(Payload::from_payload(&header, payload)?),
            swarm::SwarmModel::METHOD => AnyModel::Swarm(Payload::from_payload(&header, payload)?),
            evidence::model::BlockModel::METHOD => AnyModel::Blocks(Box::new(Payload::from_payload(&header, payload)?)),
            _ => return Err(Error::unknown(&header)),
        };
        Ok((header, model))
    }

    /// Writes a model file.
    pub fn to_file(&self, header: &Header) -> Vec<u8> {
        match self {
            AnyModel::Mss(model) => encode(header, &model.to_payload()),
            AnyModel::Crf(model) => encode(header, &model.to_payload()),
            AnyModel::Swarm(model) => encode(header, &model.to_payload()),
            AnyModel::Blocks(model) => encode(header, &model.to_payload()),
        }
    }
}

/// The shipped model file of a method that takes a model.
fn shipped_file(method: Method) -> Option<&'static [u8]> {
    match method {
        Method::Blocks => Some(tsrec_core::extract::scored::SHIPPED_FILE),
        Method::Supervised | Method::Semi => Some(include_bytes!("models/mss.model")),
        Method::Crf => Some(include_bytes!("models/crf.model")),
        Method::Swarm => Some(include_bytes!("models/swarm.model")),
        _ => None,
    }
}

/// Converts to a model of one kind, or returns the model if it is of another kind.
macro_rules! kinds {
    ($($kind:ident: $model:ty),*) => {$(
        impl TryFrom<AnyModel> for $model {
            type Error = AnyModel;

            fn try_from(model: AnyModel) -> Result<Self, AnyModel> {
                match model {
                    AnyModel::$kind(model) => Ok(model),
                    other => Err(other),
                }
            }
        }
    )*};
}

kinds!(Mss: mss::model::MssModel, Crf: crf::CrfModel, Swarm: swarm::SwarmModel, Blocks: Box<evidence::model::BlockModel>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_that_takes_a_model_has_one_that_ships() {
        for method in Method::ALL {
            let shipped = AnyModel::shipped(method);
            let is_trained =
                matches!(method, Method::Supervised | Method::Semi | Method::Crf | Method::Swarm | Method::Blocks);
            assert_eq!((shipped.is_some(), AnyModel::is_taken_by(method)), (is_trained, is_trained), "{method}");
            if let Some((header, _)) = shipped {
                let trains = |program: &str| header.command.starts_with(&format!("{program} train "));
                // The shipped models were trained before the lab was a separate program.
                assert!(trains("tsrec") || trains("tsrec-lab"), "{method}: {}", header.command);
            }
        }
    }
}
