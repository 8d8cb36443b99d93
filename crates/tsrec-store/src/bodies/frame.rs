//! The value of a body's frame.

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

use super::Parked;
use crate::error::Error;

/// The longest charset name kept, in bytes. Judgement: the longest registered label has 45.
const MAX_CHARSET_LEN: usize = 64;

/// A page as fetched; its tag sequence, if that is what stays of it.
#[derive(Serialize, Deserialize)]
pub(crate) struct BodyValue<'a> {
    status: u16,
    charset: Option<&'a str>,
    truncated: bool,
    #[serde(serialize_with = "as_bytes")]
    body: &'a [u8],
    #[serde(serialize_with = "as_bytes")]
    pub(crate) sequence: &'a [u8],
}

/// Writes all bytes at once. serde takes a slice for a sequence, which postcard writes alike, but
/// number by number.
fn as_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

impl<'a> BodyValue<'a> {
    pub(crate) fn new(page: &'a Parked, has_body: bool, sequence: Option<&'a [u8]>) -> Self {
        BodyValue {
            status: page.status,
            charset: page.charset.as_deref().filter(|charset| charset.len() <= MAX_CHARSET_LEN),
            truncated: page.truncated,
            body: if has_body { &page.body } else { &[] },
            sequence: sequence.unwrap_or_default(),
        }
    }

    /// The same with the tag sequence alone.
    pub(crate) fn without_body(self) -> Self {
        BodyValue { body: &[], ..self }
    }

    pub(crate) fn encode(&self) -> Result<Vec<u8>, Error> {
        postcard::to_stdvec(self).map_err(Error::encode("a body"))
    }

    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Error> {
        postcard::from_bytes(bytes).map_err(Error::decode("a body"))
    }

    pub(crate) fn page(&self, fetched_at: Timestamp) -> Parked {
        Parked {
            body: self.body.to_vec(),
            status: self.status,
            charset: self.charset.map(str::to_owned),
            fetched_at,
            truncated: self.truncated,
        }
    }
}
