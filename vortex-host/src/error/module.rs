//! What can be wrong with a module.

use thiserror::Error;
use vortex_kernel::meta::MetadataError;
use vortex_sim::{Count, ImageError};

use crate::name::Name;

/// Why a module could not be read or linked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModuleError {
    /// Two different kernels have one name.
    #[error(
        "two kernels are called `{kernel}`: one in module `{first}` ({first_at}), one in module `{second}` ({second_at})"
    )]
    Collision {
        /// The name that both have.
        kernel: Name,
        /// Name of a module with such a kernel.
        first: Name,
        /// Where that kernel is declared.
        first_at: String,
        /// Name of another one.
        second: Name,
        /// Where that kernel is declared.
        second_at: String,
    },
    /// Modules for different targets.
    #[error("the modules `{first}` and `{second}` are made for different devices")]
    Targets {
        /// Name of a module.
        first: Name,
        /// Name of another one, for another target.
        second: Name,
    },
    /// An ELF file that cannot be read; why follows.
    #[error("this ELF file is damaged: {0}")]
    Damaged(String),
    /// A third-party ELF file, which lacks this section.
    #[error("this ELF file holds no kernels of this library: there is no section `{0}`")]
    NoSection(&'static str),
    /// A section of metadata that cannot be read.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// Neither an ELF file nor a bundle.
    #[error("this is no file of kernels: neither an ELF file nor a bundle")]
    Foreign,
    /// Several kernels for a file that holds one.
    #[error(
        "a .vxbin file holds several kernels on Vortex 3 only, and this module is for Vortex 2: `Module::write_dir` writes \
         a file for each kernel"
    )]
    OneProgram,
    /// A `.vxbin` file without what belongs to it.
    #[error(
        "a .vxbin file is only code: `{beside}`, which `Module::write_dir` writes beside it, says what its arguments are, and there is none; a program \
         of other origin is launched with the bytes of its arguments, by `device.raw_image(..)`"
    )]
    Alone {
        /// Name of the file that is missing.
        beside: String,
    },
    /// Metadata next to a `.vxbin` file, without what is needed to run it.
    #[error(
        "the metadata beside this file does not say how to run it; `Module::write_dir` writes both files"
    )]
    NoRecord,
    /// Metadata next to a `.vxbin` file, of another one.
    #[error("the metadata beside this file is of another image")]
    OtherImage,
    /// Two kernels whose names are the same to a file system.
    #[error(
        "the kernels `{first}` and `{second}` would both be written to files called `{file}`; write them to two directories, each with `Module::filter`, \
         or give one another name with `name = \"..\"`"
    )]
    SameFile {
        /// Name of a kernel.
        first: Name,
        /// Name of another one.
        second: Name,
        /// Name of the files, without what they end in.
        file: String,
    },
    /// A bundle that cannot be read.
    #[error("this bundle is damaged")]
    Bundle,
    /// Two entries of a bundle with one id.
    #[error("the bundle has an entry `{id}` already")]
    Id {
        /// The id that both have.
        id: Name,
    },
    /// A bundle without an entry for a device.
    #[error("no entry of the bundle is for this device, which has {device}: {entries}")]
    NoEntry {
        /// What the device has: its shape and extensions, in words.
        device: String,
        /// Each entry, and what it is made for.
        entries: String,
    },
    /// A word that is not an instruction, in the code of a kernel.
    #[error(
        "the image of kernel `{kernel}` is damaged: there is no instruction at its byte {offset}"
    )]
    Instruction {
        /// Name of the kernel.
        kernel: Name,
        /// Bytes from the start of the kernel's image.
        offset: usize,
    },
    /// A third-party program that cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// More of something than a module may have.
    #[error("this file has {count} {what}; a module has at most {most}")]
    TooMany {
        /// What there are too many of, in the plural.
        what: &'static str,
        /// How many the file has.
        count: usize,
        /// The most that a module may have.
        most: usize,
    },
    /// Arguments that are not in their argument struct, or a struct that is larger than any kernel's.
    #[error(
        "the arguments of kernel `{kernel}` do not fit the {size} bytes that they are said to take, or these are more than {most}"
    )]
    Arguments {
        /// Name of the kernel.
        kernel: Name,
        /// Bytes of the argument struct, as the file says.
        size: u32,
        /// The most that it may have, in bytes.
        most: u32,
    },
    /// Images that overlap.
    #[error("the images of module `{module}` are damaged: two of them share bytes of the file")]
    SharedBytes {
        /// Name of the module.
        module: Name,
    },
    /// A variable with a first value of another size.
    #[error("the variable `{variable}` has {}, but {bytes} to hold at first", Count(*.size, "byte"))]
    Variable {
        /// Path of the variable.
        variable: Name,
        /// Bytes of its first value.
        bytes: usize,
        /// Bytes that the variable has.
        size: u32,
    },
    /// More device memory for variables than a module may have.
    #[error("the variables of this file take {size} bytes; a module has at most {most}")]
    Variables {
        /// Bytes of all of them.
        size: u64,
        /// The most that a module may have, in bytes.
        most: u64,
    },
    /// A section of images that does not fit the metadata.
    #[error("the images in this file do not fit its metadata")]
    Images,
    /// An impossible statement about a kernel.
    #[error("what is said of kernel `{kernel}` cannot be: {problem}")]
    Kernel {
        /// Name of the kernel.
        kernel: String,
        /// What cannot be, in words.
        problem: &'static str,
    },
}
