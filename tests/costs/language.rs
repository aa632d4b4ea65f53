//! Constructs of the language.

use crate::measure::{LANGUAGE, constructs, expressions};
use std::cmp::Ordering;
use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, PartialOrd, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Body {
    pub(crate) x: u32,
    pub(crate) speed: u32,
    pub(crate) mass: u32,
}

#[vortex::device]
impl Body {
    fn momentum(&self) -> u32 {
        self.mass * self.speed
    }
}

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Complex {
    re: u32,
    im: u32,
}

#[vortex::device]
impl std::ops::Mul for Complex {
    type Output = Self;

    fn mul(self, z: Self) -> Self {
        Complex {
            re: self.re * z.re - self.im * z.im,
            im: self.re * z.im + self.im * z.re,
        }
    }
}

#[vortex::device]
fn twice(a: u32) -> u32 {
    a + a
}

#[vortex::device]
fn early(a: u32, n: u32) -> u32 {
    if n > 3 {
        return a / n;
    }
    a
}

#[vortex::device]
fn found(x: &[u32], v: u32, k: usize) -> Option<u32> {
    if v as usize > k { Some(x[k]) } else { None }
}

/// Too much to be done by lanes that need not.
#[vortex::device]
pub(crate) fn work(a: u32, n: u32) -> u32 {
    let mut s = a;
    #[unroll]
    for k in 0..6 {
        s = s * s + n + k;
    }
    s
}

const TABLE: [u32; 16] = [3; 16];

constructs! {
    ids in LANGUAGE, [v n k i x bodies out];
    "`lane_count()`, `warp_count()` and `core_count()`: one instruction each, outside of loops" {
        Lane: { v + lane_id() as u32 } { v } => 1;
        Warp: { v + warp_id() as u32 } { v } => 1;
        Core: { v + core_id() as u32 } { v } => 1;
        Lanes: { v + lane_count() as u32 } { v } => 1;
    }
    "a `u32` that wraps: two instructions, which are never moved or merged with others" {
        Clock: { v + clock() } { v } => 3;
    }
}

constructs! {
    values in LANGUAGE, [v n k i x bodies out];
    "on every way to where it is read, and at no cost" {
        Late: { let y; if n > 3 { y = v; } else { y = n; } y } { if n > 3 { v } else { n } } => 0;
    }
    "| `(a, b) = (b, a)` | first the value, then each place from the left. No instruction besides the assignments |" {
        Swapped: { let (mut a, mut b) = (v, n); (a, b) = (b, a); a - b } { n - v } => 0;
    }
    "as Rust's: assignments, to locals no instruction." {
        Swap: { let (mut a, mut b) = (v, n); std::mem::swap(&mut a, &mut b); a - b } { n - v } => 0;
        Replace: { let mut a = v; let b = std::mem::replace(&mut a, n); a - b } { n - v } => 0;
    }
    "called on it; it costs nothing. `let r = &place;` is the value" {
        Reference: { let mut a = v; let r = &mut a; *r += n; a } { v + n } => 0;
    }
    "(one instruction to `i32` of what is no NaN, such as `x.max(0.0)`, else five)" {
        NotNan: { f32::from_bits(v).max(0.0) as i32 as u32 } { f32::from_bits(v).max(0.0).to_bits() } => 0;
        MayBeNan: { f32::from_bits(v) as i32 as u32 } { f32::from_bits(v).to_bits() } => 5;
    }
    "`eq_ignore_ascii_case`: two to ten instructions; `then_some`" {
        Digit: { (v as u8).is_ascii_digit() as u32 } { v as u8 as u32 } => 2;
        Letter: { (v as u8).is_ascii_alphabetic() as u32 } { v as u8 as u32 } => 3;
        Lower: { (v as u8).to_ascii_lowercase() as u32 } { v as u8 as u32 } => 5;
        Folded: { (v as u8).eq_ignore_ascii_case(&b'q') as u32 } { (v as u8 == b'q') as u32 } => 5;
        BothFolded: { (v as u8).eq_ignore_ascii_case(&(i as u8)) as u32 } { (v as u8 == i as u8) as u32 } => 10;
    }
}

