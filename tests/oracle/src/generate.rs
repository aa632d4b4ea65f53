//! Kernels as text: programs of a few statements, of all that integers, floats, branches, loops, arrays, tuples,
//! options, closures, local memory and barriers can be made into. None of them fails, and none has a data race.

use std::fmt::Write as _;

/// As many kernels, and a list of them.
pub(crate) fn kernels(seed: u64, count: u64) -> String {
    let mut text = String::new();
    for number in 0..count {
        let mut kernel = Generator::new(seed, number);
        kernel.write();
        text += &kernel.text;
    }
    text += "pub(crate) const KERNELS: &[Twins] = &[\n";
    for number in 0..count {
        let _ = writeln!(text, "    twins!(k{number}, {}),", in_groups(number));
    }
    text + "];\n"
}

/// Every third kernel has groups.
const fn in_groups(number: u64) -> bool {
    number % 3 == 2
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    U32,
    I32,
    F32,
    Bool,
    U64,
    U8,
}

use Type::{Bool, F32, I32, U8, U32, U64};

impl Type {
    const ALL: [Self; 6] = [U32, I32, F32, Bool, U64, U8];

    const fn name(self) -> &'static str {
        match self {
            U32 => "u32",
            I32 => "i32",
            F32 => "f32",
            Bool => "bool",
            U64 => "u64",
            U8 => "u8",
        }
    }
}

struct Generator {
    state: u64,
    number: u64,
    text: String,
    depth: usize,
    /// Names in scope, their types, and whether they can be assigned to.
    names: Vec<(String, Type, bool)>,
    /// How many loops are around; how many names there have been.
    loops: usize,
    fresh: usize,
    groups: bool,
}

