//! The `listen` setting.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The default: this machine only. Judgement: a port that IANA has not assigned.
const DEFAULT: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 7717);

/// Where to listen. As text `none`, or an IP address and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Listen {
    /// No API.
    None,
    /// At this address; port 0 takes a free one.
    Addr(SocketAddr),
}

/// A text that is not a valid [`Listen`].
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is not where one can listen: give an IP address and a port, as in 127.0.0.1:7717 or [::1]:7717, or none"
)]
pub struct InvalidListen(String);

impl Default for Listen {
    fn default() -> Self {
        Listen::Addr(DEFAULT.into())
    }
}

impl FromStr for Listen {
    type Err = InvalidListen;

    fn from_str(text: &str) -> Result<Listen, InvalidListen> {
        match text {
            "none" => Ok(Listen::None),
            _ => text.parse().map(Listen::Addr).map_err(|_| InvalidListen(text.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listen::None => f.write_str("none"),
            Listen::Addr(addr) => addr.fmt(f),
        }
    }
}

impl From<Listen> for String {
    fn from(listen: Listen) -> String {
        listen.to_string()
    }
}

impl TryFrom<String> for Listen {
    type Error = InvalidListen;

    fn try_from(text: String) -> Result<Listen, InvalidListen> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_a_port_are_read_and_nothing_else() {
        for (text, good) in [
            ("none", true),
            ("127.0.0.1:7717", true),
            ("[::1]:0", true),
            ("127.0.0.1", false),
            ("localhost:7717", false),
            ("127.0.0.1:70000", false),
            ("None", false),
            ("", false),
        ] {
            match text.parse::<Listen>() {
                Ok(listen) => assert!(good && listen.to_string() == text, "{text}"),
                Err(error) => assert!(!good && error.to_string().contains(&format!("{text:?}")), "{text}: {error}"),
            }
        }
        assert_eq!(Listen::default().to_string(), "127.0.0.1:7717");
    }
}
