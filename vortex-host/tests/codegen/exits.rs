//! Loops with `break`, for what is asked before their two tests become one.

use super::conditions::{check_groups, check_items};

/// A loop over nine small numbers. What `body` says has `v20`, the number of the iteration, and `v23`, the number, and
/// sets `m2` to whether the loop is left; `at_end` does so where it ends.
fn check_exits(start: &str, at_end: &str, body: &str) {
    check_items(&format!(
        "v10: u32 = const 0
         v11: u32 = const 1
         v12: u32 = const 9
         v13: u32 = const 12
         v14: bool = const true
         set m0, v10
         set m1, v12
         {start}
         loop L0 {{
           v20: u32 = get m0
           v21: bool = ge v20, v12
           if v21 {{
             {at_end}
             set m2, v14
           }} else {{
             v22: ptr<global> = ptradd v7, v20 * 16
             v23: u32 = load v22+0 shared(0)
             {body}
           }}
           v50: bool = get m2
           if v50 {{
             break L0
           }}
         }} step {{
           v51: u32 = get m0
           v52: u32 = add v51, v11
           set m0, v52
         }}
         v53: u32 = get m0
         v54: u32 = get m1
         store v6+0, v53 exclusive(1)
         store v6+4, v54 exclusive(1)"
    ));
}

/// Something has been found before the loop begins, for some items.
#[test]
fn what_says_that_a_loop_ends_may_say_so_before() {
    let start = "v15: bool = lt v8, v9 set m2, v15";
    // They leave it in the first iteration, with what they had.
    check_exits(
        start,
        "",
        "v30: bool = ge v23, v13
         v31: u32 = get m1
         v32: u32 = select v30, v20, v31
         set m1, v32
         v33: bool = get m2
         v34: bool = or v33, v30
         set m2, v34",
    );
    // They do something else in the first iteration than in others.
    check_exits(
        start,
        "",
        "v30: bool = ge v23, v13
         v31: u32 = get m1
         v33: bool = get m2
         v32: u32 = select v33, v13, v11
         v34: u32 = add v31, v32
         set m1, v34
         set m2, v30",
    );
}

/// What a loop gives where it ends is a number that is named there alone.
#[test]
fn what_a_loop_gives_at_its_end_may_be_made_there() {
    check_exits(
        "",
        "v16: u32 = const 77 set m1, v16",
        "v30: bool = ge v23, v13
         set m1, v23
         set m2, v30",
    );
}

/// A number that all items of a group have, whichever way they leave the loop, decides about a barrier; another one, of
/// the same type, differs between them.
#[test]
fn what_a_loop_gives_to_all_lanes_is_carried_with_what_is_the_same() {
    check_groups(
        r#"
          local l0 "words" size 256 align 4
          var m0: u32
          var m1: u32
          var m2: u32
          var m3: bool
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v10: u32 = const 0
          v11: u32 = const 1
          v12: u32 = const 15
          v13: u32 = const 3
          v14: bool = const true
          set m0, v5
          set m1, v10
          loop L0 {
            v20: u32 = get m1
            v21: u32 = mul v20, v13
            v22: bool = ge v20, v2
            if v22 {
              set m2, v21
              set m3, v14
            } else {
              v23: ptr<global> = ptradd v0, v20 * 16
              v24: u32 = load v23+0 shared(0)
              v25: u32 = get m0
              v26: u32 = add v25, v24
              set m0, v26
              v27: bool = eq v24, v12
              set m2, v24
              set m3, v27
            }
            v28: bool = get m3
            if v28 {
              break L0
            }
          } step {
            v32: u32 = get m1
            v33: u32 = add v32, v11
            set m1, v33
          }
          v34: u32 = get m2
          v35: bool = gt v34, v11
          v36: u32 = get m0
          store v6+0, v36 exclusive(1)
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
