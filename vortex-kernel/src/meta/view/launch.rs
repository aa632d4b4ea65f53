//! What a C program needs to start an image: the launch block of a kernel, and functions that fill it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::View as _;
use super::c::{CHeader, identifier};
use crate::abi::{EXCHANGE_WORD, LOCKS, LaunchHeader};
use crate::ir::{self, MAX_PANIC_WORDS};
use crate::meta::{ArgInfo, ArgKind, KernelInfo, ModuleInfo};
use crate::tensor::TensorMemory;

/// Bytes of records that each hardware thread has room for, in the memory that C programs give a launch.
const PRINT_ROOM: u32 = 1024;

/// The argument structs and launch blocks of all kernels of a module, each under a name of its own: a header file for C
/// and C++.
///
/// A kernel that was not compiled has no launch block, as it is not known what it reads.
#[must_use]
pub fn c_header(module: &ModuleInfo) -> String {
    let mut text = common();
    let mut taken: HashSet<String> = HashSet::new();
    // Of each name, the number that is tried next.
    let mut numbers: HashMap<String, u64> = HashMap::new();
    for kernel in &module.kernels {
        let mut header = CHeader::of(kernel);
        let wanted = header.name.clone();
        let number = numbers.entry(wanted.clone()).or_insert(1);
        while !taken.insert(header.name.clone()) {
            *number += 1;
            header.name = format!("{wanted}_{number}");
        }
        text += &format!("\n{header}\n");
        if kernel.facts.launch_header == Some(false) {
            text += &format!("\n{}", bare(&header.name, kernel));
        } else if let Some(uses_groups) = kernel.facts.uses_groups {
            let launch = CLaunch {
                name: header.name,
                kernel,
                uses_groups,
            };
            text += &format!("\n{launch}");
        }
    }
    text
}

/// What starts an image without a launch header: the arguments.
fn bare(name: &str, kernel: &KernelInfo) -> String {
    let runs = match kernel.facts.known_size {
        Some([x, y, z]) => format!("{x} x {y} x {z} work items"),
        None if kernel.facts.uses_groups == Some(true) => {
            "one work group for each hardware thread".to_owned()
        }
        None => "one work item for each hardware thread".to_owned(),
    };
    let with = match kernel.args_size {
        0 => "nothing".to_owned(),
        _ => format!("{name}_args_t"),
    };
    format!(
        "/* {name} is a bare image: it is started with {with}, runs {runs}, and reports no failures. */\n"
    )
}

/// What all kernels have in common.
fn common() -> String {
    include_str!("launch.h")
        .replace("FAULT_OPERANDS", &MAX_PANIC_WORDS.to_string())
        .replace("EXCHANGE_BYTES", &EXCHANGE_WORD.to_string())
        .replace("LOCK_BYTES", &(LOCKS * 4).to_string())
        .replace("PRINT_ROOM", &PRINT_ROOM.to_string())
}

/// The launch block of a kernel.
struct CLaunch<'a> {
    /// Name of the kernel in C.
    name: String,
    kernel: &'a KernelInfo,
    uses_groups: bool,
}

