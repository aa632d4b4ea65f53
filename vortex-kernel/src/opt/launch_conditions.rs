//! Conditions that the launch block alone decides are left to whoever fills it: one word has the answers.
//!
//! ```text
//! n = load launch; w = load launch          answers = load launch
//! fits = n * w >= n and n * w < len   ==>   fits = answers & 1 != 0
//! if fits { .. } else { .. }                if fits { .. } else { .. }
//! ```
//!
//! Most are what [`loop_versioning`](super::loop_versioning()) asks before the loop over a warp's work items. Each warp
//! of each core would find the same; where a warp has few items, that takes longer than they do.

use crate::abi::header;
use crate::ir::launch_conditions::{LaunchConditions, Step};
use crate::ir::{
    Alias, BinOp, Block, CmpOp, Const, Csr, Function, Inst, Loc, Op, SecondaryMap, Type, Value,
};
use crate::meta::count;

/// Operations that the device must save to load an answer instead.
const LEAST: u32 = 3;

/// Has the launch block answer what it decides alone, if the function may ask for that.
pub fn launch_conditions(function: &mut Function) {
    let Some(mut conditions) = function.launch_conditions.take() else {
        return;
    };
    let mut body = std::mem::take(&mut function.body);
    let known = Known::of(function, &body);
    let asked = known.worth_asking(function, &body);
    if !asked.is_empty() {
        known.write_down(&asked, function, &mut conditions);
        count!("launch_conditions", "conditions of the launch", asked.len());
        Ask { function, asked }.block(&mut body);
    }
    function.body = body;
    function.launch_conditions = Some(conditions);
}

/// What the launch block alone decides.
struct Known<'a> {
    /// In program order.
    insts: Vec<(Value, &'a Op)>,
    /// How many operations a value takes, counting those that are needed twice twice.
    cost: SecondaryMap<Value, Option<u32>>,
}

impl<'a> Known<'a> {
    fn of(function: &Function, body: &'a Block) -> Self {
        let mut known = Self {
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
                } => (0, blocks[ptr] && matches!(ty, Type::U32 | Type::I32)),
                Op::Const(_) => (0, is_word(ty)),
                Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Select(..) | Op::Cast(_) => {
                    (1u32, is_word(ty))
                }
                _ => return,
            };
            if inst.op.is_pure() {
                inst.op.operands(&mut |operand| match known.cost[operand] {
                    Some(of_operand) => cost = cost.saturating_add(of_operand),
                    None => all = false,
                });
            }
            if all {
                known.cost[result] = Some(cost);
                known.insts.push((result, &inst.op));
            }
        });
        known
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

    /// Writes down how the host answers.
    fn write_down(&self, asked: &[Value], function: &Function, conditions: &mut LaunchConditions) {
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
        for value in asked {
            conditions.condition(numbers[*value]);
        }
    }
}

/// Whether it is an integer of 32 bits at most, or a truth.
fn is_word(ty: Type) -> bool {
    ty == Type::Bool || ty.is_int() && !ty.is_wide()
}

struct Ask<'a> {
    function: &'a mut Function,
    asked: Vec<Value>,
}

impl Ask<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            for block in inst.op.blocks_mut().into_iter().flatten() {
                self.block(block);
            }
            if let [result] = inst.results[..]
                && let Some(number) = self.asked.iter().position(|value| *value == result)
            {
                inst.op = self.answer(number, inst.loc, &mut out);
            }
            out.push(inst);
        }
        block.insts = out;
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
