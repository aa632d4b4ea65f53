//! What docs/from-opencl.md and docs/from-cuda.md say of the other language, as clang reads it: whole programs, the
//! calls in their tables, and names. Skipped where there is no clang; what needs OpenCL's headers, where those are not.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Programs that may be clang, the one of Debian 13 first.
const CLANGS: [&str; 3] = ["clang-19", "clang-20", "clang"];

/// Text between backticks in the first column of a table.
struct Original {
    line: usize,
    section: String,
    text: String,
}

fn page(name: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("docs")
            .join(name),
    )
    .unwrap()
}

/// The page's program in the other language.
fn program(page: &str) -> &str {
    let rest = page.split_once("```cpp\n").unwrap().1;
    rest.split_once("```\n").unwrap().0
}

fn originals(page: &str) -> Vec<Original> {
    let mut section = String::new();
    let mut found = Vec::new();
    for (at, line) in page.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            title.clone_into(&mut section);
        }
        let Some(row) = line.strip_prefix("| ") else {
            continue;
        };
        let cell = row.split(" | ").next().unwrap_or_default();
        for text in cell.split('`').skip(1).step_by(2) {
            found.push(Original {
                line: at + 1,
                section: section.clone(),
                text: text.to_owned(),
            });
        }
    }
    found
}

/// What clang has to say of a text; `None` where there is no clang.
fn clang(arguments: &[&str], text: &str) -> Option<String> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(clang) = CLANGS.into_iter().find(is_there) else {
        println!(
            "skipped: there is no clang here, so the originals are not compiled (Debian's clang-19)"
        );
        return None;
    };
    let mut child = Command::new(clang)
        .args(["-fsyntax-only", "-ferror-limit=0", "-Wall", "-Wno-unused"])
        .args(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let said = child.wait_with_output().unwrap().stderr;
    Some(String::from_utf8(said).unwrap())
}

/// For SPIR, which has all extensions and features.
const OPENCL: [&str; 6] = [
    "--target=spir64",
    "-x",
    "cl",
    "-cl-std=CL3.0",
    "-Xclang",
    "-finclude-default-header",
];

/// The sections of the OpenCL page whose tables have what stands in kernels, and what there is around their calls.
const SECTIONS: [(&str, &str); 7] = [
    ("Ids", "void"),
    ("Barriers and fences", "int x, int c, size_t id"),
    ("Sub-group operations", "int x, int c, uint id"),
    (
        "Atomics",
        "volatile global int *x, int i, int v, volatile global atomic_int *p",
    ),
    (
        "Math functions",
        "float a, float b, float c, float x, uint n",
    ),
    ("printf and assertions", "float x"),
    (
        "Images",
        "read_only image2d_t image, sampler_t sampler, float2 coordinates, int x, int y",
    ),
];

/// What of the OpenCL page stands in kernels, with what there is around calls of it.
fn of_kernels(page: &str) -> Vec<(&'static str, Original)> {
    let all = originals(page);
    for (title, _) in SECTIONS {
        assert!(
            all.iter().any(|original| original.section == title),
            "docs/from-opencl.md has no table in a section `{title}`"
        );
    }
    let in_section = |original: Original| {
        let found = SECTIONS
            .iter()
            .find(|(title, _)| original.section == *title);
        found.map(|(_, parameters)| (*parameters, original))
    };
    all.into_iter().filter_map(in_section).collect()
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_part)
}

/// Whether a name is written as those of OpenCL's host interface are: `clFinish`, `cl_event`, `CL_SUCCESS`.
fn is_of_the_host(name: &str) -> bool {
    let is_next = |c: char| c == '_' || c.is_ascii_uppercase();
    let after = name.strip_prefix("cl");
    name.starts_with("CL_") || after.is_some_and(|after| after.starts_with(is_next))
}

#[test]
fn calls_of_opencl_are_those_of_opencl() {
    let mut text = String::new();
    let mut calls = 0;
    for (parameters, original) in of_kernels(&page("from-opencl.md")) {
        if original.text.ends_with(')') && !original.text.contains("..") {
            calls += 1;
            let (line, call) = (original.line, &original.text);
            writeln!(text, "#line {line} \"docs/from-opencl.md\"").unwrap();
            writeln!(text, "void call_{calls}({parameters}) {{ {call}; }}").unwrap();
        }
    }
    assert!(calls > 25, "only {calls} calls");
    if let Some(said) = clang(&OPENCL, &text) {
        assert!(said.is_empty(), "{said}");
    }
}

