//! C++ for Vortex, by Debian's clang.

use std::path::{Path, PathBuf};
use std::process::Command;

const FLAGS: [&str; 17] = [
    "--target=riscv32-unknown-elf",
    "-march=rv32imaf_zicond",
    "-mabi=ilp32f",
    "-mcmodel=medany",
    "-O3",
    "-ffreestanding",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-math-errno",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wl,--gc-sections",
    "-nostdlib",
    "-fuse-ld=lld",
    "-static",
    "-std=c++17",
    "-Wall",
];

/// A compiler that was found.
pub(super) struct Compiler {
    command: &'static str,
}

impl Compiler {
    /// The first that answers.
    pub(super) fn find() -> Option<Self> {
        let answers = |command: &&str| {
            let output = Command::new(command).arg("--version").output();
            output.is_ok_and(|output| output.status.success())
        };
        let command = ["clang++-19", "clang++"].into_iter().find(answers)?;
        Some(Self { command })
    }

    /// What is said about it.
    pub(super) fn line(found: Option<&Self>) -> String {
        match found {
            Some(compiler) => format!("C++ by {} -O3", compiler.command),
            None => {
                "no C++ to compare with: there is no clang++-19 (apt-get install clang-19 lld-19)"
                    .to_owned()
            }
        }
    }

    /// The executable of `NAME.cpp`, or `DIRECTORY/NAME.cpp`, in this directory. If it may, it rounds products and sums
    /// once, as by default.
    pub(super) fn compile(&self, name: &str, contracts: bool) -> Vec<u8> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/device_code");
        let file = format!("{}.elf", name.replace('/', "-"));
        let output = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
        let status = Command::new(self.command)
            .args(FLAGS)
            .arg(match contracts {
                true => "-ffp-contract=on",
                false => "-ffp-contract=off",
            })
            .arg("-T")
            .arg(sources.join("cpp/link.ld"))
            .arg(sources.join("cpp/spawn.cpp"))
            .arg(sources.join(format!("{name}.cpp")))
            .arg("-o")
            .arg(&output)
            .status();
        match status {
            Ok(status) if status.success() => {}
            problem => panic!("{} does not compile {name}.cpp: {problem:?}", self.command),
        }
        std::fs::read(&output).unwrap_or_else(|error| panic!("{}: {error}", output.display()))
    }
}
