//! Files from strangers: sources that are no sources, and names that a terminal would obey.

use crate::said::said;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use vortex::prelude::*;
use vortex::{Bundle, Module, ModuleError};

/// Its name is as long as [`EVIL`].
#[vortex::kernel]
fn past_the_end_(x: &mut [u32], value: u32) {
    x[global_id() + 1000] = value;
}

const NAME: &str = "past_the_end_";

/// Clears a terminal, changes its title, and begins a line.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\nab";

const LINE: &str = "x[global_id() + 1000] = value;";

/// Where the kernel says that its source is.
const SOURCE: &str = file!();

fn module() -> Module {
    let builder = Module::builder("strangers").kernel::<past_the_end_>();
    builder.build().unwrap()
}

/// The file of a module with some text replaced by other text of its length.
fn file_with(old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut file = module().to_elf();
    let places = (0..=file.len() - old.len()).filter(|at| file[*at..].starts_with(old.as_bytes()));
    let places: Vec<usize> = places.collect();
    assert!(!places.is_empty());
    for at in places {
        file[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
    file
}

/// The same path, as long as the one of this file.
fn padded(path: &str) -> String {
    format!("{}{path}", "/".repeat(SOURCE.len() - path.len()))
}

/// What a launch of the kernel in a file says, which fails.
fn failure(file: &[u8], name: &str) -> String {
    let device = Device::open().unwrap();
    let module = device.module_from_bytes(file).unwrap();
    let mut x = device.alloc::<u32>(4).unwrap();
    let launch = module.launch(name).unwrap().args((&mut x, 1u32)).unwrap();
    launch.over(4).launch(&device).unwrap_err().to_string()
}

#[test]
fn the_source_of_a_kernel_in_a_file_is_not_opened() {
    let secret = format!("/tmp/vx{}", std::process::id());
    std::fs::write(&secret, "secret\n".repeat(100)).unwrap();
    let pipe = format!("{secret}p");
    let made = Command::new("mkfifo").arg(&pipe).status();
    let mut paths = vec!["/dev/zero", "/dev/stdin", &secret];
    match made {
        Ok(status) if status.success() => paths.push(&pipe),
        _ => println!("skipped: there is no mkfifo here"),
    }
    for path in paths {
        let began = Instant::now();
        let text = failure(&file_with(SOURCE, &padded(path)), NAME);
        assert!(text.contains("index 1000 is out of bounds"), "{text}");
        assert!(text.contains(path) && !text.contains("secret\n"), "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert!(began.elapsed() < Duration::from_secs(20), "{path}");
    }
    std::fs::remove_file(&secret).unwrap();
    let _ = std::fs::remove_file(&pipe);
}

/// The child half of [`sources_below_a_named_directory_are_shown`].
#[test]
fn sources_child() {
    if let Some(file) = std::env::var_os("STRANGERS_FILE") {
        println!("{}", failure(&std::fs::read(file).unwrap(), NAME));
    }
}

#[test]
fn sources_below_a_named_directory_are_shown() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strangers.elf");
    let shown = |bytes: Vec<u8>, sources: &str| {
        std::fs::write(&file, bytes).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "strangers::sources_child", "--nocapture"]);
        child
            .env("STRANGERS_FILE", &file)
            .env("VORTEX_SOURCES", sources);
        String::from_utf8(child.output().unwrap().stdout).unwrap()
    };
    let root = env!("CARGO_MANIFEST_DIR");
    let text = shown(module().to_elf(), &format!("/nowhere:{root}"));
    assert!(text.contains(LINE), "{text}");
    for other in ["", "/nowhere", &format!("{root}/docs")] {
        let text = shown(module().to_elf(), other);
        assert!(
            text.contains(SOURCE) && !text.contains(LINE),
            "{other}: {text}"
        );
    }
    let text = shown(file_with(SOURCE, &padded("/dev/zero")), root);
    assert!(
        text.contains("/dev/zero:") && !text.contains(" |"),
        "{text}"
    );
}

#[test]
fn the_source_of_a_kernel_of_this_program_is_shown() {
    let device = Device::open().unwrap();
    let mut x = device.alloc::<u32>(4).unwrap();
    let launch = past_the_end_(&mut x, 1).over(4);
    let error = launch.launch_from(&module(), &device).unwrap_err();
    assert!(error.to_string().contains(LINE), "{error}");
}

#[test]
fn names_from_files_are_escaped() {
    let file = file_with(NAME, EVIL);
    let device = Device::open().unwrap();
    let module = device.module_from_bytes(&file).unwrap();
    let mut x = device.alloc::<u32>(2000).unwrap();
    let mut texts = vec![
        failure(&file, EVIL),
        module.launch("other").unwrap_err().to_string(),
        module
            .launch(EVIL)
            .unwrap()
            .args(())
            .unwrap_err()
            .to_string(),
        said(&module.launch(EVIL).unwrap().launch(&device).unwrap_err()),
        format!(
            "{:?}",
            module.launch(EVIL).unwrap().scalar("x", 1u32).unwrap_err()
        ),
    ];
    let launch = module.launch(EVIL).unwrap().args((&mut x, 1u32)).unwrap();
    let report = launch.over(4).launch(&device).unwrap();
    assert_eq!(report.kernel(), EVIL);
    texts.push(report.to_string().replace('\n', ""));
    let bundle = Bundle::new().with(EVIL, &module).unwrap();
    let twice = bundle.with(EVIL, &module).unwrap_err();
    assert!(matches!(&twice, ModuleError::Id { id } if *id == EVIL));
    texts.push(twice.to_string());
    for text in texts {
        assert!(text.contains(r"\u{1b}[2J\u{1b}]0;x\u{7}\nab"), "{text:?}");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}
