//! `vortex inspect` and `vortex disasm`.

use crate::json_schema::Schema;
use crate::{ELF, MODULE, file, path, printed, saxpy, vortex, vortex_with};
use std::path::Path;
use std::process::Command;
use vortex::meta::ModuleInfo;
use vortex::{Bundle, Module};

#[test]
fn inspect_prints_a_table() {
    let text = printed(&["inspect", &ELF]);
    for part in [
        "module example\n",
        "kernel saxpy: 3 arguments, 20 bytes\n[0] alpha : offset=0, size=4, type=scalar (f32)\n",
        "| Adds a multiple of one vector to another.\n",
        "vec_hint                   \"f32\"\n",
        "block                      [8, 1, 1]\n",
        "uses_barrier               true\n",
        "function_calls             [\"twice\"]\n",
        "local_memory               32\n",
        "warnings                   [\"the hint (16, 1, 1) is not used: every launch has `block = (8, 1, 1)`\"]\n",
        "cli::twice at vortex-host/cli/tests/cli/main.rs:",
        ", called by reversed\n",
        "checks removed",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let one = printed(&["inspect", &ELF, "--kernel", "saxpy", "--dump"]);
    assert_eq!(
        one,
        "kernel saxpy: 3 arguments, 20 bytes\n\
         [0] alpha : offset=0, size=4, type=scalar (f32)\n\
         [1] x : offset=4, size=8, type=slice (&[f32])\n\
         [2] y : offset=12, size=8, type=slice (&mut [f32])\n\
         padding: 0 bytes\n"
    );
    assert!(printed(&["inspect", &ELF, "--c-header"]).contains("} reversed_args_t;\n"));
    let record = printed(&["inspect", &ELF, "--mlir"]);
    assert!(record.contains("vortex.kernel_args @saxpy_args : "));
    assert_eq!(printed(&["inspect", "--mlir", &ELF]), record);
    assert_eq!(printed(&["inspect", "--mlir", "record", &ELF]), record);
    assert!(
        printed(&["inspect", &ELF, "--mlir", "list"])
            .contains("gpu.known_block_size = array<i32: 8, 1, 1>")
    );
    for (on, part) in [
        ("func.func", "func.func @saxpy(%arg0: f32, "),
        ("gpu.launch", "gpu.launch blocks("),
        ("gpu.func", "type = \"&mut [f32]\""),
    ] {
        let list = printed(&["inspect", &ELF, "--mlir=list", "--on", on]);
        assert!(list.contains(part), "{list}");
    }
    assert!(printed(&["inspect", &ELF, "--mlir=attribute"]).starts_with("vortex.kernel @saxpy("));
    let generic = printed(&["inspect", &ELF, "--mlir=attribute", "--generic"]);
    assert!(generic.starts_with("\"vortex.kernel\"() ({\n}) {sym_name = \"saxpy\""));
    assert!(printed(&["inspect", &ELF, "--mlir=op"]).contains("vortex.kernel_metadata @saxpy {"));
    assert!(printed(&["inspect", &ELF, "--mlir=attribute"]).contains("arg_offsets = [0, 4, 12]"));
}

#[test]
fn a_kernel_is_shown_with_what_belongs_to_it() {
    let own = printed(&["inspect", &ELF, "--kernel", "reversed"]);
    let other = printed(&["inspect", &ELF, "--kernel", "saxpy"]);
    assert!(
        own.contains("cli::twice at") && !other.contains("twice"),
        "{other}"
    );
    assert!(
        own.contains("\nreversed  ") && !own.contains("\nsaxpy "),
        "{own}"
    );
}

#[test]
fn compilers_take_the_header() {
    // Two names that are one in C.
    let mut info = MODULE.info().clone();
    info.kernels[0].name = "scale<f32>".to_owned();
    info.kernels[1].name = "scale_f32".to_owned();
    let file_of = path(&file("scales.vxmeta", info.to_bytes()));
    let header = printed(&["inspect", &file_of, "--c-header"]);
    assert!(header.contains("} scale_f32_args_t;\n") && header.contains("} scale_f32_2_args_t;\n"));
    let header = path(&file("scales.h", header));
    for (compiler, language) in [("cc", "c"), ("c++", "c++")] {
        let output = Command::new(compiler)
            .args(["-fsyntax-only", "-Wall", "-Werror", "-x", language, &header])
            .output();
        let Ok(output) = output else {
            println!("skipped: there is no {compiler} here");
            continue;
        };
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaints}");
    }
}

#[test]
fn json_is_what_the_schema_says() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metadata.schema.json");
    let schema = Schema::new(&std::fs::read_to_string(schema).unwrap());
    let json = printed(&["inspect", &ELF, "--json"]);
    let mut value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(schema.complaint(&value), None);
    assert_eq!(
        &serde_json::from_str::<ModuleInfo>(&json).unwrap(),
        MODULE.info()
    );
    // It says something.
    for (pointer, wrong) in [
        ("/kernels/0/args/0/kind", serde_json::json!("scaler")),
        ("/kernels/0/args/0/address_space", serde_json::json!(5)),
        ("/kernels/0/attributes/vec_hint", serde_json::json!("f64")),
        ("/kernels/1/facts/local_memory", serde_json::json!("many")),
        ("/values/shape", serde_json::json!([1, 2])),
    ] {
        if value.pointer(pointer).is_none() {
            value["values"]["shape"] = serde_json::Value::Null;
        }
        let place = value.pointer_mut(pointer).unwrap();
        let right = std::mem::replace(place, wrong);
        assert!(schema.complaint(&value).is_some(), "{pointer}");
        *value.pointer_mut(pointer).unwrap() = right;
    }
    // The same in a file of its own, in both forms.
    let alone = path(&file("alone.json", &json));
    assert_eq!(printed(&["inspect", &alone, "--json"]), json);
    let alone = path(&file("alone.vxmeta", MODULE.info().to_bytes()));
    assert_eq!(printed(&["inspect", &alone, "--json"]), json);
}

