//! Generated kernels, compared with what their items do: where races are excluded, no two items access the same
//! element.

use super::{Launch, own_elements};
use crate::ir::parse;
use std::fmt::Write as _;

const ITEMS: u32 = 8;
const GROUPS: u32 = 2;

/// What is done to an array in local memory, or to an argument.
enum Statement {
    /// At `by * id + at`, in words, or at `by * (id / parts) + id % parts + at`.
    Access {
        local: bool,
        stores: bool,
        by: u32,
        parts: Option<u32>,
        at: u32,
    },
    Barrier,
    /// A barrier in two halves, with this in between.
    Halves(Vec<Statement>),
    /// In items of even number, or else in all if `n` is not 0.
    If {
        divergent: bool,
        then: Vec<Statement>,
        els: Vec<Statement>,
    },
    /// With a number below `n` added, `step` times, to each place.
    Loop {
        step: u32,
        body: Vec<Statement>,
    },
    /// With a number that is halved until it is 0, from half of the items on.
    Tree(Vec<Step>),
}

/// What is done in local memory in an iteration of a tree.
enum Step {
    /// An item's own element, or that which is as many further on as the number says; by items below it, or by all.
    Access {
        stores: bool,
        above: bool,
        below: bool,
    },
    Other(Statement),
}

/// At how many barriers an item has arrived, and how many it has waited at.
type Phase = [u32; 2];

/// An access of an item: when, where, and whether it stores.
type Event = (Phase, bool, u32, bool);

struct Generator {
    state: u64,
    /// Values there are.
    values: u32,
    text: String,
}

