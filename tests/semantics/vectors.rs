//! Short vectors.

use vortex::DeviceType;
use vortex::prelude::*;

use crate::harness::{DEVICES, same};

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Ray {
    from: Vec3<f32>,
    along: Vec3<f32>,
    cell: Vec2<u32>,
    colour: Vec4<u8>,
}

const UP: Vec3<f32> = Vec3 {
    x: 0.0,
    y: 1.0,
    z: 0.5,
};

fn rays(count: usize) -> Vec<Ray> {
    (0..count)
        .map(|i| {
            let x = i as f32;
            Ray {
                from: vec3(x, 0.5 - x, 0.25 * x),
                along: vec3(1.0, x + 0.5, -2.0),
                cell: vec2(i as u32, 7),
                colour: vec4(i as u8, 2, 3, 255),
            }
        })
        .collect()
}

/// Functions, once for kernels and once for the host.
macro_rules! functions {
    ($($module:ident: $attribute:meta;)*) => {$(
        mod $module {
            use super::{Ray, UP};
            use vortex::prelude::*;

            #[$attribute]
            pub(super) fn reflect(v: Vec3<f32>, normal: Vec3<f32>) -> Vec3<f32> {
                v - normal * (2.0 * v.dot(normal))
            }

            #[$attribute]
            pub(super) fn step(ray: &mut Ray, t: f32) -> f32 {
                let Vec3 { x, y, .. } = ray.along;
                ray.from += ray.along * t;
                ray.along = reflect(ray.along, UP) / vec3(1.0, 2.0, 4.0);
                ray.from.y += x * y;
                ray.cell = ray.cell * 3 + vec2(1u32, 2);
                ray.colour.w = ray.colour.x + 1;
                let mut turned = -ray.from.cross(ray.along);
                turned += 0.25;
                turned.dot(UP) - turned.z
            }

            #[$attribute]
            pub(super) fn whole(a: Vec2<i32>, b: Vec4<i32>) -> i32 {
                let c = vec2(b.x, b.z) * a + a * a - vec2(b.y, b.w) / vec2(3i32, -2);
                c.dot(vec2(1i32, 100)) + b.dot(vec4(1i32, 2, 3, 4))
            }
        }
    )*};
}

functions! {
    on_the_device: vortex::device;
    on_the_host: inline;
}

#[test]
fn operators_and_products() {
    #[vortex::kernel]
    fn kernel(
        t: f32,
        rays: &mut [Ray],
        a: Vec2<i32>,
        b: &[Vec4<i32>],
        out: &mut [f32],
        whole: &mut [i32],
    ) {
        let i = global_id();
        out[i] = on_the_device::step(&mut rays[i], t);
        whole[i] = on_the_device::whole(a, b[i]);
    }

    let count = 23;
    let (mut expected, a) = (rays(count), vec2(-5, 9));
    let b: Vec<Vec4<i32>> = (0..count as i32).map(|i| vec4(i, -i, 7, i * i)).collect();
    let outs: Vec<f32> = expected
        .iter_mut()
        .map(|ray| on_the_host::step(ray, 0.5))
        .collect();
    let wholes: Vec<i32> = b.iter().map(|b| on_the_host::whole(a, *b)).collect();
    for device in DEVICES.iter() {
        let mut on_device = device.upload(&rays(count)).unwrap();
        let b = device.upload(&b).unwrap();
        let mut out = device.alloc(count).unwrap();
        let mut whole = device.alloc(count).unwrap();
        kernel(0.5, &mut on_device, a, &b, &mut out, &mut whole)
            .over(count)
            .launch(device)
            .unwrap();
        assert_eq!(on_device.download().unwrap(), expected);
        assert_eq!(out.download().unwrap(), outs);
        assert_eq!(whole.download().unwrap(), wholes);
    }
}