impl CLaunch<'_> {
    fn block(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, args) = (&self.name, self.kernel.args_size);
        let globals = self.kernel.facts.globals.as_deref().unwrap_or_default();
        writeln!(f, "/* What {name} is started with. */")?;
        writeln!(f, "typedef struct {{")?;
        if args > 0 {
            writeln!(f, "    {name}_args_t args;")?;
        }
        writeln!(f, "    vortex_header_t header;")?;
        if !globals.is_empty() {
            let names: Vec<_> = globals.iter().map(|path| identifier(path)).collect();
            let names = names.join(", ");
            writeln!(
                f,
                "    uint32_t variables[{}]; /* addresses of {names} */",
                globals.len()
            )?;
        }
        writeln!(f, "}} {name}_launch_t;")?;
        let size = args as usize + size_of::<LaunchHeader>() + 4 * globals.len();
        writeln!(
            f,
            "_Static_assert(offsetof({name}_launch_t, header) == {args} && sizeof({name}_launch_t) == {size}, \
             \"the layout of the launch block\");"
        )
    }

    fn memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prints = match self.prints() {
            true => " + vortex_print_bytes(device)",
            false => "",
        };
        writeln!(
            f,
            "\n/* Bytes of device memory, zeros, that a launch writes faults{} to. */\n\
             static inline uint32_t {}_memory(const vortex_device_t *device) {{\n    \
             return vortex_fault_bytes(device){prints};\n}}",
            if self.prints() { " and prints" } else { "" },
            self.name
        )
    }

    fn prints(&self) -> bool {
        self.kernel.facts.prints == Some(true)
    }

    /// Conditions on a launch that the image relies on.
    fn conditions(&self) -> Vec<String> {
        let lanes = self.kernel.facts.known_lanes;
        let lanes = lanes.map(|lanes| format!("device->threads != {lanes}"));
        let block = self.kernel.facts.known_block.filter(|_| self.uses_groups);
        let axes = block.map(|block| {
            let axes = block.iter().enumerate();
            let axes: Vec<_> = axes
                .map(|(axis, n)| format!("block[{axis}] != {n}"))
                .collect();
            axes.join(" || ")
        });
        lanes.into_iter().chain(axes).collect()
    }

    /// Bytes of local memory of each group, as an expression.
    fn local_bytes(&self) -> String {
        let mut sum = self.kernel.facts.local_memory.unwrap_or(0).to_string();
        let (header, firsts) = CHeader::with_firsts(self.kernel);
        for (arg, first) in self.kernel.args.iter().zip(firsts) {
            let member = match arg.kind {
                ArgKind::LocalSize => first,
                ArgKind::Tensor if self.is_sized_by_launch(arg) => first + 1,
                _ => continue,
            };
            let (size, align) = (arg.element_size, ir::MAX_ALIGN - 1);
            let member = &header.members[member].name;
            sum += &format!(
                " + (((uint64_t)launch->args.{member} * {size} + {align}) & ~(uint64_t){align})"
            );
        }
        sum
    }

    /// Whether the launch says how large the shards of a tensor are that groups have in local memory.
    fn is_sized_by_launch(&self, arg: &ArgInfo) -> bool {
        let tensor = self.kernel.tensors.tensor(&arg.name);
        let buffer = tensor.and_then(|tensor| tensor.buffer);
        let in_l1 = buffer.is_some_and(|buffer| buffer.memory == TensorMemory::L1);
        in_l1 && arg.tensor_extents().is_none()
    }

    fn fill(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        writeln!(
            f,
            "\n/* Fills the header for groups of block work items, and grid of them. `memory` is the address of\n \
             * {name}_memory(device) bytes that are 0. Set the arguments first. Returns 0, or -1 if the kernel has no \
             such\n \
             * launch on this device. */"
        )?;
        writeln!(
            f,
            "static inline int {name}_fill({name}_launch_t *launch, const vortex_device_t *device, uint32_t memory,\n    \
             const uint32_t grid[3], const uint32_t block[3]) {{"
        )?;
        for condition in self.conditions() {
            writeln!(f, "    if ({condition})\n        return -1;")?;
        }
        writeln!(f, "    memset(&launch->header, 0, sizeof launch->header);")?;
        writeln!(
            f,
            "    vortex_areas(&launch->header, device, memory, {});",
            self.prints()
        )?;
        match self.uses_groups {
            true => writeln!(
                f,
                "    return vortex_fill_groups(&launch->header, device, grid, block, {});",
                self.local_bytes()
            )?,
            false => writeln!(
                f,
                "    return vortex_fill_items(&launch->header, device, grid, block);"
            )?,
        }
        writeln!(f, "}}")
    }

    fn init(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        writeln!(
            f,
            "\n/* The same for n work items{}. */",
            match (self.uses_groups, self.kernel.facts.known_block) {
                (false, _) => "",
                (true, Some(_)) => ", which are whole groups",
                (true, None) =>
                    ", in groups as large as a core runs at a time and n can be divided by",
            }
        )?;
        writeln!(
            f,
            "static inline int {name}_init({name}_launch_t *launch, const vortex_device_t *device, uint32_t memory,\n    \
             uint32_t n) {{"
        )?;
        let block = self.kernel.facts.known_block.filter(|_| self.uses_groups);
        match (self.uses_groups, block) {
            (false, _) => writeln!(
                f,
                "    uint32_t grid[3] = {{n, 1, 1}}, block[3] = {{1, 1, 1}};"
            )?,
            (true, Some([x, y, z])) => {
                let items = u64::from(x) * u64::from(y) * u64::from(z);
                writeln!(
                    f,
                    "    uint32_t grid[3] = {{n / {items}u, 1, 1}}, block[3] = {{{x}, {y}, {z}}};\n    \
                     if (n % {items}u != 0)\n        return -1;"
                )?;
            }
            (true, None) => writeln!(
                f,
                "    uint32_t grid[3] = {{n, 1, 1}}, block[3] = {{device->warps * device->threads, 1, 1}};\n    \
                 while (block[0] > 1 && n % block[0] != 0)\n        block[0]--;\n    \
                 if (block[0] > 0)\n        grid[0] = n / block[0];"
            )?,
        }
        writeln!(
            f,
            "    return {name}_fill(launch, device, memory, grid, block);\n}}"
        )
    }
}

impl fmt::Display for CLaunch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.block(f)?;
        self.memory(f)?;
        self.fill(f)?;
        self.init(f)
    }
}
