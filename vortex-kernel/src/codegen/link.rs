//! The hand-written start, the routine that finds records of failures, and the image around compiled code.
//!
//! Every register is random at the start, and only lane 0 of warp 0 of each core runs. The start spawns the other warps
//! of the core, switches all lanes on, gives each lane a stack if the code uses one, and falls into the compiled code,
//! which ends its warp itself.
//!
//! On Vortex 3 the hardware starts the warps, with all lanes on; and when one has ended, it continues for its next
//! group 16 bytes before the `tmc` that ended it. So all warps end in one place, after a window in which they start
//! over.

use super::narrow::Placed;
use super::{CompileError, header_offset, spills};
use crate::abi::{FAULT_AREA_HEADER, FaultRecord, header};
use crate::ir::{Function, SourceLoc};
use crate::isa::{Generation, Inst, Opcode, csr, x};
use crate::meta::Facts;
use std::mem::offset_of;

/// Where the stacks end; hart h's lies h strides below.
const STACK_TOP: i32 = 0xffff_0000_u32 as i32;

/// The memory map gives each hart this much.
const STACK_LIMIT: u32 = 8192;

/// Alignment of constant data.
pub(super) const DATA_ALIGN: u32 = 16;

/// Lines of the data cache, in bytes.
const CACHE_LINE: u32 = 64;

/// An image as instructions.
#[derive(Debug)]
pub(super) struct Linked {
    pub(super) code: Vec<Placed>,
    /// How many instructions at the beginning are the start.
    pub(super) start_length: usize,
}

/// What compiled code needs around it.
#[derive(Debug)]
pub(super) struct Needs {
    /// Bytes of the argument struct.
    pub(super) args_size: u32,
    /// Who starts the warps.
    pub(super) generation: Generation,
    /// A launch header lies after the arguments.
    pub(super) has_header: bool,
    /// How much stack Cranelift has reserved.
    pub(super) frame: u32,
    /// How many slots there are outside of the frame.
    pub(super) slots: u32,
    /// The largest array in the frame.
    pub(super) largest: Option<LargestArray>,
    /// Warps store the counters at their end.
    pub(super) dump_counters: bool,
    /// There is constant data after the code, at the next multiple of [`DATA_ALIGN`].
    pub(super) has_data: bool,
}

/// What takes most of a kernel's private memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargestArray {
    /// How many bytes it takes.
    pub bytes: u32,
    /// Where it is declared.
    pub at: SourceLoc,
}

impl LargestArray {
    pub(super) fn of(function: &Function) -> Option<Self> {
        let object = function
            .privates
            .values()
            .max_by_key(|object| object.size)?;
        Some(Self {
            bytes: object.size,
            at: function.locs[object.loc].clone(),
        })
    }
}

/// Puts the start before the compiled code, and the counters' dump after it if asked for. Whether the code needs the
/// stack becomes a fact here.
pub(super) fn link(
    mut code: Vec<Placed>,
    needs: &Needs,
    facts: &mut Facts,
) -> Result<Linked, CompileError> {
    let uses_frame = code.iter().any(|placed| placed.inst.uses_stack());
    let frame = if uses_frame { needs.frame } else { 0 };
    facts.stack = Some(frame + needs.slots * spills::WORD);
    let mut image = match needs.generation {
        Generation::V2 => start(needs),
        Generation::V3 => Vec::new(),
    };
    image.extend(stack(frame, needs)?);
    // The compiled code finds the launch block in its first argument register, constant data in the second one.
    image.push(Inst::csrr(x::A0, csr::MSCRATCH));
    let window = match needs.generation {
        Generation::V2 if needs.dump_counters => {
            end_with(&mut code, &[], &dump());
            None
        }
        Generation::V2 => None,
        Generation::V3 => {
            let again = code.len();
            end_with(&mut code, &WINDOW, &[Inst::of(Opcode::Wsync)]);
            Some(again)
        }
    };
    link_calls(&mut code, &routine(needs.args_size));
    if needs.has_data {
        let here = 4 * image.len() as u32;
        let end = here + 8 + 4 * code.len() as u32;
        image.extend(address(end.next_multiple_of(DATA_ALIGN) - here));
    }
    let start_length = image.len();
    if let Some(again) = window
        && let Some(placed) = code.get_mut(again)
    {
        // As far as a jump to the end.
        placed.inst.imm = -4 * (start_length + again) as i32;
    }
    Ok(Linked {
        code: image.into_iter().map(Placed::made_up).chain(code).collect(),
        start_length,
    })
}

