//! What Rust has and kernels have not, by name, with what to write instead.

use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Ident, ImplItem, ItemImpl, Path, Type, UnOp};

use super::path::{last_two, wanted_of_lanes};
use super::{is_one_of, source};
use crate::messages;

/// A method of the crate `rayon`, in a chain of which this is the last one.
pub(crate) fn parallel_method(call: &ExprMethodCall) -> Option<syn::Error> {
    let ends_in_one = [
        "sum", "product", "min", "max", "count", "fold", "reduce", "any", "all",
    ];
    earlier_parallel_method(call, is_one_of(&call.method, &ends_in_one))
}

fn earlier_parallel_method(call: &ExprMethodCall, ends_in_one: bool) -> Option<syn::Error> {
    let method = &call.method;
    let name = method.to_string();
    if matches!(
        name.as_str(),
        "par_iter"
            | "par_iter_mut"
            | "into_par_iter"
            | "par_chunks"
            | "par_chunks_mut"
            | "par_sort"
    ) {
        let instead = match ends_in_one {
            false => {
                "the work items of a launch run at the same time already: write what one of them does, \
                 `x[global_id()] = ..`"
            }
            true => "write `iter`, with which one work item goes over all elements",
        };
        return Some(messages::MISSING_METHOD.at(method, &[method, &instead]));
    }
    match &*call.receiver {
        Expr::MethodCall(earlier) => earlier_parallel_method(earlier, ends_in_one),
        _ => None,
    }
}

/// `x.iter().windows(2)`: a method of slices.
pub(crate) fn slice_method_of_an_iterator(call: &ExprMethodCall) -> Option<syn::Error> {
    let Expr::MethodCall(earlier) = &*call.receiver else {
        return None;
    };
    if !is_one_of(&earlier.method, &["iter", "iter_mut"]) {
        return None;
    }
    let method = &call.method;
    let whole = source(&earlier.receiver);
    let arguments = source(&call.args);
    let words: [&dyn std::fmt::Display; 4] = [method, &earlier.method, &whole, &arguments];
    Some(messages::SLICE_METHOD.at(method, &words))
}

/// A method of Rust's library that kernels have not.
pub(crate) fn missing_method(call: &ExprMethodCall) -> Option<syn::Error> {
    let instead = match call.method.to_string().as_str() {
        "get_mut" | "first_mut" | "last_mut" => {
            let words: [&dyn std::fmt::Display; 2] = [&call.method, &source(call)];
            return Some(messages::PLACE_IN_OPTION.at(&call.method, &words));
        }
        "split_first_mut" | "split_last_mut" => {
            "compare the index with the length, `if i < x.len() { x[i] = .. }`"
        }
        "get_unchecked" | "get_unchecked_mut" => {
            "write `x[i]`, whose check the compiler removes where it cannot fail, or use a raw pointer"
        }
        "split_first" | "split_last" => "write `x.split_at(i)`, or `x[0]` and `&x[1..]`",
        "to_vec" | "to_owned" | "into_boxed_slice" => {
            "there is no heap on the device: write into a slice, `y.copy_from_slice(x)`"
        }
        "to_string" => "there is no text on the device: print the value with `println!`",
        "copy_within" if matches!(call.args.first(), Some(Expr::Range(_))) => {
            "write a `for` over the elements, or `y.copy_from_slice(&x[a..b])` from another slice"
        }
        "is_ascii_punctuation" | "is_ascii_graphic" | "is_ascii_control" | "is_ascii_hexdigit" => {
            "write the bytes that are meant, `matches!(b, b'0'..=b'9' | b'a'..=b'f')`"
        }
        "as_chunks" | "as_chunks_mut" | "array_chunks" => {
            "write `x.chunks_exact(n)`, or `chunks_exact_mut(n)`, whose items are slices"
        }
        "array_windows" => "write `x.windows(n)`, whose items are slices",
        "is_sorted" => "write `x.windows(2).all(|w| w[0] <= w[1])`",
        "expect_err" => "write `r.unwrap_err()`",
        "as_ptr" | "as_mut_ptr" => "pass a raw pointer to the kernel",
        "cbrt" => "write `x.abs().powf(1.0 / 3.0).copysign(x)`, of a few ULP",
        "as_mut" | "as_deref_mut" => {
            "what an `Option` holds is a value here: write `if let Some(v) = o { o = Some(v + 1); }`"
        }
        _ => return None,
    };
    Some(messages::MISSING_METHOD.at(&call.method, &[&call.method, &instead]))
}

