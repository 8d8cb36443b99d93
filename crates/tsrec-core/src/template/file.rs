//! Memory files: a line of magic, a line of JSON that describes the file, and the memory.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Site;
use crate::learn::model::hex;

const MAGIC: &[u8] = b"tsrec memory\n";
/// The version of the format; each change adds one.
const VERSION: u32 = 5;

/// The second line of a file.
#[derive(Serialize, Deserialize)]
struct MemoryFileHead {
    version: u32,
    /// The digest of the model that scored the pages.
    model: String,
    bytes: usize,
    sha256: String,
}

/// Why bytes cannot be used as a memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is not a memory file.
    #[error(
        "this is not a tsrec memory: name another file, or one that is not there yet, which tsrec template learn makes"
    )]
    Foreign,
    /// It was changed or cut short.
    #[error(
        "the memory is damaged ({0}): once its file is removed or another one is named, tsrec template learn makes it again"
    )]
    Damaged(String),
    /// Another version of tsrec made it.
    #[error(
        "the memory's form is version {0}, this program reads version {VERSION}: once its file is removed or another one is named, tsrec template learn makes it again"
    )]
    Version(u32),
    /// Another model scored its pages. Holds what is still valid for this one: what a person
    /// taught, and where.
    #[error(
        "the memory was made with another model than the one at hand: its pages are to be learned again (tsrec template learn PAGE… --memory FILE), what was taught stays"
    )]
    OtherModel(Box<Site>),
}

#[doc(hidden)]
impl Site {
    /// A memory file's bytes. `model` is the digest of the model that scored the pages. The same
    /// memory gives the same bytes.
    pub fn to_file(&self, model: &str) -> Vec<u8> {
        let payload = postcard::to_stdvec(self).expect("a memory is plain data");
        let head = MemoryFileHead {
            version: VERSION,
            model: model.to_owned(),
            bytes: payload.len(),
            sha256: digest(&payload),
        };
        let mut file = MAGIC.to_vec();
        serde_json::to_writer(&mut file, &head).expect("a head is plain data");
        file.push(b'\n');
        file.extend_from_slice(&payload);
        file
    }

    /// Reads a memory file for the model with that digest.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn from_file(file: &[u8], model: &str) -> Result<Site, Error> {
        let damaged = |how: String| Error::Damaged(how);
        let rest = file.strip_prefix(MAGIC).ok_or(Error::Foreign)?;
        let line = rest.iter().position(|&byte| byte == b'\n').ok_or_else(|| damaged("its head has no end".into()))?;
        let head: MemoryFileHead =
            serde_json::from_slice(&rest[..line]).map_err(|error| damaged(format!("its head: {error}")))?;
        if head.version != VERSION {
            return Err(Error::Version(head.version));
        }
        let payload = &rest[line + 1..];
        if payload.len() != head.bytes {
            return Err(damaged(format!("{} bytes where its head says {}", payload.len(), head.bytes)));
        }
        if digest(payload) != head.sha256 {
            return Err(damaged("its digest does not fit".into()));
        }
        let site: Site = postcard::from_bytes(payload).map_err(|error| damaged(error.to_string()))?;
        match head.model == model {
            true => Ok(site),
            false => Err(Error::OtherModel(Box::new(site.start_over()))),
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{EVIDENCE, Memory, SeenBlock};

    fn site() -> Site {
        let seen = SeenBlock { place: 1, text: 2, words: 3, odds: 0.5, evidence: [1.5; EVIDENCE] };
        let mut site = Site::default();
        site.learn(&Memory::of_page(std::iter::once(seen)));
        site
    }

    #[test]
    fn a_memory_comes_back() {
        let file = site().to_file("abc");
        assert_eq!(Site::from_file(&file, "abc"), Ok(site()));
        assert_eq!(file, site().to_file("abc"));
    }

    #[test]
    fn what_is_no_memory_is_told_apart() {
        let file = site().to_file("abc");
        assert_eq!(Site::from_file(b"hello", "abc"), Err(Error::Foreign));
        assert_eq!(Site::from_file(&file, "abd"), Err(Error::OtherModel(Box::new(site().start_over()))));
        for length in MAGIC.len()..file.len() {
            assert!(matches!(Site::from_file(&file[..length], "abc"), Err(Error::Damaged(_))), "{length}");
        }
        let mut flipped = file.clone();
        *flipped.last_mut().unwrap() ^= 1;
        assert_eq!(Site::from_file(&flipped, "abc"), Err(Error::Damaged("its digest does not fit".into())));
        let version = format!("\"version\":{VERSION}");
        let newer = String::from_utf8_lossy(&file).replace(&version, "\"version\":9");
        assert_eq!(Site::from_file(newer.as_bytes(), "abc"), Err(Error::Version(9)));
    }
}
