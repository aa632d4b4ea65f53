//! Reports accesses to [`Lockstep`], lane by lane.

use super::super::super::code::Op;
use super::super::super::layout::{LOCAL, USER};
use super::super::super::race::{Access, Kind, Lockstep, Races};
use super::super::super::registers::{Row, lane, lanes_of};
use super::super::super::trap::TrapKind;
use super::super::{Context, Fault};
use super::runs::Runs;
use super::{addresses_from, plain, racing};

/// What is known about lockstep, if it matters in this run.
fn lockstep<'a>(races: &'a mut Option<&mut Races>) -> Option<&'a mut Lockstep> {
    let lockstep = races.as_deref_mut()?.lockstep.as_deref_mut()?;
    lockstep.is_on().then_some(lockstep)
}

/// The lanes of a warp have met: in a warp operation, or at a barrier that consists of only this warp.
pub(in super::super) fn met(cx: &mut Context<'_>) {
    let lanes = cx.warp.mask();
    if let Some(lockstep) = lockstep(&mut cx.races) {
        lockstep.meet(cx.core.id, cx.warp_id, lanes);
    }
}

/// Looks at `fence`.
pub(super) fn fence(cx: &mut Context<'_>) {
    let lanes = cx.warp.mask();
    if let Some(lockstep) = lockstep(&mut cx.races) {
        lockstep.acquire(cx.core.id, cx.warp_id, lanes);
        lockstep.release(cx.core.id, cx.warp_id, lanes);
    }
}

/// Looks at an access. Returns whether that is all there is to look at, because data races do not matter.
pub(super) fn is_all<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    pc: u32,
    kind: Kind,
) -> Result<bool, Box<Fault>> {
    let races = cx.races.as_deref_mut();
    let taken = races.and_then(|races| races.lockstep.take_if(|lockstep| lockstep.is_on()));
    let Some(mut lockstep) = taken else {
        return Ok(false);
    };
    let found = look::<SIZE>(cx, &mut lockstep, op, pc, kind);
    if let Some(races) = cx.races.as_deref_mut() {
        races.lockstep = Some(lockstep);
    }
    found.map(|()| !cx.config.checks.races)
}

fn look<const SIZE: u32>(
    cx: &Context<'_>,
    lockstep: &mut Lockstep,
    op: &Op,
    pc: u32,
    kind: Kind,
) -> Result<(), Box<Fault>> {
    let (core, warp, lanes) = (cx.core.id, cx.warp_id, cx.warp.mask());
    let (offset, acquire, release) = match kind {
        Kind::Atomic => (0, op.imm & 1 != 0, op.imm & 2 != 0),
        _ => (op.imm, false, false),
    };
    let addresses = addresses_from(cx.warp.registers.row(op.rs1), offset);
    if lockstep.is_exchange(lane(&addresses, cx.warp.last_lane())) {
        lockstep.meet(core, warp, lanes);
        return Ok(());
    }
    let counted = cx.notes.and_then(|notes| notes.at(pc).work);
    if let Some(work) =
        counted.and_then(|place| place.word(cx.warp, cx.memory, cx.warp.last_lane()))
    {
        lockstep.works_on(core, warp, work);
    }
    if release {
        lockstep.release(core, warp, lanes);
    }
    let accesses = accesses::<SIZE>(cx, op, pc, kind, &addresses);
    for access in &accesses {
        if let Some((first, byte)) = lockstep.earlier(access) {
            let kind = TrapKind::OnlyLockstep {
                access: plain(access.kind),
                address: access.address,
                size: access.size,
                first: racing(cx, first, byte),
            };
            return Err(Fault::in_lane(kind, access.lane));
        }
    }
    // Those of one instruction are ordered with each other, or a collision.
    for access in &accesses {
        lockstep.note(access);
    }
    if acquire {
        lockstep.acquire(core, warp, lanes);
    }
    Ok(())
}

/// The accesses of an instruction to what others can reach and change, lane by lane.
fn accesses<const SIZE: u32>(
    cx: &Context<'_>,
    op: &Op,
    pc: u32,
    kind: Kind,
    addresses: &Row,
) -> Vec<Access> {
    let Some(races) = cx.races.as_deref() else {
        return Vec::new();
    };
    let matters = |&n: &u32| {
        let address = lane(addresses, n);
        address >= USER
            && (address >= LOCAL || races.safe_around(kind, address).is_none())
            && !races.is_open(address)
    };
    let runs = Runs::<SIZE> {
        core: cx.core.id,
        warp_id: cx.warp_id,
        warp: cx.warp,
        memory: cx.memory,
        local: &cx.core.local,
        op,
        pc,
        kind,
        addresses,
        values: cx.warp.registers.row(op.rs2),
        counted: cx.notes.and_then(|notes| notes.at(pc).work),
        bytewise: kind != Kind::Atomic && !cx.config.checks.alignment,
        left: lanes_of(cx.warp.mask())
            .filter(matters)
            .fold(0, |lanes, n| lanes | 1 << n),
        done: 0,
        steady: false,
    };
    let single = |access: Access| {
        (0..access.lanes).map(move |step| Access {
            lane: access.lane + step,
            lanes: 1,
            work: access.work + u32::from(access.counts) * step,
            counts: false,
            address: access.address + step * access.size,
            ..access
        })
    };
    runs.flat_map(single).collect()
}
