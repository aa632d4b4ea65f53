//! Blocks and loops with a value, patterns, functions and methods, and what a kernel is called with.

pub(in crate::lang) mod comptime;
pub(in crate::lang) mod exit;
pub(in crate::lang) mod fields;
pub(in crate::lang) mod foreign;
pub(in crate::lang) mod function;
pub(in crate::lang) mod given;
pub(in crate::lang) mod instance;
pub(in crate::lang) mod method;
pub(in crate::lang) mod method_twin;
pub(in crate::lang) mod params;
pub(in crate::lang) mod pattern;
pub(in crate::lang) mod question_mark;
pub(in crate::lang) mod slice_pattern;
pub(in crate::lang) mod twin;
pub(in crate::lang) mod wanted;

pub use comptime::{
    Comptime, ComptimeValue, Instance, for_comptime, instance, known, param_comptime,
};
pub use exit::{Exit, break_with, loop_value, scope};
pub use fields::{FieldOf, HasFields, tuple_field, with_field, with_parts};
pub use foreign::{
    HasVariant, NameOfUser, NoSuchName, VariantFound, VariantNamed, type_of_patterns,
};
pub use function::{
    AlsoInKernel, Callable, GivenAs, Handed, InKernel, NotFound, Nothing, PassedAs, Returns,
    argument, function, function_of_place, return_from, returning,
};
pub use given::{
    CloseOther, Given, IsFound, Open, Opened, PassedForLocal, PassedForMut, PassedForOption,
    PassedForResult, PassedForSlice, PassedForSliceMut, PassedForTuple, PassedForValue, called,
    open,
};
pub use instance::{instance_name, without_paths};
pub use method::{
    First, HasMethods, Lend, Lent, PassedTo, ReadOnly, ReadWrite, Returned, exclusive, method,
    method_before, method_of_fields, this, this_mut,
};
pub use method_twin::{
    FunctionChoice, HasTwin, MethodChoice, Methods, OfVec2, OfVec3, OfVec4, PickOther, PickPlain,
    PickPlainFunction, PickTwin, PickTwinFunction, PickVectors, TwinFunction,
};
pub use params::{
    param_local, param_ptr, param_ptr_mut, param_scalar, param_slice, param_slice_mut, param_value,
};
pub use pattern::{Matched, all, any, any_bool, host, is_constant, never, shadow};
pub use question_mark::{ErrorFound, Left, OptionAsked, ResultAsked, passed_on, value_or_leave};
pub use slice_pattern::{
    Listed, Sliced, element, element_from_end, elements_between, has_elements, holds,
};
pub use twin::{CalledAsItIs, Callee, Sound, Twin, Untwinned, if_sound, staged_soundly};
pub use wanted::{
    Calculated, Mistake, Operand, Unit, WantedOfLocal, WantedOfNothing, WantedOfOption,
    WantedOfResult, WantedOfSlice, WantedOfTuple, WantedOfUnit, WantedOfValue, Wants,
};
