//! An opened device of the runtime, and its properties, which are accepted only if they are possible.

use super::api::{Api, Handle};
use super::error::OpenError;
use super::generation::{self, Release};
use crate::driver::interface::Caps;
use vortex_kernel::isa::Generation;
use vortex_sim::layout::{LOCAL, MAX_HARTS};

/// Masks of lanes have 32 bits.
const MOST_THREADS: u64 = 32;
/// As many as Vortex's hardware can be built with.
const MOST_WARPS: u64 = 64;

/// Capabilities, by their numbers in `vortex.h`.
const THREADS: u32 = 1;
const WARPS: u32 = 2;
const CORES: u32 = 3;
const LOCAL_MEMORY: u32 = 6;
const ISA_FLAGS: u32 = 7;
const OLDER_ISA_FLAGS: u32 = 8;
/// In `vortex2.h`, of version 3 alone.
const CLUSTERS: u32 = 10;
const SOCKET_SIZE: u32 = 11;

/// An opened device, closed on drop.
pub(super) struct Device {
    pub(super) api: Api,
    pub(super) generation: Box<dyn Release>,
    pub(super) handle: Handle,
    /// A kernel may run that is no longer waited for. Closing would block, and so would another start; or memory would
    /// be given away that the kernel writes to. So nothing is done with the device any more.
    pub(super) hangs: bool,
}

impl Drop for Device {
    fn drop(&mut self) {
        match self.hangs {
            true => self.generation.abandon(),
            false => self.generation.close(&self.api, self.handle),
        }
    }
}

impl Device {
    pub(super) fn open() -> Result<Self, OpenError> {
        let (api, generation) = Api::load(generation::of)?;
        Ok(Self {
            handle: generation.open(&api)?,
            api,
            generation,
            hangs: false,
        })
    }

    fn value(&self, id: u32, what: &'static str) -> Result<u64, OpenError> {
        let mut value = 0;
        // SAFETY: an open device, and a pointer valid for a write.
        match unsafe { (self.api.dev_caps)(self.handle, id, &mut value) } {
            0 => Ok(value),
            code => Err(OpenError::NoCaps { what, code }),
        }
    }

    fn count(&self, id: u32, what: &'static str, most: u64) -> Result<u32, OpenError> {
        within(what, self.value(id, what)?, most)
    }

    pub(super) fn caps(&self) -> Result<Caps, OpenError> {
        let isa = self.isa()?;
        let letter = |letter: u8| isa >> (letter - b'A') & 1 == 1;
        let width_of_32_bits = isa >> 30 & 3 == 1;
        if !(width_of_32_bits && letter(b'I') && letter(b'M') && letter(b'F')) {
            return Err(OpenError::NotRv32 { flags: isa });
        }
        const HAS_LOCAL_MEMORY: u64 = 1 << 36;
        const ZICOND: u64 = 1 << 37;
        const TENSOR_UNITS: u64 = 1 << 41;
        const ASYNC_COPIES: u64 = 1 << 42;
        let is_3 = self.generation.number().has(Generation::V3);
        let local_memory = match isa & HAS_LOCAL_MEMORY {
            0 => 0,
            // It lasts to the end of the address space at most.
            _ => {
                let most = (1 << 32) - u64::from(LOCAL);
                self.count(LOCAL_MEMORY, "size of local memory", most)?
            }
        };
        let cores = self.count(CORES, "number of cores", self.generation.most_cores())?;
        let caps = Caps {
            generation: self.generation.number(),
            threads: self.count(THREADS, "number of threads", MOST_THREADS)?,
            warps: self.count(WARPS, "number of warps", MOST_WARPS)?,
            cores,
            // Version 2 must not be asked: its simulators end the process at what they do not know.
            clusters: match is_3.then(|| self.value(CLUSTERS, "number of clusters")) {
                Some(Ok(clusters)) => within("number of clusters", clusters, cores.into())?,
                // Nothing depends on it that could not do without.
                Some(Err(_)) | None => 1,
            },
            zicond: isa & ZICOND != 0,
            atomics: letter(b'A') && (!is_3 || self.shares_a_cache(isa, cores)),
            // No flag announces them; version 3 always has them.
            warp_ops: is_3,
            // Version 2 gives these flags no such meaning.
            async_copies: is_3 && isa & ASYNC_COPIES != 0,
            tensor_units: is_3 && isa & TENSOR_UNITS != 0,
            local_memory,
        };
        let harts = [caps.cores, caps.warps, caps.threads].map(u64::from);
        let what = "number of threads of all cores, whose stacks must leave memory for data,";
        within(what, harts.iter().product(), MAX_HARTS.into())?;
        Ok(caps)
    }

    /// Whether all cores of a device of version 3 share their last cache, in which that does atomic operations
    /// (`DCACHE_IS_LLC` and its like in `VX_gpu_pkg.sv`): those of others would be lost.
    fn shares_a_cache(&self, isa: u64, cores: u32) -> bool {
        const L2: u64 = 1 << 34;
        const L3: u64 = 1 << 35;
        let of_a_socket = || self.value(SOCKET_SIZE, "number of cores of a socket");
        isa & (L2 | L3) != 0 || cores == 1 || of_a_socket().is_ok_and(|n| n >= cores.into())
    }

    /// The ISA flags: 7, or 8 in an older release, where 7 is the address of local memory.
    fn isa(&self) -> Result<u64, OpenError> {
        let is_isa = |flags: u64| flags >> 8 & 1 == 1 && matches!(flags >> 30 & 3, 1 | 2);
        let flags = self.value(ISA_FLAGS, "ISA flags")?;
        if is_isa(flags) {
            return Ok(flags);
        }
        match self.value(OLDER_ISA_FLAGS, "ISA flags") {
            Ok(older) if is_isa(older) => Ok(older),
            _ => Err(OpenError::NotRv32 { flags }),
        }
    }
}

/// A property that is at least 1, and no more than there can be.
fn within(what: &'static str, value: u64, most: u64) -> Result<u32, OpenError> {
    let possible = (1..=most).contains(&value);
    let value_of_32_bits = u32::try_from(value).ok().filter(|_| possible);
    value_of_32_bits.ok_or(OpenError::ImpossibleCaps {
        what,
        value,
        least: 1,
        most,
    })
}
