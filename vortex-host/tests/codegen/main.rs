//! Compiled code on the embedded device against the interpreter, on generated kernels.
//!
//! Both run a kernel as staged over the same buffers; what they leave in memory must be the same, word for word, in
//! every shape of device, with and without Zicond, votes and shuffles, at every level of optimisation. A few kernels of
//! each kind here; the example `fuzz` of this package runs as many as one likes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod case;
mod conditions;
mod coverage;
mod device;
mod exits;
mod extremes;
mod failing;
mod found;
mod generate;
mod moved;
mod never;
mod objects;
mod order;
mod order_loops;
mod order_values;
mod pointers;
mod run;
mod together;
mod told;
mod tried;
mod values;
mod variables;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        max_shrink_iters: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn compiled_code_does_what_the_interpreter_does(case in case::of_items()) {
        case.check()?;
    }

    #[test]
    fn lookups_find_what_the_interpreter_does(case in case::of_lookups()) {
        case.check()?;
    }

    #[test]
    fn checks_fail_where_the_interpreter_has_them_fail(case in case::of_order()) {
        case.check()?;
    }

    #[test]
    fn groups_meet_after_checks_as_the_interpreter_has_them_meet(case in case::of_order_of_groups()) {
        case.check()?;
    }

    #[test]
    fn groups_do_what_the_interpreter_does(case in case::of_groups()) {
        case.check()?;
    }
}
