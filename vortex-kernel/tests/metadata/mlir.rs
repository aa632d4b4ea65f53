//! The views in MLIR: what `mlir-opt` takes, and what reads back however it is spaced.

use std::fmt::Debug;
use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use vortex_kernel::meta::view::{
    ArgumentList, Carrier, Metadata, MetadataOp, Mlir, Record, Signature, View,
};
use vortex_kernel::meta::{KernelInfo, KernelMeta};

use crate::strategies::kernel;
use crate::{BASIC, DOTPRODUCT, METADATA_KERNEL, SLICES, VECADD, golden};

const CARRIERS: [Carrier; 3] = [Carrier::GpuFunction, Carrier::Function, Carrier::GpuLaunch];

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// The tokens of MLIR text: words, texts in quotes, and characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let is_end = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    is_end
                });
                end.unwrap() + 2
            }
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The same text with other blanks and line breaks, and with none where there is a choice.
fn respaced(text: &str, blanks: &[&str]) -> String {
    let mut result = String::new();
    for (index, token) in tokens(text).into_iter().enumerate() {
        let blank = blanks[index % blanks.len()];
        let meet = result.ends_with(is_word) && token.starts_with(is_word);
        result += if blank.is_empty() && meet {
            "\n"
        } else {
            blank
        };
        result += token;
    }
    result
}

fn reads_back<V: Mlir + Debug + PartialEq>(view: &V, blanks: &[&str]) {
    for text in [view.to_string(), view.generic()] {
        for text in [respaced(&text, blanks), text] {
            let read = text.parse::<V>();
            let read = read.unwrap_or_else(|error| panic!("{error}:\n{text}"));
            assert_eq!(&read, view, "{text}");
        }
    }
}

fn blanks() -> impl Strategy<Value = Vec<&'static str>> {
    let blank = prop::sample::select(vec!["", " ", "\n", "\r\n\t", "  \n\n "]);
    prop::collection::vec(blank, 1..7)
}

proptest! {
    #[test]
    fn any_blanks_are_read(kernel in kernel(), blanks in blanks()) {
        reads_back(&Metadata::of(&kernel), &blanks);
        reads_back(&MetadataOp::of(&kernel), &blanks);
        reads_back(&Record::of(&kernel), &blanks);
        for carrier in CARRIERS {
            reads_back(&ArgumentList::of(&kernel).on(carrier), &blanks);
        }
    }
}

#[test]
fn signatures_may_be_left_out() {
    let text = "vortex.kernel @k(...) {\n  vortex.metadata = { total_size = 4, arg_types = [\"scalar\"],\n\
        arg_offsets = [0 : i64], arg_sizes = [4] }\n}";
    let view: Metadata = text.parse().unwrap();
    assert_eq!((&*view.kernel, view.total), ("k", 4));
    assert_eq!(view.signature, Signature { types: None });
    reads_back(&view, &[""]);
    let record = "vortex.kernel_args @k_args : !vortex.kernel_args<struct_size = 0, args = []>\n\
        vortex.kernel @k(...) { vortex.kernel_args = @k_args }";
    assert_eq!(record.parse::<Record>().unwrap().to_string(), record);
}

#[test]
fn what_is_wrong_is_said() {
    let view = Metadata::of(&KernelInfo::from(&BASIC)).to_string();
    for (from, to, message) in [
        (
            "total_size = 12",
            "total_size = [12]",
            "expected `total_size`, a number, in these braces",
        ),
        (
            "total_size",
            "total_sizes",
            "expected `total_size`, a number, in these braces",
        ),
        (" }\n", ", more = 1 }\n", "`more` has no place here"),
        (
            "\"scalar\"",
            "\"scaler\"",
            "`scaler` is no kind of argument",
        ),
        (
            "[4, 4, 4]",
            "[4, 4]",
            "the lists are not of the same length",
        ),
        (
            "vortex.kernel",
            "vortex.kernels",
            "expected `vortex.kernel`",
        ),
        ("i32", "i32)", "expected `{`"),
        ("i32", "!llvm.ptr>", "expected `,`"),
        ("i32", "!llvm.array<4", "`)` closes nothing here"),
    ] {
        let text = view.replacen(from, to, 1);
        let error = text.parse::<Metadata>().unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{message} at byte ")),
            "{error}:\n{text}"
        );
    }
    let deep = format!(
        "vortex.kernel @k() {{ vortex.metadata = {}",
        "[".repeat(100_000)
    );
    assert!(deep.parse::<Metadata>().is_err());
    let deep = "\"vortex.arg_layout\"() ({".repeat(100_000);
    assert!(deep.parse::<MetadataOp>().is_err());
}

