//! The page.

use super::Profile;

/// A page of some launches.
pub(super) fn of(launches: &[Profile], _left_out: usize) -> String {
    let mut page = String::new();
    for launch in launches {
        page.push_str(&launch.kernel);
    }
    page
}
