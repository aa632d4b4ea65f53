//! Loads and stores.
//!
//! A core remembers, per base register, the range of memory that was last accessed through it. While all lanes of an
//! access are inside (a few vector instructions check that), no look-up is needed. Otherwise the range around one of
//! them is looked up; if others may be outside of that, too, all are, lane by lane. A needless look-up only costs time.

use super::super::code::Op;
use super::super::core::{CoreState, Window};
use super::super::layout::{CONSOLE, LOCAL, USER};
use super::super::local_shadow::LocalShadow;
use super::super::memory::{Chunk, Memory, low_bytes};
use super::super::registers::{Octet, Row, lane, lane_mut, lanes_of, octet_of, row_of};
use super::super::trap::{AccessKind, UninitialisedUse as Use};
use super::lanes::{any, blend, each_octet, ones};
use super::place::{Region, Wish};
use super::processor::{Processor, Work};
use super::{Context, Fault, lanes, undefined};

/// How a warp's addresses lie.
enum Reach {
    /// All in the 64 KiB around this one, and allowed.
    Near(u32),
    /// Allowed.
    Far,
    /// Not known to be allowed.
    Unknown,
}

/// The addresses of an access, in all lanes, and what is known about those of the active lanes.
#[inline(always)]
fn addresses<const SIZE: u32>(
    cx: &Context<'_>,
    octets: usize,
    op: &Op,
    window: &Window,
    allowed: bool,
) -> (Row, Reach) {
    let base = cx.warp.registers.row(op.rs1);
    let mask = cx.warp.lane_mask();
    let near = lane(base, cx.warp.last_lane()).wrapping_add(op.imm);
    let limit = window.span.saturating_sub(SIZE - 1);
    let mut row: Row = [[0; 8]; 4];
    let (mut wrong, mut apart): (Octet, Octet) = ([0; 8], [0; 8]);
    for at in each_octet(octets) {
        let (b, m) = (&base[at], &mask[at]);
        let address: Octet = octet_of(|n| b[n].wrapping_add(op.imm));
        let outside: Octet = octet_of(|n| ones(address[n].wrapping_sub(window.first) > limit));
        wrong = octet_of(|n| wrong[n] | (outside[n] | address[n] & (SIZE - 1)) & m[n]);
        apart = octet_of(|n| apart[n] | (address[n] ^ near) >> 16 & m[n]);
        row[at] = address;
    }
    let reach = if !allowed || any(&wrong) {
        Reach::Unknown
    } else if any(&apart) {
        Reach::Far
    } else {
        Reach::Near(near)
    };
    (row, reach)
}

/// As [`addresses`], and the range of memory that they are in, which becomes known to the core if it was another one.
/// `allows`: of such a range, whether it may be accessed like this.
#[inline(always)]
fn reached<const SIZE: u32>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
    allows: fn(&Window) -> bool,
) -> (Row, Reach, Window) {
    let window = *cx.core.window(op.rs1);
    let (addresses, reach) = addresses::<SIZE>(cx, octets, op, &window, allows(&window));
    match reach {
        Reach::Unknown => {
            let (reach, window) = reached_elsewhere::<SIZE>(cx, octets, op, allows);
            (addresses, reach, window)
        }
        known => (addresses, known, window),
    }
}

#[inline(never)]
fn reached_elsewhere<const SIZE: u32>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
    allows: fn(&Window) -> bool,
) -> (Reach, Window) {
    let last = lane(cx.warp.registers.row(op.rs1), cx.warp.last_lane()).wrapping_add(op.imm);
    // Not all of what is below is memory.
    if last >= USER {
        remember(cx, op, last);
    }
    let window = *cx.core.window(op.rs1);
    let (_, reach) = addresses::<SIZE>(cx, octets, op, &window, allows(&window));
    (reach, window)
}

/// Whether it is known of all that the active lanes access that it holds values: they are in local memory, and all
/// between the lowest and the highest of them does.
#[inline(always)]
fn is_settled(cx: &Context<'_>, octets: usize, addresses: &Row, reach: &Reach) -> bool {
    let (Reach::Near(LOCAL..), Some(shadow)) = (reach, &cx.core.local_shadow) else {
        return false;
    };
    let (low, high) = extent(cx.warp.lane_mask(), octets, addresses);
    shadow.is_settled(low, high)
}