/// The bytes of an image: its code, and constant data after it.
pub(super) fn bytes(code: &[Placed], data: &[u8], facts: &mut Facts) -> Vec<u8> {
    let words = code.iter().map(|placed| placed.inst.encode());
    let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    if !data.is_empty() {
        bytes.resize(bytes.len().next_multiple_of(DATA_ALIGN as usize), 0);
        bytes.extend(data);
    }
    facts.code_size = u32::try_from(bytes.len()).ok();
    facts.constants = u32::try_from(data.len()).ok();
    facts.image_variants = Some(1);
    bytes
}

/// Puts an address into the second argument register, as a distance from the first of these instructions.
fn address(distance: u32) -> [Inst; 2] {
    // The low part is added with its sign.
    let low = (distance << 20).cast_signed() >> 20;
    let high = distance.wrapping_sub(low.cast_unsigned());
    [
        Inst::u(Opcode::Auipc, x::A1, high.cast_signed()),
        Inst::i(Opcode::Addi, x::A1, x::A1, low),
    ]
}

/// What is before the last two instructions of a warp on Vortex 3: it continues there for its next group. The jump
/// goes to the start.
const WINDOW: [Inst; 3] = [Inst::jal(x::ZERO, 0), Inst::nop(), Inst::nop()];

/// Makes every warp run `last` before it ends, which follows `window` in one place.
fn end_with(code: &mut Vec<Placed>, window: &[Inst], last: &[Inst]) {
    let end = Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO);
    let there = code.len() + window.len();
    for (index, placed) in code.iter_mut().enumerate() {
        if placed.inst == end {
            // A kernel is far shorter than the 1 MiB that a jump can span.
            placed.inst = Inst::jal(x::ZERO, 4 * (there - index) as i32);
        }
    }
    let all = window.iter().chain(last).chain([&end]);
    code.extend(all.map(|&inst| Placed::made_up(inst)));
}

/// Puts the routine after the code if that calls it.
fn link_calls(code: &mut Vec<Placed>, routine: &[Inst]) {
    let there = code.len();
    let mut is_called = false;
    for (index, placed) in code.iter_mut().enumerate() {
        if placed.inst == CALL {
            // As far as above.
            placed.inst.imm = 4 * (there - index) as i32;
            is_called = true;
        }
    }
    if is_called {
        code.extend(routine.iter().map(|&inst| Placed::made_up(inst)));
    }
}

/// Where the routine leaves the record, where it goes back to, and what else it changes. Cranelift uses the first two
/// for nothing, the others only within single operations.
const RECORD: u8 = x::GP;
const LINK: u8 = x::TP;
const SCRATCH: [u8; 2] = [x::T5, x::T6];

/// The call; where to, the linker knows.
pub(super) const CALL: Inst = Inst::jal(LINK, 0);

/// Stores a word into the record that was found.
pub(super) const fn put(offset: i32) -> Inst {
    Inst::s(Opcode::Sw, x::ZERO, RECORD, offset)
}

