//! Instructions that compute what they write from registers alone: a type for each, with its opcode's name, which is
//! the function over the lanes.

use super::super::code::Op;
use super::super::warp::Warp;
use super::processor::{Processor, Work};
use super::{Fault, float, integer, lanes};

/// What there is of an instruction that rounds: it may be told to round in a way that does not exist.
type Rounded = Result<(), Box<Fault>>;

macro_rules! functions {
    ($($name:ident -> $result:ty: $function:path, ($($more:expr),*);)*) => {
        $(
            pub(super) struct $name;

            impl Work<&mut Warp, usize, &Op> for $name {
                type Result = $result;

                #[inline(always)]
                fn on<P: Processor>(self, _: P, warp: &mut Warp, octets: usize, op: &Op) -> $result {
                    $function(warp, octets, op, $($more),*)
                }
            }
        )*
    };
}

functions! {
    // Name, result, function over the lanes, and what that takes besides.
    Addi -> (): lanes::immediate, (u32::wrapping_add);
    Slti -> (): lanes::immediate, (integer::slt);
    Sltiu -> (): lanes::immediate, (integer::sltu);
    Xori -> (): lanes::immediate, (|a, b| a ^ b);
    Ori -> (): lanes::immediate, (|a, b| a | b);
    Andi -> (): lanes::immediate, (|a, b| a & b);
    Slli -> (): lanes::immediate, (integer::sll);
    Srli -> (): lanes::immediate, (integer::srl);
    Srai -> (): lanes::immediate, (integer::sra);
    Add -> (): lanes::binary, (u32::wrapping_add);
    Sub -> (): lanes::binary, (u32::wrapping_sub);
    Sll -> (): lanes::binary, (integer::sll);
    Slt -> (): lanes::binary, (integer::slt);
    Sltu -> (): lanes::binary, (integer::sltu);
    Xor -> (): lanes::binary, (|a, b| a ^ b);
    Srl -> (): lanes::binary, (integer::srl);
    Sra -> (): lanes::binary, (integer::sra);
    Or -> (): lanes::binary, (|a, b| a | b);
    And -> (): lanes::binary, (|a, b| a & b);
    Mul -> (): lanes::binary, (u32::wrapping_mul);
    Mulh -> (): lanes::binary, (integer::mulh);
    Mulhsu -> (): lanes::binary, (integer::mulhsu);
    Mulhu -> (): lanes::binary, (integer::mulhu);
    Div -> (): lanes::binary, (integer::div);
    Divu -> (): lanes::binary, (integer::divu);
    Rem -> (): lanes::binary, (integer::rem);
    Remu -> (): lanes::binary, (integer::remu);
    CzeroEqz -> (): lanes::binary, (|a, b| if b == 0 { 0 } else { a });
    CzeroNez -> (): lanes::binary, (|a, b| if b != 0 { 0 } else { a });

    Fadd -> Rounded: float::add, ();
    Fsub -> Rounded: float::sub, ();
    Fmul -> Rounded: float::mul, ();
    Fdiv -> Rounded: float::div, ();
    Fsqrt -> Rounded: float::sqrt, ();
    Fmadd -> Rounded: float::fma::<P>, (0, 0);
    Fmsub -> Rounded: float::fma::<P>, (0, float::SIGN);
    Fnmsub -> Rounded: float::fma::<P>, (float::SIGN, 0);
    Fnmadd -> Rounded: float::fma::<P>, (float::SIGN, float::SIGN);
    Fsgnj -> (): lanes::binary, (|a, b| a & !float::SIGN | b & float::SIGN);
    Fsgnjn -> (): lanes::binary, (|a, b| a & !float::SIGN | !b & float::SIGN);
    Fsgnjx -> (): lanes::binary, (|a, b| a ^ b & float::SIGN);
    Fmin -> (): float::min, ();
    Fmax -> (): float::max, ();
    Feq -> (): float::eq, ();
    Flt -> (): float::lt, ();
    Fle -> (): float::le, ();
    FcvtWS -> Rounded: float::to_signed, ();
    FcvtWuS -> Rounded: float::to_unsigned, ();
    FcvtSW -> Rounded: float::from_signed, ();
    FcvtSWu -> Rounded: float::from_unsigned, ();
    // Also of `fmv.w.x`.
    FmvXW -> (): lanes::unary, (integer::unchanged);
    Fclass -> (): lanes::unary, (float::classify);
}
