//! What the compiler determines about device functions, and facts about a module.

use crate::group::group;

group! {
    /// What the compiler found out about a device function.
    FunctionFacts, Function, Derived {
        /// Its code is part of its callers'.
        inlined: bool;
        /// How often it is called in the source of its callers.
        call_sites: u32;
        /// It calls itself; the language has no way to say so.
        recursive: bool;
        /// It is called through a pointer; the language has no way to say so.
        address_taken: bool;
    }
}

group! {
    /// What holds for all of a module.
    ModuleValues, Module, Derived {
        /// Version of the kernel language.
        language_version: String;
        /// Name of the compiler.
        compiler: String;
        /// Version of the compiler.
        compiler_version: String;
        /// How it was called.
        options: Vec<String>;
        /// Cores, warps per core and threads per warp of the device that the module was made for.
        shape: (u32, u32, u32);
        /// The instruction set, extension by extension.
        isa: Vec<String>;
        /// The same as Vortex's runtime numbers it.
        isa_flags: u64;
        /// What the module needs beyond the released Vortex.
        features: Vec<String>;
        /// Bytes of all global variables and constants.
        globals_size: u32;
    }
}
