//! Where profiles go that `VORTEX_PROFILE` asks for.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Profile, page};
use crate::error::{Error, Result};
use crate::json;

/// The page that `VORTEX_PROFILE` asks for.
#[derive(Debug)]
struct Page {
    launches: Vec<Profile>,
    left_out: usize,
}

/// Launches that a page has: of more, those that took longest.
const MOST: usize = 24;

/// What the program has launched so far.
static PAGE: Mutex<Page> = Mutex::new(Page {
    launches: Vec::new(),
    left_out: 0,
});

/// Adds a launch to the page, and rewrites its file.
pub(crate) fn add_to_page(path: &Path, profile: &Profile) -> Result<()> {
    let mut page = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    page.add(path, profile)
}

impl Page {
    fn add(&mut self, path: &Path, profile: &Profile) -> Result<()> {
        self.launches.push(profile.clone());
        if self.launches.len() > MOST {
            let shortest = self
                .launches
                .iter()
                .enumerate()
                .min_by_key(|(_, launch)| launch.cycles);
            if let Some((index, _)) = shortest {
                self.launches.remove(index);
                self.left_out += 1;
            }
        }
        let text = match path.extension().is_some_and(|end| end == "json") {
            true => json::text(&self.launches),
            false => page::of(&self.launches, self.left_out),
        };
        std::fs::write(path, text).map_err(|cause| Error::Output {
            variable: "VORTEX_PROFILE",
            path: path.to_owned(),
            cause,
        })
    }
}
