//! What is known before an instruction: see the [module above](super).

use crate::codegen::spills;
use crate::isa::x;

/// What slots outside of the frame have for an offset, around which they lie: none of the frame's.
const SLOTS: i32 = 1 << 16;

/// What is known about a word. One word itself, because comparing names is most of what the verifier does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name(u64);

/// The kinds of names. Addresses are numbers of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unknown,
    /// The word that the latest execution of the instruction at this address made, or looked at first.
    Made(u32),
    /// The token that the latest execution of the split at this address made.
    Token(u32),
    /// The word that was in this place when control last came to this address.
    Joined(u32, Location),
    Constant(i32),
    /// An address in the image, as an offset in bytes.
    Code(i32),
    /// The number of the second barrier of the warp's group.
    SecondBarrier,
    /// An address in the frame, as an offset to sp, or that of a slot outside of it, around [`SLOTS`].
    Stack(i32),
}

impl Name {
    pub(super) const UNKNOWN: Self = Self(0);

    pub(super) const fn of(kind: Kind) -> Self {
        let (tag, place, payload) = match kind {
            Kind::Unknown => (0, 0, 0),
            Kind::Made(at) => (1, 0, at),
            Kind::Token(at) => (2, 0, at),
            Kind::Joined(at, place) => (3, place.0, at),
            Kind::Constant(word) => (4, 0, word.cast_unsigned()),
            Kind::Code(offset) => (5, 0, offset.cast_unsigned()),
            Kind::Stack(offset) => (6, 0, offset.cast_unsigned()),
            Kind::SecondBarrier => (7, 0, 0),
        };
        Self((tag as u64) << 48 | (place as u64) << 32 | payload as u64)
    }

    pub(super) const fn kind(self) -> Kind {
        let payload = self.0 as u32;
        match self.0 >> 48 {
            0 => Kind::Unknown,
            1 => Kind::Made(payload),
            2 => Kind::Token(payload),
            3 => Kind::Joined(payload, Location((self.0 >> 32) as u16)),
            4 => Kind::Constant(payload.cast_signed()),
            5 => Kind::Code(payload.cast_signed()),
            6 => Kind::Stack(payload.cast_signed()),
            _ => Kind::SecondBarrier,
        }
    }
}

/// Where a word is: the number of a register, [`Location::GUARD`], or above that a word of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Location(u16);

impl Location {
    const GUARD: Self = Self(32);

    /// The word at this offset to sp, if it lies in a frame that the start can have made.
    pub(super) fn slot(offset: i32) -> Option<Self> {
        let number = u16::try_from(offset / 4).ok()?;
        number.checked_add(Self::GUARD.0 + 1).map(Self)
    }
}

/// Something that has switched lanes off and must switch them on again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Split(u32),
    Loop(u32),
}

/// A split or pred whose branch has not come yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    None,
    /// The split at this address looked at this word.
    Split(u32, Name),
    /// A pred looked at this word; lanes stay where it is non-zero.
    Pred(Name, bool),
}

impl Guard {
    fn name(self) -> Option<Name> {
        match self {
            Self::None => None,
            Self::Split(_, name) | Self::Pred(name, _) => Some(name),
        }
    }

    fn name_mut(&mut self) -> Option<&mut Name> {
        match self {
            Self::None => None,
            Self::Split(_, name) | Self::Pred(name, _) => Some(name),
        }
    }

    /// Whether both wait for the same branch.
    fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Split(at, _), Self::Split(also_at, _)) => at == also_at,
            (Self::Pred(_, stay), Self::Pred(_, also_stay)) => stay == also_stay,
            _ => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) open: Vec<Open>,
    pub(super) guard: Guard,
    registers: [Name; 32],
    /// Words of the frame that have been written, ascending.
    slots: Vec<(Location, Name)>,
}

impl State {
    pub(super) fn start() -> Self {
        let mut registers = [Name::UNKNOWN; 32];
        registers[usize::from(x::ZERO)] = Name::of(Kind::Constant(0));
        registers[usize::from(x::SP)] = Name::of(Kind::Stack(0));
        registers[usize::from(spills::BASE)] = Name::of(Kind::Stack(SLOTS));
        Self {
            open: Vec::new(),
            guard: Guard::None,
            registers,
            slots: Vec::new(),
        }
    }

    pub(super) fn get(&self, register: u8) -> Name {
        self.registers[usize::from(register)]
    }

