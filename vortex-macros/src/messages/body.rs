//! What is said of what stands in bodies.

use super::{Message, messages};

messages! {
    // Statements.
    UNINITIALISED:
        "a pattern needs a value where it is declared",
        "declare each of its names by itself, `let x;`, or write the value here";
    UNASSIGNED:
        "`{0}` may have no value yet where it is used here",
        "assign to it on every way that leads here, or give it a value where it is declared";
    ASSIGNED_TWICE:
        "`{0}` may have a value already, and is not declared with `mut`",
        "write `let mut {0};`";
    LET_ELSE_GOES_ON:
        "the `else` of this `let` can reach its end",
        "end it with `return`, `break` or `continue`";
    MATCH_NEVER:
        "this never has a value that a pattern could match",
        "write it as a statement of its own";
    CONSTANT_IN_PATTERN:
        "`{0}` in a pattern is a constant, and this pattern must match everything",
        "write a name in lower case to declare a local, and `const N: usize = 4;` for the length of an array";
    REFUTABLE:
        "this pattern must match everything, and `{0}` does not",
        "write a name, and ask of it in the body: `if let {0} = item { .. }`, or `match`";
    PATTERN_OF_PARTS:
        "`{0}` gives slices, and to a slice of any length `{1}` is no match",
        "write a name, as `w`, and `w[0]`, `w[1]` for its elements";
    PATTERN:
        "this pattern is not supported in kernels yet",
        "use a name, `_`, a constant, a range, a tuple of these, or several of them with `|`";
    REFERENCE_PATTERN:
        "what a pattern in a kernel names are values, which are copied",
        "write the name alone, and to change what it was taken from, a `let` of a `&mut`";
    PLACES_INSIDE:
        "a pattern gives no names to places inside of a value in a kernel",
        "match `{0}` itself, whose parts are copies, and assign to `{0}` what it becomes: `{0} = ..;`";
    ITEM:
        "this cannot be declared inside a kernel",
        "move it out, in front of the kernel; constants, types, and functions with `#[vortex::device]` can stay";
    NESTED_FUNCTION:
        "`{0}` is a function of the host",
        "write `#[vortex::device]` in front of it";
    STATEMENT_ATTRIBUTE:
        "`#[{0}]` has no meaning inside a kernel",
        "remove it; `#[cfg(..)]` and lint levels such as `#[allow(..)]` are understood";
    LOCAL_BY_ATTRIBUTE:
        "memory of the work group is not declared by `#[{0}]`",
        "write `let tile = local::<[f32; 64]>();`: the function says what the memory is";

    // Habits of other languages and of the host.
    SLICE_FIELD:
        "`{0}` is a slice, and slices have no fields",
        "write `{1}`";
    NUMBER_FIELD:
        "`{0}` is one number, of type `{1}`, and has no fields",
        "write `{0}`, or give the parameter elements that have some: \
         a struct with `#[derive(Clone, Copy, vortex::DeviceType)]`";
    DOT_AT_THE_END:
        "nothing follows the `.` in its line, so Rust takes what the next line begins with as a field",
        "write the method after it, or `{0};`";
    ID_OF_ONE:
        "`{0}()` is one number, of the first dimension",
        "write `{0}_{1}()` for more of them";
    ID_TYPE:
        "`{0}()` is a `usize`, and `{1}` is declared as `{2}`",
        "write `let {1} = {0}();`, which numbers elements; the same number as `{2}` is `{0}() as {2}`";
    LOCAL_OF_TYPE:
        "`local` gives memory of the work group, which is no value of this type",
        "write `let {0} = local::<{1}>();`";
    LOCAL_OF_LENGTH:
        "`local` is given the length by the type, as a constant",
        "write `local::<[f32; 64]>()`; memory whose length the launch says is a parameter of the kernel, \
         `tile: &mut Local<[f32]>`";
    LOCAL_OF_TWO:
        "`local` is given one type, and the length is a part of it",
        "write `local::<[{0}; {1}]>()`";
    INDEX_OF_ONE:
        "`{0}` stands for one `{1}` of the work group, which has no index",
        "write `*{0}`, or where it is declared the type of an array, `local::<[{1}; 64]>()`";
    LOCAL_OF_NOTHING:
        "`local` needs to know what the memory of the work group holds",
        "write `local::<[f32; 64]>()`";
    ID_FIELD:
        "`{0}()` is one number, of the first dimension",
        "write `{0}()`, or `let (x, y) = {0}_2d();` for two dimensions";
    SECOND_INDEX:
        "`{0}` is a slice of `{1}`, which has one index",
        "write where the element lies, as in `{0}[{2} * width + {3}]`";
    INDEX_TYPE:
        "an index is a `usize`, and `{0}` is of type `{1}`",
        "write `{2}[{0} as usize]`";
    NEGATIVE_IN_INDEX:
        "`{0}` can be negative, and an index is a `usize`",
        "write `{1}[({2}) as usize]`";
    NEGATIVE_INDEX:
        "an index counts from the first element and is never negative",
        "write `{0}[{0}.len() - {1}]` to count from the end";
    POWER:
        "a number cannot be dereferenced, and there is no operator `**`",
        "write `x.powi(2)` or `x.powf(0.5)` of a float, `n.pow(2)` of an integer";
    NO_ELSE:
        "this `if` has a value, and none where its condition is false",
        "write `else { .. }` after it";
    LIBRARY_CALL:
        "`{0}` cannot be called in a kernel: it is code for the host",
        "{1}";
    STATIC:
        "a `static` cannot be declared inside a kernel",
        "write `let {0} = local::<{1}>();` for what a work group shares; `#[vortex::global] static ..` in front of the \
         kernel is for all";

    // Assignment.
    NOT_MUT:
        "cannot assign to `{0}`, which is not declared as mutable",
        "declare it with `let mut {0}`";
    ASSIGN_MEMORY:
        "cannot assign to `{0}`, which stands for memory of the work group",
        "assign to what it holds: `*{0} = ..`, or `{0}[i] = ..` if it is an array";
    MUT_MEMORY:
        "local memory is not declared with `mut`: all work items of the group share it and can write to it",
        "write `let {0} = local::<..>();`";
    MUT_ARRIVAL:
        "an arrival at a barrier is waited for in the block that it is in, so `{0}` cannot be another one later",
        "write `let {0} = barrier::arrive();` in the block of `{0}.wait()`: in a loop, each iteration arrives and \
         waits";
    LOOP_VARIABLE:
        "cannot assign to the loop variable `{0}`",
        "write `for mut {0} in ..`; the change does not affect the next iteration";
    ASSIGN_PARAMETER:
        "cannot assign to the parameter `{0}`",
        "write `mut {0}` in the signature for a local copy; to give a result to the host, write through a `&mut [T]` \
         parameter";
    ASSIGN_SLICE:
        "cannot assign to `{0}` itself, which is a slice",
        "assign to an element: `{0}[i] = ..`";
    ASSIGN_TEXTURE:
        "cannot assign to `{0}` itself, which is a texture",
        "assign to a texel: `{0}.write(x, y, texel)`";
    ASSIGN_TENSOR:
        "cannot assign to `{0}` itself, which is a tensor",
        "assign to an element: `{0}.write(row, col, value)`";
    SHARED_SLICE:
        "cannot assign to an element of `{0}`, which is declared as `{1}`",
        "declare it as `{0}: {2}`";
    SUM_OF_POINTER:
        "pointers have no operators, and `{0}` is one",
        "write `{0}.{1}({2})`, which counts elements, in `unsafe { .. }`";
    CONST_POINTER:
        "cannot write through `{0}`, which is declared as `{1}`",
        "declare it as `{0}: {2}`";
    ATOMIC_SHARED:
        "cannot work atomically on `{0}`, which is declared as `{1}`",
        "declare it as `{0}: {2}`";
    ATOMIC_VALUE:
        "`{0}` is a `{1}` of each work item, which no other can reach",
        "atomic operations are for elements of a `&mut [T]`: `x.atomic(i)`";
    ASSIGN_CONSTANT:
        "cannot assign to `{0}`: it is no local of this kernel but a constant of the host",
        "declare a local with `let mut`";
    ASSIGN_UNDECLARED:
        "`{0}` is not declared in this kernel",
        "write `let {0} = ..;`, or `let mut {0}` for what is assigned to again";
    ASSIGN_FIELD:
        "`{0}` is not declared in this method",
        "write `self.{0}` for a field, or declare it: `let mut {0} = ..;`";
    ASSIGN_TUPLE:
        "assigning to the parts of an array or a struct at once is not supported in kernels",
        "write one assignment for each, or a tuple: `(a, b) = (b, a);`";
    ASSIGN_ATOMIC:
        "what `atomic` gives is changed by its operations, not by an assignment",
        "write `{0}.fetch_add(.., Relaxed)`, for `=` `{0}.store(.., Relaxed)`";
    NOT_A_PLACE:
        "cannot assign to this",
        "assign to a `let mut` local, to an element `y[i]`, or through a pointer `*p`";
    ASSIGN_COMPUTED:
        "what `{1}` computes cannot be assigned to",
        "if a statement ends before `{0}`, write what comes after `{1}`, and a `;`; assign to a `let mut` local, to an \
         element `y[i]`, or through a pointer `*p`";

    // Expressions.
    ARRAY_OF_FUNCTIONS:
        "`{0}` is a function, and no array holds functions: the device calls no pointers",
        "choose by a number where it is called: `match which { 0 => {1}, _ => .. }`";
    CLOSURE_OF_CHOICE:
        "`if` and `match` give values, and a closure is none",
        "put the choice into one closure, `|{0}| if .. { .. } else { .. }`, or call both: \
         `if .. { f(x) } else { g(x) }`";
    UNBOUNDED:
        "`{0}` can be any type that kernels have, and this operator is for some only",
        "write `{0}: Num` where it is declared, for all numbers; `{0}: Int` for integers, `{0}: Signed` for those \
         with a sign";
    LITERAL_OF_ANY:
        "`{0}` is a number of one type, and `{1}` may be any",
        "write `{1}::from({2}u8)`, and the bound `{1}: Num + From<u8>`";
    ZERO_OF_ANY:
        "`{0}` is a number of one type, and `{1}` may be any",
        "write `{1}::default()`, which is zero, and the bound `{1}: Num + Default`";
    LARGE_LITERAL_OF_ANY:
        "`{0}` is a number of one type, and `{1}` may be any",
        "pass it as an argument of type `{1}`, or write the type instead of `{1}`";
    DEREF_OUTSIDE_UNSAFE:
        "dereferencing a raw pointer is unsafe",
        "write `unsafe { .. }` around it, if the pointer is known to be valid; what is no pointer is read without the \
         `*`";
    DEREF_FIELD:
        "`{0}` is no reference, and dereferencing a raw pointer is unsafe",
        "write `{0}`, without the `*`; around a raw pointer that is known to be valid, `unsafe { .. }`";
    ASSIGN_LOCAL:
        "cannot assign to `{0}` itself, which is memory of the work group",
        "assign to an element: `{0}[i] = ..`";
    DEREF_SLICE:
        "`{0}` is a slice, not a pointer",
        "read an element: `{0}[i]`";
    DEREF_VALUE:
        "`{0}` is a plain value, not a pointer",
        "write `{0}`";
    INDEX_SCALAR:
        "`{0}` is a plain value and cannot be indexed",
        "declare it as a slice: `{0}: &[{1}]`";
    INDEX_NUMBER:
        "`{0}` is one number here, and has no elements",
        "write `{0}`; if there is a slice of this name, give the number another one where it is declared";
    INDEX_TEXTURE:
        "`{0}` is a texture, whose texels are reached by methods",
        "write `{0}.read(x, y)`, `{0}.sample(u, v)` or `{0}.write(x, y, texel)`";
    INDEX_TENSOR:
        "`{0}` is a tensor, whose elements are reached by methods",
        "write `{0}.read(row, col)`, `{0}.write(row, col, value)` or `{0}.tile(i, j)`";
    INDEX_POINTER:
        "`{0}` is a raw pointer and cannot be indexed",
        "write `*{0}.add(i)`, or declare it as a slice: `{0}: {1}`";
    REFERENCE:
        "a reference in a kernel is an argument of a function or what a `let` names, and no value here",
        "use the value itself, without `{0}`";
    RAW_REFERENCE:
        "the address of a value cannot be taken in a kernel",
        "pass a raw pointer to the kernel";
    ASSIGN_PART:
        "a part of `{0}` cannot be assigned as a whole",
        "write `{0}[a..b].copy_from_slice(&y[c..d])`, or `{0}[a..b].fill(y)` with one value";
    ASSIGN_ITERATOR:
        "a part of `{0}` cannot be assigned as a whole, and an iterator is no slice",
        "write a loop over both, `for (o, v) in {1}.iter_mut().zip({2}) { *o = v; }`";
    FOREIGN_NAME:
        "kernels have no `{0}`",
        "write {1}";
    CFG_TARGET:
        "`{0}` is asked of the computer that the program is built for, and kernels run on the device",
        "write `cfg!(host)` for whether the host runs this; pass what depends on the computer as an argument";
    VALUE_FIRST:
        "the value that lanes hand each other is the first argument of `{0}`",
        "write `{0}({1}, {2})`";
    DANGLING:
        "this refers to `{0}`, an array of this function's that is gone when it has returned",
        "give the array itself, `-> [T; N]`, or write into a `&mut [T]` that is passed";
    CONSTANT_ELSEWHERE:
        "`{0}` has no constant `{1}`",
        "write `std::{0}::consts::{1}`";
    RANGE_TYPE:
        "a range cannot be passed to a function of the device",
        "pass its two ends";
    VALUE_OF_NOTHING:
        "this function results in nothing, and this is a value",
        "write what it results in, as in `-> f32`; or `;` after the value";
    VALUE_OF_KERNEL:
        "a kernel results in nothing, and this is a value",
        "write it to an element of a `&mut [T]`, as in `out[i] = ..`; or `;` after it";
    TUPLE_AXIS:
        "`{0}` is what `{1}()` gives, a tuple, whose parts have no names",
        "write `{0}.{2}`, or take it apart where it is declared: `let ({3}) = {1}();`";
    TUPLE_FIELD:
        "`{0}` has no part `{1}`: `{2}()` gives {3}",
        "the first part is `{0}.0`";
    TUPLE_PART:
        "`{0}` has no part `{1}`: it is a tuple of {2}",
        "the first part is `{0}.0`, the last one `{0}.{3}`";
    TUPLE_NAME:
        "`{0}` is a tuple, whose parts have no names, and so no `{1}`",
        "write `{0}.{2}`, or take it apart where it is declared: `let (a, ..) = ..;`";
    PATTERN_OF_OTHERS:
        "`{0}` is no pattern for a value of type `{1}`",
        "write `{2}`";
    PATTERN_OF_OPTION:
        "`partial_cmp` gives an `Option`, as some values have no order",
        "write `Some({0})`, and `None` for a NaN; or `a.total_cmp(&b)`";
    SHARED_PART:
        "cannot assign to an element of `{0}`, which is declared as `&{1}`",
        "write `let {0} = &mut {1};`";
    SHARED_PLACE:
        "cannot assign to `{0}`, which is declared as `&{1}`",
        "write `let {0} = &mut {1};`";
    VALUE_FOR_MUT:
        "`{0}` changes what it is given, and this is a value",
        "write `&mut {1}`";
    MAP_MEANT:
        "the closure of `{0}` results in an option or a result, and this is a value",
        "write `map` for `{0}`";
    SOME_FOR_VALUE:
        "this is an `Option`, and a value is wanted here",
        "write `{0}`";
    OPTION_FOR_VALUE:
        "this is an `Option`, and a value is wanted here",
        "write `{0}.unwrap()`, whose failure the launch reports, or `if let Some(v) = {1} { .. }`";
    RESULT_FOR_VALUE:
        "this is a `Result`, and a value is wanted here",
        "write `if let Ok(v) = {1} { .. }`, or `.is_ok()` or `.unwrap_or(..)` after it";
    NONE_FOR_VALUE:
        "`None` is an `Option`, and a value is wanted here",
        "write the value that stands for nothing, such as `0`";
    OPTION_UNASKED:
        "`{0}` is an `Option` here, whether there is a value in it or not",
        "write `Some({0})`, which takes the value out where there is one";
    INTEGER_AMONG_FLOATS:
        "the elements of this array are floats, and `{0}` is an integer",
        "write `{0}.0`";
    INTEGER_AND_FLOAT:
        "`{0}` is an integer, and `{1}` a float",
        "write `{0}.0`";
    INTEGER_FOR_ELEMENT:
        "`{0}` is an integer, and the elements of `{1}` are floats",
        "write `{0}.0`";
    SLICE_FOR_ELEMENT:
        "`{0}` is a slice, and one number is wanted here",
        "write an element, `{0}[i]`, or go over all of them by `{0}.iter()`";
    ASSIGNMENT_FOR_VALUE:
        "`{0}` is `()`: an assignment has no value",
        "write two statements, `{1}; let {0} = {2};`";
    ASSIGNED_ASSIGNMENT:
        "an assignment has no value that could be assigned again",
        "write two statements, `{0}; {1} = {2};`";
    FLOAT_FOR_HALF:
        "`{0}` is an `f32`, and an `{1}` is wanted here",
        "write `{1}::from_f32({0})`";
    DIVISION_BY_ZERO:
        "this divides by zero",
        "write another number; where a divisor may be zero, `a.checked_div(b)` gives an `Option`";
    ASSIGN_ITEM:
        "cannot assign to `{0}`, which is a value of each item, and changes nothing of `{1}`",
        "write `for {0} in {1}.iter_mut()`, of a `{1}: &mut [T]`; or `for mut {0} in ..` for a copy";
    SLICE_IN_STRUCT:
        "`{0}` is a slice, and a struct in a kernel holds values",
        "write an element, `{0}[i]`, or pass the slice next to the struct";
    TRUTH_AS_NUMBER:
        "`{0}` is a `bool`, and no number",
        "write `if {0} { .. } else { .. }` with a number in either, or make one of it: `({0}) as {1}`";
    NUMBER_INVERTED:
        "`{0}` is a number, of which `!` inverts the bits, and a condition is a `bool`",
        "write `{0} == 0`";
    ONE_COMPONENT:
        "`{0}` takes {1} arguments, and 1 is given",
        "write `{2}::splat({3})` where all components are the same";
    COMPONENTS:
        "`{0}` takes {1} numbers, and {2} values are given",
        "write the components of a vector one by one: `{3}`";
    UNSIZED_PART:
        "`{0}` is a part of a slice, whose length only the device knows: it is no value",
        "write `&{0}`, or `&mut {0}` to write to it";
    ARRAY_FOR_A_GROUP:
        "`{0}` is an array of each work item: what others write to theirs is not in it after the barrier",
        "write `let {0} = local::<[{1}; {2}]>();`, memory that all items of a group share";
    ATOMIC_ELEMENT:
        "atomic operations are found by the slice and the index, and this is the value of an element",
        "write `{0}.atomic({1})`";
    ATOMIC_FIELD:
        "a field has no atomic operations",
        "make what is counted an element of a slice, `x.atomic(i)`, or a global of its own";
    SIZE_IN_VECTOR:
        "a short vector holds no `usize`",
        "write `{0} as {1}`";
    VECTOR_FIELD:
        "a `{0}` has the components {1}, and no `{2}`",
        "write {3}";
    POWER_BY_XOR:
        "`^` is the exclusive or of integers, and this is a float",
        "for a power write `{0}`";
    FLOAT_BITS:
        "`{0}` is for integers, and this is a float",
        "convert it first, `{1} as u32`; its bits are `{1}.to_bits()`";
    VALUE_FOR_OPTION:
        "`{0}` is an `Option`, and this is the value alone",
        "write `Some({1})`";
    MEMORY_FOR_VALUE:
        "`{0}` stands for memory of the work group, and a value is wanted here",
        "write `*{0}` for what it holds, or `{0}[i]` if that is an array";
    TUPLE_FOR_VALUE:
        "`{0}` is a tuple, and one value is wanted here",
        "write `let ({2}) = {1}();`, or `{0}.0` for its first part";
    RETURN_NOTHING:
        "this function results in a value, and this `return` gives none",
        "write the value after `return`";
    END_OF_VALUE:
        "this function results in a value, and its end gives none",
        "write {0} at the end, without `;` after it";
    SEMICOLON_AT_END:
        "this function results in a value, and with this `;` its end gives none",
        "remove the `;`, or write the value after it";
    SEMICOLON_IN_ARM:
        "a value is wanted here, and with this `;` there is none",
        "remove the `;`";
    RESULT_OF_AN_IF:
        "the value of this `if` goes nowhere",
        "write `return {0};` to give it to the caller";
    NEGATIVE_VALUE:
        "`{0}` has no negative values",
        "declare it as `{1}`; for a number that stands for none, write `{0}::MAX`";
    NEGATED:
        "`{0}` has no negative values",
        "convert it first: `-({1} as i32)`";
    INVERTED:
        "`{0}` has no bits to invert",
        "write `{1} == 0.0` to ask whether it is zero";
    INTEGER_SUM:
        "`{0}` is an integer, as it begins as `{1}`, and this is of type `{2}`",
        "write `let mut {0} = {1}.0;`";
    VALUE_ALONE:
        "this function results in {0}, and this is the value alone",
        "write `{1}({2})`";
    VARIANT_FOR_VALUE:
        "this function results in a plain value, and this is {0}",
        "write the value alone, without `{1}`; or `-> {2}` for what the function results in";
    VARIANT_IN_KERNEL:
        "a kernel returns nothing, and so no `{0}`",
        "remove it; what the host is to know is written through a `&mut [T]` parameter";
    VARIANT_OF_ONE:
        "`{0}` holds one value",
        "write `{0}(x)`, `{0}((x, y))` for several values, or `{0}(())` for none";
    TUPLE_INDEX:
        "an index is one number, and this is a tuple",
        "write `{0}[row * width + column]`, or `{0}[row][column]` of an array of arrays";
    FLOAT_RANGE:
        "a range is gone through by integers, and this is a float",
        "write `for k in 0..n { let x = k as f32 * step; .. }`";
    OPEN_RANGE_CONTAINS:
        "`contains` in a kernel needs both ends of its range",
        "write a comparison, such as `x >= a`";
    PRINT_MACRO:
        "`{0}!` cannot be used in a kernel",
        "write `println!` or `eprintln!`";
    FORMAT_TEXT:
        "the text must be a literal",
        "write `\"{}\"` before the value";
    ASSERT_NOTHING:
        "there is nothing to assert",
        "write a condition";
    COMPARE_TWO:
        "two values are needed, to compare them",
        "write `left, right`";
    VEC:
        "there is no heap on the device: `vec!` cannot be used in a kernel",
        "write an array, `{0}`, or pass a slice, `&mut [T]`, to work in";
    FORMAT:
        "there is no text on the device: `format!` cannot be used in a kernel",
        "write the text where it is printed: `println!({0})`";
    OTHER_MACRO:
        "macros cannot be used in a kernel, which is read before they are expanded: `{0}!`",
        "write a function with `#[vortex::device]` instead; or let a macro of yours make the whole kernel, with \
         `#[vortex::kernel]` inside of it";
    ASSIGN_IN_CONDITION:
        "`=` assigns, and this is what an `if` or a `while` tests",
        "write `==` to compare";
    LET_IN_EXPRESSION:
        "`let` can only stand in the condition of an `if` or a `while`, alone or joined by `&&`",
        "write nested `if`s, or a `match`";
    QUESTION_MARK:
        "`?` cannot be used in a kernel, which has no caller to give anything to",
        "take the value out with `let Some(x) = .. else { return };`, or use `?` in a device function that results in \
         an `Option` or a `Result`";
    QUESTION_MARK_OUTPUT:
        "`?` gives `None` or an `Err` to the caller, and this function results in neither",
        "write `-> Option<..>` or `-> Result<..>`, or take the value out with `let Some(x) = .. else { return .. };`";
    ARRAY_OF_TUPLES:
        "tuples cannot be elements of an array in a kernel",
        "write one array for each part, or a struct with `#[derive(Clone, Copy, vortex::DeviceType)]` and \
         `#[repr(C)]`; of constants, `const TABLE: [(i32, i32); 2] = [(1, 2), (3, 4)];` outside of the kernel";
    ARRAY_OF_OPTIONS:
        "options cannot be elements of an array in a kernel",
        "write a value that stands for nothing, or an array of `bool`s next to it, `let mut is_some = [false; N];`";
    LOCAL_OF_VALUE:
        "local memory has no first value: `local` takes only a type",
        "write `local::<{0}>()`; the items write what it begins with, then `barrier()`";
    LOCAL_LENGTH:
        "the length of this local memory is a constant, and `{0}` is a value of the kernel",
        "write a number or the name of a `const`; or take memory of a length that the launch gives, as a parameter: \
         `tile: &mut Local<[{1}]>`";
    CONST_ARGUMENT:
        "what stands between these brackets is a constant or a type, and `{0}` is a value of the kernel",
        "write a number or the name of a `const`; a function that takes a value has a parameter for it, `{0}: usize`, \
         or `#[comptime] {0}: usize` for a known one";
    ARRAY_OF_KNOWN_LENGTH:
        "the length of an array is part of its type, and `{0}` is a value, if a known one",
        "declare it as a parameter of types: `<const N: usize>` behind the function's name, `[0.0; N]` here, and \
         `::<8>` where the host calls it";
    ARRAY_LENGTH:
        "the length of an array is a constant, and `{0}` is a value of the kernel",
        "write a number or the name of a `const`: the largest length that is needed";
    RANGE:
        "a range is no value in a kernel, only something to go through or to take a part by",
        "write it where it is used, `for i in a..b { .. }`, `&x[a..b]`, `(a..b).contains(&i)`, or as `let r = a..b;`; \
         to a function pass its two ends";
    OPEN_RANGE:
        "a `for` in a kernel needs the beginning of its range",
        "write `for i in a..b { .. }`, or `for i in a.. { .. }` with `break`";
    UNROLL_FOR:
        "`#[unroll]` stands in front of a `for`",
        "write the loop as `for i in a..b { .. }`";
    NUMBER_IN_FOR:
        "`{0}` is one number, which has no items to go over",
        "write a range: `0..{0}`";
    UNROLL_UNKNOWN:
        "`#[unroll]` takes all of a range away, and how long this one is only the kernel knows when it runs",
        "write `#[unroll(4)]` for as many iterations at a time, or declare `#[comptime] {0}: {1}`";
    WRONG_LENGTH:
        "mismatched types: expected an array with a size of {0}, found one with a size of {1}",
        "write {0} elements, or {2}";
    INDEX_BEYOND:
        "index out of bounds: the length of `{0}` is {1}, and the index is {2}",
        "count from 0: the last index is one less than the length";
    UNROLL_ARGUMENT:
        "`#[unroll]` takes the number of iterations to unroll, or nothing",
        "write `#[unroll]` for a range of constants, or `#[unroll(4)]`";
    RANGE_METHOD:
        "`{0}` is called on the end of this range only",
        "put the range in parentheses, as in `(a..b).rev()`";
    MISSPELT_LABEL:
        "there is no loop or block labelled `{0}` around this",
        "write `{1}`";
    UNKNOWN_LABEL:
        "there is no loop or block labelled `{0}` around this",
        "write the label in front of the loop that is meant: `{0}: for ..`";
    CONTINUE_BLOCK:
        "`continue` needs a loop, and this is the label of a block",
        "use `break` to leave the block";
    BREAK_VALUE:
        "only a `loop` and a labelled block can be given a value by `break`",
        "write `loop`, or assign to a `let mut` local in front of `break`";
    BREAK_NAME:
        "`{0}` is the label of a loop, which begins with a quote",
        "write `break '{0}`";
    RETURN_VALUE:
        "a kernel returns nothing",
        "write the result through a `&mut [T]` parameter, then `return;`";
    OUTSIDE_LOOP:
        "`{0}` outside of a loop",
        "use `return` to end the kernel";
    JUMP_IN_CLOSURE:
        "`{0}` in a closure, in which there is no loop to leave",
        "write a `for` in place of the method that the closure is passed to; `return` ends the closure for one item";
    JUMP_IN_CONDITION:
        "`{0}` in the condition of a `while`",
        "write `loop` and test the condition inside";
    ASYNC_BLOCK:
        "a kernel cannot wait: there is no `async` on the device",
        "remove it: work items run side by side already";
    TEXT_LITERAL:
        "there is no text on the device",
        "write the text where it is printed, as the first argument of `println!`, a byte as `b'a'`, and what a `match` \
         chooses by as a number or an enum with `#[derive(Clone, Copy, PartialEq, DeviceType)]` and `#[repr(u32)]`";
    BYTES_FOR_BYTE:
        "`{0}` is a string of bytes, and `{1}` is one byte",
        "write `{2}`";
    TUPLE_FOR_ELEMENT:
        "`{0}` is of type `{1}`, and this is a tuple",
        "write {2}";
    CHAR_LITERAL:
        "there is no `char` on the device",
        "write a byte, `b'a'`, or a number";
    EXPRESSION_ATTRIBUTE:
        "`#[{0}]` cannot be used on an expression of a kernel",
        "remove it";
    OTHER_EXPRESSION:
        "this expression is not supported in kernels",
        "use arithmetic, comparisons, `if`, loops, slices and pointers";
}
