//! Whether what a type has for `==` and `<` on the host is what kernels do, which compare part by part, as derived
//! implementations do.
//!
//! A macro cannot tell one that is written by hand from a derived one, so some values are compared both ways: by the
//! host's implementation, and by their parts.

use std::any::{TypeId, type_name};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::by_hand::{ByHand, Comparison};
use super::device_type::{DeviceType, Leaf};
use crate::ir::Type;

/// The host's implementations for a type, as far as there are any.
#[doc(hidden)]
#[derive(Debug)]
pub struct Comparisons<T> {
    /// The value of these bytes, if they are one.
    pub from_bytes: fn(&[u8]) -> Option<T>,
    /// `PartialEq`.
    pub equality: Option<fn(&T, &T) -> bool>,
    /// `PartialOrd`.
    pub partial_order: Option<fn(&T, &T) -> Option<Ordering>>,
    /// `Ord`.
    pub order: Option<fn(&T, &T) -> Ordering>,
}

/// Asks a type for them: its own methods are found for a type that has the trait, those of [`NotCompared`] else.
#[doc(hidden)]
#[derive(Debug)]
pub struct Compared<T>(PhantomData<T>);

impl<T> Compared<T> {
    pub const TYPE: Self = Self(PhantomData);
}

impl<T: PartialEq> Compared<T> {
    pub fn equality(&self) -> Option<fn(&T, &T) -> bool> {
        Some(T::eq)
    }
}

impl<T: PartialOrd> Compared<T> {
    pub fn partial_order(&self) -> Option<fn(&T, &T) -> Option<Ordering>> {
        Some(T::partial_cmp)
    }
}

impl<T: Ord> Compared<T> {
    pub fn order(&self) -> Option<fn(&T, &T) -> Ordering> {
        Some(T::cmp)
    }
}

/// What a type has that lacks the traits.
#[doc(hidden)]
pub trait NotCompared {
    fn equality<F>(&self) -> Option<F> {
        None
    }

    fn partial_order<F>(&self) -> Option<F> {
        None
    }

    fn order<F>(&self) -> Option<F> {
        None
    }
}

impl<T> NotCompared for Compared<T> {}

/// What has been found out, as kernels compare the same types at many places.
type Known = HashMap<(TypeId, Comparison), Option<ByHand>>;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

impl<T: DeviceType> Comparisons<T> {
    /// The trait that is asked for `asked` and that says otherwise than the parts.
    #[must_use]
    pub fn by_hand(&self, asked: Comparison) -> Option<ByHand> {
        let key = (TypeId::of::<T>(), asked);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = known().get(&key) {
            return known;
        }
        // It is the user's code, so nothing is locked, and it may panic.
        let of = panic::catch_unwind(AssertUnwindSafe(|| self.differs(asked)));
        let of = of.unwrap_or(Some(match asked {
            Comparison::Equality => "PartialEq",
            Comparison::Order => "PartialOrd",
        }));
        let ty = type_name::<T>().rsplit("::").next().unwrap_or_default();
        let by_hand = of.map(|of| ByHand { ty, of });
        known().insert(key, by_hand);
        by_hand
    }

