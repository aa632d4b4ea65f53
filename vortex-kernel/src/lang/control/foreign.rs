//! Names that may be nobody's: of other GPU languages, `CUBE_DIM`, `atomicAdd`, and of variants in patterns.

use std::marker::PhantomData;

use super::pattern::Matched;

/// What a name refers to that is another language's and nothing of the user's: nothing that a kernel has.
#[derive(Clone, Copy, Debug)]
pub struct NoSuchName;

/// What a name refers to that is the user's.
#[derive(Clone, Copy, Debug)]
pub struct NameOfUser<T>(pub T);

/// What stands for a variant in a pattern, whose name may be nobody's: then a pattern gives the name to a value, as
/// rustc sees it.
#[derive(Clone, Copy, Debug)]
pub struct VariantNamed<T>(pub T);

impl VariantNamed<NoSuchName> {
    /// Nothing that the user has.
    #[must_use]
    pub fn found(self) -> NoSuchName {
        self.0
    }
}

/// For all else that a name may refer to.
pub trait VariantFound {
    /// What it refers to.
    type It;

    /// That, as the user's.
    fn found(self) -> NameOfUser<Self::It>;
}

impl<T> VariantFound for VariantNamed<T> {
    type It = T;

    fn found(self) -> NameOfUser<T> {
        NameOfUser(self.0)
    }
}

/// What is matched, and what a pattern can compare it with.
#[diagnostic::on_unimplemented(
    message = "this is a new name for the value, and no variant of `{Self}`",
    label = "this matches everything",
    note = "write `{Self}::` in front of it if that is an enum; a number is compared with a literal, with a `const`, \
            or by a guard, as in `n if n == key => ..`"
)]
pub trait HasVariant<V>: Sized {
    /// What the name refers to.
    type It;

    /// That.
    fn meaning(of: PhantomData<Self>, variant: V) -> Self::It;
}

#[diagnostic::do_not_recommend]
impl<T, It> HasVariant<NameOfUser<It>> for T {
    type It = It;

    fn meaning(_: PhantomData<T>, variant: NameOfUser<It>) -> It {
        variant.0
    }
}

/// Of one implementation alone rustc would take the types, and complain of others.
#[diagnostic::do_not_recommend]
impl<T> HasVariant<()> for T {
    type It = ();

    fn meaning(_: PhantomData<T>, (): ()) {}
}

/// The type that patterns are of.
pub const fn type_of_patterns<S: Matched>(_: &S) -> PhantomData<S::Host> {
    PhantomData
}
