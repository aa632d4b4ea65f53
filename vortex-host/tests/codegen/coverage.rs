//! Generated kernels contain all that kernels of users can.
//!
//! What can be in a kernel is asked of the verifier: it is given every operation with every type, and what it takes is
//! wanted. What no kernel of a user comes to is on a list, with the reason.

use super::case;
use super::generate::SCALARS;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};
use vortex_kernel::ir::{
    Alias, Arm, AtomicOp, BinOp, Block, Builder, CmpOp, DataId, DataObject, FaultKind, Form,
    Function, Id, Inst, Loc, LocalId, MemoryObject, Message, MessageId, Op, Order, PrivateId,
    Render, Scope, SourceLoc, Space, Stream, Type, UnOp, Value, Var, WarpOp, verify,
};

/// The values of an enum; a new one does not compile until it is here.
macro_rules! all {
    ($name:ident: $ty:ident, $($variant:ident)*) => {
        const $name: &[$ty] = {
            const fn _complete(value: $ty) {
                match value {
                    $($ty::$variant => {})*
                }
            }
            &[$($ty::$variant),*]
        };
    };
}

all!(UN_OPS: UnOp, Neg Not Abs Sqrt Floor Ceil Trunc Round RoundEven);
all!(BIN_OPS: BinOp, Add Sub Mul MulHigh Div Rem And Or Xor Shl Shr Min Max CopySign FlipSign);
all!(CMP_OPS: CmpOp, Eq Ne Lt Le Gt Ge);
all!(ATOMIC_OPS: AtomicOp, Load Store Add Sub And Or Xor Min Max Exchange CompareExchange FloatAdd);
all!(ORDERS: Order, Relaxed Acquire Release AcqRel SeqCst);
all!(SCOPES: Scope, Group Device);
all!(SPACES: Space, Private Global Constant Local);
all!(KINDS: FaultKind, Index Texel Element Pages DivideByZero DivideOverflow StepByZero Unwrap Overflow Panic
    Range RangeStart Split Lengths ZeroChunks ZeroWindows);

/// Names of the variants of an enum whose variants have values; likewise.
macro_rules! names {
    ($name:ident: $ty:ident, $($variant:ident)*) => {
        fn $name(value: &$ty) -> &'static str {
            match value {
                $($ty::$variant { .. } => stringify!($variant),)*
            }
        }
        impl Named for $ty {
            const NAMES: &[&str] = &[$(stringify!($variant)),*];
        }
    };
}

trait Named {
    const NAMES: &[&str];
}

names!(op_name: Op, Const Unary Binary Compare Select MulAdd Cast Bitcast PtrAdd Load Store Atomic Id Clock Csr LocalAddr PrivateAddr
    DataAddr Barrier BarrierArrive BarrierWait Fence Meet Arrive Await Warp NarrowMask Assume Fault Panic Record Print If While Loop Scope VarGet VarSet Break Continue Return);
names!(alias_name: Alias, Any Launch Shared Exclusive Local Private Data Unknown Exchange);
names!(warp_name: WarpOp, Active All Any Uniform Ballot Shuffle Broadcast Reduce Scan ScanBefore Read);
names!(id_name: Id, GlobalLinear Global GlobalCount GlobalSize LocalLinear Local LocalCount LocalSize GroupLinear Group GroupCount Groups
    Lane Warp Core Lanes Warps Cores);

/// What the verifier takes and no user's kernel comes to: how it begins, and why.
const NEVER: &[(&str, &str)] = &[
    ("Csr", "only the entry reads the hart"),
    ("Meet", "barriers become it in the entry"),
    ("Arrive", "first halves of barriers become it in the entry"),
    ("Await", "second halves of barriers become it in the entry"),
    ("NarrowMask", "only the entry has lanes without an item"),
    ("Record", "failures become it in the entry"),
    ("Assume", "passes and the entry state what they know"),
    ("While", "loops become it when they are structured"),
    ("Alias Launch", "only the entry reads the launch block"),
    ("Alias Exchange", "stands for shuffles where there are none"),
    ("Alias Shared written", "shared slices are read"),
    ("Alias Data written", "constants are read"),
    ("Warp Read", "shuffles become it"),
    ("Load bool", "memory holds a byte"),
    ("Fault Panic", "it is an operation of its own"),
    ("Panic i64", "messages deliver words"),
    ("Panic u64", "messages deliver words"),
    ("Panic f16", "messages deliver the bits"),
    ("Panic bf16", "messages deliver the bits"),
    ("Print i64", "messages deliver words"),
    ("Print u64", "messages deliver words"),
    ("Print f16", "messages deliver the bits"),
    ("Print bf16", "messages deliver the bits"),
];

