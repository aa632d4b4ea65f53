//! Textures in a kernel: texels that are read, sampled and written.

use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;

use crate::ir::{Alias, BinOp, CmpOp, FaultKind, Op, Space, Type, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::staged::{Staged, values_of, zero};
use crate::lang::base::written::written;
use crate::lang::control::function::Nothing;
use crate::lang::control::method::{HasMethods, PassedTo, ReadOnly, are_returned};
use crate::lang::control::params::{TEXTURE_WORDS, words};
use crate::lang::place::coerced::CoercesTo;
use crate::lang::recorder::{At, PlaceRef, const_of, emit, emit_const, emit_void, placed, type_of};
use crate::lang::value::arith::on_words;
use crate::lang::value::convert::convert;
use crate::lang::value::float::here;
use crate::math::Real;
use crate::math::sample::{Choose, Pair, Settings, Texels, sample};
use crate::meta::SamplerArg;
use crate::types::{Channel as _, DeviceType, Leaf, Texel, Words};

const POINTER: Type = Type::Ptr(Space::Global);

/// A `&Texture<T, D>` in a kernel: texels that are not written during the launch.
pub struct TextureRef<T: Texel, const D: usize> {
    parts: Parts,
    texel: PhantomData<T>,
}

/// A `&mut Texture<T, D>` in a kernel: texels that are reached through no other argument.
pub struct TextureMut<T: Texel, const D: usize>(TextureRef<T, D>);

/// What a texture is made of, in the order of `TEXTURE_WORDS`.
#[derive(Clone, Copy)]
struct Parts {
    addr: Value,
    /// Texels along x, y and z.
    counts: [Value; 3],
    settings: Value,
    border: [Value; 4],
    alias: Alias,
}

impl Parts {
    fn of([addr, x, y, z, settings, border @ ..]: [Value; 9], alias: Alias) -> Self {
        Self {
            addr,
            counts: [x, y, z],
            settings,
            border,
            alias,
        }
    }

    fn values(self) -> [Value; 9] {
        let Self {
            addr,
            counts: [x, y, z],
            settings,
            border: [a, b, c, d],
            ..
        } = self;
        [addr, x, y, z, settings, a, b, c, d]
    }

    fn count(self, axis: usize) -> Lane<usize> {
        Lane::new(self.counts[axis])
    }

    /// Whether this is among the settings of the sampler.
    fn set(self, setting: u32, at: At) -> Lane<bool> {
        let mask = emit_const(setting, Type::U32, at);
        let masked = emit(Op::Binary(BinOp::And, self.settings, mask), Type::U32, at);
        let none = emit_const(0, Type::U32, at);
        Lane::new(emit(Op::Compare(CmpOp::Ne, masked, none), Type::Bool, at))
    }

    fn settings(self, at: At) -> Settings<Lane<f32>> {
        Settings {
            linear: self.set(SamplerArg::LINEAR, at),
            normalised: self.set(SamplerArg::NORMALISED, at),
            repeat: self.set(SamplerArg::REPEAT, at),
            mirror: self.set(SamplerArg::MIRROR, at),
            border: self.set(SamplerArg::BORDER, at),
        }
    }

    /// The texel of this number.
    fn texel<T: Texel>(self, index: Value, at: At) -> PlaceRef {
        let element = Op::PtrAdd {
            base: self.addr,
            index,
            scale: size_of::<T>() as u32,
        };
        PlaceRef::pointee(emit(element, POINTER, at), self.alias, at)
    }

    /// Does `access` to the texel at these coordinates if there is one, and records a fault otherwise.
    fn reach<T: Texel, R: Staged>(
        self,
        coordinates: &[Lane<usize>],
        axis: usize,
        access: &mut dyn FnMut(PlaceRef) -> R,
        otherwise: &dyn Fn() -> R,
        at: At,
    ) -> R {
        let Some(coordinate) = coordinates.get(axis).map(|lane| lane.value()) else {
            let number = self.number(coordinates, at);
            return access(self.texel::<T>(number, at));
        };
        let count = self.counts[axis];
        let inside = emit(Op::Compare(CmpOp::Lt, coordinate, count), Type::Bool, at);
        let fault = || {
            let fault = Op::Fault {
                kind: FaultKind::Texel,
                operands: [coordinate, count].into(),
            };
            emit_void(fault, at);
            otherwise()
        };
        let mut within = || self.reach::<T, R>(coordinates, axis + 1, &mut *access, otherwise, at);
        branch(inside, &mut within, fault, at)
    }

    /// The number of a texel: row by row, slice by slice.
    fn number(self, coordinates: &[Lane<usize>], at: At) -> Value {
        let axes = coordinates.iter().zip(self.counts).rev();
        let number = axes.fold(None, |number, (coordinate, count)| match number {
            None => Some(coordinate.value()),
            Some(number) => {
                let before = on_words(BinOp::Mul, number, count, at);
                Some(on_words(BinOp::Add, before, coordinate.value(), at))
            }
        });
        number.unwrap_or_else(|| emit_const(0, Type::U32, at))
    }

    fn read<T: Texel>(self, coordinates: &[Lane<usize>], at: At) -> Lane<T> {
        placed(at, || {
            let mut access = |texel: PlaceRef| texel.get(at);
            self.reach::<T, _>(coordinates, 0, &mut access, &|| zero(at), at)
        })
    }

    fn write<T: Texel>(self, coordinates: &[Lane<usize>], texel: Lane<T>, at: At) {
        placed(at, || {
            let mut access = |place: PlaceRef| place.set(texel, at);
            self.reach::<T, ()>(coordinates, 0, &mut access, &|| (), at);
        });
    }

    fn sample<T: Texel, const D: usize>(
        self,
        coordinates: [Lane<f32>; D],
        at: At,
    ) -> Lane<T::Sample> {
        placed(at, || {
            let settings = self.settings(at);
            let mut axes = 0..D;
            let counts = [(); D].map(|()| convert(self.count(axes.next().unwrap_or_default()), at));
            let texels = Channels::<T> {
                parts: self,
                texel: PhantomData,
                at,
            };
            let sampled = sample(settings, counts, coordinates, &texels);
            match T::Channel::MOST {
                Some(most) => each(sampled, |part| part * <Lane<f32> as Real>::of(1.0 / most)),
                None => sampled,
            }
        })
    }
}

/// The texels of a texture as numbers; those of normalised integers are not divided yet.
struct Channels<T> {
    parts: Parts,
    texel: PhantomData<T>,
    at: At,
}

fn built<T: DeviceType>(values: Vec<Value>) -> Lane<T> {
    Lane::build(&mut words_of(values))
}

fn each<T: DeviceType>(value: Lane<T>, f: impl Fn(Lane<f32>) -> Lane<f32>) -> Lane<T> {
    let parts = values_of(value).into_iter();
    built(parts.map(|part| f(Lane::new(part)).value()).collect())
}

impl<T: Texel> Texels<Lane<f32>> for Channels<T> {
    type Texel = Lane<T::Sample>;

    fn fetch(&self, number: Lane<i32>) -> Self::Texel {
        let texel: Lane<T> = self.parts.texel::<T>(number.value(), self.at).get(self.at);
        let parts = values_of(texel).into_iter();
        let widened = parts.map(|part| match type_of(part) {
            Type::F32 => part,
            _ => emit(Op::Cast(part), Type::F32, self.at),
        });
        built(widened.collect())
    }

    fn border(&self) -> Self::Texel {
        // A texel has as many words as it has channels.
        let channels = T::LEAVES as usize;
        built(self.parts.border.into_iter().take(channels).collect())
    }

    fn blend(&self, a: Self::Texel, b: Self::Texel, weight: Lane<f32>) -> Self::Texel {
        let pairs = values_of(a).into_iter().zip(values_of(b));
        let pairs = pairs.map(|(a, b)| (Lane::<f32>::new(a), Lane::<f32>::new(b)));
        built(
            pairs
                .map(|(a, b)| Real::fma(b - a, weight, a).value())
                .collect(),
        )
    }

    fn either(
        &self,
        flag: Lane<bool>,
        a: impl FnOnce() -> Self::Texel,
        b: impl FnOnce() -> Self::Texel,
    ) -> Self::Texel {
        choose(flag, a, b)
    }
}

fn choose<S: Staged>(flag: Lane<bool>, a: impl FnOnce() -> S, b: impl FnOnce() -> S) -> S {
    match const_of(flag.value()) {
        Some(0) => b(),
        Some(_) => a(),
        None => branch(flag.value(), a, b, here()),
    }
}

impl Choose for Lane<f32> {
    fn number(flag: Lane<bool>, a: impl FnOnce() -> Self, b: impl FnOnce() -> Self) -> Self {
        choose(flag, a, b)
    }

    fn place(
        flag: Lane<bool>,
        a: impl FnOnce() -> Lane<i32>,
        b: impl FnOnce() -> Lane<i32>,
    ) -> Lane<i32> {
        choose(flag, a, b)
    }

    fn pair(
        flag: Lane<bool>,
        a: impl FnOnce() -> Pair<Self>,
        b: impl FnOnce() -> Pair<Self>,
    ) -> Pair<Self> {
        choose(flag, a, b)
    }
}

/// A texture that a kernel may write.
#[diagnostic::on_unimplemented(
    message = "this texture cannot be written: the kernel only reads it",
    label = "declared as `&Texture<..>`",
    note = "write `&mut Texture<..>` for the kernel's parameter; the host then passes `&mut texture`"
)]
pub trait WritableTexture {}

