//! The limits of files.
//!
//! A file may be untrusted. The host memory for reading it and loading its contents is bounded by its size times a
//! constant, [`MOST_GROWTH`]; so nothing is allocated by a size that the file merely states. What is not in the file,
//! the initial zeros of variables, is device memory, limited to [`MOST_ZEROS`]. docs/registry.md documents that for
//! users.

use std::collections::HashMap;

use vortex_kernel::ir::GlobalVariable;
use vortex_kernel::meta::{KernelInfo, ModuleInfo};

use crate::error::ModuleError;
use crate::image::record::Record;
use crate::name::Name;

/// Bytes of host memory for each byte of a file, at most.
#[cfg(test)]
pub(super) const MOST_GROWTH: usize = 144;

/// Kernels, device functions, variables or entries of a bundle.
pub(super) const MOST_ITEMS: usize = 16 << 10;

/// Bytes of an argument struct.
const MOST_ARGUMENTS: u32 = 64 << 10;

/// Bytes of all variables that the kernels of a module use.
const MOST_ZEROS: u64 = 256 << 20;

/// Registers that can count items.
const REGISTERS: u8 = 32;

/// Refuses a module whose parts contradict each other, or that asks for more than a module may.
pub(super) fn check(info: &ModuleInfo, records: &[Record]) -> Result<(), ModuleError> {
    for (what, count) in [
        ("kernels", info.kernels.len()),
        ("device functions", info.functions.len()),
        ("variables", info.globals.len()),
    ] {
        if count > MOST_ITEMS {
            return Err(ModuleError::TooMany {
                what,
                count,
                most: MOST_ITEMS,
            });
        }
    }
    info.kernels.iter().try_for_each(check_arguments)?;
    check_places(info, records)?;
    check_variables(records)?;
    let wild = |record: &Record| {
        let mut counters = record.item_counters().iter();
        counters.any(|entry| entry.register >= REGISTERS)
    };
    match records.iter().any(wild) {
        true => Err(ModuleError::Images),
        false => Ok(()),
    }
}

/// Arguments lie in the argument struct of their kernel, and that is no larger than any kernel's.
fn check_arguments(kernel: &KernelInfo) -> Result<(), ModuleError> {
    let size = kernel.args_size;
    let fits = |end: Option<u32>| end.is_some_and(|end| end <= size);
    let all_fit = (kernel.args.iter()).all(|arg| fits(arg.offset.checked_add(arg.size)));
    if size > MOST_ARGUMENTS || !all_fit {
        return Err(ModuleError::Arguments {
            kernel: Name::from(&kernel.name),
            size,
            most: MOST_ARGUMENTS,
        });
    }
    Ok(())
}

/// No two images share bytes: each gets a copy of its own.
fn check_places(info: &ModuleInfo, records: &[Record]) -> Result<(), ModuleError> {
    let mut ranges: Vec<_> = records.iter().map(Record::range).collect();
    ranges.sort_by_key(|range| range.start);
    match ranges.windows(2).any(|pair| pair[0].end > pair[1].start) {
        true => Err(ModuleError::SharedBytes {
            module: Name::from(&info.name),
        }),
        false => Ok(()),
    }
}

/// Variables hold at first what they have room for, and all of them together find room.
fn check_variables(records: &[Record]) -> Result<(), ModuleError> {
    let mut sizes: HashMap<(&str, &str), u64> = HashMap::new();
    for variable in records.iter().flat_map(Record::globals) {
        let GlobalVariable { size, first, .. } = variable;
        if !first.is_empty() && first.len() != *size as usize {
            return Err(ModuleError::Variable {
                variable: variable.path().into(),
                bytes: first.len(),
                size: *size,
            });
        }
        // Several kernels can use one.
        let known = sizes.entry((&variable.module, &variable.name)).or_default();
        *known = (*known).max(u64::from(*size));
    }
    let all = sizes.values().sum();
    match all > MOST_ZEROS {
        true => Err(ModuleError::Variables {
            size: all,
            most: MOST_ZEROS,
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vortex_kernel::codegen::{Image, ItemCounterEntry};
    use vortex_kernel::ir::SourceLoc;
    use vortex_kernel::meta::FunctionInfo;

    fn image(globals: Vec<GlobalVariable>) -> Image {
        Image {
            bytes: vec![0; 64],
            globals,
            ..Image::default()
        }
    }

    fn variable(name: &str, size: u32, first: Vec<u8>) -> GlobalVariable {
        GlobalVariable {
            name: name.to_owned(),
            module: "m".to_owned(),
            loc: SourceLoc {
                file: String::new(),
                line: 0,
                column: 0,
            },
            ty: String::new(),
            size,
            align: 4,
            is_const: false,
            first,
        }
    }

    fn checked(info: &ModuleInfo, images: &[(u32, Image)]) -> String {
        let records = images
            .iter()
            .map(|(at, image)| Record::new(0, None, *at, image));
        let records: Vec<Record> = records.collect();
        match check(info, &records) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn images_that_share_bytes_are_refused() {
        let info = ModuleInfo::named("m");
        let at = |offsets: [u32; 2]| checked(&info, &offsets.map(|at| (at, image(Vec::new()))));
        assert_eq!(at([64, 0]), "");
        let shared = "the images of module `m` are damaged: two of them share bytes of the file";
        for offsets in [[0, 0], [0, 60], [100, 64], [u32::MAX, u32::MAX]] {
            assert_eq!(at(offsets), shared);
        }
    }

    #[test]
    fn sizes_are_not_believed() {
        let kernel = |args_size| KernelInfo {
            name: "k".to_owned(),
            args_size,
            ..KernelInfo::default()
        };
        let info = |args_size| ModuleInfo {
            kernels: vec![kernel(args_size)],
            ..ModuleInfo::named("m")
        };
        assert_eq!(checked(&info(MOST_ARGUMENTS), &[]), "");
        assert!(checked(&info(MOST_ARGUMENTS + 1), &[]).starts_with("the arguments of kernel `k`"));

        let module = ModuleInfo::named("m");
        let with = |globals| checked(&module, &[(0, image(globals))]);
        assert_eq!(
            with(vec![
                variable("V", 8, vec![0; 8]),
                variable("W", 256, Vec::new())
            ]),
            ""
        );
        assert_eq!(
            with(vec![variable("V", 8, vec![0; 9])]),
            "the variable `m::V` has 8 bytes, but 9 to hold at first"
        );
        let large = |name| variable(name, 200 << 20, Vec::new());
        assert_eq!(with(vec![large("V"), large("V")]), "");
        assert_eq!(
            with(vec![large("V"), large("W")]),
            "the variables of this file take 419430400 bytes; a module has at most 268435456"
        );
    }

    #[test]
    fn numbers_of_things_have_limits() {
        let info = ModuleInfo {
            functions: vec![FunctionInfo::default(); MOST_ITEMS + 1],
            ..ModuleInfo::named("m")
        };
        assert_eq!(
            checked(&info, &[]),
            "this file has 16385 device functions; a module has at most 16384"
        );
        let mut wild = image(Vec::new());
        wild.item_counters.push(ItemCounterEntry {
            offset: 0,
            end: 4,
            register: 32,
        });
        assert_ne!(checked(&ModuleInfo::named("m"), &[(0, wild)]), "");
    }
}
