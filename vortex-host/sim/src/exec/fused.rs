//! `a * b + c` as processors without the instruction compute it: in doubles.

/// `a * b + c` in doubles: the exact product, the rounded sum, and what rounding it lost.
#[inline(always)]
pub(super) fn wide_fma(a: f32, b: f32, c: f32) -> (f64, f64) {
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    let sum = product + c;
    let c_used = sum - product;
    let product_used = sum - c_used;
    (sum, (product - product_used) + (c - c_used))
}

/// `a * b + c` rounded once, for hosts without the instruction: the double is rounded to odd, so that the second
/// rounding cannot mistake it for a tie.
#[inline(always)]
pub(super) fn fused(a: f32, b: f32, c: f32) -> f32 {
    let (sum, lost) = wide_fma(a, b, c);
    let bits = sum.to_bits();
    let towards_zero = (lost > 0.0) != (sum > 0.0);
    let odd = if towards_zero {
        bits.wrapping_sub(1)
    } else {
        bits.wrapping_add(1)
    };
    let adjust = (lost != 0.0) & (bits & 1 == 0);
    f64::from_bits(if adjust { odd } else { bits }) as f32
}

#[cfg(test)]
mod tests {
    use super::fused;
    use crate::softfloat::SIGN;

    /// Hosts with the instruction do not come here otherwise.
    #[test]
    fn the_fused_operation_of_other_hosts_rounds_once() {
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u32
        };
        for n in 0..100_000 {
            // Products of 24 bits are floats; those of 26 and more are ties between two at times, which an addend
            // decides that is too small for a double to hold both.
            let fraction = [0x7f_f000, 0x7f_f800, 0x7f_ffff][n % 3];
            let [a, b, c] = [(); 3].map(|()| {
                let (bits, exponent) = (random(), 100 + random() % 54);
                f32::from_bits(bits << 1 & SIGN | bits & fraction | exponent << 23)
            });
            let rounded_once = f32::mul_add(a, b, c);
            assert_eq!(
                fused(a, b, c).to_bits(),
                rounded_once.to_bits(),
                "{a} * {b} + {c}"
            );
        }
    }
}