#[diagnostic::do_not_recommend]
impl<T: Texel, const D: usize> WritableTexture for TextureMut<T, D> {}

impl<T: Texel, const D: usize> Deref for TextureMut<T, D> {
    type Target = TextureRef<T, D>;

    fn deref(&self) -> &TextureRef<T, D> {
        &self.0
    }
}

impl<T: Texel, const D: usize> TextureRef<T, D> {
    /// Texels along x.
    #[must_use]
    pub fn width(self) -> Lane<usize> {
        self.parts.count(0)
    }

    /// Texels along y.
    #[must_use]
    pub fn height(self) -> Lane<usize> {
        self.parts.count(1)
    }
}

impl<T: Texel> TextureRef<T, 2> {
    /// The value at a point, as the texture's sampler says.
    #[track_caller]
    #[must_use]
    pub fn sample(self, u: Lane<f32>, v: Lane<f32>) -> Lane<T::Sample> {
        self.parts.sample::<T, 2>([u, v], Location::caller())
    }

    /// The texel at these coordinates. Beyond the edge this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn read(self, x: Lane<usize>, y: Lane<usize>) -> Lane<T> {
        self.parts.read(&[x, y], Location::caller())
    }

    /// Nothing: only a `&mut Texture` can be written.
    pub fn write(self, _: Lane<usize>, _: Lane<usize>, _: Lane<T>) -> Nothing
    where
        Self: WritableTexture,
    {
        Nothing {}
    }
}

