//! Layouts as people read them: a table of the records, and a picture of the shards.

use std::fmt;

use super::accessor::TileParams;
use super::infer::{BufferRecord, ShardRecord};
use super::layout::{ShardOrder, TensorLayout};
use super::propagate::CircularBufferRecord;
use super::records::{TensorRecord, TensorRecords};
use crate::escape::Escaped;

/// The records of a kernel's tensors as text.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The records.
    pub records: &'a TensorRecords,
    /// For each tensor, whether the kernel writes it.
    pub written: &'a [bool],
}

/// The most groups along an axis that are drawn.
const MOST_DRAWN: u32 = 8;

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts = [0, 0];
        writeln!(
            f,
            "  {:<12} {:<6} {:<12} {:<6} {:<8} {:<8} {:>9} {:>5} {:<8}",
            "tensor", "memory", "layout", "dtype", "tile", "buffer", "page size", "depth", "stride"
        )?;
        let mut tensors: Vec<_> = self.records.tensors().iter().zip(self.written).collect();
        tensors.sort_by_key(|(tensor, _)| tensor.cb.map(|cb| cb.cb_id));
        for (tensor, is_written) in tensors {
            let role = match is_written {
                false => super::Role::Input,
                true => super::Role::Output,
            };
            let number = &mut counts[usize::from(*is_written)];
            line(f, tensor, &role.buffer_name(*number))?;
            *number += 1;
        }
        for tensor in self.records.tensors() {
            if let Some(shard) = tensor.buffer.and_then(|buffer| buffer.nd_shard) {
                draw(f, tensor, &shard)?;
            }
        }
        Ok(())
    }
}

fn line(f: &mut fmt::Formatter<'_>, tensor: &TensorRecord, name: &str) -> fmt::Result {
    let (Some(buffer), Some(cb)) = (&tensor.buffer, &tensor.cb) else {
        return writeln!(
            f,
            "  {:<12} not laid out yet",
            Escaped(&tensor.name).to_string()
        );
    };
    let [rows, cols] = buffer.tile_shape;
    let stride = tensor
        .accessor
        .as_ref()
        .map_or("none", |accessor| accessor.stride_mode.name());
    write!(
        f,
        "  {:<12} {:<6} {:<12} {:<6} {:<8} {:<8} {:>9} {:>5} {:<8}",
        Escaped(&tensor.name).to_string(),
        buffer.memory.name(),
        buffer.layout.name(),
        buffer.dtype.name(),
        format!("{rows}x{cols}"),
        name,
        cb.page_size,
        cb.depth,
        stride
    )?;
    match tensor
        .accessor
        .as_ref()
        .map(|accessor| accessor.tile_params)
    {
        Some(TileParams::Grid(grid)) => match (grid.total_tiles, grid.tiles_per_row) {
            (Some(total), Some(across)) => write!(f, " {total} tiles, {across} in a row")?,
            _ => f.write_str(" as many tiles as the launch says")?,
        },
        Some(TileParams::Shards(shards)) => {
            write!(f, " {} x {} shards", shards.grid_m, shards.grid_n)?;
        }
        None => {}
    }
    match is_default(buffer, cb) {
        true => writeln!(f, ", the default layout"),
        false => writeln!(f),
    }
}

/// Whether a tensor is laid out as one without `#[layout(..)]`.
fn is_default(buffer: &BufferRecord, cb: &CircularBufferRecord) -> bool {
    let default = TensorLayout::INTERLEAVED;
    let numbers = |numbers: [u32; 2]| numbers.map(|number| number as usize);
    buffer.memory == default.memory
        && buffer.layout == default.arrangement
        && numbers(buffer.tile_shape) == default.tile
        && cb.depth as usize == default.depth
}

/// A grid of shards, each with the number of the group that it belongs to.
fn draw(f: &mut fmt::Formatter<'_>, tensor: &TensorRecord, shard: &ShardRecord) -> fmt::Result {
    let [rows, cols] = shard.projected_grid;
    write!(f, "\n  {}: {rows} x {cols} shards", Escaped(&tensor.name))?;
    if let Some([height, width]) = shard.shard_shape_elems {
        write!(f, " of {height} x {width} elements")?;
    }
    if let Some([m, n]) = shard.projected_shard_tiles {
        write!(f, ", {m} x {n} tiles each")?;
    }
    if shard.halo != [0, 0] {
        write!(f, ", with a rim of {} x {}", shard.halo[0], shard.halo[1])?;
    }
    writeln!(f, "; each with its group")?;
    let (drawn_rows, drawn_cols) = (rows.min(MOST_DRAWN), cols.min(MOST_DRAWN));
    let edge = "+-----".repeat(drawn_cols as usize) + "+";
    for m in 0..drawn_rows {
        writeln!(f, "  {edge}")?;
        f.write_str("  ")?;
        for n in 0..drawn_cols {
            let (m, n, rows, cols) = (u64::from(m), u64::from(n), u64::from(rows), u64::from(cols));
            let number = match shard.order {
                ShardOrder::RowMajor => m * cols + n,
                ShardOrder::ColMajor => n * rows + m,
            };
            write!(f, "|{number:^5}")?;
        }
        writeln!(f, "|{}", if cols > drawn_cols { " .." } else { "" })?;
    }
    writeln!(f, "  {edge}")?;
    if rows > drawn_rows {
        writeln!(f, "   ..")?;
    }
    Ok(())
}
