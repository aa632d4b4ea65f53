//! What a kernel tells the host: the records of failures and of what it prints.

use super::carrier::{self, Carrier, CarrierShape};
use super::launch::{Launch, Surroundings};
use super::link::{CALL, put};
use super::lower::Lower;
use super::{CompileError, FaultSite};
use crate::abi::{FaultRecord, PrintHeader, header};
use crate::ir::{
    Alias, Arm, BinOp, Builder, CmpOp, Csr, FaultKind, Loc, MessageId, Op, Space, Type, Value,
};
use cranelift_codegen::ir as clif;
use std::collections::HashMap;
use std::mem::offset_of;

/// Calls the routine that finds the place for what is to be said about a failure.
const FIND_RECORD: Carrier = carrier::row(CarrierShape::Convergent, CALL);

/// Puts a word there, the second operand.
const fn put_into_record(offset: i32) -> Carrier {
    carrier::row(CarrierShape::Convergent, put(offset))
}

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
    ) -> u32 {
        let (sites, loc) = (&mut self.sites, b.loc);
        let locs = &b.function.locs;
        *self.numbers.entry((kind, message, loc)).or_insert_with(|| {
            sites.push(FaultSite {
                kind,
                message,
                loc: locs[loc].clone(),
            });
            sites.len() as u32
        })
    }

    pub(super) fn into_vec(self) -> Vec<FaultSite> {
        self.sites
    }
}

/// Records a failure. Its operands become words here, where time does not matter, so that nothing is kept in
/// registers for it.
pub(super) fn fault(b: &mut Builder<'_>, around: &dyn Surroundings, site: u32, operands: &[Value]) {
    let item = around.fault_item(b);
    let operands = operands.iter().map(|&operand| word(b, operand)).collect();
    b.effect(Op::Record {
        site,
        item,
        operands,
    });
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
    let number = then.u32(message.as_u32());
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

    let arm = |block| Arm::new(block, Vec::new());
    b.if_else(fits, arm(then), arm(els));
}

impl Lower<'_> {
    /// Has the routine find the record, and fills it in.
    pub(super) fn record(
        &mut self,
        site: u32,
        item: Value,
        operands: &[Value],
    ) -> Result<(), CompileError> {
        let item = self.value(item)?;
        self.read_now(FIND_RECORD, &[item]);
        self.put(offset_of!(FaultRecord, item), item);
        for (n, &operand) in operands.iter().enumerate() {
            let operand = self.value(operand)?;
            self.put(offset_of!(FaultRecord, operands) + 4 * n, operand);
        }
        let site = self.word(site);
        self.put(offset_of!(FaultRecord, site), site);
        Ok(())
    }

    fn put(&mut self, offset: usize, word: clif::Value) {
        self.carry(put_into_record(offset as i32), word, word);
    }
}

/// Any value as a word.
fn word(b: &mut Builder<'_>, value: Value) -> Value {
    match b.function.ty(value) {
        Type::U32 => value,
        Type::I32 | Type::F32 | Type::Ptr(_) => b.bitcast(value, Type::U32),
        _ => b.cast(value, Type::U32),
    }
}
