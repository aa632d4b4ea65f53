//! Kernels started by programs in C through Vortex's own interface, with the header of `vortex inspect`: one is the
//! program in docs/metadata.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use vortex::Module;
use vortex::meta::view::c_header;
use vortex::prelude::*;

use super::libvortex::{DRIVER, install, is_in_use, is_version_3, text};

#[vortex::kernel]
fn metadata_kernel(count: i32, input: *const i32, scale: f32, output: *mut i32) {
    let i = global_id();
    if i < count as usize {
        // SAFETY: the host passes pointers to `count` elements each.
        unsafe { *output.add(i) = (*input.add(i) as f32 * scale) as i32 };
    }
}

/// Each group's sum of what its items bring along, through local memory of which the host says how much.
#[vortex::kernel]
fn group_sums(tile: &mut Local<[u32]>, factor: u32, sums: &mut [u32]) {
    let i = local_id();
    tile[i] = global_id() as u32 * factor;
    barrier();
    if i == 0 {
        let mut sum = 0;
        for k in 0..local_size() {
            sum += tile[k];
        }
        sums[group_id()] = sum;
    }
}

#[vortex::kernel]
fn say(number: u32) {
    println!("{}", number + global_id() as u32);
}

/// Groups, their local memory, failures and prints.
const GROUPS: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <vortex.h>

#include "group_sums.h"

static vx_device_h device;

static uint32_t number(uint32_t id) {
    uint64_t value;
    assert(vx_dev_caps(device, id, &value) == 0);
    return (uint32_t)value;
}

static vx_buffer_h upload(const void *bytes, uint64_t size, uint32_t *address) {
    vx_buffer_h buffer;
    uint64_t at;
    assert(vx_mem_alloc(device, size, VX_MEM_READ_WRITE, &buffer) == 0);
    assert(vx_copy_to_dev(buffer, bytes, 0, size) == 0);
    assert(vx_mem_address(buffer, &at) == 0);
    *address = (uint32_t)at;
    return buffer;
}

static void start(const char *image, const void *launch, uint64_t size) {
    vx_buffer_h kernel, block;
    uint32_t address;
    assert(vx_upload_kernel_file(device, image, &kernel) == 0);
    block = upload(launch, size, &address);
    assert(vx_start(device, kernel, block) == 0);
    assert(vx_ready_wait(device, VX_MAX_TIMEOUT) == 0);
    assert(vx_mem_free(kernel) == 0 && vx_mem_free(block) == 0);
}

enum { MOST = 64 };

