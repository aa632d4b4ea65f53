//! Assembles a profile.

use std::collections::BTreeMap;

use vortex_kernel::abi::LaunchHeader;
use vortex_kernel::escape;
use vortex_kernel::isa::Inst;
use vortex_sim::timing::{ExecutionUnit, ProfileData, TimingStats};

use super::class::{bytes_accessed, float_operations};
use super::costs::Costs;
use super::shape::Items;
use super::speed::{self, Busy};
use super::{
    Cache, DeviceShape, InstructionClass, LaunchShape, MemoryTraffic, MixPart, Profile,
    ProfiledInstruction, ProfiledLine, Roofline, TimelineRecord, VERSION, WarpRecord, findings,
};
use crate::driver::Caps;
use crate::fault::Explained as _;
use crate::image::{Loaded, describe};
use crate::name::Name;
use crate::source::SourceFiles;

/// A launch that is over.
pub(crate) struct Launched<'a> {
    pub(crate) kernel: &'a Name,
    pub(crate) items: Items,
    pub(crate) header: &'a LaunchHeader,
    pub(crate) loaded: &'a Loaded,
    pub(crate) caps: &'a Caps,
}

/// What is added up over instructions.
#[derive(Default)]
struct Sums {
    total: Costs,
    mix: BTreeMap<InstructionClass, MixPart>,
    busy: Busy,
    float_operations: u64,
    lane_bytes: u64,
}

impl Launched<'_> {
    /// The profile of the launch.
    pub(crate) fn profile(&self, timing: &TimingStats, data: &ProfileData) -> Profile {
        let device = DeviceShape::of(self.caps, &data.limits);
        let image = &self.loaded.image;
        let (uses, coarsening) = (image.groups, image.facts.coarsening);
        let launch = LaunchShape::of(&self.items, self.header, uses, coarsening, self.caps);
        let mut sums = Sums::default();
        let (lines, instructions) = self.code(timing, data, &mut sums);
        sums.total.stalls.idle = timing.stalls.idle;
        let memory = MemoryTraffic {
            lines_read: data.lines_read,
            lines_written: data.lines_written,
            code_lines: data.footprint.code,
            loaded_lines: data.footprint.loaded,
            stored_lines: data.footprint.stored,
            most_code_lines: data.footprint.most_code,
            most_loaded_lines: data.footprint.most_loaded,
            lane_bytes: sums.lane_bytes,
        };
        let slots = sums.total.work.executed + sums.total.stalls.total();
        let work = &sums.total.work;
        let mut profile = Profile {
            version: VERSION,
            kernel: self.kernel.to_string(),
            cycles: timing.cycles,
            slots,
            register_conflicts: timing.register_conflicts,
            mix: sums.mix.into_values().collect(),
            caches: caches(timing),
            speed: speed::gauges(&device, timing.cycles, work, slots, &sums.busy, &memory),
            roofline: Roofline::of(&device, timing.cycles, sums.float_operations, work, &memory),
            total: sums.total,
            findings: Vec::new(),
            lines,
            instructions,
            timeline: timeline(data),
            memory,
            device,
            launch,
        };
        profile.findings = findings::of(&profile);
        profile
    }

    /// Lines and instructions with their costs.
    fn code(
        &self,
        timing: &TimingStats,
        data: &ProfileData,
        sums: &mut Sums,
    ) -> (Vec<ProfiledLine>, Vec<ProfiledInstruction>) {
        let mut sources = SourceFiles::new(self.loaded.sources);
        let mut costs: BTreeMap<u32, Costs> = BTreeMap::new();
        for pc in timing.by_pc.keys().chain(data.by_pc.keys()) {
            costs.entry(*pc).or_insert_with(|| {
                let stats = timing.by_pc.get(pc).copied().unwrap_or_default();
                Costs::of(&stats, &data.by_pc.get(pc).copied().unwrap_or_default())
            });
        }
        let place = |pc: u32| {
            let at = self.loaded.source_of(pc);
            at.map(|at| (at.file.to_string(), at.line))
        };
        let mut by_line: BTreeMap<Option<(String, u32)>, Costs> = BTreeMap::new();
        for (&pc, costs) in &costs {
            let sum = by_line.entry(place(pc)).or_default();
            *sum = sum.plus(costs);
        }
        around(&mut by_line, &mut sources);
        let numbers: BTreeMap<_, usize> = by_line.keys().cloned().zip(0..).collect();
        let words: Vec<u32> = describe::words(describe::code(&self.loaded.image)).collect();
        let instructions = costs.iter().map(|(&pc, costs)| {
            let offset = pc.wrapping_sub(self.loaded.addr);
            let word = words.get((offset / 4) as usize).copied();
            let inst = word.and_then(Inst::decode);
            let profile = data.by_pc.get(&pc);
            sums.add(inst.as_ref(), costs, data);
            ProfiledInstruction {
                offset,
                text: match (&inst, word) {
                    (Some(inst), _) => inst.at(offset).to_string(),
                    (None, Some(word)) => format!(".word {word:#010x}"),
                    (None, None) => "(not part of the kernel)".to_owned(),
                },
                class: inst
                    .as_ref()
                    .map_or(InstructionClass::System, InstructionClass::of),
                line: numbers.get(&place(pc)).copied().unwrap_or(0),
                costs: *costs,
                stride: profile.and_then(|profile| profile.strides.usual()),
                access_bytes: match costs.work.accesses + costs.work.local_accesses {
                    0 => 0,
                    _ => inst.as_ref().map_or(0, bytes_accessed),
                },
            }
        });
        let instructions = instructions.collect();
        let lines = by_line.into_iter().map(|(at, costs)| {
            let (file, line) = at.unzip();
            let text = match (&file, line) {
                (Some(file), Some(line)) => sources.indented(file, line).map(str::to_owned),
                _ => None,
            };
            ProfiledLine {
                file: file.map(|file| escape::lines(&file).into_owned()),
                line: line.unwrap_or(0),
                text,
                costs,
            }
        });
        (lines.collect(), instructions)
    }
}

