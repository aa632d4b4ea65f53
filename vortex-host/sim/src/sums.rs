//! Counters that are added up field by field.

/// Makes a struct whose fields are counters, or structs of counters in turn, and `plus`, which adds two of them up. It
/// is exported for the profiles of `vortex-host`, whose counters are those of the cycle model.
#[doc(hidden)]
#[macro_export]
macro_rules! sums {
    (@add u64, $one:expr, $other:expr) => { $one.saturating_add($other) };
    (@add $nested:ident, $one:expr, $other:expr) => { $one.plus(&$other) };

    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $kind:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)+
        }

        impl $name {
            /// Both added up, field by field.
            #[must_use]
            pub fn plus(&self, other: &Self) -> Self {
                Self { $($field: $crate::sums!(@add $kind, self.$field, other.$field),)+ }
            }
        }
    };
}