/// What kernels of users do with addresses; all else they do with elements.
const WITH_ADDRESSES: &[&str] = &[
    "PtrAdd",
    "Select ptr<global>",
    "Var ptr<global>",
    "If ptr<global>",
    "Load ptr<global>",
    "Store ptr<global>",
    "Atomic in ptr<global>",
    "Atomic in ptr<local>",
    "Bitcast ptr<private> to ptr<global>",
    "Bitcast ptr<local> to ptr<global>",
    "Bitcast ptr<constant> to ptr<global>",
    "Bitcast ptr<global> to u32",
    "Bitcast u32 to ptr<global>",
];

fn is_wanted(form: &str) -> bool {
    let begins = |start: &&str| form.starts_with(start);
    let never = NEVER.iter().any(|(start, _)| begins(start));
    let with_addresses = !form.contains("ptr<") || WITH_ADDRESSES.iter().any(begins);
    with_addresses && !never
}

/// What there is in an instruction: the operation with its types, and what else it says.
fn forms(f: &Function, inst: &Inst) -> Vec<String> {
    let ty = |value: &Value| f.ty(*value).to_string();
    let result = inst.results.first().map(ty).unwrap_or_default();
    let name = op_name(&inst.op);
    let with = |what: &dyn std::fmt::Debug, ty: String| format!("{name} {what:?} {ty}");
    let mut forms = vec![name.to_owned()];
    match &inst.op {
        Op::Const(_) | Op::Select(..) | Op::MulAdd(..) => forms.push(format!("{name} {result}")),
        Op::Unary(op, _) => forms.push(with(op, result)),
        Op::Binary(op, ..) => forms.push(with(op, result)),
        Op::Compare(op, a, _) => forms.push(with(op, ty(a))),
        Op::Cast(a) | Op::Bitcast(a) => forms.push(format!("{name} {} to {result}", ty(a))),
        Op::PtrAdd { index, .. } => forms.push(format!("{name} {result} by {}", ty(index))),
        Op::Load { alias, .. } => {
            forms.push(format!("{name} {result}"));
            forms.push(format!("Alias {}", alias_name(alias)));
        }
        Op::Store { value, alias, .. } => {
            forms.push(format!("{name} {}", ty(value)));
            forms.push(format!("Alias {} written", alias_name(alias)));
        }
        Op::Atomic {
            op,
            ptr,
            operands,
            order,
            scope,
            ..
        } => {
            let word = inst.results.first().or(operands.first()).map(ty);
            forms.push(with(op, word.unwrap_or_default()));
            forms.push(format!("{name} in {}", ty(ptr)));
            forms.push(with(order, String::new()));
            forms.push(with(scope, String::new()));
        }
        Op::Id(id) => forms.push(format!("{name} {} {:?}", id_name(id), id.dimension())),
        Op::Fence(scope) => forms.push(with(scope, String::new())),
        Op::Warp { op, operands } => {
            let asked = operands.first().map(ty).unwrap_or_default();
            forms.push(format!(
                "{name} {} {:?} {asked}",
                warp_name(op),
                op.combines()
            ));
        }
        Op::Fault { kind, .. } => forms.push(with(kind, String::new())),
        Op::Panic { operands, .. } | Op::Print { operands, .. } => {
            forms.extend(
                operands
                    .iter()
                    .map(|operand| format!("{name} {}", ty(operand))),
            );
        }
        Op::If { .. } => forms.extend(inst.results.iter().map(|v| format!("{name} {}", ty(v)))),
        Op::VarGet(_) => forms.push(format!("Var {result}")),
        _ => {}
    }
    forms
}

/// A function of one instruction, with operands of these types.
fn function(operands: &[Type], results: &[Type], op: &dyn Fn(&[Value]) -> Op) -> Function {
    let mut f = Function {
        name: "one".to_owned(),
        locs: vec![SourceLoc {
            file: String::new(),
            line: 0,
            column: 0,
        }]
        .into(),
        ..Function::default()
    };
    let object = MemoryObject {
        size: 4,
        count: None,
        align: 4,
        agreed: false,
        name: String::new(),
        loc: Loc::NONE,
    };
    f.locals.push(object.clone());
    f.privates.push(object);
    f.data.push(DataObject {
        bytes: vec![0; 4],
        align: 4,
    });
    f.messages.push(Message {
        text: String::new(),
        stream: Stream::Out,
        words: operands.len() as u32,
        render: Render::verbatim(""),
    });
    f.vars.extend(results.iter().copied());
    let mut b = Builder::new(&mut f, Loc::NONE);
    let operands: Vec<_> = operands.iter().map(|ty| b.constant(0, *ty)).collect();
    for (n, ty) in results.iter().enumerate() {
        let first = b.constant(0, *ty);
        b.effect(Op::VarSet(Var::from_u32(n as u32), first));
    }
    b.multi(op(&operands), results);
    f.body = b.finish();
    f
}