/// How far apart lines may be for those between them to be shown.
const GAP: u32 = 8;

/// Adds the lines between and before those with code.
fn around(by_line: &mut BTreeMap<Option<(String, u32)>, Costs>, sources: &mut SourceFiles) {
    let mut before: Option<(String, u32)> = None;
    for (file, line) in by_line.keys().flatten().cloned().collect::<Vec<_>>() {
        let from = match &before {
            Some((last, number)) if *last == file && line - number <= GAP => number + 1,
            _ => line.saturating_sub(2).max(1),
        };
        for number in from..line {
            if sources.indented(&file, number).is_some() {
                by_line.entry(Some((file.clone(), number))).or_default();
            }
        }
        before = Some((file, line));
    }
}

impl Sums {
    fn add(&mut self, inst: Option<&Inst>, costs: &Costs, data: &ProfileData) {
        let work = &costs.work;
        self.total = self.total.plus(costs);
        let Some(inst) = inst else { return };
        let class = InstructionClass::of(inst);
        let part = self.mix.entry(class).or_insert(MixPart {
            class,
            executed: 0,
            lanes: 0,
            awaited: 0,
        });
        part.executed += work.executed;
        part.lanes += work.lanes;
        part.awaited += costs.awaited.total();
        self.float_operations += work.lanes * float_operations(inst);
        if work.accesses > 0 {
            self.lane_bytes += work.lanes * bytes_accessed(inst);
        }
        let (unit, each) = data.limits.unit(inst);
        let cycles = work.executed as f64 * each;
        match unit {
            ExecutionUnit::Fpu => self.busy.float += cycles,
            ExecutionUnit::Alu if class == InstructionClass::Divide => self.busy.divider += cycles,
            ExecutionUnit::Lsu => {
                self.busy.coalescer +=
                    (work.turns * u64::from(data.limits.coalescer_turn())) as f64;
                self.busy.local += work.local_turns as f64;
            }
            ExecutionUnit::Alu | ExecutionUnit::Sfu => {}
        }
    }
}

fn caches(timing: &TimingStats) -> Vec<Cache> {
    timing
        .caches()
        .map(|(name, stats)| Cache {
            name: name.to_owned(),
            reads: stats.reads,
            read_misses: stats.read_misses,
            writes: stats.writes,
            write_misses: stats.write_misses,
            held_back: stats.miss_stalls + stats.memory_stalls + stats.bank_stalls,
        })
        .collect()
}

fn timeline(data: &ProfileData) -> TimelineRecord {
    let warps = data.timeline.warps.iter();
    TimelineRecord {
        interval: data.timeline.interval,
        warps: warps
            .map(|warp| WarpRecord {
                core: warp.core,
                warp: warp.warp,
                intervals: warp.intervals.iter().map(Into::into).collect(),
            })
            .collect(),
    }
}
