//! Where things are in a device's address space. Addresses and sizes are in bytes.
//!
//! Vortex 2's are from its `hw/rtl/VX_config.vh`, Vortex 3's from its `VX_types.toml`; each constant names its macro.
//! Constants used for both are the same in both.

/// The console (`IO_COUT_ADDR`, `VX_MEM_IO_COUT_ADDR`). On Vortex 2, a byte stored to `CONSOLE + n` is a character of
/// line buffer n; hart h writes to buffer h % [`CONSOLE_BYTES`].
pub const CONSOLE: u32 = 0x40;
/// Bytes, hence line buffers, of Vortex 2's console (`IO_COUT_SIZE`).
pub const CONSOLE_BYTES: u32 = 64;
/// Rings of characters that Vortex 3's console has from [`CONSOLE`] on (`VX_MEM_IO_COUT_SLOTS`): first a word for each
/// with how many characters were written to it, then those of [`RINGS_READ`], [`RINGS_TEXT`] and [`RINGS_LOST`]. Hart h
/// writes to ring h % 64.
pub const RINGS: u32 = 64;
/// Bytes of a ring (`VX_MEM_IO_COUT_RING`), of which a program writes the next one and then counts it in the ring's
/// word of those at [`CONSOLE`].
pub const RING_BYTES: u32 = 512;
/// Where [`RINGS`] words say how many characters the host has read of each ring.
pub const RINGS_READ: u32 = CONSOLE + 4 * RINGS;
/// Where the rings are: [`RINGS`] times [`RING_BYTES`].
pub const RINGS_TEXT: u32 = RINGS_READ + 4 * RINGS;
/// Where [`RINGS`] words say how many characters each ring had no room for.
pub const RINGS_LOST: u32 = RINGS_TEXT + RINGS * RING_BYTES;
/// Where programs for Vortex 3 that leave an exit code put it, a word: 0x8348 (`VX_MEM_IO_EXIT_CODE`).
pub const EXIT_CODE: u32 = RINGS_LOST + 4 * RINGS + 8;
/// The first byte after what Vortex 3's programs and host share below user memory.
pub const SHARED_END: u32 = EXIT_CODE + 8;
/// Vortex 2's performance dump of core 0 (`IO_MPM_ADDR`): core c's is [`DUMP_BYTES`] times c further on. Slot n holds
/// what the core read from CSR 0xB00 + n, low word first (`kernel/src/vx_perf.c`).
pub const DUMP: u32 = 0x80;
/// Bytes of a core's performance dump: 32 slots of 8 bytes.
pub const DUMP_BYTES: u32 = 256;
/// The slot of core 0's dump whose low word is the exit code (`IO_MPM_EXITCODE` of `kernel/src/common.h`).
pub const EXIT_CODE_SLOT: u32 = 1;
/// The first byte of user memory (`USER_BASE_ADDR`, `VX_MEM_USER_BASE_ADDR`). Memory below goes past the caches.
pub const USER: u32 = 0x1_0000;
/// The first byte of local memory, of whichever core looks at it (`LMEM_BASE_ADDR`, `VX_MEM_LMEM_BASE_ADDR`). It has
/// [`Config::local_mem`](crate::Config::local_mem) bytes.
pub const LOCAL: u32 = 0xffff_0000;
/// The first byte after the stacks (`STACK_BASE_ADDR`, `VX_MEM_STACK_BASE_ADDR`). The stack of hart h grows down from
/// `STACK_TOP - (h << 13)` in programs with Vortex's own start-up (`STACK_LOG2_SIZE`); frames of this library's kernels
/// are closer together.
pub const STACK_TOP: u32 = LOCAL;
/// Address space set aside per hart for its stack: 8 KiB, and a cache line for programs that stagger them.
pub const STACK_BYTES: u32 = (8 << 10) + 64;
/// The most of thread-local storage that programs with Vortex's own start-up may have per hart, after their image.
pub const THREAD_STORAGE: u32 = 8 << 10;
/// Bytes of a page (`MEM_PAGE_SIZE`): allocations start at multiples of this.
pub const PAGE: u32 = 4 << 10;
/// The word that memory holds before anybody wrote it, as in Vortex's simulators (`sim/common/mem.cpp`).
pub const UNINITIALISED: u32 = 0xbaad_f00d;
/// The most harts that a device can have: their stacks leave half of the address space to data.
pub const MAX_HARTS: u32 = (1 << 31) / STACK_BYTES;

/// The first byte of the stacks of that many harts, a multiple of [`PAGE`]; 0 of more than there is room for.
pub const fn stack_bottom(harts: u32) -> u32 {
    STACK_TOP.saturating_sub(harts.saturating_mul(STACK_BYTES)) & !(PAGE - 1)
}
