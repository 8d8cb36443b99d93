//! The template diff with its fallback: common parts and regular parts go, the leftover is the
//! content (Li et al. 2006). If no sibling passes the gates, the content is that of simple maximum
//! subsequence segmentation (Pasternack, Roth 2009).
//!
//! No learned score of blocks and no memory of the site takes part. The kind of the page comes from
//! the model of kinds.

use super::mss::Mss;
use super::scored::Scored;
use super::template::GatedDiff;
use super::{Extraction, Extractor, NoSibling, PageContext};

/// The template diff against the first sibling that passes its gates, or else MSS.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateOrMss;

impl Extractor for TemplateOrMss {
    /// Confidence is that of the method that made the content: see
    /// [`TemplateDiff`](super::template::TemplateDiff) and [`Mss`].
    /// O(alignment of each sibling).
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let GatedDiff { attempts, passed } = GatedDiff::of_siblings(context);
        let found = match passed {
            Some((_, diff)) => diff.into_extraction(context.page()),
            None => Mss::default().extract(context)?,
        };
        let kind = Scored::shipped().kind(context.page(), &found.content);
        Ok(Extraction { attempts, kind, ..found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Extract, Method};
    use crate::html::{Document, parse};

    fn story(name: &str) -> Document {
        let prose = format!("{name} was seen on the quay at nine, where the band played, and nobody minded the rain. ");
        let page = format!(
            "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><h1>{name}</h1><p>{}</p></div><p>All rights reserved by us.",
            prose.repeat(4)
        );
        parse(page.as_bytes(), None, &Default::default())
    }

    #[test]
    fn the_first_sibling_that_passes_decides_and_mss_where_none_does() {
        let [page, same, other] = ["The ferry", "The ferry", "A lifeboat"].map(story);
        let found = |siblings: &[&Document]| {
            let request = Extract::new(&page).method(TemplateOrMss);
            let numbered = siblings.iter().enumerate();
            let request = numbered.fold(request, |request, (at, sibling)| request.sibling(at.to_string(), *sibling));
            let found = request.run().unwrap();
            assert!(found.text().contains("nobody minded") && found.kind().is_some(), "{}", found.text());
            (found.method(), found.attempts().len(), found.extraction().sibling().map(str::to_owned))
        };
        assert_eq!(found(&[]), (Method::Mss, 0, None));
        assert_eq!(found(&[&same]), (Method::Mss, 1, None));
        assert_eq!(found(&[&same, &other]), (Method::Template, 2, Some("1".to_owned())));
        assert_eq!(found(&[&other, &same]), (Method::Template, 1, Some("0".to_owned())));
    }
}
