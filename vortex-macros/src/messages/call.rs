//! What is said of calls: of functions and methods that kernels have not, and of the number of arguments.

use super::{Message, messages};

messages! {
    CHANGING_METHOD:
        "`{0}` changes elements of `{1}`, which is declared as `{2}`",
        "declare it as `{1}: {3}`";
    CHANGING_LOCAL:
        "`{0}` changes elements of `{1}`, which is not declared as mutable",
        "declare it with `let mut {1}`";
    FLOAT_METHOD_OF_ANY:
        "`{0}` is a function of floats, and `{1}` may be any number",
        "write `f32` instead of `{1}`: functions of floats are those of one type";
    RECURSION:
        "`{0}` calls itself, and the device has no call stack for that",
        "write a loop, with variables in place of the arguments";
    CALL_STD:
        "`{0}` cannot be called in a kernel: it is code for the host",
        "a value the host can compute goes into a `const` in front of the kernel";
    CALL_ASSOCIATED:
        "kernels have no function `{0}`",
        "what numbers have is on the pages Math and Integers; write others as functions with `#[vortex::device]`";
    CALL_MISSPELT:
        "kernels have no function `{0}`",
        "write `{1}::{2}`";
    CALL_TYPE:
        "`{0}` is a type, and not called",
        "write `n as {0}`";
    UNCALLED:
        "`{0}` is a function, and nothing is done with it here",
        "write `{1}`";
    CALL_LOCAL:
        "`{0}` cannot be called: it is a value here",
        "write `{0}`; a function of that name can be called where no local has it";
    CALL_VALUE:
        "`{0}` cannot be called: it is a value",
        "write the code out here";
    METHOD_GENERICS:
        "`{0}` takes no type arguments",
        "remove them";
    MISSING_METHOD:
        "kernels have no method `{0}`",
        "{1}";
    PLACE_IN_OPTION:
        "`{0}` gives an option of a place, and options in kernels hold values",
        "ask of it where it is called, `if let Some(v) = {1} { *v = ..; }`";
    ATOMIC_METHOD:
        "`{0}` is for what `atomic` gives, not for an element",
        "write `{1}.atomic({2}).{0}(..)`";
    METHOD_AS_FUNCTION:
        "there is no function `{0}` here, and it is a method",
        "write `self.{0}(..)`";
    ATOMIC_OTHER:
        "atomic operations have no `{0}`",
        "write {1}";
    ATOMIC_ELEMENTS:
        "`{0}` has no atomic operations: the device has them for its words",
        "declare `{1}` as a slice of `u32`, `i32` or `f32`";
    SUM_OF_BOOLS:
        "`{0}` is for numbers, and this is a `bool`",
        "write `({1}) as u32`, which counts; whether it holds anywhere or everywhere say `{2}::reduce_or` and \
         `{2}::reduce_and`";
    HEAP_FUNCTION:
        "there is no heap on the device: `{0}` cannot be called in a kernel",
        "use a plain value, an array, or a slice, `&mut [T]`, to work in";
    WITHOUT_ORDER:
        "`{0}` takes how it is ordered with other accesses, as of Rust's atomics",
        "write `{0}({1})`";
    STD_FUNCTION:
        "`{0}` is a function of the host",
        "{1}";
    LOCK:
        "`{0}` is a variable of the host, and work items have no locks",
        "declare it as one that they share, `#[vortex::global] static {0}: u32 = 0;`, and change it by \
         `{0}.atomic().fetch_add(v, Relaxed)`";
    TEXT_FUNCTION:
        "there is no text on the device: `{0}` cannot be called in a kernel",
        "write the text where it is printed, as the first argument of `println!`";
    EXPECT:
        "`expect` in a kernel takes a text that is written there",
        "write `expect(\"..\")`, or `unwrap()`: the launch reports where it failed";
    MACRO_AS_FUNCTION:
        "`{0}` is a macro",
        "write `{1}`";
    NO_ARGUMENT:
        "`{0}` takes no argument",
        "write `{0}()` for the first dimension, `{0}_2d()` and `{0}_3d()` for all of them";
    WRONG_COUNT:
        "`{0}` takes {1}, and {2} given",
        "write as many as it is declared with{3}";
    TENSOR_ARGUMENTS:
        "an element of a tensor is at a row and a column",
        "write `{0}({1})`";
    TEXTURE_ARGUMENTS:
        "a texel of `{0}` is at {1} coordinates",
        "write `{2}({3})`";
    TEXTURE_DEPTH:
        "`{0}` is an image of two axes, and has no depth",
        "declare it as `{0}: &Texture<{1}, 3>`, or leave this out";
    POW_OF_FLOAT:
        "`pow` is a method of integers, and this is a float",
        "write `powf`, or `powi` for an exponent that is an `i32`";
    VECTOR_METHOD:
        "a `{0}` has no `{1}`",
        "write `{2}()`";
    CROSS_PRODUCT:
        "a `{0}` has no `cross`, which is for vectors of three",
        "write {1}";
    VECTOR_OF_INTEGERS:
        "`{0}` is a method of vectors of `f32`, and this is a `{1}`",
        "convert each of its numbers first: `{2}.{0}()`";
    VECTOR_CAST:
        "`as` converts one number, and `{0}` has several",
        "convert each of them: `{1}`";
    NO_SLICE_METHOD:
        "`{0}` is a slice, and slices have no method `{1}` in kernels",
        "write {2}";
    LENGTH_OF_SLICE:
        "`{0}` is a slice, whose length does not change, and has no `{1}`",
        "write elements by their index, `{0}[i] = ..`, and count in a `let mut` local how many there are";
    LENGTH_OF_ARRAY:
        "`{0}` is an array, whose length does not change, and has no `{1}`",
        "count in a `let mut n` how many of its elements are in use: `{0}[n] = v; n += 1;`, and `n -= 1;` for the last";
    VARIANT_WITH_DOT:
        "`{0}` is a type, and its variants are named with `::`",
        "write `{0}::{1}`";
    NEGATIVE_LANES:
        "`{0}` takes a number of lanes, which is never negative",
        "write `{1}`";
    COMBINED_TUPLE:
        "`{0}` combines one value of each item, and this is a tuple",
        "write one call for each part, `({0}(a), {0}(b))`";
    NUMBER_BY_NAME:
        "`{0}` has no function `{1}`: its bound is for all numbers of kernels",
        "write `{2}`, and the bound `{0}: {3}`";
    CAST_TO_PARAMETER:
        "`as` converts to a type that is known, and `{0}` may be any",
        "write `{0}::from({1})`, and the bound `{0}: Num + From<{2}>`";
    VALUE_FOR_REFERENCE:
        "`{0}` takes a reference, and this is a value",
        "write `{0}(&{1})`";
    TYPE_WITH_DOT:
        "`{0}` is a type, and its functions are called with `::`",
        "write `{0}::{1}(..)`";
    METHOD_AS_FIELD:
        "`{0}` is a method",
        "write `{1}.{0}()`";
    NO_ARGUMENT_OF_ALL:
        "`{0}` takes no argument",
        "write `let ({1}) = {0}();`";
    CHAR_METHOD:
        "there is no `char` on the device",
        "a byte has what it needs: write `{0}`";
    CHAR_CAST:
        "there is no `char` on the device",
        "a byte is compared with others as it is, `{0} == b'a'`, and has methods such as `is_ascii_digit()`; a number \
         is a `u32`, which the host converts";
}
