//! Tests of upper bounds: for random expressions under random conditions, no value is above its bound where all
//! obligations of the bound hold; and some bounds are as low as possible.

use super::bounds::Bounds;
use super::conditions::Obligation;
use super::defs::Defs;
use super::symbolic::{Float, Sym};
use crate::ir::{BinOp, Builder, CmpOp, Function, Loc, Op, Type, UnOp, Value, eval};

/// splitmix64
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    pub(crate) fn of<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }
}

pub(super) const OPS: [BinOp; 12] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::And,
    BinOp::Rem,
    BinOp::Div,
    BinOp::Min,
    BinOp::Max,
    BinOp::Or,
    BinOp::Xor,
];

pub(super) const WORDS: [u32; 14] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    31,
    100,
    1 << 16,
    1 << 31,
    u32::MAX - 1,
    u32::MAX,
];

const FLOATS: [f32; 17] = [
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.0,
    2.5,
    -3.75,
    7.0,
    1e-30,
    16_777_217.0,
    3e9,
    4_294_967_296.0,
    -1e30,
    1e30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// The first two do not change in the loop, the others do.
pub(super) const PARAMS: usize = 4;

/// What all values of a function are for some parameters.
pub(super) fn values(function: &Function, params: [u32; PARAMS]) -> Vec<u32> {
    let defs = Defs::of(&function.body, function);
    let mut values = params.to_vec();
    for inst in &function.body.insts {
        values.push(match &inst.op {
            Op::Binary(op, a, b) => {
                eval::binary(*op, function.ty(*a), values[at(*a)], values[at(*b)])
            }
            Op::Compare(op, a, b) => {
                eval::compare(*op, function.ty(*a), values[at(*a)], values[at(*b)]).into()
            }
            Op::Select(cond, a, b) => values[at(if values[at(*cond)] != 0 { *a } else { *b })],
            Op::Cast(a) => {
                let ty = function.ty(inst.results[0]);
                eval::cast(function.ty(*a), ty, values[at(*a)])
            }
            Op::Unary(op, a) => eval::unary(*op, function.ty(*a), values[at(*a)]),
            _ => defs.constant(inst.results[0]).unwrap(),
        });
    }
    values
}

pub(super) fn at(value: Value) -> usize {
    crate::ir::EntityRef::index(value)
}

fn word(sym: &Sym, values: &[u32]) -> u32 {
    match sym {
        Sym::Const(word) => *word,
        Sym::Value(value) => values[at(*value)],
        Sym::Op(op, a, b) => eval::binary(*op, Type::U32, word(a, values), word(b, values)),
        Sym::Bits(a) => u32::MAX
            .checked_shr(word(a, values).leading_zeros())
            .unwrap_or(0),
        Sym::OfFloat(a) => eval::cast(Type::F32, Type::U32, float(a, values)),
    }
}

fn float(float: &Float, values: &[u32]) -> u32 {
    let of = |part| self::float(part, values);
    match float {
        Float::Const(bits) => *bits,
        Float::Value(value) => values[at(*value)],
        Float::Op(op, a, b) => eval::binary(*op, Type::F32, of(a), of(b)),
        Float::OfWord(a) => eval::cast(Type::U32, Type::F32, word(a, values)),
    }
}

/// Whether an obligation is fulfilled for these values.
pub(super) fn holds(obligation: &Obligation, values: &[u32]) -> bool {
    let of = |sym| word(sym, values);
    match obligation {
        Obligation::Sum(a, b) => of(a).checked_add(of(b)).is_some(),
        Obligation::Product(a, b) => of(a).checked_mul(of(b)).is_some(),
        Obligation::NotLess(a, b) => of(a) >= of(b),
        Obligation::Less(a, b) => of(a) < of(b),
        Obligation::Number(a) => !f32::from_bits(float(a, values)).is_nan(),
        Obligation::NotNegative(a) => f32::from_bits(float(a, values)) >= 0.0,
        Obligation::Holds(value) => values[at(*value)] != 0,
    }
}

pub(super) fn with_params() -> Function {
    with_params_of([Type::U32; PARAMS])
}

fn with_params_of(types: [Type; PARAMS]) -> Function {
    let mut function = Function::default();
    for ty in types {
        function.new_value(ty);
    }
    function
}

/// The bounds of a function in which some conditions are true or false.
fn bounds<R>(
    function: &Function,
    conditions: &[(Value, bool)],
    ask: impl FnOnce(&Bounds<'_>) -> R,
) -> R {
    let defs = Defs::of(&function.body, function);
    let mut unknown = function.map_values(true);
    for known in [0, 1] {
        unknown[Value::from_u32(known)] = false;
    }
    let mut bounds = Bounds::new(function, &defs, &unknown);
    for (condition, truth) in conditions {
        bounds.learn(*condition, *truth);
    }
    ask(&bounds)
}

/// A function of random operations, conditions about its values, and its values.
fn random(numbers: &mut Numbers) -> (Function, Vec<(Value, bool)>, Vec<Value>) {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let mut pool: Vec<Value> = (0..PARAMS as u32).map(Value::from_u32).collect();
    for _ in 0..2 {
        let constant = numbers.of(&WORDS[..10]);
        pool.push(b.u32(constant));
    }
    let mut asked_of: Vec<Value> = [2, 3].map(Value::from_u32).to_vec();
    if numbers.below(2) == 0 {
        let (divided, divisor) = (asked_of[0], pool[numbers.of(&[0, 1, 4])]);
        let quotient = b.binary(BinOp::Div, divided, divisor);
        let more = b.binary(BinOp::Add, quotient, pool[5]);
        asked_of.extend([quotient, more]);
    }
    let mut conditions = Vec::new();
    for _ in 0..1 + numbers.below(3) {
        let changing = numbers.of(&asked_of);
        let (op, other) = (numbers.of(&CmpOp::ALL), numbers.of(&pool));
        let pair = numbers.of(&[(changing, other), (other, changing)]);
        let condition = b.compare(op, pair.0, pair.1);
        conditions.push((condition, numbers.below(2) == 0));
    }
    for _ in 0..1 + numbers.below(3) {
        let op = numbers.of(&OPS);
        let (one, other) = (numbers.of(&pool), numbers.of(&pool));
        pool.push(b.binary(op, one, other));
    }
    function.body = b.finish();
    (function, conditions, pool)
}

/// The same of `i32`s, the last of whose values is an index then: coordinates that are guarded or clamped.
fn random_signed(numbers: &mut Numbers) -> (Function, Vec<(Value, bool)>, Vec<Value>) {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let words: Vec<Value> = (0..PARAMS as u32).map(Value::from_u32).collect();
    let params: Vec<Value> = words.iter().map(|word| b.cast(*word, Type::I32)).collect();
    let mut pool = params.clone();
    for word in [0, numbers.of(&WORDS)] {
        pool.push(b.constant(word, Type::I32));
    }
    if numbers.below(2) == 0 {
        let (coordinate, apart) = (params[2], pool[5]);
        pool.push(b.binary(BinOp::Add, coordinate, apart));
    }
    let mut conditions = Vec::new();
    for _ in 0..1 + numbers.below(3) {
        let op = numbers.of(&CmpOp::ALL);
        let changing = numbers.of(&[params[2], params[3], pool[pool.len() - 1]]);
        let other = numbers.of(&[pool[4], params[0], params[1], pool[5]]);
        let pair = numbers.of(&[(changing, other), (other, changing)]);
        conditions.push((b.compare(op, pair.0, pair.1), numbers.below(2) == 0));
    }
    for _ in 0..1 + numbers.below(3) {
        let (one, other) = (pool[pool.len() - 1], numbers.of(&pool));
        let made = match numbers.below(4) {
            0 => {
                let chosen = numbers.of(&[(one, other), (other, one)]);
                let cond = b.compare(numbers.of(&CmpOp::ALL), one, other);
                b.select(cond, chosen.0, chosen.1)
            }
            1 => b.binary(numbers.of(&OPS), one, other),
            _ => b.binary(numbers.of(&[BinOp::Min, BinOp::Max]), one, other),
        };
        pool.push(made);
    }
    let mut index = b.cast(pool[pool.len() - 1], Type::U32);
    if numbers.below(3) == 0 {
        index = b.binary(
            numbers.of(&[BinOp::Add, BinOp::Mul, BinOp::Sub]),
            index,
            words[0],
        );
    }
    pool.push(index);
    function.body = b.finish();
    (function, conditions, pool)
}

/// The same of floats, the last of which is made an index: a coordinate that is scaled, guarded or clamped. The first
/// parameter and the last one are floats.
fn random_floats(numbers: &mut Numbers) -> (Function, Vec<(Value, bool)>, Vec<Value>) {
    let mut function = with_params_of([Type::F32, Type::U32, Type::U32, Type::F32]);
    let mut b = Builder::new(&mut function, Loc::NONE);
    let [known, width, counter, changing] = [0, 1, 2, 3].map(Value::from_u32);
    let constant = numbers.of(&FLOATS).to_bits();
    let fixed = [
        known,
        b.cast(width, Type::F32),
        b.constant(constant, Type::F32),
    ];
    let mut conditions = Vec::new();
    if numbers.below(2) == 0 {
        let is_in_range = b.compare(CmpOp::Lt, counter, width);
        conditions.push((is_in_range, true));
    }
    let mut pool = vec![b.cast(counter, Type::F32), changing];
    if numbers.below(2) == 0 {
        let signed = b.cast(counter, Type::I32);
        let zero = b.constant(0, Type::I32);
        conditions.push((b.compare(CmpOp::Ge, signed, zero), numbers.below(4) > 0));
        pool.push(b.cast(signed, Type::F32));
    }
    pool.push(numbers.of(&pool));
    for _ in 0..1 + numbers.below(4) {
        let (last, other) = (pool[pool.len() - 1], numbers.of(&pool));
        let known = numbers.of(&fixed);
        let pair = numbers.of(&[(last, known), (known, last), (last, other)]);
        let made = match numbers.below(12) {
            0 => b.unary(UnOp::Neg, last),
            1 => {
                let cond = b.compare(numbers.of(&CmpOp::ALL), pair.0, pair.1);
                let chosen = numbers.of(&[pair, (pair.1, pair.0)]);
                b.select(cond, chosen.0, chosen.1)
            }
            2..=4 => {
                let cond = b.compare(numbers.of(&CmpOp::ALL), pair.0, pair.1);
                conditions.push((cond, numbers.below(2) == 0));
                continue;
            }
            number => {
                let op = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Min];
                let op = op.get(number - 5).copied().unwrap_or(BinOp::Max);
                b.binary(op, pair.0, pair.1)
            }
        };
        pool.push(made);
    }
    let to = numbers.of(&[Type::U32, Type::I32]);
    let mut index = b.cast(pool[pool.len() - 1], to);
    if to == Type::I32 {
        index = b.cast(index, Type::U32);
    }
    pool.push(index);
    function.body = b.finish();
    (function, conditions, pool)
}

/// Values for some parameters for which conditions and obligations hold.
fn held(
    numbers: &mut Numbers,
    function: &Function,
    conditions: &[(Value, bool)],
    obligations: &[Obligation],
) -> Vec<Vec<u32>> {
    let mut some_word = |param: u32| match function.ty(Value::from_u32(param)) {
        Type::F32 => numbers.of(&FLOATS).to_bits(),
        _ => numbers.of(&WORDS),
    };
    let some = (0..40).map(|_| values(function, [0, 1, 2, 3].map(&mut some_word)));
    some.filter(|values| {
        let is_so = |(condition, truth): &(Value, bool)| (values[at(*condition)] != 0) == *truth;
        conditions.iter().all(is_so) && obligations.iter().all(|o| holds(o, values))
    })
    .collect()
}

type Random = fn(&mut Numbers) -> (Function, Vec<(Value, bool)>, Vec<Value>);

/// Asks for an upper bound of the last value of random functions. Gives how many have one, and how often it was held
/// against a value.
fn ask_for_bounds(seed: u64, random: Random) -> (u32, u32) {
    let mut numbers = Numbers(seed);
    let (mut bounded, mut times) = (0, 0);
    for _ in 0..30_000 {
        let (function, conditions, pool) = random(&mut numbers);
        let asked = pool[pool.len() - 1];
        let found = bounds(&function, &conditions, |bounds| bounds.upper(asked));
        let Some((bound, obligations)) = found else {
            continue;
        };
        bounded += 1;
        for values in held(&mut numbers, &function, &conditions, &obligations) {
            times += 1;
            assert!(
                values[at(asked)] <= word(&bound, &values),
                "{asked} is {} and its bound {}: {bound:?} where {conditions:?} and {obligations:?}\n{values:?}\n{function}",
                values[at(asked)],
                word(&bound, &values)
            );
        }
    }
    (bounded, times)
}

#[test]
fn no_value_is_above_its_bound() {
    let (bounded, times) = ask_for_bounds(7, random);
    assert!(bounded > 10_000 && times > 50_000, "{bounded} {times}");
}

#[test]
fn no_index_made_of_signed_numbers_is_above_its_bound() {
    let (bounded, times) = ask_for_bounds(11, random_signed);
    assert!(bounded > 4_000 && times > 35_000, "{bounded} {times}");
}

#[test]
fn no_index_made_of_floats_is_above_its_bound() {
    let (bounded, times) = ask_for_bounds(13, random_floats);
    assert!(bounded > 4_500 && times > 60_000, "{bounded} {times}");
}

#[test]
fn values_are_ordered_as_is_said() {
    let mut numbers = Numbers(9);
    let (mut found, mut times) = (0, 0);
    for _ in 0..30_000 {
        let (function, conditions, pool) = random(&mut numbers);
        let op = numbers.of(&[CmpOp::Lt, CmpOp::Le]);
        // What was computed last, and everything before.
        let (more, others) = pool.split_last().unwrap();
        for less in &others[2..] {
            let obligations = bounds(&function, &conditions, |bounds| {
                bounds.ordered(op, *less, *more)
            });
            let Some(obligations) = obligations else {
                continue;
            };
            found += 1;
            for values in held(&mut numbers, &function, &conditions, &obligations) {
                times += 1;
                assert!(
                    eval::compare(op, Type::U32, values[at(*less)], values[at(*more)]),
                    "{less} {op:?} {more} where {conditions:?} and {obligations:?}\n{values:?}\n{function}"
                );
            }
        }
    }
    assert!(found > 6_000 && times > 40_000, "{found} {times}");
}

/// A bound of the third parameter by an operation with a constant, where the parameter is less than 10.
fn bound(op: BinOp, constant: u32) -> Option<(Sym, Vec<Obligation>)> {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let x = Value::from_u32(2);
    let ten = b.u32(10);
    let condition = b.compare(CmpOp::Lt, x, ten);
    let constant = b.u32(constant);
    let value = b.binary(op, x, constant);
    function.body = b.finish();
    bounds(&function, &[(condition, true)], |bounds| {
        bounds.upper(value)
    })
}

#[test]
fn bounds_are_as_low_as_they_get() {
    for (op, constant, expected) in [
        (BinOp::Add, 3, 12),
        (BinOp::Mul, 3, 27),
        (BinOp::Shl, 2, 36),
        (BinOp::Shr, 1, 4),
        (BinOp::And, 5, 5),
        (BinOp::Rem, 7, 6),
        (BinOp::Div, 4, 2),
        (BinOp::Min, 3, 3),
        (BinOp::Max, 3, 9),
        (BinOp::Or, 1, 15),
    ] {
        let (bound, obligations) = bound(op, constant).unwrap();
        assert_eq!(bound, Sym::Const(expected), "{op:?}");
        assert!(
            obligations.iter().all(|o| holds(o, &[])),
            "{op:?}: {obligations:?}"
        );
    }
}

/// `x + p1`, where `x / p1 + 1 < p0`: of any numbers, and low enough for the last row but one. And `x - p1` where the
/// quotient is not 0.
#[test]
fn what_quotients_are_of_is_bounded() {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let [rows, width, x] = [0, 1, 2].map(Value::from_u32);
    let (zero, one) = (b.u32(0), b.u32(1));
    let row = b.binary(BinOp::Div, x, width);
    let next = b.binary(BinOp::Add, row, one);
    // That it is not very large is said of the number of a work item, too.
    let limit = b.u32(1 << 20);
    let conditions = [
        (CmpOp::Lt, x, limit),
        (CmpOp::Lt, next, rows),
        (CmpOp::Lt, zero, row),
    ];
    let conditions = conditions.map(|(op, one, other)| (b.compare(op, one, other), true));
    let below = b.binary(BinOp::Add, x, width);
    let above = b.binary(BinOp::Sub, x, width);
    function.body = b.finish();
    let words = [0, 1, 2, 3, 7, 8, 100, 1 << 16, 1 << 31, u32::MAX];
    for (asked, low_enough) in [(below, 8 * 100 - 1), (above, 8 * 98 - 1)] {
        let found = bounds(&function, &conditions, |bounds| bounds.upper(asked));
        let (bound, obligations) = found.unwrap();
        assert_eq!(word(&bound, &[100, 8, 0, 0]), low_enough);
        let mut held = 0;
        for rows in words {
            for width in words {
                for x in words {
                    let values = values(&function, [rows, width, x, 0]);
                    let is_so = conditions.iter().all(|(cond, _)| values[at(*cond)] != 0);
                    if is_so && obligations.iter().all(|o| holds(o, &values)) {
                        held += 1;
                        assert!(values[at(asked)] <= word(&bound, &values), "{values:?}");
                    }
                }
            }
        }
        assert!(held > 20, "{held}");
    }
}

/// `p0 - (x + y)`, where the sum is not more than `p0` and both are more than 3 and at most `p1`: 8 less than `p0`, if
/// the sum does not wrap.
#[test]
fn lower_bounds_of_sums_ask_that_they_do_not_wrap() {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let [p0, p1, x, y] = [0, 1, 2, 3].map(Value::from_u32);
    let three = b.u32(3);
    let sum = b.binary(BinOp::Add, x, y);
    let conditions = [
        (CmpOp::Lt, three, x),
        (CmpOp::Lt, three, y),
        (CmpOp::Le, x, p1),
        (CmpOp::Le, y, p1),
        (CmpOp::Le, sum, p0),
    ];
    let conditions = conditions.map(|(op, one, other)| (b.compare(op, one, other), true));
    let asked = b.binary(BinOp::Sub, p0, sum);
    function.body = b.finish();
    let found = bounds(&function, &conditions, |bounds| bounds.upper(asked));
    let (bound, obligations) = found.unwrap();
    let all_hold = |p1| obligations.iter().all(|o| holds(o, &[50, p1, 0, 0]));
    assert_eq!(word(&bound, &[50, 100, 0, 0]), 42);
    assert!(all_hold(100) && all_hold((1 << 31) - 1) && !all_hold(1 << 31));
}

/// Which conditions say that one value is less than another, or at most as much, of which no bound is known.
#[test]
fn conditions_order_values() {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let [p, q, x, y] = [0, 1, 2, 3].map(Value::from_u32);
    let [three, four, ten] = [3, 4, 10].map(|number| b.u32(number));
    let [x3, x4] = [three, four].map(|ahead| b.binary(BinOp::Add, x, ahead));
    let least = b.binary(BinOp::Min, p, q);
    let (lt, le, ne) = (CmpOp::Lt, CmpOp::Le, CmpOp::Ne);
    let cases = [
        ((lt, x, p), (lt, x, p), true),
        ((lt, x, p), (le, x, p), true),
        ((le, x, p), (le, x, p), true),
        ((le, x, p), (lt, x, p), false),
        ((ne, x, p), (lt, x, p), false),
        ((lt, y, p), (lt, x, p), false),
        ((lt, x, q), (lt, x, p), false),
        ((lt, x, least), (lt, x, p), true),
        ((lt, x, least), (lt, x, q), true),
        ((le, x4, p), (lt, x3, p), true),
        ((le, x4, p), (le, x4, p), true),
        ((le, x4, p), (lt, x4, p), false),
        ((lt, x4, p), (lt, x4, p), true),
        ((le, x3, p), (le, x4, p), false),
    ];
    let conditions = cases.map(|((op, one, other), ..)| b.compare(op, one, other));
    // Only what is more than the base may have wrapped.
    let low = b.compare(lt, x, ten);
    function.body = b.finish();
    for ((condition, (op, less, more), expected), cond) in cases.into_iter().zip(conditions) {
        let of_sum = (condition.1 == x3 || condition.1 == x4).then_some((low, true));
        let known: Vec<_> = of_sum.into_iter().chain([(cond, true)]).collect();
        let found = bounds(&function, &known, |bounds| bounds.ordered(op, less, more));
        assert_eq!(found.is_some(), expected, "{op:?} where {condition:?}");
    }
}

/// `x <= x + y`, but not `x < x + y`; `x + 1 <= (x + y) + 4`, but not `x + 4 <= (x + y) + 1`. And what is left of `p0`
/// behind `x` is at least `y` where both are in it, one after the other.
#[test]
fn what_values_are_made_of_orders_them() {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let [p0, x, y] = [0, 2, 3].map(Value::from_u32);
    let [one, four, ten] = [1, 4, 10].map(|number| b.u32(number));
    let conditions = [x, y].map(|value| (b.compare(CmpOp::Lt, value, ten), true));
    let sum = b.binary(BinOp::Add, x, y);
    let [x1, x4] = [one, four].map(|by| b.binary(BinOp::Add, x, by));
    let also_four = b.u32(4);
    let [sum1, sum4] = [one, also_four].map(|by| b.binary(BinOp::Add, sum, by));
    let rest = b.binary(BinOp::Sub, p0, x);
    function.body = b.finish();
    let found = |op, less, more| {
        bounds(&function, &conditions, |bounds| {
            bounds.ordered(op, less, more)
        })
    };
    for (op, less, more, expected) in [
        (CmpOp::Le, x, sum, true),
        (CmpOp::Lt, x, sum, false),
        (CmpOp::Le, x1, sum4, true),
        (CmpOp::Le, x4, sum4, true),
        (CmpOp::Le, x4, sum1, false),
    ] {
        assert_eq!(
            found(op, less, more).is_some(),
            expected,
            "{less} {op:?} {more}"
        );
    }
    for (op, enough) in [(CmpOp::Le, 18), (CmpOp::Lt, 19)] {
        let obligations = found(op, y, rest).unwrap();
        let all_hold = |p0| obligations.iter().all(|o| holds(o, &[p0, 0, 0, 0]));
        assert!(all_hold(enough) && !all_hold(enough - 1), "{op:?}");
    }
}
