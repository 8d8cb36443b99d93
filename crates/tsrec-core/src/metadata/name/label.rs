//! Texts of the template that stand where names do.

use super::words::{LABELS, SHARING, is_weekday_alone};
use crate::words::is_ideograph;

/// True of a text that names nobody, though it stands where names do.
pub(in crate::metadata) fn is_label(text: &str) -> bool {
    let text = text.trim().trim_end_matches([':', ',', '.']).to_lowercase();
    LABELS.contains(&text.as_str())
        || is_weekday_alone(&text)
        || SHARING.iter().any(|label| is_beginning(label, &text))
        || text.starts_with("more about ")
        || text.starts_with("more from ")
}

/// Whether a text begins with a label as a whole word. Ideographs have no spaces between words.
fn is_beginning(label: &str, text: &str) -> bool {
    let rest = text.strip_prefix(label);
    rest.is_some_and(|rest| label.ends_with(is_ideograph) || !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_sharing_name_nobody_and_names_that_begin_alike_do() {
        for label in ["Share this", "Share: ", "Teilen", "Partager l’article", "Compartir", "分享到微信", "Udostępnij"]
        {
            assert!(is_label(label), "{label}");
        }
        for name in ["Sharon Orr", "Delena Orr", "Druckenmiller", "Printha Orr", "Teilenberg"] {
            assert!(!is_label(name), "{name}");
        }
    }
}
