//! The settings of the cycle model by name: one table, used to read texts, to check values, and by
//! [`Model::named`](crate::Model::named), sweeps and their pages to list all settings.

use super::config::{CacheConfig, Divider, TimingConfig};
use crate::count::{Scaled, Several};
use std::fmt;
use thiserror::Error;

/// A setting of [`TimingConfig`] that has a name.
pub struct Knob {
    /// Its name, such as `dcache.size`: fields of [`TimingConfig`] and what they consist of, with dots between.
    pub name: &'static str,
    /// What it is, and in what it counts, in a few words in lower case.
    pub meaning: &'static str,
    kind: Kind,
}

enum Kind {
    /// A number, and where it is kept; of a cache that is not there, this puts it there.
    Number {
        place: fn(&mut TimingConfig) -> &mut u32,
        range: Range,
    },
    /// A number that the rest of the hardware decides, as long as it is not set.
    NumberOrAuto {
        place: fn(&mut TimingConfig) -> &mut Option<u32>,
        range: Range,
    },
    Switch {
        is_on: fn(&TimingConfig) -> bool,
        turn: fn(&mut TimingConfig, bool),
    },
}

/// Numbers that hardware can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: u32,
    most: u32,
    powers_of_two: bool,
}

/// A setting of the cycle model that cannot be. Nothing was set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KnobError {
    /// Nothing has that name.
    #[error("the cycle model has no `{name}`: there is {}", Several(&quoted(.near)))]
    Unknown {
        /// What was taken for a name.
        name: String,
        /// Names with a part in common with it, or else all.
        near: Vec<&'static str>,
    },
    /// No value where there must be one.
    #[error("`{name}` needs a value: {expected}, as in `{name}={example}`")]
    NoValue {
        /// Name of the knob.
        name: &'static str,
        /// The values that it can have, as [`Knob::values`].
        expected: String,
        /// One of them: the one that it has.
        example: String,
    },
    /// A value that this hardware cannot have.
    #[error("`{name}` cannot be `{value}`: {expected} can be")]
    Value {
        /// Name of the knob.
        name: &'static str,
        /// What was asked for.
        value: String,
        /// The values that it can have, as [`Knob::values`].
        expected: String,
    },
}

const fn number(
    name: &'static str,
    meaning: &'static str,
    range: Range,
    place: fn(&mut TimingConfig) -> &mut u32,
) -> Knob {
    Knob {
        name,
        meaning,
        kind: Kind::Number { place, range },
    }
}

const fn number_or_auto(
    name: &'static str,
    meaning: &'static str,
    range: Range,
    place: fn(&mut TimingConfig) -> &mut Option<u32>,
) -> Knob {
    Knob {
        name,
        meaning,
        kind: Kind::NumberOrAuto { place, range },
    }
}

const fn switch(
    name: &'static str,
    meaning: &'static str,
    is_on: fn(&TimingConfig) -> bool,
    turn: fn(&mut TimingConfig, bool),
) -> Knob {
    Knob {
        name,
        meaning,
        kind: Kind::Switch { is_on, turn },
    }
}

const fn from(least: u32, most: u32) -> Range {
    Range {
        least,
        most,
        powers_of_two: false,
    }
}

const fn powers(least: u32, most: u32) -> Range {
    Range {
        least,
        most,
        powers_of_two: true,
    }
}

const L1_SIZE: Range = powers(1 << 10, 1 << 20);
const OUTER_SIZE: Range = powers(8 << 10, 64 << 20);
const WAYS: Range = powers(1, 16);
const MISSES: Range = powers(2, 64);
const MEMORY_QUEUE: Range = from(1, 64);
const STAGES: Range = from(1, 64);
const MEMORY_CYCLES: Range = from(1, 1000);

/// What a [`Kind::NumberOrAuto`] is set to by default.
const AUTO: &str = "auto";