int main(void) {
    assert(vx_dev_open(&device) == 0);
    vortex_device_t shape = {number(VX_CAPS_NUM_CORES), number(VX_CAPS_NUM_WARPS), number(VX_CAPS_NUM_THREADS),
                             number(VX_CAPS_LOCAL_MEM_SIZE)};
    uint32_t memory, sums[MOST] = {0};
    void *zeros = calloc(1, group_sums_memory(&shape));
    vx_buffer_h areas = upload(zeros, group_sums_memory(&shape), &memory);
    group_sums_launch_t launch;
    vx_buffer_h out = upload(sums, sizeof sums, &launch.args.sums);
    launch.args.sums_len = MOST;
    launch.args.factor = 3;

    /* As the program says, and as the header chooses. */
    for (int way = 0; way < 2; way++) {
        uint32_t grid[3] = {7, 3, 1}, block[3] = {4, 2, 1};
        launch.args.tile = 16;
        if (way == 0) {
            assert(group_sums_fill(&launch, &shape, memory, grid, block) == 0);
        } else {
            assert(group_sums_init(&launch, &shape, memory, 40) == 0);
            launch.args.tile = launch.header.group.items;
            assert(group_sums_init(&launch, &shape, memory, 40) == 0);
        }
        start("group_sums.vxbin", &launch, sizeof launch);
        assert(vx_copy_from_dev(sums, out, 0, sizeof sums) == 0);
        uint64_t sum = 0, n = launch.header.total;
        for (uint32_t group = 0; group < launch.header.group.count; group++)
            sum += sums[group];
        assert(way == 0 ? n == 168 : n == 40);
        assert(sum == 3 * n * (n - 1) / 2);
    }

    /* What cannot be. */
    uint32_t one[3] = {1, 1, 1}, none[3] = {1, 0, 1}, many[3] = {1u << 16, 1u << 16, 1};
    assert(group_sums_fill(&launch, &shape, memory, one, none) == -1);
    assert(group_sums_fill(&launch, &shape, memory, none, one) == -1);
    assert(group_sums_fill(&launch, &shape, memory, many, one) == -1);
    assert(group_sums_fill(&launch, &shape, memory, one, many) == -1);
    uint32_t large[3] = {shape.warps * shape.threads + 1, 1, 1};
    assert(group_sums_fill(&launch, &shape, memory, one, large) == -1);
    assert(group_sums_init(&launch, &shape, memory, 0) == -1);
    launch.args.tile = shape.local_memory / 4 + 1;
    assert(group_sums_init(&launch, &shape, memory, 40) == -1);

    /* Too few sums for the groups: the record says where. */
    uint32_t failed;
    vortex_fault_t fault;
    launch.args.tile = 1;
    launch.args.sums_len = 0;
    assert(group_sums_fill(&launch, &shape, memory, one, one) == 0);
    assert(vx_copy_from_dev(&failed, areas, 0, sizeof failed) == 0 && failed == 0);
    start("group_sums.vxbin", &launch, sizeof launch);
    assert(vx_copy_from_dev(&failed, areas, 0, sizeof failed) == 0 && failed != 0);
    assert(vx_copy_from_dev(&fault, areas, sizeof fault, sizeof fault) == 0);
    assert(fault.site != 0 && fault.item == 0);

    say_launch_t said;
    zeros = realloc(zeros, say_memory(&shape));
    memset(zeros, 0, say_memory(&shape));
    areas = upload(zeros, say_memory(&shape), &memory);
    said.args.number = 42;
    assert(say_init(&said, &shape, memory, 1) == 0);
    start("say.vxbin", &said, sizeof said);
    uint32_t used, record[3];
    assert(vx_copy_from_dev(&used, areas, vortex_fault_bytes(&shape), sizeof used) == 0);
    assert(used == sizeof record);
    uint64_t records = said.header.print_records - memory;
    assert(vx_copy_from_dev(record, areas, records, sizeof record) == 0 && record[2] == 42);
    puts("groups, failures and prints");
    return vx_dev_close(device);
}
"#;

/// A kernel that is started with its arguments and nothing else.
const BARE: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <vortex.h>

#include "metadata_kernel.h"

enum { COUNT = 1000 };

static vx_device_h device;

static uint32_t upload(const void *bytes, uint64_t size, vx_buffer_h *buffer) {
    uint64_t at;
    assert(vx_mem_alloc(device, size, VX_MEM_READ_WRITE, buffer) == 0);
    assert(vx_copy_to_dev(*buffer, bytes, 0, size) == 0);
    assert(vx_mem_address(*buffer, &at) == 0);
    return (uint32_t)at;
}

int main(void) {
    static int32_t input[COUNT], output[COUNT];
    for (int i = 0; i < COUNT; i++)
        input[i] = i - 500;
    vx_buffer_h in, out, kernel, arguments;
    assert(vx_dev_open(&device) == 0);
    metadata_kernel_args_t args = {.count = COUNT, .scale = 2.5f};
    args.input = upload(input, sizeof input, &in);
    args.output = upload(output, sizeof output, &out);
    assert(sizeof args == 16);
    upload(&args, sizeof args, &arguments);
    assert(vx_upload_kernel_file(device, "metadata_kernel.vxbin", &kernel) == 0);
    assert(vx_start(device, kernel, arguments) == 0);
    assert(vx_ready_wait(device, VX_MAX_TIMEOUT) == 0);
    assert(vx_copy_from_dev(output, out, 0, sizeof output) == 0);
    for (int i = 0; i < COUNT; i++)
        assert(output[i] == (int32_t)((float)input[i] * 2.5f));
    puts("16 bytes are enough");
    return vx_dev_close(device);
}
"#;

