//! What is known when a kernel is compiled: `#[comptime]` parameters, `comptime!` and loops over what it gives.

use std::any::TypeId;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::ir::SourceLoc;
use crate::lang::Kernel;
use crate::lang::base::flow::{Label, all_iterations, one_iteration, too_often};
use crate::lang::base::lane::Lane;
use crate::lang::error::{MOST_UNROLLED, StageError};
use crate::lang::recorder::{self, const_of, report, type_of};
use crate::types::{DeviceType, Word};

/// What a `#[comptime]` parameter can be: numbers, `bool`, and C-like enums with `#[derive(vortex::DeviceType)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a `#[comptime]` parameter",
    label = "neither a number nor a C-like enum",
    note = "the values of `#[comptime]` parameters tell images of a kernel apart: they are `bool`, integers, `f32`, `usize`, `isize`, \
            or enums without fields with `#[derive(vortex::DeviceType)]`"
)]
pub trait Comptime: Copy + 'static {
    /// The type itself.
    #[doc(hidden)]
    type This: Comptime;

    /// The value as a word of its own: other values have others.
    #[doc(hidden)]
    fn word(self) -> u64;

    /// The value of a word.
    #[doc(hidden)]
    fn of_word(word: u64) -> Self;

    /// As the name of an instance has it.
    #[doc(hidden)]
    fn text(word: u64) -> String;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Comptime for $ty {
            type This = Self;

            // Sign-extended: each value has one word.
            fn word(self) -> u64 {
                self as u64
            }

            fn of_word(word: u64) -> Self {
                word as Self
            }

            fn text(word: u64) -> String {
                Self::of_word(word).to_string()
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl Comptime for bool {
    type This = Self;

    fn word(self) -> u64 {
        self.into()
    }

    fn of_word(word: u64) -> Self {
        word != 0
    }

    fn text(word: u64) -> String {
        Self::of_word(word).to_string()
    }
}

impl Comptime for f32 {
    type This = Self;

    fn word(self) -> u64 {
        self.to_bits().into()
    }

    fn of_word(word: u64) -> Self {
        Self::from_bits(word as u32)
    }

    fn text(word: u64) -> String {
        format!("{:?}", Self::of_word(word))
    }
}

/// A kernel with values for its `#[comptime]` parameters.
#[derive(Debug)]
pub struct Instance {
    /// Tells instances apart; never 0.
    pub number: u32,
    /// `blur<3, true>`.
    pub name: Arc<str>,
    /// The values, in the order of the parameters.
    pub values: Vec<u64>,
}

/// A value, and how it is shown.
pub type ComptimeValue = (u64, fn(u64) -> String);

/// The instance of `K` for these values: the same for all who have it at a time. It is freed with the last of them.
#[must_use]
pub fn instance<K: Kernel>(values: &[ComptimeValue]) -> Arc<Instance> {
    instance_of(TypeId::of::<K>(), K::name(), values)
}

/// Of the kernel, its type and its name. It has no type parameters, so it stands once in a program.
fn instance_of(id: TypeId, kernel: &str, values: &[ComptimeValue]) -> Arc<Instance> {
    static KNOWN: Mutex<Option<Instances>> = Mutex::new(None);
    let words: Vec<u64> = values.iter().map(|(word, _)| *word).collect();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    known.find((id, words), &|| {
        let texts: Vec<String> = values.iter().map(|(word, text)| text(*word)).collect();
        let texts = texts.join(", ");
        match kernel.strip_suffix('>') {
            Some(types) => format!("{types}, {texts}>"),
            None => format!("{kernel}<{texts}>"),
        }
    })
}

/// The instances that somebody has.
#[derive(Default)]
struct Instances {
    known: HashMap<(TypeId, Vec<u64>), Weak<Instance>>,
    /// How many there may be before unused ones are looked for.
    room: usize,
}

impl Instances {
    fn find(&mut self, key: (TypeId, Vec<u64>), name: &dyn Fn() -> String) -> Arc<Instance> {
        if let Some(instance) = self.known.get(&key).and_then(Weak::upgrade) {
            return instance;
        }
        if self.known.len() >= self.room {
            self.known.retain(|_, instance| instance.strong_count() > 0);
            self.room = (2 * self.known.len()).max(16);
        }
        // Never given twice: images of one that is gone may still be in a cache.
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let instance = Arc::new(Instance {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            name: name().into(),
            values: key.1.clone(),
        });
        self.known.insert(key, Arc::downgrade(&instance));
        instance
    }
}

/// The `#[comptime]` parameter of this number.
#[track_caller]
#[must_use]
pub fn param_comptime<T: Comptime>(number: usize) -> T {
    let word = recorder::with(|recorder| recorder.comptime.get(number).copied());
    T::of_word(word.unwrap_or_else(|| {
        let at = SourceLoc::from_caller(Location::caller());
        report(StageError::NoComptimeValues { at });
        0
    }))
}

/// The `#[comptime]` parameter `name` of a device function: what it was called with, which has to be a constant by now.
#[track_caller]
#[must_use]
pub fn known<T: Comptime + DeviceType<Repr = Word>>(name: &'static str, argument: Lane<T>) -> T {
    let value = argument.value();
    let Some(word) = const_of(value) else {
        let at = SourceLoc::from_caller(Location::caller());
        report(StageError::ComptimeArgument { name, at });
        return T::of_word(0);
    };
    let ty = type_of(value);
    // As `Comptime` has it, negative numbers are negative in 64 bits, too.
    match ty.is_signed() && !ty.is_wide() {
        true => T::of_word(i64::from((word as u32).cast_signed()).cast_unsigned()),
        false => T::of_word(word),
    }
}

/// `for item in comptime!(items) { .. }`: each iteration is recorded on its own, and `item` is a value of the host
/// there.
#[track_caller]
pub fn for_comptime<I: IntoIterator>(items: I, mut body: impl FnMut(Label, I::Item)) {
    let at = Location::caller();
    let mut iterations = 0;
    let all = |exit| {
        for item in items {
            iterations += 1;
            if iterations > MOST_UNROLLED {
                break;
            }
            one_iteration(exit, |label| body(label, item), at);
        }
    };
    all_iterations(all, at);
    if iterations > MOST_UNROLLED {
        too_often(iterations, at);
    }
}
