//! Which launches are profiled, and where profiles go.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use vortex_sim::timing::Recording;

use super::{Profile, page};
use crate::device::Device;
use crate::error::{Error, Result};

/// What is noted of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watch {
    /// A profile of it.
    pub(crate) profile: bool,
}

impl Watch {
    /// What the device is to note, if anything.
    pub(crate) fn recording(&self, device: &Device) -> Option<Recording> {
        let profile = self.profile || device.profile().is_some();
        profile.then(Recording::of_profile)
    }
}

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

/// Adds a launch to the page, and writes its file anew.
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
            true => serde_json::to_string(&self.launches).unwrap_or_default(),
            false => page::of(&self.launches, self.left_out),
        };
        std::fs::write(path, text).map_err(|cause| Error::Profile {
            path: path.to_owned(),
            cause,
        })
    }
}