/// A method of a byte as a `char`.
pub(crate) fn method_of_char(call: &ExprMethodCall) -> Option<syn::Error> {
    let Expr::Paren(receiver) = &*call.receiver else {
        return None;
    };
    let Expr::Cast(cast) = &*receiver.expr else {
        return None;
    };
    if !matches!(&*cast.ty, Type::Path(ty) if ty.path.is_ident("char")) {
        return None;
    }
    let byte = source(&cast.expr);
    let name = call.method.to_string();
    let method = match name.as_str() {
        "to_digit" => {
            let instead = format!("({byte} - b'0') as u32` where `{byte}.is_ascii_digit()");
            return Some(messages::CHAR_METHOD.at(&cast.ty, &[&instead]));
        }
        "is_alphabetic" => "is_ascii_alphabetic",
        "is_numeric" | "is_digit" => "is_ascii_digit",
        "is_alphanumeric" => "is_ascii_alphanumeric",
        "is_whitespace" => "is_ascii_whitespace",
        "is_uppercase" => "is_ascii_uppercase",
        "is_lowercase" => "is_ascii_lowercase",
        "to_uppercase" => "to_ascii_uppercase",
        "to_lowercase" => "to_ascii_lowercase",
        name => *super::names::BYTE_METHODS
            .iter()
            .find(|method| **method == name)?,
    };
    Some(messages::CHAR_METHOD.at(&cast.ty, &[&format!("{byte}.{method}()")]))
}

/// An operation of atomics on an element itself.
pub(crate) fn atomic_method(call: &ExprMethodCall) -> Option<syn::Error> {
    let Expr::Index(index) = &*call.receiver else {
        return None;
    };
    let name = call.method.to_string();
    let is_atomic = super::orderings(&name) > 0 && name != "swap";
    let words: [&dyn std::fmt::Display; 3] =
        [&call.method, &source(&index.expr), &source(&index.index)];
    is_atomic.then(|| messages::ATOMIC_METHOD.at(&call.method, &words))
}

/// `bytes.atomic(i)` of elements that are no words.
pub(crate) fn without_atomics(
    call: &ExprMethodCall,
    name: &Ident,
    elem: &Type,
) -> Option<syn::Error> {
    let ty = source(elem);
    let has_none = super::is_scalar(&ty) && !["u32", "i32", "f32"].contains(&ty.as_str());
    has_none.then(|| messages::ATOMIC_ELEMENTS.at(&call.method, &[&ty, name]))
}

/// An operation that what `atomic` gives has not.
pub(crate) fn other_atomic_method(call: &ExprMethodCall) -> Option<syn::Error> {
    let instead = match call.method.to_string().as_str() {
        "add" | "inc" | "increment" => "`fetch_add(1, Relaxed)`",
        "sub" | "dec" | "decrement" => "`fetch_sub(1, Relaxed)`",
        "min" => "`fetch_min(v, Relaxed)`",
        "max" => "`fetch_max(v, Relaxed)`",
        "and" => "`fetch_and(v, Relaxed)`",
        "or" => "`fetch_or(v, Relaxed)`",
        "xor" => "`fetch_xor(v, Relaxed)`",
        "get" | "read" => "`load(Relaxed)`",
        "set" | "write" => "`store(v, Relaxed)`",
        "exchange" | "replace" => "`swap(v, Relaxed)`",
        "compare_and_swap" | "cas" => "`compare_exchange(old, new, Relaxed, Relaxed)`",
        "fetch_update" | "update" | "fetch_mul" | "fetch_div" | "fetch_nand" => {
            "a loop over `compare_exchange`, which tries again if another item was faster"
        }
        _ => return None,
    };
    Some(messages::ATOMIC_OTHER.at(&call.method, &[&call.method, &instead]))
}

/// `slot.atomic(i).fetch_add(1)`, without its order.
pub(crate) fn without_order(call: &ExprMethodCall) -> Option<syn::Error> {
    let of_atomic = matches!(&*call.receiver, Expr::MethodCall(of) if of.method == "atomic");
    let name = call.method.to_string();
    let (orderings, missing) = match super::orderings(&name) {
        1 => (1, "Relaxed"),
        2 => (2, "AcqRel, Relaxed"),
        _ => return None,
    };
    let given = call.args.len();
    // Of two orders perhaps one.
    let (values, missing) = match name.as_str() {
        "load" => (0, missing),
        "compare_exchange" if given == 3 => (3, "Relaxed"),
        _ => (orderings, missing),
    };
    let arguments = source(&call.args);
    let between = if values == 0 { "" } else { ", " };
    let words: [&dyn std::fmt::Display; 2] = [&name, &format!("{arguments}{between}{missing}")];
    (of_atomic && given == values).then(|| messages::WITHOUT_ORDER.at(&call.method, &words))
}

