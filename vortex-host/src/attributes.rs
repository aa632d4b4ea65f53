//! What a compiled kernel uses on a device, and how many of its groups a core runs at a time.

use std::collections::BTreeSet;
use std::fmt;

use vortex_kernel::codegen::Image;
use vortex_kernel::ir::MAX_ALIGN;
use vortex_kernel::isa::{Inst, RegFile};
use vortex_kernel::meta::BoundsChecks;

use crate::device::Device;
use crate::driver::Caps;
use crate::error::Result;
use crate::launch::{Size, slots};
use crate::module::Module;
use crate::registry::{KernelEntry, registry};
use vortex_sim::Count;

/// What a compiled kernel uses on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FunctionAttributes {
    /// Integer registers that its code names, of 32.
    pub registers: u32,
    /// Float registers that its code names, of 32.
    pub float_registers: u32,
    /// Bytes of stack for each work item.
    pub stack_per_item: u32,
    /// Bytes of local memory that it declares for each group.
    pub static_local_memory: u32,
    /// The most that a launch can give it in addition, for each group.
    pub max_dynamic_local_memory: u32,
    /// Bytes of constant tables.
    pub constant_bytes: u32,
    /// Bytes of code.
    pub code_size: u32,
    /// The most work items of a group.
    pub max_group_size: u32,
    /// Work items of a group wait for each other.
    pub uses_barrier: bool,
    /// Memory is changed by atomic operations.
    pub uses_atomics: bool,
    /// A work item can fail: an index, a division or an assertion is checked.
    pub has_abort_flag: bool,
    /// Every address in global memory is derived from an argument, not loaded from memory or made from a number.
    /// Otherwise it may reach every buffer.
    pub no_indirect_global_access: bool,
    caps: Caps,
}

/// The occupancy of a core by groups of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Groups that a core runs at a time; none if one does not fit. A launch in which each lane runs items of several
    /// groups at once runs this many blocks of them.
    pub groups: u32,
    /// Warps of each.
    pub warps_per_group: u32,
    /// Warps that then run, of those that a core has.
    pub warps: u32,
    /// Those that a core has.
    pub of: u32,
    /// What limits the number.
    pub limit: Limit,
}

/// What limits the number of groups on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The warps of a core.
    Warps,
    /// Its local memory.
    LocalMemory,
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = match self.limit {
            Limit::Warps => "warps",
            Limit::LocalMemory => "local memory",
        };
        write!(
            f,
            "{} of {} on a core, {} of its {}, limited by {limit}",
            Count(self.groups, "group"),
            Count(self.warps_per_group, "warp"),
            self.warps,
            Count(self.of, "warp")
        )
    }
}

impl FunctionAttributes {
    fn of(image: &Image, block: Option<[u32; 3]>, caps: &Caps) -> Self {
        let facts = &image.facts;
        let constants = facts.constants.unwrap_or(0);
        let code = image.bytes.len() as u32 - constants.min(image.bytes.len() as u32);
        let registers = |file| {
            let words = image.bytes[..code as usize].chunks_exact(4);
            let used: BTreeSet<u8> = words
                .filter_map(|word| Inst::decode(u32::from_le_bytes(word.try_into().ok()?)))
                .flat_map(|inst| inst.sources().chain(inst.destination()).collect::<Vec<_>>())
                .filter(|(of, number)| *of == file && (file == RegFile::Float || *number != 0))
                .map(|(_, number)| number)
                .collect();
            used.len() as u32
        };
        let declared = image.groups.map_or(0, |groups| groups.local_bytes);
        Self {
            registers: registers(RegFile::Integer),
            float_registers: registers(RegFile::Float),
            stack_per_item: facts.stack.unwrap_or(0),
            static_local_memory: declared,
            max_dynamic_local_memory: caps.local_memory.saturating_sub(declared),
            constant_bytes: constants,
            code_size: code,
            max_group_size: block.map_or(caps.max_group(), |block| block.iter().product()),
            uses_barrier: facts.uses_barrier.unwrap_or(false),
            uses_atomics: facts.uses_atomics.unwrap_or(false),
            has_abort_flag: !image.fault_sites.is_empty(),
            no_indirect_global_access: facts.no_indirect_global_access.unwrap_or(false),
            caps: *caps,
        }
    }