    fn differs(&self, asked: Comparison) -> Option<&'static str> {
        let samples = self.samples();
        let differs = |of, agrees: &dyn Fn(&T, &T, Ordering) -> bool| {
            let mut pairs = samples
                .iter()
                .flat_map(|a| samples.iter().map(move |b| (a, b)));
            let all = pairs.all(|(a, b)| agrees(&a.value, &b.value, a.by_parts(b)));
            (!all).then_some(of)
        };
        match asked {
            Comparison::Equality => {
                let host = self.equality?;
                differs("PartialEq", &|a, b, parts| host(a, b) == parts.is_eq())
            }
            Comparison::Order => {
                let partial = self.partial_order.and_then(|host| {
                    differs("PartialOrd", &|a, b, parts| host(a, b) == Some(parts))
                });
                let total = || {
                    let host = self.order?;
                    differs("Ord", &|a, b, parts| host(a, b) == parts)
                };
                partial.or_else(total)
            }
        }
    }

    /// Values that differ in one part and in two that follow each other.
    fn samples(&self) -> Vec<Sample<T>> {
        let mut leaves = Vec::new();
        T::leaves(0, &mut leaves);
        let first: Vec<Part> = leaves.iter().map(|leaf| parts(leaf.ty)[0]).collect();
        let mut of_parts = vec![first.clone()];
        for at in 0..leaves.len() {
            let next = leaves.get(at + 1);
            for &here in parts(leaves[at].ty) {
                for &there in next.map_or(&[(0, 0.0)][..], |next| parts(next.ty)) {
                    let mut sample = first.clone();
                    sample[at] = here;
                    if next.is_some() {
                        sample[at + 1] = there;
                    }
                    of_parts.push(sample);
                }
            }
        }
        let step = of_parts.len().div_ceil(MOST_SAMPLES);
        let sample = |parts: Vec<Part>| {
            let mut bytes = vec![0; size_of::<T>()];
            for (leaf, (bits, _)) in leaves.iter().zip(&parts) {
                let Leaf { offset, ty } = *leaf;
                let at = offset as usize..(offset + ty.bytes()) as usize;
                bytes
                    .get_mut(at.clone())?
                    .copy_from_slice(&bits.to_le_bytes()[..at.len()]);
            }
            let value = (self.from_bytes)(&bytes)?;
            let parts = parts.into_iter().map(|(_, number)| number).collect();
            Some(Sample { value, parts })
        };
        of_parts
            .into_iter()
            .step_by(step)
            .filter_map(sample)
            .collect()
    }
}

/// As many are compared, each with each, whatever the type.
const MOST_SAMPLES: usize = 100;

struct Sample<T> {
    value: T,
    parts: Vec<f64>,
}

impl<T> Sample<T> {
    /// As kernels order them. There is no NaN among the parts.
    fn by_parts(&self, other: &Self) -> Ordering {
        let order = self.parts.partial_cmp(&other.parts);
        order.unwrap_or(Ordering::Equal)
    }
}

/// Bits in memory, and the number that they are.
type Part = (u64, f64);

/// Parts that values are made of, of this type. Among them are products of others, for fractions, and neighbours, for
/// what is equal up to rounding.
fn parts(ty: Type) -> &'static [Part] {
    const UNSIGNED: &[Part] = &[(1, 1.0), (0, 0.0), (2, 2.0), (4, 4.0), (0x80, 128.0)];
    const SIGNED: &[Part] = &[(1, 1.0), (0, 0.0), (2, 2.0), (4, 4.0), (u64::MAX, -1.0)];
    match ty {
        Type::Bool => &[(1, 1.0), (0, 0.0)],
        Type::F32 => &[
            (0x3f80_0000, 1.0),
            (0, 0.0),
            (0x4000_0000, 2.0),
            (0x4080_0000, 4.0),
            (0xbf80_0000, -1.0),
            (0x3f80_0001, 1.000_000_1),
        ],
        Type::F16 => &[
            (0x3c00, 1.0),
            (0, 0.0),
            (0x4000, 2.0),
            (0x4400, 4.0),
            (0xbc00, -1.0),
        ],
        Type::BF16 => &[
            (0x3f80, 1.0),
            (0, 0.0),
            (0x4000, 2.0),
            (0x4080, 4.0),
            (0xbf80, -1.0),
        ],
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => SIGNED,
        _ => UNSIGNED,
    }
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::parts;
    use crate::ir::Type;

    #[test]
    fn parts_are_the_numbers_that_they_are_said_to_be() {
        let number = |ty: Type, bits: u64| -> f64 {
            match ty {
                Type::F32 => f32::from_bits(bits as u32).into(),
                Type::F16 => f16::from_bits(bits as u16).into(),
                Type::BF16 => bf16::from_bits(bits as u16).into(),
                Type::I8 => (bits as i8).into(),
                Type::I64 => bits as i64 as f64,
                _ => (bits as u8).into(),
            }
        };
        let types = [
            Type::F32,
            Type::F16,
            Type::BF16,
            Type::I8,
            Type::I64,
            Type::U8,
        ];
        for ty in types {
            for &(bits, said) in parts(ty) {
                assert!((number(ty, bits) - said).abs() < 1e-7, "{ty:?} {bits:#x}");
            }
        }
    }
}