#[test]
fn bundles_are_several_modules() {
    let device = vortex::Device::builder().released().open().unwrap();
    let small = Module::builder("small").kernel::<saxpy>().device(&device);
    let small = small.build().unwrap();
    let bundle = Bundle::new().with("released", &small).unwrap();
    let bundle = bundle.with("full", &MODULE).unwrap();
    let bundle = path(&file("both.bundle", bundle.to_bytes()));
    let table = printed(&["inspect", &bundle]);
    assert!(
        table.starts_with("entry released: module small\n"),
        "{table}"
    );
    assert!(table.contains("\nentry full: module example\n"), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["inspect", &bundle, "--json"])).unwrap();
    assert_eq!(json["released"]["kernels"][0]["name"], "saxpy");
    assert_eq!(json["full"]["kernels"][1]["name"], "reversed");
    let code = printed(&["disasm", &bundle]);
    assert!(code.starts_with("; entry released\nsaxpy:\n"), "{code}");
    let report = printed(&[
        "run",
        &bundle,
        "--kernel",
        "saxpy",
        "--arg",
        "alpha=1",
        "--arg",
        "x=zeros:4",
        "--arg",
        "y=zeros:4",
        "--over",
        "4",
    ]);
    assert!(report.starts_with("saxpy:\n"), "{report}");
}

#[test]
fn nothing_in_a_file_reaches_the_terminal_as_a_command() {
    let evil = "\u{1b}[2Jab\u{9b}";
    let mut info = MODULE.info().clone();
    info.name = evil.to_owned();
    for kernel in &mut info.kernels {
        kernel.name = evil.to_owned();
        kernel.module = evil.to_owned();
        kernel.location.file = evil.to_owned();
        kernel.doc = Some(format!("{evil}\r"));
        kernel.args[0].name = evil.to_owned();
        kernel.args[0].rust_type = evil.to_owned();
    }
    info.functions[0].name = evil.to_owned();
    info.functions[0].callers = vec![evil.to_owned()];
    info.values.compiler = Some(evil.to_owned());
    let meta = path(&file("evil.vxmeta", info.to_bytes()));
    let elf = MODULE.to_elf();
    let places = (0..elf.len()).filter(|at| elf[*at..].starts_with(b"reversed"));
    let mut patched = elf.clone();
    for at in places {
        patched[at..at + 8].copy_from_slice(b"\x1b[2Jabcd");
    }
    let patched = path(&file("evil.elf", patched));
    let shown = |args: &[&str]| {
        let output = vortex(args);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        let obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert!(!text.contains(obeyed), "{args:?}: {text:?}");
        text
    };
    for view in [
        "",
        "--json",
        "--c-header",
        "--dump",
        "--mlir",
        "--mlir=op",
        "--mlir=list",
    ] {
        let args: Vec<&str> = ["inspect", &meta, view]
            .into_iter()
            .filter(|arg| !arg.is_empty())
            .collect();
        assert!(shown(&args).contains("ab"), "{view}");
    }
    let json = shown(&["inspect", &meta, "--json"]);
    assert_eq!(serde_json::from_str::<ModuleInfo>(&json).unwrap(), info);
    assert!(shown(&["disasm", &patched]).contains("\\u{1b}[2Jabcd: ; for groups"));
    assert!(
        shown(&["run", &patched, "--kernel", "none", "--over", "4"]).contains("\\u{1b}[2Jabcd")
    );
    assert!(shown(&["disasm", &patched, "--kernel", "none"]).contains("\\u{1b}[2Jabcd"));
}

#[test]
fn disasm_shows_sources_below_a_named_directory_only() {
    let line = "y[i] += alpha * x[i];";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shown = |variables: &[(&str, &str)]| {
        let output = vortex_with(variables, &["disasm", &ELF]);
        String::from_utf8(output.stdout).unwrap().contains(line)
    };
    assert!(shown(&[("VORTEX_SOURCES", &path(&root))]));
    assert!(!shown(&[]));
    assert!(!shown(&[("VORTEX_SOURCES", &path(&root.join("docs")))]));
}

#[test]
fn disasm_shows_instructions_and_lines() {
    let text = printed(&["disasm", &ELF, "--kernel", "saxpy"]);
    assert!(text.starts_with("saxpy:\n"), "{text}");
    assert!(text.contains("csrr"), "{text}");
    assert!(text.contains("tests/cli/main.rs:"), "{text}");
    assert!(!text.contains("reversed:"));
    assert!(printed(&["disasm", &ELF]).contains("reversed: ; for groups of 8 x 1 x 1\n"));
    let (_, image) = MODULE.images("saxpy")[0];
    let image = path(&file("disasm.vxbin", image.to_vxbin(0x8000_0000)));
    assert!(printed(&["disasm", &image]).starts_with("entry:\n80000000:  "));
}
