//! Conditions that the launch block alone decides are evaluated by the host that fills it: one word has the results.
//!
//! ```text
//! n = load launch; w = load launch          answers = load launch
//! fits = n * w >= n and n * w < len   ==>   fits = answers & 1 != 0
//! if fits { .. } else { .. }                if fits { .. } else { .. }
//! ```
//!
//! Most are tests that [`loop_versioning`](super::loop_versioning()) puts before the loop over a warp's work items.
//! Each warp of each core would get the same results; where a warp has few items, that takes longer than the items.
//!
//! Alternatively, only the version with the most conditions is kept, and the others are dropped:
//!
//! ```text
//! if fits { .. } else { .. }          ==>   ..
//! ```
//!
//! Then the code is for launches for which these hold. It is half as long, or less, and is compiled in half the time.

use crate::abi::header;
use crate::ir::launch_conditions::{LaunchConditions, Step};
use crate::ir::{
    Alias, BinOp, Block, CmpOp, Const, Csr, Function, Inst, Loc, Op, SecondaryMap, Type, Value,
};
use crate::meta::count;

/// Operations that the device must save to load an answer instead.
const LEAST: u32 = 3;

/// Has the launch block answer what it decides alone, if the function may ask for that; or assumes that it decides for
/// the versions of loops that ask for the most, if the function may do that.
pub fn launch_conditions(function: &mut Function) {
    let Some(mut conditions) = function.launch_conditions.take() else {
        return;
    };
    let mut body = std::mem::take(&mut function.body);
    match conditions.are_assumed() {
        true => assume(function, &mut body, &mut conditions),
        false => ask(function, &mut body, &mut conditions),
    }
    function.body = body;
    function.launch_conditions = Some(conditions);
}

fn ask(function: &mut Function, body: &mut Block, conditions: &mut LaunchConditions) {
    let decided = Decided::of(function, body);
    let asked = decided.worth_asking(function, body);
    if asked.is_empty() {
        return;
    }
    let numbers = decided.write_down(&asked, function, conditions);
    for value in &asked {
        conditions.condition(numbers[*value]);
    }
    count!("launch_conditions", "conditions of the launch", asked.len());
    Ask { function, asked }.block(body);
}

fn assume(function: &mut Function, body: &mut Block, conditions: &mut LaunchConditions) {
    let decided = Decided::of(function, body);
    let mut assumptions = Vec::new();
    decided.assumptions(body, &mut Vec::new(), &mut assumptions);
    if assumptions.is_empty() {
        return;
    }
    let values = assumptions.iter().flat_map(Assumption::values);
    let numbers = decided.write_down(&values.collect::<Vec<_>>(), function, conditions);
    let truth = conditions.step(Step::Const(1));
    for assumption in &assumptions {
        let within = assumption.within.iter().rev();
        let holds = within.fold(numbers[assumption.cond], |holds, around| {
            conditions.step(Step::Select([numbers[*around], holds, truth]))
        });
        conditions.condition(holds);
    }
    count!("launch_conditions", "conditions assumed", assumptions.len());
    let assumed = assumptions.iter().map(|assumption| assumption.cond);
    let assumed = assumed.collect();
    Assume { function, assumed }.block(body);
}

/// What decides between two versions.
struct Assumption {
    /// What holds where it is asked.
    within: Vec<Value>,
    cond: Value,
}

impl Assumption {
    fn values(&self) -> impl Iterator<Item = Value> {
        self.within.iter().copied().chain([self.cond])
    }
}

/// What the launch block alone decides.
struct Decided<'a> {
    /// In program order.
    insts: Vec<(Value, &'a Op)>,
    /// How many operations a value takes, counting those that are needed twice twice.
    cost: SecondaryMap<Value, Option<u32>>,
}

impl<'a> Decided<'a> {
    fn of(function: &Function, body: &'a Block) -> Self {
        let mut decided = Self {
            insts: Vec::new(),
            cost: function.map_values(None),
        };
        let mut blocks = function.map_values(false);
        body.visit(&mut |inst| {
            let [result] = inst.results[..] else {
                return;
            };
            blocks[result] = matches!(inst.op, Op::Csr(Csr::LaunchBlock));
            let ty = function.ty(result);
            let (mut cost, mut all) = match inst.op {
                Op::Load {
                    ptr,
                    alias: Alias::Launch,
                    offset: 0..,
                } => (
                    0,
                    blocks[ptr] && matches!(ty, Type::U32 | Type::I32 | Type::F32),
                ),
                Op::Const(_) => (0, is_word(ty)),
                Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Select(..) | Op::Cast(_) => {
                    (1u32, is_word(ty))
                }
                _ => return,
            };
            if inst.op.is_pure() {
                inst.op
                    .operands(&mut |operand| match decided.cost[operand] {
                        Some(of_operand) => cost = cost.saturating_add(of_operand),
                        None => all = false,
                    });
            }
            if all {
                decided.cost[result] = Some(cost);
                decided.insts.push((result, &inst.op));
            }
        });
        decided
    }