/// A function of a type that lies on the heap.
pub(crate) fn heap_function(path: &ExprPath) -> Option<syn::Error> {
    let (ty, function) = last_two(&path.path)?;
    let on_heap = [
        "Vec", "Box", "String", "Rc", "Arc", "HashMap", "BTreeMap", "HashSet", "VecDeque",
    ];
    // Types of the user's may have such a name.
    let making = [
        "new",
        "from",
        "from_iter",
        "default",
        "with_capacity",
        "pin",
    ];
    let is_one = is_one_of(ty, &on_heap) && is_one_of(function, &making);
    let message = match ty == "String" {
        true => messages::TEXT_FUNCTION,
        false => messages::HEAP_FUNCTION,
    };
    is_one.then(|| message.at(path, &[&source(path)]))
}

/// A function of the host that people look for in kernels.
pub(crate) fn host_function(path: &ExprPath) -> Option<syn::Error> {
    let (ty, function) = last_two(&path.path)?;
    let instead = match (ty.to_string().as_str(), function.to_string().as_str()) {
        ("Instant" | "SystemTime", "now") => {
            "write `clock()`, which counts the cycles of the core; the report of a launch says how long it took"
        }
        ("Cell" | "RefCell" | "OnceCell", "new") => "write a local, `let mut name = ..;`",
        ("Mutex" | "RwLock", "new") => {
            "items change what they share by atomic operations, `x.atomic(i).fetch_add(1, Relaxed)`"
        }
        _ => return None,
    };
    Some(messages::STD_FUNCTION.at(path, &[&source(path), &instead]))
}

/// `TOTAL.lock().unwrap()`: a variable of the host's that threads share.
pub(crate) fn lock(whole: &Expr) -> Option<syn::Error> {
    let Expr::MethodCall(taken) = whole else {
        return None;
    };
    let Expr::MethodCall(lock) = &*taken.receiver else {
        return None;
    };
    let Expr::Path(path) = &*lock.receiver else {
        return None;
    };
    let name = &path.path.segments.last()?.ident;
    let is_one = is_one_of(&taken.method, &["unwrap", "expect"])
        && is_one_of(&lock.method, &["lock", "read", "write"])
        && lock.args.is_empty()
        && super::is_constant_name(&name.to_string());
    is_one.then(|| messages::LOCK.at(&lock.method, &[name]))
}

/// What is known to be wrong with a call of a function for the lanes of a warp, or the items of a group.
pub(crate) fn of_lanes(call: &ExprCall) -> Option<syn::Error> {
    value_first(call)
        .or_else(|| negative_lanes(call))
        .or_else(|| combined_tuple(call))
        .or_else(|| function_of_lanes(call))
}

/// `warp::sync()`: a function that other languages have for the lanes of a warp, or the items of a group.
fn function_of_lanes(call: &ExprCall) -> Option<syn::Error> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let (module, name) = last_two(&path.path)?;
    let of_group = module == "group";
    if !of_group && module != "warp" {
        return None;
    }
    let instead = match (name.to_string().as_str(), of_group) {
        ("sync" | "syncwarp" | "barrier", false) => {
            "nothing: lanes come to each operation of `warp` together; within a group `barrier()`"
                .to_owned()
        }
        ("sync" | "barrier", true) => "`barrier()`".to_owned(),
        ("sum" | "add" | "reduce" | "reduce_sum", _) => format!("`{module}::reduce_add(x)`"),
        ("min" | "max", _) => format!("`{module}::reduce_{name}(x)`"),
        ("scan" | "prefix_sum" | "inclusive_scan" | "inclusive_sum", _) => {
            format!("`{module}::inclusive_add(x)`")
        }
        ("exclusive_scan" | "exclusive_sum", _) => format!("`{module}::exclusive_add(x)`"),
        ("all", true) => "`group::reduce_and(c)`".to_owned(),
        ("any", true) => "`group::reduce_or(c)`".to_owned(),
        ("elect", true) => "`local_id() == 0`".to_owned(),
        ("broadcast" | "shuffle", true) => {
            "`let tile = local::<[f32; 64]>();`, to which an item writes what others read after a \
             `barrier()`"
                .to_owned()
        }
        ("id" | "index", true) => "`group_id()`".to_owned(),
        ("size" | "len", true) => "`local_size()`".to_owned(),
        ("count", true) => "`group_count()`".to_owned(),
        ("id" | "index" | "lane" | "lane_id", false) => "`lane_id()`".to_owned(),
        ("size" | "len" | "lanes" | "lane_count", false) => "`lane_count()`".to_owned(),
        ("shfl", false) => "`warp::shuffle(x, lane)`".to_owned(),
        ("shfl_up" | "shfl_down" | "shfl_xor", false) => {
            format!(
                "`warp::{}(x, n)`",
                name.to_string().replace("shfl", "shuffle")
            )
        }
        ("first", false) => "`warp::broadcast(x)`".to_owned(),
        ("mask" | "active_mask", false) => "`warp::active()`".to_owned(),
        _ => return None,
    };
    let words: [&dyn std::fmt::Display; 2] = [&source(path), &instead];
    Some(messages::FOREIGN_NAME.at(path, &words))
}

