//! Kernels with structs, methods, traits and closures.

use vortex::prelude::*;

use super::{assert_close, device, floats};

// N-body with structs.

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Body {
    position: Vec3<f32>,
    mass: f32,
    velocity: Vec3<f32>,
}

#[vortex::device]
impl Body {
    fn pull(&self, at: Vec3<f32>) -> Vec3<f32> {
        let d = self.position - at;
        let r2 = d.dot(d) + 0.01;
        d * (self.mass / (r2 * r2.sqrt()))
    }
}

#[vortex::kernel]
fn nbody(dt: f32, bodies: &[Body], next: &mut [Body]) {
    let i = global_id();
    let mut me = bodies[i];
    let mut force = Vec3::splat(0.0);
    for body in bodies {
        force += body.pull(me.position);
    }
    me.velocity += force * dt;
    me.position += me.velocity * dt;
    next[i] = me;
}

// Rays and spheres, with traits and closures.

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
    direction: Vec3<f32>,
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Sphere {
    centre: Vec3<f32>,
    radius: f32,
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Plane {
    normal: Vec3<f32>,
    offset: f32,
}

#[vortex::device]
trait Hit {
    fn hit(&self, ray: &Ray) -> Option<f32>;
}

#[vortex::device]
impl Hit for Sphere {
    fn hit(&self, ray: &Ray) -> Option<f32> {
        let oc = ray.origin - self.centre;
        let b = oc.dot(ray.direction);
        let c = oc.dot(oc) - self.radius * self.radius;
        let disc = b * b - c;
        if disc < 0.0 {
            return None;
        }
        let t = -b - disc.sqrt();
        (t > 0.0).then_some(t)
    }
}

#[vortex::device]
impl Hit for Plane {
    fn hit(&self, ray: &Ray) -> Option<f32> {
        let slope = self.normal.dot(ray.direction);
        if slope.abs() < 1e-6 {
            return None;
        }
        let t = (self.offset - self.normal.dot(ray.origin)) / slope;
        Some(t).filter(|t| *t > 0.0)
    }
}

#[vortex::device]
fn nearest<T: Hit>(things: &[T], ray: &Ray, start: f32, shade: impl Fn(usize, f32) -> f32) -> f32 {
    let mut best = start;
    let mut colour = 0.0;
    for (i, thing) in things.iter().enumerate() {
        if let Some(t) = thing.hit(ray)
            && t < best
        {
            best = t;
            colour = shade(i, t);
        }
    }
    colour
}

#[vortex::kernel]
fn trace(width: usize, spheres: &[Sphere], floor: Plane, image: &mut [f32]) {
    let (x, y) = global_id_2d();
    let direction = vec3(
        x as f32 / width as f32 - 0.5,
        y as f32 / width as f32 - 0.5,
        1.0,
    )
    .normalize();
    let ray = Ray {
        origin: vec3(0.0, 0.0, -3.0),
        direction,
    };
    let far = floor.hit(&ray).unwrap_or(f32::INFINITY);
    let fog = |i: usize, t: f32| (i + 1) as f32 / (1.0 + t);
    image[y * width + x] = nearest(spheres, &ray, far, fog);
}

#[test]
fn bodies_move() {
    let device = device();
    let x = floats(7 * 20, 3);
    let vector = |x: &[f32]| Vec3::from([x[0], x[1], x[2]]);
    let body = |x: &[f32]| Body {
        position: vector(x),
        mass: x[3].abs(),
        velocity: vector(&x[4..]),
    };
    let bodies: Vec<Body> = x.chunks(7).map(body).collect();
    let old = device.upload(&bodies).unwrap();
    let mut new = device.upload(&bodies).unwrap();
    nbody(0.1, &old, &mut new).over(20).launch(&device).unwrap();
    let next = |me: &Body| {
        let mut force = Vec3::from([0.0f32; 3]);
        for other in &bodies {
            let d = other.position - me.position;
            let r2 = d.dot(d) + 0.01;
            force += d * (other.mass / (r2 * r2.sqrt()));
        }
        let velocity = me.velocity + force * 0.1;
        me.position + velocity * 0.1
    };
    let flat = |v: Vec3<f32>| [v.x, v.y, v.z];
    let expected: Vec<f32> = bodies.iter().flat_map(|body| flat(next(body))).collect();
    let found: Vec<f32> = (new.download().unwrap().iter())
        .flat_map(|body| flat(body.position))
        .collect();
    assert_close(&found, &expected);
}

#[test]
fn traced() {
    let device = device();
    let sphere = |x, y, z, radius| Sphere {
        centre: Vec3::from([x, y, z]),
        radius,
    };
    let spheres = [sphere(0.0f32, 0.0, 2.0, 1.0f32), sphere(1.0, 0.5, 3.0, 0.7)];
    let floor = Plane {
        normal: Vec3::from([0.0, 1.0, 0.0]),
        offset: 1.0,
    };
    let things = device.upload(&spheres).unwrap();
    let mut image = device.alloc(16 * 16).unwrap();
    trace(16, &things, floor, &mut image)
        .over((16, 16))
        .launch(&device)
        .unwrap();
    let pixel = |i: usize| {
        let d = Vec3::from([
            (i % 16) as f32 / 16.0 - 0.5,
            (i / 16) as f32 / 16.0 - 0.5,
            1.0,
        ]);
        let d = d * (1.0 / d.dot(d).sqrt());
        let o = Vec3::from([0.0, 0.0, -3.0]);
        let mut best = if d.y.abs() >= 1e-6 && 1.0 / d.y > 0.0 {
            1.0 / d.y
        } else {
            f32::INFINITY
        };
        let mut colour = 0.0;
        for (k, sphere) in spheres.iter().enumerate() {
            let oc = o - sphere.centre;
            let (b, c) = (oc.dot(d), oc.dot(oc) - sphere.radius * sphere.radius);
            let t = -b - (b * b - c).sqrt();
            if t > 0.0 && t < best {
                best = t;
                colour = (k + 1) as f32 / (1.0 + t);
            }
        }
        colour
    };
    assert_close(
        &image.download().unwrap(),
        &(0..256).map(pixel).collect::<Vec<_>>(),
    );
}
