//! What a launch did.

use std::fmt;
use std::time::Duration;

use crate::counters::PerfCounters;
use crate::driver::{RuntimeTimes, Stats};
use crate::image::choice::Choice;
use crate::lines::Lines;
use crate::name::Name;
use crate::printed::Printed;
use crate::profile::Profile;
use crate::source::Sources;
use crate::trace::Trace;
use vortex_kernel::ir::SourceLoc;
use vortex_sim::Grouped;
use vortex_sim::timing::TimingStats;

/// The host's time for each step of a launch, returned by [`Report::steps`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Steps {
    /// Packing arguments and the launch's size. This includes compiling the kernel and copying its image at its first
    /// launch, and waiting for another thread's kernel on the device.
    pub pack: Duration,
    /// Copying them to the device.
    pub upload: Duration,
    /// Until the device ran by itself. The embedded device runs in the caller's thread, so it has no such step.
    pub start: Duration,
    /// Until the kernel had ended and its failures, if any, were read.
    pub wait: Duration,
}

impl Steps {
    /// All steps together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.pack + self.upload + self.start + self.wait
    }
}

/// How many accesses of a kernel are proved free of data races, for a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaceProof {
    /// Instructions of the kernel that load, store or change what its work items may write.
    pub accesses: u32,
    /// Those that cannot race: no two work items of this launch access the same memory there at the same time, or they
    /// do so atomically. Arguments in which each item only accesses its own elements are not watched for races when the
    /// kernel runs; if all accesses are proved, nothing is watched.
    pub proved: u32,
}

/// What a launch did and what it cost. `Display` prints a few lines for people.
#[derive(Clone, Debug)]
pub struct Report {
    kernel: Name,
    items: u32,
    stats: Stats,
    wall: Duration,
    steps: Steps,
    lines: Option<Lines>,
    choice: Option<Choice>,
    races: Option<RaceProof>,
    printed: String,
    messages_lost: u64,
    profile: Option<Box<Profile>>,
    trace: Option<Box<Trace>>,
    tuned: Option<Name>,
}

impl Report {
    pub(crate) fn new(kernel: Name, items: u32, stats: Stats, wall: Duration) -> Self {
        Self {
            kernel,
            items,
            stats,
            wall,
            steps: Steps::default(),
            lines: None,
            choice: None,
            races: None,
            printed: String::new(),
            messages_lost: 0,
            profile: None,
            trace: None,
            tuned: None,
        }
    }

    pub(crate) fn with_steps(mut self, steps: Steps) -> Self {
        self.steps = steps;
        self
    }

    pub(crate) fn with_printed(mut self, printed: Printed) -> Self {
        self.printed = printed.out;
        self.messages_lost = printed.lost;
        self
    }

    /// Tells apart what the source lines cost, if the device knows.
    pub(crate) fn with_lines(
        mut self,
        sources: Sources,
        source_of: impl Fn(u32) -> Option<SourceLoc>,
    ) -> Self {
        let timing = self.stats.timing.as_deref();
        self.lines =
            timing.map(|timing| Lines::new(self.kernel.clone(), timing, sources, source_of));
        self
    }

    /// Says which image was run, and why.
    pub(crate) fn with_choice(mut self, choice: Option<Choice>) -> Self {
        self.choice = choice;
        self
    }

    /// Says what was chosen of what the kernel leaves open.
    pub(crate) fn with_tuned(mut self, choice: Name) -> Self {
        self.tuned = Some(choice);
        self
    }

    /// Says what was known before of data races.
    pub(crate) fn with_races(mut self, races: Option<RaceProof>) -> Self {
        self.races = races;
        self
    }

    /// Adds a profile.
    pub(crate) fn with_profile(mut self, profile: Option<Box<Profile>>) -> Self {
        self.profile = profile;
        self
    }

