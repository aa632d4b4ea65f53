//! Rays through a hierarchy of boxes: each item finds the nearest box at the bottom that its ray meets.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// A box, and what is in it: two nodes side by side, or the object of this number.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Node {
    low: Vec3<f32>,
    high: Vec3<f32>,
    inside: u32,
    is_leaf: u32,
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Ray {
    from: Vec3<f32>,
    direction: Vec3<f32>,
}

/// Nothing is met.
const NONE: u32 = u32::MAX;

/// How far away the ray enters the box.
#[vortex::device]
fn enters(node: &Node, from: Vec3<f32>, inverse: Vec3<f32>) -> Option<f32> {
    let a = (node.low - from) * inverse;
    let b = (node.high - from) * inverse;
    let (near, far) = (a.min(b), a.max(b));
    let enter = near.x.max(near.y).max(near.z).max(0.0);
    let leave = far.x.min(far.y).min(far.z);
    if enter <= leave { Some(enter) } else { None }
}

variants! {
    fn bvh(nodes: &[Node], rays: &[Ray], hits: &mut [u32]) {
        let i = global_id();
        let ray = rays[i];
        let inverse = vec3(1.0 / ray.direction.x, 1.0 / ray.direction.y, 1.0 / ray.direction.z);
        let mut stack = [0; 16];
        let mut depth = 1;
        let mut nearest = f32::MAX;
        let mut hit = NONE;
        while depth > 0 {
            depth -= 1;
            let node = nodes[stack[depth] as usize];
            let Some(distance) = enters(&node, ray.from, inverse) else { continue };
            if distance >= nearest {
                continue;
            }
            if node.is_leaf != 0 {
                nearest = distance;
                hit = node.inside;
            } else {
                stack[depth] = node.inside;
                stack[depth + 1] = node.inside + 1;
                depth += 2;
            }
        }
        hits[i] = hit;
    }
}

/// Adds the hierarchy of some objects, the first two corners of each, below the node.
fn build(nodes: &mut Vec<Node>, at: usize, objects: &[(u32, [f32; 3], [f32; 3])], axis: usize) {
    let corner = |pick: fn(f32, f32) -> f32, high: bool| {
        let corners = objects
            .iter()
            .map(|object| if high { object.2 } else { object.1 });
        let all = corners.reduce(|a, b| std::array::from_fn(|k| pick(a[k], b[k])));
        let [x, y, z] = all.unwrap_or_default();
        vec3(x, y, z)
    };
    let (low, high) = (corner(f32::min, false), corner(f32::max, true));
    if let [(number, ..)] = objects {
        nodes[at] = Node {
            low,
            high,
            inside: *number,
            is_leaf: 1,
        };
        return;
    }
    let mut sorted = objects.to_vec();
    sorted.sort_by(|a, b| a.1[axis].total_cmp(&b.1[axis]));
    let children = nodes.len();
    nodes[at] = Node {
        low,
        high,
        inside: children as u32,
        is_leaf: 0,
    };
    nodes.extend([nodes[at]; 2]);
    let (left, right) = sorted.split_at(sorted.len() / 2);
    build(nodes, children, left, (axis + 1) % 3);
    build(nodes, children + 1, right, (axis + 1) % 3);
}

/// The nearest object, by trying all.
fn nearest(objects: &[(u32, [f32; 3], [f32; 3])], from: [f32; 3], direction: [f32; 3]) -> u32 {
    let (mut nearest, mut hit) = (f32::MAX, NONE);
    for (number, low, high) in objects {
        let (mut enter, mut leave) = (0.0f32, f32::MAX);
        for k in 0..3 {
            let inverse = 1.0 / direction[k];
            let (a, b) = ((low[k] - from[k]) * inverse, (high[k] - from[k]) * inverse);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        if enter <= leave && enter < nearest {
            (nearest, hit) = (enter, *number);
        }
    }
    hit
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, count) = (256, 64);
    let places = numbers(4 * count, 103);
    let object = |k: usize| {
        let at = &places[4 * k..4 * k + 4];
        let size = 0.05 + 0.1 * at[3].abs();
        (
            k as u32,
            [at[0], at[1], at[2]],
            [at[0] + size, at[1] + size, at[2] + size],
        )
    };
    let objects: Vec<_> = (0..count).map(object).collect();
    let empty = Node {
        low: vec3(0.0, 0.0, 0.0),
        high: vec3(0.0, 0.0, 0.0),
        inside: 0,
        is_leaf: 0,
    };
    let mut tree = vec![empty];
    build(&mut tree, 0, &objects, 0);
    let aims = numbers(2 * n, 104);
    let all: Vec<Ray> = (0..n)
        .map(|i| Ray {
            from: vec3(aims[2 * i] * 0.3, aims[2 * i + 1] * 0.3, -3.0),
            direction: vec3(aims[2 * i + 1] * 0.25, aims[2 * i] * 0.25, 1.0),
        })
        .collect();
    let hit = |ray: &Ray| {
        let array = |v: Vec3<f32>| [v.x, v.y, v.z];
        nearest(&objects, array(ray.from), array(ray.direction))
    };
    let expected = all.iter().map(hit).collect();
    let nodes = suite.device.upload(&tree)?;
    let rays = suite.device.upload(&all)?;
    let mut hits = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(bvh(&nodes, &rays, &mut hits).over(n), &suite.device);
    // How many nodes are looked at depends on the ray; one at least, with 12 sums and products and 12 comparisons.
    let work = Work {
        items: n,
        loads: 6.0 + 8.0,
        stores: 1.0,
        sums: 12.0,
        comparisons: 12.0,
        quotients: 3.0,
        words: 6 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/bvh",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            nodes.as_ptr().addr(),
            rays.as_ptr().addr(),
            hits.as_ptr().addr(),
        ],
    };
    suite.compare::<bvh>(
        "bvh 256 rays",
        &ours,
        &cpp,
        &work,
        &mut [(&mut hits, expected)],
    )
}
