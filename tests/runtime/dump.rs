//! What a launch is made of, written to files: `VORTEX_DUMP`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{add, device, nothing};

/// The child half of [`launches_are_dumped`].
#[test]
fn dump_child() {
    if std::env::var_os("VORTEX_DUMP").is_some() {
        let device = device();
        let x = device.upload(&[1, 2, 3]).unwrap();
        let mut y = device.alloc(3).unwrap();
        let dumped = add(0x0102_0304, &x, &mut y).over(3).launch(&device);
        if let Err(error) = dumped.and_then(|_| nothing().over(1).launch(&device)) {
            println!("{error}");
        }
    }
}

fn run_dump_child(dir: &Path) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["dump::dump_child", "--exact", "--nocapture"])
        .env("VORTEX_DUMP", dir);
    String::from_utf8(child.output().unwrap().stdout).unwrap()
}

#[test]
fn launches_are_dumped() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dump");
    let _ = fs::remove_dir_all(&dir);
    run_dump_child(&dir);
    let mut names: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let kinds = [
        "args",
        "clif",
        "optimised.vir",
        "s",
        "staged.vir",
        "vxbin",
        "vxmeta",
    ];
    let expected: Vec<_> = ["0001-add", "0002-nothing"]
        .iter()
        .flat_map(|stem| kinds.iter().map(move |kind| format!("{stem}.{kind}")))
        .collect();
    assert_eq!(names, expected);
    let read = |name: &str| fs::read(dir.join(name)).unwrap();
    assert_eq!(read("0001-add.args")[..4], 0x0102_0304u32.to_le_bytes());
    assert_eq!(
        read("0001-add.args")[20..24],
        3u32.to_le_bytes(),
        "the header begins with the number of items"
    );
    let file = read("0001-add.vxbin");
    let image = vortex::sim::VxBin::parse(&file).unwrap();
    assert_eq!(image.base(), 0x8000_0000);
    assert_eq!(image.size() as usize, image.bytes().len());
    // With what is known of it, the image can be run again.
    let module = vortex::Module::from_image(&file, &read("0001-add.vxmeta")).unwrap();
    assert_eq!(module.kernels()[0].args()[0].name, "by");
    let device = device();
    let x = device.upload(&[1, 2, 3]).unwrap();
    let mut y = device.alloc::<i32>(3).unwrap();
    let launch = module.launch("add").unwrap().scalar("by", 4i32).unwrap();
    let launch = launch.slice("x", &x).unwrap().slice_mut("y", &mut y);
    launch.unwrap().over(3).launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [5, 6, 7]);
    for kind in &kinds[1..5] {
        let text = String::from_utf8(read(&format!("0001-add.{kind}"))).unwrap();
        assert!(text.lines().count() > 5, "{kind}: {text}");
    }
}

#[test]
#[cfg(unix)]
fn what_is_there_is_not_overwritten_and_links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dump-again");
    let _ = fs::remove_dir_all(&root);
    let dir = root.join("shared");
    fs::create_dir_all(&dir).unwrap();
    let outside = root.join("outside");
    fs::write(&outside, "mine").unwrap();
    symlink(&outside, dir.join("0001-add.vxbin")).unwrap();
    symlink(root.join("nothing"), dir.join("0002-add.vxbin")).unwrap();
    fs::write(dir.join("0003-add.vxbin"), "mine").unwrap();
    let text = run_dump_child(&dir);
    assert!(!text.contains("cannot write"), "{text}");
    assert_eq!(fs::read(&outside).unwrap(), b"mine");
    assert_eq!(fs::read(dir.join("0003-add.vxbin")).unwrap(), b"mine");
    assert!(!root.join("nothing").exists());
    assert!(dir.join("0004-add.vxmeta").exists() && dir.join("0005-nothing.s").exists());
    // The next run goes on from there.
    symlink(&outside, dir.join("0005-add.args")).unwrap();
    let text = run_dump_child(&dir);
    assert!(text.contains("0005-add.args: "), "{text}");
    assert_eq!(fs::read(&outside).unwrap(), b"mine");
}

#[test]
fn a_dump_that_cannot_be_written_is_an_error() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("not-a-directory");
    fs::write(&file, "").unwrap();
    assert!(run_dump_child(&file).contains("VORTEX_DUMP: cannot write "));
}
