//! `group::reduce_add` and its kin, on the host: as on a device whose warps have one lane, so that floats are added one
//! by one, in the order of the items.

use super::combine::{Combine, CombineBits};
use super::turn::Turn;

/// Which values are combined for an item.
#[derive(Clone, Copy)]
enum Range {
    All,
    To,
    Before,
}

fn over_items<T: Copy + Send + 'static, W: Copy>(
    turn: &mut Turn<'_>,
    value: T,
    range: Range,
    [neutral, own]: [W; 2],
    (wide, both): (impl Fn(T) -> W, impl Fn(W, W) -> W),
) -> W {
    let (values, number) = turn.exchanged(value);
    let values = values.into_iter();
    let values = values.take_while(|(item, _)| matches!(range, Range::All) || *item < number);
    let sum = values.fold(neutral, |sum, (_, value)| both(sum, wide(value)));
    match range {
        Range::All => sum,
        Range::To => both(sum, own),
        Range::Before => both(sum, neutral),
    }
}

macro_rules! combining {
    ($($op:ident $number:literal: $reduce:ident $inclusive:ident $exclusive:ident;)*) => {$(
        combining! { @one $op $number: $reduce All; $inclusive To; $exclusive Before; }
    )*};
    (@one $op:ident $number:literal: $($name:ident $range:ident;)*) => {$(
        #[doc = concat!("As in kernels: `group::", stringify!($name), "(value)`.")]
        pub fn $name<T: Combine>(turn: &mut Turn<'_>, value: T) -> T {
            let neutral = [T::NEUTRAL[$number], value.wide()];
            T::narrow(over_items(turn, value, Range::$range, neutral, (T::wide, T::$op)))
        }
    )*};
}

combining! {
    add 0: reduce_add inclusive_add exclusive_add;
    min 1: reduce_min inclusive_min exclusive_min;
    max 2: reduce_max inclusive_max exclusive_max;
}

macro_rules! combining_bits {
    ($($op:ident $neutral:ident: $reduce:ident $inclusive:ident $exclusive:ident;)*) => {$(
        combining_bits! { @one $op $neutral: $reduce All; $inclusive To; $exclusive Before; }
    )*};
    (@one $op:ident $neutral:ident: $($name:ident $range:ident;)*) => {$(
        #[doc = concat!("As in kernels: `group::", stringify!($name), "(value)`.")]
        pub fn $name<T: CombineBits>(turn: &mut Turn<'_>, value: T) -> T {
            over_items(turn, value, Range::$range, [T::$neutral, value], (|value| value, T::$op))
        }
    )*};
}

combining_bits! {
    and ONES: reduce_and inclusive_and exclusive_and;
    or ZEROS: reduce_or inclusive_or exclusive_or;
    xor ZEROS: reduce_xor inclusive_xor exclusive_xor;
}
