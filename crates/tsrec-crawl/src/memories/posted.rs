//! The URLs whose pages were posted to the service: a page that is posted again is not learned
//! twice, or all text of its site would seem to repeat. Only hashes are kept, a bounded number for
//! each host, in front of its memory on disk.

use std::collections::VecDeque;

use sha2::{Digest, Sha256};

use tsrec_store::{Error, Key};

/// The most URLs of a host. Judgement: 40 to 64 KB, as much as one template; of a site with more
/// pages, the oldest are learned again.
const MOST_URLS: usize = 8_192;

/// The first bytes of a value that has hashes. A memory without them begins with its own line.
const MAGIC: &[u8] = b"tsrec posted\n";

/// The URLs of a host, the oldest first, each with the template of its page. Two URLs of a host
/// have one hash with a chance of 2 in a million.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PostedUrls {
    urls: VecDeque<(u32, u32)>,
}

impl PostedUrls {
    /// The template that the page had when it was posted last.
    pub(super) fn template_of(&self, url: &Key) -> Option<u32> {
        let hash = hash(url);
        self.urls.iter().find(|(known, _)| *known == hash).map(|(_, template)| *template)
    }

    /// Notes a posted page. The oldest URL makes room.
    pub(super) fn note(&mut self, url: &Key, template: u32) {
        let hash = hash(url);
        if let Some(known) = self.urls.iter_mut().find(|(known, _)| *known == hash) {
            known.1 = template;
            return;
        }
        if self.urls.len() >= MOST_URLS {
            self.urls.pop_front();
        }
        self.urls.push_back((hash, template));
    }

    /// The value on disk: the hashes, if there are any, and the memory.
    pub(super) fn before(&self, memory: Vec<u8>) -> Result<Vec<u8>, Error> {
        if self.urls.is_empty() {
            return Ok(memory);
        }
        let urls = postcard::to_stdvec(&self.urls).map_err(Error::encode("hashes of URLs"))?;
        Ok([MAGIC, &(urls.len() as u32).to_le_bytes(), &urls, &memory].concat())
    }

    /// The hashes of a value, and its memory. A value that is cut short has none: its memory says
    /// what is wrong.
    pub(super) fn split(value: &[u8]) -> (PostedUrls, &[u8]) {
        let parts = value.strip_prefix(MAGIC).and_then(|rest| {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            let (urls, memory) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            Some((PostedUrls { urls: postcard::from_bytes(urls).ok()? }, memory))
        });
        parts.unwrap_or_else(|| (PostedUrls::default(), value))
    }
}

fn hash(url: &Key) -> u32 {
    let digest = Sha256::digest(url.as_bytes());
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(number: usize) -> Key {
        Key::parse(&format!("https://a.example/{number}")).unwrap()
    }

    #[test]
    fn urls_come_back_with_their_memory() {
        let mut posted = PostedUrls::default();
        assert_eq!(posted.before(b"memory".to_vec()).unwrap(), b"memory");
        (0..3).for_each(|number| posted.note(&url(number), number as u32 + 1));
        posted.note(&url(1), 9);
        let value = posted.before(b"memory".to_vec()).unwrap();
        let (back, memory) = PostedUrls::split(&value);
        assert_eq!((&back, memory), (&posted, &b"memory"[..]));
        let templates: Vec<_> = (0..4).map(|number| back.template_of(&url(number))).collect();
        assert_eq!(templates, [Some(1), Some(9), Some(3), None]);
        for length in 0..value.len() - b"memory".len() {
            assert_eq!(PostedUrls::split(&value[..length]).0, PostedUrls::default(), "{length}");
        }
    }

    #[test]
    fn the_oldest_url_makes_room() {
        let mut posted = PostedUrls::default();
        (0..=MOST_URLS).for_each(|number| posted.note(&url(number), 1));
        assert_eq!((posted.template_of(&url(0)), posted.template_of(&url(1))), (None, Some(1)));
        assert!(posted.before(Vec::new()).unwrap().len() < 64 << 10);
    }
}