/// `warp::shuffle_down(1, x)`, with the distance first.
fn value_first(call: &ExprCall) -> Option<syn::Error> {
    // Of those alone the second argument is a lane.
    let is_shuffle = wanted_of_lanes(&call.func, 1).is_some();
    let is_literal = |expr: &Expr| matches!(expr, Expr::Lit(_));
    let mut arguments = call.args.iter();
    let (lane, value) = (arguments.next()?, arguments.next()?);
    let is_swapped = is_shuffle && is_literal(lane) && !is_literal(value);
    let words: [&dyn std::fmt::Display; 3] = [&source(&call.func), &source(value), &source(lane)];
    is_swapped.then(|| messages::VALUE_FIRST.at(&call.args, &words))
}

/// `warp::shuffle_down(x, -1)`.
fn negative_lanes(call: &ExprCall) -> Option<syn::Error> {
    wanted_of_lanes(&call.func, 1)?;
    let function = source(&call.func);
    let mut arguments = call.args.iter();
    let (value, lanes) = (source(arguments.next()?), arguments.next()?);
    let Expr::Unary(unary) = lanes else {
        return None;
    };
    let count = source(&unary.expr);
    let instead = match function.rsplit("::").next()? {
        "shuffle_up" => format!("warp::shuffle_down({value}, {count})"),
        "shuffle_down" => format!("warp::shuffle_up({value}, {count})"),
        _ => format!("{function}({value}, {count})"),
    };
    let is_negative = matches!(unary.op, UnOp::Neg(_));
    is_negative.then(|| messages::NEGATIVE_LANES.at(lanes, &[&function, &instead]))
}

/// `group::reduce_add((a, b))`.
fn combined_tuple(call: &ExprCall) -> Option<syn::Error> {
    let (Expr::Path(path), Some(tuple @ Expr::Tuple(_))) = (&*call.func, call.args.first()) else {
        return None;
    };
    let (module, name) = last_two(&path.path)?;
    let name = name.to_string();
    let is_one = is_one_of(module, &["warp", "group"])
        && ["reduce_", "inclusive_", "exclusive_"]
            .iter()
            .any(|kind| name.starts_with(kind));
    is_one.then(|| messages::COMBINED_TUPLE.at(tuple, &[&source(path)]))
}

/// `f32::PI`, which is in a module of that name.
pub(crate) fn constant_elsewhere(path: &Path) -> Option<syn::Error> {
    let (ty, constant) = last_two(path)?;
    let name = constant.to_string();
    let is_one = matches!(
        name.as_str(),
        "PI" | "TAU"
            | "E"
            | "SQRT_2"
            | "LN_2"
            | "LN_10"
            | "LOG2_E"
            | "LOG10_E"
            | "LOG2_10"
            | "LOG10_2"
    ) || name.starts_with("FRAC_");
    (ty == "f32" && path.segments.len() == 2 && is_one)
        .then(|| messages::CONSTANT_ELSEWHERE.at(path, &[ty, constant]))
}

/// `x.iter().max_by(|a, b| a.partial_cmp(b))`, which is no order.
pub(crate) fn partial_order(call: &ExprMethodCall) -> Option<syn::Error> {
    let Expr::Closure(closure) = call.args.last()? else {
        return None;
    };
    let Expr::MethodCall(compared) = &*closure.body else {
        return None;
    };
    let words: [&dyn std::fmt::Display; 3] = [
        &call.method,
        &source(&compared.receiver),
        &source(&compared.args),
    ];
    (compared.method == "partial_cmp").then(|| messages::PARTIAL_ORDER.at(&compared.method, &words))
}

