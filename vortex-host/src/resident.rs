//! The images on a device: those that were launched last, of kernels and modules that can still be launched.

use std::collections::HashMap;
use std::sync::Arc;

use vortex_kernel::codegen::Room;

use crate::cached::EntryId;
use crate::image::Loaded;
use crate::image::room::{has_room, more_room, room_for};

/// What an image on a device is an image of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// A kernel of this program, and the launches that the image is for.
    Kernel(EntryId, Launches),
    /// An image of a module, by numbers.
    Module {
        module: u64,
        kernel: usize,
        variant: usize,
    },
}

/// The launches that an image is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Launches {
    /// Those with these groups, or with any.
    pub(crate) block: Option<[u32; 3]>,
    /// Whether they are only those for which all holds that the code assumes.
    pub(crate) are_usual: bool,
    /// Those with room for so many items in each lane at once, and not more.
    pub(crate) room: Room,
}

impl Launches {
    /// Usual ones, with groups of any size and room for any blocks.
    pub(crate) const USUAL: Self = Self {
        block: None,
        are_usual: true,
        room: Room::ANY,
    };
}

impl Key {
    /// The same for launches with other room.
    const fn with_room(self, room: Room) -> Self {
        match self {
            Self::Kernel(kernel, launches) => Self::Kernel(kernel, Launches { room, ..launches }),
            Self::Module { .. } => self,
        }
    }

    const fn room(&self) -> Room {
        match self {
            Self::Kernel(_, launches) => launches.room,
            Self::Module { .. } => Room::ANY,
        }
    }

    /// The number of the kernel in its module.
    pub(crate) const fn kernel_of_module(&self) -> Option<usize> {
        match self {
            Self::Kernel(..) => None,
            Self::Module { kernel, .. } => Some(*kernel),
        }
    }
}

/// How many images a device has, and what became of others: what [`Device::image_stats`](crate::Device::image_stats)
/// returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageStats {
    /// Images on the device.
    pub images: u64,
    /// Images that were copied there, again and again if need be.
    pub loads: u64,
    /// Images that made room for others: each was the one that had not been launched for longest.
    pub evicted: u64,
    /// Images that went with the last handle of their module.
    pub freed: u64,
}

/// The images on a device, by what they are images of.
#[derive(Default)]
pub(crate) struct Images {
    by_key: HashMap<Key, Arc<Loaded>>,
    loads: u64,
    evicted: u64,
    freed: u64,
}

impl Images {
    /// An image, for a launch of it. One for launches with more room serves as well, if it has no larger blocks.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Loaded>> {
        let mut serving = more_room(key.room()).into_iter().filter_map(|room| {
            let loaded = self.by_key.get(&key.with_room(room))?;
            has_room(&loaded.image, key.room()).then_some(loaded)
        });
        let loaded = serving.next()?;
        loaded.used.again();
        Some(Arc::clone(loaded))
    }

    /// How many there are of a kernel of this program, for usual launches, that are for groups of one size.
    pub(crate) fn sizes_of_kernel(&self, kernel: EntryId) -> usize {
        self.usual_launches_of(kernel)
            .filter(|launches| launches.block.is_some())
            .count()
    }

    /// For how many sizes of groups there are images of a kernel of this program.
    pub(crate) fn of_kernel(&self, kernel: EntryId) -> usize {
        self.usual_launches_of(kernel).count()
    }

    /// The usual launches that there are images of a kernel for.
    fn usual_launches_of(&self, kernel: EntryId) -> impl Iterator<Item = &Launches> {
        self.by_key.keys().filter_map(move |key| match key {
            Key::Kernel(other, launches) if *other == kernel && launches.are_usual => {
                Some(launches)
            }
            _ => None,
        })
    }

    /// Takes one away that must make room for one more if there are so many. The caller frees it.
    pub(crate) fn make_room(&mut self, most: usize) -> Option<Arc<Loaded>> {
        if self.by_key.len() < most {
            return None;
        }
        let all = self.by_key.iter();
        let oldest = all.min_by_key(|(_, loaded)| loaded.used.when());
        let key = *oldest?.0;
        self.evicted += 1;
        self.by_key.remove(&key)
    }

    /// Adds one, for all launches with room that would have been given the same.
    pub(crate) fn insert(&mut self, key: Key, loaded: Arc<Loaded>) {
        self.loads += 1;
        let key = key.with_room(room_for(&loaded.image, key.room()));
        self.by_key.insert(key, loaded);
    }

    /// Takes the images of these modules away. The caller frees them.
    pub(crate) fn take_of(&mut self, modules: &[u64]) -> Vec<Arc<Loaded>> {
        let is_of = |key: &Key, _: &mut Arc<Loaded>| match key {
            Key::Module { module, .. } => modules.contains(module),
            Key::Kernel(..) => false,
        };
        let taken: Vec<_> = self
            .by_key
            .extract_if(is_of)
            .map(|(_, loaded)| loaded)
            .collect();
        self.freed += taken.len() as u64;
        taken
    }

    pub(crate) fn stats(&self) -> ImageStats {
        ImageStats {
            images: self.by_key.len() as u64,
            loads: self.loads,
            evicted: self.evicted,
            freed: self.freed,
        }
    }
}
