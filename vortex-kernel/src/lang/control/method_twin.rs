//! Methods that are methods of the host, too: `#[vortex::device(host)]` in front of an `impl` block or a trait.
//!
//! The names are the host's. What kernels call are methods of the same names of another type, the *key* of the block,
//! which stands in a place that has no name. Where a body calls `x.speed()`, rustc is asked whether the type of `x` has
//! a twin of that name ([`HasTwin`], by a number that stands for the name): then the method is looked for in the key,
//! and else in the type itself. Which of the two is decided by where a method is found: [`PickTwin`] takes its receiver
//! by value, and so comes before [`PickPlain`].
//!
//! Functions that are named by their type, `Ball::new(1.0)`, are told apart by their types on the host, in the same
//! way.

use std::marker::PhantomData;

use super::method::{ReadOnly, ReadWrite};
use crate::lang::base::tuples::up_to;
use crate::lang::value::Component;

/// Stands for the methods of a `T`.
///
/// A type of this crate, so that a trait of the user's can say of all its implementations that they have twins.
#[derive(Debug)]
pub struct Methods<T>(PhantomData<T>);

/// That a type has a method with a twin, which is a method of `Key`.
pub trait HasTwin<const NAME: u64, Key> {
    /// What the method is called on.
    fn key() -> Key;
}

/// What a method is called on, before it is known whether it has a twin.
#[derive(Debug)]
pub struct MethodChoice<const NAME: u64, Receiver>(Option<Receiver>);

impl<const NAME: u64, Receiver> MethodChoice<NAME, Receiver> {
    /// Of this receiver.
    pub const fn of(receiver: Receiver) -> Self {
        Self(Some(receiver))
    }
}

/// Of a method with a twin: the key.
pub trait PickTwin<Key> {
    /// The key, with what may be done to the receiver.
    type Picked;

    /// The key.
    fn pick(self) -> Self::Picked;
}

macro_rules! pick_twin {
    ($($receiver:ident)*) => {$(
        impl<const NAME: u64, T, Key> PickTwin<Key> for MethodChoice<NAME, $receiver<T>>
        where
            Methods<T>: HasTwin<NAME, Key>,
        {
            type Picked = $receiver<Key>;

            fn pick(self) -> $receiver<Key> {
                $receiver::new(Methods::<T>::key())
            }
        }
    )*};
}

pick_twin! { ReadOnly ReadWrite }

/// Of any other method: the receiver.
pub trait PickPlain {
    /// The receiver.
    type Picked;

    /// The receiver.
    fn pick(&mut self) -> Self::Picked;
}

impl<const NAME: u64, Receiver> PickPlain for MethodChoice<NAME, Receiver> {
    type Picked = Receiver;

    fn pick(&mut self) -> Receiver {
        picked(&mut self.0)
    }
}

/// What is asked for once.
fn picked<T>(choice: &mut Option<T>) -> T {
    match choice.take() {
        Some(picked) => picked,
        None => unreachable!("generated code picks once"),
    }
}

/// That a function of the host, by its type, has a twin of this name.
pub trait TwinFunction<const NAME: u64, Key> {
    /// The type of what kernels call.
    type Function;

    /// What kernels call.
    fn function() -> Self::Function;
}

/// A function that is named by its type, before it is known whether it has a twin.
#[derive(Debug)]
pub struct FunctionChoice<const NAME: u64, Function>(Option<Function>);

impl<const NAME: u64, Function> FunctionChoice<NAME, Function> {
    /// Of this function.
    pub const fn of(function: Function) -> Self {
        Self(Some(function))
    }
}

/// Of a function with a twin: that.
pub trait PickTwinFunction<Key, Arguments> {
    /// The twin's type.
    type Picked;

    /// The twin.
    fn pick(self) -> Self::Picked;
}

macro_rules! pick_twin_function {
    ($(($($argument:ident $_name:ident),*))*) => {$(
        impl<const NAME: u64, Function, Result, Key, $($argument),*> PickTwinFunction<Key, ($($argument,)*)>
            for FunctionChoice<NAME, Function>
        where
            Function: Fn($($argument),*) -> Result,
            fn($($argument),*) -> Result: TwinFunction<NAME, Key>,
        {
            type Picked = <fn($($argument),*) -> Result as TwinFunction<NAME, Key>>::Function;

            fn pick(self) -> Self::Picked {
                <fn($($argument),*) -> Result as TwinFunction<NAME, Key>>::function()
            }
        }
    )*};
}

up_to! { 6, pick_twin_function! { () } }

/// Of any other function: that.
pub trait PickPlainFunction {
    /// The function's type.
    type Picked;

    /// The function.
    fn pick(&mut self) -> Self::Picked;
}

impl<const NAME: u64, Function> PickPlainFunction for FunctionChoice<NAME, Function> {
    type Picked = Function;

    fn pick(&mut self) -> Function {
        picked(&mut self.0)
    }
}

/// Of a function of the language's short vectors: that.
pub trait PickVectors<Arguments> {
    /// The function's type.
    type Function;

    /// The function, which has no twin.
    fn choice<const NAME: u64>(self) -> Alone<Self::Function>;
}

/// Of a function of a type of the user's by that name.
pub trait PickOther {
    /// The function's type.
    type Function;

    /// The function, before it is known whether it has a twin.
    fn choice<const NAME: u64>(&mut self) -> FunctionChoice<NAME, Self::Function>;
}

/// A function that has no twin.
#[derive(Debug)]
pub struct Alone<Function>(Function);

impl<Function> Alone<Function> {
    /// The function.
    pub fn pick(self) -> Function {
        self.0
    }
}

macro_rules! of_vectors {
    ($($(#[$doc:meta])* $name:ident $vec:ident ($($component:ident),*);)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<Function>(Option<Function>);

        impl<Function> $name<Function> {
            /// Of this function.
            pub const fn of(function: Function) -> Self {
                Self(Some(function))
            }
        }

        impl<C: Component, Function> PickVectors<($($component,)*)> for $name<Function>
        where
            Function: Fn($($component),*) -> C::$vec,
        {
            type Function = Function;

            fn choice<const NAME: u64>(mut self) -> Alone<Function> {
                Alone(picked(&mut self.0))
            }
        }

        impl<C: Component, Function: Fn(C) -> C::$vec> PickVectors<(C,)> for $name<Function> {
            type Function = Function;

            fn choice<const NAME: u64>(mut self) -> Alone<Function> {
                Alone(picked(&mut self.0))
            }
        }

        impl<Function> PickOther for $name<Function> {
            type Function = Function;

            fn choice<const NAME: u64>(&mut self) -> FunctionChoice<NAME, Function> {
                FunctionChoice(self.0.take())
            }
        }
    )*};
}

of_vectors! {
    /// `Vec2::new` or `Vec2::splat`, before it is known whose.
    OfVec2 Vec2 (C, C);
    /// `Vec3::new` or `Vec3::splat`, before it is known whose.
    OfVec3 Vec3 (C, C, C);
    /// `Vec4::new` or `Vec4::splat`, before it is known whose.
    OfVec4 Vec4 (C, C, C, C);
}
