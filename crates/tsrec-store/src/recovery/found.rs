//! What opening a store found and did, as data and in words.

use tsrec_core::words::number_of;

/// What `lost_values` counts.
const VALUES_ARE: &str = " that can be had again (site memories, bodies of pages)";

/// What opening a store found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Recovery {
    /// Why sled was unusable and was filled again from the journal; `None` if it was usable.
    pub rebuilt: Option<String>,
    /// Operations of the journal that were applied to sled.
    pub replayed: u64,
    /// Dropped operations that were never acknowledged.
    pub dropped: u64,
    /// Records that are lost.
    pub lost_pages: u64,
    /// Journal frames that are missing or damaged, live or not; at least this many.
    pub lost_frames: u64,
    /// Lost bodies, site memories and re-extraction progress. All come again except what a person
    /// taught. Without the progress, pages follow a lesson at their next visit.
    pub lost_values: u64,
    /// If index and journal are both damaged, the frontier may have lost URLs, hosts and dates.
    /// This is how many URLs were found elsewhere and must enter it again
    /// ([`Database::salvaged`](crate::Database::salvaged)).
    pub salvaged: Option<u64>,
    /// Entries of spaces (the frontier, readers of the feed) whose frames the journal had lost. The
    /// index had them, so they are in the journal again.
    pub logged_again: u64,
    /// Something that readers may have seen is lost, so they start over.
    pub new_epoch: bool,
}

impl Recovery {
    /// Nothing was lost, and nothing had to be done.
    pub fn is_quiet(&self) -> bool {
        *self == Recovery { dropped: self.dropped, ..Recovery::default() }
    }

    /// Whether anything is lost: records, URLs of the frontier or what is known of them, site
    /// memories, or pages that wait for a sibling.
    pub fn has_losses(&self) -> bool {
        self.new_epoch || self.salvaged.is_some() || self.lost_pages > 0 || self.lost_values > 0
    }

    /// What is lost, as a sentence for an operator; `None` if nothing is.
    pub fn report(&self) -> Option<String> {
        let Recovery { lost_pages, lost_frames, lost_values, salvaged, rebuilt, new_epoch, .. } = self;
        let counts =
            [(lost_pages, "record", ""), (lost_frames, "frame", " of the journal"), (lost_values, "value", VALUES_ARE)];
        let counted = counts.into_iter().filter(|(count, ..)| **count > 0);
        let mut said: Vec<String> = counted.map(|(count, what, of)| number_of(count, what) + of).collect();
        if let Some(urls) = salvaged {
            said.push(format!(
                "perhaps a part of the frontier; the next crawl takes up again {} found elsewhere",
                number_of(urls, "URL")
            ));
        }
        if said.is_empty() {
            said.push("at least its newest changes, or what readers had seen of it".to_owned());
        }
        let why = rebuilt.as_ref().map(|why| format!(" (the index is damaged: {why})")).unwrap_or_default();
        let feed = if *new_epoch { "; readers of the feed start over" } else { "" };
        self.has_losses().then(|| format!("part of the store is lost: {}{why}{feed}", said.join(", ")))
    }
}