    pub(super) fn kind(&self, register: u8) -> Kind {
        self.get(register).kind()
    }

    pub(super) fn set(&mut self, register: u8, name: Name) {
        // The start sets these two once, and they mean the frame and the slots from then on.
        if !matches!(register, x::ZERO | x::SP | spills::BASE) {
            self.registers[usize::from(register)] = name;
        }
    }

    /// A fresh name for what the instruction at `pc` makes.
    pub(super) fn fresh(&mut self, pc: usize) -> Name {
        self.renew(Kind::Made(pc as u32))
    }

    /// Takes a name away from whatever has it from an earlier execution.
    pub(super) fn renew(&mut self, kind: Kind) -> Name {
        let name = Name::of(kind);
        let forget = |held: &mut Name| {
            if *held == name {
                *held = Name::UNKNOWN;
            }
        };
        self.registers.iter_mut().for_each(forget);
        self.slots.iter_mut().for_each(|(_, held)| forget(held));
        self.guard.name_mut().into_iter().for_each(forget);
        name
    }

    pub(super) fn slot(&self, place: Location) -> Name {
        let found = self.slots.binary_search_by_key(&place, |(at, _)| *at);
        found.map_or(Name::UNKNOWN, |index| self.slots[index].1)
    }

    pub(super) fn set_slot(&mut self, place: Location, name: Name) {
        match self.slots.binary_search_by_key(&place, |(at, _)| *at) {
            Ok(index) => self.slots[index].1 = name,
            Err(index) => self.slots.insert(index, (place, name)),
        }
    }

    /// The name of a register's word, given one if it has none.
    pub(super) fn named(&mut self, register: u8, pc: usize) -> Name {
        if self.get(register) == Name::UNKNOWN {
            let name = self.fresh(pc);
            self.set(register, name);
        }
        self.get(register)
    }

    /// Joins what is known on another way to `pc`; whether that changed anything.
    pub(super) fn join(&mut self, other: &State, pc: usize) -> Result<bool, String> {
        if self.open != other.open {
            return Err(format!(
                "reached with {:?} open and with {:?} open",
                self.open, other.open
            ));
        }
        if !self.guard.is_like(other.guard) {
            return Err("reached with and without a split or pred pending".to_owned());
        }
        let mut joining = Joining::at(pc);
        for (number, held) in self.registers.iter_mut().enumerate() {
            joining.join(held, other.registers[number], Location(number as u16));
        }
        if let (Some(held), Some(other)) = (self.guard.name_mut(), other.guard.name()) {
            joining.join(held, other, Location::GUARD);
        }
        for (place, held) in &mut self.slots {
            joining.join(held, other.slot(*place), *place);
        }
        Ok(joining.changed)
    }
}

/// Names for the places of two states that come together: places keep one name if they had one name each way.
struct Joining {
    pc: u32,
    /// Names that this joining gave before and that stay as they were.
    kept: Vec<Name>,
    /// The names each way of the other places so far, and the first place that had them.
    classes: Vec<((Name, Name), Location)>,
    changed: bool,
}

impl Joining {
    fn at(pc: usize) -> Self {
        Self {
            pc: pc as u32,
            kept: Vec::new(),
            classes: Vec::new(),
            changed: false,
        }
    }

    /// Joins the names of one place; places come in ascending order.
    fn join(&mut self, held: &mut Name, other: Name, place: Location) {
        if *held == other && self.keeps(other, place) {
            return;
        }
        let known = *held != Name::UNKNOWN && other != Name::UNKNOWN;
        let names = (*held, other);
        let mut classes = self.classes.iter();
        let class = classes.find(|(class, _)| known && *class == names);
        let first = class.map_or(place, |(_, first)| *first);
        if class.is_none() {
            self.classes.push((names, place));
        }
        let name = Name::of(Kind::Joined(self.pc, first));
        self.changed |= *held != name;
        *held = name;
    }

    /// Whether a name that a place has on both ways is still its name.
    fn keeps(&mut self, name: Name, place: Location) -> bool {
        match name.kind() {
            Kind::Unknown => false,
            // It is about to mean what is in the first place now.
            Kind::Joined(pc, first) if pc == self.pc => {
                if first == place {
                    self.kept.push(name);
                }
                first == place || self.kept.contains(&name)
            }
            _ => true,
        }
    }
}