/// All that can be in a kernel, whether or not the verifier takes it.
#[allow(clippy::too_many_lines)]
fn imaginable() -> Vec<Function> {
    let types: Vec<Type> = SCALARS
        .into_iter()
        .chain(SPACES.iter().map(|space| Type::Ptr(*space)))
        .collect();
    let mut all = Vec::new();
    let mut add = |operands: &[Type], results: &[Type], op: &dyn Fn(&[Value]) -> Op| {
        all.push(function(operands, results, op));
    };
    let global = Type::Ptr(Space::Global);
    for &ty in &types {
        add(&[], &[ty], &|_| Op::Const(0.into()));
        for &op in UN_OPS {
            add(&[ty], &[ty], &|v| Op::Unary(op, v[0]));
        }
        for &op in BIN_OPS {
            add(&[ty; 2], &[ty], &|v| Op::Binary(op, v[0], v[1]));
            for op in [WarpOp::Reduce(op), WarpOp::Scan(op), WarpOp::ScanBefore(op)] {
                for words in 1..=2 {
                    add(&[ty].repeat(words), &[ty].repeat(words), &|v| Op::Warp {
                        op,
                        operands: v.to_vec(),
                    });
                }
            }
        }
        for &op in CMP_OPS {
            add(&[ty; 2], &[Type::Bool], &|v| Op::Compare(op, v[0], v[1]));
        }
        add(&[Type::Bool, ty, ty], &[ty], &|v| {
            Op::Select(v[0], v[1], v[2])
        });
        add(&[ty; 3], &[ty], &|v| Op::MulAdd(v[0], v[1], v[2]));
        for &to in &types {
            add(&[ty], &[to], &|v| Op::Cast(v[0]));
            add(&[ty], &[to], &|v| Op::Bitcast(v[0]));
            add(&[ty, to], &[ty], &|v| Op::PtrAdd {
                base: v[0],
                index: v[1],
                scale: 1,
            });
        }
        add(&[global], &[ty], &|v| load(v[0], Alias::Any));
        add(&[global, ty], &[], &|v| store(v[0], v[1], Alias::Any));
        for &op in ATOMIC_OPS {
            let operands = [&[global][..], &[ty].repeat(op.operands())].concat();
            let results = if op == AtomicOp::Store {
                &[][..]
            } else {
                &[ty]
            };
            add(&operands, results, &|v| {
                atomic(op, v, Order::Relaxed, Scope::Device)
            });
        }
        add(&[ty, Type::U32], &[ty], &|v| Op::Warp {
            op: WarpOp::Shuffle,
            operands: v.to_vec(),
        });
        add(&[ty], &[ty], &|v| Op::Warp {
            op: WarpOp::Broadcast,
            operands: v.to_vec(),
        });
        add(&[Type::Bool, ty], &[ty], &|v| {
            let arm = || Arm::new(Block::default(), vec![v[1]]);
            Op::branch(v[0], arm(), arm())
        });
        add(&[], &[ty], &|_| Op::VarGet(Var::from_u32(0)));
        let message = MessageId::from_u32(0);
        add(&[ty], &[], &|v| Op::Panic {
            message,
            operands: v.to_vec(),
        });
        add(&[ty], &[], &|v| Op::Print {
            message,
            operands: v.to_vec(),
        });
    }
    let objects = [
        Alias::Local(LocalId::from_u32(0)),
        Alias::Private(PrivateId::from_u32(0)),
        Alias::Data(DataId::from_u32(0)),
    ];
    let aliases = [
        Alias::Any,
        Alias::Unknown,
        Alias::Shared(0),
        Alias::Exclusive(0),
    ];
    for alias in [&objects[..], &aliases].concat() {
        add(&[global], &[Type::U32], &|v| load(v[0], alias));
        add(&[global, Type::U32], &[], &|v| store(v[0], v[1], alias));
    }
    for &order in ORDERS {
        for &scope in SCOPES {
            for &space in SPACES {
                add(&[Type::Ptr(space)], &[Type::U32], &|v| {
                    atomic(AtomicOp::Load, v, order, scope)
                });
            }
            add(&[], &[], &|_| Op::Fence(scope));
        }
    }
    for op in [WarpOp::All, WarpOp::Any, WarpOp::Uniform, WarpOp::Ballot] {
        let ty = match op {
            WarpOp::Ballot => Type::U32,
            _ => Type::Bool,
        };
        add(&[Type::Bool], &[ty], &|v| Op::Warp {
            op,
            operands: v.to_vec(),
        });
    }
    add(&[], &[Type::U32], &|_| Op::Warp {
        op: WarpOp::Active,
        operands: Vec::new(),
    });
    let ids = [
        Id::GlobalLinear,
        Id::GlobalCount,
        Id::LocalLinear,
        Id::LocalCount,
    ];
    let ids = ids
        .into_iter()
        .chain([Id::GroupLinear, Id::GroupCount, Id::Lane, Id::Lanes]);
    let ids = ids.chain([Id::Warp, Id::Warps, Id::Core, Id::Cores]);
    let at = [
        Id::Global,
        Id::GlobalSize,
        Id::Local,
        Id::LocalSize,
        Id::Group,
        Id::Groups,
    ];
    for id in ids.chain((0..3).flat_map(|n| at.map(|id| id(n)))) {
        add(&[], &[Type::U32], &|_| Op::Id(id));
    }
    for &kind in KINDS {
        add(&[Type::U32; 2], &[], &|v| Op::Fault {
            kind,
            operands: [v[0], v[1]].into(),
        });
    }
    all
}

