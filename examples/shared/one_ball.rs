//! What pictures of a single ball show, by geometry: angles at the eye, the law of sines and distances between lines,
//! where the example solves an equation for each ray. Computed in `f64`.

type Vector = [f64; 3];

/// Towards the sun, and where the eye is.
const SUN: Vector = [-0.48, 0.64, -0.6];
const EYE: Vector = [0.0, 1.4, -5.0];

/// How much the parts of a pixel may differ, of 255: they are cut off to whole numbers.
const TOLERANCE: f64 = 1.25;

/// A ball on or above the floor: its centre and radius, its colour, and the part of the light that it mirrors.
pub(crate) struct OneBall {
    pub(crate) centre: Vector,
    pub(crate) radius: f64,
    pub(crate) colour: Vector,
    pub(crate) mirror: f64,
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|n| a[n] * b[n]).sum()
}

/// `a x + b y`.
fn sum(a: f64, x: Vector, b: f64, y: Vector) -> Vector {
    [0, 1, 2].map(|n| a * x[n] + b * y[n])
}

fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: Vector) -> Vector {
    sum(1.0 / length(a), a, 0.0, a)
}

impl OneBall {
    /// Whether the ball is between a point and the sun: it is if the line from one to the other passes its centre by
    /// less than its radius.
    fn is_in_shadow(&self, point: Vector) -> bool {
        let way = sum(1.0, self.centre, -1.0, point);
        let along = dot(way, SUN);
        along > 0.0 && length(sum(1.0, way, -along, SUN)) < self.radius
    }

    /// What is seen in a direction, with so many mirrors on the way at most. It is this part of a pixel; mirrors that
    /// leave less than a fiftieth of one show nothing, as in the example.
    fn seen(&self, eye: Vector, along: Vector, mirrors: u32, part: f64) -> Vector {
        let way = sum(1.0, self.centre, -1.0, eye);
        let axis = unit(way);
        let across = sum(1.0, along, -dot(along, axis), axis);
        // The ray passes the centre at this distance.
        let passes = length(way) * length(across);
        let (point, normal, mirrored, colour, mirror) =
            if dot(along, axis) > 0.0 && passes < self.radius {
                let across = unit(across);
                let at_eye = dot(along, across).atan2(dot(along, axis));
                let incidence = (passes / self.radius).asin();
                let at_centre = incidence - at_eye;
                let turned = |angle: f64| sum(-angle.cos(), axis, angle.sin(), across);
                let normal = turned(at_centre);
                let point = sum(1.0, self.centre, self.radius, normal);
                (
                    point,
                    normal,
                    turned(at_centre + incidence),
                    self.colour,
                    self.mirror,
                )
            } else if along[1] < -0.001 {
                let point = sum(1.0, eye, -eye[1] / along[1], along);
                let is_light = (point[0].floor() + point[2].floor()).rem_euclid(2.0) == 0.0;
                let grey = if is_light { 0.9 } else { 0.3 };
                let mirrored = [along[0], -along[1], along[2]];
                (point, [0.0, 1.0, 0.0], mirrored, [grey; 3], 0.1)
            } else {
                return [0.5, 0.7, 1.0].map(|part| part * (1.0 - 0.6 * along[1]));
            };
        let is_lit = !self.is_in_shadow(point);
        let lit = if is_lit {
            dot(normal, SUN).max(0.0)
        } else {
            0.0
        };
        let own = (1.0 - mirror) * (0.2 + 0.8 * lit);
        let part = part * mirror;
        let seen = match mirrors > 1 && part >= 0.02 {
            true => self.seen(point, mirrored, mirrors - 1, part),
            false => [0.0; 3],
        };
        sum(own, colour, mirror, seen)
    }

    /// A pixel, or any place of the picture, of 255.
    fn pixel(&self, width: usize, height: usize, x: f64, y: f64, mirrors: u32) -> Vector {
        let pixel = 2.0 / height as f64;
        let right = (x - 0.5 * width as f64) * pixel;
        let up = (0.5 * height as f64 - y) * pixel;
        let seen = self.seen(EYE, unit([right, up - 0.25, 2.0]), mirrors, 1.0);
        seen.map(|part| 255.0 * part.min(1.0))
    }

    /// Compares a picture; returns how many of its pixels were compared. Those on an edge are not, of the ball, its
    /// shadow, a square or a mirrored one of these: there a hair's breadth makes another colour.
    pub(crate) fn compare(
        &self,
        width: usize,
        pixels: &[[u8; 3]],
        mirrors: u32,
    ) -> Result<usize, String> {
        let height = pixels.len() / width;
        let mut compared = 0;
        for (at, pixel) in pixels.iter().enumerate() {
            let (x, y) = (at % width, at / width);
            let seen =
                |right, down| self.pixel(width, height, x as f64 + right, y as f64 + down, mirrors);
            let expected = seen(0.0, 0.0);
            let differs =
                |other: Vector| (0..3).any(|n| (other[n] - expected[n]).abs() > TOLERANCE);
            // The eight around it, and once more closer by: squares at the horizon are as narrow as that.
            let around = (0..9).map(|n| (f64::from(n % 3 - 1), f64::from(n / 3 - 1)));
            let is_edge = |(right, down)| {
                [0.01, 0.001]
                    .iter()
                    .any(|hair| differs(seen(hair * right, hair * down)))
            };
            if around.into_iter().any(is_edge) {
                continue;
            }
            compared += 1;
            if differs(pixel.map(f64::from)) {
                return Err(format!(
                    "pixel ({x}, {y}) is {pixel:?}, and by geometry {expected:.1?}"
                ));
            }
        }
        Ok(compared)
    }
}