    /// The conditions that are needed by what the launch block does not decide, and are worth it; in program order.
    fn worth_asking(&self, function: &Function, body: &Block) -> Vec<Value> {
        let mut others = function.map_values(0u32);
        body.uses(&mut |value| others[value] += 1);
        for (_, op) in self.insts.iter().filter(|(_, op)| op.is_pure()) {
            op.operands(&mut |operand| others[operand] -= 1);
        }
        let is_worth_it = |value: &Value| {
            function.ty(*value) == Type::Bool
                && others[*value] > 0
                && self.cost[*value] >= Some(LEAST)
        };
        let values = self.insts.iter().map(|(value, _)| *value);
        values
            .filter(is_worth_it)
            .take(LaunchConditions::MOST)
            .collect()
    }

    /// What is decided by the launch block and chooses between versions of loops, in program order.
    fn assumptions(&self, block: &Block, within: &mut Vec<Value>, out: &mut Vec<Assumption>) {
        for inst in &block.insts {
            if let Op::If { cond, then, els } = &inst.op
                && self.cost[*cond].is_some()
            {
                if els.is_fallback {
                    out.push(Assumption {
                        within: within.clone(),
                        cond: *cond,
                    });
                    // The other arm goes.
                    self.assumptions(&then.block, within, out);
                    continue;
                }
                within.push(*cond);
                self.assumptions(&then.block, within, out);
                within.pop();
                self.assumptions(&els.block, within, out);
                continue;
            }
            for nested in inst.op.blocks().into_iter().flatten() {
                self.assumptions(nested, within, out);
            }
        }
    }

    /// Writes down how the host computes these; the numbers of its words.
    fn write_down(
        &self,
        asked: &[Value],
        function: &Function,
        conditions: &mut LaunchConditions,
    ) -> SecondaryMap<Value, u32> {
        let mut needed = function.map_values(false);
        asked.iter().for_each(|value| needed[*value] = true);
        for (value, op) in self.insts.iter().rev() {
            if needed[*value] && op.is_pure() {
                op.operands(&mut |operand| needed[operand] = true);
            }
        }
        let mut numbers = function.map_values(0);
        for (value, op) in self.insts.iter().filter(|(value, _)| needed[*value]) {
            let ty = |value: Value| function.ty(value);
            let number = |value: &Value| numbers[*value];
            let step = match op {
                Op::Load { offset, .. } => Step::Load(offset.unsigned_abs()),
                // Its type has 32 bits or fewer.
                Op::Const(Const(word)) => Step::Const(*word as u32),
                Op::Unary(op, a) => Step::Unary(*op, ty(*a), number(a)),
                Op::Binary(op, a, b) => Step::Binary(*op, ty(*a), [a, b].map(number)),
                Op::Compare(op, a, b) => Step::Compare(*op, ty(*a), [a, b].map(number)),
                Op::Select(cond, a, b) => Step::Select([cond, a, b].map(number)),
                Op::Cast(a) => Step::Cast(ty(*a), ty(*value), number(a)),
                _ => continue,
            };
            numbers[*value] = conditions.step(step);
        }
        numbers
    }
}

/// Whether it is a number of 32 bits at most, or a truth.
fn is_word(ty: Type) -> bool {
    matches!(ty, Type::Bool | Type::F32) || ty.is_int() && !ty.is_wide()
}

struct Ask<'a> {
    function: &'a mut Function,
    asked: Vec<Value>,
}

impl Ask<'_> {
    fn block(&mut self, block: &mut Block) {
        block.rewrite(&mut |mut inst, out| {
            if let [result] = inst.results[..]
                && let Some(number) = self.asked.iter().position(|value| *value == result)
            {
                inst.op = self.answer(number, inst.loc, out);
            }
            out.push(inst);
        });
    }

    /// What condition `number` is, given the answers.
    fn answer(&mut self, number: usize, loc: Loc, out: &mut Vec<Inst>) -> Op {
        let offset = (self.function.args_size + header::ANSWERS).cast_signed();
        let mut push = |op, ty| self.function.push(op, ty, loc, out);
        let ptr = push(
            Op::Csr(Csr::LaunchBlock),
            Type::Ptr(crate::ir::Space::Constant),
        );
        let answers = push(
            Op::Load {
                ptr,
                offset,
                alias: Alias::Launch,
            },
            Type::U32,
        );
        let bit = push(Op::Const(Const(1 << number)), Type::U32);
        let here = push(Op::Binary(BinOp::And, answers, bit), Type::U32);
        let zero = push(Op::Const(Const(0)), Type::U32);
        Op::Compare(CmpOp::Ne, here, zero)
    }
}

struct Assume<'a> {
    function: &'a mut Function,
    assumed: Vec<Value>,
}

impl Assume<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            if let Op::If { cond, els, .. } = &mut inst.op
                && els.is_fallback
                && self.assumed.contains(cond)
            {
                let truth = Op::Const(Const(1));
                *cond = self.function.push(truth, Type::Bool, inst.loc, &mut out);
            }
            for block in inst.op.blocks_mut().into_iter().flatten() {
                self.block(block);
            }
            out.push(inst);
        }
        block.insts = out;
    }
}