/// Whether a block is for the trait of Rust's library that its path names, or for one of the user's of the same name:
/// known by the functions in it.
pub(crate) fn implements_std(block: &ItemImpl) -> bool {
    let Some((path, _)) = &block.trait_ else {
        return false;
    };
    let Some(last) = path.segments.last() else {
        return false;
    };
    let name = last.ident.to_string().to_lowercase();
    let function = match name.as_str() {
        "eq" | "copy" => None,
        "partialeq" => Some("eq"),
        "partialord" => Some("partialcmp"),
        "ord" => Some("cmp"),
        "debug" | "display" => Some("fmt"),
        "iterator" => Some("next"),
        "intoiterator" => Some("intoiter"),
        // The others' functions have the names of the traits, as `bitand_assign`.
        name => Some(name),
    };
    let mut functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function.sig.ident.to_string().replace('_', "")),
        _ => None,
    });
    may_be_of_std(path)
        && match function {
            Some(function) => functions.any(|one| one == function),
            None => functions.next().is_none(),
        }
}

/// Whether a path to a trait can be one into Rust's library: all names without a module can.
pub(crate) fn may_be_of_std(path: &Path) -> bool {
    let modules = path.segments.iter().rev().skip(1);
    let of_traits = [
        "ops", "cmp", "clone", "marker", "default", "fmt", "hash", "convert", "str", "iter",
    ];
    modules
        .zip([&of_traits[..], &["std", "core", "vortex"]])
        .all(|(module, names)| is_one_of(&module.ident, names))
}

/// Whether this is an `impl Default`.
pub(crate) fn implements_default(block: &ItemImpl) -> bool {
    let last = block
        .trait_
        .as_ref()
        .and_then(|(path, _)| path.segments.last());
    implements_std(block) && last.is_some_and(|last| last.ident == "Default")
}

/// Whether this implements a trait of Rust's library that says nothing of what kernels do.
pub(crate) fn is_for_the_host(block: &ItemImpl) -> bool {
    let of_trait = block.trait_.as_ref();
    let last = of_trait.and_then(|(path, _)| path.segments.last());
    let names = [
        "PartialEq",
        "Eq",
        "PartialOrd",
        "Ord",
        "Clone",
        "Copy",
        "Debug",
        "Display",
        "Hash",
        "IntoIterator",
        "AsRef",
        "AsMut",
        "FromStr",
    ];
    implements_std(block) && last.is_some_and(|last| is_one_of(&last.ident, &names))
}

/// A trait of Rust's library that is not implemented for the device.
pub(crate) fn host_trait(block: &ItemImpl) -> Option<syn::Error> {
    let (path, _) = block.trait_.as_ref().filter(|_| implements_std(block))?;
    let last = path.segments.last()?;
    let instead = match last.ident.to_string().as_str() {
        "AddAssign" | "SubAssign" | "MulAssign" | "DivAssign" | "RemAssign" | "BitAndAssign"
        | "BitOrAssign" | "BitXorAssign" | "ShlAssign" | "ShrAssign" => {
            "remove this: `a += b` is `a = a + b` in kernels, and `Add` says what that is; so it is for the others"
        }
        "PartialEq" | "Eq" | "PartialOrd" | "Ord" => {
            "derive it, which compares field by field; for another order compare what counts, as in \
             `a.distance < b.distance`, or write a method in `#[vortex::device] impl`"
        }
        "Clone" | "Copy" => "derive `Clone` and `Copy`",
        "Debug" | "Display" | "Hash" => "leave `#[vortex::device]` out, and use it on the host",
        "Deref" | "DerefMut" => {
            "write a method in `#[vortex::device] impl`, as `fn at(self, i: usize) -> f32`"
        }
        "Into" => "write `#[vortex::device] impl From<..> for ..`, which `into` goes by, too",
        "TryFrom" | "TryInto" | "FromStr" | "AsRef" | "AsMut" => {
            "write a function in `#[vortex::device] impl`, as `fn of(x: f32) -> Self`"
        }
        "Iterator" => {
            "write a method, `#[vortex::device] impl .. { fn next(&mut self) -> u32 { .. } }`, and a `for` over a \
             range, which calls it"
        }
        "IntoIterator" => "write a `for` over a range or a slice",
        "Sum" | "Product" => "write a `for`, or `fold`",
        "Drop" => "nothing has to be freed on the device: remove this",
        _ => return None,
    };
    Some(messages::HOST_TRAIT.at(path, &[&last.ident, &instead]))
}
