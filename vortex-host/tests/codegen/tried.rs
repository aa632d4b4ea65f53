//! Loops that are tried without the branches of their checks, for what is asked before, and what ends them.
//!
//! Of the input, every fourth word is a small number: 5, 8, 7, 0, 2, 15, 6, 4, 7, 12 first.

use super::conditions::check_items;

/// A loop of `n` iterations, which reads the element `v24` at the index `v22`, if that is less than 10. Then it does
/// what `body` says, and goes on with the index `v40`.
fn check_tried(ty: &str, body: &str) {
    let counter = if ty == "i32" { "m4" } else { "m3" };
    check_items(&format!(
        "v10: {ty} = const 0
         v11: {ty} = const 1
         v12: {ty} = cast v2
         v13: u32 = const 10
         v14: u32 = const 7
         v15: u32 = xor v2, v14
         v16: u32 = const 0
         v17: u32 = const 1
         v18: u32 = const 5
         v19: ptr<global> = ptradd v0, v17 * 1024
         set {counter}, v10
         v27: u32 = or v8, v17
         set m1, v27
         loop L0 {{
           v20: {ty} = get {counter}
           v21: bool = ge v20, v12
           if v21 {{
             break L0
           }}
           v22: u32 = get m1
           v23: bool = lt v22, v13
           v24: u32 = if v23 {{
             v25: ptr<global> = ptradd v0, v22 * 16
             v26: u32 = load v25+0 shared(0)
             yield v26
           }} else {{
             fault index v22, v13
             yield v16
           }}
           {body}
           set m1, v40
         }} step {{
           v90: {ty} = get {counter}
           v91: {ty} = add v90, v11
           set {counter}, v91
         }}
         v92: u32 = get m1
         store v6+0, v92 exclusive(1)"
    ));
}

/// The first element is read in place of what is none, if there is one in all of the slices.
#[test]
fn there_are_first_elements_of_all_slices() {
    for ty in ["u32", "i32"] {
        check_tried(
            ty,
            "v30: bool = lt v24, v15
             v31: u32 = if v30 {
               v32: ptr<global> = ptradd v19, v24 * 4
               v33: u32 = load v32+0 shared(0)
               yield v33
             } else {
               fault index v24, v15
               yield v16
             }
             v40: u32 = add v24, v31",
        );
    }
}

/// The same of a slice alone that has none.
#[test]
fn there_is_a_first_element() {
    for ty in ["u32", "i32"] {
        check_tried(
            ty,
            "v30: bool = lt v22, v15
             v31: u32 = if v30 {
               v32: ptr<global> = ptradd v19, v22 * 4
               v33: u32 = load v32+0 shared(0)
               yield v33
             } else {
               fault index v22, v15
               yield v16
             }
             v40: u32 = add v24, v31",
        );
    }
}

/// What has a length of its own in each iteration may have no first element in one.
#[test]
fn lengths_are_known_before_a_loop() {
    check_tried(
        "u32",
        "v30: u32 = and v24, v18
         v31: bool = lt v20, v30
         v32: u32 = if v31 {
           v33: ptr<global> = ptradd v0, v20 * 16
           v34: u32 = load v33+0 shared(0)
           yield v34
         } else {
           fault index v20, v30
           yield v16
         }
         v40: u32 = add v24, v32",
    );
}

/// What a check guards may be elsewhere than at its index, which is far away where the check does not hold.
#[test]
fn what_is_read_is_at_the_index() {
    check_tried(
        "u32",
        "v30: u32 = const 16777217
         v31: u32 = mul v24, v30
         v32: bool = lt v31, v13
         v33: u32 = if v32 {
           v34: u32 = shl v31, v17
           v35: ptr<global> = ptradd v0, v34 * 16
           v36: u32 = load v35+0 shared(0)
           yield v36
         } else {
           fault index v31, v13
           yield v16
         }
         v40: u32 = or v33, v17",
    );
}

/// The first element keeps a loop within the loop from its end, which no other element does. What has failed is known
/// there, also in an arm.
#[test]
fn loops_within_one_that_has_failed_end() {
    let within = "set m0, v24
         loop L1 {
           v30: u32 = get m0
           v31: bool = eq v30, v16
           if v31 {
             break L1
           }
           v32: u32 = shr v30, v17
           v33: bool = eq v30, v18
           v34: u32 = select v33, v30, v32
           set m0, v34
         } step {
         }";
    check_tried(
        "u32",
        &format!("{within} v35: u32 = add v24, v20 v40: u32 = or v35, v17"),
    );
    let in_an_arm = format!(
        "v28: u32 = and v20, v17
         v29: bool = eq v28, v17
         if v29 {{ {within} }}
         v35: u32 = add v24, v20
         v40: u32 = or v35, v17"
    );
    check_tried("u32", &in_an_arm);
}

