#![allow(clippy::unwrap_used)]

use super::*;
use crate::ir::{Form, verify};
use crate::meta::{ArgMeta, arguments};

/// A constant, as the macro would write it.
#[track_caller]
fn lift<T: crate::meta::Scalar>(value: T) -> Lane<T> {
    Constant { value }.lane()
}

/// Where functions are declared, as the macro would say.
const HERE: (&str, u32, u32) = (file!(), line!(), column!());

/// Declares a kernel by hand, as the macro would.
macro_rules! kernel {
    ($name:ident [$($arg:expr),*] $body:block) => {
        struct $name;

        impl Kernel for $name {
            type Args = [u32; 0];
            const META: KernelMeta = KernelMeta::new(
                stringify!($name),
                "tests",
                file!(),
                line!(),
                column!(),
                { const ARGS: &[ArgMeta] = &arguments([$($arg),*]); ARGS },
            );

            fn stage() $body
        }
    };
}

/// Stages, verifies, and prints without the locations.
fn staged<K: Kernel>() -> String {
    let function = stage::<K>().unwrap();
    verify(&function, Form::Staged).unwrap_or_else(|error| panic!("{error}\n{function}"));
    let text = function.to_string();
    println!("{text}");
    text
}

/// The body of the printed kernel, without locations, with single spaces.
fn body<K: Kernel>() -> Vec<String> {
    let text = staged::<K>();
    text.lines()
        .skip(1)
        .map(str::trim)
        .filter(|line| !line.starts_with("loc "))
        .map(|line| {
            let words = line
                .split_whitespace()
                .filter(|word| !word.starts_with('@'));
            words.collect::<Vec<_>>().join(" ")
        })
        .filter(|line| line != "}")
        .collect()
}

kernel!(Saxpy [ArgMeta::scalar::<f32>("alpha"), ArgMeta::slice::<f32>("x"), ArgMeta::slice_mut::<f32>("y")] {
    let alpha = param_scalar::<f32>(0);
    let x = param_slice::<f32>(1);
    let y = param_slice_mut::<f32>(2);
    let i = global_id();
    when(|| lt(i, || y.len()), || {
        let rhs = alpha * Indexable::index(x, || i).get();
        Indexable::index(y, || i).update(|old| old + rhs);
    });
});

#[test]
fn an_index_is_checked_once_per_access() {
    let expected = [
        "v5: u32 = id linear",
        "v6: bool = lt v5, v4",
        "if v6 {",
        "v7: bool = lt v5, v2",
        "v11: f32 = if v7 {",
        "v8: ptr<global> = ptradd v1, v5 * 4",
        "v9: f32 = load v8+0 shared(1)",
        "yield v9",
        "} else {",
        "fault index v5, v2",
        "v10: f32 = const 0.0",
        "yield v10",
        "v12: f32 = mul v0, v11",
        "v13: bool = lt v5, v4",
        "if v13 {",
        "v14: ptr<global> = ptradd v3, v5 * 4",
        "v15: f32 = load v14+0 exclusive(2)",
        "v16: f32 = add v15, v12",
        "store v14+0, v16 exclusive(2)",
        "} else {",
        "fault index v5, v4",
    ];
    assert_eq!(body::<Saxpy>(), expected);
}

#[test]
fn locations_are_the_callers() {
    let function = stage::<Saxpy>().unwrap();
    assert!(function.locs.len() > 5);
    assert!(function.locs[crate::ir::Loc::NONE].file.is_empty());
    assert!(
        function.locs.as_values_slice()[1..]
            .iter()
            .all(|loc| loc.file == file!() && loc.line > 1)
    );
}

#[test]
fn parameters_follow_the_metadata() {
    let function = stage::<Saxpy>().unwrap();
    let params: Vec<_> = function
        .params
        .iter()
        .map(|p| (p.name.as_str(), p.arg, p.offset))
        .collect();
    assert_eq!(
        params,
        [
            ("alpha", 0, 0),
            ("x", 1, 4),
            ("x.len", 1, 8),
            ("y", 2, 12),
            ("y.len", 2, 16)
        ]
    );
    assert_eq!(function.args_size, 20);
}

kernel!(Jumps [ArgMeta::ptr_mut::<i32>("p")] {
    let p = param_ptr_mut::<i32>(0);
    let n = mutable(lift::<i32>(0));
    while_loop(|_| lt(n.get(), || lift(10)), |outer| {
        endless_loop(|inner| {
            let v = if_else(|| gt(n.get(), || lift(5)), || { break_(inner); diverged() }, || n.get() + lift(1));
            n.set(v);
            when(|| eq(v, || lift(3)), || continue_(outer));
            // Dead from here on in one arm, and wholly after both.
            if_else(|| lt(v, || lift(2)), || continue_(inner), return_);
            // SAFETY: only recorded, never run.
            unsafe { Pointer::deref(p).set(v) };
        });
    });
    let w = if_else(|| eq(n.get(), || lift(7)), || {
        if_else(|| eq(n.get(), || lift(8)), return_, return_);
        lift(1)
    }, || lift(2));
    // SAFETY: only recorded, never run.
    unsafe { Pointer::deref(p.add(lift(4))).set(w) };
});

