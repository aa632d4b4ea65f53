//! Iterators: what a `for` goes over, and what is made of it instead.
//!
//! [`RangeIter`] is a range, [`Iter`] goes over elements, and a [`Sequence`] is either with adapters on it.

pub(in crate::lang) mod adapters;
pub(in crate::lang) mod chosen;
pub(in crate::lang) mod chunks;
pub(in crate::lang) mod elements;
pub(in crate::lang) mod range_iter;
pub(in crate::lang) mod sequence;

pub use adapters::{
    Chained, FilterMapped, FlatMapped, Flattened, MappedWhile, Numbering, Picked, Scanned, Skipped,
    SkippedWhile, Taken, TakenWhile, chained, counted, filter_mapped, flat_mapped, flattened,
    mapped_while, picked, scanned, skipped, skipped_while, taken, taken_while,
};
pub use chosen::{
    Extreme, first_greatest_by_key, first_mapped, greatest_by, greatest_by_key, greatest_of,
    last_least_by_key, last_of, least_by, least_by_key, least_of, reduced,
};
pub use chunks::{Pieces, chunks, chunks_exact, chunks_exact_mut, chunks_mut, windows};
pub use elements::{
    Enumerated, Exclusive, Iter, Mode, Values, for_each, for_each_unrolled, for_each_unrolled_by,
    iter, iter_mut,
};
pub use range_iter::{
    RangeIter, for_range_iter, for_unrolled, for_unrolled_by, range_iter, range_iter_inclusive,
};
pub use sequence::{
    Enumerable, Filtered, Mapped, Sequence, Summed, Zipped, all_of, any_of, count_of, filtered,
    first_of, folded, for_all, for_sequence, length_of, mapped, numbered, position_of, product_of,
    sum_of, zipped,
};
