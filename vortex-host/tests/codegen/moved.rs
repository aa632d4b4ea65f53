//! Kernels for what is asked before a check is answered, or a check, a load or a store goes somewhere else.

use super::conditions::{check_groups, check_items};
use super::found::check;
use super::run::{Launch, Shape};
use super::together::POINTER_SLOT;

/// Items of which a lane does two at once.
fn check_pairs(body: &str) {
    let launch = Launch {
        groups: [1, 1, 1],
        block: [48, 1, 1],
    };
    let body = format!(
        "v5: u32 = id linear
         v6: ptr<global> = ptradd v1, v5 * 64
         v7: ptr<global> = ptradd v0, v5 * 16
         v8: u32 = load v7+0 shared(0)
         v9: u32 = load v7+16 shared(0)
         v10: u32 = const 10
         v11: u32 = const 0
         v12: bool = const false
         v13: u32 = const 16777217
         v14: u32 = mul v8, v13
         v15: bool = lt v14, v10
         v16: bool = lt v9, v10
         {body}"
    );
    for columns in [1, 2, 4] {
        check(launch, Shape::new(1, 1, 4), [columns, 1, 1], &body);
    }
}

/// One of two conditions holds, which may be the other one.
#[test]
fn one_of_two_conditions_says_nothing_of_an_index() {
    check_items(
        "v10: u32 = const 4
         v11: u32 = const 10
         v12: u32 = const 0
         v13: bool = lt v8, v10
         v14: bool = lt v9, v11
         v15: bool = or v13, v14
         if v15 {
           v20: bool = lt v8, v11
           v21: u32 = if v20 {
             v22: ptr<global> = ptradd v0, v8 * 4
             v23: u32 = load v22+0 shared(0)
             yield v23
           } else {
             fault index v8, v11
             yield v12
           }
           store v6+0, v21 exclusive(1)
         }",
    );
}

/// What is less with one more may be the largest number of all.
#[test]
fn one_more_than_a_signed_number_may_be_less() {
    check_items(
        "v10: u32 = const 2147483640
         v11: u32 = add v10, v2
         v12: i32 = cast v11
         v13: i32 = load v7+8 shared(0)
         v14: i32 = const 0
         v15: i32 = const 1
         v16: i32 = const 10
         v17: u32 = const 10
         v18: u32 = const 0
         v20: bool = ge v13, v14
         if v20 {
           v21: bool = le v13, v12
           if v21 {
             v22: i32 = add v13, v15
             v23: bool = lt v22, v16
             if v23 {
               v24: u32 = cast v13
               v25: bool = lt v24, v17
               v26: u32 = if v25 {
                 v27: ptr<global> = ptradd v0, v24 * 4
                 v28: u32 = load v27+0 shared(0)
                 yield v28
               } else {
                 fault index v24, v17
                 yield v18
               }
               store v6+0, v26 exclusive(1)
             }
           }
         }",
    );
}

/// A loop of at most three iterations, with the numbers of items that a launch has: 7.
fn check_loop(before: &str, test: &str, body: &str, next: &str) {
    check_items(&format!(
        "v10: u32 = const 10
         v11: u32 = const 0
         v12: u32 = const 1
         v13: u32 = const 3
         {before}
         set m1, v11
         set m3, v11
         set m0, v20
         loop L0 {{
           v21: u32 = get m0
           v22: u32 = get m3
           {test}
           v32: bool = not v31
           if v32 {{
             break L0
           }}
           {body}
           v60: u32 = if v50 {{
             v61: ptr<global> = ptradd v0, v51 * 4
             v62: u32 = load v61+0 shared(0)
             yield v62
           }} else {{
             fault index v51, v52
             yield v11
           }}
           v63: u32 = get m1
           v64: u32 = add v60, v63
           set m1, v64
         }} step {{
           {next}
           set m0, v70
           v71: u32 = get m3
           v72: u32 = add v71, v12
           set m3, v72
         }}
         v73: u32 = get m1
         store v6+0, v73 exclusive(1)"
    ));
}

