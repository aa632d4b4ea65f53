//! Sampling of textures: from coordinates to texels, and from texels to a value.
//!
//! What is computed is in docs/textures.md, step by step. The settings are flags that all work items share, so a
//! choice between them is a branch that no warp splits at.

use std::ops::BitAnd as _;

use super::{Int as _, Real, int};

/// A texture and how it is sampled, besides its texels.
#[derive(Clone, Copy, Debug)]
pub struct Settings<R: Real> {
    /// Values between texels are blended; else the nearest texel counts.
    pub linear: R::Flag,
    /// Coordinates go from 0 to 1 along an axis; else they count texels.
    pub normalised: R::Flag,
    /// Beyond the edge the texture begins anew.
    pub repeat: R::Flag,
    /// Beyond the edge the texture goes on, mirrored.
    pub mirror: R::Flag,
    /// Beyond the edge there is a colour. If none of the three is set, there is the texel at the edge.
    pub border: R::Flag,
}

/// Choices that only one side is computed of.
pub trait Choose: Real {
    /// A number.
    fn number(flag: Self::Flag, a: impl FnOnce() -> Self, b: impl FnOnce() -> Self) -> Self;
    /// A texel's number along an axis.
    fn place(
        flag: Self::Flag,
        a: impl FnOnce() -> Self::Int,
        b: impl FnOnce() -> Self::Int,
    ) -> Self::Int;
    /// Two neighbours along an axis.
    fn pair(
        flag: Self::Flag,
        a: impl FnOnce() -> Pair<Self>,
        b: impl FnOnce() -> Pair<Self>,
    ) -> Pair<Self>;
}

/// Two neighbouring texels along an axis, by number, and how far the sample is from the first to the second.
pub type Pair<R> = (<R as Real>::Int, <R as Real>::Int, R);

/// The texels of a texture.
pub trait Texels<R: Real> {
    /// The channels of a texel, as numbers.
    type Texel: Copy;

    /// The texel of this number, row by row.
    fn fetch(&self, number: R::Int) -> Self::Texel;
    /// What is beyond the edge.
    fn border(&self) -> Self::Texel;
    /// `a + (b - a) * weight`.
    fn blend(&self, a: Self::Texel, b: Self::Texel, weight: R) -> Self::Texel;
    /// One of two, of which the other is not computed.
    fn either(
        &self,
        flag: R::Flag,
        a: impl FnOnce() -> Self::Texel,
        b: impl FnOnce() -> Self::Texel,
    ) -> Self::Texel;
}

/// What is the same for all samples along an axis.
#[derive(Clone, Copy)]
struct Axis<R: Real> {
    /// How many texels there are.
    count: R::Int,
    /// The same as a number.
    texels: R,
    /// The number of the last one.
    last: R,
    /// How far the coordinate goes from one edge to the other, and the inverse of that.
    period: R,
    inverse: R,
    /// Texels per unit of the coordinate.
    scale: R,
    /// How far apart two neighbours are in memory.
    stride: R::Int,
}

/// The value at `coordinates` of a texture of so many texels along each axis.
pub fn sample<R: Choose, T: Texels<R>, const D: usize>(
    settings: Settings<R>,
    counts: [R::Int; D],
    coordinates: [R; D],
    texels: &T,
) -> T::Texel {
    let mut stride = int::<R>(1);
    let axes = counts.map(|count| {
        let axis = Axis::new(settings, count, stride);
        stride = stride * count;
        axis
    });
    let mut at = coordinates.into_iter();
    let along = axes.map(|axis| {
        let coordinate = at.next().unwrap_or_else(|| R::of(0.0));
        (axis, wrapped(settings, axis, coordinate) * axis.scale)
    });
    texels.either(
        settings.linear,
        || {
            texels.either(
                settings.border,
                || blended(&along.map(|(axis, u)| with_border(axis, u)), texels),
                || blended(&along.map(|(axis, u)| inside(settings, axis, u)), texels),
            )
        },
        || {
            texels.either(
                settings.border,
                || {
                    let within = along.map(|(axis, u)| !u.less(R::of(0.0)) & u.less(axis.texels));
                    let within = within.into_iter().reduce(|all, one| all.bitand(one));
                    let number = |u: R| u.most(R::of(0.0)).to_int();
                    let fetch = || nearest(along.map(|(axis, u)| (axis, number(u))), texels);
                    match within {
                        Some(within) => texels.either(within, fetch, || texels.border()),
                        None => fetch(),
                    }
                },
                || {
                    let place = |(axis, u)| (axis, place(settings, axis, u));
                    nearest(along.map(place), texels)
                },
            )
        },
    )
}

impl<R: Real> Axis<R> {
    fn new(settings: Settings<R>, count: R::Int, stride: R::Int) -> Self {
        let (one, texels) = (R::of(1.0), R::from_int(count));
        let normalised = settings.normalised;
        Self {
            count,
            texels,
            last: texels - one,
            period: R::select(normalised, one, texels),
            inverse: R::select(normalised, one, one / texels),
            scale: R::select(normalised, texels, one),
            stride,
        }
    }
}

/// A coordinate brought into the texture, if it repeats.
fn wrapped<R: Choose>(settings: Settings<R>, axis: Axis<R>, coordinate: R) -> R {
    let (half, one) = (R::of(0.5), R::of(1.0));
    let Axis {
        period, inverse, ..
    } = axis;
    R::number(
        settings.repeat | settings.mirror,
        || {
            R::number(
                settings.mirror,
                || {
                    // The distance from the nearest even multiple of the period.
                    let turns = R::from_int(down((coordinate * inverse).fma(half, half)));
                    (turns * (-one - one)).fma(period, coordinate).magnitude()
                },
                || {
                    let turns = R::from_int(down(coordinate * inverse));
                    (-turns).fma(period, coordinate)
                },
            )
        },
        || coordinate,
    )
}

