//! Where things are in a device's address space.

/// The console: a byte stored to `CONSOLE + n` is a character of line buffer n.
pub const CONSOLE: u32 = 0x40;
/// Bytes, hence line buffers, of the console.
pub const CONSOLE_BYTES: u32 = 64;
/// The performance dump of core 0; the other cores' follow.
pub const DUMP: u32 = 0x80;
/// Bytes of a core's performance dump: 32 slots of 8 bytes.
pub const DUMP_BYTES: u32 = 256;
/// The dump slot that holds the exit code.
pub const EXIT_CODE_SLOT: u32 = 1;
/// The first byte of user memory.
pub const USER: u32 = 0x1_0000;
/// Local memory of whichever core looks at it.
pub const LOCAL: u32 = 0xffff_0000;
/// Where the stacks end; hart h starts at `STACK_TOP - (h << 13)`, or a little less far apart from its neighbours.
pub const STACK_TOP: u32 = LOCAL;
/// Address space set aside per hart for its stack: 8 KiB, and a cache line for programs that stagger them.
pub const STACK_BYTES: u32 = (8 << 10) + 64;
/// The most of thread-local storage that programs with Vortex's own start-up may have per hart, after their image.
pub const THREAD_STORAGE: u32 = 8 << 10;
/// A page: allocations start at multiples of this.
pub const PAGE: u32 = 4 << 10;
/// What memory holds before anybody wrote it.
pub const UNINITIALISED: u32 = 0xbaad_f00d;
/// As many harts as leave half of the address space to data.
pub const MAX_HARTS: u32 = (1 << 31) / STACK_BYTES;

/// The first byte of the stacks of that many harts, a multiple of the page size.
pub const fn stack_bottom(harts: u32) -> u32 {
    (STACK_TOP - harts * STACK_BYTES) & !(PAGE - 1)
}