#[test]
fn swizzles_indices_and_methods() {
    #[vortex::kernel]
    fn kernel(v: &mut [Vec4<f32>], out: &mut [Vec2<f32>]) {
        let i = global_id();
        let old = v[i];
        let mut new = old.wzyx();
        new[1] = old[3] + v[i][0];
        new[2] += 1.0;
        #[unroll]
        for k in 0..4 {
            new[k] = new[k] * 2.0;
        }
        v[i] = new.max(old).min(vec4(90.0, 91.0, 92.0, 93.0));
        let flat = old.xyz().zx();
        out[i] = vec2(flat.yy().length(), flat.normalize().x) + old.xw();
    }

    let start: Vec<Vec4<f32>> = (0..50)
        .map(|i| vec4(i as f32 + 1.0, 2.0, -3.0 * i as f32, 0.5))
        .collect();
    let device = Device::open().unwrap();
    let mut v = device.upload(&start).unwrap();
    let mut out = device.alloc(50).unwrap();
    kernel(&mut v, &mut out).over(50).launch(&device).unwrap();
    for ((old, new), out) in start
        .iter()
        .zip(v.download().unwrap())
        .zip(out.download().unwrap())
    {
        let mut expected = [old.w, old.z, old.y, old.x];
        expected[1] = old.w + old.x;
        expected[2] += 1.0;
        let old = <[f32; 4]>::from(*old);
        let most = [90.0, 91.0, 92.0, 93.0];
        let expected: [f32; 4] =
            std::array::from_fn(|k| (2.0 * expected[k]).max(old[k]).min(most[k]));
        assert_eq!(new, expected.into());
        let length = (old[2] * old[2] + old[0] * old[0]).sqrt();
        let both = vec2((old[0] * old[0] + old[0] * old[0]).sqrt(), old[2] / length);
        assert_eq!(out, both + vec2(old[0], old[3]));
    }
}

#[test]
fn an_index_of_variables_has_to_be_known() {
    #[vortex::kernel]
    fn any(v: Vec3<f32>, at: usize, out: &mut [f32]) {
        let mut changed = v;
        changed[at] = 1.0;
        out[0] = changed.x;
    }

    #[vortex::kernel]
    fn beyond(v: Vec3<f32>, out: &mut [f32]) {
        out[0] = v[3];
    }

    let device = Device::open().unwrap();
    let mut out = device.alloc(1).unwrap();
    let error = any(UP, 0, &mut out).over(1).launch(&device).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("known when the kernel is compiled"),
        "{error}"
    );
    let error = beyond(UP, &mut out).over(1).launch(&device).unwrap_err();
    assert!(
        error.to_string().contains("index 3 is outside of"),
        "{error}"
    );
}

#[test]
fn they_are_plain_data() {
    let bytes: Vec<u8> = bytemuck::cast_slice(&[vec3(1u8, 2, 3), vec3(4u8, 5, 6)]).to_vec();
    assert_eq!(bytes, [1, 2, 3, 4, 5, 6]);
    assert_eq!(size_of::<Vec4<f32>>(), 16);
    assert_eq!(align_of::<Vec4<f32>>(), 4);
}

same! {
    components_by_number(a: u32, b: u32) -> u32 {
        let v = vec3(a, b, a ^ b);
        let w = [v / 3, vec3(b, 7, a)];
        let mut h = 0u32;
        for k in 0..3 {
            h = h.rotate_left(5) ^ v[k];
        }
        for row in 0..2 {
            h = h.rotate_left(7) ^ w[row][((a ^ b) % 3) as usize];
        }
        h ^ v[(a % 3) as usize] ^ vec2(a as u8, b as u8)[(b % 2) as usize] as u32
    }
}

#[vortex::kernel]
fn shift_one(along: &[u32], by: Vec3<f32>, rays: &mut [Ray]) {
    let i = global_id();
    let k = along[i] as usize;
    rays[i].from[k] += by[k] * rays[i].along[k];
    rays[i].colour[k + 1] = k as u8;
}

#[test]
fn components_in_memory_are_found_by_number() {
    let mut expected = rays(40);
    let along: Vec<u32> = (0..40).map(|i| i * 7 % 3).collect();
    let by = vec3(1.5f32, -2.0, 0.25);
    for (ray, k) in expected.iter_mut().zip(&along) {
        let k = *k as usize;
        ray.from[k] += by[k] * ray.along[k];
        ray.colour[k + 1] = k as u8;
    }
    for device in &*DEVICES {
        let along = device.upload(&along).unwrap();
        let mut found = device.upload(&rays(40)).unwrap();
        shift_one(&along, by, &mut found)
            .over_each()
            .launch(device)
            .unwrap();
        assert_eq!(found.download().unwrap(), expected);
    }
}

#[test]
fn a_component_beyond_the_last_is_a_fault() {
    let device = Device::open().unwrap();
    let along = device.upload(&[3u32]).unwrap();
    let mut found = device.upload(&rays(1)).unwrap();
    let error = shift_one(&along, vec3(1.0, 1.0, 1.0), &mut found)
        .over_each()
        .launch(&device)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("index 3 is out of bounds of a slice of 3 elements"),
        "{text}"
    );
}