fn load(ptr: Value, alias: Alias) -> Op {
    Op::Load {
        ptr,
        offset: 0,
        alias,
    }
}

fn store(ptr: Value, value: Value, alias: Alias) -> Op {
    Op::Store {
        ptr,
        value,
        offset: 0,
        alias,
    }
}

fn atomic(op: AtomicOp, values: &[Value], order: Order, scope: Scope) -> Op {
    Op::Atomic {
        op,
        ptr: values[0],
        offset: 0,
        operands: values[1..].to_vec(),
        alias: Alias::Any,
        order,
        scope,
    }
}

/// What kernels of users can have.
fn wanted() -> BTreeSet<String> {
    let mut wanted = BTreeSet::new();
    for f in imaginable() {
        if verify(&f, Form::Staged).is_ok() {
            wanted.extend(forms(&f, f.body.insts.last().unwrap()));
        }
    }
    // Whatever there is, at all.
    wanted.extend(Op::NAMES.iter().map(|name| (*name).to_owned()));
    wanted.extend(Alias::NAMES.iter().map(|name| format!("Alias {name}")));
    wanted.retain(|form| is_wanted(form));
    wanted
}

fn found() -> BTreeSet<String> {
    let mut runner = TestRunner::deterministic();
    let mut found = BTreeSet::new();
    for n in 0..4000 {
        let case = match n % 2 {
            0 => case::of_items().new_tree(&mut runner).unwrap().current(),
            _ => case::of_groups().new_tree(&mut runner).unwrap().current(),
        };
        let kernel = case.kernel();
        kernel
            .body
            .visit(&mut |inst| found.extend(forms(kernel, inst)));
    }
    found
}

#[test]
fn generated_kernels_contain_all_that_kernels_can() {
    let (wanted, found) = (wanted(), found());
    let missing: Vec<_> = wanted.difference(&found).collect();
    assert!(missing.is_empty(), "no kernel has: {missing:#?}");
}

#[test]
fn what_is_never_generated_is_not() {
    let found = found();
    for (start, reason) in NEVER {
        let mut generated = found.iter().filter(|form| form.starts_with(start));
        assert_eq!(generated.next(), None, "{reason}");
    }
}

/// Whether it is a check: something, or a failure.
fn is_check(inst: &Inst) -> bool {
    matches!(&inst.op, Op::If { els, .. } if els.block.is_failure())
}

/// Whether it changes memory, or something in it does.
fn has_effect(inst: &Inst) -> bool {
    let writes = |op: &Op| matches!(op, Op::Store { .. } | Op::Atomic { .. } | Op::Print { .. });
    let mut nested = inst.op.blocks().into_iter().flatten();
    writes(&inst.op) || nested.any(|block| block.any(&writes))
}

/// The arms of a branch that is no check.
fn arms(inst: &Inst) -> Option<[&Block; 2]> {
    match &inst.op {
        Op::If { then, els, .. } if !is_check(inst) => Some([&then.block, &els.block]),
        _ => None,
    }
}