/// The routine that finds this hart's fault record: its own unless that has been written, then the header of the
/// fault area, as long as a record and non-zero already. Each image has it once, straight-line code after all other,
/// if it can fail.
fn routine(args_size: u32) -> Vec<Inst> {
    const { assert!(FAULT_AREA_HEADER as usize == size_of::<FaultRecord>()) };
    const SIZE_LOG2: i32 = FAULT_AREA_HEADER.trailing_zeros() as i32;
    let [own, free] = SCRATCH;
    let mut code = launch_header(RECORD, own, args_size, header::FAULTS);
    code.extend([
        // The flag; any word but 0 will do.
        Inst::s(Opcode::Sw, RECORD, RECORD, 0),
        Inst::csrr(own, csr::MHARTID),
        Inst::i(Opcode::Addi, own, own, 1),
        Inst::i(Opcode::Slli, own, own, SIZE_LOG2),
        Inst::r(Opcode::Add, free, RECORD, own),
        Inst::i(Opcode::Lw, free, free, offset_of!(FaultRecord, site) as i32),
        // All ones if it is free.
        Inst::i(Opcode::Sltiu, free, free, 1),
        Inst::r(Opcode::Sub, free, x::ZERO, free),
        Inst::r(Opcode::And, own, own, free),
        Inst::r(Opcode::Add, RECORD, RECORD, own),
        Inst::i(Opcode::Jalr, x::ZERO, LINK, 0),
    ]);
    code
}

/// Stores the core's counters where Vortex's own start-up does. All warps do so; the last one's are the kernel's.
fn dump() -> Vec<Inst> {
    const DUMP: i32 = 0x80;
    const BYTES_OF_A_CORE_LOG2: i32 = 8;
    let mut code = vec![
        Inst::csrr(x::A0, csr::CORE_ID),
        Inst::i(Opcode::Slli, x::A0, x::A0, BYTES_OF_A_CORE_LOG2),
    ];
    for (low, high) in [(csr::MCYCLE, csr::MCYCLEH), (csr::MINSTRET, csr::MINSTRETH)] {
        let slot = DUMP + 8 * i32::from(low - csr::MCYCLE);
        for (number, offset) in [(low, slot), (high, slot + 4)] {
            code.push(Inst::csrr(x::A1, number));
            code.push(Inst::s(Opcode::Sw, x::A1, x::A0, offset));
        }
    }
    code.push(Inst::of(Opcode::Fence));
    code
}

/// Loads a field of the launch header into a register, with another for what it takes.
fn launch_header(to: u8, scratch: u8, args_size: u32, field: u32) -> Vec<Inst> {
    let mut code = vec![Inst::csrr(to, csr::MSCRATCH)];
    if let Ok(offset @ ..2048) = i32::try_from(header_offset(args_size, field)) {
        code.push(Inst::i(Opcode::Lw, to, to, offset));
    } else {
        let offset = header_offset(args_size, field) as i32;
        code.extend(Inst::li(scratch, offset));
        code.push(Inst::r(Opcode::Add, to, to, scratch));
        code.push(Inst::i(Opcode::Lw, to, to, 0));
    }
    code
}

/// Spawns the core's warps, as many as the launch says or else all, at the instruction after the spawn and switches
/// all lanes on.
fn start(needs: &Needs) -> Vec<Inst> {
    let mut code = match needs.has_header {
        true => launch_header(x::A0, x::A1, needs.args_size, header::WARPS),
        false => vec![Inst::csrr(x::A0, csr::NUM_WARPS)],
    };
    const AUIPC_TO_WARP_START: i32 = 12;
    code.extend([
        Inst::u(Opcode::Auipc, x::A1, 0),
        Inst::i(Opcode::Addi, x::A1, x::A1, AUIPC_TO_WARP_START),
        Inst::simt(Opcode::Wspawn, x::A0, x::A1),
        // Warp start. The lowest `lanes` bits: all ones shifted right by 32 - lanes, which is -lanes modulo 32.
        Inst::csrr(x::A0, csr::NUM_THREADS),
        Inst::r(Opcode::Sub, x::A0, x::ZERO, x::A0),
        Inst::i(Opcode::Addi, x::A1, x::ZERO, -1),
        Inst::r(Opcode::Srl, x::A1, x::A1, x::A0),
        Inst::simt(Opcode::Tmc, x::A1, x::ZERO),
    ]);
    code
}

