//! The choices of `--method`: a method by its name, or `auto`.

use std::fmt;
use std::str::FromStr;

use super::auto::Auto;
use super::blocks::Blocks;
use super::longest::Longest;
use super::mss::Mss;
use super::scored::Scored;
use super::template_or_mss::TemplateOrMss;
use super::template_paper::TemplatePaper;
use super::{Extractor, Method, UnknownMethod};

/// What a user can ask for: a method, or `auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The learned score over all evidence: [`Auto`].
    #[default]
    Auto,
    /// Always this method.
    One(Method),
}

impl Choice {
    /// All choices: `auto` first, then the methods in the order of the documentation.
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

    /// How the shipped model differs from the paper's: [`Method::shipped_model`].
    pub fn shipped_model(self) -> Option<&'static str> {
        match self {
            Choice::Auto => Method::Blocks.shipped_model(),
            Choice::One(method) => method.shipped_model(),
        }
    }

    /// The method with the shipped model. `None` for a method in another crate (`tsrec-papers`).
    #[doc(hidden)]
    pub fn extractor(self) -> Option<Box<dyn Extractor>> {
        let Choice::One(method) = self else { return Some(Box::new(Auto::shipped())) };
        Some(match method {
            Method::Blocks => Box::new(Scored::shipped()),
            Method::Memory => Box::new(Auto::shipped()),
            Method::Template => Box::new(TemplateOrMss),
            Method::TemplatePaper => Box::new(TemplatePaper::default()),
            Method::Mss => Box::new(Mss::default()),
            Method::MssBlocks => Box::new(Blocks),
            Method::Longest => Box::new(Longest),
            _ => return None,
        })
    }

    /// Whether it can favour precision or recall.
    pub fn favors(self) -> bool {
        matches!(self, Choice::Auto | Choice::One(Method::Blocks))
    }

    /// The method; `None` for `auto`.
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
            let told = choice.shipped_model().into_iter().chain([choice.summary()]);
            assert!(told.into_iter().all(|told| !told.is_empty() && !told.ends_with('.')), "{choice}");
        }
        assert!("all".parse::<Choice>().is_err());
    }
}
