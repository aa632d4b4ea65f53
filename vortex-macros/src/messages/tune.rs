//! What is said of `#[tune(..)]`.

use super::{Message, messages};

messages! {
    TUNE_NOTHING:
        "this leaves nothing open",
        "say what may vary and what there is to choose from, as in `#[tune(tile in [4, 8, 16])]`";
    TUNE_FORM:
        "this is not how a choice is written",
        "write a name and a list of values, `{0} in [4, 8, 16]`, or a condition, `where {0} <= 64`";
    TUNE_EMPTY_LIST:
        "there is nothing to choose `{0}` from",
        "list at least one value, `{0} in [4, 8, 16]`: the first is what a launch has until it is tuned";
    TUNE_REPEATED_VALUE:
        "`{0}` is listed twice for `{1}`",
        "remove one of them: each value is measured once";
    TUNE_REPEATED_NAME:
        "the values of `{0}` are listed twice",
        "put all of them into one list";
    TUNE_UNKNOWN:
        "`{0}` has no parameter `{1}`",
        "what can be tuned of it is {2}";
    TUNE_RUNTIME:
        "`{0}` is an argument of the device's, on which the code does not depend",
        "write `#[comptime] {0}: {1}`, so that there is an image for each value";
    TUNE_MEMORY:
        "`{0}` is memory, and has no values to choose from",
        "tune what the kernel does with it: a const generic, a `#[comptime]` parameter, or `block`";
    TUNE_TYPE_PARAMETER:
        "`{0}` is a type, which the arguments of a launch decide",
        "tune a const generic, a `#[comptime]` parameter, or `block`";
    TUNE_GENERIC_TYPE:
        "the type of `{0}` is a parameter itself, so it has no values to list",
        "give `{0}` a type such as `usize`, or leave it to the caller";
    TUNE_BLOCK:
        "this is not the size of a group",
        "write `n`, `(x, y)` or `(x, y, z)`, as in `block in [32, 64, (8, 8)]`";
    TUNE_FIXED_BLOCK:
        "`block` is given as an argument of `#[kernel]`, so there is nothing to choose",
        "remove it from one of them; `block` in `#[kernel(..)]` may depend on a const generic that is tuned";
    TUNE_CONDITION:
        "`{0}` is not chosen, and a condition of `tune` is about a choice alone",
        "list values for it, `{0} in [..]`, or narrow the choice in the call, `.only(|choice| ..)`";
    TUNE_ALONE:
        "only a kernel can be tuned",
        "write `#[vortex::kernel]` above it";
    TUNE_MANY:
        "these are {0} candidates, and each is measured",
        "list fewer values: there may be {1} in all, before conditions";
}
