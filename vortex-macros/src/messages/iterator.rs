//! What is said of iterators: what a `for` goes over, and chains of methods.

use super::{Message, messages};

messages! {
    ITERATOR_METHOD:
        "`{0}` is not among the iterator methods of kernels",
        "{1}";
    COLLECTED:
        "`collect` is not among the iterator methods of kernels",
        "there is no heap on the device: declare an array, `let mut {0} = [{1}; N];`, and {2}";
    ITERATOR_ARGUMENTS:
        "`{0}` of an iterator takes {1}",
        "write `{2}`";
    ITERATOR_OF_SLICE:
        "`{0}` is a method of iterators, and `{1}` is a slice",
        "write `{1}.iter().{0}({2})`";
    SLICE_METHOD:
        "`{0}` is a method of slices, and `{1}()` gives an iterator",
        "write `{2}.{0}({3})`";
    ITERATOR_VALUE:
        "an iterator is no value in a kernel, only something to go through",
        "put it into a `for`, or end it with `sum`, `count`, `fold`, `find`, `max` and the like; a local can be one, \
         `let it = x.iter();`, which is gone through once, and whose `next()` is called outside of loops";
    ITERATOR_ORDER:
        "`{0}` needs to know how many items there are, and after `filter`, `take_while` and their like that is not \
         known",
        "write it in front of these, as in `x.iter().rev().filter(..)`, or write a `for`";
    LENGTH_OF_CHOSEN:
        "`len` is what is known before an iterator is gone through, and after `filter` and its like that is not known",
        "write `count()`";
    CALLED_FOR_HANDED:
        "this calls `{0}`, and `{1}` takes the function itself, which it calls for each item",
        "write `{1}({0})`";
    UNROLL_ITERATOR:
        "`#[unroll]` is for ranges and slices, not for `map`, `filter` and `zip`",
        "write the loop over indices: `for i in 0..n { .. }`";
    NOT_A_RANGE:
        "a `for` in a kernel goes over a range or over the elements of a slice",
        "write `for i in 0..x.len()`, `for v in x`, `for (i, v) in x.iter().enumerate()`; `.rev()` and `.step_by(n)` \
         are possible";
    ITERATED_METHOD:
        "a `for` in a kernel cannot go over what `{0}` gives",
        "{1}";
    PAIRS_OF_ONE:
        "`{1}` is gone through one element at a time, and an element is no tuple",
        "write `for {0} in {1}.iter().enumerate()` for index and element, or `{1}.iter().zip(y)` for those of two \
         slices";
    FOR_OVER_TUPLE:
        "a tuple has no items to go over",
        "to go over several slices at once write `{0}`";
    ENUMERATED_PATTERN:
        "`enumerate` and `zip` give two things at a time",
        "write `{0}` here";
    PARTS_OF_PLACE:
        "the items of `iter_mut()` are not taken apart",
        "give the item a name, and write its parts: `item.x`, `item[0]`";
    ITER_MUT_SHARED:
        "`{0}` cannot be written through",
        "declare it as `{0}: {1}`, or write `{0}.iter()`";
    NEGATIVE_STEP:
        "a step says how many items to go on by, and is never negative",
        "write `.rev()` to begin at the end: `{0}.rev()`";
    STEPS_OVER_EFFECTS:
        "the closure of `{0}` changes something, and `step_by` would not call it for what it leaves out",
        "write `step_by` before it, or a `for` over all";
    SUM_OF_OTHERS:
        "`{0}` results in a `{1}`, and the items are of type `{2}`",
        "write `.map(|v| v as {1})` before it, or `*v as {1}` of references";
    NUMBER_FOR_TRUTH:
        "`{0}` asks of each item whether, and this is a number",
        "compare it, as in `n % 2 == 0`";
    COMPARED_BY_TRUTH:
        "`{0}` asks which of two is less, and this is a `bool`",
        "write `a.cmp(b)`, or `a.total_cmp(b)` for floats, in place of the comparison";
    PARTIAL_ORDER:
        "`partial_cmp` gives an option of an order, and `{0}` takes an order",
        "write `{1}.total_cmp({2})`, which orders all floats; `{1}.cmp({2})` for integers";
}