/// In steps of four, a counter passes the largest number of all.
#[test]
fn what_counts_in_large_steps_may_begin_again() {
    check_loop(
        "v14: u32 = const 7
         v15: u32 = sub v14, v2
         v16: u32 = const 4294967286
         v20: u32 = add v15, v16
         v17: u32 = const 4294967288
         v18: u32 = add v2, v17
         v19: u32 = const 4",
        "v30: bool = lt v21, v18
         v33: bool = le v22, v13
         v31: bool = and v30, v33",
        "v51: u32 = sub v21, v20
         v52: u32 = add v11, v10
         v50: bool = lt v51, v52",
        "v69: u32 = get m0
         v70: u32 = add v69, v19",
    );
}

/// A counter in steps that are larger than the room that is asked for.
#[test]
fn steps_are_no_larger_than_the_room_for_them() {
    check_loop(
        "v14: u32 = const 2147483643
         v15: u32 = add v14, v2
         v16: u32 = const 4
         v17: u32 = const 3221225472
         v18: u32 = const 2415919104
         v20: u32 = const 0",
        "v30: u32 = sub v15, v21
         v31: bool = ge v30, v16",
        "v51: u32 = add v21, v11
         v52: u32 = add v11, v18
         v50: bool = lt v51, v52",
        "v69: u32 = get m0
         v70: u32 = add v69, v17",
    );
}

/// Half of the way to what is less is a long one.
#[test]
fn what_goes_half_of_a_way_falls_only_from_above() {
    check_loop(
        "v14: u32 = const 7
         v20: u32 = and v8, v14",
        "v31: bool = lt v22, v2",
        "v51: u32 = add v21, v11
         v52: u32 = add v11, v10
         v50: bool = lt v51, v52",
        "v67: u32 = get m0
         v68: u32 = sub v67, v9
         v69: u32 = shr v68, v12
         v70: u32 = add v9, v69",
    );
}

/// The end of a row may be before its start, if that is not asked.
#[test]
fn rows_end_after_they_start_unless_numbers_wrap() {
    check_items(
        "v10: u32 = const 30
         v11: u32 = const 1
         v12: u32 = const 0
         v13: u32 = and v8, v2
         v14: u32 = add v13, v11
         v15: u32 = shl v13, v10
         v16: u32 = shl v14, v10
         v17: bool = le v15, v16
         v18: u32 = if v17 {
           v19: u32 = sub v16, v15
           yield v19
         } else {
           fault range_start v15, v16
           yield v12
         }
         store v6+0, v18 exclusive(1)",
    );
}

/// A load between two checks of stores reads what the first one has stored.
#[test]
fn what_is_read_between_stores_has_been_stored() {
    check_items(
        "v10: u32 = const 10
         v11: bool = lt v8, v10
         v12: bool = lt v9, v10
         store v6+0, v9 exclusive(1)
         v20: u32 = and v8, v2
         v21: ptr<global> = ptradd v6, v20 * 4
         if v11 {
           store v6+0, v8 exclusive(1)
         } else {
           fault index v8, v10
         }
         v22: u32 = load v6+0 exclusive(1)
         if v12 {
           store v6+8, v9 exclusive(1)
         } else {
           fault index v9, v10
         }
         store v6+4, v22 exclusive(1)",
    );
}

/// What is only so where a guard holds is not so before that has been found out.
#[test]
fn what_a_guard_says_holds_behind_it() {
    check_pairs(
        "if v15 {
           v20: u32 = const 12
           v21: bool = lt v14, v20
           v22: u32 = if v21 {
             v23: ptr<global> = ptradd v0, v14 * 4
             v24: u32 = load v23+0 shared(0)
             yield v24
           } else {
             fault index v14, v20
             yield v11
           }
           v25: bool = lt v22, v10
           v26: u32 = if v25 {
             v27: ptr<global> = ptradd v0, v22 * 4
             v28: u32 = load v27+0 shared(0)
             yield v28
           } else {
             fault index v22, v10
             yield v11
           }
           store v6+0, v26 exclusive(1)
         }",
    );
}

