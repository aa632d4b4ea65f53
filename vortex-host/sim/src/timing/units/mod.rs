//! The integer and float units.

mod holders;

use super::config::{Divider, TimingConfig};
use super::queue::{Deep, InFlight, Queue, RoundRobin};
use super::uop::{Id, Kind, Uops};
use crate::registers::lanes_of;

/// A pipeline that stands still as a whole while its result is not taken.
#[derive(Debug)]
struct Pipeline {
    /// A ring: the stage before another one is below it.
    stages: Box<[Option<Id>]>,
    /// Which is the last stage now.
    last: usize,
    inside: usize,
}

impl Pipeline {
    fn new(depth: u32) -> Pipeline {
        let stages = vec![None; depth.max(1) as usize].into_boxed_slice();
        Pipeline {
            last: stages.len() - 1,
            stages,
            inside: 0,
        }
    }

    #[inline]
    fn result(&self) -> Option<Id> {
        match self.inside {
            0 => None,
            _ => self.stages[self.last],
        }
    }

    #[inline]
    fn take(&mut self) -> Option<Id> {
        if self.inside == 0 {
            return None;
        }
        let result = self.stages[self.last].take();
        self.inside -= usize::from(result.is_some());
        result
    }

    /// Whether it moves in this cycle, once its result was taken or not.
    #[inline]
    fn moves(&self) -> bool {
        self.result().is_none()
    }

    /// Moves on, with or without a new instruction.
    #[inline]
    fn shift(&mut self, input: Option<Id>) {
        if (self.inside > 0 || input.is_some()) && self.moves() {
            // The last stage is empty and becomes the first.
            self.stages[self.last] = input;
            self.last = self.last.checked_sub(1).unwrap_or(self.stages.len() - 1);
            self.inside += usize::from(input.is_some());
        }
    }
}

/// What divides integers.
#[derive(Debug)]
enum DivideUnit {
    Pipelined(Pipeline),
    Serial(SerialDivider),
}

/// A divider that takes its time for each division.
#[derive(Debug)]
struct SerialDivider {
    cycles: u64,
    /// The division under way, and when it is done.
    busy: Option<(Id, u64)>,
    /// When its last result was taken; it takes the next operands a cycle later.
    taken: u64,
}

impl DivideUnit {
    fn new(divider: Divider) -> DivideUnit {
        match divider {
            Divider::Pipelined { stages } => DivideUnit::Pipelined(Pipeline::new(stages)),
            Divider::Serial { cycles } => DivideUnit::Serial(SerialDivider {
                cycles: u64::from(cycles.max(1)),
                busy: None,
                taken: 0,
            }),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            DivideUnit::Pipelined(pipeline) => pipeline.inside == 0,
            DivideUnit::Serial(divider) => divider.busy.is_none(),
        }
    }

    /// Takes the result, if there is one.
    fn take(&mut self, now: u64) -> Option<Id> {
        match self {
            DivideUnit::Pipelined(pipeline) => pipeline.take(),
            DivideUnit::Serial(divider) => {
                let (id, _) = divider.busy.take_if(|&mut (_, done)| done <= now)?;
                divider.taken = now;
                Some(id)
            }
        }
    }

    fn accepts(&self, now: u64) -> bool {
        match self {
            DivideUnit::Pipelined(pipeline) => pipeline.moves(),
            DivideUnit::Serial(divider) => divider.busy.is_none() && divider.taken != now,
        }
    }

    /// Moves on, with or without a new division.
    fn shift(&mut self, now: u64, input: Option<Id>) {
        match self {
            DivideUnit::Pipelined(pipeline) => pipeline.shift(input),
            DivideUnit::Serial(divider) => {
                if let Some(id) = input {
                    divider.busy = Some((id, now + divider.cycles));
                }
            }
        }
    }
}

/// An integer unit: one step for most, a pipelined multiplier, a divider.
#[derive(Debug)]
pub(super) struct Alu {
    simple: Option<Id>,
    multiplier: Pipeline,
    divider: DivideUnit,
    slow: Queue<Id>,
    arbiter: RoundRobin,
    pub(super) out: Queue<Id>,
}

impl Alu {
    pub(super) fn new(config: &TimingConfig) -> Alu {
        Alu {
            simple: None,
            multiplier: Pipeline::new(config.multiply),
            divider: DivideUnit::new(config.divider),
            slow: Queue::new(2),
            arbiter: RoundRobin::default(),
            out: Queue::new(2),
        }
    }

    /// Whether nothing is inside.
    pub(super) fn is_empty(&self) -> bool {
        let idle = self.simple.is_none() && self.divider.is_empty() && self.multiplier.inside == 0;
        idle && self.slow.is_empty() && self.out.is_empty()
    }