/// Whether a block has checks, without those in what is nested in it.
fn checks(block: &Block) -> bool {
    block.insts.iter().any(is_check)
}

/// How often checks fail.
const FAILURES: [&str; 3] = [
    "no failure",
    "failures of some items",
    "failures of most items",
];

/// Where checks are that [`orders`] looks for.
const PLACES: [&str; 9] = [
    "a check after an effect",
    "checks in both arms",
    "checks in arms after an effect",
    "an effect before the check of an arm",
    "checks in arms of arms",
    "a check whose index its arm computes",
    "a return between checks",
    "checks in a loop that breaks out",
    "a check on the right of `&&` or `||`",
];

/// What in a kernel may keep checks where they are.
fn orders(kernel: &Function) -> Vec<&'static str> {
    let insts = &kernel.body.insts;
    let mut orders = Vec::new();
    for (at, inst) in insts.iter().enumerate() {
        let (before, after) = (&insts[..at], &insts[at + 1..]);
        // Objects of the kernel's own are filled before everything else.
        let fills =
            |op: &Op| matches!(op, Op::Store { alias, .. } if matches!(alias, Alias::Private(_)));
        let mut effects = before.iter().filter(|inst| has_effect(inst));
        let follows_effect = effects.any(|inst| !fills(&inst.op));
        if is_check(inst) && follows_effect {
            orders.push("a check after an effect");
        }
        if let Op::Loop { body, .. } = &inst.op {
            let breaks = body.insts.iter().skip(3).any(|inst| {
                let mut nested = inst.op.blocks().into_iter().flatten();
                nested.any(|block| block.any(&|op| matches!(op, Op::Break(_))))
            });
            if breaks && checks(body) {
                orders.push("checks in a loop that breaks out");
            }
        }
        let Some([then, els]) = arms(inst) else {
            continue;
        };
        let [in_then, in_els] = [then, els].map(checks);
        if in_then && in_els {
            orders.push("checks in both arms");
        }
        if (in_then || in_els) && follows_effect {
            orders.push("checks in arms after an effect");
        }
        for arm in [then, els] {
            let first = arm.insts.iter().position(is_check).unwrap_or(0);
            if arm.insts[..first].iter().any(has_effect) {
                orders.push("an effect before the check of an arm");
            }
            let nested = arm.insts.iter().filter_map(arms).flatten();
            if nested.into_iter().any(checks) {
                orders.push("checks in arms of arms");
            }
            let returns = arm.any(&|op| *op == Op::Return);
            if returns && before.iter().any(is_check) && after.iter().any(is_check) {
                orders.push("a return between checks");
            }
            let mut made = BTreeSet::new();
            for inst in &arm.insts {
                if let (true, Op::If { els, .. }) = (is_check(inst), &inst.op) {
                    let mut needs = false;
                    els.block.uses(&mut |value| needs |= made.contains(&value));
                    if needs {
                        orders.push("a check whose index its arm computes");
                    }
                }
                made.extend(inst.results.iter().copied());
            }
        }
        let is_lazy = [then, els].iter().any(|arm| match &arm.insts[..] {
            [known] => matches!(known.op, Op::Const(_)),
            _ => false,
        });
        let [result] = inst.results[..] else {
            continue;
        };
        if is_lazy && kernel.ty(result) == Type::Bool && (in_then || in_els) {
            orders.push("a check on the right of `&&` or `||`");
        }
    }
    orders
}

/// Checks are where passes that move them have to look: after effects, in arms, in loops. In many kernels all hold, in
/// many some fail.
#[test]
fn checks_stand_between_effects() {
    const KERNELS: usize = 1000;
    let mut runner = TestRunner::deterministic();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..KERNELS {
        let case = case::of_order().new_tree(&mut runner).unwrap().current();
        let mut orders = orders(case.kernel());
        let [failing, items] = case.failing_items();
        orders.push(match failing {
            0 => FAILURES[0],
            _ if failing * 2 < items => FAILURES[1],
            _ => FAILURES[2],
        });
        orders.sort_unstable();
        orders.dedup();
        for order in orders {
            *found.entry(order).or_default() += 1;
        }
    }
    let [none, some, most] = FAILURES.map(|failures| found.remove(failures).unwrap_or_default());
    let told = format!("{none} without failures, {some} with some, {most} with many");
    assert!(none > KERNELS / 4 && some > KERNELS / 8, "{told}");
    for order in PLACES {
        let count = found.remove(order).unwrap_or_default();
        assert!(count >= KERNELS / 100, "{count} of {KERNELS} have {order}");
    }
    assert!(found.is_empty(), "{found:?}");
}
