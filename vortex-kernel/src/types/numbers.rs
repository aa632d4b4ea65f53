//! The scalar types themselves.

use std::borrow::Cow;

use half::{bf16, f16};

use super::by_value::ByValue;
use super::device_type::{DeviceType, Kind, Leaf, Lift, Word, Words, value_types};
use super::scalar::{Element, InMemory, Scalar, sealed};
use super::scalar_type::{ScalarType, Spelling};
use crate::ir;

macro_rules! scalars {
    ($($ty:ty, $variant:ident, $arg:ty, |$x:ident| $to_arg:expr, $to_words:expr;)*) => {$(
        impl DeviceType for $ty {
            type Repr = Word;
            type Fields<K: Kind> = ();

            const AS_SCALAR: Option<ScalarType> = Some(ScalarType::$variant);
            const LEAVES: u32 = 1;

            fn leaves(offset: u32, out: &mut Vec<Leaf>) {
                out.push(Leaf::new(offset, ScalarType::$variant.ir()));
            }

            fn values(repr: &Word, out: &mut Vec<ir::Value>) {
                out.push(repr.value());
            }

            fn build(words: &mut Words) -> Word {
                Word::build(words, ScalarType::$variant.ir())
            }

            fn fields(_: &Word) -> &() {
                &()
            }

            fn parts<K: Kind>(_: &mut K::Whole) {}

            fn shape() -> ir::Shape {
                ScalarType::$variant.shape()
            }

            fn placeholder() -> Self {
                Self::default()
            }

            fn lift(self, out: &mut dyn Lift) {
                out.scalar(Self::SCALAR, self.to_words(), &self);
            }
        }

        value_types! { [] $ty; }

        impl sealed::Sealed for $ty {}

        #[diagnostic::do_not_recommend]
        impl ByValue for $ty {
            type This = Self;
        }

        impl Scalar for $ty {
            const SCALAR: ScalarType = ScalarType::$variant;
            type Arg = $arg;

            fn to_arg(self) -> Option<$arg> {
                let $x = self;
                $to_arg
            }

            fn to_words(self) -> Option<u64> {
                let $x = self;
                $to_words.map(u64::from)
            }
        }
    )*};
}

scalars! {
    bool, Bool, u8, |x| Some(u8::from(x)), Some(u32::from(x));
    i8, I8, i8, |x| Some(x), Some(i32::from(x).cast_unsigned());
    i16, I16, i16, |x| Some(x), Some(i32::from(x).cast_unsigned());
    i32, I32, i32, |x| Some(x), Some(x.cast_unsigned());
    u8, U8, u8, |x| Some(x), Some(u32::from(x));
    u16, U16, u16, |x| Some(x), Some(u32::from(x));
    u32, U32, u32, |x| Some(x), Some(x);
    i64, I64, i64, |x| Some(x), Some(x.cast_unsigned());
    u64, U64, u64, |x| Some(x), Some(x);
    f16, F16, f16, |x| Some(x), Some(u32::from(x.to_bits()));
    bf16, Bf16, bf16, |x| Some(x), Some(u32::from(x.to_bits()));
    f32, F32, f32, |x| Some(x), Some(x.to_bits());
    usize, Usize, u32, |x| u32::try_from(x).ok(), u32::try_from(x).ok();
    isize, Isize, i32, |x| i32::try_from(x).ok(), i32::try_from(x).ok().map(i32::cast_unsigned);
}

macro_rules! elements {
    ($($ty:ty, |$bytes:ident| $read:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Element for $ty {
            fn from_bytes($bytes: &[u8]) -> Option<Self> {
                $read
            }

            fn to_bytes(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(bytemuck::bytes_of(self));
            }

            fn bytes_of(elements: &[Self]) -> Cow<'_, [u8]> {
                Cow::Borrowed(bytemuck::cast_slice(elements))
            }
        }

        #[diagnostic::do_not_recommend]
        impl InMemory for $ty {
            type This = Self;
            const SPELLING: Spelling = <Self as Scalar>::SCALAR.spelling();
        }
    )*};
}

elements! {
    bool, |bytes| match bytes {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    };
    i8, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    i16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    i32, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u8, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u32, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    i64, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u64, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    f16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    bf16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    f32, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
}