#[test]
fn nothing_is_recorded_after_a_jump() {
    let lines = body::<Jumps>();
    for (line, next) in lines.iter().zip(&lines[1..]) {
        if line.starts_with("break") || line.starts_with("continue") || line == "return" {
            let closes =
                next == "} else {" || next.starts_with("yield") || !next.starts_with("store v0");
            assert!(closes, "{line} is followed by {next}");
        }
    }
    // The store after `if v < 2 { continue } else { return }` is unreachable.
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("store"))
            .count(),
        1
    );
    // An arm that cannot end still names something to yield.
    assert!(
        lines.contains(&"v27: i32 = const 0".to_owned()) && lines.contains(&"yield v27".to_owned())
    );
}

kernel!(Divisions [ArgMeta::scalar::<i8>("a"), ArgMeta::scalar::<i8>("b"), ArgMeta::scalar::<u32>("c")] {
    let (a, b, c) = (param_scalar::<i8>(0), param_scalar::<i8>(1), param_scalar::<u32>(2));
    let _ = a / b;
    let _ = a % lift(3);
    let _ = a / lift(-1);
    let _ = c / lift(7);
    let _ = c % c;
});

#[test]
fn divisions_check_what_they_must() {
    let expected = [
        "v3: i8 = const 0",
        "v4: bool = ne v1, v3",
        "v14: i8 = if v4 {",
        "v5: i8 = const -128",
        "v6: bool = ne v0, v5",
        "v7: i8 = const -1",
        "v8: bool = ne v1, v7",
        "v9: bool = or v8, v6",
        "v12: i8 = if v9 {",
        "v10: i8 = div v0, v1",
        "yield v10",
        "} else {",
        "fault divide_overflow v0, v1",
        "v11: i8 = const 0",
        "yield v11",
        "yield v12",
        "} else {",
        "fault divide_by_zero v0, v1",
        "v13: i8 = const 0",
        "yield v13",
        "v15: i8 = const 3",
        "v16: i8 = rem v0, v15",
        "v17: i8 = const -1",
        "v18: i8 = const -128",
        "v19: bool = ne v0, v18",
        "v22: i8 = if v19 {",
        "v20: i8 = div v0, v17",
        "yield v20",
        "} else {",
        "fault divide_overflow v0, v17",
        "v21: i8 = const 0",
        "yield v21",
        "v23: u32 = const 7",
        "v24: u32 = div v2, v23",
        "v25: u32 = const 0",
        "v26: bool = ne v2, v25",
        "v29: u32 = if v26 {",
        "v27: u32 = rem v2, v2",
        "yield v27",
        "} else {",
        "fault divide_by_zero v2, v2",
        "v28: u32 = const 0",
        "yield v28",
    ];
    assert_eq!(body::<Divisions>(), expected);
}

kernel!(Ranges [ArgMeta::scalar::<u8>("n"), ArgMeta::ptr_mut::<u8>("p")] {
    let (n, p) = (param_scalar::<u8>(0), param_ptr_mut::<u8>(1));
    // SAFETY: only recorded, never run.
    for_range(lift(0), || n, |_, i| unsafe { Pointer::deref(p).set(i) });
    for_range_inclusive(n, || lift(255), |label, i| when(|| eq(i, || n), || continue_(label)));
});

#[test]
fn an_inclusive_range_does_not_step_past_its_end() {
    let expected = [
        "v8: u8 = const 255",
        "v9: bool = le v0, v8",
        "if v9 {",
        "set m1, v0",
        "loop L1 {",
        "v10: u8 = get m1",
        "v11: bool = eq v10, v0",
        "if v11 {",
        "continue L1",
        "} step {",
        "v12: u8 = get m1",
        "v13: bool = eq v12, v8",
        "if v13 {",
        "break L1",
        "v14: u8 = const 1",
        "v15: u8 = get m1",
        "v16: u8 = add v15, v14",
        "set m1, v16",
    ];
    let lines = body::<Ranges>();
    assert!(lines.ends_with(&expected.map(str::to_owned)), "{lines:#?}");
}

kernel!(Merges [ArgMeta::slice::<u16>("x"), ArgMeta::slice::<u16>("y"), ArgMeta::slice_mut::<u16>("z")] {
    let (x, y, z) = (param_slice::<u16>(0), param_slice::<u16>(1), param_slice_mut::<u16>(2));
    let i = global_id();
    let same = if_else(|| x.is_empty(), || x, || x);
    let either = if_else(|| x.is_empty(), || x, || y);
    let live = if_else(|| x.is_empty(), || y, || { return_(); diverged() });
    let local = mutable(x);
    let sum = Indexable::index(same, || i).get() + Indexable::index(either, || i).get();
    let sum = sum + Indexable::index(live, || i).get() + Indexable::index(local.get(), || i).get();
    Indexable::index(z, || i).set(sum);
});

