//! `vortex trace`.

use crate::{ELF, dir, file, path, printed, vortex};

/// A trace of `saxpy` with this factor.
fn traced(name: &str, alpha: &str, more: &[&str]) -> String {
    let numbers: Vec<u8> = (0..16).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let x = format!("x={}", path(&file("traced.bin", numbers)));
    let alpha = format!("alpha={alpha}");
    let output = path(&dir().join(name));
    let args = [
        "trace",
        "run",
        &ELF,
        "--kernel",
        "saxpy",
        "--arg",
        &alpha,
        "--arg",
        &x,
        "--arg",
        "y=zeros:16",
    ];
    let rest = ["--over", "16", "-o", &output];
    let said = printed(&[&args[..], &rest[..], more].concat());
    assert!(said.starts_with("saxpy: "), "{said}");
    output
}

#[test]
fn traces_differ_where_they_do() {
    let [one, other] =
        [("one.csv", "2"), ("other.csv", "3")].map(|(name, alpha)| traced(name, alpha, &[]));
    let text = std::fs::read_to_string(&one).unwrap();
    let mut lines = text.split("\r\n");
    assert_eq!(
        lines.next(),
        Some("uuid,PC,opcode,core_id,warp_id,tmask,destination,operands")
    );
    assert!(text.contains(",FLW,0,") && text.contains("\"f"), "{text}");
    let same = printed(&["trace", "diff", &one, &one]);
    assert!(same.starts_with("no difference: "), "{same}");

    let output = vortex(&["trace", "diff", &one, &other]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: the traces differ\n"
    );
    // The factor is loaded first, and is what differs; its value is in the message.
    assert!(said.starts_with("core 0, warp 0, after "), "{said}");
    assert!(
        said.contains("different values are written\n")
            && said.contains("0x40000000")
            && said.contains("0x40400000")
    );
}

#[test]
fn chrome_reads_traces() {
    let json = traced("chrome.json", "2", &["--cycles", "..900", "--no-values"]);
    let text = std::fs::read_to_string(json).unwrap();
    let events: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let named = |name: &str| events.iter().any(|event| event["args"]["name"] == name);
    assert!(named("cluster0-socket0-core0: warp0") && named("cluster0-socket0-core0: dcache"));
    let late = events.iter().filter(|event| event["name"] == "dispatch");
    assert!(late.clone().count() > 20);
    assert!(
        late.into_iter()
            .all(|event| event["ts"].as_u64().unwrap() < 900)
    );
    let has_line = |event: &serde_json::Value| {
        let source = event["args"]["source"].as_str();
        source.is_some_and(|source| source.contains("tests/cli/main.rs:"))
    };
    assert!(
        events
            .iter()
            .any(|event| event["ph"] == "X" && has_line(event))
    );
}
