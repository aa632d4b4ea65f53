//! The three passes that make records of a kernel's tensors.

use super::Parameter;
use super::accessor::{AccessorRecord, TileParams};
use super::error::LayoutError;
use super::infer::infer;
use super::propagate::{CircularBufferRecord, Role, page_size};
use super::records::TensorRecords;

impl TensorRecords {
    /// The records of the three passes for a kernel's arguments. If the bytes of a core's local memory are given, they
    /// are checked against these.
    ///
    /// # Errors
    /// If a tensor is impossible, with the argument's number.
    pub fn of(
        args: &[impl Parameter],
        capacity: Option<u64>,
    ) -> Result<Self, (usize, LayoutError)> {
        let mut records = Self::default();
        infer_layout(args, &mut records, capacity)?;
        propagate_layout(args, &mut records, capacity)?;
        attach_accessor(args, &mut records)?;
        Ok(records)
    }
}

/// Writes the buffer record of each tensor among the arguments, in order. If the bytes of a core's local memory are
/// given, shards are checked against these.
///
/// # Errors
/// If a tensor is impossible, with the argument's number.
pub fn infer_layout(
    args: &[impl Parameter],
    records: &mut TensorRecords,
    capacity: Option<u64>,
) -> Result<(), (usize, LayoutError)> {
    for arg in args {
        if let Some(meta) = arg.tensor() {
            let buffer = infer(arg.name(), meta, capacity).map_err(|error| (arg.index(), error))?;
            records.entry(arg.name()).buffer = Some(buffer);
        }
    }
    Ok(())
}

/// Writes the record of the circular buffer of each tensor among the arguments: inputs first, then outputs. If the
/// bytes of a core's local memory are given, all of them and the shards there are checked against these.
///
/// # Errors
/// If [`infer_layout`] has not run, or local memory cannot hold them; with the argument's
/// number.
pub fn propagate_layout(
    args: &[impl Parameter],
    records: &mut TensorRecords,
    capacity: Option<u64>,
) -> Result<(), (usize, LayoutError)> {
    let mut required = 0u64;
    let mut cb_id = 0;
    for role in [Role::Input, Role::Output] {
        for arg in args.iter().filter(|arg| Role::of(arg.is_mutable()) == role) {
            let Some(meta) = arg.tensor() else {
                continue;
            };
            let fails = |error| (arg.index(), error);
            let entry = records.entry(arg.name());
            let missing = LayoutError::Missing {
                record: "tt.buffer.",
                buffer: arg.name(),
            };
            let buffer = entry.buffer.ok_or(fails(missing))?;
            // `infer` has seen to it that these fit.
            let depth = meta.layout.depth as u32;
            let cb = CircularBufferRecord {
                cb_id,
                page_size: page_size(&buffer),
                depth,
                data_format: buffer.dtype.into(),
            };
            cb_id += 1;
            required += cb.bytes() + buffer.local_bytes();
            entry.cb = Some(cb);
            if let Some(available) = capacity
                && required > available
            {
                return Err(fails(LayoutError::Capacity {
                    required,
                    available,
                }));
            }
        }
    }
    Ok(())
}

/// Writes the accessor of each tensor among the arguments.
///
/// # Errors
/// If [`infer_layout`] or [`propagate_layout`] has not run; with
/// the argument's number.
pub fn attach_accessor(
    args: &[impl Parameter],
    records: &mut TensorRecords,
) -> Result<(), (usize, LayoutError)> {
    for arg in args {
        let Some(meta) = arg.tensor() else {
            continue;
        };
        let missing = |record| {
            let buffer = arg.name();
            (arg.index(), LayoutError::Missing { record, buffer })
        };
        let entry = records.entry(arg.name());
        let buffer = entry.buffer.ok_or_else(|| missing("tt.buffer."))?;
        entry.cb.ok_or_else(|| missing("tt.cb."))?;
        entry.accessor = Some(AccessorRecord {
            layout_ref: format!("tt.buffer.{}", arg.name()),
            stride_mode: buffer.layout.into(),
            tile_params: TileParams::of(&buffer, meta.known_extents()),
            runtime_binding: None,
        });
    }
    Ok(())
}
