//! Modules: what is known of kernels, files, variants, linking.

#![allow(clippy::unwrap_used)]

mod bare;
mod dropped;
mod facts;
mod files;
mod launches;
mod linking;
mod load;
mod names;
#[path = "../said/mod.rs"]
mod said;
mod strangers;
mod variants;
mod wild;

use vortex::Module;
use vortex::prelude::*;

#[vortex::device]
pub(crate) fn square(x: f32) -> f32 {
    x * x
}

#[vortex::device]
pub(crate) fn distance(x: f32, y: f32) -> f32 {
    (square(x) + square(y)).sqrt()
}

/// How far points are from the origin.
#[vortex::kernel(vec_hint = f32)]
pub(crate) fn distances(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = distance(x[i], y[i]);
    }
}

#[vortex::kernel]
pub(crate) fn group_sums(x: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 256]>();
    tile[local_id()] = x[global_id()];
    barrier();
    if local_id() == 0 {
        let mut sum = 0;
        for k in 0..local_size() {
            sum += tile[k];
        }
        out[group_id()] = sum;
    }
}

#[vortex::kernel]
pub(crate) fn count(x: *const u32, counter: &mut [u32]) {
    // SAFETY: the host passes a pointer to as many elements as there are work items.
    let value = unsafe { *x.add(global_id()) };
    counter.atomic(0).fetch_add(value, Relaxed);
}

pub(crate) fn module() -> Module {
    let builder = Module::builder("example").kernel::<distances>();
    builder
        .kernel::<group_sums>()
        .kernel::<count>()
        .build()
        .unwrap()
}

pub(crate) mod other {
    use vortex::prelude::*;

    #[vortex::kernel]
    pub(crate) fn count(x: &[u32], counter: &mut [u32]) {
        counter.atomic(0).fetch_max(x[global_id()], Relaxed);
    }

    #[vortex::kernel]
    pub(crate) fn halve(x: &mut [f32]) {
        x[global_id()] *= 0.5;
    }
}

pub(crate) fn sums(
    module: &Module,
    device: &Device,
    items: usize,
    block: Option<usize>,
) -> (Vec<u32>, String) {
    let x = device.upload(&vec![1u32; items]).unwrap();
    let mut out = device.alloc::<u32>(items).unwrap();
    let launch = module.launch("group_sums").unwrap();
    let launch = launch
        .slice("x", &x)
        .unwrap()
        .slice_mut("out", &mut out)
        .unwrap();
    let launch = match block {
        Some(block) => launch.grid(items / block).block(block),
        None => launch.over(items),
    };
    let report = launch.launch(device).unwrap();
    let choice = report.choice().unwrap().to_string();
    assert!(
        report
            .to_string()
            .contains(&format!("  image               {choice}\n"))
    );
    let sums = out.download().unwrap();
    (sums.into_iter().filter(|&sum| sum > 0).collect(), choice)
}
