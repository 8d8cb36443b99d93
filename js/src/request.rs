//! What JavaScript asks for.

use serde::Deserialize;
use tsrec_core::evidence::favor::Favor;
use tsrec_core::extract::Extractor;
use tsrec_core::extract::Method;
use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::scored::Scored;
use tsrec_core::render::Along;

use crate::failure::Failure;
use crate::page::{InputPage, PageHeader};

/// A call, as the package's JavaScript writes it.
#[derive(Deserialize)]
struct Call {
    /// In the order of their bytes.
    pages: Vec<PageHeader>,
    options: Options,
}

/// Options, with the package's defaults filled in.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    pub(crate) format: String,
    method: String,
    favor: String,
    links: bool,
    images: bool,
    pub(crate) front_matter: bool,
    pub(crate) elements: bool,
    pub(crate) explain: bool,
    pub(crate) learn: bool,
}

/// A call with its pages.
pub(crate) struct Request<'b> {
    pub(crate) pages: Vec<InputPage<'b>>,
    pub(crate) options: Options,
}

impl<'b> Request<'b> {
    /// Reads a call. `bytes` has the bytes of its pages, one after the other.
    pub(crate) fn read(mut bytes: &'b [u8], call: &str) -> Result<Request<'b>, Failure> {
        let wrong = |what: &dyn ToString| Failure::Argument(format!("{}; please report it", what.to_string()));
        let Call { pages: headers, options } = serde_json::from_str(call).map_err(|why| wrong(&why))?;
        let mut pages = Vec::with_capacity(headers.len());
        for header in headers {
            let (own, rest) =
                bytes.split_at_checked(header.length).ok_or_else(|| wrong(&"a page has too few bytes"))?;
            pages.push(InputPage::new(header, own)?);
            bytes = rest;
        }
        options.check()?;
        Ok(Request { pages, options })
    }
}

/// The formats of the content.
pub(crate) const FORMATS: [&str; 5] = ["text", "markdown", "html", "tei", "json"];

impl Options {
    fn check(&self) -> Result<(), Failure> {
        if !FORMATS.contains(&&*self.format) {
            let what = format!("format: there is no format {:?}: it is one of {}", self.format, FORMATS.join(", "));
            return Err(Failure::Argument(what));
        }
        self.favor()?;
        Ok(())
    }

    pub(crate) fn along(&self) -> Along {
        Along { links: self.links, images: self.images }
    }

    pub(crate) fn favor(&self) -> Result<Favor, Failure> {
        self.favor.parse().map_err(|why| Failure::Argument(format!("favor: {why}")))
    }

    /// The method with the shipped model.
    pub(crate) fn extractor(&self) -> Result<Box<dyn Extractor>, Failure> {
        let choice = self.choice()?;
        let favor = self.favor()?;
        match choice {
            Choice::Auto => Ok(Box::new(Auto::shipped().favoring(favor))),
            Choice::One(Method::Blocks) => Ok(Box::new(Scored::shipped().clone().favoring(favor))),
            _ if favor != Favor::Balance => {
                Err(Failure::Argument(format!("favor: {choice} favours nothing: take the method auto or blocks")))
            }
            _ => choice.extractor().ok_or_else(|| self.unknown_method()),
        }
    }

    fn choice(&self) -> Result<Choice, Failure> {
        self.method.parse().map_err(|_| self.unknown_method())
    }

    /// Not every method of the command line is in the package: some need more than the core.
    fn unknown_method(&self) -> Failure {
        let names: Vec<&str> =
            Choice::all().filter(|choice| choice.extractor().is_some()).map(Choice::as_str).collect();
        let what = format!("method: there is no method {:?} here: it is one of {}", self.method, names.join(", "));
        Failure::Argument(what)
    }
}