#[test]
fn other_spellings_are_as_they_should_be() {
    fn view<V: Mlir + Debug + PartialEq>(kernel: &KernelInfo, file: &str) {
        let view = V::of(kernel);
        golden(file, &view.generic());
    }
    let kernel = KernelInfo::from(&METADATA_KERNEL);
    view::<Metadata>(&kernel, "metadata_kernel.attribute.generic.mlir");
    view::<MetadataOp>(&kernel, "metadata_kernel.op.generic.mlir");
    view::<Record>(&kernel, "metadata_kernel.record.generic.mlir");
    view::<ArgumentList>(&kernel, "metadata_kernel.list.generic.mlir");
    for (carrier, name) in [(Carrier::Function, "func"), (Carrier::GpuLaunch, "launch")] {
        let list = ArgumentList::of(&kernel).on(carrier);
        golden(
            &format!("metadata_kernel.list.{name}.mlir"),
            &list.to_string(),
        );
    }
}

/// `mlir-opt`, as Debian's packages `mlir-14-tools` to `mlir-19-tools` and others install it.
fn mlir_opt() -> Option<Command> {
    let numbered = (17..=22).rev().map(|version| format!("mlir-opt-{version}"));
    let mut names = std::iter::once("mlir-opt".to_owned()).chain(numbered);
    let found = names.find(|name| {
        let asked = Command::new(name).arg("--version").output();
        asked.is_ok_and(|output| output.status.success())
    });
    found.map(Command::new)
}

/// What `mlir-opt` prints of these texts, each by itself.
fn through_mlir_opt(mut command: Command, texts: &[String]) -> Vec<String> {
    const BETWEEN: &str = "// -----";
    let mut child = command
        .args(["--allow-unregistered-dialect", "--split-input-file"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = texts.join(&format!("\n{BETWEEN}\n"));
    let mut pipe = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.split(BETWEEN).map(str::to_owned).collect()
}

/// That `mlir-opt` takes a view of each kernel, and that what it prints reads back.
fn passes<V: Mlir + Debug + PartialEq>(kernels: &[KernelInfo], of: impl Fn(&KernelInfo) -> V) {
    let Some(command) = mlir_opt() else {
        println!("skipped: there is no mlir-opt here (Debian: mlir-19-tools)");
        return;
    };
    let views: Vec<V> = kernels.iter().map(of).collect();
    let texts: Vec<String> = views.iter().map(V::generic).collect();
    let printed = through_mlir_opt(command, &texts);
    assert_eq!(printed.len(), views.len());
    for (view, text) in views.iter().zip(printed) {
        let read = text.parse::<V>();
        assert_eq!(
            &read.unwrap_or_else(|error| panic!("{error}:\n{text}")),
            view
        );
    }
}

#[test]
fn mlir_opt_takes_all_views() {
    let metas: [&KernelMeta; 5] = [&METADATA_KERNEL, &SLICES, &BASIC, &VECADD, &DOTPRODUCT];
    let mut kernels: Vec<KernelInfo> = metas.map(KernelInfo::from).into();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let any = std::iter::repeat_with(|| kernel().new_tree(&mut runner).unwrap().current());
    // MLIR has no symbols without a name, and none with a zero byte.
    let named = any.filter(|kernel| !kernel.name.is_empty() && !kernel.name.contains('\0'));
    kernels.extend(named.take(200));
    passes(&kernels, Metadata::of);
    passes(&kernels, MetadataOp::of);
    passes(&kernels, Record::of);
    for carrier in CARRIERS {
        passes(&kernels, |kernel| ArgumentList::of(kernel).on(carrier));
    }
}
