//! Where things are in a device's address space.

/// The console: a byte stored to `CONSOLE + n` is a character of line buffer n.
pub const CONSOLE: u32 = 0x40;
/// Bytes, hence line buffers, of the console.
pub const CONSOLE_BYTES: u32 = 64;
/// Vortex 3's console, from [`CONSOLE`] on: how many rings of characters it has.
pub const RINGS: u32 = 64;
/// Bytes of a ring, of which a program writes the next one and then counts it in the ring's word of those at
/// [`CONSOLE`].
pub const RING_BYTES: u32 = 512;
/// How many characters were read of each ring, as words.
pub const RINGS_READ: u32 = CONSOLE + 4 * RINGS;
/// The rings.
pub const RINGS_TEXT: u32 = RINGS_READ + 4 * RINGS;
/// How many characters each ring had no room for, as words.
pub const RINGS_LOST: u32 = RINGS_TEXT + RINGS * RING_BYTES;
/// The exit code of programs for Vortex 3 that leave one.
pub const EXIT_CODE: u32 = RINGS_LOST + 4 * RINGS + 8;
/// The first byte after what Vortex 3's programs and host share below user memory.
pub const SHARED_END: u32 = EXIT_CODE + 8;
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