constructs! {
    orders in LANGUAGE, [v n k i x bodies out];
    "It costs three instructions, or the one or two of a comparison where it is only asked for `is_lt` and its kin," {
        Order: { v.cmp(&n) as i32 as u32 } { v } => 3;
        Signed: { (v as i32).cmp(&(n as i32)) as i32 as u32 } { v } => 3;
        Reversed: { v.cmp(&n).reverse() as i32 as u32 } { v } => 3;
        IsLess: { v.cmp(&n).is_lt() as u32 } { v } => 1;
        IsEqual: { v.cmp(&n).is_eq() as u32 } { v } => 2;
        IsNotLess: { v.cmp(&n).is_ge() as u32 } { v } => 2;
        ReversedIsLess: { v.cmp(&n).reverse().is_lt() as u32 } { v } => 1;
        Same: { (v.cmp(&n) == Ordering::Less) as u32 } { v } => 1;
    }
    "compared, or matched as by an `if` and an `else if`." {
        Matched: {
            match v.cmp(&n) { Ordering::Less => 3, Ordering::Equal => 5, Ordering::Greater => 9 }
        } {
            if v < n { 3 } else if v == n { 5 } else { 9 }
        } => 0;
    }
    "`then`, and `cmp` of pairs, cost eleven, or as much as `<` of pairs where only that is asked;" {
        Then: { v.cmp(&n).then(k.cmp(&i)) as i32 as u32 } { v } => 11;
        ThenWith: { v.cmp(&n).then_with(|| k.cmp(&i)) as i32 as u32 } { v } => 11;
        Pair: { (v, k).cmp(&(n, i)) as i32 as u32 } { v } => 11;
        ThenIsLess: { v.cmp(&n).then(k.cmp(&i)).is_lt() as u32 } { ((v, k) < (n, i)) as u32 } => 0;
        ThenWithIsLess: { v.cmp(&n).then_with(|| k.cmp(&i)).is_lt() as u32 } { ((v, k) < (n, i)) as u32 } => 0;
        PairIsLess: { (v, k).cmp(&(n, i)).is_lt() as u32 } { ((v, k) < (n, i)) as u32 } => 0;
        PairIsEqual: { (v, k).cmp(&(n, i)).is_eq() as u32 } { ((v, k) == (n, i)) as u32 } => 0;
    }
    "(four in some sixty instructions)" {
        SortBy: { let mut a = [v, n, 7, 4]; a.sort_by(|a, b| b.cmp(a)); a[0] } { v } => 59;
        Sort: { let mut a = [v, n, 7, 4]; a.sort(); a[0] } { v } => 65;
        SortThen: {
            let mut a = [v, n, 7, 4];
            a.sort_by(|a, b| (a % 8).cmp(&(b % 8)).then(a.cmp(b)));
            a[0]
        } { v } => 87;
    }
}

expressions! {
    orders_of_floats in LANGUAGE, (x: f32, y: f32) -> u32, base (x < y) as u32 => 1;
    "`partial_cmp` of floats seven, with the choice between `Some` and `None`, and `total_cmp` eleven" {
        Partial: x.partial_cmp(&y).unwrap_or(Ordering::Equal) as i32 as u32 => 7;
        Total: x.total_cmp(&y) as i32 as u32 => 11;
    }
}

