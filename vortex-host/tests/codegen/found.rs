//! What generated kernels have found, made smaller by hand.

use super::case::Case;
use super::run::{Launch, Shape};
use vortex_kernel::ir::parse;

/// Checks a kernel with the parameters of generated ones and this body.
pub(crate) fn check(launch: Launch, shape: Shape, at_once: [u32; 3], body: &str) {
    let kernel = format!(
        r#"kernel "found" (v0: ptr<global> "input" arg 0 at 0, v1: ptr<global> "output" arg 1 at 4,
        v2: u32 "n" arg 2 at 8, v3: f32 "x" arg 3 at 12, v4: u32 "sized.len" arg 4 at 16) args 20 {{ {body} }}"#
    );
    let kernel = parse(&kernel).unwrap();
    for warp_ops in [true, false] {
        let case = Case::of(kernel.clone(), launch, shape, warp_ops, at_once);
        case.check().unwrap();
    }
}

/// A lane has items of two groups, of which the first of all does not pass the guard. What lanes do together within it
/// they do for each group: those of the second are not parted by whether their other item passes.
#[test]
fn lanes_do_together_what_a_guard_of_several_groups_guards() {
    let launch = Launch {
        groups: [2, 2, 2],
        block: [6, 1, 1],
    };
    check(
        launch,
        Shape::new(2, 2, 8),
        [2, 1, 1],
        r#"
          local l0 "words" size 256 align 4
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v7: u32 = id local_linear
          v11: ptr<local> = local_addr l0
          v12: ptr<local> = ptradd v11, v7 * 4
          store v12+0, v7 local(0)
          barrier
          v8: u32 = const 0
          v9: bool = gt v5, v8
          if v9 {
            v10: u32 = const 1
            v13: u32 = warp scan add v10
            store v6+0, v13 exclusive(1)
          }
        "#,
    );
}

/// A lane has items of four groups, of which all but the first arrive at a barrier and then return: the next group's
/// arrivals are none for the one before.
#[test]
fn groups_that_only_arrive_are_no_arrivals_of_others() {
    let launch = Launch {
        groups: [4, 2, 1],
        block: [2, 3, 1],
    };
    check(
        launch,
        Shape::new(1, 4, 4),
        [2, 2, 1],
        r#"
          v5: u32 = id local_linear
          v6: u32 = id group_linear
          v7: u32 = const 0
          v8: bool = gt v6, v7
          if v8 {
            v9: u32 = barrier_arrive
            barrier_wait v9
            v10: u32 = barrier_arrive
            v11: bool = const true
            if v11 {
              return
            }
            barrier_wait v10
          }
          v12: u32 = barrier_arrive
          barrier_wait v12
          v13: u32 = barrier_arrive
          barrier_wait v13
        "#,
    );
}

/// A lane does two items at once, and their checks together. One that holds for all of them stands between, and nothing
/// comes of it: what it is made of is computed where it is.
#[test]
fn checks_that_are_answered_stay_behind_what_they_are_made_of() {
    let launch = Launch {
        groups: [1, 1, 1],
        block: [48, 1, 1],
    };
    check(
        launch,
        Shape::new(1, 1, 4),
        [2, 1, 1],
        r#"
          data d0 align 4 [1 2 3 4]
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v7: u32 = const 3
          v8: u32 = and v5, v7
          v9: ptr<global> = ptradd v0, v8 * 4
          v10: u32 = load v9+0 shared(0)
          v21: u32 = const 15
          v11: u32 = and v10, v21
          v12: ptr<constant> = data_addr d0
          v13: u32 = const 4
          v14: bool = lt v11, v13
          v15: u8 = const 0
          v16: u8 = if v14 {
            v17: ptr<constant> = ptradd v12, v11 * 1
            v18: u8 = load v17+0 data(0)
            yield v18
          } else {
            fault index v11, v13
            yield v15
          }
          v19: u32 = const 1048576
          v20: bool = lt v5, v19
          if v20 {
          } else {
            fault overflow v5, v19
          }
          store v6+0, v16 exclusive(1)
        "#,
    );
}

