//! What is known of locals from how they are declared, by the numbers of their declarations.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenStream};
use syn::Expr;

use super::optional::Inside;

/// Which locals are what, and what has been complained of.
#[derive(Default)]
pub(super) struct LocalFacts {
    /// Parts of slices, with the parameters that these are.
    pub(super) parts: HashMap<usize, usize>,
    /// Parts that loops go over.
    pub(super) chunks: HashSet<usize>,
    /// Those that are read only, with what is written after their `&`.
    pub(super) shared_parts: HashMap<usize, String>,
    /// What a `&` of a place that could be changed is, with what is written after it.
    pub(super) shared_places: HashMap<usize, String>,
    /// Variables of loops over ranges that end in a parameter.
    pub(super) counters: HashMap<usize, usize>,
    /// What surely is an option, with what it may hold.
    pub(super) options: HashMap<usize, Inside>,
    /// Those of them that are declared with their types, and these as they are staged.
    pub(super) typed_options: HashMap<usize, TokenStream>,
    /// What surely is a result.
    pub(super) results: HashSet<usize>,
    /// Tuples, with the functions of the prelude that give them.
    pub(super) tuples: HashMap<usize, String>,
    /// Tuples that are written out, with the numbers of their parts.
    pub(super) written_tuples: HashMap<usize, usize>,
    /// What functions of the user's give: perhaps tuples.
    pub(super) given: HashSet<usize>,
    /// Arrays, with their lengths.
    pub(super) arrays: HashMap<usize, usize>,
    /// References to arrays, which coerce to slices.
    pub(super) referred_arrays: HashSet<usize>,
    /// Values of the items that loops go over, with what these are items of.
    pub(super) items: HashMap<usize, String>,
    /// Memory of the work group that is one number, with its type.
    pub(super) single: HashMap<usize, String>,
    /// Closures.
    pub(super) closures: HashMap<usize, Closure>,
    /// Those that have their types from literals, with these.
    pub(super) literals: HashMap<usize, Expr>,
    /// Values of type parameters, with the names of these.
    pub(super) of_parameters: HashMap<usize, Ident>,
    /// What is assigned where they are declared, and to what: they are `()`.
    pub(super) assignments: HashMap<usize, (String, String)>,
    /// Numbers, and not values of the user's types or pointers.
    pub(super) numbers: HashSet<usize>,
    /// What is a `usize`.
    pub(super) sizes: HashSet<usize>,
    /// What has been complained of as a value, which it is not.
    pub(super) refused: HashSet<usize>,
    /// What has been complained of as an index.
    pub(super) indices: HashSet<usize>,
    /// Names whose values are in error.
    pub(super) unsound: HashSet<usize>,
}

/// What the type of a closure's parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// Nothing: what the first call passes says what it is.
    Open,
    /// What a call has passed for one without a type.
    Known,
    /// Another type.
    Otherwise,
    /// A path.
    Value,
    /// A slice, `&[T]` or `&mut [T]`.
    Slice,
}

/// A closure that a local is.
pub(super) struct Closure {
    /// What its parameters are declared as.
    pub(super) typed: Vec<Typed>,
    /// These, as they are written.
    pub(super) parameters: String,
}
