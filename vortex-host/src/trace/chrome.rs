//! Chrome's trace events, on the tracks of Vortex's `ci/perfetto.py`.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Serialize;
use vortex_sim::timing::{RegisterValues, TraceRecord};

use super::{Lanes, Register, Trace, Values};
use crate::json;

/// The process that the tracks are of. Vortex's tool has 1, so that both can be put into one file.
const PROCESS: u32 = 2;

/// The stages that are marked, with the numbers that Vortex's tool gives them.
const STAGES: [(&str, u32); 6] = [
    ("schedule", 0),
    ("fetch", 1),
    ("decode", 2),
    ("issue", 3),
    ("dispatch", 5),
    ("commit", 7),
];

/// An event.
#[derive(Default, Serialize)]
struct Event<'a> {
    ph: &'a str,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    /// What a mark spans: its track.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'a str>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    args: Details<'a>,
}

/// What is known about an event. The names are those of Vortex's tool, as far as that has them.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "snake_case")]
struct Details<'a> {
    /// Of a track or process.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_index: Option<u32>,
    /// Of a counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage_idx: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wid: Option<u32>,
    #[serde(rename = "PC", skip_serializing_if = "Option::is_none")]
    pc: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tmask: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dest_value: Option<Held>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    src_values: Vec<Held>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
}

/// A register with its values.
#[derive(Clone, Serialize)]
struct Held {
    reg: String,
    value: String,
}

impl From<&RegisterValues> for Held {
    fn from(values: &RegisterValues) -> Self {
        Self {
            reg: Register(values).to_string(),
            value: Values(values).to_string(),
        }
    }
}

/// Events as they are written.
struct Events {
    json: String,
    tracks: BTreeMap<String, u32>,
}

impl Events {
    fn add(&mut self, event: &Event<'_>) {
        let comma = if self.json.len() > 1 { ",\n" } else { "\n" };
        _ = write!(self.json, "{comma}{}", json::text(event));
    }

    /// Says something of a track, or of the process.
    fn describe(&mut self, what: &str, tid: Option<u32>, args: Details<'_>) {
        self.add(&Event {
            ph: "M",
            pid: PROCESS,
            tid,
            name: what,
            args,
            ..Event::default()
        });
    }

    /// The number of a track, which is named when it comes up first.
    fn track(&mut self, name: impl fmt::Display) -> u32 {
        let name = name.to_string();
        if let Some(&track) = self.tracks.get(&name) {
            return track;
        }
        let track = 100 + self.tracks.len() as u32;
        let args = Details {
            name: Some(&name),
            ..Details::default()
        };
        self.describe("thread_name", Some(track), args);
        self.tracks.insert(name, track);
        track
    }
}

pub(super) fn of(trace: &Trace) -> String {
    let mut events = Events {
        json: "[".to_owned(),
        tracks: BTreeMap::new(),
    };
    let name = format!("vortex, embedded: {}", trace.kernel);
    let named = Details {
        name: Some(&name),
        ..Details::default()
    };
    events.describe("process_name", None, named);
    let sorted = Details {
        sort_index: Some(PROCESS),
        ..Details::default()
    };
    events.describe("process_sort_index", None, sorted);
    let warps = trace
        .instructions
        .chunk_by(|a, b| (a.core, a.warp) == (b.core, b.warp));
    for warp in warps {
        of_warp(trace, warp, &mut events);
    }
    for answer in &trace.answers {
        let path = trace.path_of(answer.core);
        let tid = events.track(format_args!("{path}: dcache"));
        let (name, kind) = match answer.hit {
            true => ("dcache:hit", "hit"),
            false => ("dcache:miss", "miss"),
        };
        events.add(&Event {
            ph: "i",
            pid: PROCESS,
            tid: Some(tid),
            ts: Some(answer.cycle),
            s: Some("t"),
            name,
            cat: Some("vortex.mem"),
            args: Details {
                uuid: Some(answer.uuid),
                path: Some(&path),
                cycle: Some(answer.cycle),
                level: Some("dcache"),
                kind: Some(kind),
                ..Details::default()
            },
            ..Event::default()
        });
    }
    events.json.push_str("\n]\n");
    events.json
}

fn of_warp(trace: &Trace, warp: &[TraceRecord], events: &mut Events) {
    let Some(first) = warp.first() else { return };
    let path = trace.path_of(first.core);
    let track = events.track(format_args!("{path}: warp{}", first.warp));
    let state = events.track(format_args!("{path}: warp{} state", first.warp));
    let mut lanes = None;
    for (index, record) in warp.iter().enumerate() {
        let next = warp
            .get(index + 1)
            .map_or(record.committed, |next| next.issued);
        instruction(trace, record, next, &path, track, events);
        if lanes.replace(record.lanes) != Some(record.lanes) {
            events.add(&Event {
                ph: "C",
                pid: PROCESS,
                tid: Some(state),
                ts: Some(record.dispatched),
                name: "active_threads",
                id: Some(u64::from(state)),
                args: Details {
                    value: Some(record.lanes.count_ones()),
                    ..Details::default()
                },
                ..Event::default()
            });
        }
    }
}

/// The events of an instruction. `next`: when its warp issues the next one.
fn instruction(
    trace: &Trace,
    record: &TraceRecord,
    next: u64,
    path: &str,
    track: u32,
    events: &mut Events,
) {
    let code = trace.code.get(&record.pc);
    let op = code.map_or("?", |code| code.opcode.as_str());
    let pc = format!("{:#x}", record.pc);
    let tmask = Lanes {
        mask: record.lanes,
        threads: trace.threads,
    };
    let tmask = tmask.to_string();
    let source = code.and_then(|code| code.source.as_ref());
    let source = source.map(|(file, line)| format!("{file}:{line}"));
    let event = |ph, ts, name, cat, args| Event {
        ph,
        pid: PROCESS,
        tid: Some(track),
        ts: Some(ts),
        name,
        cat: Some(cat),
        args,
        ..Event::default()
    };
    let common = Details {
        uuid: Some(record.uuid),
        path: Some(path),
        wid: Some(record.warp),
        pc: Some(&pc),
        op: Some(op),
        ..Details::default()
    };
    let destination = record.destination.as_ref().map(Held::from);
    // Until its result was there, or the next one was issued: slices of a track do not overlap.
    let end = record.committed.min(next).max(record.issued + 1);
    events.add(&Event {
        dur: Some(end - record.issued),
        ..event(
            "X",
            record.issued,
            op,
            "vortex.issue",
            Details {
                tmask: Some(&tmask),
                instruction: code.map(|code| code.text.as_str()),
                source: source.as_deref(),
                dest_value: destination.clone(),
                src_values: record.operands.iter().map(Held::from).collect(),
                ..common.clone()
            },
        )
    });
    let whole = |ph, ts| Event {
        id: Some(record.uuid),
        ..event(
            ph,
            ts,
            "inst",
            "vortex.inst",
            Details {
                uuid: Some(record.uuid),
                ..Details::default()
            },
        )
    };
    events.add(&whole("b", record.scheduled));
    let cycles = [
        record.scheduled,
        record.fetched,
        record.decoded,
        record.issued,
        record.dispatched,
        record.committed,
    ];
    for ((stage, number), cycle) in STAGES.into_iter().zip(cycles) {
        let is_last = stage == "commit";
        let args = Details {
            cycle: Some(cycle),
            stage_idx: Some(number),
            dest_value: destination.clone().filter(|_| is_last),
            ..common.clone()
        };
        events.add(&Event {
            s: Some("t"),
            ..event("i", cycle, stage, "vortex.stage", args)
        });
    }
    events.add(&whole("e", record.committed));
}