/// The program in the documentation.
fn documented() -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/metadata.md"));
    let page = page.unwrap();
    let (_, program) = page.split_once("```c\n").unwrap();
    program.split_once("```").unwrap().0.to_owned()
}

/// Compiles a program that links to the runtime in a directory.
fn compile(directory: &Path, runtime: &Path, source: &str) -> PathBuf {
    let capi = Path::new(env!("CARGO_MANIFEST_DIR")).join("vortex-host/capi/tests");
    let file = directory.join("program.c");
    fs::write(&file, source).unwrap();
    let program = directory.join("program");
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(capi)
        .arg("-o")
        .args([&program, &file])
        .arg("-L")
        .arg(runtime)
        .arg("-lvortex")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    program
}

/// Sees to what a program prints that runs kernels of a module, on the installed runtime or on the one compiled here,
/// in several shapes.
fn run(name: &str, source: &str, device: &Device, module: &Module, expected: &str) {
    let runtime = install(&format!("from-c-runtime-{name}"), &[]);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("from-c-{name}"));
    module.write_dir(&directory).unwrap();
    for kernel in module.kernels() {
        let header = directory.join(format!("{}.h", kernel.name));
        fs::write(header, c_header(module.info())).unwrap();
    }
    let program = compile(&directory, &runtime, source);
    let run = |variables: &[(&str, &str)]| {
        let mut command = Command::new(&program);
        command.current_dir(&directory);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{variables:?}: {out}{err}");
        assert_eq!(out, expected, "{variables:?}");
    };
    if is_in_use() {
        return run(&[]);
    }
    assert_eq!(device.caps().cores, 4);
    let runtime = runtime.to_str().unwrap();
    for [cores, warps, threads] in [["1", "4", "4"], ["3", "2", "8"], ["4", "16", "32"]] {
        run(&[
            ("LD_LIBRARY_PATH", runtime),
            ("VORTEX_DRIVER", DRIVER),
            ("VORTEX_CORES", cores),
            ("VORTEX_WARPS", warps),
            ("VORTEX_THREADS", threads),
        ]);
    }
}

#[test]
fn the_program_in_the_documentation_runs_its_kernel() {
    // Version 3 has another interface for programs.
    if is_version_3() {
        return;
    }
    let device = Device::open().unwrap();
    let module = Module::builder("from_c").kernel::<metadata_kernel>();
    let module = module.device(&device).build().unwrap();
    run(
        "documented",
        &documented(),
        &device,
        &module,
        "1000 elements are right\n",
    );
}

#[test]
fn groups_failures_and_prints_can_be_had_from_c() {
    if is_version_3() {
        return;
    }
    let device = Device::open().unwrap();
    let module = Module::builder("from_c").kernel::<group_sums>();
    let module = module.kernel::<say>().device(&device).build().unwrap();
    run(
        "groups",
        GROUPS,
        &device,
        &module,
        "groups, failures and prints\n",
    );
}

#[test]
fn bare_images_need_their_arguments_only() {
    if is_version_3() {
        return;
    }
    let device = Device::open().unwrap();
    let module = Module::builder("from_c").kernel::<metadata_kernel>();
    // More work items than elements.
    let module = module.device(&device).bare_over(1024).build().unwrap();
    let header = c_header(module.info());
    assert!(header.ends_with(
        "\n/* metadata_kernel is a bare image: it is started with metadata_kernel_args_t, runs 1024 x 1 x 1 work items, \
         and reports no failures. */\n"
    ));
    assert!(!header.contains("metadata_kernel_launch_t"));
    run("bare", BARE, &device, &module, "16 bytes are enough\n");
}