/// All settings that have names. Switches come before what they would reset.
#[rustfmt::skip]
pub static KNOBS: &[Knob] = &[
    number("warps_per_slice", "warps for each issue slice of a core", powers(1, 32), |t| &mut t.warps_per_slice),
    number("instruction_buffer", "decoded instructions that a warp keeps", powers(1, 16), |t| &mut t.instruction_buffer),
    number("register_banks", "banks of a slice's register file", powers(1, 8), |t| &mut t.register_banks),
    number("multiply", "stages of the multiplier", STAGES, |t| &mut t.multiply),
    switch("serial-divider", "a divider that takes one division at a time, one bit in a cycle",
        |t| matches!(t.divider, Divider::Serial { .. }),
        |t, on| match (on, t.divider) {
            (true, Divider::Pipelined { .. }) => t.divider = Divider::serial(),
            (false, Divider::Serial { .. }) => t.divider = TimingConfig::of(t.generation).divider,
            _ => {}
        }),
    number("divide", "stages of the divider, or cycles of a serial one", STAGES, |t| match &mut t.divider {
        Divider::Pipelined { stages } => stages,
        Divider::Serial { cycles } => cycles,
    }),
    number("float_multiply_add", "stages of float addition, multiplication and both", STAGES,
        |t| &mut t.float_multiply_add),
    number("float_divide", "stages of float division", STAGES, |t| &mut t.float_divide),
    number("float_square_root", "stages of the square root", STAGES, |t| &mut t.float_square_root),
    number("float_convert", "stages of conversions between float and integer", STAGES, |t| &mut t.float_convert),
    number("float_misc", "stages of float comparisons, moves, min and max", STAGES, |t| &mut t.float_misc),
    number("float_queue", "float instructions that a slice's unit works on at once", powers(1, 16),
        |t| &mut t.float_queue),
    number("load_queue", "loads that a core has under way; on Vortex 3 two for each warp at least", powers(1, 64),
        |t| &mut t.load_queue),
    number_or_auto("coalesced", "bytes that the coalescer merges into a request at most", powers(4, 64),
        |t| &mut t.coalesced),
    number("cores_per_socket", "cores that share L1 caches", from(1, 16), |t| &mut t.cores_per_socket),
    number("icache.size", "bytes of a socket's instruction cache", L1_SIZE, |t| &mut t.icache.size),
    number("icache.ways", "lines per set", WAYS, |t| &mut t.icache.ways),
    number("icache.misses", "requests per bank that wait for memory", MISSES, |t| &mut t.icache.misses),
    number("icache.memory_queue", "requests to memory that a bank queues", MEMORY_QUEUE,
        |t| &mut t.icache.memory_queue),
    number("dcache.size", "bytes of a socket's data cache", L1_SIZE, |t| &mut t.dcache.size),
    number("dcache.ways", "lines per set", WAYS, |t| &mut t.dcache.ways),
    number("dcache.misses", "requests per bank that wait for memory", MISSES, |t| &mut t.dcache.misses),
    number("dcache.memory_queue", "requests to memory that a bank queues", MEMORY_QUEUE,
        |t| &mut t.dcache.memory_queue),
    switch("l2", "a cache behind all sockets", |t| t.l2.is_some(), |t, on| turn(&mut t.l2, on, CacheConfig::l2)),
    number("l2.size", "bytes of it", OUTER_SIZE, |t| &mut t.l2.get_or_insert_with(CacheConfig::l2).size),
    number("l2.ways", "lines per set", WAYS, |t| &mut t.l2.get_or_insert_with(CacheConfig::l2).ways),
    number("l2.misses", "requests per bank that wait for memory", MISSES,
        |t| &mut t.l2.get_or_insert_with(CacheConfig::l2).misses),
    number("l2.memory_queue", "requests to memory that a bank queues", MEMORY_QUEUE,
        |t| &mut t.l2.get_or_insert_with(CacheConfig::l2).memory_queue),
    switch("l3", "a cache between that and memory", |t| t.l3.is_some(), |t, on| turn(&mut t.l3, on, CacheConfig::l3)),
    number("l3.size", "bytes of it", OUTER_SIZE, |t| &mut t.l3.get_or_insert_with(CacheConfig::l3).size),
    number("l3.ways", "lines per set", WAYS, |t| &mut t.l3.get_or_insert_with(CacheConfig::l3).ways),
    number("l3.misses", "requests per bank that wait for memory", MISSES,
        |t| &mut t.l3.get_or_insert_with(CacheConfig::l3).misses),
    number("l3.memory_queue", "requests to memory that a bank queues", MEMORY_QUEUE,
        |t| &mut t.l3.get_or_insert_with(CacheConfig::l3).memory_queue),
    number("dram.channels", "channels of main memory, interleaved by line", powers(1, 32), |t| &mut t.dram.channels),
    number("dram.burst", "cycles of a burst of data", from(1, 64), |t| &mut t.dram.burst),
    number("dram.read_latency", "cycles from a read to its data", MEMORY_CYCLES, |t| &mut t.dram.read_latency),
    number("dram.write_latency", "cycles from a write to its data", MEMORY_CYCLES, |t| &mut t.dram.write_latency),
    number("dram.activate_to_access", "cycles from opening a row to accessing it", MEMORY_CYCLES,
        |t| &mut t.dram.activate_to_access),
    number("dram.activate_to_precharge", "cycles from opening a row to closing it", MEMORY_CYCLES,
        |t| &mut t.dram.activate_to_precharge),
    number("dram.precharge", "cycles from closing a row to opening one", MEMORY_CYCLES, |t| &mut t.dram.precharge),
    number("dram.row_cycle", "cycles between openings in one bank", MEMORY_CYCLES, |t| &mut t.dram.row_cycle),
    number("dram.activate_to_activate", "cycles between openings in one pseudo channel", MEMORY_CYCLES,
        |t| &mut t.dram.activate_to_activate),
    number("dram.activate_to_activate_group", "cycles between openings in one bank group", MEMORY_CYCLES,
        |t| &mut t.dram.activate_to_activate_group),
    number("dram.four_activations", "cycles in which four rows of a pseudo channel are opened at most", MEMORY_CYCLES,
        |t| &mut t.dram.four_activations),
    number("dram.access_to_access_group", "cycles between accesses in one bank group", MEMORY_CYCLES,
        |t| &mut t.dram.access_to_access_group),
    number("dram.read_to_precharge", "cycles from a read to closing its row", MEMORY_CYCLES,
        |t| &mut t.dram.read_to_precharge),
    number("dram.write_recovery", "cycles from the data of a write to closing its row", MEMORY_CYCLES,
        |t| &mut t.dram.write_recovery),
    number("dram.write_to_read", "cycles from the data of a write to a read", MEMORY_CYCLES,
        |t| &mut t.dram.write_to_read),
    number("dram.write_to_read_group", "the same within a bank group", MEMORY_CYCLES,
        |t| &mut t.dram.write_to_read_group),
];