#[test]
fn names_of_opencl_are_those_of_opencl() {
    let mut text = String::new();
    let mut last = String::new();
    let mut names = 0;
    for (_, original) in of_kernels(&page("from-opencl.md")) {
        let (line, written) = (original.line, original.text.as_str());
        // `_xor` after `sub_group_shuffle`, `.._exclusive_add` after `sub_group_scan_inclusive_add`.
        let name = if let Some(ending) = written.strip_prefix("..") {
            let known = last
                .trim_end_matches(|c: char| c != '_')
                .trim_end_matches('_');
            format!("{}{ending}", known.rsplit_once('_').unwrap().0)
        } else if written.starts_with('_') {
            format!("{last}{written}")
        } else if written.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && !written.starts_with("CLK_")
        {
            format!("CLK_ADDRESS_{written}")
        } else {
            let name = written.split('(').next().unwrap_or_default();
            name.rsplit(' ')
                .next()
                .unwrap_or_default()
                .clone_into(&mut last);
            last.clone()
        };
        if is_name(&name) {
            names += 1;
            writeln!(text, "#line {line} \"docs/from-opencl.md\"").unwrap();
            // A call without arguments is none, but says whether there is the function.
            let used = match name.ends_with("_t") {
                true => format!("sizeof({name})"),
                false if name.starts_with("CLK_") => name,
                false => format!("{name}()"),
            };
            writeln!(text, "void name_{names}(void) {{ (void)({used}); }}").unwrap();
        }
    }
    assert!(names > 80, "only {names} names");
    if let Some(said) = clang(&OPENCL, &text) {
        let is_unknown = |line: &&str| line.contains("undeclared") || line.contains("implicit");
        let unknown: Vec<_> = said.lines().filter(is_unknown).collect();
        assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    }
}

#[test]
fn the_program_of_opencl_is_one() {
    let page = page("from-opencl.md");
    let program = program(&page);
    let lines = program
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"'));
    let lines = lines.filter_map(|line| line.split_once("\\n\"").map(|(line, _)| line));
    let kernel: Vec<_> = lines.collect();
    assert_eq!(kernel.len(), 4, "{kernel:?}");
    let Some(said) = clang(&OPENCL, &kernel.join("\n")) else {
        return;
    };
    assert!(said.is_empty(), "{said}");
    if !Path::new("/usr/include/CL/cl.h").exists() {
        println!("skipped: there are no headers of OpenCL here (Debian's opencl-c-headers)");
        return;
    }
    let mut text = String::from("#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\n");
    text += program;
    // Names of its host interface in the tables.
    let mut names = 0;
    for original in originals(&page) {
        let name = original.text.split('(').next().unwrap_or_default();
        if is_name(name) && is_of_the_host(name) {
            names += 1;
            let used = match name.starts_with("cl_") {
                true => format!("sizeof({name})"),
                false => name.to_owned(),
            };
            writeln!(text, "#line {} \"docs/from-opencl.md\"", original.line).unwrap();
            writeln!(text, "void name_{names}(void) {{ (void){used}; }}").unwrap();
        }
    }
    assert!(names > 10, "only {names} names");
    let said = clang(&["-x", "c", "-std=c11"], &text).unwrap();
    assert!(said.is_empty(), "{said}");
}

/// As much of CUDA's headers as the page's program needs, with the types that they have there.
const CUDA: &str = r#"
#include <cstdlib>
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1); };
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
typedef struct CUstream_st *cudaStream_t;
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
template <class T> cudaError_t cudaMalloc(T **pointer, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaFree(void *pointer);
__device__ void __syncthreads();
__device__ unsigned atomicAdd(unsigned *address, unsigned value);
"#;

#[test]
fn the_program_of_cuda_is_one() {
    let text = format!("{CUDA}\n{}", program(&page("from-cuda.md")));
    let host = [
        "-x",
        "cuda",
        "--cuda-host-only",
        "-nocudainc",
        "-nocudalib",
        "-std=c++17",
    ];
    if let Some(said) = clang(&host, &text) {
        assert!(said.is_empty(), "{said}");
    }
}
