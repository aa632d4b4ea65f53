//! Names of kernels, instances, functions, variables and constant tables, as strange as they come: each stays the same
//! in all files.

use std::fmt::Debug;
use std::path::Path;

use vortex::meta::view::{ArgumentList, CHeader, Dump, Metadata, MetadataOp, Record, View};
use vortex::meta::{KernelInfo, ModuleInfo};
use vortex::prelude::*;
use vortex::{Bundle, Error, Module, ModuleError};

mod größen {
    #[vortex::global]
    pub(super) static ZÄHLER: u32 = 0;

    pub(super) const STUFEN: [f32; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
}

use größen::ZÄHLER;

#[vortex::device]
fn größer(x: f32, als: f32) -> bool {
    x > als
}

#[vortex::kernel]
fn größe(größe: f32, r#type: u32, x: &[f32], x_len: u32, out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        let own = [0.25, 0.5][i % 2];
        out[i] = größen::STUFEN[i % 3] + x[i] + own + (r#type + x_len) as f32;
        if größer(out[i], größe) {
            ZÄHLER.atomic().fetch_add(1, Relaxed);
        }
    }
}

#[vortex::kernel]
fn scaled<T: Num, const N: usize>(x: &mut [T], steps: &mut [u32]) {
    let i = global_id();
    x[i] *= x[i];
    steps[i] = [1, 2, 4][i % N % 3];
}

#[vortex::kernel(name = "a::b.c<f32>")]
fn tables(out: &mut [f32]) {
    out[global_id()] = größen::STUFEN[global_id() % 6];
}

const STRANGE: &str = "größe";

fn module() -> Module {
    let builder = Module::builder("\"größe\"::module\n").kernel::<größe>();
    let builder = builder
        .kernel::<tables>()
        .kernel::<scaled<f32, 2>>()
        .kernel::<scaled<f32, 3>>();
    builder.statistics().build().unwrap()
}

fn reads_back<V: View + Debug + PartialEq>(kernel: &KernelInfo) {
    let view = V::of(kernel);
    let text = view.to_string();
    let read = text.parse::<V>();
    assert_eq!(read.as_ref(), Ok(&view), "{text}");
}

#[test]
fn names_are_the_same_in_every_form() {
    let module = module();
    let mut names: Vec<_> = (module.globals().iter())
        .map(|global| global.name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "a::b.c<f32>.größen::STUFEN",
            "größe.constants",
            "größe.größen::STUFEN",
            "modules::names::größen::ZÄHLER",
            "scaled<f32, 2>.constants",
            "scaled<f32, 3>.constants",
        ]
    );
    assert_eq!(module.functions()[0].name, "größer");
    assert_eq!(module.functions()[0].callers, [STRANGE]);

    let info = module.info();
    assert_eq!(&ModuleInfo::from_bytes(&info.to_bytes()).unwrap(), info);
    let elf = module.to_elf();
    assert_eq!(Module::from_elf(&elf).unwrap().info(), info);
    let bundle = Bundle::new().with("größe \"1\"", &module).unwrap();
    let bundle = Bundle::from_bytes(&bundle.to_bytes()).unwrap();
    let (id, entry) = bundle.entries().next().unwrap();
    assert_eq!((id, entry.info()), ("größe \"1\"", info));
    for kernel in module.kernels() {
        reads_back::<Dump>(kernel);
        reads_back::<CHeader>(kernel);
        reads_back::<Metadata>(kernel);
        reads_back::<MetadataOp>(kernel);
        reads_back::<Record>(kernel);
        reads_back::<ArgumentList>(kernel);
    }
}

#[test]
fn kernels_of_strange_names_are_found_in_files() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names");
    let module = module();
    let files = module.write_dir(&directory).unwrap();
    let device = Device::open().unwrap();
    for (kernel, files) in module.kernels().iter().zip(files.chunks(3)) {
        for file in [&files[0], &files[2]] {
            let read = device.module_from_file(file).unwrap();
            assert_eq!(read.kernels(), std::slice::from_ref(kernel));
            let own = |name: &str| name.starts_with(&format!("{}.", kernel.name));
            let (tables, variables): (Vec<_>, Vec<_>) =
                (read.globals().iter()).partition(|global| own(&global.name));
            let is_strange = kernel.name == STRANGE;
            assert_eq!(tables.len(), 1 + usize::from(is_strange), "{}", kernel.name);
            assert_eq!(variables.len(), usize::from(is_strange));
        }
    }

    let read = device.module_from_file(&files[0]).unwrap();
    let x = device.upload(&[1.0f32; 4]).unwrap();
    let mut out = device.alloc::<f32>(4).unwrap();
    let launch = read.launch(STRANGE).unwrap();
    let launch = launch.args((5.0f32, 1u32, &x, 1u32, &mut out)).unwrap();
    launch.over(4).launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), [4.25, 5.5, 7.25, 4.5]);
    assert_eq!(device.global(&ZÄHLER).read().unwrap(), 2);
}

#[vortex::kernel(name = "a.b")]
fn dotted(x: &mut [u32]) {
    x[global_id()] += 1;
}

#[vortex::kernel(name = "a:b")]
fn colon(x: &mut [u32]) {
    x[global_id()] += 2;
}

#[test]
fn kernels_that_would_share_a_file_are_an_error() {
    let module = Module::builder("m").kernel::<dotted>().kernel::<colon>();
    let module = module.build().unwrap();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared");
    let error = module.write_dir(&directory).unwrap_err();
    assert!(
        matches!(&error, Error::Module(cause) if matches!(**cause, ModuleError::SameFile { .. })),
        "{error}"
    );
    assert_eq!(
        error.to_string(),
        "the kernels `a.b` and `a:b` would both be written to files called `a_b`; write them to two directories, each with `Module::filter`, or give one \
         another name with `name = \"..\"`"
    );
    assert!(!directory.exists());
}