/// The lowest and the highest address in active lanes.
#[inline(always)]
fn extent(mask: &Row, octets: usize, addresses: &Row) -> (u32, u32) {
    let (mut low, mut high): (Octet, Octet) = ([u32::MAX; 8], [0; 8]);
    for at in each_octet(octets) {
        let (a, m) = (&addresses[at], &mask[at]);
        low = octet_of(|n| low[n].min(a[n] | !m[n]));
        high = octet_of(|n| high[n].max(a[n] & m[n]));
    }
    let low = low.iter().fold(u32::MAX, |low, &address| low.min(address));
    (low, high.iter().fold(0, |high, &address| high.max(address)))
}

/// Looks whether all of local memory between the active lanes' addresses holds values, which [`is_settled`] knows then.
fn settle(cx: &Context<'_>, octets: usize, addresses: &Row, reach: &Reach) {
    if let (Reach::Near(LOCAL..), Some(shadow)) = (reach, &cx.core.local_shadow) {
        let (low, high) = extent(cx.warp.lane_mask(), octets, addresses);
        shadow.settle(low, high);
    }
}

/// The chunk of memory at an address that is allowed, if anything was written to it.
#[inline(always)]
fn existing<'a>(core: &'a CoreState, memory: &'a Memory, address: u32) -> Option<&'a Chunk> {
    if address >= LOCAL {
        Some(&core.local)
    } else {
        memory.existing(address)
    }
}

/// The chunk of memory at an address that is allowed.
pub(super) fn chunk<'a>(cx: &'a Context<'_>, address: u32) -> &'a Chunk {
    if address >= LOCAL {
        &cx.core.local
    } else {
        cx.memory.chunk(address)
    }
}

/// The shadow of [`existing`].
#[inline(always)]
fn existing_shadow<'a>(
    core: &'a CoreState,
    shadow: Option<&'a Memory>,
    address: u32,
) -> Option<&'a Chunk> {
    if address >= LOCAL {
        core.local_shadow.as_ref().map(LocalShadow::bits)
    } else {
        shadow.and_then(|shadow| shadow.existing(address))
    }
}

/// The bits of a word that have no value.
pub(super) fn shadow_of_word(cx: &Context<'_>, address: u32) -> u32 {
    let shadow = existing_shadow(cx.core, cx.shadow, address);
    shadow.map_or(u32::MAX, |shadow| shadow.load::<4>(address))
}

/// Sets the bits without a value at an address that may be stored to, where these are kept.
pub(super) fn set_shadow<const SIZE: u32>(cx: &Context<'_>, address: u32, bits: u32) {
    if address < LOCAL {
        if let Some(shadow) = cx.shadow {
            put::<SIZE>(cx.shared.is_some(), shadow.chunk(address), address, bits);
        }
    } else if let Some(shadow) = &cx.core.local_shadow {
        shadow.store::<SIZE>(address, bits);
    }
}

/// A load, with what makes a word of the bytes. `TRACK`: if there are shadows, they are loaded, too.
pub(super) struct Load<const SIZE: u32, const TRACK: bool, F>(pub(super) F);

impl<const SIZE: u32, const TRACK: bool, F: Fn(u32) -> u32>
    Work<&mut Context<'_>, &Op, (usize, u32)> for Load<SIZE, TRACK, F>
{
    type Result = Result<(), Box<Fault>>;

    #[inline(always)]
    fn on<P: Processor>(
        self,
        _: P,
        cx: &mut Context<'_>,
        op: &Op,
        (octets, pc): (usize, u32),
    ) -> Self::Result {
        load::<SIZE, TRACK>(cx, octets, op, pc, self.0)
    }
}

