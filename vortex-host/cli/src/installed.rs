//! Vortex's own runtime, as it is installed here.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What was found of Vortex's own runtime.
pub(crate) struct Installed {
    /// `libvortex.so`, if the loader would find one.
    pub(crate) runtime: Option<PathBuf>,
    /// What `VORTEX_DRIVER` can be: there is a `libvortex-NAME.so` for each.
    pub(crate) drivers: Vec<String>,
}

impl Installed {
    /// Looks where the system's loader looks.
    pub(crate) fn look() -> Self {
        let given = std::env::var_os("LD_LIBRARY_PATH");
        Self::look_in(&directories(given, Path::new("/etc/ld.so.conf")))
    }

    fn look_in(directories: &[PathBuf]) -> Self {
        let runtime = directories
            .iter()
            .map(|directory| directory.join("libvortex.so"))
            .find(|file| file.is_file());
        let entries = directories
            .iter()
            .filter_map(|directory| std::fs::read_dir(directory).ok());
        let names = entries
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let drivers: BTreeSet<String> = names
            .filter_map(|name| {
                let driver = name.strip_prefix("libvortex-")?.strip_suffix(".so")?;
                Some(driver.to_owned())
            })
            .collect();
        Self {
            runtime,
            drivers: drivers.into_iter().collect(),
        }
    }
}

/// Where libraries are: what the environment says, what the system is configured for, and the usual places.
fn directories(given: Option<OsString>, configuration: &Path) -> Vec<PathBuf> {
    let given = given.unwrap_or_default();
    let mut directories: Vec<PathBuf> = std::env::split_paths(&given)
        .filter(|directory| !directory.as_os_str().is_empty())
        .collect();
    let mut files = vec![configuration.to_owned()];
    if let Ok(entries) = std::fs::read_dir(configuration.with_extension("conf.d")) {
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    for file in files {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let lines = text.lines().map(str::trim);
        directories.extend(lines.filter(|line| line.starts_with('/')).map(Into::into));
    }
    directories.extend(["/lib", "/usr/lib", "/lib64", "/usr/lib64"].map(Into::into));
    directories
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_in_the_order_of_directories() {
        let base = std::env::temp_dir().join(format!("vortex-installed-{}", std::process::id()));
        let [one, two] = ["one", "two"].map(|name| base.join(name));
        for directory in [&one, &two] {
            std::fs::create_dir_all(directory).unwrap();
        }
        for file in ["libvortex-simx.so", "libvortex-rtlsim.so", "libvortexes.so"] {
            std::fs::write(one.join(file), "").unwrap();
        }
        for file in ["libvortex-simx.so", "libvortex.so"] {
            std::fs::write(two.join(file), "").unwrap();
        }
        let configuration = base.join("ld.so.conf");
        std::fs::write(&configuration, format!("include x\n{}\n", two.display())).unwrap();
        let given = OsString::from(&one);
        let found = Installed::look_in(&directories(Some(given), &configuration)[..2]);
        assert_eq!(found.runtime, Some(two.join("libvortex.so")));
        assert_eq!(found.drivers, ["rtlsim", "simx"]);
        let nothing = Installed::look_in(&[base.join("three")]);
        assert!(nothing.runtime.is_none() && nothing.drivers.is_empty());
        std::fs::remove_dir_all(base).unwrap();
    }
}