impl Generator {
    fn below(&mut self, limit: u32) -> u32 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 40) as u32 % limit
    }

    fn statements(&mut self, depth: u32, uniform: bool) -> Vec<Statement> {
        let count = 1 + self.below(4);
        (0..count).map(|_| self.statement(depth, uniform)).collect()
    }

    fn statement(&mut self, depth: u32, uniform: bool) -> Statement {
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 | 1 if uniform && self.below(3) == 0 => {
                Statement::Halves(self.statements(depth.min(1), false))
            }
            0 | 1 if uniform => Statement::Barrier,
            5 => {
                let divergent = self.below(2) == 0;
                let uniform = uniform && !divergent;
                Statement::If {
                    divergent,
                    then: self.statements(depth - 1, uniform),
                    els: self.statements(depth - 1, uniform),
                }
            }
            6..=8 => Statement::Loop {
                step: [0, 1, 8][self.below(3) as usize],
                body: self.statements(depth - 1, uniform),
            },
            _ => Statement::Access {
                local: self.below(3) != 0,
                stores: self.below(2) == 0,
                by: [0, 1, 1, 1, 2, 4][self.below(6) as usize],
                parts: [None, None, Some(2), Some(4)][self.below(4) as usize],
                at: [0, 0, 0, 1][self.below(4) as usize],
            },
        }
    }

    /// A tree, mostly.
    fn tree(&mut self) -> Statement {
        let mut steps: Vec<Step> = (0..1 + self.below(3)).map(|_| self.step()).collect();
        if self.below(4) != 0 {
            steps.push(Step::Other(Statement::Barrier));
        }
        if self.below(8) == 0 {
            steps.push(self.step());
        }
        Statement::Tree(steps)
    }

    fn step(&mut self) -> Step {
        match self.below(12) {
            0 => Step::Other(self.statement(1, true)),
            1 => Step::Other(Statement::Barrier),
            kind => Step::Access {
                stores: kind % 2 == 0,
                above: kind % 2 != 0,
                below: self.below(8) != 0,
            },
        }
    }

    fn print_step(&mut self, step: &Step, half: u32, added: Option<u32>) {
        let (stores, above, below) = match step {
            Step::Other(statement) => {
                return self.print(std::slice::from_ref(statement), added);
            }
            Step::Access {
                stores,
                above,
                below,
            } => (stores, above, below),
        };
        let [condition, sum, ptr, loaded] = [(); 4].map(|()| self.value());
        let _ = writeln!(self.text, "v{condition}: bool = lt v2, v{half}");
        if *below {
            let _ = writeln!(self.text, "if v{condition} {{");
        }
        let _ = writeln!(self.text, "v{sum}: u32 = add v2, v{half}");
        let place = if *above { sum } else { 2 };
        let _ = writeln!(self.text, "v{ptr}: ptr<local> = ptradd v3, v{place} * 4");
        let _ = match stores {
            true => writeln!(self.text, "store v{ptr}+0, v4 local(0)"),
            false => writeln!(self.text, "v{loaded}: u32 = load v{ptr}+0 local(0)"),
        };
        if *below {
            self.text.push_str("}\n");
        }
    }

    fn value(&mut self) -> u32 {
        self.values += 1;
        self.values - 1
    }

    /// `added` is what loops add.
    fn print(&mut self, statements: &[Statement], added: Option<u32>) {
        for statement in statements {
            match statement {
                Statement::Barrier => self.text.push_str("barrier\n"),
                Statement::Halves(between) => {
                    let token = self.value();
                    let _ = writeln!(self.text, "v{token}: u32 = barrier_arrive");
                    self.print(between, added);
                    let _ = writeln!(self.text, "barrier_wait v{token}");
                }
                Statement::Access {
                    local,
                    stores,
                    by,
                    parts,
                    at,
                } => {
                    let [factor, product, rest, offset, sum, place, ptr] =
                        [(); 7].map(|()| self.value());
                    // Global places go by the item's number in the launch.
                    let (id, base, space, alias) = match local {
                        true => (2, 3, "local", "local(0)"),
                        false => (1, 0, "global", "exclusive(0)"),
                    };
                    let more = added.unwrap_or(5);
                    let _ = writeln!(self.text, "v{factor}: u32 = const {by}");
                    let _ = match parts {
                        Some(parts) => {
                            let [divisor, quotient, scaled] = [(); 3].map(|()| self.value());
                            write!(
                                self.text,
                                "v{divisor}: u32 = const {parts}\nv{quotient}: u32 = div v{id}, v{divisor}\n\
                                 v{scaled}: u32 = mul v{quotient}, v{factor}\n\
                                 v{rest}: u32 = rem v{id}, v{divisor}\nv{product}: u32 = add v{scaled}, v{rest}\n"
                            )
                        }
                        None => writeln!(self.text, "v{product}: u32 = mul v{id}, v{factor}"),
                    };
                    let _ = write!(
                        self.text,
                        "v{offset}: u32 = const {at}\nv{sum}: u32 = add v{product}, v{offset}\n\
                         v{place}: u32 = add v{sum}, v{more}\nv{ptr}: ptr<{space}> = ptradd v{base}, v{place} * 4\n"
                    );
                    match stores {
                        true => {
                            let _ = writeln!(self.text, "store v{ptr}+0, v4 {alias}");
                        }
                        false => {
                            let loaded = self.value();
                            let _ = writeln!(self.text, "v{loaded}: u32 = load v{ptr}+0 {alias}");
                        }
                    }
                }
                Statement::If {
                    divergent,
                    then,
                    els,
                } => {
                    let _ = writeln!(self.text, "if v{} {{", if *divergent { 8 } else { 9 });
                    self.print(then, added);
                    self.text.push_str("} else {\n");
                    self.print(els, added);
                    self.text.push_str("}\n");
                }
                Statement::Loop { step, body } => {
                    let [k, test, factor, product, sum, next] = [(); 6].map(|()| self.value());
                    let _ = write!(
                        self.text,
                        "while (v{k}: u32 = v5) {{\nv{test}: bool = lt v{k}, v4\ntest v{test}\n\
                         v{factor}: u32 = const {step}\nv{product}: u32 = mul v{k}, v{factor}\n\
                         v{sum}: u32 = add v{product}, v{}\n",
                        added.unwrap_or(5)
                    );
                    self.print(body, Some(sum));
                    let _ = writeln!(self.text, "v{next}: u32 = add v{k}, v6\nnext v{next}\n}}");
                }
                Statement::Tree(steps) => {
                    let [count, first, half, test, next] = [(); 5].map(|()| self.value());
                    let _ = write!(
                        self.text,
                        "v{count}: u32 = id local_count\nv{first}: u32 = shr v{count}, v6\n\
                         while (v{half}: u32 = v{first}) {{\nv{test}: bool = gt v{half}, v5\ntest v{test}\n"
                    );
                    for step in steps {
                        self.print_step(step, half, added);
                    }
                    let _ = writeln!(
                        self.text,
                        "v{next}: u32 = shr v{half}, v6\nnext v{next}\n}}"
                    );
                }
            }
        }
    }
}

