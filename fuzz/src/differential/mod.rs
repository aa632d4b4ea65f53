//! Generated kernels: the bytes are the generator's choices, and what the kernel leaves in memory on the embedded
//! device must be what it leaves on the interpreter, at each level of optimisation.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "most of it is part of a test, which has all of that"
)]

#[path = "../../../vortex-host/tests/codegen/case.rs"]
mod case;
#[path = "../../../vortex-host/tests/codegen/device.rs"]
mod device;
#[path = "../../../vortex-host/tests/codegen/failing.rs"]
mod failing;
#[path = "../../../vortex-host/tests/codegen/generate.rs"]
mod generate;
#[path = "../../../vortex-host/tests/codegen/never.rs"]
mod never;
#[path = "../../../vortex-host/tests/codegen/objects.rs"]
mod objects;
#[path = "../../../vortex-host/tests/codegen/order.rs"]
mod order;
#[path = "../../../vortex-host/tests/codegen/order_loops.rs"]
mod order_loops;
#[path = "../../../vortex-host/tests/codegen/order_values.rs"]
mod order_values;
#[path = "../../../vortex-host/tests/codegen/pointers.rs"]
mod pointers;
#[path = "../../../vortex-host/tests/codegen/run.rs"]
mod run;
#[path = "../../../vortex-host/tests/codegen/together.rs"]
mod together;
#[path = "../../../vortex-host/tests/codegen/told.rs"]
mod told;
#[path = "../../../vortex-host/tests/codegen/values.rs"]
mod values;
#[path = "../../../vortex-host/tests/codegen/variables.rs"]
mod variables;

use case::Case;
use proptest::test_runner::TestCaseError;

/// Runs the kernel that the bytes mean.
pub fn run(bytes: &[u8]) -> bool {
    let case = Case::of_bytes(bytes);
    match case.check() {
        Err(TestCaseError::Fail(what)) => panic!("{what}\n{case:?}"),
        result => result.is_ok(),
    }
}
