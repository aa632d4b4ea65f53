//! Kernels too large for short branches, small frames and small offsets.

use super::device::{Way, on_device, target};
use super::generate::{Generator, Kind};
use super::run::{Launch, Shape, on_interpreter};
use vortex_kernel::codegen::Specialization;
use vortex_kernel::ir::{Alias, Arm, BinOp, Builder, CmpOp, Function, Label, Loc, Op, Type, Value};
use vortex_kernel::opt::Level;

/// The parameters of every generated kernel, and a body made by `build`, which is given a cursor, the input and the
/// item's output.
fn kernel(build: impl FnOnce(&mut Builder<'_>, Value, Value)) -> Function {
    let mut f = Generator::kernel(&[], Kind::Items);
    f.vars.clear();
    let prefix = f.body.insts[..2].to_vec();
    let input = f.params[0].value;
    let own = prefix[1].results[0];
    let mut b = Builder::new(&mut f, Loc::NONE);
    b.block.insts = prefix;
    build(&mut b, input, own);
    f.body = b.finish();
    f
}

fn check(kernel: &Function) {
    let launch = Launch::over([37, 1, 1]);
    let shape = Shape::new(1, 2, 8);
    let wanted = on_interpreter(kernel, launch, shape, [1; 3]);
    for (zicond, level) in [
        (false, Level::Full),
        (true, Level::Full),
        (true, Level::None),
    ] {
        let way = Way {
            target: target(zicond, zicond),
            level,
            known: Specialization::default(),
            at_once: [1; 3],
        };
        let found = on_device(kernel, launch, shape, way);
        let found = found.unwrap_or_else(|e| panic!("{e}"));
        assert!(wanted.memory == found.memory);
    }
}

fn long(b: &mut Builder<'_>, start: Value, own: Value, slot: i32) {
    let mut value = start;
    for n in 0..1500 {
        let constant = b.u32(0x0001_2345 + n * 0x1111);
        let product = b.binary(BinOp::Mul, value, constant);
        value = b.binary(BinOp::Xor, product, start);
    }
    b.store(own, slot, value, Alias::Exclusive(1));
}

#[test]
fn branches_over_long_arms_and_back_over_long_loops() {
    check(&kernel(|b, input, own| {
        let item = b.id(vortex_kernel::ir::Id::GlobalLinear);
        let at = b.ptr_add(input, item, 4);
        let iterations = b.load(Type::U32, at, 0, Alias::Shared(0));
        let four = b.u32(4);
        let iterations = b.binary(BinOp::Rem, iterations, four);
        let counter = b.function.vars.push(Type::U32);
        b.effect(Op::VarSet(counter, iterations));
        let mut body = b.inner();
        let left = body.value(Op::VarGet(counter), Type::U32);
        let zero = body.u32(0);
        let done = body.compare(CmpOp::Eq, left, zero);
        let mut leave = body.inner();
        leave.effect(Op::Break(Label::from_u32(0)));
        let leave = leave.finish();
        body.when(done, leave);
        let odd = body.compare(CmpOp::Gt, left, item);
        let [then, els] = [0, 4].map(|slot| {
            let mut arm = body.inner();
            long(&mut arm, item, own, slot);
            Arm::new(arm.finish(), Vec::new())
        });
        body.if_else(odd, then, els);
        let one = body.u32(1);
        let next = body.binary(BinOp::Sub, left, one);
        body.effect(Op::VarSet(counter, next));
        let body = body.finish();
        b.effect(Op::Loop {
            label: Label::from_u32(0),
            body,
            step: vortex_kernel::ir::Block::default(),
        });
    }));
}

fn crowd(values: i32) -> Function {
    kernel(|b, input, own| {
        // Stores in between keep the loads where they are.
        let loaded: Vec<Value> = (0..values)
            .map(|n| {
                let value = b.load(Type::U32, own, n % 8 * 4, Alias::Any);
                let other = b.load(Type::U32, input, n % 64 * 4, Alias::Any);
                b.store(own, n % 16 * 4, other, Alias::Any);
                b.binary(BinOp::Mul, value, other)
            })
            .collect();
        let item = b.id(vortex_kernel::ir::Id::GlobalLinear);
        let mut sum = item;
        for value in loaded {
            let product = b.binary(BinOp::Mul, sum, item);
            sum = b.binary(BinOp::Add, product, value);
        }
        b.store(own, 0, sum, Alias::Any);
    })
}

#[test]
fn frames_beyond_short_offsets() {
    check(&crowd(400));
}

#[test]
fn more_stack_than_there_is() {
    let error = on_device(
        &crowd(2000),
        Launch::over([1; 3]),
        Shape::new(1, 1, 1),
        Way {
            target: target(true, true),
            level: Level::Full,
            known: Specialization::default(),
            at_once: [1; 3],
        },
    );
    assert!(error.unwrap_err().contains("bytes of private memory"));
}
