//! `vortex new`, and what it makes.

use std::path::Path;
use std::process::{Command, Output};

use crate::{dir, path, printed, refused};

/// The profile of `tests/consumer`, so that of other crates nothing is built once more.
fn profile() -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/consumer/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let at = manifest.find("[profile.dev]").unwrap();
    manifest[at..].to_owned()
}

/// cargo, in a project, with what is built for others.
fn cargo(project: &Path, command: &str) -> Output {
    let config = dir().join("new-profile.toml");
    std::fs::write(&config, profile()).unwrap();
    let output = Command::new(env!("CARGO"))
        .current_dir(project)
        .args([command, "--quiet", "--offline", "--config"])
        .arg(config)
        .arg("--target-dir")
        .arg(dir().parent().unwrap())
        .env_remove("VORTEX_DRIVER")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    output
}

/// A place for a project, with nothing there.
fn place(name: &str) -> String {
    let place = dir().join(name);
    _ = std::fs::remove_dir_all(&place);
    path(&place)
}

#[test]
fn a_new_project_runs_and_its_test_passes() {
    let project = place("new-app");
    let said = printed(&["new", &project]);
    assert!(
        said.starts_with("created the package `new-app` in "),
        "{said}"
    );
    let project = Path::new(&project);
    // The versions that this workspace has, which are there without a network.
    let versions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    std::fs::copy(versions, project.join("Cargo.lock")).unwrap();
    let out = String::from_utf8(cargo(project, "run").stdout).unwrap();
    assert!(out.starts_with("saxpy:\n"), "{out}");
    assert!(out.ends_with("all 10000 elements are right\n"), "{out}");
    let out = String::from_utf8(cargo(project, "test").stdout).unwrap();
    assert!(
        out.contains("2 passed") || out.contains("1 passed"),
        "{out}"
    );
    let ignored = std::fs::read_to_string(project.join(".gitignore")).unwrap();
    assert_eq!(ignored, "/target\n");
    let again = refused(&["new", &path(project)]);
    assert_eq!(
        again,
        "error: DIR/new-app exists and is not empty: name a directory that does not exist yet"
    );
}

#[test]
fn a_new_project_depends_on_the_checkout_that_is_named() {
    let checkout = place("new-checkout");
    std::fs::create_dir(&checkout).unwrap();
    let (file, project) = (
        Path::new(&checkout).join("Cargo.toml"),
        place("new-elsewhere"),
    );
    let message = refused(&["new", &project, "--path", &checkout]);
    let expected = "error: DIR/new-checkout is not a checkout of the library: ";
    assert!(message.starts_with(expected), "{message}");
    assert!(!Path::new(&project).exists());
    std::fs::write(file, "[package]\nname = \"vortex-gpgpu\"\n").unwrap();
    // An empty directory will do.
    std::fs::create_dir(&project).unwrap();
    printed(&["new", &project, "--path", &checkout, "--name", "else_where"]);
    let manifest = std::fs::read_to_string(Path::new(&project).join("Cargo.toml")).unwrap();
    let dependency = format!("vortex = {{ package = \"vortex-gpgpu\", path = {checkout:?} }}\n");
    assert!(manifest.contains(&dependency), "{manifest}");
    assert!(
        manifest.starts_with("[package]\nname = \"else_where\"\n"),
        "{manifest}"
    );
    // There is the workspace of the library around it.
    assert!(manifest.ends_with("[workspace]\n"), "{manifest}");
}

#[test]
fn names_that_no_package_can_have_are_refused() {
    let taken = dir().join("new-file");
    std::fs::write(&taken, "").unwrap();
    let cases: [(&[&str], &str); 7] = [
        (
            &["my app"],
            "`my app` cannot be the name of a package: names are made of letters from a to z, digits, `-` and `_`; \
             write `my-app`, or leave the directory and add `--name my-app`",
        ),
        (
            &["new/9lives"],
            "`9lives` cannot be the name of a package: names begin with a letter; write `my-9lives`, or leave the \
             directory and add `--name my-9lives`",
        ),
        (
            &["x", "--name", "fn"],
            "`fn` cannot be the name of a package: Rust or cargo takes it for something else; write `--name my-fn`",
        ),
        (
            &["x", "--name", ""],
            "`` cannot be the name of a package: it is empty; write `--name my-app`",
        ),
        (
            &["vortex"],
            "`vortex` cannot be the name of a package: that is the library; write `my-vortex`, or leave the directory \
             and add `--name my-vortex`",
        ),
        (
            &["/"],
            "/ has no name that a package could have: add `--name my-app`",
        ),
        (
            &[taken.to_str().unwrap()],
            "DIR/new-file exists and is not a directory: name one that does not exist yet",
        ),
    ];
    for (arguments, message) in cases {
        let said = refused(&[&["new"], arguments].concat());
        assert_eq!(said, format!("error: {message}"));
    }
}

#[test]
fn cargo_has_the_command_too() {
    let said = |arguments: &[&str]| {
        let command = Command::new(env!("CARGO_BIN_EXE_cargo-vortex"))
            .args(arguments)
            .output();
        let output = command.unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let version = format!("vortex {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(said(&["vortex", "--version"]), (Some(0), version));
    assert_eq!(said(&["vortex", "new", "fn"]), (Some(1), String::new()));
}
