//! Conditions about the same values, numbers that conditions decide, and what is asked of these: `simplify` makes them
//! fewer, and each keeps what it says of numbers at the edges and of NaNs.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use vortex_kernel::ir::interp::{Memory, run_items};
use vortex_kernel::ir::{Form, Function, Op, parse, verify};
use vortex_kernel::opt::simplify;

const OUT: u32 = 0x1000;
const OPS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

/// A function in the making: what it says so far, and what it has of conditions and of bytes.
struct Text {
    lines: String,
    next: u32,
    stored: u32,
}

impl Text {
    fn new() -> Self {
        Self {
            lines: String::new(),
            next: 4,
            stored: 0,
        }
    }

    /// A value `op` of type `ty`.
    fn value(&mut self, ty: &str, op: &str) -> String {
        let name = format!("v{}", self.next);
        self.next += 1;
        writeln!(self.lines, "  {name}: {ty} = {op}").unwrap();
        name
    }

    fn store(&mut self, value: &str) {
        writeln!(self.lines, "  store v0+{}, {value} any", self.stored).unwrap();
        self.stored += 1;
    }

    /// The function, of two values of type `ty` and a condition.
    fn function(&self, ty: &str) -> Function {
        let text = format!(
            "kernel \"k\" (v0: ptr<global> \"y\" arg 0 at 0, v1: {ty} \"a\" arg 1 at 4, \
             v2: {ty} \"b\" arg 2 at 8, v3: bool \"c\" arg 3 at 12) args 16 {{\n{}}}\n",
            self.lines
        );
        let function = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        verify(&function, Form::Structured).unwrap_or_else(|e| panic!("{e}\n{text}"));
        function
    }
}

/// What a function stores of all pairs of edges.
fn stored(function: &Function, bytes: u32) -> Vec<Vec<u8>> {
    let edges = [
        0,
        1,
        7,
        f32::NAN.to_bits(),
        1.5_f32.to_bits(),
        0x8000_0000,
        u32::MAX,
    ];
    let pairs = edges.iter().flat_map(|a| edges.map(|b| (*a, b)));
    let cases = pairs.flat_map(|(a, b)| [0, 1].map(|c| [OUT, a, b, c]));
    let run = |words: [u32; 4]| {
        let mut memory = Memory::default();
        memory.map(OUT, vec![0xaa; bytes as usize]);
        let args: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        run_items(function, &args, [1; 3], &mut memory, 100_000).unwrap();
        memory.region(OUT).unwrap().to_vec()
    };
    cases.map(run).collect()
}

fn keeps_what_it_says(text: &Text, ty: &str) -> Function {
    let before = text.function(ty);
    let mut after = before.clone();
    for _ in 0..2 {
        simplify(&mut after);
        verify(&after, Form::Structured).unwrap_or_else(|e| panic!("{e}\n{before}\n{after}"));
        let [wanted, found] = [&before, &after].map(|f| stored(f, text.stored));
        assert!(wanted == found, "{before}\n{after}");
    }
    after
}

const TYPES: [&str; 3] = ["u32", "i32", "f32"];

/// Any two comparisons, either way round, under any operation; of integers one is left.
#[test]
fn two_comparisons_of_the_same_values_are_one() {
    for ty in TYPES {
        let mut text = Text::new();
        for (p, q) in OPS.iter().flat_map(|p| OPS.map(|q| (*p, q))) {
            for operands in ["v1, v2", "v2, v1"] {
                let p = text.value("bool", &format!("{p} v1, v2"));
                let q = text.value("bool", &format!("{q} {operands}"));
                let third = text.value("bool", "eq v2, v1");
                let operations = ["and", "or", "xor"].into_iter().chain(OPS);
                for op in operations.map(|op| format!("{op} {p}, {q}")) {
                    let result = text.value("bool", &op);
                    text.store(&result);
                }
                for op in [format!("{p}, {q}, {third}"), format!("{p}, {third}, {q}")] {
                    let result = text.value("bool", &format!("select {op}"));
                    text.store(&result);
                }
            }
        }
        let after = keeps_what_it_says(&text, ty);
        if ty != "f32" {
            after.body.visit(&mut |inst| {
                let is_simple =
                    matches!(inst.op, Op::Compare(..) | Op::Const(_) | Op::Store { .. });
                assert!(is_simple, "{:?}", inst.op);
            });
        }
    }
}