#[test]
fn a_slice_that_may_be_either_aliases_both() {
    let loads: Vec<_> = body::<Merges>()
        .into_iter()
        .filter(|line| line.contains("load"))
        .collect();
    let through: Vec<_> = loads
        .iter()
        .filter_map(|line| line.rsplit(' ').next())
        .collect();
    assert_eq!(through, ["shared(0)", "unknown", "shared(1)", "unknown"]);
}

kernel!(TooLarge [] {
    let _ = lift(usize::MAX);
});

#[test]
#[cfg(target_pointer_width = "64")]
fn large_constants_are_errors_with_a_place() {
    let error = stage::<TooLarge>().unwrap_err();
    assert_eq!(error.location().file, file!());
    assert!(error.to_string().starts_with(
        "the constant 18446744073709551615 does not fit `usize`, which is 32 bits wide on the device, at "
    ));
}

kernel!(Panics [] {
    panic!("a constant of the user's panics");
});

#[test]
fn a_panic_leaves_the_recorder_usable() {
    assert!(std::panic::catch_unwind(stage::<Panics>).is_err());
    assert!(stage::<Saxpy>().is_ok());
    assert!(
        std::panic::catch_unwind(global_id).is_err(),
        "outside of a kernel"
    );
}

kernel!(Casts [ArgMeta::scalar::<f32>("f"), ArgMeta::scalar::<bool>("b"), ArgMeta::scalar::<u32>("u")] {
    let (f, b, u) = (param_scalar::<f32>(0), param_scalar::<bool>(1), param_scalar::<u32>(2));
    let _: Lane<i8> = CastTo::<i8>::cast(f);
    let _: Lane<u16> = CastTo::<u16>::cast(b);
    let size: Lane<usize> = CastTo::<usize>::cast(u);
    let _ = size << lift(3u8);
    let _ = and(|| b, || gt(u, || lift(1)));
});

#[test]
fn casts_and_shifts() {
    let expected = [
        "v3: i8 = cast v0",
        "v4: u16 = cast v1",
        "v5: u8 = const 3",
        "v6: u32 = const 3",
        "v7: u32 = shl v2, v6",
        "v11: bool = if v1 {",
        "v8: u32 = const 1",
        "v9: bool = gt v2, v8",
        "yield v9",
        "} else {",
        "v10: bool = const false",
        "yield v10",
    ];
    assert_eq!(body::<Casts>(), expected);
}

kernel!(LoadReleased [ArgMeta::slice_mut::<u32>("x")] {
    let x = param_slice_mut::<u32>(0);
    let _ = x.atomic(lift(0)).load(std::sync::atomic::Ordering::Release);
});

kernel!(CountsInPart [ArgMeta::slice_mut::<[u32; 4]>("x")] {
    let x = param_slice_mut::<[u32; 4]>(0);
    let place = x.index(|| lift(0)).index(|| lift(2));
    let _ = place.atomic().fetch_add(lift(1u32), std::sync::atomic::Ordering::Relaxed);
});

#[test]
fn a_part_is_counted_with_where_it_lies() {
    let body = body::<CountsInPart>().join("\n");
    assert!(body.contains("+8"), "{body}");
}

#[test]
fn orders_that_make_no_sense_are_refused() {
    let error = stage::<LoadReleased>().unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("`load` cannot be `Release`: use `Relaxed`, `Acquire` or `SeqCst`, at "),
        "{text}"
    );
    assert!(error.location().file.ends_with("tests.rs"));
}

#[track_caller]
fn even(n: Lane<u32>) -> Lane<bool> {
    function("even", HERE, || odd(n - lift(1)))
}

#[track_caller]
fn odd(n: Lane<u32>) -> Lane<bool> {
    function("odd", HERE, || {
        if_else(|| eq(n, || lift(0)), || lift(false), || even(n))
    })
}

#[test]
fn recursion_is_reported_with_its_cycle() {
    kernel!(Parity [ArgMeta::scalar::<u32>("n")] {
        let n = param_scalar::<u32>(0);
        let _ = even(n);
        let _ = even(n);
    });
    let error = stage::<Parity>().unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("`even` calls `odd`, which calls `even`, and the device"),
        "{text}"
    );
    assert!(error.location().file.ends_with("tests.rs"), "{text}");
}

#[test]
fn a_function_called_twice_is_no_recursion() {
    #[track_caller]
    fn twice<T: Num>(x: Lane<T>, f: impl Fn(Lane<T>) -> Lane<T>) -> Lane<T> {
        function("twice", HERE, || f(f(x)))
    }
    kernel!(Fourfold [ArgMeta::scalar::<u32>("n"), ArgMeta::scalar::<f32>("x")] {
        let n = param_scalar::<u32>(0);
        let double = |n: Lane<u32>| n + n;
        let _ = twice(twice(n, double), |n| twice(n, double));
        let _ = twice(param_scalar::<f32>(1), |x| x * x);
    });
    staged::<Fourfold>();
}