/// What an item does.
fn run(
    statements: &[Statement],
    item: [u32; 2],
    n: u32,
    added: u32,
    phase: &mut Phase,
    events: &mut Vec<Event>,
) {
    let [group, lane] = item;
    for statement in statements {
        match statement {
            Statement::Barrier => *phase = phase.map(|barriers| barriers + 1),
            Statement::Halves(between) => {
                phase[0] += 1;
                run(between, item, n, added, phase, events);
                phase[1] += 1;
            }
            Statement::Access {
                local,
                stores,
                by,
                parts,
                at,
            } => {
                let id = if *local { lane } else { group * ITEMS + lane };
                let own = parts.map_or(by * id, |parts| by * (id / parts) + id % parts);
                events.push((*phase, *local, own + at + added, *stores));
            }
            Statement::If {
                divergent,
                then,
                els,
            } => {
                let holds = if *divergent { lane % 2 == 0 } else { n != 0 };
                run(
                    if holds { then } else { els },
                    item,
                    n,
                    added,
                    phase,
                    events,
                );
            }
            Statement::Loop { step, body } => {
                for k in 0..n {
                    run(body, item, n, added + k * step, phase, events);
                }
            }
            Statement::Tree(steps) => {
                let mut half = ITEMS / 2;
                while half > 0 {
                    for step in steps {
                        match step {
                            Step::Other(statement) => {
                                let statement = std::slice::from_ref(statement);
                                run(statement, item, n, added, phase, events);
                            }
                            Step::Access {
                                stores,
                                above,
                                below,
                            } => {
                                if !below || lane < half {
                                    let place = if *above { lane + half } else { lane };
                                    events.push((*phase, true, place, *stores));
                                }
                            }
                        }
                    }
                    half /= 2;
                }
            }
        }
    }
}

/// Whether two items meet.
fn race(statements: &[Statement], n: u32) -> bool {
    let mut all = Vec::new();
    for group in 0..GROUPS {
        for lane in 0..ITEMS {
            let mut events = Vec::new();
            run(statements, [group, lane], n, 0, &mut [0; 2], &mut events);
            all.extend(events.into_iter().map(|event| ([group, lane], event)));
        }
    }
    // What was done before an item arrived is done when another one has waited.
    let at_once = |x: Phase, y: Phase| x[0] >= y[1] && y[0] >= x[1];
    let meet = |(a, x): &([u32; 2], Event), (b, y): &([u32; 2], Event)| {
        let together = if x.1 {
            a[0] == b[0] && at_once(x.0, y.0)
        } else {
            a[0] != b[0] || at_once(x.0, y.0)
        };
        a != b && together && (x.1, x.2) == (y.1, y.2) && (x.3 || y.3)
    };
    all.iter()
        .enumerate()
        .any(|(at, x)| all[..at].iter().any(|y| meet(x, y)))
}

/// Holds what is proved of generated kernels against what they do: how many are proved, race, and neither.
fn compare(generated: impl Fn(&mut Generator) -> Vec<Statement>) -> [u32; 3] {
    let (mut proved, mut racing, mut missed) = (0, 0, 0);
    for seed in 0..6000 {
        let mut generator = Generator {
            state: seed,
            values: 10,
            text: String::new(),
        };
        let statements = generated(&mut generator);
        generator.print(&statements, None);
        let text = format!(
            "kernel \"k\" (v0: ptr<global> \"p\" arg 0 at 0, v4: u32 \"n\" arg 1 at 8) args 12 {{\n\
             local l0 \"[u32; 64]\" size 256 align 4\n\
             v1: u32 = id linear\nv2: u32 = id local_linear\nv3: ptr<local> = local_addr l0\n\
             v5: u32 = const 0\nv6: u32 = const 1\nv7: u32 = and v2, v6\nv8: bool = eq v7, v5\nv9: bool = ne v4, v5\n{}}}",
            generator.text
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let own = own_elements(&function);
        for n in 0..4u32 {
            let args = [0x1000, 64, n].map(u32::to_le_bytes).concat();
            let launch = Launch {
                args: &args,
                size: [ITEMS * GROUPS, 1, 1],
                block: [ITEMS, 1, 1],
            };
            let is_proved = own.is_all(&launch);
            let races = race(&statements, n);
            assert!(!(is_proved && races), "seed {seed}, n = {n}:\n{text}");
            proved += u32::from(is_proved);
            racing += u32::from(races);
            missed += u32::from(!is_proved && !races);
        }
    }
    [proved, racing, missed]
}

#[test]
fn what_is_proved_does_not_race() {
    let [proved, racing, missed] = compare(|generator| generator.statements(3, true));
    // It proves most of what there is to prove, and there is much that it must not.
    assert!(proved > 4000 && racing > 4000, "{proved} {racing} {missed}");
    assert!(missed < proved, "{proved} {racing} {missed}");
}

#[test]
fn what_is_proved_of_trees_does_not_race() {
    let [proved, racing, missed] = compare(|generator| {
        let mut statements = vec![generator.tree()];
        if generator.below(2) == 0 {
            let barrier = [Statement::Barrier, generator.tree()];
            statements.splice(0..0, barrier);
        }
        statements
    });
    assert!(proved > 2000 && racing > 4000, "{proved} {racing} {missed}");
    assert!(missed < racing, "{proved} {racing} {missed}");
}
