//! Kernels for what passes ask before they change one: each would be wrong if that was not asked.
//!
//! `v8` is a small number that differs between items, `v9` the next item's.

use super::found::check;
use super::run::{Launch, Shape};

/// Items that a lane does one after the other, and those that it does at once.
pub(crate) fn check_items(body: &str) {
    let launch = Launch {
        groups: [1, 1, 1],
        block: [48, 1, 1],
    };
    let body = format!(
        "var m0: u32
         var m1: u32
         var m2: bool
         var m3: u32
         var m4: i32
         v5: u32 = id linear
         v6: ptr<global> = ptradd v1, v5 * 64
         v7: ptr<global> = ptradd v0, v5 * 16
         v8: u32 = load v7+0 shared(0)
         v9: u32 = load v7+16 shared(0)
         {body}"
    );
    for at_once in [[1, 1, 1], [2, 1, 1]] {
        check(launch, Shape::new(1, 2, 8), at_once, &body);
    }
}

/// Two groups of two warps each.
pub(crate) fn check_groups(body: &str) {
    let launch = Launch {
        groups: [2, 1, 1],
        block: [16, 1, 1],
    };
    check(launch, Shape::new(1, 2, 8), [1, 1, 1], body);
}

/// What an arm has checked and loaded is not there behind it.
#[test]
fn checks_of_an_arm_end_with_it() {
    check_items(
        "v10: u32 = const 10
         v11: bool = lt v8, v10
         v12: bool = lt v9, v10
         v13: u32 = const 0
         if v12 {
           v20: u32 = if v11 {
             v21: ptr<global> = ptradd v0, v8 * 4
             v22: u32 = load v21+0 shared(0)
             yield v22
           } else {
             fault index v8, v10
             yield v13
           }
           store v6+0, v20 exclusive(1)
         }
         v30: u32 = if v11 {
           v31: ptr<global> = ptradd v0, v8 * 4
           v32: u32 = load v31+0 shared(0)
           yield v32
         } else {
           fault index v8, v10
           yield v13
         }
         store v6+4, v30 exclusive(1)",
    );
}

/// What a condition has loaded is there where it holds, and not behind that.
#[test]
fn what_a_condition_has_loaded_ends_with_where_it_holds() {
    check_items(
        "v10: u32 = const 10
         v11: bool = lt v8, v10
         v12: u32 = const 0
         v13: bool = const false
         v14: ptr<global> = ptradd v0, v8 * 4
         v15: bool = if v11 {
           v20: u32 = load v14+0 shared(0)
           v21: bool = gt v20, v9
           yield v21
         } else {
           yield v13
         }
         if v15 {
           v30: u32 = load v14+0 shared(0)
           store v6+0, v30 exclusive(1)
         }
         v40: u32 = load v14+0 shared(0)
         store v6+4, v40 exclusive(1)",
    );
}

/// `a && (b && c)` has computed `c`, but what `b && c` gives of it is known within the first arm alone.
#[test]
fn what_a_condition_in_a_condition_has_loaded_stays_there() {
    check_items(
        "v10: u32 = const 12
         v11: bool = lt v8, v10
         v12: bool = lt v9, v10
         v13: bool = const false
         v14: ptr<global> = ptradd v0, v8 * 4
         v15: bool = if v11 {
           v16: bool = if v12 {
             v20: u32 = load v14+0 shared(0)
             v21: bool = gt v20, v9
             yield v21
           } else {
             yield v13
           }
           yield v16
         } else {
           yield v13
         }
         if v15 {
           v30: u32 = load v14+0 shared(0)
           store v6+0, v30 exclusive(1)
         }
         store v6+4, v5 exclusive(1)",
    );
}

/// A loop over as many elements as a check says, or says together with another one. Where these fail, the number of
/// iterations is what they give then.
fn check_iterations(number: &str) {
    check_items(&format!(
        "         v10: u32 = const 10
         v11: bool = lt v8, v10
         v12: bool = lt v9, v10
         v13: u32 = const 0
         v14: u32 = const 1
         v15: u32 = const 2
         v16: u32 = const 3
         {number}
         set m0, v13
         set m1, v13
         loop L0 {{
           v50: u32 = get m0
           v51: bool = ge v50, v40
           if v51 {{
             break L0
           }}
           v52: u32 = get m1
           v53: ptr<global> = ptradd v7, v50 * 4
           v54: u32 = load v53+0 shared(0)
           v55: u32 = add v52, v54
           set m1, v55
         }} step {{
           v56: u32 = get m0
           v57: u32 = add v56, v14
           set m0, v57
         }}
         v58: u32 = get m1
         store v6+0, v58 exclusive(1)"
    ));
}

#[test]
fn iterations_where_a_check_fails_are_what_it_gives_then() {
    check_iterations(
        "v40: u32 = if v11 {
           yield v16
         } else {
           fault index v8, v10
           yield v15
         }",
    );
    check_iterations(
        "v17: u32 = const 5
         v18: u32 = if v11 {
           yield v16
         } else {
           fault index v8, v10
           yield v15
         }
         v40: u32 = mul v18, v15",
    );
}