impl<T: Texel> TextureRef<T, 3> {
    /// Texels along z.
    #[must_use]
    pub fn depth(self) -> Lane<usize> {
        self.parts.count(2)
    }

    /// The value at a point, as the texture's sampler says.
    #[track_caller]
    #[must_use]
    pub fn sample(self, u: Lane<f32>, v: Lane<f32>, w: Lane<f32>) -> Lane<T::Sample> {
        self.parts.sample::<T, 3>([u, v, w], Location::caller())
    }

    /// The texel at these coordinates. Beyond the edge this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn read(self, x: Lane<usize>, y: Lane<usize>, z: Lane<usize>) -> Lane<T> {
        self.parts.read(&[x, y, z], Location::caller())
    }

    /// Nothing: only a `&mut Texture` can be written.
    pub fn write(self, _: Lane<usize>, _: Lane<usize>, _: Lane<usize>, _: Lane<T>) -> Nothing
    where
        Self: WritableTexture,
    {
        Nothing {}
    }
}

impl<T: Texel> TextureMut<T, 2> {
    /// Writes the texel at these coordinates. Beyond the edge this is a fault, and writes nothing.
    #[track_caller]
    pub fn write(self, x: Lane<usize>, y: Lane<usize>, texel: Lane<T>) -> Nothing {
        self.parts.write(&[x, y], texel, Location::caller());
        Nothing {}
    }
}

