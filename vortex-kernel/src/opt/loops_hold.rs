//! Tests of what is said of the parameters of loops: for random loops, it is true of each iteration.

use super::bounds_hold::{Numbers, OPS, PARAMS, WORDS, at, values, with_params};
use super::defs::Defs;
use super::loops::{falling, limited};
use crate::ir::{BinOp, Builder, CmpOp, Function, Loc, Value, While};

/// A loop whose parameters begin as the function's, one of which becomes something random of them all; and which.
fn random_loop(numbers: &mut Numbers) -> (Function, While, usize) {
    let mut function = with_params();
    let mut b = Builder::new(&mut function, Loc::NONE);
    let params: Vec<Value> = (0..PARAMS as u32).map(Value::from_u32).collect();
    let mut pool = params.clone();
    pool.extend([0, 1, 2, u32::MAX].map(|word| b.u32(word)));
    let passed_on = numbers.below(PARAMS);
    let counts_down = numbers.below(2) == 0;
    let (zero, less_one) = (pool[PARAMS], pool[PARAMS + 3]);
    if numbers.below(2) == 0 {
        pool.push(b.binary(BinOp::Add, params[passed_on], pool[PARAMS + 2]));
    }
    let mut compare = || {
        let (one, other) = match counts_down && numbers.below(2) == 0 {
            true => (params[passed_on], zero),
            false => (numbers.of(&pool), numbers.of(&pool)),
        };
        b.compare(numbers.of(&CmpOp::ALL), one, other)
    };
    let (mut cond, other) = (compare(), compare());
    if let Some(op) = numbers.of(&[None, Some(BinOp::And), Some(BinOp::Or)]) {
        cond = b.binary(op, cond, other);
    }
    let before = b.finish();
    let mut b = Builder::new(&mut function, Loc::NONE);
    for _ in 0..numbers.below(4) {
        let op = numbers.of(&OPS);
        let (one, other) = (numbers.of(&pool), numbers.of(&pool));
        pool.push(b.binary(op, one, other));
    }
    if numbers.below(3) == 0 {
        let chosen = [numbers.of(&pool), pool[pool.len() - 1]];
        pool.push(b.select(other, chosen[0], chosen[1]));
    }
    if counts_down {
        pool.push(b.binary(BinOp::Add, params[passed_on], less_one));
    }
    let mut next = params.clone();
    next[passed_on] = pool[pool.len() - 1];
    let after = b.finish();
    function.body.insts = [before.insts.as_slice(), &after.insts].concat();
    let w = While {
        params: params.clone(),
        init: params,
        before,
        cond,
        exits: Vec::new(),
        after,
        next,
        optional: false,
    };
    (function, w, passed_on)
}

/// For random next values of a parameter that is said to fall, none is above the parameter where the loop continues.
#[test]
fn falling_parameters_do_not_rise() {
    let mut numbers = Numbers(11);
    let (mut falling_ones, mut held) = (0, 0);
    for _ in 0..30_000 {
        let (function, w, passed_on) = random_loop(&mut numbers);
        let param = w.params[passed_on];
        let found = falling(&w, &Defs::of(&function.body, &function));
        if !found.contains(&(param, param)) {
            continue;
        }
        falling_ones += 1;
        for values in continued(&mut numbers, &function, &w) {
            held += 1;
            assert!(
                values[at(w.next[passed_on])] <= values[passed_on],
                "{values:?}\n{function}"
            );
        }
    }
    assert!(
        falling_ones > 1_000 && held > 10_000,
        "{falling_ones} {held}"
    );
}

/// The same of one that is said to have a limit: it stays, or is within that.
#[test]
fn limited_parameters_stay_or_are_within_their_limit() {
    let mut numbers = Numbers(12);
    let (mut of_rests, mut of_tests, mut held) = (0, 0, 0);
    for _ in 0..60_000 {
        let (function, mut w, passed_on) = random_loop(&mut numbers);
        // The others do not change, so they are no parameters of the loop.
        let param = w.params[passed_on];
        for list in [&mut w.params, &mut w.init, &mut w.next] {
            *list = vec![list[passed_on]];
        }
        let defs = Defs::of(&function.body, &function);
        let Some(limited) = limited(&w, &defs).next() else {
            continue;
        };
        assert_eq!((limited.param, limited.start), (param, param));
        *(if limited.is_less {
            &mut of_rests
        } else {
            &mut of_tests
        }) += 1;
        for values in continued(&mut numbers, &function, &w) {
            let [next, limit] = [w.next[0], limited.limit].map(|value| values[at(value)]);
            held += 1;
            assert!(
                next == values[at(param)]
                    || next < limit
                    || next == limit && !limited.is_less
                    || limit == 0,
                "{limited:?} {values:?}\n{function}"
            );
        }
    }
    assert!(
        of_rests > 400 && of_tests > 400 && held > 10_000,
        "{of_rests} {of_tests} {held}"
    );
}

/// Values of a function for some parameters for which its loop continues.
fn continued(numbers: &mut Numbers, function: &Function, w: &While) -> Vec<Vec<u32>> {
    let some = (0..40).map(|_| values(function, [(); PARAMS].map(|()| numbers.of(&WORDS))));
    some.filter(|values| values[at(w.cond)] != 0).collect()
}