#[test]
fn iterations_where_one_of_two_checks_fails_are_those_of_the_other() {
    for op in ["add", "sub", "or", "max"] {
        check_iterations(&format!(
            "v18: u32 = if v11 {{
               yield v16
             }} else {{
               fault index v8, v10
               yield v13
             }}
             v19: u32 = if v12 {{
               yield v15
             }} else {{
               fault index v9, v10
               yield v13
             }}
             v20: u32 = {op} v18, v19
             v21: u32 = const 7
             v40: u32 = and v20, v21"
        ));
    }
}

/// The lesser of 3 or 0 and of -2 or 0: that may be -2 where a check fails, which has bits.
#[test]
fn a_lesser_number_of_iterations_may_be_negative() {
    check_iterations(
        "v20: i32 = const 3
         v21: i32 = const -2
         v22: i32 = const 0
         v23: i32 = if v11 {
           yield v20
         } else {
           fault index v8, v10
           yield v22
         }
         v24: i32 = if v12 {
           yield v21
         } else {
           fault index v9, v10
           yield v22
         }
         v25: i32 = min v23, v24
         v26: u32 = cast v25
         v27: u32 = const 6
         v40: u32 = and v26, v27",
    );
}

/// An item that leaves a loop does nothing of what leads to the next iteration.
#[test]
fn what_leads_to_the_next_iteration_is_done_by_those_that_stay() {
    check_items(
        "         v10: u32 = const 0
         v11: u32 = const 1
         v12: u32 = const 9
         v13: u32 = const 3
         set m0, v10
         loop L0 {
           v20: u32 = get m0
           v21: bool = ge v20, v12
           if v21 {
             break L0
           }
           v22: ptr<global> = ptradd v7, v20 * 4
           v23: u32 = load v22+0 shared(0)
           v24: u32 = and v23, v13
           v25: bool = eq v24, v13
           if v25 {
             break L0
           }
         } step {
           v27: u32 = get m0
           v26: ptr<global> = ptradd v6, v27 * 4
           store v26+0, v5 exclusive(1)
           v28: u32 = add v27, v11
           set m0, v28
         }
         v29: u32 = get m0
         store v6+60, v29 exclusive(1)",
    );
}

/// It is found out in a choice whether a loop ends, and that is noted before it does.
#[test]
fn what_is_before_a_break_is_done_by_those_that_leave() {
    check_items(
        "         v10: u32 = const 0
         v11: u32 = const 1
         v12: u32 = const 9
         v13: u32 = const 3
         v14: bool = const true
         set m0, v10
         loop L0 {
           v20: u32 = get m0
           v21: bool = ge v20, v12
           if v21 {
             set m2, v14
           } else {
             v22: ptr<global> = ptradd v7, v20 * 4
             v23: u32 = load v22+0 shared(0)
             v24: u32 = and v23, v13
             v25: bool = eq v24, v13
             set m2, v25
           }
           store v6+0, v20 exclusive(1)
           v26: bool = get m2
           if v26 {
             break L0
           }
         } step {
           v27: u32 = get m0
           v28: u32 = add v27, v11
           set m0, v28
         }
         v29: u32 = get m0
         store v6+4, v29 exclusive(1)",
    );
}

/// Two checks of one condition, which give something else where it does not hold.
#[test]
fn a_check_that_gives_another_number_is_another_one() {
    check_items(
        "v10: u32 = const 10
         v11: bool = lt v8, v10
         v12: u32 = const 0
         v13: u32 = const 5
         v20: u32 = if v11 {
           v21: ptr<global> = ptradd v0, v8 * 4
           v22: u32 = load v21+0 shared(0)
           yield v22
         } else {
           fault index v8, v10
           yield v12
         }
         store v6+0, v20 exclusive(1)
         v30: u32 = if v11 {
           v31: ptr<global> = ptradd v0, v8 * 4
           v32: u32 = load v31+0 shared(0)
           yield v32
         } else {
           fault index v8, v10
           yield v13
         }
         store v6+4, v30 exclusive(1)",
    );
}

/// Two checks that guard the same, and give it in another order.
#[test]
fn a_check_that_gives_another_value_is_another_one() {
    check_items(
        "v10: u32 = const 10
         v11: bool = lt v8, v10
         v12: u32 = const 0
         v20: u32, v21: u32 = if v11 {
           v22: ptr<global> = ptradd v0, v8 * 4
           v23: u32 = load v22+0 shared(0)
           v24: u32 = load v22+4 shared(0)
           yield v23, v24
         } else {
           fault index v8, v10
           yield v12, v12
         }
         store v6+0, v20 exclusive(1)
         store v6+4, v21 exclusive(1)
         v30: u32, v31: u32 = if v11 {
           v32: ptr<global> = ptradd v0, v8 * 4
           v33: u32 = load v32+0 shared(0)
           v34: u32 = load v32+4 shared(0)
           yield v34, v33
         } else {
           fault index v8, v10
           yield v12, v12
         }
         store v6+8, v30 exclusive(1)
         store v6+12, v31 exclusive(1)",
    );
}