/// Puts a cache there, or takes it away; one that is there stays as it is.
fn turn(cache: &mut Option<CacheConfig>, on: bool, usual: fn() -> CacheConfig) {
    match on {
        true => drop(cache.get_or_insert_with(usual)),
        false => *cache = None,
    }
}

impl Knob {
    /// The knob of a name.
    ///
    /// # Errors
    /// [`KnobError::Unknown`] if there is none.
    pub fn named(name: &str) -> Result<&'static Knob, KnobError> {
        KNOBS
            .iter()
            .find(|knob| knob.name == name)
            .ok_or_else(|| KnobError::Unknown {
                name: name.to_owned(),
                near: names_near(name),
            })
    }

    /// Its value in a configuration, as it would be set; of a cache that is not there, what it would be by default.
    #[must_use]
    pub fn value(&self, timing: &TimingConfig) -> String {
        match self.kind {
            Kind::Number { place, .. } => place(&mut timing.clone()).to_string(),
            Kind::NumberOrAuto { place, .. } => match place(&mut timing.clone()) {
                Some(number) => number.to_string(),
                None => AUTO.to_owned(),
            },
            Kind::Switch { is_on, .. } => is_on(timing).to_string(),
        }
    }

    /// The values that it can have, in words: `powers of two from 1K to 1M`.
    #[must_use]
    pub fn values(&self) -> String {
        match self.kind {
            Kind::Number { range, .. } => range.to_string(),
            Kind::NumberOrAuto { range, .. } => format!("`{AUTO}` and {range}"),
            Kind::Switch { .. } => "`true` and `false`".to_owned(),
        }
    }

    /// Sets it in a configuration. Numbers may end in `K` or `M` for 1024 and its square; a switch without a value is
    /// turned on.
    ///
    /// # Errors
    /// [`KnobError::NoValue`] if it is not a switch and there is no value, and [`KnobError::Value`] if it cannot be
    /// that: what is not a number, or out of its range.
    pub fn set(&self, timing: &mut TimingConfig, value: Option<&str>) -> Result<(), KnobError> {
        match (&self.kind, value) {
            (Kind::Switch { turn, .. }, None) => turn(timing, true),
            (Kind::Switch { turn, .. }, Some(value)) => {
                turn(timing, value.parse().map_err(|_| self.impossible(value))?)
            }
            (Kind::Number { .. } | Kind::NumberOrAuto { .. }, None) => {
                return Err(KnobError::NoValue {
                    name: self.name,
                    expected: self.values(),
                    example: self.example(timing),
                });
            }
            (Kind::Number { place, range }, Some(value)) => {
                *place(timing) = self.number(*range, value)?;
            }
            (Kind::NumberOrAuto { place, .. }, Some(AUTO)) => *place(timing) = None,
            (Kind::NumberOrAuto { place, range }, Some(value)) => {
                *place(timing) = Some(self.number(*range, value)?);
            }
        }
        Ok(())
    }

    /// The number that a text is, if it can be that.
    fn number(&self, range: Range, value: &str) -> Result<u32, KnobError> {
        size(value)
            .filter(|&number| range.contains(number))
            .ok_or_else(|| self.impossible(value))
    }

    /// A value that it can have: the one that it has.
    fn example(&self, timing: &TimingConfig) -> String {
        let value = self.value(timing);
        value
            .parse()
            .map_or(value, |number| Scaled(number).to_string())
    }

    fn impossible(&self, value: &str) -> KnobError {
        KnobError::Value {
            name: self.name,
            value: value.to_owned(),
            expected: self.values(),
        }
    }

    /// The least and the most that it can be, or on and off.
    #[cfg(test)]
    pub(crate) fn extremes(&self) -> [String; 2] {
        match self.kind {
            Kind::Number { range, .. } | Kind::NumberOrAuto { range, .. } => {
                [range.least.to_string(), range.most.to_string()]
            }
            Kind::Switch { .. } => ["false".to_owned(), "true".to_owned()],
        }
    }
}

