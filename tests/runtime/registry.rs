//! The registry of the program's kernels, and the cache of their images.

use std::sync::Barrier;
use std::thread;

use vortex::prelude::*;
use vortex::{KernelEntry, registry};

use super::{add, device};

mod here {
    #[vortex::kernel]
    pub(super) fn twin(x: &mut [u32]) {
        x[0] = 1;
    }
}

mod there {
    #[vortex::kernel]
    pub(super) fn twin(x: &mut [u32]) {
        x[0] = 2;
    }
}

#[vortex::kernel(name = "renamed.kernel")]
fn unnamed(x: &mut [u32]) {
    x[0] = 3;
}

#[vortex::kernel]
fn looked_for(x: &mut [u32]) {
    x[0] = 4;
}

/// Generic, so that nothing else compiles it.
#[vortex::kernel]
fn built_once<const TURNS: u32>(x: &mut [u32]) {
    let i = global_id();
    for k in 0..TURNS {
        x[i] = x[i] * 3 + k;
    }
}

#[vortex::kernel]
fn scale<T: Num>(by: T, x: &mut [T]) {
    let i = global_id();
    x[i] = x[i] * by;
}

fn message(name: &str) -> String {
    registry().find(name).unwrap_err().to_string()
}

#[test]
fn kernels_are_found_by_name() {
    let path = |name| registry().find(name).unwrap().path();
    assert_eq!(path("looked_for"), "runtime::registry::looked_for");
    assert_eq!(
        path("registry::looked_for"),
        "runtime::registry::looked_for"
    );
    assert_eq!(path("here::twin"), "runtime::registry::here::twin");
    assert_eq!(path("runtime::add"), KernelEntry::of::<add>().path());
    assert_eq!(path("renamed.kernel"), "runtime::registry::renamed.kernel");
    let twin = registry().find("there::twin").unwrap();
    assert_eq!(twin.name(), "twin");
    assert!(
        twin.location()
            .to_string()
            .starts_with("tests/runtime/registry.rs:")
    );
    assert_eq!(twin.meta(), there::twin::META);
}

#[test]
fn names_that_fit_no_kernel_or_two_are_errors() {
    let twins = message("twin");
    assert!(
        twins.starts_with(
            "there are two kernels `twin`: runtime::registry::here::twin at tests/runtime/registry.rs:"
        ),
        "{twins}"
    );
    assert!(twins.contains(", and runtime::registry::there::twin at tests/runtime/registry.rs:"));
    let unknown = message("ooked_for");
    assert!(
        unknown.starts_with("there is no kernel `ooked_for` in this program; its kernels are `"),
        "{unknown}"
    );
    assert!(unknown.ends_with(" more"), "{unknown}");
    for name in ["", "::", "runtime", "unnamed", "::twin"] {
        assert!(registry().find(name).is_err(), "{name}");
    }
}

#[test]
fn instances_are_there_once_registered_or_launched() {
    assert!(registry().find("scale<f32>").is_err());
    let kernel = registry().register::<scale<f32>>();
    registry().register::<scale<f32>>();
    registry().register::<add>();
    assert_eq!(registry().find("scale<f32>").unwrap().path(), kernel.path());
    let device = device();
    let mut x = device.upload(&[2u16]).unwrap();
    scale(3, &mut x).over(1).launch(&device).unwrap();
    assert_eq!(
        registry().find("registry::scale<u16>").unwrap().name(),
        "scale<u16>"
    );
    let all = registry().kernels();
    for name in ["runtime::add", "runtime::registry::scale<f32>"] {
        let found = all.iter().filter(|kernel| kernel.path() == name);
        assert_eq!(found.count(), 1, "{name}");
    }
}

#[test]
fn many_threads_compile_once() {
    if super::libvortex::is_version_3() {
        // It has only one device.
        return;
    }
    const THREADS: u64 = 8;
    let barrier = Barrier::new(THREADS as usize);
    let kernel = KernelEntry::of::<built_once<8>>();
    assert_eq!(kernel.cache().builds, 0);
    let shared = device();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (barrier, shared) = (&barrier, &shared);
            scope.spawn(move || {
                let own = device();
                let device = if thread % 2 == 0 { &own } else { shared };
                let mut x = device.alloc(4).unwrap();
                barrier.wait();
                built_once::<8>(&mut x).over(4).launch(device).unwrap();
                assert_eq!(x.download().unwrap(), [1636; 4]);
            });
        }
    });
    let stats = kernel.cache();
    assert_eq!(
        (stats.images, stats.builds, stats.hits),
        (1, 1, THREADS - 1)
    );
    // For launches of more items there is another, in which lanes do several at once.
    for hits in [THREADS - 1, THREADS] {
        kernel.compile(&shared).unwrap();
        assert_eq!((kernel.cache().builds, kernel.cache().hits), (2, hits));
    }
    // Another kind of device.
    let other = Device::builder().zicond(false).open().unwrap();
    kernel.compile(&other).unwrap();
    assert_eq!((kernel.cache().images, kernel.cache().builds), (3, 3));
    assert!(registry().cache().builds >= 2);
}

#[test]
fn all_kernels_are_compiled_when_asked_for() {
    let device = Device::builder().open().unwrap();
    let count = registry().compile_all(&device).unwrap();
    assert!(count >= 10, "{count}");
    assert!(KernelEntry::of::<here::twin>().cache().builds > 0);
}

/// The child half of [`lazy_compilation_can_be_switched_off`].
#[test]
fn eager_child() {
    if std::env::var_os("VORTEX_LAZY_JIT").is_some() {
        let error = Device::open().err().map(|error| error.to_string());
        let builds = registry().cache().builds;
        println!("built {builds} images, {error:?}");
    }
}

#[test]
fn lazy_compilation_can_be_switched_off() {
    let child = |value| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "registry::eager_child", "--nocapture"])
            .env("VORTEX_LAZY_JIT", value)
            .env_remove("VORTEX_DRIVER")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let eager = child("0");
    assert!(
        !eager.contains("built 0 images") && eager.contains("images, None"),
        "{eager}"
    );
    assert!(child("1").contains("built 0 images, None"));
    assert!(
        child("yes").contains("built 0 images, Some(\"VORTEX_LAZY_JIT=yes is not `0` or `1`\")")
    );
}