/// Of two choices, both may be made: by the same number, and by numbers that are equal as floats.
#[test]
fn choices_of_equal_numbers_do_not_exclude_each_other() {
    for [ty, asked, other] in [["u32", "5", "5"], ["f32", "0.0", "-0.0"]] {
        check_items(&format!(
            "v10: {ty} = cast v8
             v11: {ty} = const {asked}
             v12: {ty} = const {other}
             v13: u32 = const 7
             v14: u32 = const 8
             v15: u32 = const 0
             v16: bool = eq v10, v11
             v17: bool = eq v10, v12
             v18: u32 = select v17, v14, v15
             v20: u32, v21: u32 = if v16 {{
               yield v13, v5
             }} else {{
               v22: u32 = mul v8, v9
               v23: u32 = xor v22, v5
               v24: u32 = mul v23, v8
               yield v18, v24
             }}
             store v6+0, v20 exclusive(1)
             store v6+4, v21 exclusive(1)"
        ));
    }
}

/// Lanes disagree about whether the indices of all iterations are those of elements.
#[test]
fn lanes_do_together_what_a_loop_has_them_do() {
    check_items(
        "         v10: u32 = const 0
         v11: u32 = const 1
         v12: u32 = const 3
         v13: u32 = const 10
         set m0, v10
         set m1, v10
         loop L0 {
           v20: u32 = get m0
           v21: bool = ge v20, v12
           if v21 {
             break L0
           }
           v22: u32 = add v8, v20
           v23: bool = lt v22, v13
           v24: u32 = if v23 {
             v25: ptr<global> = ptradd v0, v22 * 4
             v26: u32 = load v25+0 shared(0)
             yield v26
           } else {
             fault index v22, v13
             yield v10
           }
           v27: u32 = warp reduce add v24
           v28: u32 = get m1
           v29: u32 = xor v28, v27
           set m1, v29
         } step {
           v30: u32 = get m0
           v31: u32 = add v30, v11
           set m0, v31
         }
         v32: u32 = get m1
         store v6+0, v32 exclusive(1)",
    );
}

/// The same loop gives a number that all items of a group have, and that decides about a barrier.
#[test]
fn what_a_loop_gives_to_all_lanes_decides_about_a_barrier() {
    check_groups(
        r#"
          local l0 "words" size 256 align 4
          var m0: u32
          var m1: u32
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v7: ptr<global> = ptradd v0, v5 * 16
          v8: u32 = load v7+0 shared(0)
          v10: u32 = const 0
          v11: u32 = const 1
          v13: u32 = const 10
          set m0, v10
          set m1, v10
          loop L0 {
            v20: u32 = get m0
            v21: bool = ge v20, v2
            if v21 {
              break L0
            }
            v22: u32 = add v8, v20
            v23: bool = lt v22, v13
            v24: u32 = if v23 {
              v25: ptr<global> = ptradd v0, v22 * 4
              v26: u32 = load v25+0 shared(0)
              yield v26
            } else {
              fault index v22, v13
              yield v10
            }
            store v6+0, v24 exclusive(1)
            v28: u32 = get m1
            v29: ptr<global> = ptradd v0, v20 * 16
            v30: u32 = load v29+0 shared(0)
            v31: u32 = add v28, v30
            set m1, v31
          } step {
            v32: u32 = get m0
            v33: u32 = add v32, v11
            set m0, v33
          }
          v34: u32 = get m1
          v35: bool = gt v34, v11
          if v35 {
            v40: ptr<local> = local_addr l0
            v41: u32 = id local_linear
            v42: ptr<local> = ptradd v40, v41 * 4
            store v42+0, v5 local(0)
            barrier
            v43: u32 = load v40+8 local(0)
            store v6+4, v43 exclusive(1)
          }
        "#,
    );
}

/// Where neither number is it, something else than 0 is given, which is not added to the other.
#[test]
fn what_a_choice_gives_last_is_not_added() {
    check_items(
        "v10: u32 = const 5
         v11: u32 = const 8
         v13: u32 = const 7
         v14: u32 = const 3
         v15: u32 = const 16
         v16: bool = eq v8, v10
         v17: bool = eq v8, v11
         v18: u32 = select v17, v14, v15
         v20: u32, v21: u32 = if v16 {
           yield v13, v5
         } else {
           v22: u32 = mul v8, v9
           v23: u32 = xor v22, v5
           v24: u32 = mul v23, v8
           yield v18, v24
         }
         store v6+0, v20 exclusive(1)
         store v6+4, v21 exclusive(1)",
    );
}
