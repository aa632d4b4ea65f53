//! Traces rays of light: balls on a chequered floor, with shadows, and mirrors that show each other.
//!
//! Every pixel is a work item, which follows its own ray from the eye. What lanes of a warp see differs, so both the
//! loop over reflections and the search for the nearest ball are left by some of them earlier than by others. With
//! `host` the same source is compiled by rustc, too, which gives the picture that the device's is held against. That
//! both are right is another question: pictures of a single ball are held against what geometry says of them.
//!
//! ```sh
//! cargo run --release --example ray_tracer                    # 128 rows
//! cargo run --release --example ray_tracer -- 600 balls.png   # rows, and the file to write
//! ```

#[path = "shared/one_ball.rs"]
mod one_ball;
#[path = "shared/picture.rs"]
mod picture;
mod shared;

use std::error::Error;

use one_ball::OneBall;
use vortex::prelude::*;

/// How often light is reflected on its way to the eye, at most.
const BOUNCES: u32 = 4;

/// Where the light comes from, one unit away.
const SUN: [f32; 3] = [-0.48, 0.64, -0.6];

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    centre: Vec3<f32>,
    radius: f32,
    colour: Vec3<f32>,
    /// The part of the light that it reflects as a mirror does.
    mirror: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ray {
    from: Vec3<f32>,
    along: Vec3<f32>,
}

#[vortex::device(host)]
impl Ball {
    /// How far away the ray meets the ball.
    fn distance(&self, ray: Ray) -> Option<f32> {
        let way = self.centre - ray.from;
        let middle = way.dot(ray.along);
        let square = middle * middle - way.dot(way) + self.radius * self.radius;
        if square < 0.0 {
            return None;
        }
        let near = middle - square.sqrt();
        (near > 0.001).then_some(near)
    }
}

/// The nearest ball that the ray meets, and how far away that is.
#[vortex::device(host)]
fn nearest(balls: &[Ball], ray: Ray) -> Option<(usize, f32)> {
    let mut found = None;
    for (i, ball) in balls.iter().enumerate() {
        if let Some(distance) = ball.distance(ray)
            && found.is_none_or(|(_, least)| distance < least)
        {
            found = Some((i, distance));
        }
    }
    found
}

/// The light that comes in against the ray.
#[vortex::device(host)]
fn trace(balls: &[Ball], mut ray: Ray) -> Vec3<f32> {
    let sun = vec3(SUN[0], SUN[1], SUN[2]);
    let mut light = vec3(0.0, 0.0, 0.0);
    let mut part = 1.0;
    for _ in 0..BOUNCES {
        let (point, normal, colour, mirror) = if let Some((i, distance)) = nearest(balls, ray) {
            let ball = balls[i];
            let point = ray.from + ray.along * distance;
            (
                point,
                (point - ball.centre) / ball.radius,
                ball.colour,
                ball.mirror,
            )
        } else if ray.along.y < -0.001 {
            let point = ray.from - ray.along * (ray.from.y / ray.along.y);
            let square = point.x.floor() as i32 + point.z.floor() as i32;
            let grey = if square & 1 == 0 { 0.9 } else { 0.3 };
            (point, vec3(0.0, 1.0, 0.0), vec3(grey, grey, grey), 0.1)
        } else {
            light += vec3(0.5, 0.7, 1.0) * (part * (1.0 - 0.6 * ray.along.y));
            break;
        };
        let shadow = nearest(
            balls,
            Ray {
                from: point,
                along: sun,
            },
        )
        .is_some();
        let lit = if shadow {
            0.0
        } else {
            normal.dot(sun).max(0.0)
        };
        light += colour * (part * (1.0 - mirror) * (0.2 + 0.8 * lit));
        part *= mirror;
        if part < 0.02 {
            break;
        }
        let along = ray.along - normal * (2.0 * normal.dot(ray.along));
        ray = Ray { from: point, along };
    }
    light
}

#[vortex::kernel(host)]
fn draw(width: usize, height: usize, balls: &[Ball], picture: &mut [[u8; 3]]) {
    let (x, y) = global_id_2d();
    let pixel = 2.0 / height as f32;
    let right = (x as f32 - 0.5 * width as f32) * pixel;
    let up = (0.5 * height as f32 - y as f32) * pixel;
    let ahead = vec3(right, up - 0.25, 2.0);
    let along = ahead / ahead.dot(ahead).sqrt();
    let light = trace(
        balls,
        Ray {
            from: vec3(0.0, 1.4, -5.0),
            along,
        },
    );
    picture[y * width + x] = [light.x, light.y, light.z].map(|part| (255.0 * part.min(1.0)) as u8);
}

/// Draws a single ball, first a dull one, then a mirror, and compares what geometry says.
fn compare_one_ball(device: &Device) -> Result<(), Box<dyn Error>> {
    const SIZE: (usize, usize) = (96, 64);
    for mirror in [0.0, 0.8, 1.0] {
        let ball = OneBall {
            centre: [0.25, 0.75, -1.0],
            radius: 0.75,
            colour: [0.9, 0.4, 0.2],
            mirror,
        };
        let balls = device.upload(&[Ball {
            centre: ball.centre.map(|part| part as f32).into(),
            radius: ball.radius as f32,
            colour: ball.colour.map(|part| part as f32).into(),
            mirror: mirror as f32,
        }])?;
        let mut picture = device.alloc(SIZE.0 * SIZE.1)?;
        let launch = draw(SIZE.0, SIZE.1, &balls, &mut picture).over(SIZE);
        launch.launch(device)?;
        let compared = ball.compare(SIZE.0, &picture.download()?, BOUNCES)?;
        assert!(
            compared * 10 > SIZE.0 * SIZE.1 * 9,
            "only {compared} pixels are on no edge"
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (height, file) = shared::size_and_picture(128, 2048, "ray_tracer");
    let width = height * 3 / 2;
    let ball = |centre: [f32; 3], radius, colour: [f32; 3], mirror| Ball {
        centre: centre.into(),
        radius,
        colour: colour.into(),
        mirror,
    };
    let balls = [
        ball([0.0, 1.0, 0.5], 1.0, [0.9, 0.9, 0.9], 0.7),
        ball([-1.9, 0.7, 0.0], 0.7, [0.9, 0.25, 0.2], 0.2),
        ball([1.7, 0.6, -0.4], 0.6, [0.2, 0.5, 0.9], 0.3),
        ball([0.55, 0.3, -1.5], 0.3, [0.95, 0.8, 0.2], 0.1),
        ball([-0.6, 0.35, -1.3], 0.35, [0.3, 0.8, 0.4], 0.2),
    ];

    let device = Device::open()?;
    let balls_device = device.upload(&balls)?;
    let mut picture = device.alloc(width * height)?;
    let launch = draw(width, height, &balls_device, &mut picture).over((width, height));
    let report = launch.launch(&device)?;
    let pixels = picture.download()?;

    let mut expected = vec![[0; 3]; width * height];
    draw::on_host(width, height, &balls, &mut expected)
        .over((width, height))
        .launch()?;
    // Every operation is rounded alike on both sides, so not a bit differs.
    assert_eq!(pixels, expected);
    compare_one_ball(&device)?;
    picture::write_colours(&file, width, &pixels)?;
    println!("{report}");
    println!(
        "{width} x {height} pixels as rustc computes them, in {}",
        file.display()
    );
    Ok(())
}
