//! What errors of launches say, but for where in these tests they are.

use std::fmt::Display;

/// The text of an error up to its place.
pub(crate) fn said(error: &impl Display) -> String {
    let text = error.to_string();
    match text.split_once(", at tests/") {
        Some((said, _)) => said.to_owned(),
        None => text,
    }
}
