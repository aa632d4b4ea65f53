//! What is said of items: attributes, signatures, types.

use super::{Message, messages};

messages! {
    MISSPELT_ATTRIBUTE:
        "there is no `#[vortex::{0}]`",
        "write `#[vortex::{1}]`";
    MISSPELT_DERIVE:
        "there is no derive `vortex::{0}`",
        "write `vortex::DeviceType`";

    // `#[derive(DeviceType)]`.
    BORROWING_TYPE:
        "`{0}` borrows, and what lies in device memory cannot",
        "let it hold values, or an index into a slice";
    GENERIC_ENUM:
        "the enum `{0}` is generic, but has nothing in its variants",
        "remove the parameters";
    UNION:
        "a union cannot be a device type",
        "write `u32` for bits that are a float, too: `f32::from_bits(n)` and `x.to_bits()` convert, also in kernels; \
         otherwise make it a struct";
    NO_REPR_C:
        "`{0}` has no fixed layout, so host and device could disagree about it",
        "write `#[repr(C)]` above `{0}`";
    PACKED:
        "`{0}` is packed, but the device reads aligned words only",
        "remove `packed`, and put the larger fields first";
    EMPTY_STRUCT:
        "`{0}` has no fields",
        "a device type holds at least one value: give it a field, or write \
         `#[vortex::device]` functions instead of methods";
    VARIANT_WITH_FIELDS:
        "the variant `{0}` has fields, which device types cannot have",
        "write `enum {1}Kind { {2} }`, and `struct {1} { kind: {1}Kind, .. }` with the fields of all variants, of \
         which each kind uses its own";
    EMPTY_ENUM:
        "`{0}` has no variants",
        "a device type has at least one value";
    NO_REPR_INTEGER:
        "`{0}` has no fixed size, so host and device could disagree about it",
        "write `#[repr(u32)]` above `{0}`, or another integer type of up to 32 bits";
    FIELD_USIZE:
        "`{0}` has other sizes on the host and on the device",
        "use `{1}` for the field";
    // The attribute and what it stands on.
    NOT_A_FUNCTION:
        "only a function can be a kernel",
        "move `#[vortex::kernel]` to a free function";
    NO_BODY:
        "a kernel needs a body",
        "write the function out, outside of `extern` blocks";
    MISSING_CRATE:
        "`crate` needs a path",
        "write `crate = path`";
    UNKNOWN_ARGUMENT:
        "this attribute has no argument `{0}`",
        "the arguments are `{1}`, `host`, `name = \"text\"` and `crate = path`";
    GROUP_ARGUMENT:
        "this attribute has no argument `{0}`",
        "write `block = {1}`, the work items of a group in each dimension";
    GROUP_ATTRIBUTE:
        "the size of a group is not declared by `#[{0}]`",
        "write `#[vortex::kernel(block = {1})]`";
    MISSPELT_ARGUMENT:
        "this attribute has no argument `{0}`",
        "write `{1}`";
    UNKNOWN_FUNCTION_ARGUMENT:
        "this attribute has no argument `{0}`",
        "the arguments are `host`, for a function that the host can call too, and `crate = path`, for when the \
         library is not found at `::vortex`";
    UNKNOWN_VARIABLE_ARGUMENT:
        "this attribute has no argument `{0}`",
        "the only argument is `crate = path`, for when the library is not found at `::vortex`";
    HOST_FUNCTION:
        "the twin of `{0}` could not be found: it has no `self`, and is generic or names its type nowhere",
        "write it as a function, `#[vortex::device(host)] fn {0}`, in front of the block";
    HOST_GENERIC_TRAIT:
        "a trait with parameters cannot have `host`",
        "remove its parameters, or `host`";
    HOST_ASSOCIATED_TYPE:
        "a trait that has types of its own cannot have `host`",
        "remove `host` here and where the trait is implemented, or write the type in the place of `{0}`";
    HOST_PARAMETER:
        "`{0}` is something of the device, and a function with `host` runs on the host, too",
        "remove `host` from the attribute, or take plain values and slices";
    HOST_CALL:
        "only a kernel can call `{0}` where the host runs it, too: its other work items run then",
        "call it in the kernel, or remove `host` from the attribute";
    HOST_LOCAL:
        "`{0}` has no name, by which the host keeps work items apart that share it",
        "write `let tile = {0}();` first, and use `tile`";
    ATTRIBUTE_VALUE:
        "`{0}` needs a value",
        "write it like `{1}`";
    ATTRIBUTE_TYPE:
        "this is not what `{0}` takes",
        "write it like `{1}`";
    EMPTY_BLOCK:
        "a group of no work items cannot cover any work",
        "every number of `{0}` is at least 1";
    OVERSIZED_BLOCK:
        "a group of {0} work items fits no Vortex: a core runs at most {1} at a time, 32 warps of 32 threads",
        "make the group smaller, and let each work item do more";
    SUBGROUP_SIZE:
        "no Vortex has warps of {0} lanes",
        "`subgroup` is 1, 2, 4, 8, 16 or 32";
    LONG_LIST:
        "`{0}` has {1} numbers, and a list of an attribute has at most {2}",
        "leave some out";
    KERNEL_NAME:
        "this cannot be the name of a kernel",
        "begin with a letter or `_`, and go on with letters, digits and `_.:<>,`";
    UNGROUPED:
        "several numbers for `{0}` are written as one",
        "put them into parentheses: `{0} = (8, 8)`";
    REPEATED_ARGUMENT:
        "the argument `{0}` is given twice",
        "remove one of them";
    QUOTED_CRATE:
        "`crate` takes a path, not a string",
        "write `crate = {0}`";
    REFUSED_ATTRIBUTE:
        "`#[{0}]` has no meaning on a kernel, which is not compiled as a host function",
        "remove it";

    KERNEL_AND_DEVICE:
        "a function is a kernel, which the host launches, or one that kernels call: this has both attributes",
        "remove `#[{0}]`, or move what both do into a function of its own with `#[vortex::device]`";

    // The signature.
    OPERATOR_WITHOUT_OUTPUT:
        "`{1}: {0}` does not say of which type the result is",
        "write `{0}<Output = {1}>`, or `{1}: Num` for all that numbers can do";
    BOUND_BY_NUMBER:
        "`{1}` is a type, which is no bound of `{0}`",
        "write `const {0}: {1}` for a value that is known when the kernel is compiled";
    METHOD:
        "a kernel cannot be a method: there is no `self` on the device",
        "move the function out of the `impl` or `trait` block and pass what it needs as parameters";
    ASYNC:
        "a kernel cannot be `async`",
        "remove `async`: the host call returns a launch, and the device runs the kernel when it is launched";
    KERNEL_MAIN:
        "a kernel cannot be `main`, where the host's program begins",
        "rename it, and launch it in `fn main() -> vortex::Result<()>`";
    CONST:
        "a kernel cannot be `const`: it runs on the device, not in the compiler",
        "remove `const`";
    EXTERN:
        "a kernel cannot be `extern`: only launches call it",
        "remove `extern` and its ABI";
    SAFE_KEYWORD:
        "`safe` has no meaning on a kernel",
        "remove it";
    VARIADIC:
        "a kernel takes a fixed number of arguments",
        "pass a slice, `&[T]`, for any number of values";
    LIFETIME:
        "a kernel needs no lifetimes: its arguments live as long as the launch",
        "remove `{0}`";
    WHERE:
        "a kernel cannot have a `where` clause, as it has no type parameters",
        "remove it";
    RETURN_TYPE:
        "a kernel returns nothing",
        "remove the return type and write the result through a parameter, such as `out: &mut [T]`";
    PARAMETER_PATTERN:
        "a kernel's parameter is a plain name, as it also names an argument of the launch",
        "give it a name, and take it apart in the body with `let`";
    UNNAMED_PARAMETER:
        "a kernel's parameter needs a name, as it also names an argument of the launch",
        "write a name that begins with an underscore, such as `_unused`";
    PARAMETER_DOC:
        "parameters cannot be documented one by one",
        "describe `{0}` in the documentation of the kernel";
    PARAMETER_CONDITION:
        "`#[{0}]` cannot be used on a kernel's parameter: every build must have the same arguments",
        "put it on the kernel, and write two kernels";
    PARAMETER_BUILTIN:
        "`#[builtin]` has no meaning on a kernel's parameter, which the host passes",
        "remove the parameter, and write `let i = global_id();` in the body, or `local_id()`, `group_id()`";
    PARAMETER_ATTRIBUTE:
        "`#[{0}]` has no meaning on a kernel's parameter",
        "remove it";
    LAYOUT_EMPTY:
        "`#[layout]` says nothing of the tensor",
        "write it like `#[layout(memory = dram, layout = interleaved)]`, or remove it";
    LAYOUT_KEY:
        "`{0}` says nothing of a tensor's layout",
        "what can be said is `{1}`";
    LAYOUT_VALUE:
        "this is not what `{0}` takes",
        "write it like `{1}`";
    LAYOUT_PARAMETER:
        "only a tensor has a layout",
        "remove it, or declare the parameter as `&Tensor<T, M, N>`";
    COMPTIME_TEXT:
        "there is no text on the device: a `#[comptime]` parameter is a number, a `bool` or an enum",
        "declare what `{0}` chooses by as `#[derive(Clone, Copy, PartialEq, DeviceType)]` `#[repr(u32)]` \
         `enum Mode { Max, Sum }`, and write its name instead of `{0}`";
    COMPTIME_TYPE:
        "a `#[comptime]` parameter is a number, a `bool` or an enum, and `{0}` is none",
        "{1}";
    COMPTIME_MUT:
        "a `#[comptime]` parameter cannot be `mut`: it has one value in the whole image",
        "remove `mut`, and write `let mut {0} = {0};` for a local that starts with it";
    COMPTIME_RUNTIME:
        "`{0}` is known only when the kernel runs, and `comptime!` is evaluated when it is compiled",
        "use only `#[comptime]` parameters, names that `comptime!` gives, and constants in `comptime!`; or remove \
         `comptime!`";
    COMPTIME_GUARD:
        "this `match` is decided when the kernel is compiled, and the guard is known only when it runs",
        "write an `if` inside the arm";
    ASSIGN_COMPTIME:
        "cannot assign to `{0}`, which is known when the kernel is compiled and stays as it is",
        "write `let mut {0} = {0};` for a local that starts with it";
    LENGTH_BY_PARAMETER:
        "the length of an array is part of its type, and `{0}` is a parameter",
        "make the length a constant of the kernel, `fn {2}<const {1}: usize>(.., values: [f32; {1}])`, or pass a slice";
    DUPLICATE_PARAMETER:
        "two parameters are called `{0}`",
        "rename one of them: they also name the arguments of the launch";

    // Device functions.
    DEVICE_ATTRIBUTE_ON_TYPE:
        "a type is for the device by a derive, and `#[vortex::device]` is for functions, `impl` blocks and traits",
        "write `#[derive(Clone, Copy, vortex::DeviceType)]` and {0} instead";
    NOT_A_DEVICE_FUNCTION:
        "only a function can be a device function",
        "move `#[vortex::device]` to a function";
    DEVICE_VARIABLE:
        "a `static` is in device memory by another attribute",
        "write `#[vortex::constant]` for what kernels read, and `#[vortex::global]` for what they write";
    DEVICE_MODULE:
        "`#[vortex::device]` in front of a module says nothing of the functions in it",
        "write it in front of each function that kernels call";
    DEVICE_METHOD:
        "`#[vortex::device]` in front of a method stands in front of its `impl` block",
        "write `#[vortex::device] impl .. {`: all functions in it are then device functions";
    NOT_A_STATIC:
        "only a `static` can be in device memory",
        "write `#[vortex::{0}] static NAME: f32 = 1.0;`";
    VARIABLE_FUNCTION:
        "`#[vortex::{0}]` declares a variable in device memory",
        "a kernel is declared with `#[vortex::kernel]`, and a function that kernels call with `#[vortex::device]`";
    CONST_VARIABLE:
        "a `const` has no place in memory, only a value",
        "write `static`, or leave `#[vortex::{0}]` out: kernels can use the value of every `const`";
    MUTABLE_GLOBAL:
        "a variable in device memory is no `static mut`",
        "remove `mut`: kernels write it all the same, and the host by `device.global(&NAME)`";
    MUTABLE_CONSTANT:
        "kernels do not change a constant",
        "remove `mut`: the host writes it all the same, by `device.global(&NAME)`; or write `#[vortex::global]` for a \
         variable that kernels write";
    GIVEN_PLACE:
        "a function of a kernel gives values, and `{0}` is a place",
        "give the index of an element, and write `y[cell(row, column)] = ..`; what is called one after the other, \
         `b.add(x).add(y)`, gives nothing, and is written as statements: `b.add(x); b.add(y);`";
    GIVEN_REFERENCE:
        "a function of a kernel gives values, and `{0}` is a reference",
        "write `-> {1}`: values are copied";
    NO_SELF:
        "`{0}` takes no `self`",
        "write `&self` as its first parameter, `fn {0}(&self, ..)`, and call it as a method";
    TYPED_SELF:
        "`self` has a type of its own in a device method",
        "write `self`, `&self` or `&mut self`";
    METHOD_NAME:
        "`{0}` is a method of the kernel language too, which would be called instead of this one",
        "give this method another name";
    FUNCTION_NAME:
        "`{0}` is a function of the kernel language, which would be called instead of this one",
        "give this function another name";
    SLICE_METHODS:
        "methods of kernels are those of types that have a size, and `{0}` is none",
        "write a function that takes the slice, `#[vortex::device] fn total(x: &{0}) -> ..`";
    INDEX_SIGNATURE:
        "this has another signature than that of Rust's trait",
        "write `fn index(&self, i: usize) -> &f32`, or `fn index_mut(&mut self, i: usize) -> &mut f32`";
    INDEX_MUT_END:
        "`index_mut` of a kernel ends in the one place that it gives",
        "write `&mut self.values[i]` at its end, of an array; where a choice is made between fields, write a method \
         that assigns: `fn set(&mut self, i: usize, value: f32)`";
    OPERATOR_OF_REFERENCE:
        "an operator of a kernel takes values, and this is a reference",
        "write `{0}` for the type itself: in kernels `a + b` does not use up `a` and `b`";
    FROM_OPERAND:
        "`From` in a kernel takes one value, and this is `{0}`",
        "write a function in `#[vortex::device] impl`, as `fn of(x: {0}) -> Self`";
    FROM_NAME:
        "`from` makes a value of the type of another one, in kernels as for the trait `From`",
        "give this function another name, such as `of`";
    HOST_TRAIT:
        "`{0}` is a trait of the host: its functions take the host's values",
        "{1}";
    ASYNC_FUNCTION:
        "a device function cannot be `async`: nothing can wait on the device",
        "remove `async`";
    EXTERN_FUNCTION:
        "a device function cannot be `extern`: only kernels and other device functions call it",
        "remove `extern` and its ABI";
    MUTABLE_REFERENCE:
        "`mut` on a reference would let it refer to something else, and in a kernel it cannot",
        "remove it: what a `&mut` refers to can be assigned to without";
    CONST_CLOSURE:
        "a closure in a kernel has parameters and a body, and nothing else",
        "remove this";
    ASSIGN_SELF:
        "cannot assign to `self`",
        "write `&mut self` in the signature to change what the method is called on, or `mut self` for a copy of it";
    ASSIGN_ARGUMENT:
        "cannot assign to `{0}`, which is not declared as mutable",
        "write `mut {0}` where it is declared for a local copy, or `{0}: &mut T` for a parameter that changes what \
         the caller has";
    ASSIGN_REFERENCE:
        "cannot assign to `{0}` itself, which is a reference",
        "assign to what it refers to: `*{0} = ..`";
    WRITE_SHARED:
        "cannot assign through `{0}`, which is a `&` reference",
        "write `&mut` instead: `{0}: &mut T` for a parameter, `let {0} = &mut ..;` for a local, and \
         `for {0} in x.iter_mut()` over an `x: &mut [T]`";
    BORROW_NOT_MUT:
        "cannot borrow `{0}` as mutable, which is not declared as mutable",
        "declare it with `let mut {0}`";
    BORROW_VALUE:
        "this is a value: there is no place to borrow as mutable",
        "put it into a `let mut` local and borrow that";
    BORROWED_TWICE:
        "cannot borrow `{0}` as mutable more than once in a call",
        "use another local for one of the arguments";
    BORROWED_ELEMENTS:
        "cannot borrow `{0}` as mutable while another part of `{1}` is borrowed",
        "write `{1}.swap(i, j)` to exchange two elements; else use another local for one of the arguments";

    // Types.
    F64:
        "there is no `f64` on the device: its floating-point unit is 32 bits wide",
        "use `f32`";
    WIDE_INTEGER:
        "there is no `{0}` in kernels: device words have 32 bits, and integers take two of them at most",
        "use `{1}`";
    QUAD:
        "there is no `f128` on the device",
        "use `f32`";
    CHAR:
        "there is no `char` on the device",
        "use `u32` and convert on the host with `u32::from(c)`";
    TEXT:
        "there is no text on the device: `{0}` cannot be used in a kernel",
        "pass the bytes as `&[u8]`, and what a `match` chooses by as a number or an enum";
    FIELD_TEXT:
        "there is no text on the device: `{0}` cannot be in a struct there",
        "write `[u8; N]` for text of a fixed length, or pass all text as one slice `&[u8]` and put `start: u32` and `len: u32` here";
    HEAP:
        "there is no heap on the device: `{0}` cannot be used in a kernel",
        "use a slice, `&[T]` or `&mut [T]`";
    HEAP_VARIABLE:
        "there is no heap on the device: `{0}` cannot be the type of a variable there",
        "write an array, `[{1}; N]`: a variable of the device has one size";
    FIELD_HEAP:
        "there is no heap on the device: `{0}` cannot be in a struct there",
        "write an array of a fixed length, `[T; N]`, or pass all elements as one slice and put `start: u32` and \
         `len: u32` here";
    FIELD_MAP:
        "there is no heap on the device: `{0}` cannot be in a struct there",
        "pass its keys and its values as slices, sorted by key, and put `start: u32` and `len: u32` here";
    FIELD_BOX:
        "there is no heap on the device: `{0}` cannot be in a struct there",
        "hold the value itself, `{1}`, or an index into a slice of these";
    FIELD_OPTION:
        "`{0}` cannot be the type of a field",
        "write a plain value, and another field that says whether there is one";
    FIELD_RESULT:
        "`{0}` cannot be the type of a field",
        "write a plain value, and a number next to it that says what failed";
    FIELD_WRAPPER:
        "`{0}` cannot be in a struct on the device",
        "write `{1}`";
    FIELD_RANGE:
        "a range cannot be in a struct on the device",
        "write its two ends as fields, `start: {0}` and `end: {0}`";
    FIELD_FUNCTION:
        "there are no function pointers on the device",
        "hold an enum that says which function it is, and choose with `match`";
    FIELD_TUPLE:
        "a tuple has no place in device memory: Rust does not say how its parts lie there",
        "write a field for each part, or a struct with `#[repr(C)]` and `#[derive(Clone, Copy, vortex::DeviceType)]`";
    FIELD_NOTHING:
        "a field of type `()` holds nothing, and what lies in device memory is made of numbers",
        "leave it out";
    FIELD_SLICE:
        "`{0}` cannot be in a struct on the device, where a struct holds all of its values itself",
        "make `{1}` a parameter of its own, `{2}`; where each struct has another part of it, put `start: u32` and \
         `len: u32` here";
    FIELD_REFERENCE:
        "`{0}` borrows, and what lies in device memory cannot",
        "hold the value itself, `{1}`, or an index into a slice of these";
    FIELD_ATOMIC:
        "what is atomic is said where it is used, and not by the type: `{0}` cannot be in a struct on the device",
        "write `{1}`; what several work items change is a slice of its own, `{2}: &mut [{1}]`, with \
         `{2}.atomic(i).fetch_add(1, Relaxed)`";
    ATOMIC_TYPE:
        "what is atomic is said where it is used, and not by the type: `{0}` cannot be used in a kernel",
        "write `{1}`, in a slice `bins: &mut [{1}]`, and `bins.atomic(i).fetch_add(1, Relaxed)`";
    ATOMIC_VARIABLE:
        "what is atomic is said where it is used, and not by the type: `{0}` cannot be the type of a variable in \
         device memory",
        "write `static {1}: {2} = 0;`, and `{1}.atomic().fetch_add(1, Relaxed)` in a kernel";
    OPTION:
        "`{0}` cannot be the type of a parameter or of an element",
        "pass a plain value, and a `bool` next to it where it may be missing";
    OPTION_OF_WHAT:
        "`{0}` does not say of which type its value is",
        "write `{1}`, or whatever types are meant";
    OPTION_OF_SLICE:
        "`Option` cannot be the type of a parameter or of an element",
        "write `{0}`, and ask whether it `.is_empty()`; where there is nothing, the host passes an empty buffer, \
         `device.alloc(0)?`";
    RESULT:
        "`{0}` cannot be the type of a parameter or of an element",
        "pass a plain value, and a number next to it that says what failed";
    ERROR_OF_TEXT:
        "an error of a kernel's function is a value, and there is neither text nor a heap for `{0}`",
        "write an enum, one variant for each error, with `#[derive(Clone, Copy, Debug, vortex::DeviceType)]` and \
         `#[repr(u32)]`";
    RESULT_OF_ONE:
        "`{0}` does not say what its errors are",
        "write both types, as in `Result<{1}, u32>`: what an alias stands for cannot be seen from here";
    HOST_VALUE:
        "a `{0}` is on the host: kernels do not see it",
        "pass what it refers to as a slice, `&[T]`, and keep indices into that";
    HOST_POINTER:
        "a `{0}` is on the host, where it knows its device: what lies in device memory is the address alone",
        "write `{1}<T>`, which the host makes with `buffer.{2}().into()`";
    HOST_BUFFER:
        "a kernel's parameter is written as the kernel sees it, not as `{0}`",
        "write {1}; the host call then takes the buffer";
    SELF_TYPE:
        "a kernel cannot use `Self`: it belongs to no type",
        "move the function out of the `impl` or `trait` block and name the type";
    TUPLE:
        "a tuple cannot be a kernel's argument: Rust does not say how its parts lie in memory",
        "make each of its parts a parameter, or pass a struct with `#[repr(C)]` and `#[derive(Clone, Copy, \
         vortex::DeviceType)]`";
    TUPLE_ELEMENT:
        "a tuple has no place in device memory: Rust does not say how its parts lie there",
        "use a struct with `#[repr(C)]` and `#[derive(Clone, Copy, vortex::DeviceType)]`, or a slice for each part";
    UNDECLARED_LIFETIME:
        "nothing declares the lifetime `{0}`",
        "write `fn {1}<{0}>(..)`";
    GIVEN_BY_WHICH:
        "`{0}` is a part of what one of the parameters refers to, and nothing says of which",
        "give both the same lifetime, as in `fn f<'a>(x: &'a [T], y: &[T]) -> &'a [T]`";
    UNSIZED:
        "a slice is passed by reference",
        "write `&{0}`, or `&mut {0}` to write to it";
    SCALAR_REFERENCE:
        "a kernel cannot take a reference to a single value",
        "pass it by value: `{0}`";
    SCALAR_REFERENCE_MUT:
        "a kernel cannot take a reference to a single value",
        "take a slice of one element to write to: `&mut [{0}]`";
    ARRAY_REFERENCE:
        "a kernel cannot take a reference to an array",
        "take a slice: `{0}`";
    LOCAL_REFERENCE:
        "a kernel takes local memory by `&mut`, which all work items of a group share",
        "write `&mut Local<{0}>`";
    LOCAL_SIZED:
        "only local memory whose length the launch gives is a parameter",
        "declare what has a size in the body, `let tile = local::<{0}>();`, or write `&mut Local<[{1}]>`";
    TEXEL:
        "a texture cannot be made of `{0}`",
        "texels are `u8`, `u16`, `f16` and `f32`, for one channel, and `Vec2` and `Vec4` of these for two and four";
    TENSOR_ELEMENT:
        "a tensor cannot be made of `{0}`",
        "tensors are made of `bf16`, `f16`, `f32`, `i8` or `i32`";
    TENSOR_EXTENTS:
        "a tensor has rows and columns, or neither is named",
        "write `Tensor<{0}, M, N>`, or `Tensor<{0}>` if the launch says how many there are";
    TENSOR_VALUE:
        "a kernel takes a tensor by reference",
        "write `&{0}` to read it, `&mut {0}` to write it too";
    TEXTURE_AXES:
        "the number of dimensions of a texture is 2 or 3, not {0}",
        "a `Texture<T>` has two dimensions, a `Texture<T, 3>` three";
    TEXTURE_VALUE:
        "a kernel takes a texture by reference",
        "write `&{0}` to read and sample it, `&mut {0}` to write it too";
    SLICE_LIFETIME:
        "a kernel needs no lifetimes: its arguments live as long as the launch",
        "write `{0}` without `{1}`";
    TRAIT_TYPE:
        "`{0}` is no type of a value: the device needs to know which it is",
        "name the type; or write a type parameter, `<T: {1}>`, and `T` here";
    FUNCTION_GIVEN:
        "`{0}` is a function, and none can be given back: the device calls no pointers",
        "write the closure where it is called, `let f = |x: f32| ..;`, or give this function all arguments, and have \
         it give the value";
    TRAIT_FUNCTION:
        "`{0}` is a function, and none can be passed to a kernel, kept, or given back: the device calls no pointers",
        "call a `#[vortex::device]` function by its name; such a function may take a closure: \
         `f: impl Fn(f32) -> f32`";
    TRAIT_ITERATOR:
        "`{0}` is an iterator, and none can be passed to a kernel or to one of its functions, or given back",
        "take a slice, `&[{1}]`, and go through it in the body: `for v in x`, `x.iter().map(..).sum()`";
    FUNCTION_POINTER:
        "there are no function pointers on the device",
        "pass a number and choose with `if`, or name a closure, `let f = |x: f32| x.sqrt();`";
    NO_TYPE:
        "this is not a type that a kernel can use",
        "use a scalar such as `f32`, a slice `&[T]` or `&mut [T]`, or a raw pointer";
    USIZE_ELEMENT:
        "`{0}` cannot lie in device memory, where it is 32 bits wide and on the host it is not",
        "use `{1}`";
    NESTED_ELEMENT:
        "device memory holds plain values and raw pointers, not references or slices",
        "pass the data in one slice, and indices into it; or write `*const T`, to be used in `unsafe` code";
    FIELD_POINTER:
        "a `{0}` has other sizes on the host and on the device",
        "write `{1}`, which is a pointer in kernels and four bytes on both sides";
}
