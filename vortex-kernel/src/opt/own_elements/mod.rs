//! Memory in which each item touches only its own elements, so that no two items race.
//!
//! In `y[row * n + col] = sum` the index is a sum of ids, each times something that is the same for all items. If all
//! accesses to `y` are to such an index, the same except for a constant and for numbers that the item runs through
//! (`y[row * n + k]` with `k < n`), then two items meet only if two of these sums are less than a certain number of
//! bytes apart. The launch, which knows its size and its arguments, can determine that ([`Places`]). Memory of a
//! `&mut [T]` is accessed through no other argument, and a kernel that dereferences raw pointers has no memory of that
//! kind. Memory with only atomic accesses cannot race either.
//!
//! An array in local memory qualifies, too, if each item writes only at its own places; others may read it between two
//! barriers without writes in between ([`phases`]).
//!
//! The code does not change; the race detector has less to do.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod generated;
mod halves;
mod index;
mod phases;
mod places;
mod sum;

use crate::ir::{Alias, Function, IndexChecks, Op};
use halves::halves;
use index::{Argument, Indices};
use phases::Phases;
pub use places::{Factor, ItemId, Launch, Places, Term, Width};
use places::{Scope, word};

/// What of a kernel's memory is found to be each item's own, if a launch is as it must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnMemory {
    /// Arguments all of whose accesses are.
    pub arguments: Vec<OwnElements>,
    /// The places in arrays of local memory that items write.
    pub local: Vec<Places>,
    /// There is nothing else that an item could race for: all other accesses are loads of what no item writes, or
    /// atomic, or of local memory between barriers.
    pub all: bool,
    /// How many instructions access what items could race for.
    pub accesses: u32,
    /// Of these, atomic ones to arguments that are accessed in no other way.
    pub atomic: u32,
    /// And those of local memory, if none of them can race unless `local` meets.
    pub of_local: u32,
}

/// An argument of which each item accesses elements of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnElements {
    /// Where the argument struct has its address, in bytes.
    pub address: u32,
    /// Where they are.
    pub places: Places,
    /// How many instructions access them.
    pub accesses: u32,
}

impl OwnElements {
    /// The address in an argument struct, if no two items of a launch access the same element, and no index wraps
    /// around.
    #[must_use]
    pub fn disjoint(&self, launch: &Launch<'_>) -> Option<u32> {
        let address = word(launch.args, self.address)?;
        let disjoint = self.places.are_disjoint(launch, Scope::Launch);
        disjoint.then_some(address)
    }
}

impl OwnMemory {
    /// Whether no two items of a launch can race for anything.
    #[must_use]
    pub fn is_all(&self, launch: &Launch<'_>) -> bool {
        let apart = |own: &OwnElements| own.disjoint(launch).is_some();
        self.all && self.arguments.iter().all(apart) && self.is_local_apart(launch)
    }

    /// Of how many of the `accesses` it is known that no two items can race there.
    #[must_use]
    pub fn proved(&self, launch: &Launch<'_>) -> u32 {
        let arguments = self.arguments.iter();
        let apart = arguments.filter(|own| own.disjoint(launch).is_some());
        let local = match self.is_local_apart(launch) {
            true => self.of_local,
            false => 0,
        };
        self.atomic + local + apart.map(|own| own.accesses).sum::<u32>()
    }

    fn is_local_apart(&self, launch: &Launch<'_>) -> bool {
        let apart = |places: &Places| places.are_disjoint(launch, Scope::Group);
        self.local.iter().all(apart)
    }
}

/// Finds such memory in a structured function, before `codegen::entry`.
pub(crate) fn own_elements(function: &Function) -> OwnMemory {
    let mut own = OwnMemory::default();
    function.body.visit(&mut |inst| {
        own.accesses += u32::from(can_race(&inst.op));
    });
    // Without checks, an index can be that of anything.
    if function.indices == IndexChecks::Left {
        return own;
    }
    let indices = Indices::new(function);
    let halves = halves(function, &indices);
    let Some(accesses) = indices.find(halves) else {
        return own;
    };
    let local = Phases::own(function, &accesses);
    own.all = !accesses.shares && local.is_some();
    if let Some(local) = local {
        own.local = local;
        own.of_local = accesses.local.len() as u32;
    }
    for accessed in accesses.arguments.into_values() {
        match accessed.how {
            Some(Argument::Atomic) => own.atomic += accessed.times,
            Some(how) => own.arguments.extend(how.own(accessed.times)),
            None => own.all = false,
        }
    }
    own.arguments.sort_unstable_by_key(|own| own.address);
    own
}