    /// Moves on. Returns a branch that was decided.
    pub(super) fn step(&mut self, now: u64, input: &mut Deep<Id>, uops: &Uops) -> Option<Id> {
        let idle = self.simple.is_none() && self.divider.is_empty() && self.multiplier.inside == 0;
        if idle && self.slow.is_empty() && input.is_empty() {
            return None;
        }
        let mut decided = None;
        if self.out.accepts(now) {
            let waiting = [self.simple.is_some(), self.slow.front(now).is_some()];
            if let Some(which) = self.arbiter.choose(2, |n| waiting[n]) {
                self.arbiter.served(which);
                let result = if which == 0 {
                    self.simple.take()
                } else {
                    self.slow.pop(now)
                };
                if let Some(id) = result {
                    self.out.push(now, id);
                    decided = (uops[id].decoded.kind == Kind::Branch).then_some(id);
                }
            }
        }
        if self.slow.accepts(now) {
            // Products go before quotients.
            if let Some(id) = (self.multiplier.take()).or_else(|| self.divider.take(now)) {
                self.slow.push(now, id);
            }
        }
        let (mut multiply, mut divide) = (None, None);
        if let Some(&id) = input.front(now) {
            match uops[id].decoded.kind {
                Kind::Multiply if self.multiplier.moves() => multiply = input.pop(now),
                Kind::Divide if self.divider.accepts(now) => divide = input.pop(now),
                Kind::Multiply | Kind::Divide => {}
                _ if self.simple.is_none() => self.simple = input.pop(now),
                _ => {}
            }
        }
        self.multiplier.shift(multiply);
        self.divider.shift(now, divide);
        decided
    }
}

/// Pipelines of a float unit, in the order in which their results leave. Division and square root leave through one
/// gate.
const PIPELINES: usize = 5;

/// Which of them an instruction goes through.
fn pipeline_of(kind: Kind) -> usize {
    match kind {
        Kind::FloatMultiplyAdd => 0,
        Kind::FloatDivide => 1,
        Kind::FloatSquareRoot => 2,
        Kind::FloatConvert => 3,
        _ => 4,
    }
}

/// The gate of each pipeline.
const GATES: [usize; PIPELINES] = [0, 1, 1, 2, 3];

/// A float unit: pipelines side by side, and few instructions inside at any time.
#[derive(Debug)]
pub(super) struct Fpu {
    in_flight: InFlight,
    pipelines: [Pipeline; PIPELINES],
    /// The pipelines with something inside.
    busy: u32,
    arbiter: RoundRobin,
    out: Queue<Id>,
}

impl Fpu {
    pub(super) fn new(config: &TimingConfig) -> Fpu {
        Fpu {
            in_flight: InFlight::new(config.float_queue.max(1) as usize),
            pipelines: [
                config.float_multiply_add,
                config.float_divide,
                config.float_square_root,
                config.float_convert,
                config.float_misc,
            ]
            .map(Pipeline::new),
            busy: 0,
            arbiter: RoundRobin::default(),
            out: Queue::new(2),
        }
    }

    /// Whether nothing is inside.
    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// The result to commit.
    #[inline]
    pub(super) fn commit(&mut self, now: u64) -> Option<Id> {
        let id = self.out.pop(now)?;
        self.in_flight.release(now);
        Some(id)
    }

    #[inline]
    pub(super) fn step(&mut self, now: u64, input: &mut Deep<Id>, uops: &Uops) {
        if self.in_flight.is_empty() && input.is_empty() {
            return;
        }
        self.leave(now);
        let mut entering = None;
        if let Some(&id) = input.front(now)
            && self.in_flight.available(now)
        {
            let pipeline = pipeline_of(uops[id].decoded.kind);
            if self.pipelines[pipeline].moves() {
                entering = Some((pipeline, id));
                self.busy |= 1 << pipeline;
                self.in_flight.take();
                input.pop(now);
            }
        }
        for number in lanes_of(self.busy) {
            let number = number as usize;
            let id = entering.filter(|&(into, _)| into == number);
            let pipeline = &mut self.pipelines[number];
            pipeline.shift(id.map(|(_, id)| id));
            self.busy &= !(u32::from(pipeline.inside == 0) << number);
        }
    }

    /// Lets the result of a pipeline out.
    fn leave(&mut self, now: u64) {
        if !self.out.accepts(now) {
            return;
        }
        // Quotients go before square roots.
        let mut at_gates = [None; 4];
        for number in lanes_of(self.busy) {
            let number = number as usize;
            let gate = &mut at_gates[GATES[number]];
            if gate.is_none() && self.pipelines[number].result().is_some() {
                *gate = Some(number);
            }
        }
        if let Some(gate) = self.arbiter.choose(4, |n| at_gates[n].is_some())
            && let Some(number) = at_gates[gate]
            && let Some(id) = self.pipelines[number].take()
        {
            self.arbiter.served(gate);
            self.out.push(now, id);
        }
    }
}
