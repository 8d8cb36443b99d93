//! What a person says of elements of a page: that they are content, or that they are not.

use serde::{Deserialize, Serialize};

/// What a person said of an element of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Its number, from 1, as `tsrec extract --explain` and the inspector count them.
    pub element: usize,
    /// Whether its text is content, and that of the elements in it that have no mark of their own.
    pub content: bool,
}

/// A mark of an element that the page does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page has {all} elements, and none of the number {element}")]
pub struct NoSuchElement {
    element: usize,
    all: usize,
}

/// What is said of each element: by its own mark, or that of the nearest element around it that has
/// one.
/// `parents` has for each element the one around it, the root for the root. Linear.
///
/// # Errors
///
/// A mark of an element that the page does not have.
pub fn spread(marks: &[Mark], parents: &[usize]) -> Result<Vec<Option<bool>>, NoSuchElement> {
    let all = parents.len();
    let mut marked = vec![None; all];
    for &Mark { element, content } in marks {
        let at = element.checked_sub(1).and_then(|at| marked.get_mut(at));
        *at.ok_or(NoSuchElement { element, all })? = Some(content);
    }
    // Parents stand before what is in them.
    for (index, &parent) in parents.iter().enumerate() {
        marked[index] = marked[index].or(marked[parent]);
    }
    Ok(marked)
}
