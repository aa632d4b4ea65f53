//! Balls in the light, without a lens: each item has a pixel, and shades the nearest ball behind it.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Ball {
    centre: Vec3<f32>,
    radius: f32,
    shade: f32,
}

#[vortex::device]
impl Ball {
    /// How far along the ray its surface is.
    fn meets(&self, from: Vec3<f32>, direction: Vec3<f32>) -> Option<f32> {
        let away = from - self.centre;
        let half = away.dot(direction);
        let inside = half * half - (away.dot(away) - self.radius * self.radius);
        if inside < 0.0 {
            return None;
        }
        let distance = -half - inside.sqrt();
        if distance > 0.0 { Some(distance) } else { None }
    }
}

variants! {
    fn ray_sphere(balls: &[Ball], eye: Vec3<f32>, light: Vec3<f32>, w: usize, h: usize, picture: &mut [f32]) {
        let (x, y) = global_id_2d();
        let u = (x as f32 + 0.5) / w as f32 - 0.5;
        let v = (y as f32 + 0.5) / h as f32 - 0.5;
        let direction = vec3(u, v, 1.0).normalize();
        let mut nearest: Option<(f32, usize)> = None;
        for (k, ball) in balls.iter().enumerate() {
            if let Some(distance) = ball.meets(eye, direction) {
                if nearest.is_none_or(|(least, _)| distance < least) {
                    nearest = Some((distance, k));
                }
            }
        }
        picture[y * w + x] = match nearest {
            Some((distance, k)) => {
                let ball = balls[k];
                let normal = (eye + direction * distance - ball.centre) / ball.radius;
                ball.shade * (0.1 + normal.dot(light).max(0.0))
            }
            None => 0.0,
        };
    }
}

type Array = [f32; 3];

fn dot(a: Array, b: Array) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h, count) = (32, 16, 8);
    let scene: Vec<[f32; 5]> = numbers(5 * count, 114)
        .chunks(5)
        .map(|k| {
            [
                k[0],
                k[1],
                k[2] + 1.0,
                0.3 + 0.2 * k[3],
                0.5 + 0.5 * k[4].abs(),
            ]
        })
        .collect();
    let (eye, light) = ([0.1, 0.05, -2.0f32], [0.48f32, 0.6, -0.64]);
    let pixel = |i: usize| {
        let u = ((i % w) as f32 + 0.5) / w as f32 - 0.5;
        let v = ((i / w) as f32 + 0.5) / h as f32 - 0.5;
        let length = (u * u + v * v + 1.0).sqrt();
        let direction = [u / length, v / length, 1.0 / length];
        let (mut nearest, mut shade) = (f32::MAX, 0.0);
        for [x, y, z, radius, bright] in &scene {
            let away = [eye[0] - x, eye[1] - y, eye[2] - z];
            let half = dot(away, direction);
            let inside = half * half - (dot(away, away) - radius * radius);
            let distance = -half - inside.sqrt();
            if inside >= 0.0 && distance > 0.0 && distance < nearest {
                nearest = distance;
                let centre = [x, y, z];
                let normal = |k: usize| (eye[k] + direction[k] * distance - centre[k]) / radius;
                shade = bright * (0.1 + dot(std::array::from_fn(normal), light).max(0.0));
            }
        }
        shade
    };
    let expected = (0..w * h).map(pixel).collect();
    let ball = |[x, y, z, radius, shade]: &[f32; 5]| Ball {
        centre: vec3(*x, *y, *z),
        radius: *radius,
        shade: *shade,
    };
    let balls = suite
        .device
        .upload(&scene.iter().map(ball).collect::<Vec<_>>())?;
    let mut picture = suite.device.upload(&vec![0.0f32; w * h])?;
    let vector = |[x, y, z]: Array| vec3(x, y, z);
    let ours = launched!(
        ray_sphere(&balls, vector(eye), vector(light), w, h, &mut picture).over((w, h)),
        &suite.device
    );
    // Of each ball 4 loads, 17 sums and products and whether it is met; before that the direction.
    let all = count as f64;
    let work = Work {
        items: w * h,
        loads: 4.0 * all,
        stores: 1.0,
        sums: 6.0 + 17.0 * all,
        comparisons: all,
        conversions: 2.0,
        quotients: 5.0,
        roots: 1.0,
        words: 5 * count,
        ..Work::default()
    };
    let numbers = eye.into_iter().chain(light).map(f32::to_bits);
    let words: Vec<u32> = [balls.as_ptr().addr(), count as u32]
        .into_iter()
        .chain(numbers)
        .chain([w as u32, h as u32, picture.as_ptr().addr()])
        .collect();
    let cpp = Cpp {
        file: "aside/ray_sphere",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &words,
    };
    suite.compare::<ray_sphere>(
        "ray against balls 32x16",
        &ours,
        &cpp,
        &work,
        &mut [(&mut picture, expected)],
    )
}