/// The second part of a guard reads only where the first part holds.
#[test]
fn the_second_part_of_a_guard_reads_behind_the_first() {
    check_pairs(
        "v20: bool = if v15 {
           v21: ptr<global> = ptradd v0, v14 * 4
           v22: u32 = load v21+0 shared(0)
           v23: bool = gt v22, v11
           yield v23
         } else {
           v24: bool = const false
           yield v24
         }
         if v20 {
           v26: u32 = if v16 {
             v27: ptr<global> = ptradd v0, v9 * 4
             v28: u32 = load v27+0 shared(0)
             yield v28
           } else {
             fault index v9, v10
             yield v11
           }
           store v6+0, v26 exclusive(1)
         }",
    );
}

/// A check that holds for all items tells a number that another check guards.
#[test]
fn a_check_stays_behind_the_numbers_that_it_tells() {
    check_pairs(
        "v20: u32 = if v16 {
           v21: ptr<global> = ptradd v0, v9 * 4
           v22: u32 = load v21+0 shared(0)
           yield v22
         } else {
           fault index v9, v10
           yield v11
         }
         v23: u32 = const 1048576
         v24: bool = lt v5, v23
         if v24 {
         } else {
           fault index v20, v23
         }
         v29: u32 = cast v24
         v25: u32 = add v14, v29
         v26: bool = ne v25, v11
         v27: u32 = if v26 {
           v28: u32 = div v20, v25
           yield v28
         } else {
           fault divide_by_zero v20, v25
           yield v11
         }
         store v6+0, v27 exclusive(1)",
    );
}

/// In an arm that a check guards, another one reads at the index, which is far away where the check does not hold.
#[test]
fn what_an_arm_within_a_check_reads_is_read_behind_it() {
    check_pairs(
        "v20: u32 = if v15 {
           v21: ptr<global> = ptradd v0, v14 * 16
           v22: u32 = load v21+0 shared(0)
           v23: bool = gt v22, v11
           v24: u32 = if v23 {
             v25: ptr<global> = ptradd v0, v14 * 4
             v26: u32 = load v25+0 shared(0)
             yield v26
           } else {
             yield v9
           }
           yield v24
         } else {
           fault index v14, v10
           yield v11
         }
         v27: bool = lt v20, v10
         v28: u32 = if v27 {
           v29: ptr<global> = ptradd v0, v20 * 4
           v30: u32 = load v29+0 shared(0)
           yield v30
         } else {
           fault index v20, v10
           yield v11
         }
         store v6+0, v28 exclusive(1)",
    );
}

/// A test that counts is made as often as it was; a load is the same in each iteration.
#[test]
fn a_test_with_an_effect_is_made_once() {
    check_items(
        "v10: u32 = const 0
         v11: u32 = const 1
         set m0, v10
         set m1, v10
         loop L0 {
           v20: u32 = get m0
           v21: u32 = atomic add v6+8, v11 exclusive(1) relaxed device
           v22: bool = ge v20, v2
           if v22 {
             break L0
           }
           v23: u32 = load v0+16 shared(0)
           v24: u32 = get m1
           v25: u32 = mul v24, v23
           v26: u32 = add v25, v20
           set m1, v26
         } step {
           v27: u32 = get m0
           v28: u32 = add v27, v11
           set m0, v28
         }
         v29: u32 = get m1
         store v6+0, v29 exclusive(1)",
    );
}

/// A pointer that a loop reads is none where the loop does not run.
#[test]
fn pointers_are_read_where_a_loop_runs() {
    // Behind the words of all 48 items and some counters.
    let at = 48 * 64 + 4 * POINTER_SLOT;
    check_items(&format!(
        "v10: u32 = const 0
         v11: u32 = const 1
         set m0, v10
         set m1, v8
         loop L0 {{
           v20: u32 = get m0
           v21: bool = ge v20, v2
           if v21 {{
             break L0
           }}
           v22: ptr<global> = load v1+{at} shared(1)
           v23: ptr<global> = ptradd v22, v20 * 16
           v24: u32 = load v23+0 shared(0)
           v25: u32 = get m1
           v26: u32 = add v24, v25
           set m1, v26
         }} step {{
           v27: u32 = get m0
           v28: u32 = add v27, v11
           set m0, v28
         }}
         v29: u32 = get m1
         store v6+0, v29 exclusive(1)"
    ));
}