/// How many slots there is memory for where a frame needs so much, if it does not exceed the limit itself.
pub(super) fn room_for_slots(frame: u32) -> u32 {
    let lines = STACK_LIMIT.saturating_sub(odd_lines(frame)) / CACHE_LINE;
    // An odd number of them.
    lines.saturating_sub(1) * CACHE_LINE / spills::SLOT
}

/// The memory that this many bytes take, if any.
fn odd_lines(bytes: u32) -> u32 {
    match bytes {
        0 => 0,
        _ => (bytes.div_ceil(CACHE_LINE) | 1) * CACHE_LINE,
    }
}

/// Lines from one frame to the next at least, an odd number. Stores go through to memory, where a row of a bank is 16
/// lines: a warp's stores to neighbouring lines would all wait for one bank.
const LEAST_FRAME_LINES: u32 = 11;

/// Sets sp to the hart's frame and s0 to its slots, as far as the code uses them. From the top: the slots of the first
/// [`spills::HARTS`] harts, their frames, the slots of the next ones, and so on. Both are an odd number of cache lines
/// apart, so that the lanes of a warp do not all compete for the same set.
fn stack(frame: u32, needs: &Needs) -> Result<Vec<Inst>, CompileError> {
    let slots = needs.slots;
    let slots_size = odd_lines(slots * spills::SLOT);
    let room = STACK_LIMIT.saturating_sub(slots_size);
    let least = LEAST_FRAME_LINES * CACHE_LINE;
    let frame_pitch = match odd_lines(frame) {
        pitch if pitch > 0 && least <= room => pitch.max(least),
        pitch => pitch,
    };
    if frame_pitch > room {
        return Err(CompileError::StackTooLarge {
            needed: frame + slots_size,
            available: STACK_LIMIT - CACHE_LINE,
            largest: needs.largest.clone(),
        });
    }
    let mut code = Vec::new();
    if frame == 0 && slots == 0 {
        return Ok(code);
    }
    // a0: the hart's number among those that share slots; a1: the upper end of what they have together.
    const SHARING_LOG2: i32 = spills::HARTS.trailing_zeros() as i32;
    code.extend([
        Inst::csrr(x::A0, csr::MHARTID),
        Inst::i(Opcode::Srli, x::A1, x::A0, SHARING_LOG2),
    ]);
    code.extend(Inst::li(
        x::A2,
        (slots_size + spills::HARTS * frame_pitch) as i32,
    ));
    code.extend([
        Inst::r(Opcode::Mul, x::A1, x::A1, x::A2),
        Inst::u(Opcode::Lui, x::A2, STACK_TOP),
        Inst::r(Opcode::Sub, x::A1, x::A2, x::A1),
        Inst::i(Opcode::Andi, x::A0, x::A0, spills::HARTS as i32 - 1),
    ]);
    if slots > 0 {
        const WORD_LOG2: i32 = spills::WORD.trailing_zeros() as i32;
        code.extend(Inst::li(x::A2, spills::BIAS - slots_size as i32));
        code.extend([
            Inst::r(Opcode::Add, spills::BASE, x::A1, x::A2),
            Inst::i(Opcode::Slli, x::A2, x::A0, WORD_LOG2),
            Inst::r(Opcode::Add, spills::BASE, spills::BASE, x::A2),
        ]);
    }
    if frame > 0 {
        // One more, so that sp is the lower end.
        code.push(Inst::i(Opcode::Addi, x::A0, x::A0, 1));
        code.extend(Inst::li(x::A2, frame_pitch as i32));
        code.push(Inst::r(Opcode::Mul, x::A0, x::A0, x::A2));
        code.extend(Inst::li(x::A2, slots_size as i32));
        code.extend([
            Inst::r(Opcode::Add, x::A0, x::A0, x::A2),
            Inst::r(Opcode::Sub, x::SP, x::A1, x::A0),
        ]);
    }
    Ok(code)
}