    /// Where the time went, of a launch that was profiled because `VORTEX_PROFILE` asks for it.
    #[must_use]
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_deref()
    }

    /// Adds a trace.
    pub(crate) fn with_trace(mut self, trace: Option<Box<Trace>>) -> Self {
        self.trace = trace;
        self
    }

    /// The trace alone.
    pub(crate) fn into_trace(self) -> Option<Box<Trace>> {
        self.trace
    }

    /// The profile alone.
    pub(crate) fn into_profile(self) -> Option<Box<Profile>> {
        self.profile
    }

    /// What was known about data races before the launch. Only for kernels of this program: files do not contain it.
    #[must_use]
    pub fn race_proof(&self) -> Option<RaceProof> {
        self.races
    }

    /// Which image of the kernel was run, if it was launched from a module.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// The choice that was made, in a launch that left one open: `TILE = 8`.
    #[must_use]
    pub fn tuned(&self) -> Option<&str> {
        self.tuned.as_deref()
    }

    /// The kernel's name.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// How many work items there were.
    #[must_use]
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Instructions executed, counted once per warp, if the device counts them so.
    #[must_use]
    pub fn instructions(&self) -> Option<u64> {
        self.stats.instructions
    }

    /// Instructions executed, counted once per active lane, if the device counts them so.
    #[must_use]
    pub fn lane_instructions(&self) -> Option<u64> {
        self.stats.lane_instructions
    }

    /// How deep splits of a warp were nested: the most divergent conditions that were open at a time, if the device
    /// reports it. It is always below the number of lanes.
    #[must_use]
    pub fn split_depth(&self) -> Option<u32> {
        self.stats.split_depth
    }

    /// Clock cycles, if the device counts them.
    #[must_use]
    pub fn cycles(&self) -> Option<u64> {
        self.stats.cycles
    }

    /// Where the cycles went, if the device knows: stalls by cause, caches, coalescing, and counters of each
    /// instruction.
    #[must_use]
    pub fn timing(&self) -> Option<&TimingStats> {
        self.stats.timing.as_deref()
    }

    /// The performance counters that [`Device::count`](crate::Device::count) or `VORTEX_PROFILING` selects, on a device
    /// of Vortex 3.
    #[must_use]
    pub fn counters(&self) -> Option<&PerfCounters> {
        self.stats.counters.as_deref()
    }

    /// What each line of the kernel's source cost, on the cycle model. Prints as a table.
    ///
    /// ```
    /// # use vortex_host::Report;
    /// # fn show(report: &Report) {
    /// if let Some(lines) = report.lines() {
    ///     println!("{lines}");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn lines(&self) -> Option<&Lines> {
        self.lines.as_ref()
    }

    /// Time from start to end of the run on the device, compilation and copies not included.
    #[must_use]
    pub fn wall_time(&self) -> Duration {
        self.wall
    }

    /// What a third-party program says about its success, if it says something: see [`RawImage`](crate::RawImage).
    #[must_use]
    pub fn exit_code(&self) -> Option<u32> {
        self.stats.exit_code
    }

    /// Where the host's time went: from the end of pending operations that the launch conflicts with, until its
    /// failures were read. Traces and profiles are written after that.
    #[must_use]
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// Times by the clock of Vortex's runtime, if the kernel ran through one that measures them: version 3 does, for
    /// kernels whose groups the hardware hands out.
    #[must_use]
    pub fn runtime_times(&self) -> Option<RuntimeTimes> {
        self.stats.times
    }

    /// What the kernel printed with `println!` and `print!`, in the order of its work items. It has been written to the
    /// host's standard output already.
    #[must_use]
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// How many messages were dropped for lack of room: see docs/printing.md for the limits.
    #[must_use]
    pub fn messages_lost(&self) -> u64 {
        self.messages_lost
    }

    /// What the kernel wrote to the device's console: at most a mebibyte, and if there was more, a last line that
    /// says so.
    #[must_use]
    pub fn console(&self) -> &str {
        &self.stats.console
    }

    /// How many bytes that the kernel wrote to the device's console were not kept.
    #[must_use]
    pub fn console_lost(&self) -> u64 {
        self.stats.console_lost
    }

    /// Lane-instructions per second of wall time, or instructions if the device counts only those; 0 when nothing
    /// ran, or nothing was counted.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let seconds = self.wall.as_secs_f64();
        let count = self.lane_instructions().or(self.instructions());
        match count {
            Some(count) if seconds > 0.0 => count as f64 / seconds,
            _ => 0.0,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:", self.kernel)?;
        if let Some(choice) = &self.choice {
            writeln!(f, "  image               {choice}")?;
        }
        if let Some(choice) = &self.tuned {
            writeln!(f, "  choice              {choice}")?;
        }
        writeln!(f, "  work items          {}", Grouped(self.items.into()))?;
        if let Some(instructions) = self.instructions() {
            writeln!(f, "  instructions        {}", Grouped(instructions))?;
        }
        if let Some(instructions) = self.lane_instructions() {
            writeln!(f, "  lane-instructions   {}", Grouped(instructions))?;
        }
        if let Some(depth @ 1..) = self.split_depth() {
            writeln!(f, "  splits open at once {depth}")?;
        }
        if let Some(cycles) = self.cycles() {
            writeln!(f, "  cycles              {}", Grouped(cycles))?;
        }
        if self.messages_lost > 0 {
            writeln!(f, "  messages lost       {}", Grouped(self.messages_lost))?;
        }
        if self.console_lost() > 0 {
            let lost = Grouped(self.console_lost());
            writeln!(f, "  console bytes lost  {lost}")?;
        }
        if let Some(timing) = self.timing() {
            for line in timing.to_string().lines() {
                writeln!(f, "    {line}")?;
            }
        }
        if let Some(counters) = self.counters() {
            for line in counters.to_string().lines() {
                writeln!(f, "    {line}")?;
            }
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        if let Some(RuntimeTimes {
            queued,
            submitted,
            ran,
        }) = self.runtime_times()
        {
            let [queued, submitted, ran] = [queued, submitted, ran].map(ms);
            writeln!(
                f,
                "  by Vortex's runtime {queued:.3} ms queued, {submitted:.3} ms until started, {ran:.3} ms running"
            )?;
        }
        write!(f, "  wall time           {:.3} ms", ms(self.wall))?;
        let counted = match (self.lane_instructions(), self.instructions()) {
            (Some(_), _) => "lane-instructions/s",
            (None, Some(_)) => "instructions/s",
            (None, None) => return Ok(()),
        };
        write!(f, "\n  {counted:<19} {:.1} million", self.rate() / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_for_people() {
        let stats = Stats {
            instructions: Some(1_234),
            lane_instructions: Some(39_488),
            ..Stats::default()
        };
        let report = Report::new("saxpy".into(), 1 << 20, stats, Duration::from_millis(2));
        assert_eq!(
            report.to_string(),
            "saxpy:\n  \
               work items          1,048,576\n  \
               instructions        1,234\n  \
               lane-instructions   39,488\n  \
               wall time           2.000 ms\n  \
               lane-instructions/s 19.7 million"
        );
    }

    #[test]
    fn prints_what_the_device_counts() {
        let stats = Stats {
            instructions: Some(3_000_000),
            cycles: Some(12_345),
            times: Some(RuntimeTimes {
                queued: Duration::from_micros(7),
                submitted: Duration::from_nanos(1_500),
                ran: Duration::from_millis(1),
            }),
            ..Stats::default()
        };
        let report = Report::new("saxpy".into(), 64, stats, Duration::from_millis(2));
        assert_eq!(
            report.to_string(),
            "saxpy:\n  \
               work items          64\n  \
               instructions        3,000,000\n  \
               cycles              12,345\n  \
               by Vortex's runtime 0.007 ms queued, 0.002 ms until started, 1.000 ms running\n  \
               wall time           2.000 ms\n  \
               instructions/s      1500.0 million"
        );
        let report = Report::new(
            "saxpy".into(),
            64,
            Stats::default(),
            Duration::from_millis(2),
        );
        assert_eq!(
            report.to_string(),
            "saxpy:\n  work items          64\n  wall time           2.000 ms"
        );
    }

    #[test]
    fn nothing_ran() {
        let report = Report::new("saxpy".into(), 0, Stats::of_nothing(), Duration::ZERO);
        assert_eq!(report.rate(), 0.0);
        assert!(report.to_string().contains("work items          0\n"));
    }
}
