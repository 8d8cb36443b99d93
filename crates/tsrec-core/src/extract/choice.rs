//! What can be asked for: a method by its name, or the cascade that chooses one.

use std::fmt;
use std::str::FromStr;

use super::{Method, UnknownMethod};

/// What can be asked for: a method, or the cascade that chooses one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The [`Cascade`](super::cascade::Cascade).
    #[default]
    Auto,
    /// This method, whatever comes of it.
    One(Method),
}

impl Choice {
    /// Everything that can be asked for, the cascade first, then the methods in the order of the
    /// documentation.
    pub fn all() -> impl Iterator<Item = Choice> {
        std::iter::once(Choice::Auto).chain(Method::ALL.into_iter().map(Choice::One))
    }

    /// Its name, as `--method` takes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Choice::Auto => "auto",
            Choice::One(method) => method.as_str(),
        }
    }

    /// What it does, in a sentence.
    pub fn summary(self) -> &'static str {
        match self {
            Choice::Auto => {
                "One learned score over everything that is known of each block, siblings that are built like the page included"
            }
            Choice::One(method) => method.summary(),
        }
    }

    /// The method; `None` for the cascade.
    pub fn method(self) -> Option<Method> {
        match self {
            Choice::Auto => None,
            Choice::One(method) => Some(method),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Choice {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        match name {
            "auto" => Ok(Choice::Auto),
            name => name.parse().map(Choice::One),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for choice in Choice::all() {
            assert_eq!(choice.as_str().parse(), Ok(choice));
            assert!(!choice.summary().is_empty() && !choice.summary().ends_with('.'), "{choice}");
        }
        assert!("all".parse::<Choice>().is_err());
    }
}
