//! What generated kernels tell the host: checks that fail, panics, and what they print.

use super::generate::{Generator, INTEGERS, Scope, arm};
use vortex_kernel::ir::{
    Arm, BinOp, Builder, CmpOp, FaultKind, Message, MessageId, Op, Render, SourceLoc, Stream, Type,
    Value,
};

/// Failures after which an item goes on.
const GOING_ON: [FaultKind; 7] = [
    FaultKind::Index,
    FaultKind::Texel,
    FaultKind::Element,
    FaultKind::Pages,
    FaultKind::Range,
    FaultKind::RangeStart,
    FaultKind::Split,
];

/// Those that end it.
const ENDING: [FaultKind; 8] = [
    FaultKind::DivideByZero,
    FaultKind::DivideOverflow,
    FaultKind::StepByZero,
    FaultKind::Unwrap,
    FaultKind::Overflow,
    FaultKind::Lengths,
    FaultKind::ZeroChunks,
    FaultKind::ZeroWindows,
];

/// Messages, of which number n has n words of values: as many as a panic can have, and more.
const MESSAGES: u32 = 9;

/// Declares what kernels say.
pub(crate) fn declare(b: &mut Builder<'_>) {
    let messages = (0..MESSAGES).map(|words| Message {
        text: String::new(),
        stream: Stream::Out,
        words,
        render: Render::verbatim(""),
    });
    b.function.messages.extend(messages);
}

/// A cursor in a block inside this one, at a line of its own, so that it is known which failure is told.
pub(crate) fn elsewhere<'a>(b: &'a mut Builder<'_>) -> Builder<'a> {
    let line = b.function.locs.len() as u32;
    let loc = b.function.locs.push(SourceLoc {
        file: String::new(),
        line,
        column: 0,
    });
    let mut inner = b.inner();
    inner.loc = loc;
    inner
}

impl Generator<'_> {
    /// Some items end here, with or without a failure.
    pub(crate) fn leave(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let leaving = self.rarely(b, scope);
        let last = self.value(b, scope);
        let mut inner = elsewhere(b);
        self.store(&mut inner, last);
        match self.pick(4) {
            0 => {}
            1 => {
                let (message, operands) = self.message(&mut inner, scope, 7);
                inner.effect(Op::Panic { message, operands });
            }
            _ => {
                let kind = self.one_of(&ENDING);
                let operands = [0, 1].map(|_| self.value(&mut inner, scope));
                inner.effect(Op::Fault { kind, operands });
            }
        }
        inner.effect(Op::Return);
        let inner = inner.finish();
        b.when(leaving, inner);
    }

    /// A condition that does not hold so often that little is left.
    fn rarely(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let mut condition = self.of_type(b, scope, Type::Bool);
        for _ in 0..2 {
            let also = self.of_type(b, scope, Type::Bool);
            condition = b.binary(BinOp::And, condition, also);
        }
        condition
    }

    /// A check that fails for some, which go on.
    pub(crate) fn fault(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let index = self.of_type(b, scope, Type::U32);
        let len = b.u32(1 << 20);
        let inside = b.compare(CmpOp::Lt, index, len);
        let mut failing = elsewhere(b);
        let kind = self.one_of(&GOING_ON);
        let operands = [index, len];
        failing.effect(Op::Fault { kind, operands });
        let els = arm(failing.finish());
        b.if_else(inside, Arm::default(), els);
    }

    /// Divides as checked code does: what cannot be divided by ends the item.
    pub(crate) fn divide(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let ty = self.one_of(&INTEGERS);
        let [dividend, divisor] = [0, 1].map(|_| self.of_type(b, scope, ty));
        let zero = b.constant(0, ty);
        let by_zero = b.compare(CmpOp::Eq, divisor, zero);
        let mut failing = elsewhere(b);
        failing.effect(Op::Fault {
            kind: FaultKind::DivideByZero,
            operands: [dividend, divisor],
        });
        failing.effect(Op::Return);
        let failing = failing.finish();
        b.when(by_zero, failing);
        let op = self.one_of(&[BinOp::Div, BinOp::Rem]);
        b.binary(op, dividend, divisor)
    }

    /// Says something.
    pub(crate) fn print(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let (message, operands) = self.message(b, scope, MESSAGES);
        b.effect(Op::Print { message, operands });
    }

    /// One of the first messages, and its values: words, as they are delivered.
    fn message(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope,
        limit: u32,
    ) -> (MessageId, Vec<Value>) {
        let count = self.pick(limit as usize) as u32;
        let operand = |_| {
            let value = self.value(b, scope);
            match b.function.ty(value) {
                ty if ty.is_wide() => b.cast(value, Type::U32),
                ty if ty.is_half() => b.bitcast(value, Type::U16),
                _ => value,
            }
        };
        (
            MessageId::from_u32(count),
            (0..count).map(operand).collect(),
        )
    }
}
