//! RV64 code to RV32 code: carriers are replaced, 64-bit forms rewritten, everything else decoded or rejected.

use super::backend::MachineCode;
use super::tags::{Branch, Note, Role, Tags};
use super::{CompileError, Target};
use crate::ir::Loc;
use crate::isa::{Class, Extension, Generation, Inst, Opcode, x};
use crate::opt::Update;
use cranelift_codegen::entity::EntitySet;
use cranelift_codegen::ir::{Function, Inst as Clif};

/// An instruction of the image under construction, with what is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) inst: Inst,
    /// The user's source.
    pub(super) loc: Loc,
    /// What it relies on, if it is a conditional branch.
    pub(super) branch: Option<Branch>,
    /// What it is, if it is a store that updates what was loaded from there.
    pub(super) update: Option<Update>,
    /// The register that counts iterations before it, if it is noted for that.
    pub(super) counter: Option<u8>,
}

impl Placed {
    /// An instruction of no IR.
    pub(super) const fn made_up(inst: Inst) -> Self {
        Self {
            inst,
            loc: Loc::NONE,
            branch: None,
            update: None,
            counter: None,
        }
    }
}

/// Narrows the code of `function`.
pub(super) fn narrow(
    code: &MachineCode,
    tags: &Tags,
    function: &Function,
    target: Target,
) -> Result<Vec<Placed>, CompileError> {
    let mut tag_of = vec![None; code.words.len()];
    for (range, at) in &code.spans {
        if let Some(tag) = tags.get(*at) {
            tag_of[range.clone()].fill(Some((*at, tag)));
        }
    }
    let mut found = vec![0u32; tags.iter().count()];
    let mut placed = Vec::with_capacity(code.words.len());
    for (index, (&word, tag)) in code.words.iter().zip(&tag_of).enumerate() {
        let carried = tag.and_then(|(at, tag)| match tag.role {
            Role::Carrier(carrier) if carrier.is_carried_by(word) => Some((at, carrier)),
            _ => None,
        });
        let inst = if let Some((at, carrier)) = carried {
            found[at.bits() as usize] += 1;
            carrier.unpack(word)
        } else {
            plain(word).ok_or_else(|| {
                CompileError::internal(format!("word {index}, {word:#010x}, has no RV32 form"))
            })?
        };
        check(inst, target, carried.is_some())?;
        let note = tag.and_then(|(_, tag)| tag.note);
        placed.push(Placed {
            inst,
            loc: tag.map_or(Loc::NONE, |(_, tag)| tag.loc),
            branch: tag.and_then(|(_, tag)| match tag.role {
                Role::Branch(branch) => Some(branch),
                _ => None,
            }),
            update: match note {
                Some(Note::Update(update)) if is_store(inst) => Some(update),
                _ => None,
            },
            counter: match note {
                Some(Note::Counter { is_second }) if inst.opcode == Opcode::Add => {
                    Some(if is_second { inst.rs2 } else { inst.rs1 })
                }
                _ => None,
            },
        });
    }
    carried_once(&found, tags, function)?;
    Ok(placed)
}

/// Whether it stores, but to its own stack.
fn is_store(inst: Inst) -> bool {
    inst.opcode.info().class == Class::Store && inst.rs1 != x::SP
}