/// What an iteration stores, the next one reads.
#[test]
fn iterations_read_what_those_before_have_stored() {
    check_items(
        "v10: u32 = const 0
         v11: u32 = const 1
         store v6+0, v8 exclusive(1)
         set m0, v10
         loop L0 {
           v20: u32 = get m0
           v21: bool = ge v20, v2
           if v21 {
             break L0
           }
           v22: u32 = load v6+0 exclusive(1)
           v23: u32 = mul v22, v9
           v24: u32 = add v23, v20
           store v6+0, v24 exclusive(1)
         } step {
           v25: u32 = get m0
           v26: u32 = add v25, v11
           set m0, v26
         }",
    );
}

/// A loop goes on while one thing is so or another one, which differs between lanes; at last it says that neither is.
#[test]
fn a_loop_goes_on_by_one_of_two_conditions() {
    for [index, last] in [["v20", "v26"], ["v22", "v26"], ["v22", "v21"]] {
        check_items(&format!(
            "v10: u32 = const 0
             v11: u32 = const 1
             v12: u32 = const 4
             v13: u32 = const 2
             v14: bool = const true
             set m0, v10
             set m1, v8
             loop L0 {{
               v20: u32 = get m0
               v21: bool = lt v20, v13
               v22: u32 = add v20, v5
               v26: bool = if v21 {{
                 yield v14
               }} else {{
                 v23: ptr<global> = ptradd v0, {index} * 16
                 v24: u32 = load v23+0 shared(0)
                 v25: bool = gt v24, v12
                 yield v25
               }}
               set m2, {last}
               v27: bool = not v26
               if v27 {{
                 break L0
               }}
               v28: u32 = get m1
               v29: u32 = mul v28, v20
               v30: u32 = add v29, v9
               set m1, v30
             }} step {{
               v31: u32 = get m0
               v32: u32 = add v31, v11
               set m0, v32
             }}
             v33: u32 = get m1
             store v6+0, v33 exclusive(1)
             v34: bool = get m2
             v35: u32 = select v34, v8, v9
             store v6+4, v35 exclusive(1)"
        ));
    }
}

/// A word that has been read is another one when it has been written by another way to it.
#[test]
fn words_are_read_again_after_all_that_may_write_them() {
    for [read, written] in [
        ["exclusive(1)", "any"],
        ["exclusive(1)", "unknown"],
        ["any", "exclusive(1)"],
    ] {
        check_items(&format!(
            "store v6+0, v8 exclusive(1)
             v10: u32 = load v6+0 {read}
             v11: u32 = mul v10, v9
             store v6+0, v11 {written}
             v12: u32 = load v6+0 {read}
             v13: u32 = atomic add v6+0, v5 {written} relaxed device
             v14: u32 = load v6+0 {read}
             store v6+4, v10 exclusive(1)
             store v6+8, v12 exclusive(1)
             store v6+12, v14 exclusive(1)"
        ));
    }
}

/// So is one of local memory that is read without knowing where it is.
#[test]
fn words_of_local_memory_are_read_again() {
    check_groups(
        r#"
          local l0 "words" size 64 align 4
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v7: u32 = id local_linear
          v8: ptr<local> = local_addr l0
          v9: ptr<local> = ptradd v8, v7 * 4
          v10: ptr<global> = bitcast v9
          store v9+0, v5 local(0)
          v11: u32 = load v10+0 unknown
          store v9+0, v7 local(0)
          v12: u32 = load v10+0 unknown
          store v6+0, v11 exclusive(1)
          store v6+4, v12 exclusive(1)
        "#,
    );
}