#[inline(always)]
fn load<const SIZE: u32, const TRACK: bool>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
    pc: u32,
    extend: impl Fn(u32) -> u32,
) -> Result<(), Box<Fault>> {
    let (addresses, reach, window) = reached::<SIZE>(cx, octets, op, |window| window.reads);
    let tracked = TRACK && !window.defined && !is_settled(cx, octets, &addresses, &reach);
    let Context {
        warp,
        core,
        memory,
        shadow,
        ..
    } = &mut *cx;
    let near = match reach {
        Reach::Near(address) => existing(core, memory, address),
        Reach::Far | Reach::Unknown => None,
    };
    let shadow = match reach {
        Reach::Near(address) if tracked => existing_shadow(core, *shadow, address),
        _ => None,
    };
    // Whatever has a value was written, and so was its shadow.
    let Some(chunk) = near.filter(|_| !tracked || shadow.is_some()) else {
        let check = matches!(reach, Reach::Unknown);
        let values = load_scattered::<SIZE>(cx, op, &addresses, check)?;
        lanes::assign(cx.warp, octets, op, &row_of(&values, &extend));
        if TRACK && (check || tracked) {
            let bits = shadows_scattered::<SIZE>(cx, op, &addresses, check);
            undefined::loaded(cx, op, pc, &addresses, &row_of(&bits, &extend));
        }
        return Ok(());
    };
    let (registers, mask, _) = warp.lanes();
    let rd = registers.row_mut(op.rd);
    for at in each_octet(octets) {
        // Inactive lanes read something that nobody will see.
        let values = octet_of(|n| extend(chunk.load::<SIZE>(addresses[at][n])));
        rd[at] = blend(&mask[at], &values, &rd[at]);
    }
    if let Some(shadow) = shadow {
        let (mut bits, mut any): (Row, Octet) = ([[0; 8]; 4], [0; 8]);
        for at in each_octet(octets) {
            let m = &mask[at];
            let values: Octet = octet_of(|n| extend(shadow.load::<SIZE>(addresses[at][n])) & m[n]);
            any = octet_of(|n| any[n] | values[n]);
            bits[at] = values;
        }
        if self::any(&any) {
            undefined::loaded(cx, op, pc, &addresses, &bits);
        } else {
            settle(cx, octets, &addresses, &reach);
        }
    }
    Ok(())
}

/// Each lane for itself.
#[inline(never)]
pub(super) fn load_scattered<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    addresses: &Row,
    check: bool,
) -> Result<Row, Box<Fault>> {
    let mut values: Row = [[0; 8]; 4];
    for n in lanes_of(cx.warp.mask()) {
        let address = lane(addresses, n);
        // Most lanes are where the one before was.
        let window = cx.core.window(op.rs1);
        if check && !(window.reads && window.holds(address, SIZE)) {
            let access = AccessKind::Load;
            let wish = Wish {
                access,
                address,
                size: SIZE,
                lane: n,
            };
            wish.locate(cx)?;
            remember(cx, op, address);
        }
        *lane_mut(&mut values, n) = bytewise::<SIZE>(address, |address, size| match size {
            1 => value::<1>(cx, address),
            _ => value::<SIZE>(cx, address),
        });
    }
    Ok(values)
}

/// `SIZE` bytes from an address that may not be a multiple of that: what `load` answers for them as a whole, or for
/// each.
#[inline(always)]
fn bytewise<const SIZE: u32>(address: u32, load: impl Fn(u32, u32) -> u32) -> u32 {
    if address.is_multiple_of(SIZE) {
        return load(address, SIZE);
    }
    (0..SIZE).fold(0, |word, n| {
        word | load(address.wrapping_add(n), 1) << (8 * n)
    })
}

/// What is at an address that may be loaded from. Where nothing is allocated, nothing is made.
fn value<const SIZE: u32>(cx: &Context<'_>, address: u32) -> u32 {
    let found = existing(cx.core, cx.memory, address);
    if found.is_none() && cx.protection.range_at(address).is_none() {
        return cx.memory.blank::<SIZE>(address);
    }
    found
        .unwrap_or_else(|| chunk(cx, address))
        .load::<SIZE>(address)
}

