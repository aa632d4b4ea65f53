//! The commit trace, in the columns of Vortex's `ci/trace_csv.py`.

use std::fmt::Write as _;

use super::{Lanes, Register, Trace, Values};

/// The columns.
const HEADER: &str = "uuid,PC,opcode,core_id,warp_id,tmask,destination,operands\r\n";

/// A field, in quotes where it needs them.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

pub(super) fn of(trace: &Trace) -> String {
    let mut csv = HEADER.to_owned();
    for record in &trace.instructions {
        let code = trace.code.get(&record.pc);
        let opcode = code.map_or(String::new(), |code| code.opcode.to_uppercase());
        let destination = record.destination.as_ref();
        let destination = destination.map_or(String::new(), |values| {
            format!("{}={}", Register(values), Values(values))
        });
        let operands = record.operands.iter();
        let operands: Vec<String> = operands
            .map(|values| format!("{}={}", Register(values), Values(values)))
            .collect();
        let lanes = Lanes {
            mask: record.lanes,
            threads: trace.threads,
        };
        _ = write!(
            csv,
            "{},{:#x},{opcode},{},{},{lanes},{},{}\r\n",
            record.uuid,
            record.pc,
            record.core,
            record.warp,
            field(&destination),
            field(&operands.join(", "))
        );
    }
    csv
}

/// Lines of source by address, and the instructions there.
pub(super) fn lines(trace: &Trace) -> String {
    let mut csv = "PC,instruction,file,line\r\n".to_owned();
    for (pc, code) in &trace.code {
        let (file, line) = match &code.source {
            Some((file, line)) => (file.as_str(), line.to_string()),
            None => ("", String::new()),
        };
        _ = write!(
            csv,
            "{pc:#x},{},{},{line}\r\n",
            field(&code.text),
            field(file)
        );
    }
    csv
}
