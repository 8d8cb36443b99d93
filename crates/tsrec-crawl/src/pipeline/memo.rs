//! What the crawl remembers of a page from one visit to the next, in the frontier's memo: see
//! [`crate::frontier::Account::memo`].

use serde::{Deserialize, Serialize};

use super::doubt::Doubt;
use super::method::ExtractConfig;
use crate::fetch::Validators;
use crate::frontier::MAX_MEMO_LEN;

/// The memo of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Memo {
    /// The validators of the version that we have.
    validators: Validators,
    /// The depth at which its links were offered.
    offered_at: u32,
    /// How it was extracted.
    extract: ExtractConfig,
    /// The visits since then that found a doubtful page.
    doubt: Option<Doubt>,
}

impl Memo {
    /// The written form, or nothing where there is nothing to remember.
    fn to_bytes(&self) -> Vec<u8> {
        if self.validators.is_empty() && self.doubt.is_none() {
            return Vec::new();
        }
        // It fails only for values that cannot be written, and strings can.
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// `None` if it is empty, or from another version of the program.
    fn from_bytes(memo: &[u8]) -> Option<Memo> {
        postcard::from_bytes(memo).ok()
    }
}

/// The memo of a version.
pub(super) fn to_memo(validators: &Validators, depth: u32, extract: ExtractConfig) -> Vec<u8> {
    Memo { validators: validators.clone(), offered_at: depth, extract, doubt: None }.to_bytes()
}

/// The validators that [`to_memo`] wrote. `None` if a shorter path to the page was found since:
/// then it must be fetched whole, since its links are nearer, too, and were perhaps not offered at
/// all. And `None` if the crawl now extracts in another way.
pub(super) fn from_memo(memo: &[u8], depth: u32, extract: ExtractConfig) -> Option<Validators> {
    let memo = Memo::from_bytes(memo)?;
    (!memo.validators.is_empty() && memo.offered_at <= depth && memo.extract == extract).then_some(memo.validators)
}

/// The visits that found a doubtful page, by the last memo.
pub(super) fn doubt(memo: &[u8]) -> Option<Doubt> {
    Memo::from_bytes(memo)?.doubt
}

/// The last memo with these visits. It keeps the validators of the version that we have, if there
/// is room.
pub(super) fn with_doubt(memo: &[u8], doubt: Option<Doubt>) -> Vec<u8> {
    let memo = Memo { doubt, ..Memo::from_bytes(memo).unwrap_or_default() };
    let bytes = memo.to_bytes();
    match bytes.len() <= MAX_MEMO_LEN {
        true => bytes,
        false => Memo { validators: Validators::default(), ..memo }.to_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::pipeline::method::CrawlMethod;
    use tsrec_core::evidence::favor::Favor;

    const AUTO: ExtractConfig = ExtractConfig { method: CrawlMethod::Auto, favor: Favor::Balance };

    fn etag(etag: &str) -> Validators {
        Validators { etag: Some(etag.to_owned()), last_modified: None }
    }

    #[test]
    fn validators_are_remembered() {
        for (depth, expect) in [(3, true), (4, true), (2, false)] {
            let expect = expect.then(|| etag("W/\"1\""));
            assert_eq!(from_memo(&to_memo(&etag("W/\"1\""), 3, AUTO), depth, AUTO), expect, "{depth}");
        }
        let others =
            [ExtractConfig { method: CrawlMethod::Template, ..AUTO }, ExtractConfig { favor: Favor::Recall, ..AUTO }];
        for other in others {
            assert_eq!(from_memo(&to_memo(&etag("1"), 3, AUTO), 3, other), None);
        }
        assert_eq!(to_memo(&Validators::default(), 3, AUTO), Vec::<u8>::new());
        let without_depth = postcard::to_stdvec(&etag("1")).unwrap();
        let of_before = postcard::to_stdvec(&(etag("1"), 3u32, AUTO)).unwrap();
        for memo in [&b""[..], b"\x07", b"\x00\x00\x00", &without_depth, &of_before] {
            assert_eq!(from_memo(memo, 3, AUTO), None);
        }
    }

    #[test]
    fn doubt_is_remembered_beside_the_validators_of_the_record() {
        let found = Some(Doubt::after(None, Timestamp::UNIX_EPOCH));
        let long = etag(&"e".repeat(MAX_MEMO_LEN - 5));
        for (before, expect) in [
            (Vec::new(), None),
            (to_memo(&etag("1"), 3, AUTO), Some(etag("1"))),
            (to_memo(&long, 3, AUTO), None),
            (b"damaged".to_vec(), None),
        ] {
            let memo = with_doubt(&before, found);
            assert_eq!((doubt(&memo), from_memo(&memo, 3, AUTO)), (found, expect));
            assert_eq!(doubt(&with_doubt(&memo, None)), None);
        }
    }
}
