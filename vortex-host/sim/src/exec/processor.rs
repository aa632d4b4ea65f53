//! The processors that the interpreter is compiled for.
//!
//! A function is compiled for what the one around it is compiled for only if it becomes a part of that. So what is to
//! be fast consists of functions that are always inlined, up to a [`Work`], of which [`Processor::call`] makes a
//! function of its own: once for each processor, however many copies of the interpreter loop call it.

use super::fused::fused;

/// A function for [`Processor::call`]. A type instead of a closure, as only that can be told to be always inlined.
pub(super) trait Work<A, B, C> {
    type Result;

    /// To be `inline(always)`.
    fn on<P: Processor>(self, processor: P, a: A, b: B, c: C) -> Self::Result;
}

/// A processor that is there.
pub(super) trait Processor: Copy {
    /// `a * b + c`, rounded once.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;

    /// Calls a function that is compiled for the processor.
    fn call<W: Work<A, B, C>, A, B, C>(self, work: W, a: A, b: B, c: C) -> W::Result;

    /// The same of what is so short, or so frequent, that a call would matter: it is made a part of the caller, unless
    /// that takes longer to build than the few who have such a processor gain.
    fn inline<W: Work<A, B, C>, A, B, C>(self, work: W, a: A, b: B, c: C) -> W::Result;
}

/// Any processor.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Processor for Plain {
    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        fused(a, b, c)
    }

    #[inline(never)]
    fn call<W: Work<A, B, C>, A, B, C>(self, work: W, a: A, b: B, c: C) -> W::Result {
        work.on(self, a, b, c)
    }

    #[inline(always)]
    fn inline<W: Work<A, B, C>, A, B, C>(self, work: W, a: A, b: B, c: C) -> W::Result {
        // Nearly all x86s are `Wide`; elsewhere, all are `Plain`.
        if cfg!(target_arch = "x86_64") {
            self.call(work, a, b, c)
        } else {
            work.on(self, a, b, c)
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::Wide;

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Processor, Work};
    use std::sync::LazyLock;

    /// One that has more than x86-64 asks of it: vectors of eight lanes, and a fused multiply-add. There is a value of
    /// this type only where there is such a processor.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide(());

    /// Declares `Wide::get` and a function that is compiled for such processors: one list of features for both, as
    /// calling a function on a processor without one of its features is undefined.
    macro_rules! compiled_for {
        ($($feature:tt),*) => {
            impl Wide {
                /// This processor, if it has all of the features.
                #[inline]
                pub(in super::super) fn get() -> Option<Wide> {
                    static THERE: LazyLock<bool> =
                        LazyLock::new(|| true $(&& is_x86_feature_detected!($feature))*);
                    THERE.then_some(Wide(()))
                }
            }

            $(#[target_feature(enable = $feature)])*
            #[inline(never)]
            fn call<W: Work<A, B, C>, A, B, C>(
                processor: Wide,
                work: W,
                a: A,
                b: B,
                c: C,
            ) -> W::Result {
                work.on(processor, a, b, c)
            }
        };
    }
    compiled_for!("avx2", "fma", "bmi1", "bmi2", "lzcnt", "popcnt");

    impl Processor for Wide {
        #[inline(always)]
        fn mul_add(a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        #[inline(always)]
        fn call<W: Work<A, B, C>, A, B, C>(self, work: W, a: A, b: B, c: C) -> W::Result {
            // SAFETY: this processor has the features that the function is compiled for: there is no `self` otherwise,
            // as `get` asks for those of the same list.
            unsafe { call(self, work, a, b, c) }
        }

        #[inline(always)]
        fn inline<W: Work<A, B, C>, A, B, C>(self, work: W, a: A, b: B, c: C) -> W::Result {
            work.on(self, a, b, c)
        }
    }
}
