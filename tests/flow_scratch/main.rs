#![allow(warnings)]
#[path="../semantics/harness.rs"] mod harness;
#[path="../semantics/options.rs"] mod options;
#[path="../semantics/loops.rs"] mod loops;
#[path="../semantics/matching.rs"] mod matching;
#[path="../semantics/functions.rs"] mod functions;
#[path="../semantics/arrivals.rs"] mod arrivals;
