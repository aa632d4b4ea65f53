//! Operations on two integers, written once for both widths that are computed with.

use crate::ir::BinOp;

/// A function for integers of a width, which computes with some of twice that width where it has to. What narrower
/// types have of bits, and where shifts end, is the caller's to say.
macro_rules! on_integers {
    ($name:ident, $word:ty, $twice:ty, $twice_signed:ty) => {
        /// `op` on `a` and `b`, or of `a` and `amount` if it is a shift. Division by zero is RISC-V's.
        pub(super) fn $name(op: BinOp, signed: bool, a: $word, b: $word, amount: u32) -> $word {
            let (sa, sb) = (a.cast_signed(), b.cast_signed());
            match op {
                BinOp::Add => a.wrapping_add(b),
                BinOp::Sub => a.wrapping_sub(b),
                BinOp::Mul => a.wrapping_mul(b),
                BinOp::MulHigh if signed => {
                    let product = <$twice_signed>::from(sa) * <$twice_signed>::from(sb);
                    (product >> <$word>::BITS) as $word
                }
                BinOp::MulHigh => {
                    let product = <$twice>::from(a) * <$twice>::from(b);
                    (product >> <$word>::BITS) as $word
                }
                BinOp::Div if b == 0 => <$word>::MAX,
                BinOp::Div if signed => sa.wrapping_div(sb).cast_unsigned(),
                BinOp::Div => a / b,
                BinOp::Rem if b == 0 => a,
                BinOp::Rem if signed => sa.wrapping_rem(sb).cast_unsigned(),
                BinOp::Rem => a % b,
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                BinOp::Shl => a << amount,
                BinOp::Shr if signed => (sa >> amount).cast_unsigned(),
                BinOp::Shr => a >> amount,
                BinOp::Min if signed => sa.min(sb).cast_unsigned(),
                BinOp::Min => a.min(b),
                BinOp::Max if signed => sa.max(sb).cast_unsigned(),
                BinOp::Max => a.max(b),
                // Of floats only; the verifier refuses them.
                BinOp::CopySign | BinOp::FlipSign => a,
            }
        }
    };
}

on_integers!(words, u32, u64, i64);
on_integers!(wide, u64, u128, i128);