/// The RV32 instruction of a word that is not a carrier.
fn plain(word: u32) -> Option<Inst> {
    const SHIFT_AMOUNT_BIT_5: u32 = 1 << 25;
    const FORMAT: u32 = 0b11 << 25;
    const FORMAT_DOUBLE: u32 = 0b01 << 25;
    const WIDTH: u32 = 7 << 12;
    const WIDTH_WORD: u32 = 2 << 12;
    const WIDTH_DOUBLE: u32 = 3 << 12;
    const FROM_OR_TO_LONG: u32 = 2 << 20;

    // A trap stands for the end; a jump to the next word is what is left of an empty island.
    match word {
        0 => return Some(Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO)),
        0x0040_006f => return Some(Inst::nop()),
        _ => {}
    }
    let funct3 = word >> 12 & 7;
    let narrowed = match word & 0x7f {
        // Loads and stores of both register files.
        0x03 | 0x23 | 0x07 | 0x27 if word & WIDTH == WIDTH_DOUBLE => word & !WIDTH | WIDTH_WORD,
        // Shifts by an immediate; also right for pairs of shifts that extend from the top of the register.
        0x13 if matches!(funct3, 1 | 5) => word & !SHIFT_AMOUNT_BIT_5,
        // Float arithmetic; conversions name the width of their integer in place of rs2.
        0x53 if word & FORMAT == FORMAT_DOUBLE => {
            let single = word & !FORMAT;
            match single >> 27 {
                0b11000 | 0b11010 => single & !FROM_OR_TO_LONG,
                _ => single,
            }
        }
        0x43 | 0x47 | 0x4b | 0x4f if word & FORMAT == FORMAT_DOUBLE => word & !FORMAT,
        _ => word,
    };
    Inst::decode(narrowed)
}

/// Rejects what decodes but is not expected in compiled code. The end of a warp, `tmc zero`, is: lowering's trap.
fn check(inst: Inst, target: Target, carried: bool) -> Result<(), CompileError> {
    let fine = match inst.opcode.info().extension {
        Extension::I => !matches!(inst.opcode, Opcode::Ecall | Opcode::Ebreak),
        Extension::M | Extension::F => true,
        Extension::Zicond => target.zicond,
        Extension::Zicsr => carried,
        Extension::Simt => carried || inst == Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO),
        Extension::A => carried && target.atomics,
        Extension::WarpOps => carried && target.warp_ops,
        Extension::V3 => carried && target.generation == Generation::V3,
    };
    if fine {
        Ok(())
    } else {
        Err(CompileError::internal(format!("`{inst}` was emitted")))
    }
}

/// Each carrier is found exactly once, unless Cranelift dropped it because nothing needs it.
fn carried_once(found: &[u32], tags: &Tags, function: &Function) -> Result<(), CompileError> {
    let mut needed = None;
    for (at, tag) in tags.iter() {
        let (Role::Carrier(carrier), found) = (tag.role, found[at.bits() as usize]) else {
            continue;
        };
        let dropped = |inst| {
            !needed
                .get_or_insert_with(|| needed_by(function))
                .contains(inst)
        };
        if found == 1 || (found == 0 && tag.clif.is_some_and(dropped)) {
            continue;
        }
        return Err(CompileError::internal(format!(
            "{carrier:?} of tag {} was found {found} times",
            at.bits()
        )));
    }
    Ok(())
}