/// Whether it accesses what items may write.
fn can_race(op: &Op) -> bool {
    let (Op::Load { alias, .. } | Op::Store { alias, .. } | Op::Atomic { alias, .. }) = op else {
        return false;
    };
    match alias {
        Alias::Launch | Alias::Shared(_) | Alias::Data(_) | Alias::Private(_) => false,
        Alias::Any | Alias::Unknown | Alias::Exchange | Alias::Local(_) | Alias::Exclusive(_) => {
            true
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ir::parse;

    /// What is found in a kernel `(p: &mut [u32], n: u32, q: &mut [u32])` of which `v0`, `v1` and `v3` are the words.
    fn found(body: &str) -> OwnMemory {
        let text = format!(
            "kernel \"k\" (v0: ptr<global> \"p\" arg 0 at 0, v1: u32 \"n\" arg 1 at 8, \
             v3: ptr<global> \"q\" arg 2 at 12) args 20 {{ \
             v4: u32 = id linear v5: u32 = id x v6: u32 = id y v7: u32 = const 3 {body} }}"
        );
        own_elements(&parse(&text).unwrap())
    }

    fn args(n: u32) -> Vec<u8> {
        [0x1000, 100, n, 0x2000, 100].map(u32::to_le_bytes).concat()
    }

    fn launch(args: &[u8], size: [u32; 3]) -> Launch<'_> {
        let block = [1; 3];
        Launch { args, size, block }
    }

    /// Where the items' elements are disjoint, of a launch of this extent with this `n`.
    fn disjoint(own: &OwnMemory, n: u32, size: [u32; 3]) -> Vec<u32> {
        let args = args(n);
        let arguments = own.arguments.iter();
        arguments
            .filter_map(|own| own.disjoint(&launch(&args, size)))
            .collect()
    }

    #[test]
    fn one_element_each() {
        let own = found("v8: ptr<global> = ptradd v0, v4 * 4 store v8+0, v1 exclusive(0)");
        assert!(own.all);
        assert_eq!(disjoint(&own, 0, [100, 7, 3]), [0x1000]);
    }

    #[test]
    fn rows_as_wide_as_the_launch_or_wider() {
        let own = found(
            "v8: u32 = mul v6, v1 v9: u32 = add v8, v5 v10: ptr<global> = ptradd v3, v9 * 4 \
             v11: u32 = load v10+0 exclusive(2) store v10+0, v11 exclusive(2)",
        );
        assert!(own.all);
        assert_eq!(disjoint(&own, 7, [7, 5, 1]), [0x2000]);
        assert_eq!(disjoint(&own, 8, [7, 5, 1]), [0x2000]);
        assert_eq!(disjoint(&own, 6, [7, 5, 1]), [0u32; 0]);
        // In one dimension that is not used, there is one item.
        assert_eq!(disjoint(&own, 8, [7, 5, 2]), [0u32; 0]);
        // 2^31 rows of 8 elements of 4 bytes.
        assert_eq!(disjoint(&own, 8, [1, 1 << 31, 1]), [0u32; 0]);
    }

    #[test]
    fn pairs_and_parts_of_elements() {
        let pair = |step: u32| {
            found(&format!(
                "v8: u32 = const {step} v9: u32 = mul v4, v8 v10: u32 = const 1 v11: u32 = add v9, v10 \
                 v12: ptr<global> = ptradd v0, v9 * 8 v13: ptr<global> = ptradd v0, v11 * 8 \
                 store v12+0, v1 exclusive(0) store v13+4, v1 exclusive(0)"
            ))
        };
        assert_eq!(disjoint(&pair(1), 0, [5, 1, 1]), [0u32; 0]);
        assert_eq!(disjoint(&pair(2), 0, [5, 1, 1]), [0x1000]);
        // The next element.
        let own = found("v8: ptr<global> = ptradd v0, v4 * 4 store v8+4, v1 exclusive(0)");
        assert_eq!(disjoint(&own, 0, [5, 1, 1]), [0x1000]);
        // Two of them.
        let own = found(
            "v8: ptr<global> = ptradd v0, v4 * 4 store v8+4, v1 exclusive(0) store v8+0, v1 exclusive(0)",
        );
        assert_eq!(disjoint(&own, 0, [5, 1, 1]), [0u32; 0]);
    }

    #[test]
    fn other_elements_of_the_same_argument_count() {
        let store = "v8: ptr<global> = ptradd v0, v4 * 4 store v8+0, v1 exclusive(0)";
        for other in [
            "v9: u32 = load v0+0 exclusive(0)",
            "v9: ptr<global> = ptradd v8, v4 * 4 v10: u32 = load v9+0 exclusive(0)",
            "v9: u32 = atomic add v8+0, v1 exclusive(0) relaxed device",
        ] {
            assert_eq!(found(&format!("{store} {other}")).arguments, [], "{other}");
        }
    }

    #[test]
    fn elements_that_are_apart_by_an_argument() {
        let own = found(
            "v8: ptr<global> = ptradd v0, v4 * 4 store v8+0, v1 exclusive(0) v9: u32 = add v4, v1 \
             v10: ptr<global> = ptradd v0, v9 * 4 v11: u32 = load v10+0 exclusive(0)",
        );
        for (n, is_own) in [(0, true), (1, false), (4, false), (5, true), (6, true)] {
            assert_eq!(disjoint(&own, n, [5, 1, 1]) == [0x1000], is_own, "{n}");
        }
    }

    #[test]
    fn what_can_reach_anything_leaves_nothing() {
        let store = "v8: ptr<global> = ptradd v0, v4 * 4 store v8+0, v1 exclusive(0)";
        assert_eq!(
            found(&format!("{store} v9: u32 = load v3+0 any")),
            OwnMemory {
                accesses: 2,
                ..OwnMemory::default()
            }
        );
        let shared = found(&format!("{store} v9: u32 = load v3+0 exclusive(2)"));
        assert_eq!(disjoint(&shared, 0, [5, 1, 1]), [0x1000]);
        assert!(!shared.is_all(&launch(&args(0), [5, 1, 1])));
        assert!(shared.is_all(&launch(&args(0), [1, 1, 1])));
        let lent = found(&format!("{store} v9: u32 = load v3+0 shared(2)"));
        assert_eq!((lent.arguments.len(), lent.all), (1, true));
    }

    #[test]
    fn what_is_proved_is_counted() {
        let own = found(
            "v8: ptr<global> = ptradd v0, v4 * 4 v9: u32 = load v8+0 exclusive(0) store v8+0, v1 exclusive(0) \
             v10: ptr<global> = ptradd v3, v1 * 4 store v10+0, v9 exclusive(2)",
        );
        let (one, many) = (args(3), [9, 1, 1]);
        assert_eq!((own.proved(&launch(&one, many)), own.accesses), (2, 3));
        assert_eq!(own.proved(&launch(&one, [1, 1, 1])), 3);
        let atomic = found("v8: u32 = atomic add v3+0, v1 exclusive(2) relaxed device");
        assert_eq!(
            (atomic.proved(&launch(&one, many)), atomic.accesses),
            (1, 1)
        );
    }

    #[test]
    fn rows_that_an_item_runs_through() {
        let own = found(
            "v8: u32 = const 0 v9: u32 = const 1 while (v10: u32 = v8) { v11: bool = lt v10, v1 test v11 \
             v12: u32 = mul v4, v1 v13: u32 = add v12, v10 v14: ptr<global> = ptradd v0, v13 * 4 \
             store v14+0, v1 exclusive(0) v15: u32 = add v10, v9 next v15 }",
        );
        assert_eq!(disjoint(&own, 7, [5, 1, 1]), [0x1000]);
        assert_eq!(disjoint(&own, 0, [1, 1, 1]), [0x1000]);
        // Rows of 2^30 elements.
        assert_eq!(disjoint(&own, 1 << 30, [5, 1, 1]), [0u32; 0]);
        // Columns, of as many elements as there are items.
        let own = found(
            "v8: u32 = const 0 v9: u32 = const 1 while (v10: u32 = v8) { v11: bool = ge v10, v1 \
             v16: bool = if v11 { v17: bool = const 1 yield v17 } else { \
             v12: u32 = mul v10, v1 v13: u32 = add v12, v4 v14: ptr<global> = ptradd v0, v13 * 4 \
             store v14+0, v1 exclusive(0) v18: bool = const 0 yield v18 } v19: bool = not v16 test v19 \
             v15: u32 = add v10, v9 next v15 }",
        );
        assert_eq!(disjoint(&own, 5, [5, 1, 1]), [0x1000]);
        assert_eq!(disjoint(&own, 6, [5, 1, 1]), [0x1000]);
        assert_eq!(disjoint(&own, 4, [5, 1, 1]), [0u32; 0]);
    }

    #[test]
    fn numbers_taken_apart() {
        // As in a stage of a fast Fourier transform: two elements of an item, `n` apart.
        let own = |parts: &str| {
            found(&format!(
                "v8: u32 = const 2 {parts} v15: u32 = mul v13, v8 v16: u32 = mul v15, v1 v17: u32 = add v16, v14 \
                 v18: ptr<global> = ptradd v0, v17 * 4 store v18+0, v4 exclusive(0) v19: u32 = add v17, v1 \
                 v20: ptr<global> = ptradd v0, v19 * 4 store v20+0, v4 exclusive(0)"
            ))
        };
        let unsigned = own("v13: u32 = div v4, v1 v14: u32 = rem v4, v1");
        for n in [1, 4, 5, 100] {
            assert_eq!(disjoint(&unsigned, n, [16, 1, 1]), [0x1000], "{n}");
        }
        assert_eq!(disjoint(&unsigned, 0, [16, 1, 1]), [0u32; 0]);
        let signed = own(
            "v9: i32 = bitcast v4 v10: i32 = bitcast v1 v11: i32 = div v9, v10 v12: i32 = rem v9, v10 \
             v13: u32 = bitcast v11 v14: u32 = bitcast v12",
        );
        assert_eq!(disjoint(&signed, 4, [16, 1, 1]), [0u32; 0]);
        // Elements that are one apart are those of the next item.
        let next = found(
            "v8: u32 = div v4, v1 v9: u32 = rem v4, v1 v10: u32 = mul v8, v1 v11: u32 = add v10, v9 \
             v12: ptr<global> = ptradd v0, v11 * 4 store v12+0, v4 exclusive(0) store v12+4, v4 exclusive(0)",
        );
        assert_eq!(disjoint(&next, 4, [16, 1, 1]), [0u32; 0]);
    }

    #[test]
    fn numbers_taken_apart_unless_that_divides_by_zero() {
        let own = |condition: &str, divisor: &str| {
            found(&format!(
                "v8: u32 = const 0 v9: bool = {condition} v10: u32 = if v9 {{ v11: u32 = div v4, {divisor} \
                 yield v11 }} else {{ yield v8 }} v12: u32 = mul v10, v1 v13: u32 = rem v4, v1 v14: u32 = add v12, v13 \
                 v15: ptr<global> = ptradd v0, v14 * 4 store v15+0, v4 exclusive(0)"
            ))
        };
        let checked = own("ne v1, v8", "v1");
        assert_eq!(disjoint(&checked, 4, [16, 1, 1]), [0x1000]);
        // All items would store to one place.
        assert_eq!(disjoint(&checked, 0, [16, 1, 1]), [0u32; 0]);
        for (condition, divisor) in [
            ("ne v1, v7", "v1"),
            ("ne v7, v8", "v1"),
            ("eq v1, v8", "v1"),
        ] {
            let otherwise = own(condition, divisor);
            assert_eq!(
                disjoint(&otherwise, 4, [16, 1, 1]),
                [0u32; 0],
                "{condition}"
            );
        }
        // It is no number of an item that is divided.
        let own = found(
            "v8: u32 = const 0 v9: bool = ne v1, v8 v10: u32 = if v9 { v11: u32 = div v1, v1 yield v11 } \
             else { yield v8 } v12: u32 = mul v10, v4 v15: ptr<global> = ptradd v0, v12 * 4 \
             store v15+0, v4 exclusive(0)",
        );
        assert_eq!(own.arguments, []);
    }

    #[test]
    fn rows_as_wide_as_a_part_of_an_argument() {
        for (part, least) in [("div v1, v7", 15), ("shr v1, v9", 20)] {
            let own = found(&format!(
                "v9: u32 = const 2 v8: u32 = {part} v10: u32 = mul v6, v8 v11: u32 = add v10, v5 \
                 v12: ptr<global> = ptradd v0, v11 * 4 store v12+0, v1 exclusive(0)"
            ));
            assert_eq!(disjoint(&own, least, [5, 7, 1]), [0x1000], "{part}");
            assert_eq!(disjoint(&own, least + 1, [5, 7, 1]), [0x1000], "{part}");
            assert_eq!(disjoint(&own, least - 1, [5, 7, 1]), [0u32; 0], "{part}");
        }
        let by_nothing = found(
            "v9: u32 = const 0 v8: u32 = div v1, v9 v10: u32 = mul v6, v8 v11: u32 = add v10, v5 \
             v12: ptr<global> = ptradd v0, v11 * 4 store v12+0, v1 exclusive(0)",
        );
        assert_eq!(by_nothing.arguments, []);
    }

    #[test]
    fn local_memory_between_barriers() {
        let all = |body: &str, block: u32| {
            let text = format!(
                "kernel \"k\" (v0: ptr<global> \"p\" arg 0 at 0, v1: u32 \"n\" arg 1 at 8) args 12 \
                 {{ local l0 \"[u32; 64]\" size 256 align 4 v2: u32 = id local_linear v3: ptr<local> = local_addr l0 \
                 v4: ptr<local> = ptradd v3, v2 * 4 v5: u32 = const 0 v6: u32 = const 1 {body} }}"
            );
            let own = own_elements(&parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")));
            own.is_all(&Launch {
                args: &[0; 12],
                size: [4 * block, 1, 1],
                block: [block, 1, 1],
            })
        };
        let (write, read) = ("store v4+0, v1 local(0)", "v7: u32 = load v3+0 local(0)");
        assert!(all(write, 16) && all(read, 16));
        assert!(all(&format!("{write} barrier {read}"), 16));
        assert!(!all(&format!("{write} {read}"), 16));
        assert!(!all(&format!("{read} {write}"), 16));
        assert!(all(&format!("{read} barrier {write}"), 16));
        let halves =
            |between: &str| format!("v20: u32 = barrier_arrive {between} barrier_wait v20");
        assert!(all(&format!("{read} {} {write}", halves("")), 16));
        assert!(!all(&format!("{write} {}", halves(read)), 16));
        assert!(!all(&format!("{} {read}", halves(write)), 16));
        // Its own, which it has written.
        assert!(all(&format!("{write} v7: u32 = load v4+0 local(0)"), 16));
        // In one of two ways.
        let either =
            |a: &str, b: &str| format!("v8: bool = lt v1, v6 if v8 {{ {a} }} else {{ {b} }}");
        assert!(!all(&either(write, read), 16));
        assert!(!all(
            &format!("{write} {} {read}", either("barrier", "")),
            16
        ));
        // In the next iteration.
        let turns = |body: &str| {
            format!(
                "while (v10: u32 = v5) {{ v11: bool = lt v10, v1 test v11 {body} \
                 v12: u32 = add v10, v6 next v12 }}"
            )
        };
        assert!(!all(&turns(&format!("{write} barrier {read}")), 16));
        assert!(all(&turns(&format!("{write} barrier {read} barrier")), 16));
        // By one item, and by others too.
        let first = "v8: bool = eq v2, v1 if v8 { store v3+0, v1 local(0) }";
        assert!(all(first, 16));
        assert!(!all(&format!("{first} {read}"), 16));
        assert!(all(&format!("{first} barrier {read}"), 16));
        assert!(!all(
            &format!("{first} v9: bool = eq v2, v5 if v9 {{ store v3+0, v1 local(0) }}"),
            16
        ));
        // At the same place as others.
        assert!(!all("store v3+0, v1 local(0)", 16) && all("store v3+0, v1 local(0)", 1));
    }

    #[test]
    fn trees_in_local_memory() {
        // Everything may be other than in a tree: what half begins with and becomes, what ends the loop, what is done
        // below half, and what comes after it.
        let is_all = |init: &str, next: &str, ends: &str, below: &str, after: &str| {
            let text = format!(
                "kernel \"k\" (v0: ptr<global> \"p\" arg 0 at 0, v1: u32 \"n\" arg 1 at 8) args 12 \
                 {{ local l0 \"[u32; 64]\" size 256 align 4 v2: u32 = id local_linear v3: ptr<local> = local_addr l0 \
                 v4: ptr<local> = ptradd v3, v2 * 4 v5: u32 = const 0 v6: u32 = const 1 v7: u32 = const 2 \
                 v8: u32 = id local_count store v4+0, v2 local(0) barrier v9: u32 = {init} \
                 while (v10: u32 = v9) {{ v11: bool = {ends} test v11 v12: bool = lt v2, v10 if v12 {{ \
                 v13: u32 = add v2, v10 v14: ptr<local> = ptradd v3, v13 * 4 v15: ptr<local> = ptradd v3, v13 * 2 \
                 v16: u32 = load v4+0 local(0) {below} }} {after} v17: u32 = {next} next v17 }} }}"
            );
            let own = own_elements(&parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")));
            own.is_all(&Launch {
                args: &[0; 12],
                size: [64, 1, 1],
                block: [16, 1, 1],
            })
        };
        let (half, ends, barrier) = ("div v10, v7", "gt v10, v5", "barrier");
        let (read, write) = ("v18: u32 = load v14+0 local(0)", "store v4+0, v16 local(0)");
        let tree = format!("{read} {write}");
        assert!(is_all("div v8, v7", half, ends, &tree, barrier));
        assert!(is_all(
            "shr v8, v6",
            "shr v10, v6",
            "ne v10, v5",
            &tree,
            barrier
        ));
        assert!(is_all("div v1, v7", half, "gt v10, v1", &tree, barrier));
        // Half could be so large that sums wrap around, another one for each item, or not become less.
        for init in ["add v8, v5", "div v8, v6", "div v2, v7"] {
            assert!(!is_all(init, half, ends, &tree, barrier), "{init}");
        }
        for next in ["sub v10, v6", "div v10, v6", "div v8, v7", "div v2, v7"] {
            assert!(!is_all("div v8, v7", next, ends, &tree, barrier), "{next}");
        }
        // Items leave the loop one by one, or are not in step.
        assert!(!is_all("div v8, v7", half, "gt v10, v2", &tree, barrier));
        for after in [
            "",
            "if v12 { barrier }",
            "v19: u32 = barrier_arrive barrier_wait v19",
        ] {
            assert!(!is_all("div v8, v7", half, ends, &tree, after), "{after}");
        }
        // Others read below half, elements are not as far apart, or all write.
        for below in [
            "v18: u32 = load v3+0 local(0)",
            "v18: u32 = load v15+0 local(0)",
        ] {
            let below = format!("{below} {write}");
            assert!(
                !is_all("div v8, v7", half, ends, &below, barrier),
                "{below}"
            );
        }
        let all_write = format!("{write} {barrier}");
        assert!(!is_all("div v8, v7", half, ends, read, &all_write));
        assert!(is_all(
            "div v8, v7",
            half,
            ends,
            read,
            &format!("{barrier} {all_write}")
        ));
    }
}
