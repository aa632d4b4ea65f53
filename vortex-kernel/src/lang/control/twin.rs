//! Device functions that are functions of the host, too: `#[vortex::device(host)]`.
//!
//! Their name is the host's. What kernels call is an `enum` of the same name, of one variant that is called as the
//! function is. Where a body calls `f`, that variant is looked for in whatever type is called `f`; of other functions
//! there is none, so that [`Untwinned`] is looked into instead, and the name stays what it is.

/// Stands for the `enum` of a function that has none.
#[derive(Debug)]
pub enum Untwinned {}

/// The `enum` of a function that the host has, too.
pub trait Twin {}

/// What is called in an `unsafe` block: functions there may be unsafe themselves, and those have no traits.
#[derive(Debug)]
pub struct Callee<F>(pub F);

impl<F: Twin> Callee<F> {
    /// The function that kernels call.
    pub fn function<Arguments>(self) -> F::Function
    where
        F: crate::lang::Callable<Arguments>,
    {
        self.0.function()
    }
}

/// What has no twin is called as it is. rustc finds this method after that of [`Callee`].
pub trait CalledAsItIs {
    /// The function.
    type Function;

    /// The function.
    fn function(self) -> Self::Function;
}

impl<F> CalledAsItIs for Callee<F> {
    type Function = F;

    fn function(self) -> F {
        self.0
    }
}

/// The length of an array that is in error if the staged form of a function is, without a word of rustc's: the form
/// gives something of a hidden type, which is unknown then.
pub const fn staged_soundly<Arguments, Given>(_: fn(Arguments) -> Given) -> usize {
    let _ = size_of::<Given>();
    0
}

/// Such an array, by which the host's form of the function has its arguments. rustc has said what is wrong with the
/// staged form, and says nothing of arguments whose type is in error.
pub trait Sound<T> {
    /// The type itself.
    type This;

    /// The argument itself.
    fn this(argument: T) -> Self::This;
}

impl<T> Sound<T> for [(); 0] {
    type This = T;

    #[inline(always)]
    fn this(argument: T) -> T {
        argument
    }
}

/// An argument of the host's form.
#[inline(always)]
pub fn if_sound<Soundness: Sound<T>, T>(argument: T) -> Soundness::This {
    Soundness::this(argument)
}