impl TimingConfig {
    /// Sets what a name says, as in `dcache.size` and `8K`: see [`KNOBS`]. What comes later wins.
    ///
    /// # Errors
    /// [`KnobError::Unknown`] if nothing has that name, and otherwise as [`Knob::set`].
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), KnobError> {
        Knob::named(name)?.set(self, value)
    }

    /// Whether hardware can be like this.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub(crate) fn validate(&self) -> Result<(), KnobError> {
        for knob in KNOBS {
            let mut copy = self.clone();
            let (value, range) = match knob.kind {
                Kind::Number { place, range } => (Some(*place(&mut copy)), range),
                Kind::NumberOrAuto { place, range } => (*place(&mut copy), range),
                Kind::Switch { .. } => continue,
            };
            if let Some(value) = value.filter(|&value| !range.contains(value)) {
                return Err(knob.impossible(&value.to_string()));
            }
        }
        Ok(())
    }
}

impl Range {
    const fn contains(self, number: u32) -> bool {
        self.least <= number
            && number <= self.most
            && (!self.powers_of_two || number.is_power_of_two())
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.powers_of_two {
            true => "powers of two",
            false => "numbers",
        };
        write!(
            f,
            "{what} from {} to {}",
            Scaled(self.least),
            Scaled(self.most)
        )
    }
}

/// The number that a text such as `16K` stands for.
fn size(text: &str) -> Option<u32> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 1 << 10),
        b'M' | b'm' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u32>().ok()?.checked_mul(unit)
}

fn quoted(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

/// Names with a part in common with this one, or else all.
fn names_near(name: &str) -> Vec<&'static str> {
    let parts = |name: &str| {
        name.split(['.', '_', '-'])
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let asked = parts(name);
    let names = || KNOBS.iter().map(|knob| knob.name);
    let near: Vec<_> = names()
        .filter(|name| parts(name).iter().any(|part| asked.contains(part)))
        .collect();
    match near.is_empty() {
        true => names().collect(),
        false => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_every_number_has_a_place_of_its_own() {
        let mut names = HashSet::new();
        let is_number = |knob: &Knob| !matches!(knob.kind, Kind::Switch { .. });
        for knob in KNOBS {
            assert!(names.insert(knob.name), "{}", knob.name);
            if !is_number(knob) {
                continue;
            }
            for number in knob.extremes() {
                let mut timing = TimingConfig::default();
                let others = |timing: &TimingConfig| -> Vec<String> {
                    let others = KNOBS
                        .iter()
                        .filter(|other| is_number(other) && other.name != knob.name);
                    others.map(|other| other.value(timing)).collect()
                };
                let before = others(&timing);
                timing
                    .set(knob.name, Some(&number))
                    .expect("it is in range");
                assert_eq!(knob.value(&timing), number);
                assert_eq!(others(&timing), before, "{}", knob.name);
            }
        }
    }

    #[test]
    fn a_switch_leaves_what_is_there() {
        let mut timing = TimingConfig::default();
        for (name, value) in [
            ("l2.size", "64K"),
            ("l2", "true"),
            ("serial-divider", "true"),
            ("divide", "17"),
        ] {
            timing.set(name, Some(value)).expect("it can be");
        }
        timing.set("serial-divider", None).expect("it can be");
        assert_eq!(timing.l2.as_ref().map(|l2| l2.size), Some(64 << 10));
        assert_eq!(timing.divider, Divider::Serial { cycles: 17 });
        timing.set("l2", Some("false")).expect("it can be");
        assert_eq!(timing.l2, None);
    }
}
