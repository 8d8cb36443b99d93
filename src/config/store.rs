//! The section `[store]`: the settings of the content store, and of what its sites have taught.

use serde::{Deserialize, Serialize};

use tsrec_crawl::memories;

/// The settings of the content store, and of what its sites have taught.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// See [`tsrec_store::Config::cache_capacity`].
    pub cache_capacity: u64,
    /// See [`tsrec_store::Config::bodies_bytes`].
    pub bodies_bytes: u64,
    /// See [`tsrec_store::Config::held_per_host`].
    pub held_per_host: usize,
    /// See [`tsrec_store::Config::max_parked_bytes`].
    pub max_parked_bytes: usize,
    /// See [`tsrec_store::Config::max_record_bytes`].
    pub max_record_bytes: usize,
    /// See [`memories::Config::templates_per_host`].
    pub templates_per_host: usize,
    /// See [`memories::Config::max_template_bytes`].
    pub max_template_bytes: usize,
    /// See [`memories::Config::site_cache_bytes`].
    pub site_cache_bytes: u64,
}

impl Default for StoreSettings {
    fn default() -> Self {
        let tsrec_store::Config { cache_capacity, bodies_bytes, held_per_host, max_parked_bytes, max_record_bytes } =
            tsrec_store::Config::default();
        let memories::Config { templates_per_host, max_template_bytes, site_cache_bytes } = memories::Config::default();
        StoreSettings {
            cache_capacity,
            bodies_bytes,
            held_per_host,
            max_parked_bytes,
            max_record_bytes,
            templates_per_host,
            max_template_bytes,
            site_cache_bytes,
        }
    }
}

impl StoreSettings {
    /// Those of the content store.
    pub(crate) fn of_store(&self) -> tsrec_store::Config {
        let StoreSettings { cache_capacity, bodies_bytes, held_per_host, max_parked_bytes, max_record_bytes, .. } =
            *self;
        tsrec_store::Config { cache_capacity, bodies_bytes, held_per_host, max_parked_bytes, max_record_bytes }
    }

    /// Those of what its sites have taught.
    pub(crate) fn of_memories(&self) -> memories::Config {
        let StoreSettings { templates_per_host, max_template_bytes, site_cache_bytes, .. } = *self;
        memories::Config { templates_per_host, max_template_bytes, site_cache_bytes }
    }
}
