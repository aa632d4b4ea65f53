//! What generated kernels tell the host: checks that fail, panics, and what they print.

use super::generate::{Generator, INPUT_WORDS, INTEGERS, Scope, arm};
use vortex_kernel::ir::{
    Alias, Arm, BinOp, Builder, CmpOp, FaultKind, Message, MessageId, Op, Render, SourceLoc,
    Stream, Type, Value,
};

/// Failures after which an item goes on.
pub(crate) const GOING_ON: [FaultKind; 9] = [
    FaultKind::DivideByZero,
    FaultKind::DivideOverflow,
    FaultKind::Index,
    FaultKind::Texel,
    FaultKind::Element,
    FaultKind::Pages,
    FaultKind::Range,
    FaultKind::RangeStart,
    FaultKind::Split,
];

/// Those that end it.
pub(crate) const ENDING: [FaultKind; 6] = [
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
                let operands = [0, 1].map(|_| self.value(&mut inner, scope)).into();
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
        let operands = [index, len].into();
        failing.effect(Op::Fault { kind, operands });
        let els = arm(failing.finish());
        b.if_else(inside, Arm::default(), els);
    }

    /// Reads elements at indices from memory and computes with them; then there are effects, too.
    pub(crate) fn lookups(&mut self, b: &mut Builder<'_>, mut scope: Scope) {
        for choices in [4, 6] {
            for _ in 0..1 + self.pick(5) {
                let value = match self.pick(choices) {
                    0 | 1 => self.input_element(b, &scope),
                    2 => self.operation(b, &scope),
                    3 => self.divide(b, &scope),
                    4 => {
                        let value = self.value(b, &scope);
                        self.store(b, value);
                        continue;
                    }
                    _ => {
                        self.count(b, &scope);
                        continue;
                    }
                };
                scope.values.push(value);
            }
        }
        for value in scope.values.into_iter().rev().take(3) {
            self.store(b, value);
        }
    }

    /// Reads an element of the input at an index that may be out of bounds of what is taken for it.
    pub(crate) fn input_element(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let index = self.of_type(b, scope, Type::U32);
        // Of a number with few bits one would know the range.
        let bits = b.u32(self.one_of(&[0, 20, 24, 28]));
        let index = b.binary(BinOp::Shr, index, bits);
        let len = b.u32(self.one_of(&[1, 6, 60, INPUT_WORDS]));
        let inside = b.compare(CmpOp::Lt, index, len);
        let mut then = b.inner();
        let ptr = then.ptr_add(self.input, index, 4);
        let element = then.load(Type::U32, ptr, 0, Alias::Shared(0));
        let then = Arm::new(then.finish(), vec![element]);
        let (kind, operands) = (FaultKind::Index, [index, len]);
        self.or_other(b, inside, then, (kind, operands))
    }

    /// What an arm gives, or a failure and a number, which is mostly 0.
    pub(crate) fn or_other(
        &mut self,
        b: &mut Builder<'_>,
        cond: Value,
        then: Arm,
        (kind, operands): (FaultKind, [Value; 2]),
    ) -> Value {
        let ty = b.function.ty(then.yields[0]);
        let mut els = elsewhere(b);
        let operands = operands.into();
        els.effect(Op::Fault { kind, operands });
        let other = els.constant(self.one_of(&[0, 0, 0, 0, 0, 2]), ty);
        let els = Arm::new(els.finish(), vec![other]);
        b.if_else(cond, then, els)[0]
    }

    /// Divides as checked code does.
    pub(crate) fn divide(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let ty = self.one_of(&INTEGERS);
        let operands @ [dividend, divisor] = [0, 1].map(|_| self.of_type(b, scope, ty));
        let zero = b.constant(0, ty);
        let divides = b.compare(CmpOp::Ne, divisor, zero);
        let op = self.one_of(&[BinOp::Div, BinOp::Rem]);
        let mut then = b.inner();
        let quotient = then.binary(op, dividend, divisor);
        let then = Arm::new(then.finish(), vec![quotient]);
        self.or_other(b, divides, then, (FaultKind::DivideByZero, operands))
    }

    /// Says something.
    pub(crate) fn print(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let (message, operands) = self.message(b, scope, MESSAGES);
        b.effect(Op::Print { message, operands });
    }

    /// One of the first messages, and its values: words, as they are delivered.
    pub(crate) fn message(
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