/// Two checks, of which one is the same for the items of a group, and what it gives decides about a barrier.
#[test]
fn what_a_group_agrees_about_stays_so_where_checks_are_made_together() {
    let launch = Launch {
        groups: [2, 1, 1],
        block: [6, 1, 1],
    };
    check(
        launch,
        Shape::new(1, 2, 8),
        [1, 1, 1],
        r#"
          local l0 "words" size 256 align 4
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v7: ptr<global> = ptradd v0, v5 * 4
          v8: u32 = load v7+0 shared(0)
          v9: u32 = const 60
          v10: bool = lt v8, v9
          v11: u32 = if v10 {
            v12: ptr<global> = ptradd v0, v8 * 4
            v13: u32 = load v12+0 shared(0)
            yield v13
          } else {
            fault index v8, v9
            v14: u32 = const 0
            yield v14
          }
          v15: u32 = id group_linear
          v16: ptr<global> = ptradd v0, v15 * 4
          v17: u32 = load v16+0 shared(0)
          v18: bool = lt v17, v9
          v19: u32 = if v18 {
            v20: ptr<global> = ptradd v0, v17 * 4
            v21: u32 = load v20+0 shared(0)
            yield v21
          } else {
            fault index v17, v9
            v22: u32 = const 0
            yield v22
          }
          v23: bool = lt v19, v9
          if v23 {
            v24: ptr<local> = local_addr l0
            v25: u32 = id local_linear
            v26: ptr<local> = ptradd v24, v25 * 4
            store v26+0, v5 local(0)
            barrier
            v27: u32 = load v24+8 local(0)
            store v6+0, v27 exclusive(1)
          }
          store v6+4, v11 exclusive(1)
        "#,
    );
}

/// The other arm of a condition fails, and stores, too: three iterations of a loop, made straight, are no check that is
/// made again.
#[test]
fn what_also_stores_is_no_check() {
    check(
        Launch {
            groups: [2, 2, 1],
            block: [16, 1, 1],
        },
        Shape::new(2, 2, 8),
        [2, 2, 1],
        r#"
          var m0: u32
          var m1: i16
          var m2: u32
          var m3: u32
          local l0 "words" size 256 align 4
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v23: u32 = id local_count
          v58: u32 = const 63
          v59: u32 = and v23, v58
          v60: ptr<global> = ptradd v0, v59 * 2
          v61: i16 = load v60+224 shared(0)
          set m1, v61
          v192: u32 = const 0
          set m2, v192
          v193: u32 = const 3
          loop L0 {
            v194: u32 = get m2
            v195: bool = ge v194, v193
            if v195 {
              break L0
            }
            v197: u32 = const 0
            set m3, v197
            v198: u32 = const 2147481856
            v199: u32 = const 5
            v200: u32 = rem v198, v199
            loop L1 {
              v201: u32 = get m3
              v202: bool = ge v201, v200
              if v202 {
                break L1
              }
              v203: bool = const false
              if v203 {
              } else {
                scope L2 {
                  v206: i16 = get m1
                  v207: i16 = const 0
                  v208: bool = gt v206, v207
                  if v208 {
                  } else {
                    continue L0
                  }
                }
                store v6+44, v194 exclusive(1)
              }
              v249: u32 = const 16
              v250: i32 = const -1
              v251: u32 = cast v250
              v252: bool = lt v251, v249
              if v252 {
              } else {
                fault index v251, v249
              }
              break L1
            } step {
              v255: u32 = get m3
              v256: u32 = const 1
              v257: u32 = add v255, v256
              set m3, v257
            }
          } step {
            v259: u32 = get m2
            v260: u32 = const 1
            v261: u32 = add v259, v260
            set m2, v261
          }
        "#,
    );
}

/// A lane that leaves a loop stores first: what tells that it leaves is no test of the loop's.
#[test]
fn lanes_that_leave_do_what_comes_before() {
    check(
        Launch {
            groups: [1, 1, 1],
            block: [25, 1, 1],
        },
        Shape::new(1, 4, 4),
        [1, 1, 1],
        r#"
          var m0: u32
          v5: u32 = id linear
          v6: ptr<global> = ptradd v1, v5 * 64
          v7: u32 = const 0
          v8: u32 = const 1
          v9: u32 = const 3
          v10: u32 = and v5, v9
          set m0, v7
          loop L0 {
            v11: u32 = get m0
            v12: bool = ge v11, v10
            if v12 {
              break L0
            }
            v13: bool = lt v10, v9
            v14: bool = if v13 {
              v15: bool = const true
              yield v15
            } else {
              v16: u32 = load v6+8 exclusive(1)
              v17: bool = gt v16, v5
              yield v17
            }
            store v6+4, v10 exclusive(1)
            if v14 {
              break L0
            }
          } step {
            v18: u32 = get m0
            v19: u32 = add v18, v8
            set m0, v19
          }
        "#,
    );
}
