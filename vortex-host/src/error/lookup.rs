//! What can be wrong with the name of a kernel.

use crate::name::Name;

/// Why a name means no kernel, or no single one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// A module has no kernel of this name.
    #[error("there is no kernel `{kernel}` in this module{}", others(.kernels))]
    NoKernel {
        /// The name that was asked for.
        kernel: String,
        /// Those that there are.
        kernels: String,
    },

    /// The program has no kernel of this name.
    #[error("there is no kernel `{kernel}` in this program{}", others(.kernels))]
    UnknownKernel {
        /// The name that was asked for.
        kernel: String,
        /// Those that there are.
        kernels: String,
    },

    /// Several kernels of the program have this name.
    #[error(
        "there are two kernels `{kernel}`: {first}, and {second}; write so much of the path that \
         it fits one, or give one of them a `name = \"..\"`"
    )]
    AmbiguousKernel {
        /// The name that was asked for.
        kernel: String,
        /// The path of one of them, and where it is.
        first: String,
        /// The path of another one, and where that is.
        second: String,
    },

    /// A module has a kernel of this name, but it is another one.
    #[error(
        "the kernel {kernel} at {at} is not the one of module `{module}`, which is at {other_at}: they take other arguments"
    )]
    OtherKernel {
        /// The name that was asked for.
        kernel: Name,
        /// Where it is.
        at: String,
        /// Name of the module.
        module: Name,
        /// Where the other one is.
        other_at: String,
    },

    /// Two kernels of a module have the same name.
    #[error(
        "two kernels are called `{kernel}`, at {first} and at {second}; give one of them a `name = \"..\"`"
    )]
    DuplicateKernel {
        /// The name that was asked for.
        kernel: Name,
        /// Where the first one is.
        first: String,
        /// Where the second one is.
        second: String,
    },

    /// There is no kernel of this name, neither in the program nor in files.
    #[error(
        "there is no kernel `{kernel}` in this program, and no file `{file}` {searched}{}",
        match kernels.as_str() {
            "" => String::new(),
            kernels => format!("; the program's kernels are {kernels}"),
        }
    )]
    NoFile {
        /// The name that was asked for.
        kernel: String,
        /// The file that was looked for.
        file: String,
        /// The directories that were searched.
        searched: String,
        /// The kernels of the program.
        kernels: String,
    },
}

/// Which kernels there are instead of the one that was named.
fn others(kernels: &str) -> String {
    match kernels {
        "" => ", and no other either".to_owned(),
        kernels => format!("; its kernels are {kernels}"),
    }
}
