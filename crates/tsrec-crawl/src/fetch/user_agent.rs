//! The crawler's name: the `User-Agent` header, and the product token at its start. The token
//! selects the robots.txt groups.

use reqwest::header::HeaderValue;

use super::Error;

/// Longest user agent, in bytes. Judgement: room for a name, a version and two contact addresses;
/// servers refuse long headers.
const MAX_USER_AGENT_BYTES: usize = 512;

/// A user agent that is a valid header and has a product token.
#[derive(Debug)]
pub(super) struct UserAgent {
    /// The header as it is sent.
    pub(super) header: HeaderValue,
    /// The leading letters, `-` and `_` (RFC 9309, section 2.2.1).
    pub(super) product_token: String,
}

impl UserAgent {
    /// Checks a user agent.
    ///
    /// The product token must end where the header's first word or its version begins. robots.txt
    /// knows no digits in a token, so `crawler2` would have to obey the groups for `crawler`.
    pub(super) fn parse(user_agent: &str) -> Result<Self, Error> {
        let refuse = |why: String| {
            Err(Error::setup(format!(
                "user agent {user_agent:?}: {why}; set `user_agent` to a name and a way to reach you, such as \
                 `examplebot/1.0 (+https://example.org/bot)`"
            )))
        };
        if user_agent.trim().is_empty() {
            return refuse("it is empty".to_owned());
        }
        if user_agent.len() > MAX_USER_AGENT_BYTES {
            return refuse(format!("it is longer than {MAX_USER_AGENT_BYTES} bytes"));
        }
        if let Some(bad) = user_agent.chars().find(|c| !matches!(c, ' '..='~')) {
            return refuse(format!("{bad:?} is not allowed in a header; printable ASCII is"));
        }
        let end = user_agent.find(|c: char| !is_product_token(c)).unwrap_or(user_agent.len());
        let (product_token, rest) = user_agent.split_at(end);
        if product_token.is_empty() {
            return refuse("it does not begin with a product token of letters, `-` and `_` (RFC 9309)".to_owned());
        }
        if let Some(next) = rest.chars().next().filter(|c| !matches!(c, '/' | ' ')) {
            return refuse(format!(
                "its product token {product_token:?} is followed by {next:?}; RFC 9309 allows letters, `-` and `_`, \
                 then `/` and a version, or a space"
            ));
        }
        let Ok(header) = HeaderValue::from_str(user_agent) else {
            return refuse("it is not a valid header value".to_owned());
        };
        Ok(Self { header, product_token: product_token.to_owned() })
    }
}

fn is_product_token(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_token_is_the_first_word_without_its_version() {
        for (user_agent, expect) in [
            ("examplebot", "examplebot"),
            ("Example-Bot_x/1.0 (+https://example.org/bot)", "Example-Bot_x"),
            ("examplebot (+mailto:bot@example.org)", "examplebot"),
        ] {
            let parsed = UserAgent::parse(user_agent).unwrap();
            assert_eq!(parsed.product_token, expect);
            assert_eq!(parsed.header, user_agent);
        }
    }

    #[test]
    fn a_user_agent_that_names_nobody_is_refused_with_the_way_out() {
        for (user_agent, expect) in [
            ("", "empty"),
            ("   ", "empty"),
            ("1bot/2", "product token"),
            ("/1.0", "product token"),
            (" bot", "product token"),
            ("bot2/1.0", "followed by '2'"),
            ("bot\r\nX-Evil: 1", "not allowed in a header"),
            ("bot/1.0 (Müller)", "'ü'"),
            (&"b".repeat(MAX_USER_AGENT_BYTES + 1), "longer"),
        ] {
            let text = UserAgent::parse(user_agent).unwrap_err().to_string();
            assert!(text.contains(expect) && text.contains("set `user_agent`"), "{user_agent:?}: {text}");
        }
    }
}
