//! The settings of site memories.

use tsrec_core::template::Bounds;

/// The settings of site memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Templates remembered for each host; at least 1. When full, the template that was longest not
    /// served goes.
    pub templates_per_host: usize,
    /// Bytes of memory for each template before compression; at least 8 KiB. When full, the places
    /// with the fewest words go.
    pub max_template_bytes: usize,
    /// Approximate bytes of memory for the sites in memory. Others are read from the store when one
    /// of their pages comes.
    pub site_cache_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        let Bounds { templates, template_bytes } = Bounds::default();
        Config { templates_per_host: templates, max_template_bytes: template_bytes, site_cache_bytes: 64 << 20 }
    }
}

impl Config {
    /// Checks the ranges that the fields name.
    ///
    /// # Errors
    ///
    /// The first field out of its range, with the range.
    pub fn check(&self) -> Result<(), String> {
        if self.templates_per_host < 1 {
            return Err("templates_per_host is 0, it must be at least 1".to_owned());
        }
        let bytes = self.max_template_bytes;
        match bytes >= Bounds::LEAST_TEMPLATE_BYTES {
            true => Ok(()),
            false => Err(format!("max_template_bytes is {bytes}, it must be at least 8192 (8 KiB)")),
        }
    }

    /// The bounds of one site's memory.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { templates: self.templates_per_host, template_bytes: self.max_template_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused() {
        assert_eq!(Config::default().check(), Ok(()));
        for (config, named) in [
            (Config { templates_per_host: 0, ..Config::default() }, "templates_per_host is 0"),
            (Config { max_template_bytes: 8_191, ..Config::default() }, "max_template_bytes is 8191"),
        ] {
            assert!(config.check().unwrap_err().contains(named), "{config:?}");
        }
    }
}