impl Generator {
    fn new(seed: u64, number: u64) -> Self {
        let state = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ number.wrapping_mul(0xd134_2543_de82_ef95))
            | 1;
        let mut this = Self {
            state,
            number,
            text: String::new(),
            depth: 0,
            names: Vec::new(),
            loops: 0,
            fresh: 0,
            groups: in_groups(number),
        };
        (0..8).for_each(|_| _ = this.below(2));
        this
    }

    /// Any number below this one.
    fn below(&mut self, n: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % n
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    fn line(&mut self, line: &str) {
        self.text += &"    ".repeat(self.depth);
        self.text += line;
        self.text += "\n";
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    fn write(&mut self) {
        self.line("#[vortex::kernel(host)]");
        let head = format!(
            "fn k{}(x: &[u32], f: &[f32], y: &mut [u32], g: &mut [f32]) {{",
            self.number
        );
        self.line(&head);
        self.depth = 1;
        self.line("let i = global_id();");
        self.line("let mut a = x[i];");
        self.line("let mut b = x[(i + 1) % x.len()] as i32;");
        self.line("let mut c = f[i];");
        self.line("let mut d = a % 3 == 0;");
        self.line("let mut e = (a as u64) << 20 | 77;");
        for (name, ty) in [("a", U32), ("b", I32), ("c", F32), ("d", Bool), ("e", U64)] {
            self.names.push((name.to_owned(), ty, true));
        }
        if self.groups {
            self.line("let n = local_id();");
            self.line("let tile = local::<[u32; 8]>();");
            self.line("let other = local::<[f32; 8]>();");
        }
        for _ in 0..=self.below(3) {
            self.statements(3);
            if self.groups {
                self.exchange();
            }
        }
        if !self.groups && self.below(3) == 0 {
            let condition = self.expr(Bool, 2);
            self.line(&format!("if {condition} {{"));
            self.line("    y[i] = a ^ 1;");
            self.line("    return;");
            self.line("}");
        }
        let (word, float) = (self.expr(U32, 3), self.expr(F32, 3));
        self.line(&format!(
            "y[i] = {word} ^ a ^ (b as u32) ^ (e as u32) ^ ((e >> 32) as u32) ^ (d as u32);"
        ));
        self.line(&format!("g[i] = {float} + c;"));
        self.depth = 0;
        self.line("}\n");
    }

    /// What items of a group tell each other.
    fn exchange(&mut self) {
        let shift = self.below(8);
        let word = self.expr(U32, 2);
        self.line(&format!("tile[n] = {word};"));
        self.line("other[n] = c;");
        self.all_come();
        self.line(&format!("a = a.wrapping_add(tile[(n + {shift}) % 8]);"));
        self.line("c += other[7 - n];");
        match self.below(4) {
            0 => self.line("e ^= group::reduce_add(a) as u64;"),
            1 => self.line("b = group::inclusive_max(b);"),
            2 => {
                self.line("barrier();");
                self.line("tile.atomic(a as usize % 8).fetch_xor(a, Relaxed);");
            }
            _ => {}
        }
        self.all_come();
    }

    /// A barrier, or both halves of one with something else in between.
    fn all_come(&mut self) {
        if self.below(2) == 0 {
            self.line("barrier();");
            return;
        }
        let token = self.name();
        self.line(&format!("let {token} = barrier::arrive();"));
        let word = self.expr(U32, 2);
        self.line(&format!("a ^= {word};"));
        self.line(&format!("{token}.wait();"));
    }

    /// Statements in a block of their own.
    fn statements(&mut self, budget: u64) {
        let known = self.names.len();
        for _ in 0..=self.below(4) {
            self.statement(budget);
        }
        // What the block above declares is not seen outside of it.
        if self.depth > 1 {
            self.names.truncate(known);
        }
    }

    fn block(&mut self, head: &str, budget: u64, first: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        if !first.is_empty() {
            self.line(first);
        }
        self.statements(budget.saturating_sub(1));
        self.depth -= 1;
        self.line("}");
    }

    fn assigned(&mut self) -> (String, Type) {
        let names: Vec<_> = self.names.iter().filter(|(.., changes)| *changes).collect();
        let (name, ty, _) = names[self.state as usize % names.len()];
        let found = (name.clone(), *ty);
        self.below(2);
        found
    }

    fn statement(&mut self, budget: u64) {
        let kind = match budget {
            0 => self.below(6),
            _ => self.below(15),
        };
        match kind {
            0..=2 => {
                let (name, ty) = self.assigned();
                let value = self.expr(ty, 3);
                self.line(&format!("{name} = {value};"));
            }
            3 => {
                let (ty, name, changes) =
                    (self.one_of(&Type::ALL), self.name(), self.below(2) == 0);
                let value = self.expr(ty, 2);
                let mutable = if changes { "mut " } else { "" };
                self.line(&format!("let {mutable}{name}: {} = {value};", ty.name()));
                self.names.push((name, ty, changes));
            }
            4 => {
                let (value, name) = (self.expr(F32, 2), self.name());
                let (left, right) = (self.expr(U32, 1), self.expr(I32, 1));
                self.line(&format!(
                    "let ({name}, {name}b, {name}c) = ({value}, {left}, {right});"
                ));
                self.names.push((name.clone(), F32, false));
                self.names.push((format!("{name}b"), U32, false));
                self.names.push((format!("{name}c"), I32, false));
            }
            5 => {
                let (name, value) = (self.name(), self.expr(U32, 2));
                let index = self.expr(U32, 2);
                self.line(&format!(
                    "let {name} = x.get({index} as usize % 40).copied().unwrap_or({value});"
                ));
                self.names.push((name, U32, false));
            }
            6 | 7 => {
                let condition = self.expr(Bool, 2);
                self.block(&format!("if {condition}"), budget, "");
                if self.below(2) == 0 {
                    self.block("else", budget, "");
                }
            }
            8 => {
                let (index, end) = (self.name(), self.below(5) + 1);
                let bound = self.expr(U32, 1);
                self.names.push((index.clone(), U32, false));
                self.in_loop(&format!("for {index} in 0..{bound} % {end}"), budget, "");
                self.names.retain(|(name, ..)| *name != index);
            }
            9 => {
                let (count, end) = (self.name(), self.below(6) + 1);
                self.line(&format!("let mut {count} = 0;"));
                let condition = self.expr(Bool, 1);
                let turn = format!("{count} += 1;");
                self.in_loop(
                    &format!("while {count} < {end} && {condition}"),
                    budget,
                    &turn,
                );
            }
            10 => {
                let (count, end) = (self.name(), self.below(6) + 1);
                self.line(&format!("let mut {count} = 0u32;"));
                let leave = format!("{count} += 1; if {count} > {end} {{ break; }}");
                self.in_loop("loop", budget, &leave);
            }
            11 => {
                let (value, most) = (self.expr(U32, 2), self.below(3) + 2);
                self.line(&format!("match {value} % {most} {{"));
                self.depth += 1;
                for arm in 0..most - 1 {
                    let pattern = if arm == 0 {
                        "0 | 7 =>".to_owned()
                    } else {
                        format!("{arm} =>")
                    };
                    self.block(&pattern, budget, "");
                }
                self.block("_ =>", budget, "");
                self.depth -= 1;
                self.line("}");
            }
            12 => {
                let name = self.name();
                let parts: Vec<_> = (0..4).map(|_| self.expr(U32, 1)).collect();
                self.line(&format!("let mut {name} = [{}];", parts.join(", ")));
                let (index, value) = (self.expr(U32, 1), self.expr(U32, 2));
                self.line(&format!("{name}[{index} as usize % 4] ^= {value};"));
                let by = self.expr(U32, 1);
                self.line(&format!(
                    "a ^= {name}[{by} as usize % 4].wrapping_add({name}[1]);"
                ));
                if self.below(2) == 0 {
                    self.line(&format!(
                        "a = {name}.iter().fold(a, |s, v| s.rotate_left(3) ^ v);"
                    ));
                }
            }
            13 => {
                let (name, body) = (self.name(), self.below(3));
                let body = [
                    "p.wrapping_mul(5) ^ q",
                    "p.max(q) - p.min(q)",
                    "if p > q { p } else { q >> 1 }",
                ][body as usize];
                self.line(&format!("let {name} = |p: u32, q: u32| {body};"));
                let (left, right) = (self.expr(U32, 2), self.expr(U32, 1));
                self.line(&format!("a = {name}(a, {name}({left}, {right}));"));
            }
            _ => match self.loops {
                0 => self.line("d = !d;"),
                _ => {
                    let (condition, jump) =
                        (self.expr(Bool, 2), self.one_of(&["break", "continue"]));
                    self.line(&format!("if {condition} {{ {jump}; }}"));
                }
            },
        }
    }

    fn in_loop(&mut self, head: &str, budget: u64, first: &str) {
        self.loops += 1;
        self.block(head, budget, first);
        self.loops -= 1;
    }

    fn expr(&mut self, ty: Type, budget: u64) -> String {
        if budget == 0 || self.below(5) == 0 {
            return self.leaf(ty);
        }
        let budget = budget - 1;
        if self.below(9) == 0 {
            let condition = self.expr(Bool, budget);
            let (yes, no) = (self.expr(ty, budget), self.expr(ty, budget));
            return format!("(if {condition} {{ {yes} }} else {{ {no} }})");
        }
        match ty {
            Bool => self.condition(budget),
            F32 => self.float(budget),
            _ => self.integer(ty, budget),
        }
    }

    fn condition(&mut self, budget: u64) -> String {
        let of = self.one_of(&[U32, I32, F32, U64, Bool]);
        let (left, right) = (self.expr(of, budget), self.expr(of, budget));
        let op = match of {
            Bool => self.one_of(&["&&", "||", "^", "&", "==", "!="]),
            _ => self.one_of(&["<", "<=", ">", ">=", "==", "!="]),
        };
        format!("({left} {op} {right})")
    }

    fn float(&mut self, budget: u64) -> String {
        let (left, right) = (self.expr(F32, budget), self.expr(F32, budget));
        match self.below(9) {
            // Rust leaves open which zero is the lesser: the sum is the same of both.
            0 => format!("({left}.min({right}) + 0.0)"),
            1 => format!("{left}.abs().sqrt()"),
            2 => format!("{left}.mul_add({right}, 0.5)"),
            3 => {
                let from = self.one_of(&[U32, I32, U8, U64]);
                let value = self.expr(from, budget);
                format!("({value} as f32)")
            }
            4 => format!("{left}.floor()"),
            5 => format!("(-{left})"),
            _ => format!("({left} {} {right})", self.one_of(&["+", "-", "*", "/"])),
        }
    }

    fn integer(&mut self, ty: Type, budget: u64) -> String {
        let (left, right) = (self.expr(ty, budget), self.expr(ty, budget));
        let amount = self.below(8);
        match self.below(12) {
            0 | 1 => format!("{left}.wrapping_add({right})"),
            2 => format!("{left}.wrapping_sub({right})"),
            3 => format!("{left}.wrapping_mul({right})"),
            4 => format!(
                "{left}.{}({right})",
                self.one_of(&["min", "max", "saturating_add", "saturating_sub"])
            ),
            5 => format!("({left} {} {right})", self.one_of(&["&", "|", "^"])),
            6 => format!("({left} {} {amount})", self.one_of(&["<<", ">>"])),
            7 => format!(
                "{left}.{}({right} | 1)",
                self.one_of(&["wrapping_div", "wrapping_rem"])
            ),
            8 => format!(
                "{left}.rotate_{}({amount})",
                self.one_of(&["left", "right"])
            ),
            9 => format!(
                "(({left}.count_ones() + {right}.leading_zeros()) as {})",
                ty.name()
            ),
            _ => {
                let from = self.one_of(&Type::ALL);
                let value = self.expr(from, budget);
                // Rust has no cast of a number to itself that clippy or a reader would miss.
                format!("({value} as {})", ty.name())
            }
        }
    }

    fn leaf(&mut self, ty: Type) -> String {
        let known: Vec<_> = self
            .names
            .iter()
            .filter(|(_, of, _)| *of == ty)
            .map(|(name, ..)| name.clone())
            .collect();
        if !known.is_empty() && self.below(3) > 0 {
            return known[self.below(known.len() as u64) as usize].clone();
        }
        match ty {
            Bool => self.one_of(&["true", "false", "d"]).to_owned(),
            F32 => self
                .one_of(&[
                    "1.5f32",
                    "(-0.25f32)",
                    "c",
                    "f[i]",
                    "1e10f32",
                    "0.0f32",
                    "f32::MAX",
                ])
                .to_owned(),
            U32 => self
                .one_of(&[
                    "7u32",
                    "0u32",
                    "a",
                    "x[i]",
                    "(i as u32)",
                    "u32::MAX",
                    "0x8000_0001u32",
                ])
                .to_owned(),
            I32 => self
                .one_of(&["(-3i32)", "0i32", "b", "i32::MIN", "100i32", "(i as i32)"])
                .to_owned(),
            U64 => self
                .one_of(&["5u64", "e", "u64::MAX", "0x1_0000_0000u64"])
                .to_owned(),
            U8 => self.one_of(&["3u8", "255u8", "0u8"]).to_owned(),
        }
    }
}
