//! The mistakes that a device checks for.

use std::str::FromStr;
use thiserror::Error;

/// Makes the switches, and what goes over all of them, of a row for each.
macro_rules! checks {
    ($(#[$about:meta])* pub struct Checks {
        $($(#[$doc:meta])* $field:ident: $name:literal, $default:literal;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Checks {
            $($(#[$doc])* pub $field: bool,)*
        }

        impl Checks {
            /// What [`Checks::from_str`] knows, apart from `all` and `none`.
            const NAMES: &[&str] = &[$($name),*];

            const fn uniform(on: bool) -> Checks {
                Checks { $($field: on),* }
            }

            fn switch(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $($name => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }

        impl Default for Checks {
            /// Everything on, save [`Checks::foreign_races`] and [`Checks::lockstep`].
            fn default() -> Self {
                Checks { $($field: $default),* }
            }
        }
    };
}

checks! {
    /// Mistakes that hardware would not notice, or would not survive.
    ///
    /// Mistakes without a sensible continuation always end a run: illegal instructions, execution outside of all
    /// memory, and warps that wait for ever.
    ///
    /// As a string, as in the environment variable `VORTEX_CHECKS`, it is a list of names that are switched on, or
    /// off with a minus, starting with the default or with `all` or `none`:
    ///
    /// ```
    /// use vortex_sim::Checks;
    ///
    /// let checks: Checks = "none, bounds".parse()?;
    /// assert!(checks.bounds && !checks.divergence);
    /// let checks: Checks = "-reconvergence".parse()?;
    /// assert!(checks.divergence && !checks.reconvergence);
    /// # Ok::<(), vortex_sim::UnknownCheck>(())
    /// ```
    pub struct Checks {
        // Field, name in lists, and whether it is on by default.
        /// Accesses are checked against exact allocations with a gap between them. Off: against whole 4 KiB pages.
        bounds: "bounds", true;
        /// Accesses to pages that no allocation touches. Off: there is memory everywhere, which holds garbage until it
        /// is written.
        unmapped: "unmapped", true;
        /// Accesses that memory is not meant for: stores to programs and to other read-only memory, loads of what can
        /// only be written. Off: everything can be done everywhere, and a program that writes to its own code
        /// executes what it wrote.
        rights: "rights", true;
        /// Loads and stores at addresses that are not a multiple of their size. Off: they are done byte by byte. Atomic
        /// accesses, which cannot be split, are always checked.
        alignment: "alignment", true;
        /// Freed memory is handed out again as late as possible, and an access to it says what was there. Off: at
        /// once, and it is out of bounds like any other.
        freed: "freed", true;
        /// Registers and memory hold garbage until they are written. It may be copied; but no branch and no address may
        /// depend on it, and it may not reach memory that the host reads. Off: whatever is there is used.
        uninitialised: "uninitialised", true;
        /// Branches, indirect jumps and CSR writes on which active lanes disagree. Off: the last active lane decides.
        divergence: "divergence", true;
        /// Accesses to the same memory, of which at least one changes it, by warps of which neither waits for the
        /// other; and lanes that store different values to one address at once; and stores to what a kernel takes by
        /// `&`. Of programs that bring Vortex's own start-up, only with [`Checks::foreign_races`].
        races: "races", true;
        /// Lanes of a warp that change one element in one instruction, each beginning with what was there before, as in
        /// `c[0] += 1`: all changes but one are lost. Only this library's kernels are checked. Off: the last lane's is
        /// kept.
        lost_updates: "lost-updates", true;
        /// Accesses of different work items that only lockstep orders, such as those of a group that fits one warp
        /// without a barrier between them. Off by default.
        lockstep: "lockstep", false;
        /// The same as [`Checks::races`] in programs that bring Vortex's own start-up
        /// ([`Machine::run_foreign`](crate::Machine::run_foreign)), whatever [`Checks::races`] says. Off by default: an
        /// atomic load or store of C is a plain instruction in such a program, and the start-up has all cores write the
        /// same variables.
        foreign_races: "foreign-races", false;
        /// More open splits than a warp has room for, joins without an open one or with a depth that is not that of the
        /// innermost, and splits that are open when a warp ends. Off: without room, the lanes of the smaller side wait
        /// until the join of the enclosing split; a `join` without an open split does nothing; and any other ends the
        /// innermost one.
        reconvergence: "reconvergence", true;
        /// Barriers for 0 warps or more than there are, for a number that is not that of the warps that wait there
        /// already, or without the lanes on the other side of a split; and, in kernels of this library, warps that wait
        /// for each other at different barriers of the source, or for different groups. Off: a count of 0 is not a
        /// barrier, and the last to arrive decides.
        barriers: "barriers", true;
    }
}

/// A word in a list of checks, such as `VORTEX_CHECKS`, that does not name one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no check; there are {list}, and `all` and `none`", list = Checks::NAMES.join(", "))]
pub struct UnknownCheck(String);

impl Checks {
    /// All checks, including those that are off by default.
    #[must_use]
    pub const fn all() -> Checks {
        Checks::uniform(true)
    }

    /// Everything off: as trusting as hardware.
    #[must_use]
    pub const fn none() -> Checks {
        Checks::uniform(false)
    }

    /// What a list as in `VORTEX_CHECKS` says, and whether it says if races are watched for.
    pub(super) fn of_list(list: &str) -> Result<(Checks, bool), UnknownCheck> {
        let (mut checks, mut says_of_races) = (Checks::default(), false);
        for word in list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let (name, on) = match word.strip_prefix('-') {
                Some(name) => (name, false),
                None => (word, true),
            };
            says_of_races |= matches!(name, "races" | "all" | "none");
            match name {
                "all" if on => checks = Checks::all(),
                "none" if on => checks = Checks::none(),
                _ => {
                    *checks
                        .switch(name)
                        .ok_or_else(|| UnknownCheck(word.to_owned()))? = on;
                }
            }
        }
        Ok((checks, says_of_races))
    }
}

impl FromStr for Checks {
    type Err = UnknownCheck;

    fn from_str(list: &str) -> Result<Checks, UnknownCheck> {
        Checks::of_list(list).map(|(checks, _)| checks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_switch() {
        for name in Checks::NAMES {
            let mut only: Checks = format!("none,{name}").parse().unwrap();
            assert!(only != Checks::none(), "{name}");
            *only.switch(name).unwrap() = false;
            assert_eq!(only, Checks::none(), "{name}");
        }
        assert_eq!("all,none".parse(), Ok(Checks::none()));
        assert_eq!("".parse(), Ok(Checks::default()));
        for (list, says_of_races) in [
            ("", false),
            ("bounds", false),
            ("-races", true),
            ("bounds, none", true),
        ] {
            assert_eq!(Checks::of_list(list).unwrap().1, says_of_races, "{list}");
        }
    }

    #[test]
    fn other_words_are_errors() {
        let error = "bounds,speling".parse::<Checks>().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`speling` is no check; there are bounds, ")
        );
        assert!("-all".parse::<Checks>().is_err());
    }
}
