//! Images that are started with only their arguments.

use vortex_kernel::codegen::{Bare, BareSize, CompileError, Image, Specialization};

use crate::driver::Caps;
use crate::error::{Error, LaunchError, Result};
use crate::extents::Extents;
use crate::name::Name;

/// A kernel that is to have an image without a launch header.
pub(super) struct BareKernel<'a> {
    pub(super) name: Name,
    /// The work items of every launch, if they were given.
    pub(super) over: Option<[usize; 3]>,
    /// The groups of every launch, if the kernel is declared with them.
    pub(super) grid: Option<[u32; 3]>,
    /// The device, if it is known.
    pub(super) caps: Option<&'a Caps>,
}

impl BareKernel<'_> {
    /// The image. It is compiled once more if local memory has room for fewer groups than the warps of a core could
    /// run.
    pub(super) fn image(
        &self,
        known: Specialization,
        compile: impl Fn(Specialization) -> Result<Image>,
    ) -> Result<Image> {
        let over = self.size(known.block)?;
        let with_room_for = |groups_of_a_core| {
            compile(Specialization {
                bare: Some(Bare {
                    over,
                    groups_of_a_core,
                }),
                ..known
            })
        };
        let image = with_room_for(u32::MAX)?;
        let Some(groups) = image.groups else {
            return Ok(image);
        };
        if let (Some(caps), Some(block)) = (self.caps, known.block) {
            self.check_group(caps, block)?;
        }
        if groups.local_bytes == 0 {
            return Ok(image);
        }
        let caps = self.device()?;
        match self.groups_in_local_memory(caps, groups.local_bytes)? {
            groups if groups >= caps.warps => Ok(image),
            fewer => with_room_for(fewer),
        }
    }

    /// How much a launch runs.
    fn size(&self, block: Option<[u32; 3]>) -> Result<BareSize> {
        let [bx, by, bz] = block.unwrap_or([1; 3]).map(|n| n as usize);
        let of_groups = |[x, y, z]: [u32; 3]| {
            let times = |n: u32, items: usize| (n as usize).saturating_mul(items);
            [times(x, bx), times(y, by), times(z, bz)]
        };
        let Some(items) = self.over.or(self.grid.map(of_groups)) else {
            return Ok(BareSize::Threads);
        };
        let [x, y, z] = items;
        match [x, y, z].map(u32::try_from) {
            [Ok(x), Ok(y), Ok(z)] => Ok(BareSize::Items([x, y, z])),
            _ => Err(Error::refused(
                &self.name,
                LaunchError::TooManyItems {
                    items: Extents(items.map(|n| n as u64)),
                    max: Bare::MOST_ITEMS,
                },
            )),
        }
    }

    /// Refuses groups that a core of the device cannot run.
    fn check_group(&self, caps: &Caps, block: [u32; 3]) -> Result<()> {
        let items: u64 = block.iter().map(|&n| u64::from(n)).product();
        if items <= caps.max_group().into() {
            return Ok(());
        }
        let [x, y, z] = block.map(|n| n as usize);
        Err(Error::refused(
            &self.name,
            LaunchError::GroupTooLarge {
                x,
                y,
                z,
                max: caps.max_group(),
            },
        ))
    }

    /// The device, which must be known.
    fn device(&self) -> Result<&Caps> {
        self.caps.ok_or_else(|| Error::Compile {
            kernel: self.name.clone(),
            cause: CompileError::Bare {
                why: "how many groups the local memory of a core has room for is to be known: add `.device(&device)`",
                at: None,
            },
        })
    }

    /// Groups with this many bytes that a core has room for.
    fn groups_in_local_memory(&self, caps: &Caps, bytes: u32) -> Result<u32> {
        match caps.local_memory / bytes {
            0 => Err(Error::refused(
                &self.name,
                LaunchError::LocalMemoryTooLarge {
                    needed: bytes.into(),
                    given: 0,
                    available: caps.local_memory,
                },
            )),
            groups => Ok(groups),
        }
    }
}
