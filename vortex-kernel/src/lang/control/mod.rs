//! Control flow: branches and loops, patterns, functions and methods, and what a kernel is called with.

pub(in crate::lang) mod comptime;
pub(in crate::lang) mod flow;
pub(in crate::lang) mod foreign;
pub(in crate::lang) mod function;
pub(in crate::lang) mod instance;
pub(in crate::lang) mod method;
pub(in crate::lang) mod method_twin;
pub(in crate::lang) mod params;
pub(in crate::lang) mod pattern;
pub(in crate::lang) mod twin;

pub use comptime::{
    Comptime, ComptimeValue, Instance, for_comptime, instance, known, param_comptime,
};
pub use flow::{
    Exit, Label, and, break_, break_with, continue_, diverged, endless_loop, for_range,
    for_range_inclusive, if_else, loop_value, or, return_, scope, when, while_loop,
};
pub use foreign::Foreign;
pub use function::{
    Callable, Declared, Handed, InKernel, Nothing, PassedAs, Returns, argument, callable, function,
    handed, return_from, returning,
};
pub use instance::{instance_name, without_paths};
pub use method::{
    First, HasMethods, Lend, Lent, PassedTo, ReadOnly, ReadWrite, Returned, argument_of_method,
    exclusive, first_argument, method, method_of_fields, returned, this, this_mut,
};
pub use method_twin::{
    FunctionChoice, HasTwin, MethodChoice, Methods, PickPlain, PickPlainFunction, PickTwin,
    PickTwinFunction, TwinFunction,
};
pub use params::{
    param_local, param_ptr, param_ptr_mut, param_scalar, param_slice, param_slice_mut, param_value,
};
pub use pattern::{Matched, all, any, any_bool, host, is_constant, never, shadow};
pub use twin::{CalledAsItIs, Callee, Twin, Untwinned};