/// All that can be asked of `a.cmp(&b)`: of integers, one comparison answers.
#[test]
fn what_is_asked_of_an_order_is_a_comparison() {
    for ty in TYPES {
        let mut text = Text::new();
        let greater = text.value("bool", "gt v1, v2");
        let less = text.value("bool", "lt v1, v2");
        let [greater, less] = [greater, less].map(|bit| text.value("i8", &format!("cast {bit}")));
        let order = text.value("i8", &format!("sub {greater}, {less}"));
        let backwards = text.value("i8", &format!("neg {order}"));
        let wide = text.value("i32", &format!("cast {order}"));
        let unsigned = text.value("u32", &format!("cast {order}"));
        for (value, ty) in [
            (order, "i8"),
            (backwards, "i8"),
            (wide, "i32"),
            (unsigned, "u32"),
        ] {
            for constant in [-2, -1, 0, 1, 2, 127] {
                let constant = match ty {
                    "u32" => i64::from(i32::cast_unsigned(constant)),
                    _ => i64::from(constant),
                };
                let constant = text.value(ty, &format!("const {constant}"));
                for op in OPS {
                    let result = text.value("bool", &format!("{op} {value}, {constant}"));
                    text.store(&result);
                }
            }
        }
        let after = keeps_what_it_says(&text, ty);
        after.body.visit(&mut |inst| match inst.op {
            Op::Compare(_, a, _) if ty != "f32" => {
                assert!(!after.ty(a).is_int() || after.ty(a).bits() == 32, "{after}");
            }
            _ => {}
        });
    }
}

/// Random operations on conditions and on numbers that they decide.
#[test]
fn random_operations_keep_what_they_say() {
    for seed in 0..600_u32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        let mut below = |n: usize| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as usize % n
        };
        let ty = TYPES[seed as usize % 3];
        let mut text = Text::new();
        let mut bools = vec!["v3".to_owned()];
        let mut bytes: Vec<String> = Vec::new();
        for constant in [-1, 0, 1] {
            bytes.push(text.value("i8", &format!("const {constant}")));
        }
        for op in ["gt v1, v2", "lt v1, v2", "eq v2, v1"] {
            bools.push(text.value("bool", op));
        }
        for _ in 0..40 {
            let [p, q, r] = [(); 3].map(|()| bools[below(bools.len())].clone());
            let [x, y] = [(); 2].map(|()| bytes[below(bytes.len())].clone());
            let op = OPS[below(6)];
            match below(8) {
                0 => bools.push(text.value("bool", &format!("{op} v1, v2"))),
                1 => bools.push(text.value("bool", &format!("not {p}"))),
                2 => {
                    let op = ["and", "or", "xor"][below(3)];
                    bools.push(text.value("bool", &format!("{op} {p}, {q}")));
                }
                3 => bools.push(text.value("bool", &format!("select {p}, {q}, {r}"))),
                4 => {
                    let [p, q] = [p, q].map(|bit| text.value("i8", &format!("cast {bit}")));
                    bytes.push(text.value("i8", &format!("sub {p}, {q}")));
                }
                5 => bytes.push(text.value("i8", &format!("select {p}, {x}, {y}"))),
                6 => bytes.push(text.value("i8", &format!("neg {x}"))),
                _ => {
                    let constant = text.value("i8", &format!("const {}", below(4) as i32 - 2));
                    bools.push(text.value("bool", &format!("{op} {x}, {constant}")));
                }
            }
        }
        for value in bools.iter().chain(&bytes) {
            text.store(value);
        }
        keeps_what_it_says(&text, ty);
    }
}
