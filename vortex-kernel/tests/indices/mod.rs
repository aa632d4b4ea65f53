//! Random indices under random conditions in loops over a plane: what is tested before the loops keeps every store
//! inside, and every failure as it was.

use crate::support::Choices;
use std::fmt::Write as _;
use vortex_kernel::ir::interp::{Events, Memory, Trap, run_items};
use vortex_kernel::ir::{Form, Function, Op, parse, verify};
use vortex_kernel::opt;

const X: u32 = 0x1_0000;
const ELEMENTS: u32 = 40;

/// A function of `x: &mut [u32], w, h, c, columns, rows`, which goes over all `(v10, v11)` below `(columns, rows)`.
fn text(choices: &mut Choices<'_>) -> String {
    let mut body = Body {
        // Columns and rows of the item, then what does not change.
        pool: vec![10, 11, 2, 3, 4, 100, 101, 102],
        next: 200,
        text: String::new(),
    };
    for _ in 0..choices.below(4) {
        body.value(choices);
    }
    let mut guards = Vec::new();
    for _ in 0..choices.below(4) {
        guards.push(body.condition(choices));
    }
    let both = guards
        .into_iter()
        .reduce(|a, b| body.push("bool", &format!("and v{a}, v{b}")));
    let open = both.map(|guard| writeln!(body.text, "if v{guard} {{").is_ok());
    for _ in 0..=choices.below(4) {
        let index = body.value(choices);
        let inside = body.push("bool", &format!("lt v{index}, v1"));
        let pointer = body.fresh();
        writeln!(
            body.text,
            "if v{inside} {{ v{pointer}: ptr<global> = ptradd v0, v{index} * 4\n store v{pointer}+0, v{index} exclusive(0)\n \
             }} else {{ fault index v{index}, v1 }}"
        )
        .unwrap();
    }
    if open.is_some() {
        body.text.push_str("}\n");
    }
    format!(
        "kernel \"k\" (v0: ptr<global> \"x\" arg 0 at 0, v1: u32 \"x.len\" arg 0 at 4, v2: u32 \"w\" arg 1 at 8, v3: u32 \"h\" arg 2 at 12, \
         v4: u32 \"c\" arg 3 at 16, v5: u32 \"columns\" arg 4 at 20, v6: u32 \"rows\" arg 5 at 24) args 28 {{\n\
         v100: u32 = const 0\n v101: u32 = const 1\n v102: u32 = const 3\n\
         while (v11: u32 = v100) {{\n v12: bool = lt v11, v6\n test v12\n\
         while (v10: u32 = v100) {{\n v13: bool = lt v10, v5\n test v13\n{}\
         v14: u32 = add v10, v101\n next v14\n }}\n v15: u32 = add v11, v101\n next v15\n }}\n}}\n",
        body.text
    )
}

struct Body {
    pool: Vec<u32>,
    next: u32,
    text: String,
}

impl Body {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn push(&mut self, ty: &str, op: &str) -> u32 {
        let value = self.fresh();
        writeln!(self.text, "v{value}: {ty} = {op}").unwrap();
        value
    }

    fn condition(&mut self, choices: &mut Choices<'_>) -> u32 {
        let op = choices.pick(&["lt", "gt", "le", "ge", "ne", "eq"]);
        let (a, b) = (choices.pick(&self.pool), choices.pick(&self.pool));
        self.push("bool", &format!("{op} v{a}, v{b}"))
    }

    fn value(&mut self, choices: &mut Choices<'_>) -> u32 {
        let (a, b) = (choices.pick(&self.pool), choices.pick(&self.pool));
        let value = match choices.below(16) {
            0..4 => self.push("u32", &format!("add v{a}, v{b}")),
            4..7 => self.push("u32", &format!("mul v{a}, v{b}")),
            7..10 => self.push("u32", &format!("sub v{a}, v{b}")),
            10 => self.push("u32", &format!("min v{a}, v{b}")),
            11 => self.push("u32", &format!("max v{a}, v{b}")),
            12 => self.push("u32", &format!("div v{a}, v102")),
            13 => self.push("u32", &format!("rem v{a}, v{b}")),
            _ => {
                let less = self.push("u32", &format!("sub v{a}, v101"));
                let none = self.push("bool", &format!("lt v{a}, v101"));
                self.push("u32", &format!("select v{none}, v100, v{less}"))
            }
        };
        self.pool.push(value);
        value
    }
}

fn outcome(f: &Function, arguments: [u32; 6]) -> (Result<Events, Trap>, Memory) {
    let mut memory = Memory::default();
    memory.map(X, vec![0; 4 * ELEMENTS as usize]);
    let [len, w, h, c, columns, rows] = arguments;
    let words = [X, len, w, h, c, columns, rows];
    let args: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let ended = run_items(f, &args, [1, 1, 1], &mut memory, 1_000_000);
    (ended, memory)
}

fn checks(f: &Function) -> usize {
    let mut checks = 0;
    f.body.visit(&mut |inst| {
        checks += usize::from(matches!(&inst.op, Op::If { els, .. } if els.block.is_failure()));
    });
    checks
}

/// For one function, with many arguments; whether checks were tested before a loop.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let mut choices = Choices(bytes);
    let text = text(&mut choices);
    let plain = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&plain, Form::Structured).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut better = plain.clone();
    opt::run(&mut better, opt::Level::Full, &opt::Tuning::default()).unwrap();
    for _ in 0..12 {
        let edge = [
            0,
            1,
            2,
            3,
            4,
            5,
            7,
            1 << 16,
            1 << 31,
            u32::MAX - 1,
            u32::MAX,
        ];
        let size = |choices: &mut Choices<'_>| choices.pick(&edge);
        let (w, h, c) = (size(&mut choices), size(&mut choices), size(&mut choices));
        let len = choices.pick(&[0, 1, 2, 5, 8, 16, 25, ELEMENTS]);
        let (columns, rows) = (choices.below(6) as u32, choices.below(6) as u32);
        let arguments = [len, w, h, c, columns, rows];
        assert!(
            outcome(&plain, arguments) == outcome(&better, arguments),
            "x.len(), w, h, c, columns, rows: {arguments:?}\n{text}\n{better}"
        );
    }
    // A loop is there twice, once without its checks.
    checks(&better) > 0 && better.body.any(&|op| is_without(op))
}

fn is_without(op: &Op) -> bool {
    let Op::If { then, els, .. } = op else {
        return false;
    };
    let loops = |op: &Op| matches!(op, Op::While(_));
    let fails = |op: &Op| matches!(op, Op::Fault { .. });
    then.block.any(&loops) && !then.block.any(&fails) && els.block.any(&fails)
}