constructs! {
    parts in LANGUAGE, [v n k i x bodies out];
    "A check that is left costs a comparison and a branch, and where the index is not the same in all lanes a split and a join" {
        Checked: { x[v as usize] } { v } => 7;
    }
    "It costs two comparisons, a subtraction, an addition and a branch, ten instructions in all, or none where it is known to be inside" {
        Part: { let y = &x[v as usize..v as usize + 4]; v + y.len() as u32 } { v } => 11;
    }
    "| `p.x`, `p.a.b`, `t.0` | a part of a value. No instruction: a struct in registers is its fields |" {
        Field: { let b = Body { x: v, speed: n, mass: v }; b.x + b.speed } { v + n } => 0;
    }
    "| `xs[i].x` | one check of `i`, one load: not of the whole struct |" {
        Element: { bodies[i].x } { 1 } => 1;
        AtAnyPlace: { bodies[v as usize].x } { x[v as usize] } => 1;
    }
    "| `xs[i]` | one check, one load per field that is used |" {
        Struct: { let b = bodies[i]; b.x + b.mass } { 1 } => 3;
    }
    "| `p.x = v`, `t.0 = v` | for a `let mut` local. No instruction |" {
        Assigned: { let mut b = Body { x: v, speed: n, mass: v }; b.x = n; b.x + b.speed } { n + n } => 0;
    }
    "one comparison for each word, and two more operations for each but the last with `<`" {
        Equal: { (bodies[i] == Body { x: v, speed: n, mass: v }) as u32 } { let b = bodies[i]; b.x ^ b.speed ^ b.mass ^ v ^ n } => 2;
        Less: { (bodies[i] < Body { x: v, speed: n, mass: v }) as u32 } { let b = bodies[i]; b.x ^ b.speed ^ b.mass ^ v ^ n } => 5;
    }
}

constructs! {
    vectors in LANGUAGE, [v n k i x bodies out];
    "| `v + w`, `- * /`, `-v` | component by component: an instruction each |" {
        Sum: { let s = vec3(v, n, i as u32) + vec3(n, i as u32, 5u32); s.x ^ s.y ^ s.z } { v ^ n ^ i as u32 } => 3;
    }
    "| `v.xy()`, `v.zyx()`, `v.xxxx()` | a vector of any two to four of its components. No instruction |" {
        Swizzle: { let s = vec3(v, n, 1u32).zyx(); s.x ^ s.y ^ s.z } { 1 ^ n ^ v } => 0;
    }
    "| `v.dot(w)`, `v.cross(w)` | products are added from the left: five instructions for three components, and nine |" {
        Dot: { vec3(v, n, i as u32).dot(vec3(v ^ 5, v, n)) } { v ^ n ^ i as u32 ^ (v ^ 5) } => 2;
        Cross: {
            let c = vec3(v, n, i as u32).cross(vec3(v ^ 5, v ^ 9, v ^ 12));
            c.x ^ c.y ^ c.z
        } { v ^ n ^ i as u32 ^ (v ^ 5) ^ (v ^ 9) ^ (v ^ 12) } => 6;
    }
}

constructs! {
    operators in LANGUAGE, [v n k i x bodies out];
    "An operator costs what its function does; nothing for the call. `a += b` is `a = a + b`" {
        Operator: { let z = Complex { re: v, im: n } * Complex { re: n, im: i as u32 }; z.re ^ z.im }
            { (v * n - n * i as u32) ^ (v * i as u32 + n * n) } => 0;
        Assigning: { let mut z = Complex { re: v, im: n }; z *= Complex { re: n, im: i as u32 }; z.re ^ z.im }
            { (v * n - n * i as u32) ^ (v * i as u32 + n * n) } => 0;
    }
}

constructs! {
    arrays in LANGUAGE, [v n k i x bodies out];
    "| `a[3]` | a part of a value: no instruction." {
        Known: { let a = [v, n, v + n]; a[2] } { v + n } => 0;
    }
    "| `a[i]` | checked, as for slices; a load or a store of private memory |" {
        Any: { let mut a = [0u32; 8]; a[k] = v; a[k] } { v } => 9;
    }
    "Storing all elements of `[x; N]` takes N stores, or a loop from 64 on." {
        Stores: { let mut a = [0u32; 24]; a[k] = v; a[k] } { let mut a = [0u32; 8]; a[k] = v; a[k] } => 16;
    }
    "| `TABLE[i]`, `[1, 2, 3][i]` | of constants: checked; a load from a table that is part of the image" {
        Constant: { TABLE[v as usize] } { x[v as usize] } => 0;
    }
}