/// A limit that the loop itself makes is none that it is kept from running by.
#[test]
fn limits_are_known_before_a_loop() {
    check_items(
        "v10: u32 = const 0
         v11: u32 = const 1
         v12: u32 = const 10
         set m0, v10
         set m1, v8
         loop L0 {
           v20: u32 = get m0
           v21: u32 = get m1
           v22: bool = ge v20, v21
           if v22 {
             break L0
           }
           v23: bool = lt v21, v12
           v24: u32 = if v23 {
             v25: ptr<global> = ptradd v0, v21 * 16
             v26: u32 = load v25+0 shared(0)
             yield v26
           } else {
             fault index v21, v12
             yield v10
           }
           set m1, v24
         } step {
           v30: u32 = get m0
           v31: u32 = add v30, v11
           set m0, v31
         }
         v32: u32 = get m0
         store v6+0, v32 exclusive(1)",
    );
}

/// So does one in the test of a loop, which is made once even where something has failed before.
#[test]
fn loops_in_tests_of_loops_end() {
    check_tried(
        "u32",
        "set m1, v24
         loop L1 {
           set m0, v24
           loop L2 {
             v30: u32 = get m0
             v31: bool = eq v30, v16
             if v31 {
               break L2
             }
             v32: u32 = shr v30, v17
             v33: bool = eq v30, v18
             v34: u32 = select v33, v30, v32
             set m0, v34
           } step {
           }
           v35: u32 = get m1
           v36: bool = lt v35, v14
           if v36 {
             break L1
           }
           v37: u32 = shr v35, v17
           set m1, v37
         } step {
         }
         v38: u32 = add v24, v20
         v40: u32 = or v38, v17",
    );
}

/// An element that a condition reads, which is not asked for where another one does not hold, may not be one there.
#[test]
fn what_no_check_guards_is_read_where_it_was() {
    check_tried(
        "u32",
        "v30: u32 = const 16777217
         v31: u32 = mul v24, v30
         v32: bool = lt v31, v13
         v33: bool = const false
         v34: bool = if v32 {
           v35: ptr<global> = ptradd v0, v31 * 16
           v36: u32 = load v35+0 shared(0)
           v37: bool = gt v36, v17
           yield v37
         } else {
           yield v33
         }
         v38: u32 = select v34, v18, v24
         v40: u32 = or v38, v17",
    );
}

/// A check in a test that fails once has failed, whatever comes later.
#[test]
fn what_fails_in_a_test_has_failed() {
    check_items(
        "v10: u32 = const 0
         v11: u32 = const 1
         v12: u32 = const 10
         v13: u32 = const 12
         set m0, v10
         set m1, v8
         loop L0 {
           v20: u32 = get m0
           v21: u32 = get m1
           v22: bool = lt v21, v12
           v23: u32 = if v22 {
             v24: ptr<global> = ptradd v0, v21 * 16
             v25: u32 = load v24+0 shared(0)
             yield v25
           } else {
             fault index v21, v12
             yield v10
           }
           v26: bool = ne v23, v13
           v27: bool = lt v20, v2
           v28: bool = and v26, v27
           v29: bool = not v28
           if v29 {
             break L0
           }
           v30: u32 = add v23, v20
           set m1, v30
         } step {
           v31: u32 = get m0
           v32: u32 = add v31, v11
           set m0, v32
         }
         v33: u32 = get m1
         store v6+0, v33 exclusive(1)",
    );
}

/// Of two limits, one is another one in each iteration.
#[test]
fn a_loop_that_is_not_tried_is_kept_from_running_by_a_limit_that_stays() {
    check_items(
        "v10: u32 = const 0
         v11: u32 = const 1
         v12: u32 = const 10
         v13: u32 = const 50
         set m0, v10
         set m1, v10
         set m3, v13
         loop L0 {
           v20: u32 = get m0
           v21: u32 = get m1
           v22: u32 = get m3
           v23: bool = lt v20, v2
           v24: bool = lt v21, v22
           v25: bool = and v23, v24
           v26: bool = not v25
           if v26 {
             break L0
           }
           v30: bool = lt v22, v12
           v31: u32 = if v30 {
             v32: ptr<global> = ptradd v0, v22 * 16
             v33: u32 = load v32+0 shared(0)
             yield v33
           } else {
             fault index v22, v12
             yield v10
           }
           v34: u32 = add v31, v20
           set m3, v34
           v35: u32 = add v21, v31
           set m1, v35
         } step {
           v36: u32 = get m0
           v37: u32 = add v36, v11
           set m0, v37
         }
         v38: u32 = get m1
         store v6+0, v38 exclusive(1)",
    );
}
