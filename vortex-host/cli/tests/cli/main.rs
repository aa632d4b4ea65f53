//! The `vortex` command, run.
#![allow(clippy::unwrap_used)]

mod debug;
mod devices;
mod explain;
mod inspect;
#[path = "../../../../vortex-kernel/tests/support/json_schema.rs"]
mod json_schema;
mod mistakes;
mod new;
mod profile;
mod raw;
mod run;
mod stats;
mod sweep;
mod sweep_files;
mod tensors;
mod textures;
mod trace;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use vortex::Module;
use vortex::prelude::*;

/// Adds a multiple of one vector to another.
#[vortex::kernel(vec_hint = f32)]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += alpha * x[i];
    }
}

#[vortex::device]
fn twice(x: i32) -> i32 {
    x * 2
}

#[vortex::kernel(block = 8, block_hint = 16)]
fn reversed(x: &[i32], out: &mut [i32]) {
    let tile = local::<[i32; 8]>();
    tile[local_id()] = twice(x[global_id()]);
    barrier();
    out[global_id()] = tile[local_size() - 1 - local_id()];
}

#[vortex::kernel]
fn nothing() {}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Line {
    slope: f32,
    start: f32,
}

#[vortex::kernel]
fn values(line: Line, weights: [f32; 64], image: &Texture<f32>, out: &mut [f32]) {
    let i = global_id();
    out[i] = line.start + line.slope * i as f32 + weights[i % 64] + image.read(i, 0);
}

#[vortex::kernel]
fn by_value(line: Line, weights: [f32; 64], out: &mut [f32]) {
    let i = global_id();
    out[i] = line.start + line.slope * i as f32 + weights[i % 64];
}

/// What is halfway between each texel and the one to the right of it.
#[vortex::kernel]
fn between(image: &Texture<Vec4<u8>>, out: &mut Texture<Vec4<u8>>) {
    let (x, y) = global_id_2d();
    let (u, v) = (
        (x as f32 + 1.0) / image.width() as f32,
        (y as f32 + 0.5) / image.height() as f32,
    );
    let c = image.sample(u, v) * 255.0;
    out.write(x, y, vec4(c.x as u8, c.y as u8, c.z as u8, c.w as u8));
}

#[vortex::kernel]
fn doubled(
    grey: &Texture<f32>,
    volume: &Texture<u16, 3>,
    out: &mut Texture<f32>,
    deep: &mut Texture<u16, 3>,
) {
    let (x, y) = global_id_2d();
    out.write(x, y, grey.read(x, y) * 2.0);
    for z in 0..volume.depth() {
        let texel = volume.read(x, y, z);
        deep.write(x, y, z, texel + texel);
    }
}

pub(crate) fn dir() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

pub(crate) fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// An array as NumPy writes it.
pub(crate) fn npy(name: &str, descr: &str, shape: &str, bytes: &[u8]) -> String {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut all = b"\x93NUMPY\x01\x00".to_vec();
    all.extend((header.len() as u16).to_le_bytes());
    all.extend(header.as_bytes());
    all.extend(bytes);
    path(&file(name, all))
}

pub(crate) static MODULE: LazyLock<Module> = LazyLock::new(|| {
    let builder = Module::builder("example").statistics();
    builder
        .kernel::<saxpy>()
        .kernel::<reversed>()
        .build()
        .unwrap()
});

pub(crate) static ELF: LazyLock<String> =
    LazyLock::new(|| path(&file("example.elf", MODULE.to_elf())));

pub(crate) fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

pub(crate) fn vortex(args: &[&str]) -> Output {
    vortex_with(&[], args)
}

/// The command with these environment variables, and no others of this project.
pub(crate) fn vortex_with(variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vortex"));
    for variable in [
        "DRIVER",
        "CORES",
        "WARPS",
        "THREADS",
        "MODEL",
        "CHECKS",
        "BUDGET",
        "DETERMINISTIC",
        "DUMP",
        "GDB",
        "SOURCES",
    ] {
        command.env_remove(format!("VORTEX_{variable}"));
    }
    command.envs(variables.iter().copied());
    command.args(args).output().unwrap()
}

/// What a command prints that succeeds.
pub(crate) fn printed(args: &[&str]) -> String {
    let output = vortex(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The line that a command prints that fails.
pub(crate) fn refused(args: &[&str]) -> String {
    let output = vortex(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?}");
    let line = error.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "{line}");
    line.replace(&path(dir()), "DIR")
}
