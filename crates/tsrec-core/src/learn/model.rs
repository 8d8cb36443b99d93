//! Model files: a trained model and the data about its training.
//!
//! A file is a line of magic, a line of JSON (the [`Header`] and the payload's length and digest),
//! and the payload, in the method's own format. `head -n 2` describes a model. The reader detects
//! files that were cut short, changed, or made by another program.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a model file says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The method it belongs to, as `tsrec-lab train` names it.
    pub method: String,
    /// The version of the payload's form.
    pub version: u32,
    /// SHA-256 of the training pages and their gold, in hexadecimal.
    pub corpus: String,
    /// The random seed.
    pub seed: u64,
    /// The command that made it, without folder paths.
    pub command: String,
}

/// The second line of a file.
#[derive(Serialize, Deserialize)]
struct ModelHead {
    #[serde(flatten)]
    header: Header,
    bytes: usize,
    sha256: String,
}

const MAGIC: &[u8] = b"tsrec model\n";

/// Why bytes cannot be used as a model.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    Foreign,
    Damaged(String),
    Unknown { found: String },
    Other { found: String, wanted: String },
    Version { found: u32, wanted: u32 },
}

impl Error {
    /// The error for a whole model of an unknown method.
    pub fn unknown(header: &Header) -> Error {
        Error(Kind::Unknown { found: header.method.clone() })
    }

    /// True of a file that is not a model file.
    pub fn is_foreign(&self) -> bool {
        matches!(self.0, Kind::Foreign)
    }

    /// True of a model file that was changed or cut short.
    pub fn is_damaged(&self) -> bool {
        matches!(self.0, Kind::Damaged(_))
    }

    /// True of a whole model of another method or version.
    pub fn is_mismatch(&self) -> bool {
        matches!(self.0, Kind::Unknown { .. } | Kind::Other { .. } | Kind::Version { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Foreign => f.write_str("this is not a tsrec model; tsrec-lab train makes one"),
            Kind::Damaged(how) => {
                write!(f, "the model is damaged ({how}); train it again with the command in its second line")
            }
            Kind::Unknown { found } => {
                write!(f, "this is a model of the method {found:?}, which this version of tsrec does not have")
            }
            Kind::Other { found, wanted } => write!(f, "this is a model of the method {found}, not of {wanted}"),
            Kind::Version { found, wanted } => {
                write!(
                    f,
                    "the model's form is version {found}, this program reads version {wanted}; train it again with the command in its second line"
                )
            }
        }
    }
}

impl std::error::Error for Error {}

/// A model file's bytes. The same header and payload give the same bytes.
pub fn encode(header: &Header, payload: &[u8]) -> Vec<u8> {
    let head = ModelHead { header: header.clone(), bytes: payload.len(), sha256: digest(payload) };
    let mut file = MAGIC.to_vec();
    serde_json::to_writer(&mut file, &head).expect("a header is plain data");
    file.push(b'\n');
    file.extend_from_slice(payload);
    file
}

/// A model file's header and payload.
///
/// # Errors
///
/// [`Error::is_foreign`], [`Error::is_damaged`].
pub fn decode(file: &[u8]) -> Result<(Header, &[u8]), Error> {
    let (head, payload) = parts(file)?;
    if digest(payload) != head.sha256 {
        return Err(Error(Kind::Damaged("its digest does not fit".to_owned())));
    }
    Ok((head.header, payload))
}

/// The same for a file within the program, without its digest. In WebAssembly the digest would take
/// a fifth of the time of the first page.
///
/// # Errors
///
/// [`Error::is_foreign`], [`Error::is_damaged`].
pub fn decode_own(file: &[u8]) -> Result<(Header, &[u8]), Error> {
    let (head, payload) = parts(file)?;
    Ok((head.header, payload))
}

fn parts(file: &[u8]) -> Result<(ModelHead, &[u8]), Error> {
    let rest = file.strip_prefix(MAGIC).ok_or(Error(Kind::Foreign))?;
    let damaged = |how: &str| Error(Kind::Damaged(how.to_owned()));
    let line = rest.iter().position(|&byte| byte == b'\n').ok_or_else(|| damaged("its head has no end"))?;
    let head: ModelHead =
        serde_json::from_slice(&rest[..line]).map_err(|error| damaged(&format!("its head: {error}")))?;
    let payload = &rest[line + 1..];
    if payload.len() != head.bytes {
        return Err(damaged(&format!("{} bytes where its head says {}", payload.len(), head.bytes)));
    }
    Ok((head, payload))
}

/// A method's part of a model file.
pub trait Payload: Serialize + DeserializeOwned {
    /// The method, as `tsrec-lab train` names it.
    const METHOD: &'static str;
    /// The version of the format; each change adds one.
    const VERSION: u32;

    /// The payload's bytes.
    fn to_payload(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a model is plain data")
    }

    /// Reads a payload.
    ///
    /// # Errors
    ///
    /// [`Error::is_mismatch`], [`Error::is_damaged`].
    fn from_payload(header: &Header, payload: &[u8]) -> Result<Self, Error> {
        if header.method != Self::METHOD {
            return Err(Error(Kind::Other { found: header.method.clone(), wanted: Self::METHOD.to_owned() }));
        }
        if header.version != Self::VERSION {
            return Err(Error(Kind::Version { found: header.version, wanted: Self::VERSION }));
        }
        postcard::from_bytes(payload).map_err(|error| Error(Kind::Damaged(error.to_string())))
    }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in hexadecimal, lower case.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Toy(Vec<u8>);

    impl Payload for Toy {
        const METHOD: &'static str = "toy";
        const VERSION: u32 = 2;
    }

    fn header(method: &str, version: u32) -> Header {
        let (corpus, command) = ("00".to_owned(), "tsrec-lab train toy".to_owned());
        Header { method: method.to_owned(), version, corpus, seed: 7, command }
    }

    #[test]
    fn a_model_comes_back() {
        let file = encode(&header("toy", 2), &Toy(vec![1, 2]).to_payload());
        let (head, payload) = decode(&file).unwrap();
        assert_eq!((head.seed, Toy::from_payload(&head, payload).unwrap()), (7, Toy(vec![1, 2])));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let file = encode(&header("toy", 2), &Toy(vec![1, 2, 3]).to_payload());
        for length in 0..file.len() {
            let error = decode(&file[..length]).unwrap_err();
            assert_eq!(error.is_foreign(), length < MAGIC.len(), "{length}: {error}");
            assert_eq!(error.is_damaged(), length >= MAGIC.len(), "{length}: {error}");
        }
        let mut changed = file.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(decode(&changed).unwrap_err().is_damaged());
        for (method, version) in [("crf", 2), ("toy", 3)] {
            let file = encode(&header(method, version), &Toy(vec![]).to_payload());
            let (head, payload) = decode(&file).unwrap();
            assert!(Toy::from_payload(&head, payload).unwrap_err().is_mismatch());
        }
    }
}