/// The bits at some addresses that have no value, each lane for itself. `look`: it is not known where the addresses
/// are.
#[cold]
#[inline(never)]
pub(super) fn shadows_scattered<const SIZE: u32>(
    cx: &Context<'_>,
    op: &Op,
    addresses: &Row,
    look: bool,
) -> Row {
    let window = cx.core.window(op.rs1);
    let is_defined = |address, size| match window.reads && window.holds(address, size) {
        true => window.defined,
        false => (cx.protection.range_at(address)).is_some_and(|range| range.defined),
    };
    let mut bits: Row = [[0; 8]; 4];
    for n in lanes_of(cx.warp.mask()) {
        *lane_mut(&mut bits, n) = bytewise::<SIZE>(lane(addresses, n), |address, size| {
            if look && is_defined(address, size) {
                return 0;
            }
            let shadow = existing_shadow(cx.core, cx.shadow, address);
            shadow.map_or(low_bytes(size), |shadow| match size {
                1 => shadow.load::<1>(address),
                _ => shadow.load::<SIZE>(address),
            })
        });
    }
    bits
}

/// A store. `TRACK`: if there are shadows, they are stored, too. Results in whether something was written that was
/// decoded.
pub(super) struct Store<const SIZE: u32, const TRACK: bool>;

impl<const SIZE: u32, const TRACK: bool> Work<&mut Context<'_>, &Op, usize> for Store<SIZE, TRACK> {
    type Result = Result<bool, Box<Fault>>;

    #[inline(always)]
    fn on<P: Processor>(self, _: P, cx: &mut Context<'_>, op: &Op, octets: usize) -> Self::Result {
        store::<SIZE, TRACK>(cx, octets, op)
    }
}

#[inline(always)]
fn store<const SIZE: u32, const TRACK: bool>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
) -> Result<bool, Box<Fault>> {
    let (addresses, reach, window) = reached::<SIZE>(cx, octets, op, |window| window.writes);
    let tracked = TRACK && !window.defined && !is_settled(cx, octets, &addresses, &reach);
    let known = !TRACK || cx.warp.undefined() >> (op.rs2 & 63) & 1 == 0;
    let (near, shadow) = match reach {
        Reach::Near(address) if known && !cx.reservations.any() => (
            existing(cx.core, cx.memory, address),
            existing_shadow(cx.core, cx.shadow, address).filter(|_| tracked),
        ),
        _ => (None, None),
    };
    let Some(chunk) = near.filter(|_| !tracked || shadow.is_some()) else {
        return store_scattered::<SIZE>(cx, op, &addresses, matches!(reach, Reach::Unknown));
    };
    let values = cx.warp.registers.row(op.rs2);
    let shared = cx.shared.is_some();
    if let (Some(_), Reach::Near(LOCAL..), Some(local)) = (shadow, &reach, &cx.core.local_shadow) {
        local.touch();
    }
    if cx.warp.is_full() && cx.config.threads.is_multiple_of(8) {
        for at in each_octet(octets) {
            for n in 0..8 {
                put::<SIZE>(shared, chunk, addresses[at][n], values[at][n]);
            }
        }
        if let Some(shadow) = shadow {
            for at in each_octet(octets) {
                for address in addresses[at] {
                    put::<SIZE>(shared, shadow, address, 0);
                }
            }
        }
    } else {
        for n in lanes_of(cx.warp.mask()) {
            put::<SIZE>(shared, chunk, lane(&addresses, n), lane(values, n));
            if let Some(shadow) = shadow {
                put::<SIZE>(shared, shadow, lane(&addresses, n), 0);
            }
        }
    }
    Ok(false)
}

/// Each lane for itself, in order: of several that store to one address the highest wins.
#[inline(never)]
fn store_scattered<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    addresses: &Row,
    check: bool,
) -> Result<bool, Box<Fault>> {
    let mut code = false;
    for n in lanes_of(cx.warp.mask()) {
        let address = lane(addresses, n);
        let window = cx.core.window(op.rs1);
        let check = check && !(window.writes && window.holds(address, SIZE));
        if check {
            let access = AccessKind::Store;
            let wish = Wish {
                access,
                address,
                size: SIZE,
                lane: n,
            };
            match wish.locate(cx)? {
                Region::Memory => remember(cx, op, address),
                Region::Console => {
                    undefined::need(cx, op.rs2, 1 << n, low_bytes(SIZE), Use::Console)?;
                    let value = lane(cx.warp.registers.row(op.rs2), n);
                    cx.console.put(cx.core.id, address - CONSOLE, value as u8);
                    continue;
                }
                Region::Ignored => continue,
            }
        }
        if address.is_multiple_of(SIZE) {
            code |= store_lane::<SIZE>(cx, op, address, (n, 0), check)?;
        } else {
            for byte in 0..SIZE {
                let address = address.wrapping_add(byte);
                code |= store_lane::<1>(cx, op, address, (n, 8 * byte), check)?;
            }
        }
    }
    Ok(code)
}