/// What does something by itself, and all that it computes with, directly or not: branches and stores, which atomic
/// operations are, too. Fences and traps are the only others that are emitted, and take no operands.
fn needed_by(function: &Function) -> EntitySet<Clif> {
    let dfg = &function.dfg;
    let mut needed = EntitySet::new();
    let mut pending: Vec<Clif> = function
        .layout
        .blocks()
        .flat_map(|block| function.layout.block_insts(block))
        .filter(|&inst| {
            let opcode = dfg.insts[inst].opcode();
            opcode.is_branch() || opcode.can_store()
        })
        .collect();
    while let Some(inst) = pending.pop() {
        if needed.insert(inst) {
            let operands = dfg.inst_values(inst).map(|value| dfg.value_def(value));
            pending.extend(operands.filter_map(|operand| operand.inst()));
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::{carried_once, check, is_store, needed_by, plain};
    use crate::codegen::carrier;
    use crate::codegen::tags::{Role, Tags};
    use crate::codegen::{Options, Target, compile};
    use crate::ir::{Loc, parse};
    use crate::isa::{Generation, Inst, Opcode, x};
    use crate::opt::Level;
    use cranelift_codegen::cursor::{Cursor as _, FuncCursor};
    use cranelift_codegen::ir::types::I64;
    use cranelift_codegen::ir::{Function, Inst as Clif, InstBuilder as _, MemFlagsData};
    use std::fmt::Write as _;

    fn text(word: u32) -> Option<String> {
        plain(word).map(|inst| inst.to_string())
    }

    #[test]
    fn rewrites() {
        for (word, narrow) in [
            (0x0101_3503, "lw a0, 16(sp)"),                   // ld
            (0x00a1_3823, "sw a0, 16(sp)"),                   // sd
            (0x0101_3507, "flw fa0, 16(sp)"),                 // fld
            (0x00a1_3827, "fsw fa0, 16(sp)"),                 // fsd
            (0x0385_1513, "slli a0, a0, 24"),                 // slli a0, a0, 56
            (0x4385_5513, "srai a0, a0, 24"),                 // srai a0, a0, 56
            (0x02b5_0553, "fadd.s fa0, fa0, fa1, rne"),       // fadd.d
            (0x6ac5_8543, "fmadd.s fa0, fa1, fa2, fa3, rne"), // fmadd.d
            (0xd225_0553, "fcvt.s.w fa0, a0, rne"),           // fcvt.d.l
            (0xd235_0553, "fcvt.s.wu fa0, a0, rne"),          // fcvt.d.lu
            (0xc225_1553, "fcvt.w.s a0, fa0, rtz"),           // fcvt.l.d
            (0xe205_0553, "fmv.x.w a0, fa0"),                 // fmv.x.d
            (0xf205_0553, "fmv.w.x fa0, a0"),                 // fmv.d.x
            (0x00b5_0533, "add a0, a0, a1"),
            (0x0040_006f, "nop"),
            (0x0000_0000, "tmc zero"),
        ] {
            assert_eq!(text(word).as_deref(), Some(narrow), "{word:#010x}");
        }
    }

    #[test]
    fn what_only_some_devices_have() {
        const CSR: Inst = Inst::csrr(x::A0, 0xcc0);
        let all = Target::FULL;
        let v3 = Target {
            generation: Generation::V3,
            ..all
        };
        let plain = Inst::of(Opcode::Add);
        let [zicond, atomic, vote, simt, of_v3] = [
            Opcode::CzeroEqz,
            Opcode::AmoaddW,
            Opcode::VoteAny,
            Opcode::Split,
            Opcode::Wsync,
        ]
        .map(Inst::of);
        let end = Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO);
        let without = |zicond, atomics, warp_ops| Target {
            zicond,
            atomics,
            warp_ops,
            ..all
        };
        let is_fine = |inst, target, carried| check(inst, target, carried).is_ok();
        for carried in [false, true] {
            assert!(is_fine(plain, all, carried) && is_fine(end, all, carried));
            assert!(is_fine(zicond, all, carried));
            assert!(!is_fine(zicond, without(false, true, true), carried));
            assert!(!is_fine(Inst::of(Opcode::Ecall), all, carried));
            for inst in [CSR, simt, atomic, vote] {
                assert_eq!(is_fine(inst, all, carried), carried, "{inst}");
            }
            assert_eq!(is_fine(of_v3, v3, carried), carried);
            assert!(!is_fine(of_v3, all, carried));
            assert!(!is_fine(atomic, without(true, false, true), carried));
            assert!(!is_fine(vote, without(true, true, false), carried));
        }
    }

    #[test]
    fn stores_are_those_of_the_program() {
        assert!(is_store(Inst::s(Opcode::Sw, x::A0, x::A1, 0)));
        assert!(!is_store(Inst::s(Opcode::Sw, x::A0, x::SP, 0)));
        assert!(!is_store(Inst::i(Opcode::Lw, x::A0, x::A1, 0)));
        assert!(!is_store(Inst::i(Opcode::Lw, x::A0, x::SP, 0)));
    }

    /// Three sums, each of the one before, and what `last` does with the last of them.
    fn sums(
        last: impl FnOnce(&mut FuncCursor<'_>, cranelift_codegen::ir::Value),
    ) -> (Function, [Clif; 3]) {
        let mut function = Function::new();
        let block = function.dfg.make_block();
        function.layout.append_block(block);
        let mut cursor = FuncCursor::new(&mut function).at_bottom(block);
        let mut value = cursor.ins().iconst(I64, 1);
        let sums = [(); 3].map(|()| {
            value = cursor.ins().iadd(value, value);
            cursor.func.dfg.value_def(value).unwrap_inst()
        });
        last(&mut cursor, value);
        (function, sums)
    }

    #[test]
    fn what_is_needed_is_what_something_is_done_with() {
        let needed = |last: fn(&mut FuncCursor<'_>, cranelift_codegen::ir::Value)| {
            let (function, sums) = sums(last);
            let needed = needed_by(&function);
            sums.map(|sum| needed.contains(sum))
        };
        assert_eq!(needed(|_, _| {}), [false; 3]);
        let stored = |cursor: &mut FuncCursor<'_>, value| {
            cursor.ins().store(MemFlagsData::new(), value, value, 0);
        };
        assert_eq!(needed(stored), [true; 3]);
        let branched = |cursor: &mut FuncCursor<'_>, value| {
            let (one, other) = (cursor.func.dfg.make_block(), cursor.func.dfg.make_block());
            cursor.ins().brif(value, one, &[], other, &[]);
        };
        assert_eq!(needed(branched), [true; 3]);
    }

    #[test]
    fn carriers_are_found_once_or_not_needed() {
        let tags = |clif| {
            let mut tags = Tags::default();
            tags.add(Loc::NONE, Role::Carrier(carrier::DIV));
            tags.set_clif(clif);
            tags
        };
        let (unneeded, [sum, ..]) = sums(|_, _| {});
        let found = |times| carried_once(&[times], &tags(sum), &unneeded).is_ok();
        assert_eq!([0, 1, 2].map(found), [true, true, false]);
        let (needed, [sum, ..]) = sums(|cursor, value| {
            cursor.ins().store(MemFlagsData::new(), value, value, 0);
        });
        let found = |times| carried_once(&[times], &tags(sum), &needed).is_ok();
        assert_eq!([0, 1, 2].map(found), [false, true, false]);
    }

    /// Carriers that nothing needs, each used by the next two: 2^40 ways from the first to the last.
    #[test]
    fn a_ladder_of_unneeded_carriers() {
        let mut text = String::from("kernel \"ladder\" () args 0 {\n  v0: u32 = id linear\n");
        text.push_str("  v1: u32 = id linear\n");
        for step in (2..82).step_by(2) {
            let (one, other) = (step - 2, step - 1);
            let next = step + 1;
            writeln!(text, "  v{step}: u32 = div v{one}, v{other}").unwrap();
            writeln!(text, "  v{next}: u32 = rem v{one}, v{other}").unwrap();
        }
        text.push_str("}\n");
        let options = Options {
            level: Level::None,
            listing: true,
            ..Options::default()
        };
        let target = Target {
            zicond: false,
            atomics: false,
            warp_ops: false,
            ..Target::FULL
        };
        let image = compile(&parse(&text).unwrap(), &target, &options).unwrap();
        let code = image.listing.unwrap().disassembly;
        assert!(!code.contains("rem"), "{code}");
    }

    #[test]
    fn what_has_no_narrow_form() {
        for word in [
            0x0015_051b, // addiw
            0x00b5_053b, // addw
            0x0005_6503, // lwu
            0x4205_0553, // fcvt.d.s
            0x00b5_b52f, // amoadd.d
        ] {
            assert_eq!(text(word), None, "{word:#010x}");
        }
    }
}
