//! Why lanes do several work items at once, or one after the other.

use super::{WATCHED, place};
use crate::ir::{Function, Id, Loc, Op};
use crate::opt::coarsening::{Obstacle, Parted};

/// How many work items lanes do at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoarseFate {
    /// So many in x, y and z, where a launch has enough of them.
    Blocks([u32; 3]),
    /// The same item of this many neighbouring groups in x, y and z, where a launch has enough of them, and local
    /// memory for as many blocks of them at a time as it would run groups.
    Groups([u32; 3]),
    /// One after the other, because of this.
    OneByOne(String),
}

/// It was decided that lanes do one work item after the other.
pub(crate) fn note_one_by_one(function: &Function, obstacle: &Obstacle<'_>) {
    WATCHED.with_borrow_mut(|watched| {
        if let Some(watched) = watched {
            watched.one_by_one = Some(words(function, obstacle));
        }
    });
}

impl CoarseFate {
    /// `why`: what stood in the way when it was decided. `blocks`: the items, or else groups, of a block in the image.
    pub(crate) fn of(why: Option<String>, blocks: Option<[u32; 3]>, has_groups: bool) -> Self {
        match (why, blocks) {
            (Some(why), _) => Self::OneByOne(why),
            (None, Some(groups)) if has_groups => Self::Groups(groups),
            (None, Some(items)) => Self::Blocks(items),
            (None, None) => Self::OneByOne(GIVEN_UP.to_owned()),
        }
    }
}

/// Why there are no blocks although they were decided for.
const GIVEN_UP: &str = "a check in it cannot be answered before all work items, where it would stop only some of a \
                        lane's, or what is done for them is too long to be there twice";

fn words(function: &Function, obstacle: &Obstacle<'_>) -> String {
    let at = |loc: Loc| match place(function, loc) {
        Some(at) => format!(" in line {}", at.line),
        None => String::new(),
    };
    match *obstacle {
        Obstacle::Bare => "a bare image is not told how many items there are".to_owned(),
        Obstacle::Level => "it is compiled with less than all optimisation".to_owned(),
        Obstacle::Lanes => {
            "it is compiled for devices with any number of lanes in a warp".to_owned()
        }
        Obstacle::Tuning => {
            "its rows have too few for more, or it is tuned for one at a time".to_owned()
        }
        Obstacle::Inside(inst) => {
            let what = match inst.op {
                Op::PrivateAddr(_) => "each item has an array of its own",
                Op::LocalAddr(_) => "it uses local memory",
                Op::Clock => "it reads the clock",
                Op::Print { .. } => "it prints",
                Op::Id(Id::Warp | Id::Core) => "it asks which warp or core it runs on",
                Op::Id(_) => "it knows of work groups",
                _ => "lanes do something together",
            };
            format!("{what}{}", at(inst.loc))
        }
        Obstacle::Parted(Parted::Loop(loc)) => format!(
            "work items can have different numbers of iterations of the loop{}",
            at(loc)
        ),
        Obstacle::Parted(Parted::Load(loc)) => format!(
            "the loop{} loads what neighbouring work items have in different lines of the cache",
            at(loc)
        ),
        Obstacle::Gain { percent, least } => format!(
            "two at once are estimated to be {percent} % faster, and {least} % are asked for"
        ),
        Obstacle::Code { size, most } => format!(
            "two at once would be about {size} instructions of their own, and {most} are allowed"
        ),
        Obstacle::Room(groups) => format!(
            "where a core runs as many groups as it has warps for, it has local memory for {groups} times as many"
        ),
    }
}