    /// How much of a core a launch with groups of this many work items occupies, if each gets `dynamic` bytes of local
    /// memory besides what the kernel declares.
    #[must_use]
    pub fn occupancy(&self, block: impl Size, dynamic: u32) -> Occupancy {
        let items = block.extent().into_iter().map(|n| n as u64);
        let items = items.fold(1u64, u64::saturating_mul).max(1);
        let warps = items.div_ceil(self.caps.threads.into());
        let warps_per_group = u32::try_from(warps).unwrap_or(u32::MAX);
        // As launches round it.
        let dynamic = dynamic.checked_next_multiple_of(MAX_ALIGN);
        let local = self
            .static_local_memory
            .saturating_add(dynamic.unwrap_or(u32::MAX));
        let [by_warps, by_memory] = slots(warps_per_group, local, &self.caps);
        let groups = by_warps.min(by_memory);
        Occupancy {
            groups,
            warps_per_group,
            warps: groups.saturating_mul(warps_per_group),
            of: self.caps.warps,
            limit: match by_memory < by_warps {
                true => Limit::LocalMemory,
                false => Limit::Warps,
            },
        }
    }
}

impl KernelEntry {
    /// What the kernel uses on a device: registers, memory and code, from its image.
    ///
    /// A kernel may have two images. This is about the one for usual launches, which is compiled first and relies on
    /// what the host checks before each launch: that no index is out of bounds, say. The image for other launches has
    /// the code for that as well, so it may be larger and use more registers. A device that dumps its images or is
    /// driven by a debugger has one image for all launches, and this is about that.
    ///
    /// # Errors
    /// If it cannot be compiled.
    pub fn attributes(&self, device: &Device) -> Result<FunctionAttributes> {
        let attributes = self.meta().attributes;
        let options = device.options(&attributes);
        let (image, _) = registry().image(self, device.target(), options)?;
        Ok(FunctionAttributes::of(
            &image,
            attributes.block,
            device.caps(),
        ))
    }
}

impl KernelEntry {
    /// What became of the kernel's bounds checks, as it is compiled for a device.
    ///
    /// This is about the image for usual launches, as [`KernelEntry::attributes`] is. What warps test before their work
    /// items ([`BoundsChecks::before_items`]) the host tests for it, once before each launch, where sizes and arguments
    /// decide it; launches for which that fails run an image that tests by itself.
    ///
    /// # Errors
    /// If it cannot be compiled.
    pub fn bounds_checks(&self, device: &Device) -> Result<BoundsChecks> {
        let options = device.options(&self.meta().attributes);
        let (image, _) = registry().image(self, device.target(), options)?;
        Ok(BoundsChecks::of(&image.facts).unwrap_or_default())
    }
}

impl Module {
    /// What became of the bounds checks of a kernel of the module, in the image that takes groups of any size if there
    /// is one. The counts are unknown for modules from files that do not contain them.
    ///
    /// Images of modules are for all launches: warps determine what the host determines for
    /// [`KernelEntry::bounds_checks`].
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn bounds_checks(&self, kernel: &str) -> Result<Option<BoundsChecks>> {
        let (_, image) = self.first_image(kernel)?;
        Ok(BoundsChecks::of(&image.facts))
    }

    /// What a kernel of the module uses on a device, by the image for groups of any size if there is one.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn attributes(&self, kernel: &str, device: &Device) -> Result<FunctionAttributes> {
        let (block, image) = self.first_image(kernel)?;
        Ok(FunctionAttributes::of(image, block, device.caps()))
    }
}
