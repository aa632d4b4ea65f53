//! What a kernel tells the host: the records of failures and of what it prints.

use super::FaultSite;
use super::entry::{Launch, Surroundings};
use crate::abi::{FAULT_AREA_HEADER, FaultRecord, PrintHeader, header};
use crate::ir::{
    Alias, Arm, BinOp, Builder, CmpOp, Csr, FaultKind, Loc, MessageId, Space, Type, Value,
};
use std::collections::HashMap;
use std::mem::offset_of;

/// The places that can fail, numbered from 1.
#[derive(Default)]
pub(super) struct Sites {
    sites: Vec<FaultSite>,
    numbers: HashMap<(FaultKind, Option<MessageId>, Loc), u32>,
}

impl Sites {
    pub(super) fn number(
        &mut self,
        b: &Builder<'_>,
        kind: FaultKind,
        message: Option<MessageId>,
        loc: Loc,
    ) -> u32 {
        let sites = &mut self.sites;
        let locs = &b.function.locs;
        *self.numbers.entry((kind, message, loc)).or_insert_with(|| {
            sites.push(FaultSite {
                kind,
                message,
                loc: locs[loc.0 as usize].clone(),
            });
            sites.len() as u32
        })
    }

    pub(super) fn into_vec(self) -> Vec<FaultSite> {
        self.sites
    }
}

/// Writes this hart's fault record unless it has one: then the header of the fault area, as long as a record and non-zero
/// already, takes the words instead, which saves a branch. All of it is computed here, where time does not matter,
/// so that nothing is kept in registers for it.
pub(super) fn fault(
    b: &mut Builder<'_>,
    launch: &Launch,
    around: &dyn Surroundings,
    site: u32,
    operands: &[Value],
) {
    let faults = launch.load(b, header::FAULTS, Type::Ptr(Space::Global));
    const { assert!(FAULT_AREA_HEADER as usize == size_of::<FaultRecord>()) };
    let hart = b.csr(Csr::HartId);
    let one = b.u32(1);
    let number = b.binary(BinOp::Add, hart, one);
    let amount = b.u32(FAULT_AREA_HEADER.trailing_zeros());
    let own = b.binary(BinOp::Shl, number, amount);
    let record = b.ptr_add(faults, own, 1);
    let site_at = offset_of!(FaultRecord, site) as i32;
    let present = b.load(Type::U32, record, site_at, Alias::Fault);
    let zero = b.u32(0);
    let free = b.compare(CmpOp::Eq, present, zero);
    let chosen = b.select(free, own, zero);
    let record = b.ptr_add(faults, chosen, 1);

    let item = around.fault_item(b);
    let item_at = offset_of!(FaultRecord, item) as i32;
    b.store(record, item_at, item, Alias::Fault);
    for (n, &operand) in operands.iter().enumerate() {
        let at = (offset_of!(FaultRecord, operands) + 4 * n) as i32;
        let word = word(b, operand);
        b.store(record, at, word, Alias::Fault);
    }
    let site = b.u32(site);
    b.store(record, site_at, site, Alias::Fault);
    // The flag; any word but 0 will do.
    b.store(faults, 0, site, Alias::Fault);
}

/// Appends a record to what this hart has printed, or counts it as lost.
pub(super) fn print(
    b: &mut Builder<'_>,
    launch: &Launch,
    around: &dyn Surroundings,
    message: MessageId,
    operands: &[Value],
) {
    const HEADER_LOG2: u32 = size_of::<PrintHeader>().trailing_zeros();
    const { assert!(size_of::<PrintHeader>().is_power_of_two()) };
    let prints = launch.load(b, header::PRINTS, Type::Ptr(Space::Global));
    let hart = b.csr(Csr::HartId);
    let amount = b.u32(HEADER_LOG2);
    let own = b.binary(BinOp::Shl, hart, amount);
    let of_hart = b.ptr_add(prints, own, 1);
    let used_at = offset_of!(PrintHeader, used) as i32;
    let used = b.load(Type::U32, of_hart, used_at, Alias::Any);
    let bytes = b.u32(4 * (2 + operands.len()) as u32);
    let end = b.binary(BinOp::Add, used, bytes);
    let room = launch.load(b, header::PRINT_ROOM, Type::U32);
    let fits = b.compare(CmpOp::Le, end, room);

    let mut then = b.inner();
    let records = launch.load(&mut then, header::PRINT_RECORDS, Type::Ptr(Space::Global));
    let skipped = then.binary(BinOp::Mul, hart, room);
    let offset = then.binary(BinOp::Add, skipped, used);
    let record = then.ptr_add(records, offset, 1);
    let number = then.u32(message.0);
    then.store(record, 0, number, Alias::Any);
    let item = around.fault_item(&mut then);
    then.store(record, 4, item, Alias::Any);
    for (n, &operand) in operands.iter().enumerate() {
        let word = word(&mut then, operand);
        then.store(record, 4 * (2 + n as i32), word, Alias::Any);
    }
    then.store(of_hart, used_at, end, Alias::Any);
    let then = then.finish();

    let mut els = b.inner();
    let lost_at = offset_of!(PrintHeader, lost) as i32;
    let lost = els.load(Type::U32, of_hart, lost_at, Alias::Any);
    let one = els.u32(1);
    let more = els.binary(BinOp::Add, lost, one);
    els.store(of_hart, lost_at, more, Alias::Any);
    let els = els.finish();

    let arm = |block| Arm {
        block,
        yields: Vec::new(),
    };
    b.if_else(fits, arm(then), arm(els));
}

/// Any value as a word.
fn word(b: &mut Builder<'_>, value: Value) -> Value {
    match b.function.ty(value) {
        Type::U32 => value,
        Type::I32 | Type::F32 | Type::Ptr(_) => b.bitcast(value, Type::U32),
        _ => b.cast(value, Type::U32),
    }
}
