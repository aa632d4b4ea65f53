//! `PartialEq`, `PartialOrd` and `Ord` that are written by hand: kernels compare part by part, and say so where that is
//! something else.

use std::cmp::Ordering;

use vortex::prelude::*;

/// Kernels that ask this of two values. They are compiled when they are launched, for the `first` of a launch: the
/// tests that come with kernels would fail for those that cannot be compiled.
macro_rules! compared {
    ($($name:ident($a:ident, $b:ident: $ty:ty) $asked:block;)*) => {$(
        #[vortex::kernel]
        fn $name(#[comptime] first: usize, values: &[$ty], truth: &mut [u32]) {
            let ($a, $b) = (values[first], values[1]);
            truth[0] = $asked as u32;
        }
    )*};
}

/// What a launch says, or what the kernel has asked.
macro_rules! asked {
    ($name:ident, $a:expr, $b:expr) => {{
        let device = Device::open().unwrap();
        let values = device.upload(&[$a, $b]).unwrap();
        let mut truth = device.upload(&[7u32]).unwrap();
        let launched = self::$name(0, &values, &mut truth).over(1).launch(&device);
        launched
            .map(|_| truth.download().unwrap()[0])
            .map_err(|error| error.to_string())
    }};
}

/// Equal by its value.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Fraction {
    n: i32,
    d: u32,
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        i64::from(self.n) * i64::from(other.d) == i64::from(other.n) * i64::from(self.d)
    }
}

/// Equal by its key alone, and the other way around.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct State {
    name: u16,
    cost: u16,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.cost == other.cost
    }
}

impl Eq for State {}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for State {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.cmp(&self.cost)
    }
}

/// Equal up to rounding.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Rounded(f32);

impl PartialEq for Rounded {
    fn eq(&self, other: &Self) -> bool {
        (self.0 - other.0).abs() < 1e-3
    }
}

/// In no order of declaration.
#[derive(Clone, Copy, PartialEq, Eq, DeviceType)]
#[repr(u32)]
enum Level {
    High,
    Low,
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (*other as u32).partial_cmp(&(*self as u32))
    }
}

/// Panics for some.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ratio(u32, u32);

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.0 / self.1 == other.0 / other.1
    }
}

/// Derived over what is not.
#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Outer {
    flag: bool,
    inner: Rounded,
}

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Pair<T: Copy> {
    first: T,
    second: T,
}

/// Written by hand as it would be derived.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Same {
    at: i16,
    weight: f32,
}

impl PartialEq for Same {
    fn eq(&self, other: &Self) -> bool {
        let Self { at, weight } = *other;
        self.weight == weight && self.at == at
    }
}

/// Derived, of parts of each kind.
#[derive(Clone, Copy, PartialEq, PartialOrd, DeviceType)]
#[repr(C)]
struct Parts {
    wide: i64,
    half: f16,
    brain: bf16,
    small: i8,
    flag: bool,
    narrow: u16,
    floats: [f32; 3],
    long: [u32; 200],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeviceType)]
#[repr(i8)]
enum Derived {
    Below = -3,
    Above = 100,
}

compared! {
    fractions(a, b: Fraction) { a == b };
    unlike_fractions(a, b: Fraction) { a != b };
    states(a, b: State) { a == b };
    states_in_order(a, b: State) { a < b };
    states_by_cmp(a, b: State) { a.cmp(&b).is_lt() };
    greatest_of_states(a, b: State) { a.max(b).cost };
    rounded(a, b: Rounded) { a == b };
    levels(a, b: Level) { a <= b };
    like_levels(a, b: Level) { a == b };
    ratios(a, b: Ratio) { a == b };
    outer(a, b: Outer) { a == b };
    pairs(a, b: Pair<Rounded>) { a == b };
    arrays(a, b: [Rounded; 2]) { a == b };
    options(a, b: Rounded) { Some(a) == Some(b) };
    tuples(a, b: Rounded) { (1u32, a) == (1u32, b) };
    same(a, b: Same) { a == b };
    parts(a, b: Parts) { a == b || a < b };
    derived(a, b: Derived) { a < b && a.cmp(&b).is_lt() };
    pairs_of_derived(a, b: Pair<Derived>) { a == b };
}

#[test]
fn what_is_written_by_hand_and_differs_is_told() {
    let halves = [Fraction { n: 1, d: 2 }, Fraction { n: 2, d: 4 }];
    let states = [State { name: 1, cost: 2 }, State { name: 2, cost: 2 }];
    let near = [Rounded(1.0), Rounded(1.0005)];
    let levels = [Level::High, Level::Low];
    let outer = near.map(|inner| Outer { flag: true, inner });
    let pairs = near.map(|first| Pair {
        first,
        second: first,
    });
    let told = [
        (
            "Fraction",
            "PartialEq",
            asked!(fractions, halves[0], halves[1]),
        ),
        (
            "Fraction",
            "PartialEq",
            asked!(unlike_fractions, halves[0], halves[1]),
        ),
        ("State", "PartialEq", asked!(states, states[0], states[1])),
        (
            "State",
            "PartialOrd",
            asked!(states_in_order, states[0], states[1]),
        ),
        (
            "State",
            "PartialOrd",
            asked!(states_by_cmp, states[0], states[1]),
        ),
        (
            "State",
            "PartialOrd",
            asked!(greatest_of_states, states[0], states[1]),
        ),
        ("Rounded", "PartialEq", asked!(rounded, near[0], near[1])),
        ("Level", "PartialOrd", asked!(levels, levels[0], levels[1])),
        (
            "Ratio",
            "PartialEq",
            asked!(ratios, Ratio(1, 1), Ratio(1, 1)),
        ),
        ("Outer", "PartialEq", asked!(outer, outer[0], outer[1])),
        ("Rounded", "PartialEq", asked!(pairs, pairs[0], pairs[1])),
        ("Rounded", "PartialEq", asked!(arrays, near, near)),
        ("Rounded", "PartialEq", asked!(options, near[0], near[1])),
        ("Rounded", "PartialEq", asked!(tuples, near[0], near[1])),
    ];
    for (ty, of, said) in told {
        let said = said.unwrap_err();
        let expected = format!(
            "kernels compare values of type `{ty}` part by part, as a derived `{of}` does, and this one is written by \
             hand and says otherwise"
        );
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn what_is_derived_or_as_if_it_were_is_compared() {
    let levels = [Level::High, Level::Low];
    assert_eq!(asked!(like_levels, levels[0], levels[1]), Ok(0));
    let same = Same { at: 3, weight: 1.5 };
    assert_eq!(asked!(same, same, same), Ok(1));
    let parts = Parts {
        wide: -5,
        half: f16::from_f32(0.5),
        brain: bf16::from_f32(2.0),
        small: -1,
        flag: true,
        narrow: 9,
        floats: [0.25; 3],
        long: [3; 200],
    };
    let greater = Parts {
        narrow: 10,
        ..parts
    };
    assert_eq!(asked!(parts, parts, greater), Ok(1));
    assert_eq!(asked!(parts, greater, parts), Ok(0));
    assert_eq!(asked!(derived, Derived::Below, Derived::Above), Ok(1));
    let pair = Pair {
        first: Derived::Below,
        second: Derived::Above,
    };
    assert_eq!(asked!(pairs_of_derived, pair, pair), Ok(1));
}
