//! Structs and enums: in registers, in buffers, in each other.

use vortex::DeviceType;
use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Vector {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Particle {
    position: Vector,
    velocity: Vector,
    mass: f32,
    kind: Kind,
    alive: bool,
    charge: i8,
    // Fills the gap.
    tag: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(u8)]
enum Kind {
    Free = 3,
    Fixed = 7,
    Ghost = 200,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Pair(u32, i16, i16);

const ORIGIN: Vector = Vector { x: 0.5, y: -0.25 };

fn particles(count: usize) -> Vec<Particle> {
    (0..count)
        .map(|i| Particle {
            position: Vector {
                x: i as f32,
                y: 0.5 * i as f32,
            },
            velocity: Vector {
                x: 1.0,
                y: -(i as f32),
            },
            mass: 1.0 + i as f32,
            kind: [Kind::Free, Kind::Fixed, Kind::Ghost][i % 3],
            alive: i % 4 != 0,
            charge: i as i8 - 5,
            tag: i as u8,
        })
        .collect()
}

/// Functions, once for kernels and once for the host.
macro_rules! functions {
    ($($module:ident: $attribute:meta;)*) => {$(
        mod $module {
            use super::{Kind, Particle, Vector};

            #[$attribute]
            pub(super) fn turned(v: Vector, kind: Kind) -> Vector {
                match kind {
                    Kind::Fixed => v,
                    _ => Vector { x: -v.y, y: v.x },
                }
            }

            #[$attribute]
            pub(super) fn push(p: &mut Particle, by: Vector) {
                p.velocity.x += by.x / p.mass;
                p.velocity.y -= by.y;
                if p.alive {
                    *p = Particle { tag: 9, ..*p };
                }
            }

            #[$attribute]
            pub(super) fn nudge(x: &mut f32) {
                *x += 0.5;
            }

            #[$attribute]
            pub(super) fn settled(p: Particle, v: &Vector) -> Particle {
                let Vector { x, y } = *v;
                if x > v.y {
                    return Particle { velocity: *v, ..p };
                }
                Particle { position: Vector { x: y, y: x }, ..p }
            }

            #[$attribute]
            pub(super) fn sum(ps: &[Particle], of: impl Fn(Particle) -> f32) -> f32 {
                let mut sum = 0.0;
                for i in 0..4 {
                    sum += of(ps[i]);
                }
                sum
            }
        }
    )*};
}

functions! {
    on_the_device: vortex::device;
    on_the_host: inline;
}

/// Runs one body as a kernel over particles, and on the host.
macro_rules! on_particles {
    ($($name:ident($old:ident, $ps:ident, $i:ident) $body:block)*) => {$(
        #[test]
        fn $name() {
            #[allow(unused_imports)]
            use on_the_device::*;

            #[vortex::kernel]
            fn kernel($old: &[Particle], $ps: &mut [Particle]) {
                let $i = global_id();
                if $i < $ps.len() {
                    $body
                }
            }

            #[allow(clippy::all, unused_assignments)]
            fn host($old: &[Particle], $ps: &mut [Particle]) {
                let count = $ps.len();
                #[allow(unused_imports)]
                use on_the_host::*;

                let mut item = |$i: usize| $body;
                for i in 0..count {
                    item(i);
                }
            }

            let old = particles(77);
            let mut expected = old.clone();
            expected.reverse();
            for device in DEVICES.iter() {
                let from = device.upload(&old).unwrap();
                let mut to = device.upload(&expected).unwrap();
                kernel(&from, &mut to).over(100).launch(device).unwrap();
                let mut expected = expected.clone();
                host(&old, &mut expected);
                assert_eq!(to.download().unwrap(), expected);
            }
        }
    )*};
}

on_particles! {
    whole_elements(old, ps, i) {
        let p = old[i];
        ps[i] = p;
    }
    fields_of_elements(old, ps, i) {
        ps[i].mass = old[i].mass * 2.0;
        ps[i].position.x += old[i].velocity.x * 0.5;
        ps[i].position.y -= old[i].velocity.y.abs();
        ps[i].velocity = old[i].position;
        ps[i].alive = !old[i].alive;
        ps[i].charge = old[i].charge - 1;
        ps[i].tag = old[i].tag.max(9);
    }
    locals(old, ps, i) {
        let mut p = old[i];
        p.position.x = p.position.y + p.velocity.x;
        p.velocity = Vector { y: p.mass, x: -1.5 };
        if p.alive {
            p.mass += 3.0;
            p.kind = Kind::Free;
        } else {
            p = ps[i];
        }
        let q = p;
        p.mass = 0.0;
        ps[i] = q;
        ps[i].position.y = p.mass;
    }
    literals(old, ps, i) {
        let tag = old[i].tag;
        let position = Vector { x: old[i].mass, ..ORIGIN };
        ps[i] = Particle { position, mass: 2.0, kind: Kind::Ghost, tag, ..old[i] };
    }
    values_of_an_if(old, ps, i) {
        let p = if old[i].charge > 3 { old[i] } else { Particle { mass: -1.0, velocity: ORIGIN, ..ps[i] } };
        ps[i] = p;
    }
    enums(old, ps, i) {
        let kind = old[i].kind;
        if kind == Kind::Fixed {
            ps[i].kind = Kind::Free;
        } else {
            if old[i].kind != Kind::Free {
                ps[i].tag = kind as u8;
                ps[i].mass = (Kind::Fixed as i32) as f32;
            }
        }
    }
    loops(old, ps, i) {
        let mut sum = Vector { x: 0.0, y: 0.0 };
        for k in 0..5 {
            if old[k].alive {
                sum.x += old[k].position.x;
            }
            sum = Vector { x: sum.x, y: sum.y + old[k].mass };
        }
        ps[i].velocity = sum;
    }
    patterns(old, ps, i) {
        let Vector { x, y: mut height } = old[i].velocity;
        height += x;
        ps[i].velocity.y = height;
        let Particle { position: Vector { x: left, .. }, tag: label, .. } = old[i];
        ps[i].mass = match old[i] {
            Particle { kind: Kind::Ghost, .. } => -left,
            Particle { alive: true, charge: 0..=30, mass, .. } => mass,
            Particle { position: Vector { x, y }, charge: c @ (-5 | -3), .. } if x + y >= 1.5 => x + y + c as f32,
            Particle { tag, kind: Kind::Free | Kind::Fixed, .. } if tag > 40 => tag as f32,
            Particle { mass: m, .. } => m * left,
        };
        ps[i].tag = match old[i].kind {
            Kind::Free => 1,
            Kind::Fixed if label % 2 == 0 => 2,
            Kind::Fixed => label,
            Kind::Ghost => 3,
        };
        if let Particle { alive: true, kind: kind @ (Kind::Ghost | Kind::Free), .. } = old[i] {
            ps[i].kind = kind;
        }
        let (Kind::Free, Vector { y: 0.0..=20.0, x }) = (old[i].kind, old[i].position) else {
            ps[i].charge = 0;
            return;
        };
        ps[i].charge = x as i8;
    }
    device_functions(old, ps, i) {
        let mut p = old[i];
        push(&mut p, ps[i].velocity);
        let mut v = p.velocity;
        v = turned(v, p.kind);
        nudge(&mut v.x);
        nudge(&mut p.velocity.y);
        ps[i] = settled(p, &v);
        nudge(&mut ps[i].position.x);
        push(&mut ps[i], v);
        ps[i].mass += sum(old, |p| p.position.x);
    }
    tuples(old, ps, i) {
        let mut t = (old[i].mass, (old[i].tag, old[i].velocity));
        t.0 += 1.0;
        t.1.0 = 7;
        t.1.1.y = t.0;
        ps[i].mass = t.0;
        ps[i].tag = t.1.0;
        ps[i].velocity = t.1.1;
    }
}

#[vortex::kernel]
fn swap(pairs: &mut [Pair], more: *mut Pair) {
    let i = global_id();
    let p = pairs[i];
    pairs[i] = Pair(p.0 + 1, p.2, p.1);
    // SAFETY: as many as `pairs`.
    unsafe {
        let q = *more.add(i);
        (*more.add(i)).1 = q.1 + q.2;
        (*more.add(i)).2 *= 2;
    }
}

#[test]
fn tuple_structs_and_pointers() {
    for device in DEVICES.iter() {
        let data: Vec<Pair> = (0..9).map(|i| Pair(i, 2 - i as i16, 5)).collect();
        let mut pairs = device.upload(&data).unwrap();
        let mut more = device.upload(&data).unwrap();
        swap(&mut pairs, more.as_mut_ptr())
            .over(9)
            .launch(device)
            .unwrap();
        let expected: Vec<_> = data.iter().map(|p| Pair(p.0 + 1, p.2, p.1)).collect();
        assert_eq!(pairs.download().unwrap(), expected);
        let expected: Vec<_> = data.iter().map(|p| Pair(p.0, p.1 + p.2, p.2 * 2)).collect();
        assert_eq!(more.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn beyond(ps: &mut [Particle]) {
    ps[global_id() + 1].position.y = 1.0;
}

#[test]
fn fields_are_checked_with_their_element() {
    for device in DEVICES.iter() {
        let mut ps = device.upload(&particles(3)).unwrap();
        let error = beyond(&mut ps).over(3).launch(device).unwrap_err();
        assert!(
            error.to_string().contains("index 3") && error.to_string().contains("structs.rs:"),
            "{error}"
        );
    }
}

#[vortex::kernel]
fn spoil(kinds: *mut u8) {
    // SAFETY: one byte.
    unsafe { *kinds = 4 };
}

#[test]
fn no_variant_is_refused() {
    for device in DEVICES.iter() {
        let mut kinds = device.upload(&[Kind::Free]).unwrap();
        assert_eq!(kinds.download().unwrap(), [Kind::Free]);
        spoil(kinds.as_mut_ptr().cast())
            .over(1)
            .launch(device)
            .unwrap();
        let error = kinds.download().unwrap_err();
        assert!(error.to_string().contains("Kind"), "{error}");
    }
}
