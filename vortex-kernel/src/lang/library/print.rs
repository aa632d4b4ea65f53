//! What a kernel says: `println!`, `panic!`, `assert!`.

use std::panic::Location;
use std::slice::Iter;

use crate::ir::{
    BinOp, MAX_PANIC_WORDS, Message, MessageId, Op, Render, SourceLoc, Stream, Type, Value,
};
use crate::lang::StageError;
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::base::tuples::up_to;
use crate::lang::recorder::{self, At, emit, emit_const, emit_jump, emit_void, type_of};
use crate::lang::value::option::{Opt, inside};
use crate::types::Element;

/// What `{}` in a text of a kernel can stand for: scalars, and for `{:?}` what else device types are, tuples and
/// options.
#[diagnostic::on_unimplemented(
    message = "this cannot be printed in a kernel",
    label = "not a value that the device can hand to the host",
    note = "of a slice, print the elements, one by one: `for v in x {{ println!(\"{{}}\", v); }}`",
    note = "numbers and `bool`s can be printed, and with `{{:?}}` structs and enums that derive `Debug`, arrays, tuples and options of them"
)]
pub trait Shown: Copy + 'static {
    /// What the host formats.
    type Host;

    /// Appends the words that the device delivers.
    #[doc(hidden)]
    fn words(self, at: &'static Location<'static>, out: &mut Vec<Value>);

    /// The value that these words are.
    #[doc(hidden)]
    fn host(words: &mut Iter<'_, u32>) -> Self::Host;

    /// The value for a text. Where it cannot be printed, nothing is known of the result, and rustc complains only once.
    #[doc(hidden)]
    #[track_caller]
    fn shown(self) -> Formatted<Self::Host> {
        let mut words = Vec::new();
        self.words(Location::caller(), &mut words);
        Formatted {
            words,
            host: Self::host,
        }
    }
}

/// What can lie in memory: its words are put where they would lie there.
#[diagnostic::do_not_recommend]
impl<T: Element> Shown for Lane<T> {
    type Host = T;

    fn words(self, at: At, out: &mut Vec<Value>) {
        for value in values_of(self) {
            match type_of(value) {
                ty @ (Type::I64 | Type::U64) => {
                    let amount = emit_const(32, ty, at);
                    let high = emit(Op::Binary(BinOp::Shr, value, amount), ty, at);
                    for half in [value, high] {
                        out.push(emit(Op::Cast(half), Type::U32, at));
                    }
                }
                Type::F16 | Type::BF16 => out.push(emit(Op::Bitcast(value), Type::U16, at)),
                _ => out.push(value),
            }
        }
    }

    fn host(words: &mut Iter<'_, u32>) -> T {
        let mut leaves = Vec::new();
        T::leaves(0, &mut leaves);
        let mut bytes = vec![0; size_of::<T>()];
        for leaf in leaves {
            let places = bytes.iter_mut().skip(leaf.offset as usize);
            let mut places: Vec<_> = places.take(leaf.ty.bytes() as usize).collect();
            for word_of_leaf in places.chunks_mut(4) {
                for (place, byte) in word_of_leaf.iter_mut().zip(next(words)) {
                    **place = byte;
                }
            }
        }
        // What no message delivered may be no `T`; that is no reason to stop the host.
        T::from_bytes(&bytes).unwrap_or_else(T::placeholder)
    }
}

/// The next word. The device delivers as many as it was told to; a word too few is no reason to stop the host.
fn next(words: &mut Iter<'_, u32>) -> [u8; 4] {
    words.next().copied().unwrap_or(0).to_le_bytes()
}

macro_rules! sizes {
    ($($ty:ident from $word:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Shown for Lane<$ty> {
            type Host = $ty;

            fn words(self, _: At, out: &mut Vec<Value>) {
                out.push(self.value());
            }

            fn host(words: &mut Iter<'_, u32>) -> $ty {
                $word::from_le_bytes(next(words)) as $ty
            }
        }

        #[diagnostic::do_not_recommend]
        impl<const N: usize> Shown for Lane<[$ty; N]> {
            type Host = [$ty; N];

            fn words(self, _: At, out: &mut Vec<Value>) {
                out.extend(values_of(self));
            }

            fn host(words: &mut Iter<'_, u32>) -> [$ty; N] {
                std::array::from_fn(|_| $word::from_le_bytes(next(words)) as $ty)
            }
        }
    )*};
}