/// Stores what one lane's register holds from the bit `shift` on. Returns whether that was decoded.
fn store_lane<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    address: u32,
    (n, shift): (u32, u32),
    check: bool,
) -> Result<bool, Box<Fault>> {
    if cx.shadow.is_some() {
        let window = *cx.core.window(op.rs1);
        let (host, defined) = match check {
            true => kept(cx, address),
            false => (window.host, window.defined),
        };
        if host {
            let what = Use::Store {
                address,
                size: SIZE,
            };
            undefined::need(cx, op.rs2, 1 << n, low_bytes(SIZE) << shift, what)?;
        }
        if !defined {
            let bits = cx.warp.shadow_of(op.rs2, n) >> shift;
            set_shadow::<SIZE>(cx, address, bits);
            if bits & low_bytes(SIZE) != 0 {
                undefined::stored(cx, op.rs2, address);
            }
        }
    }
    let value = lane(cx.warp.registers.row(op.rs2), n) >> shift;
    Ok(write::<SIZE>(cx, address, value))
}

/// Writes to a word of which other threads may write other bytes.
#[inline(always)]
fn put<const SIZE: u32>(shared: bool, chunk: &Chunk, address: u32, value: u32) {
    if SIZE < 4 && shared {
        chunk.merge::<SIZE>(address, value);
    } else {
        chunk.store::<SIZE>(address, value);
    }
}

/// Changes a word in one step; returns what it was, and whether it was decoded.
pub(super) fn update(
    cx: &mut Context<'_>,
    address: u32,
    change: impl Fn(u32) -> u32,
) -> (u32, bool) {
    cx.reservations.written(cx.core.id, address);
    let chunk = chunk(cx, address);
    let old = if cx.shared.is_some() {
        chunk.update(address, change)
    } else {
        let old = chunk.load::<4>(address);
        chunk.store::<4>(address, change(old));
        old
    };
    (old, is_code::<4>(cx, address))
}

/// A store that was found to be allowed. Returns whether that was decoded.
pub(super) fn write<const SIZE: u32>(cx: &mut Context<'_>, address: u32, value: u32) -> bool {
    cx.reservations.written(cx.core.id, address);
    put::<SIZE>(cx.shared.is_some(), chunk(cx, address), address, value);
    is_code::<SIZE>(cx, address)
}

/// Writes a word if it is still the same; returns whether it was, and whether what was written was decoded.
pub(super) fn exchange(
    cx: &mut Context<'_>,
    address: u32,
    expected: u32,
    value: u32,
) -> (bool, bool) {
    cx.reservations.written(cx.core.id, address);
    let done = chunk(cx, address).exchange(address, expected, value);
    (done, done && is_code::<4>(cx, address))
}

/// Whether what a store has written was decoded.
fn is_code<const SIZE: u32>(cx: &Context<'_>, address: u32) -> bool {
    cx.code.overlaps(address, address + (SIZE - 1))
}

/// Whether the host reads the memory at an address, and whether all of that is known to hold values.
pub(super) fn kept(cx: &Context<'_>, address: u32) -> (bool, bool) {
    let range = cx.protection.range_at(address);
    range.map_or((false, false), |range| (range.host, range.defined))
}

/// Makes the range around an address known to the core.
pub(super) fn remember(cx: &mut Context<'_>, op: &Op, address: u32) {
    if let Some(range) = cx.protection.range_at(address)
        // Smaller ones could not hold every access that starts in them.
        && range.last - range.first >= 3
    {
        let trusting = !cx.config.checks.rights;
        let writes = (trusting || range.access.writes())
            && !range.ignores_stores()
            && !cx.code.overlaps(range.first, range.last);
        *cx.core.window_mut(op.rs1) = Window {
            first: range.first,
            span: range.last - range.first,
            reads: trusting || range.access.reads(),
            writes,
            host: range.host,
            defined: range.defined || cx.shadow.is_none(),
        };
    }
}
