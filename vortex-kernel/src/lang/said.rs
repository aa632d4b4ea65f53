//! What a kernel says: `println!`, `panic!`, `assert!`.

use std::panic::Location;
use std::slice::Iter;

use super::StageError;
use super::flow::branch;
use super::lane::Lane;
use super::recorder::{self, At, emit, emit_const, emit_jump, emit_void};
use crate::ir::{
    BinOp, MAX_PANIC_WORDS, Message, MessageId, Op, Render, SourceLoc, Stream, Type, Value,
};
use crate::meta::Scalar;

/// What `{}` in a text of a kernel can stand for: scalars, and tuples for `{:?}`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed in a kernel",
    label = "not a value that the device can hand to the host",
    note = "numbers and `bool`s can be printed, and tuples of them with `{{:?}}`"
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
}

macro_rules! scalars {
    ($($ty:ident from $word:ident: $value:expr;)*) => {$(
        impl Shown for Lane<$ty> {
            type Host = $ty;

            fn words(self, _: At, out: &mut Vec<Value>) {
                out.push(self.value());
            }

            fn host(words: &mut Iter<'_, u32>) -> $ty {
                // The device delivers as many as it was told to; a word too few is no reason to stop the host.
                let $word = words.next().copied().unwrap_or(0);
                $value
            }
        }
    )*};
}

// Words hold small integers extended, so that cutting them off is exact.
scalars! {
    bool from word: word != 0;
    i8 from word: word as i8;
    i16 from word: word as i16;
    i32 from word: word.cast_signed();
    u8 from word: word as u8;
    u16 from word: word as u16;
    u32 from word: word;
    f32 from word: f32::from_bits(word);
    usize from word: word as usize;
    isize from word: word.cast_signed() as isize;
}

macro_rules! double_words {
    ($($ty:ident)*) => {$(
        impl Shown for Lane<$ty> {
            type Host = $ty;

            fn words(self, at: At, out: &mut Vec<Value>) {
                let ty = $ty::SCALAR.ir();
                let amount = emit_const(32, ty, at);
                let high = emit(Op::Binary(BinOp::Shr, self.value(), amount), ty, at);
                for half in [self.value(), high] {
                    out.push(emit(Op::Cast(half), Type::U32, at));
                }
            }

            fn host(words: &mut Iter<'_, u32>) -> $ty {
                let [low, high] = [(); 2].map(|()| u64::from(words.next().copied().unwrap_or(0)));
                (high << 32 | low) as $ty
            }
        }
    )*};
}

double_words! { i64 u64 }

macro_rules! tuples {
    ($(($($part:ident),*))*) => {$(
        // The empty tuple uses none of its arguments.
        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
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

tuples! { () (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }

/// A value in a text.
#[derive(Debug)]
pub struct Said<H> {
    words: Vec<Value>,
    host: fn(&mut Iter<'_, u32>) -> H,
}

/// A value for a text. Where it cannot be printed, nothing is known of the result, and rustc complains only once.
#[track_caller]
pub fn shown<A: Shown>(value: A) -> Said<A::Host> {
    let mut words = Vec::new();
    value.words(Location::caller(), &mut words);
    Said {
        words,
        host: A::host,
    }
}

/// The values in a text: nested pairs of [`Said`].
pub trait SaidValues {
    /// What the host formats.
    type Host: 'static;

    /// Appends the words that the device delivers; gives what makes values of them.
    #[doc(hidden)]
    fn take(self, out: &mut Vec<Value>) -> Decode<Self::Host>;
}

/// Makes values of words.
type Decode<H> = Box<dyn Fn(&mut Iter<'_, u32>) -> H + Send + Sync>;

impl SaidValues for () {
    type Host = ();

    fn take(self, _: &mut Vec<Value>) -> Decode<()> {
        Box::new(|_| ())
    }
}

impl<H: 'static, R: SaidValues> SaidValues for (Said<H>, R) {
    type Host = (H, R::Host);

    fn take(self, out: &mut Vec<Value>) -> Decode<Self::Host> {
        let (Said { words, host }, rest) = self;
        out.extend(words);
        let rest = rest.take(out);
        Box::new(move |words| (host(words), rest(words)))
    }
}

/// Adds a message; gives its number and the values for it.
fn message<V: SaidValues>(
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
pub fn print<V: SaidValues>(stream: Stream, text: &str, values: V, render: fn(V::Host) -> String) {
    let (message, operands) = message(stream, text, values, render);
    emit_void(Op::Print { message, operands }, Location::caller());
}

/// `panic!` and its kin: ends the work item.
#[track_caller]
pub fn panic<V: SaidValues>(text: &str, values: V, render: fn(V::Host) -> String) {
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