sizes! {
    usize from u32;
    isize from i32;
}

#[diagnostic::do_not_recommend]
impl<S: Shown + Staged> Shown for Opt<S> {
    type Host = Option<S::Host>;

    fn words(self, at: At, out: &mut Vec<Value>) {
        out.push(self.is_some().value());
        inside(self).words(at, out);
    }

    fn host(words: &mut Iter<'_, u32>) -> Self::Host {
        let some = next(words) != [0; 4];
        let value = S::host(words);
        some.then_some(value)
    }
}

macro_rules! tuples {
    ($(($($part:ident $_name:ident),*))*) => {$(
        // The empty tuple uses none of its arguments.
        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
        #[diagnostic::do_not_recommend]
        impl<$($part: Shown),*> Shown for ($($part,)*) {
            type Host = ($($part::Host,)*);

            fn words(self, at: At, out: &mut Vec<Value>) {
                let ($($part,)*) = self;
                $($part.words(at, out);)*
            }

            fn host(words: &mut Iter<'_, u32>) -> Self::Host {
                ($($part::host(words),)*)
            }
        }
    )*};
}

up_to! { 6, tuples! { () } }

/// A value in a text.
#[derive(Debug)]
pub struct Formatted<H> {
    words: Vec<Value>,
    host: fn(&mut Iter<'_, u32>) -> H,
}

/// The values in a text: nested pairs of [`Formatted`].
pub trait FormattedValues {
    /// What the host formats.
    type Host: 'static;

    /// Appends the words that the device delivers; gives what makes values of them.
    #[doc(hidden)]
    fn take(self, out: &mut Vec<Value>) -> Decode<Self::Host>;
}

/// Makes values of words.
type Decode<H> = Box<dyn Fn(&mut Iter<'_, u32>) -> H + Send + Sync>;

impl FormattedValues for () {
    type Host = ();

    fn take(self, _: &mut Vec<Value>) -> Decode<()> {
        Box::new(|_| ())
    }
}

impl<H: 'static, R: FormattedValues> FormattedValues for (Formatted<H>, R) {
    type Host = (H, R::Host);

    fn take(self, out: &mut Vec<Value>) -> Decode<Self::Host> {
        let (Formatted { words, host }, rest) = self;
        out.extend(words);
        let rest = rest.take(out);
        Box::new(move |words| (host(words), rest(words)))
    }
}

/// Adds a message; gives its number and the values for it.
fn message<V: FormattedValues>(
    stream: Stream,
    text: &str,
    values: V,
    render: fn(V::Host) -> String,
) -> (MessageId, Vec<Value>) {
    let mut operands = Vec::new();
    let decode = values.take(&mut operands);
    let message = recorder::message(Message {
        text: text.to_owned(),
        stream,
        // A text has as many values as a person has written.
        words: operands.len() as u32,
        render: Render::new(move |words| render(decode(&mut words.iter()))),
    });
    (message, operands)
}

/// `println!` and its kin.
#[track_caller]
pub fn print<V: FormattedValues>(
    stream: Stream,
    text: &str,
    values: V,
    render: fn(V::Host) -> String,
) {
    let (message, operands) = message(stream, text, values, render);
    emit_void(Op::Print { message, operands }, Location::caller());
}

/// `panic!` and its kin: ends the work item.
#[track_caller]
pub fn panic<V: FormattedValues>(text: &str, values: V, render: fn(V::Host) -> String) {
    let at: At = Location::caller();
    let (message, operands) = message(Stream::Err, text, values, render);
    if operands.len() > MAX_PANIC_WORDS {
        recorder::report(StageError::PanicTooLong {
            words: operands.len(),
            at: SourceLoc::from_caller(at),
        });
    }
    emit_void(Op::Panic { message, operands }, at);
    emit_jump(Op::Return, at);
}

/// `assert!`: does `otherwise`, which panics, where the condition does not hold.
#[track_caller]
pub fn require(condition: impl FnOnce() -> Lane<bool>, otherwise: impl FnOnce()) {
    branch(condition().value(), || (), otherwise, Location::caller());
}

/// The right side of `assert_eq!`, which has the type of the left side.
pub fn like<T>(_: &T, right: impl FnOnce() -> T) -> T {
    right()
}