/// The integer below, for `|x| < 2^31`.
fn down<R: Real>(x: R) -> R::Int {
    let towards_zero = x.to_int();
    let above = x.less(R::from_int(towards_zero));
    towards_zero - R::Int::select(above, int::<R>(1), int::<R>(0))
}

/// `u` between two bounds; of NaN, the lower one.
fn between<R: Real>(u: R, low: R, high: R) -> R {
    u.most(low).least(high)
}

/// The texel that `u` is in, which is one of the texture's.
fn place<R: Choose>(settings: Settings<R>, axis: Axis<R>, u: R) -> R::Int {
    R::place(
        settings.repeat,
        || {
            // Rounding may have left the texture by a little, on either side.
            begun_anew(axis, down(between(u, R::of(-1.0), axis.texels)))
        },
        || between(u, R::of(0.0), axis.last).to_int(),
    )
}

/// A texel's number, of a texture that repeats, from one before the first to one after the last.
fn begun_anew<R: Real>(axis: Axis<R>, place: R::Int) -> R::Int {
    let raised = R::Int::select(place.less(int::<R>(0)), place + axis.count, place);
    R::Int::select(raised.less(axis.count), raised, raised - axis.count)
}

/// The neighbours of `u`, which are texels of the texture.
fn inside<R: Choose>(settings: Settings<R>, axis: Axis<R>, u: R) -> Ends<R> {
    let (half, one) = (R::of(0.5), int::<R>(1));
    let (low, high, weight) = R::pair(
        settings.repeat,
        || {
            let (low, weight) = split(between(u - half, -half, axis.texels - half));
            let high = low + one;
            let low = R::Int::select(low.less(int::<R>(0)), low + axis.count, low);
            let high = R::Int::select(high.less(axis.count), high, high - axis.count);
            (low, high, weight)
        },
        || {
            let v = between(u - half, R::of(0.0), axis.last);
            let low = v.to_int();
            let high = low + one;
            let high = R::Int::select(high.less(axis.count), high, low);
            (low, high, v - R::from_int(low))
        },
    );
    Ends {
        places: [low * axis.stride, high * axis.stride],
        within: None,
        weight,
    }
}

/// The neighbours of `u`, which may lie beyond the edge.
fn with_border<R: Choose>(axis: Axis<R>, u: R) -> Ends<R> {
    let (low, weight) = split(between(u - R::of(0.5), R::of(-1.0), axis.texels));
    let places = [low, low + int::<R>(1)];
    Ends {
        places: places.map(|place| place * axis.stride),
        within: Some(places.map(|place| !place.less(int::<R>(0)) & place.less(axis.count))),
        weight,
    }
}

/// A number from -1 up in integer and rest.
fn split<R: Real>(v: R) -> (R::Int, R) {
    let low = (v + R::of(1.0)).to_int() - int::<R>(1);
    (low, v - R::from_int(low))
}

/// Two neighbours along an axis.
struct Ends<R: Real> {
    /// Where they are, relative to the first texel.
    places: [R::Int; 2],
    /// Whether they are texels at all, if that is a question.
    within: Option<[R::Flag; 2]>,
    weight: R,
}

fn nearest<R: Real, T: Texels<R>, const D: usize>(
    places: [(Axis<R>, R::Int); D],
    texels: &T,
) -> T::Texel {
    let places = places.into_iter();
    let offset = places.map(|(axis, place)| place * axis.stride);
    texels.fetch(offset.fold(int::<R>(0), |sum, offset| sum + offset))
}

fn blended<R: Choose, T: Texels<R>, const D: usize>(ends: &[Ends<R>; D], texels: &T) -> T::Texel {
    corner(ends, int::<R>(0), None, texels)
}

/// Blends along the axes that are left, x first.
fn corner<R: Choose, T: Texels<R>>(
    ends: &[Ends<R>],
    offset: R::Int,
    within: Option<R::Flag>,
    texels: &T,
) -> T::Texel {
    let Some((axis, rest)) = ends.split_last() else {
        return match within {
            Some(within) => texels.either(within, || texels.fetch(offset), || texels.border()),
            None => texels.fetch(offset),
        };
    };
    let [a, b] = [0, 1].map(|end| {
        let within = match (within, axis.within) {
            (Some(all), Some(ends)) => Some(all & ends[end]),
            (all, ends) => all.or(ends.map(|ends| ends[end])),
        };
        corner(rest, offset + axis.places[end], within, texels)
    });
    texels.blend(a, b, axis.weight)
}

impl Choose for f32 {
    fn number(flag: bool, a: impl FnOnce() -> Self, b: impl FnOnce() -> Self) -> Self {
        if flag { a() } else { b() }
    }

    fn place(
        flag: bool,
        a: impl FnOnce() -> Self::Int,
        b: impl FnOnce() -> Self::Int,
    ) -> Self::Int {
        if flag { a() } else { b() }
    }

    fn pair(
        flag: bool,
        a: impl FnOnce() -> Pair<Self>,
        b: impl FnOnce() -> Pair<Self>,
    ) -> Pair<Self> {
        if flag { a() } else { b() }
    }
}
