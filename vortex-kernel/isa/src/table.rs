//! The instruction table: the one place where an instruction is described.
//!
//! Columns of a row, after its doc comment (which is also the doc of the enum variant):
//!
//! * the variant of [`Opcode`](super::Opcode) and the assembler's mnemonic;
//! * the [`Format`](super::Format): which fields exist, and hence which bits are fixed;
//! * the fixed bits;
//! * register files of rd, rs1, rs2, rs3: `X` integer, `F` float, `_` no such operand
//!   (the field is then fixed, or means something else, as the format says);
//! * the [`Class`](super::Class) for timing, and the [`Extension`](super::Extension).
//!
//! Names: the manual's mnemonic in camel case; a trailing `.s` or `.w` is dropped where nothing else would clash.

/// Calls `$callback!` with every row of the table.
macro_rules! for_each_instruction {
    ($callback:ident) => {
        $callback! {
            // RV32I
            /// `rd = imm`, a multiple of 4096.
            Lui "lui" U 0x0000_0037 [X _ _ _] Alu I;
            /// `rd = pc + imm`, a multiple of 4096.
            Auipc "auipc" U 0x0000_0017 [X _ _ _] Alu I;
            /// `rd = pc + 4; pc += imm`.
            Jal "jal" J 0x0000_006f [X _ _ _] Jump I;
            /// `rd = pc + 4; pc = (rs1 + imm) & !1`.
            Jalr "jalr" Jalr 0x0000_0067 [X X _ _] Jump I;
            /// Branch if equal.
            Beq "beq" B 0x0000_0063 [_ X X _] Branch I;
            /// Branch if not equal.
            Bne "bne" B 0x0000_1063 [_ X X _] Branch I;
            /// Branch if less, signed.
            Blt "blt" B 0x0000_4063 [_ X X _] Branch I;
            /// Branch if greater or equal, signed.
            Bge "bge" B 0x0000_5063 [_ X X _] Branch I;
            /// Branch if less, unsigned.
            Bltu "bltu" B 0x0000_6063 [_ X X _] Branch I;
            /// Branch if greater or equal, unsigned.
            Bgeu "bgeu" B 0x0000_7063 [_ X X _] Branch I;
            /// Load a byte, sign-extended.
            Lb "lb" Load 0x0000_0003 [X X _ _] Load I;
            /// Load a half word, sign-extended.
            Lh "lh" Load 0x0000_1003 [X X _ _] Load I;
            /// Load a word.
            Lw "lw" Load 0x0000_2003 [X X _ _] Load I;
            /// Load a byte, zero-extended.
            Lbu "lbu" Load 0x0000_4003 [X X _ _] Load I;
            /// Load a half word, zero-extended.
            Lhu "lhu" Load 0x0000_5003 [X X _ _] Load I;
            /// Store a byte.
            Sb "sb" S 0x0000_0023 [_ X X _] Store I;
            /// Store a half word.
            Sh "sh" S 0x0000_1023 [_ X X _] Store I;
            /// Store a word.
            Sw "sw" S 0x0000_2023 [_ X X _] Store I;
            /// `rd = rs1 + imm`.
            Addi "addi" I 0x0000_0013 [X X _ _] Alu I;
            /// `rd = rs1 < imm`, signed.
            Slti "slti" I 0x0000_2013 [X X _ _] Alu I;
            /// `rd = rs1 < imm`, unsigned (the immediate is sign-extended first).
            Sltiu "sltiu" I 0x0000_3013 [X X _ _] Alu I;
            /// `rd = rs1 ^ imm`.
            Xori "xori" I 0x0000_4013 [X X _ _] Alu I;
            /// `rd = rs1 | imm`.
            Ori "ori" I 0x0000_6013 [X X _ _] Alu I;
            /// `rd = rs1 & imm`.
            Andi "andi" I 0x0000_7013 [X X _ _] Alu I;
            /// `rd = rs1 << imm`.
            Slli "slli" Shift 0x0000_1013 [X X _ _] Alu I;
            /// `rd = rs1 >> imm`, zeros from the left.
            Srli "srli" Shift 0x0000_5013 [X X _ _] Alu I;
            /// `rd = rs1 >> imm`, the sign from the left.
            Srai "srai" Shift 0x4000_5013 [X X _ _] Alu I;
            /// `rd = rs1 + rs2`.
            Add "add" R 0x0000_0033 [X X X _] Alu I;
            /// `rd = rs1 - rs2`.
            Sub "sub" R 0x4000_0033 [X X X _] Alu I;
            /// `rd = rs1 << (rs2 & 31)`.
            Sll "sll" R 0x0000_1033 [X X X _] Alu I;
            /// `rd = rs1 < rs2`, signed.
            Slt "slt" R 0x0000_2033 [X X X _] Alu I;
            /// `rd = rs1 < rs2`, unsigned.
            Sltu "sltu" R 0x0000_3033 [X X X _] Alu I;
            /// `rd = rs1 ^ rs2`.
            Xor "xor" R 0x0000_4033 [X X X _] Alu I;
            /// `rd = rs1 >> (rs2 & 31)`, zeros from the left.
            Srl "srl" R 0x0000_5033 [X X X _] Alu I;
            /// `rd = rs1 >> (rs2 & 31)`, the sign from the left.
            Sra "sra" R 0x4000_5033 [X X X _] Alu I;
            /// `rd = rs1 | rs2`.
            Or "or" R 0x0000_6033 [X X X _] Alu I;
            /// `rd = rs1 & rs2`.
            And "and" R 0x0000_7033 [X X X _] Alu I;
            /// Orders memory accesses; the immediate holds mode, predecessors and successors.
            Fence "fence" Fence 0x0000_000f [_ _ _ _] Fence I;
            /// Environment call: on Vortex 2 it ends the core's warps in simulations and does nothing in hardware; on
            /// Vortex 3 it goes to the trap handler.
            Ecall "ecall" System 0x0000_0073 [_ _ _ _] System I;
            /// Breakpoint, with the same effect as `ecall`.
            Ebreak "ebreak" System 0x0010_0073 [_ _ _ _] System I;

            // M
            /// `rd = rs1 * rs2`, low half.
            Mul "mul" R 0x0200_0033 [X X X _] Mul M;
            /// `rd = rs1 * rs2`, high half, both signed.
            Mulh "mulh" R 0x0200_1033 [X X X _] Mul M;
            /// `rd = rs1 * rs2`, high half, rs1 signed, rs2 unsigned.
            Mulhsu "mulhsu" R 0x0200_2033 [X X X _] Mul M;
            /// `rd = rs1 * rs2`, high half, both unsigned.
            Mulhu "mulhu" R 0x0200_3033 [X X X _] Mul M;
            /// `rd = rs1 / rs2`, signed, towards zero; by zero: -1.
            Div "div" R 0x0200_4033 [X X X _] Div M;
            /// `rd = rs1 / rs2`, unsigned; by zero: all ones.
            Divu "divu" R 0x0200_5033 [X X X _] Div M;
            /// `rd = rs1 % rs2`, signed, the sign of rs1; by zero: rs1.
            Rem "rem" R 0x0200_6033 [X X X _] Div M;
            /// `rd = rs1 % rs2`, unsigned; by zero: rs1.
            Remu "remu" R 0x0200_7033 [X X X _] Div M;

            // A
            /// Load a word and reserve it, for `sc.w`.
            LrW "lr.w" Lr 0x1000_202f [X X _ _] Atomic A;
            /// Store rs2 if the reservation holds; `rd` = 0 on success.
            ScW "sc.w" Amo 0x1800_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = rs2`.
            AmoswapW "amoswap.w" Amo 0x0800_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = rd + rs2`.
            AmoaddW "amoadd.w" Amo 0x0000_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = rd ^ rs2`.
            AmoxorW "amoxor.w" Amo 0x2000_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = rd & rs2`.
            AmoandW "amoand.w" Amo 0x6000_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = rd | rs2`.
            AmoorW "amoor.w" Amo 0x4000_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = min(rd, rs2)`, signed.
            AmominW "amomin.w" Amo 0x8000_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = max(rd, rs2)`, signed.
            AmomaxW "amomax.w" Amo 0xa000_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = min(rd, rs2)`, unsigned.
            AmominuW "amominu.w" Amo 0xc000_202f [X X X _] Atomic A;
            /// `rd = *rs1; *rs1 = max(rd, rs2)`, unsigned.
            AmomaxuW "amomaxu.w" Amo 0xe000_202f [X X X _] Atomic A;

            // F
            /// Load a float, whose bits stay as they are.
            Flw "flw" Load 0x0000_2007 [F X _ _] Load F;
            /// Store a float, whose bits stay as they are.
            Fsw "fsw" S 0x0000_2027 [_ X F _] Store F;
            /// `rd = rs1 * rs2 + rs3`, rounded once.
            Fmadd "fmadd.s" R4 0x0000_0043 [F F F F] FpFma F;
            /// `rd = rs1 * rs2 - rs3`, rounded once.
            Fmsub "fmsub.s" R4 0x0000_0047 [F F F F] FpFma F;
            /// `rd = -(rs1 * rs2) + rs3`, rounded once.
            Fnmsub "fnmsub.s" R4 0x0000_004b [F F F F] FpFma F;
            /// `rd = -(rs1 * rs2) - rs3`, rounded once.
            Fnmadd "fnmadd.s" R4 0x0000_004f [F F F F] FpFma F;
            /// `rd = rs1 + rs2`.
            Fadd "fadd.s" RFp 0x0000_0053 [F F F _] FpAdd F;
            /// `rd = rs1 - rs2`.
            Fsub "fsub.s" RFp 0x0800_0053 [F F F _] FpAdd F;
            /// `rd = rs1 * rs2`.
            Fmul "fmul.s" RFp 0x1000_0053 [F F F _] FpAdd F;
            /// `rd = rs1 / rs2`.
            Fdiv "fdiv.s" RFp 0x1800_0053 [F F F _] FpDiv F;
            /// `rd = sqrt(rs1)`.
            Fsqrt "fsqrt.s" R1Fp 0x5800_0053 [F F _ _] FpSqrt F;
            /// `rd` = rs1 with the sign of rs2.
            Fsgnj "fsgnj.s" R 0x2000_0053 [F F F _] FpMisc F;
            /// `rd` = rs1 with the opposite of the sign of rs2.
            Fsgnjn "fsgnjn.s" R 0x2000_1053 [F F F _] FpMisc F;
            /// `rd` = rs1 with the signs of both combined by exclusive or.
            Fsgnjx "fsgnjx.s" R 0x2000_2053 [F F F _] FpMisc F;
            /// The smaller; a NaN loses against a number, -0 is below +0.
            Fmin "fmin.s" R 0x2800_0053 [F F F _] FpMisc F;
            /// The larger; a NaN loses against a number, -0 is below +0.
            Fmax "fmax.s" R 0x2800_1053 [F F F _] FpMisc F;
            /// Float to signed integer, saturating; of a NaN, the largest.
            FcvtWS "fcvt.w.s" R1Fp 0xc000_0053 [X F _ _] FpConvert F;
            /// Float to unsigned integer, saturating; of a NaN, the largest.
            FcvtWuS "fcvt.wu.s" R1Fp 0xc010_0053 [X F _ _] FpConvert F;
            /// The bits of a float.
            FmvXW "fmv.x.w" R1 0xe000_0053 [X F _ _] FpMisc F;
            /// `rd = rs1 == rs2`, quiet.
            Feq "feq.s" R 0xa000_2053 [X F F _] FpMisc F;
            /// `rd = rs1 < rs2`, signalling.
            Flt "flt.s" R 0xa000_1053 [X F F _] FpMisc F;
            /// `rd = rs1 <= rs2`, signalling.
            Fle "fle.s" R 0xa000_0053 [X F F _] FpMisc F;
            /// One of ten bits for the kind of float: "Floating-Point Classify Instruction" of the manual.
            Fclass "fclass.s" R1 0xe000_1053 [X F _ _] FpMisc F;
            /// Signed integer to float.
            FcvtSW "fcvt.s.w" R1Fp 0xd000_0053 [F X _ _] FpConvert F;
            /// Unsigned integer to float.
            FcvtSWu "fcvt.s.wu" R1Fp 0xd010_0053 [F X _ _] FpConvert F;
            /// A float from its bits.
            FmvWX "fmv.w.x" R1 0xf000_0053 [F X _ _] FpMisc F;

            // Zicsr
            /// `rd = csr; csr = rs1`.
            Csrrw "csrrw" Csr 0x0000_1073 [X X _ _] Csr Zicsr;
            /// `rd = csr; csr |= rs1`.
            Csrrs "csrrs" Csr 0x0000_2073 [X X _ _] Csr Zicsr;
            /// `rd = csr; csr &= !rs1`.
            Csrrc "csrrc" Csr 0x0000_3073 [X X _ _] Csr Zicsr;
            /// `rd = csr; csr = uimm`; the 5-bit immediate is in the rs1 field.
            Csrrwi "csrrwi" CsrImm 0x0000_5073 [X _ _ _] Csr Zicsr;
            /// `rd = csr; csr |= uimm`.
            Csrrsi "csrrsi" CsrImm 0x0000_6073 [X _ _ _] Csr Zicsr;
            /// `rd = csr; csr &= !uimm`.
            Csrrci "csrrci" CsrImm 0x0000_7073 [X _ _ _] Csr Zicsr;

            // Zicond
            /// `rd = if rs2 == 0 { 0 } else { rs1 }`.
            CzeroEqz "czero.eqz" R 0x0e00_5033 [X X X _] Alu Zicond;
            /// `rd = if rs2 != 0 { 0 } else { rs1 }`.
            CzeroNez "czero.nez" R 0x0e00_7033 [X X X _] Alu Zicond;

            // Vortex SIMT
            /// Thread mask := rs1 of the last active lane; 0 ends the warp.
            Tmc "tmc" Rs1 0x0000_000b [_ X _ _] Simt Simt;
            /// Once alone on its core, start warps 1 to rs1 - 1 at the address rs2, with lane 0.
            Wspawn "wspawn" Rs1Rs2 0x0000_100b [_ X X _] Simt Simt;
            /// `rd` = stack depth; where bit 0 of rs1 disagrees, push and keep the larger side, on Vortex 3 the smaller
            /// one; of equal ones that where the bit is set. The rs2 field is a flag: 1 negates.
            Split "split" Split 0x0000_200b [X X _ _] Simt Simt;
            /// Back to the depth rs1: the other side first, then the whole mask.
            Join "join" Rs1 0x0000_300b [_ X _ _] Simt Simt;
            /// Wait at barrier rs1 until rs2 warps (or, with bit 31 of rs1, cores) have arrived.
            Bar "bar" Rs1Rs2 0x0000_400b [_ X X _] Simt Simt;
            /// Keep lanes with bit 0 of rs1; none left: mask := rs2. The rd field is a flag: 1 negates.
            Pred "pred" Pred 0x0000_500b [_ X X _] Simt Simt;

            // Vortex votes and shuffles
            /// 1 if bit 0 of rs1 is set in every active lane.
            VoteAll "vote.all" R1 0x0200_000b [X X _ _] Vote WarpOps;
            /// 1 if bit 0 of rs1 is set in any active lane.
            VoteAny "vote.any" R1 0x0200_100b [X X _ _] Vote WarpOps;
            /// 1 if bit 0 of rs1 is the same in all active lanes.
            VoteUni "vote.uni" R1 0x0200_200b [X X _ _] Vote WarpOps;
            /// The mask of active lanes in which bit 0 of rs1 is set.
            VoteBallot "vote.ballot" R1 0x0200_300b [X X _ _] Vote WarpOps;
            /// rs1 of the lane `n` below. Of all four: rs2 is `n`, in bits 6 on the last lane of a segment, in bits 12
            /// on the mask of bits that number segments; a lane whose source is out of range keeps its own.
            ShflUp "shfl.up" R 0x0200_400b [X X X _] Vote WarpOps;
            /// rs1 of the lane `n` above.
            ShflDown "shfl.down" R 0x0200_500b [X X X _] Vote WarpOps;
            /// rs1 of the lane whose number differs by exclusive or with `n`.
            ShflBfly "shfl.bfly" R 0x0200_600b [X X X _] Vote WarpOps;
            /// rs1 of lane `n`.
            ShflIdx "shfl.idx" R 0x0200_700b [X X X _] Vote WarpOps;

            // Vortex 3. The first is the next one without a result: it must stand before it.
            /// Wait until the phase of barrier rs1 is not bit 0 of rs2 any more.
            BarWait "bar.wait" Rs1Rs2 0x0000_600b [_ X X _] Simt V3;
            /// Arrive at barrier rs1, of rs2 warps, without waiting; `rd` = the phase before. With bit 31 of rs2: the
            /// phase also must wait for as many events as the other bits say.
            BarArrive "bar.arrive" R 0x0000_600b [X X X _] Simt V3;
            /// Back from a trap handler, to where `mepc` says.
            Mret "mret" System 0x3020_0073 [_ _ _ _] System V3;
            /// Wait until all earlier instructions of the warp are done.
            Wsync "wsync" System 0x0000_700b [_ _ _ _] Simt V3;
            /// The bytes at rs1, rs1 + rs2, rs1 + 2 rs2 and rs1 + 3 rs2, lowest first.
            PacklbF "packlb.f" R 0x0800_100b [F X X _] LoadPacked V3;
            /// The half words at rs1 and rs1 + rs2, lowest first.
            PacklhF "packlh.f" R 0x0800_200b [F X X _] LoadPacked V3;
            /// Of each four lanes, those after lane `imm`, and those from the first on after the last, get its rs1,
            /// rs2 and rs3; that lane keeps rd.
            Wgather "wgather" Gather 0x0000_002b [X X X X] Vote V3;
        }
    };
}
pub(crate) use for_each_instruction;
