//! What the compiler determines about a kernel. A fact is declared by one line here, and written by the pass that
//! determines it, into [`Function::facts`](super::Function::facts).

use crate::group::group;

group! {
    /// What the compiler found out about a kernel. Empty for a kernel that was not compiled.
    Facts, Kernel, Derived {
        /// Work items of a group, where every launch of the image has the same.
        known_block: [u32; 3];
        /// Lanes of a warp, where every device for the image has the same.
        known_lanes: u32;
        /// Number of the generation of Vortex that the image is for: 2 if nothing is said.
        generation: u32;
        /// The image reads a launch header after its arguments; a bare one does not.
        launch_header: bool;
        /// Work items of every launch in x, y and z, where the image is for one size.
        known_size: [u32; 3];
        /// How many of its coordinates in the launch a work item asks for, x first.
        coordinates: u32;
        /// A launch may have each lane do so many items of a row at once, a warp's width apart, of so many neighbouring
        /// rows; or, where it uses groups, the same item of so many groups of a row, of so many neighbouring rows.
        coarsening: [u32; 3];
        /// Launches have to say what the groups are.
        uses_groups: bool;
        /// Work items of a group wait for each other.
        uses_barrier: bool;
        /// Memory is changed by atomic operations.
        uses_atomics: bool;
        /// Bytes of local memory for each group.
        local_memory: u32;
        /// A function calls itself; the language has no way to say so.
        recursion: bool;
        /// Device functions that it calls, directly or through others.
        function_calls: Vec<String>;
        /// Every address in global memory that is accessed is an argument's, moved by arithmetic: none comes out of
        /// memory or of a number.
        no_indirect_global_access: bool;
        /// The program's variables and constants that it uses, each by its path, in the order in which it is given
        /// their addresses.
        globals: Vec<String>;
        /// Places in the source where a work item can fail.
        fault_sites: u32;
        /// Places in the source where it is checked that an index is in bounds.
        bounds_checks: u32;
        /// Those of which the compiler has proved that they cannot fail.
        bounds_checks_proved: u32;
        /// Those that are checked before the loop over a warp's work items, once for all of them.
        bounds_checks_before_items: u32;
        /// Those that are checked before a loop, once for all of its iterations.
        bounds_checks_before_loops: u32;
        /// Those that are checked at each access, and why.
        bounds_checks_kept: Vec<(String, String)>;
        /// Bytes of stack for each work item.
        stack: u32;
        /// Bytes of the image: code and constant tables.
        code_size: u32;
        /// Bytes of constant tables, at the end of the image.
        constants: u32;
        /// Work items print, or say something when they fail.
        prints: bool;
        /// Hints in its attributes that are not used, and why.
        warnings: Vec<String>;
        /// The images there are of it.
        image_variants: u32;
    }
}