impl<T: Texel> TextureMut<T, 3> {
    /// Writes the texel at these coordinates. Beyond the edge this is a fault, and writes nothing.
    #[track_caller]
    pub fn write(self, x: Lane<usize>, y: Lane<usize>, z: Lane<usize>, texel: Lane<T>) -> Nothing {
        self.parts.write(&[x, y, z], texel, Location::caller());
        Nothing {}
    }
}

impl<T: Texel, const D: usize> TextureRef<T, D> {
    pub(in crate::lang) fn new(values: [Value; 9], alias: Alias) -> Self {
        Self {
            parts: Parts::of(values, alias),
            texel: PhantomData,
        }
    }
}

impl<T: Texel, const D: usize> TextureMut<T, D> {
    pub(in crate::lang) fn new(values: [Value; 9], alias: Alias) -> Self {
        Self(TextureRef::new(values, alias))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Texel, const D: usize> CoercesTo<TextureRef<T, D>, u8> for TextureMut<T, D> {
    fn coerced(self, _: u8) -> TextureRef<T, D> {
        self.0
    }
}

macro_rules! textures {
    ($($texture:ident)*) => {$(
        impl<T: Texel, const D: usize> std::fmt::Debug for $texture<T, D> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($texture))
            }
        }

        impl<T: Texel, const D: usize> Copy for $texture<T, D> {}

        impl<T: Texel, const D: usize> Clone for $texture<T, D> {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Texel, const D: usize> HasMethods for $texture<T, D> {
            type Of = ReadOnly<Self>;

            fn keep(self) -> ReadOnly<Self> {
                ReadOnly::new(self)
            }
        }

        impl<T: Texel, const D: usize> Staged for $texture<T, D> {
            type Parts = ();

            fn leaves(out: &mut Vec<Leaf>) {
                out.extend(TEXTURE_WORDS.map(|(_, ty)| Leaf::new(0, ty)));
            }

            fn build(words: &mut Words) -> Self {
                Self::new(TEXTURE_WORDS.map(|(_, ty)| words.next(ty)), Alias::Unknown)
            }

            fn parts(_: PlaceRef) {}

            fn values(self, out: &mut Vec<Value>) {
                out.extend(self.parts.values());
            }

            fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
                let rebuilt = self.parts.values().map(|old| values.next().unwrap_or(old));
                Self::new(rebuilt, self.parts.alias)
            }

            fn either(self, other: Self) -> Self {
                if self.parts.alias == other.parts.alias {
                    return self;
                }
                Self::new(self.parts.values(), Alias::Unknown)
            }
        }
    )*};
}

textures! { TextureRef TextureMut }

written! {
    [T: Texel, const D: usize] TextureRef<T, D> => Self;
    [T: Texel, const D: usize] TextureMut<T, D> => Self;
}

#[diagnostic::do_not_recommend]
impl<T: Texel, const D: usize> PassedTo<TextureRef<T, D>> for TextureMut<T, D> {
    fn passed_to(self, _: u16) -> TextureRef<T, D> {
        self.0
    }
}

are_returned! {
    [T: Texel, const D: usize] TextureRef<T, D>;
    [T: Texel, const D: usize] TextureMut<T, D>;
}

/// Argument `arg`, a `&Texture<T, D>`.
#[must_use]
pub fn param_texture<T: Texel, const D: usize>(arg: u32) -> TextureRef<T, D> {
    TextureRef::new(words(arg, TEXTURE_WORDS), Alias::Shared(arg))
}

/// Argument `arg`, a `&mut Texture<T, D>`.
#[must_use]
pub fn param_texture_mut<T: Texel, const D: usize>(arg: u32) -> TextureMut<T, D> {
    TextureMut::new(words(arg, TEXTURE_WORDS), Alias::Exclusive(arg))
}
