//! Marks: a person says of elements of a page that they are content, or that they are not.

use serde::{Deserialize, Serialize};

/// A person's label of an element of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The element's number, from 1, as in `tsrec extract --explain` and the inspector.
    pub element: usize,
    /// Whether its text is content. The mark also applies to the elements in it without a mark of
    /// their own.
    pub content: bool,
}

/// A mark names an element that the page does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page has {all} elements, and none of the number {element}")]
pub struct NoSuchElement {
    element: usize,
    all: usize,
}

/// Spreads marks over all elements. An element takes its own mark, or that of the nearest marked
/// element around it. `parents` gives for each element the one around it, and the root for the
/// root. Linear.
///
/// # Errors
///
/// A mark names an element that the page does not have.
pub fn spread(marks: &[Mark], parents: &[usize]) -> Result<Vec<Option<bool>>, NoSuchElement> {
    let all = parents.len();
    let mut marked = vec![None; all];
    for &Mark { element, content } in marks {
        let at = element.checked_sub(1).and_then(|at| marked.get_mut(at));
        *at.ok_or(NoSuchElement { element, all })? = Some(content);
    }
    // Parents come before their children.
    for (index, &parent) in parents.iter().enumerate() {
        marked[index] = marked[index].or(marked[parent]);
    }
    Ok(marked)
}