constructs! {
    functions in LANGUAGE, [v n k i x bodies out];
    "a call costs nothing, and each call adds the function's code" {
        Call: { twice(v) } { v + v } => 0;
        Closure: { let f = |a: u32| a * n; f(v) } { v * n } => 0;
        Method: { bodies[i].momentum() } { bodies[i].mass * bodies[i].speed } => 0;
    }
    "An early `return` costs what\nthe same `if` / `else` would." {
        Return: { early(v, n) } { if n > 3 { v / n } else { v } } => 0;
        Divergent: { early(n, v) } { if v > 3 { n / v } else { n } } => 0;
    }
}

constructs! {
    control in LANGUAGE, [v n k i x bodies out];
    "A condition that all lanes of a warp agree on costs a branch and at most a jump; a divergent `if` costs\na split and a join besides, and the time of both arms." {
        Uniform: { if n > 3 { work(v, v) } else { v } } { work(v, v) } => 2;
        Parted: { if v < n { work(v, v) } else { v } } { work(v, v) } => 4;
    }
    "An iteration costs an addition, and a comparison with its branch, which is one instruction; with a step, two more. Entering the loop costs five or six." {
        For: { let mut s = v; for a in 0..n { s = work(work(s ^ a, s), v); } s } { let mut s = v; #[unroll] for a in 0..10 { s = work(work(s ^ a, s), v); } s } => 23;
        Step: { let mut s = v; for a in (0..n).step_by(k) { s = work(work(s ^ a, s), v); } s }
            { let mut s = v; #[unroll] for a in 0..4 { s = work(work(s ^ a, s), v); } s } => 21;
    }
    "what you would write by hand" {
        Sum: { x[0..8].iter().sum::<u32>() + v } { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { s += y[a]; } s + v } => 0;
        Map: { x[0..8].iter().map(|a| a * v).sum::<u32>() } { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { s += y[a] * v; } s } => 0;
    }
    "no counting, no tests, more\ncode" {
        Unrolled: { let mut s = v; #[unroll] for a in 0..3 { s = s * n + a; } s } { ((v * n) * n + 1) * n + 2 } => 0;
    }
    "Arms are tried in their order, each at the cost of a comparison and a branch; the last one costs nothing." {
        Match: { match n { 1 => work(v, 1), 2 => work(v, 2), _ => work(v, 3) } } { work(v, 3) } => 5;
    }
    "An option costs a register besides its value; a test of it is a branch, as any other." {
        Option: { match found(x, n, k) { Some(y) => y ^ v, None => v } } { if n as usize > k { x[k] ^ v } else { v } } => 0;
        Get: { match x.get(v as usize) { Some(y) => y ^ v, None => v } } { if (v as usize) < x.len() { x[v as usize] ^ v } else { v } } => 0;
    }
    "A pattern of a slice asks for its length, and has a load without a check for each element that it names or tests;" {
        Length: { match &x[0..k + 5] { [_, _, ..] => v, _ => n } } { let y = &x[0..k + 5]; if y.len() >= 2 { v } else { n } } => 0;
        Ends: { match &x[0..k + 5] { [first, .., last] => first ^ last ^ v, _ => v } }
            { let y = &x[0..k + 5]; if y.len() >= 2 { y[0] ^ y[y.len() - 1] ^ v } else { v } } => 0;
        Loads: { match &x[0..k + 5] { [first, .., last] => first ^ last ^ v, _ => v } }
            { let y = &x[0..k + 5]; if y.len() >= 2 { v } else { v ^ 1 } } => 7;
        Rest: { match &x[0..k + 5] { [first, rest @ ..] => work(*first, v) ^ rest.len() as u32, [] => v } }
            { let y = &x[0..k + 5]; if y.len() > 0 { work(y[0], v) ^ (y.len() - 1) as u32 } else { v } } => 1;
        Tested: { match &x[0..k + 5] { [3, .., 5] => work(v, 1), _ => v } }
            { let y = &x[0..k + 5]; if y.len() >= 2 && y[0] == 3 && y[y.len() - 1] == 5 { work(v, 1) } else { v } } => 3;
    }
}
