//! Pages in a headless Chromium, for the tests that look at them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Chromium is, if it is installed. `.ci/run` installs it.
pub(crate) fn chromium() -> Option<PathBuf> {
    let dirs = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut all = std::env::split_paths(&dirs).flat_map(|dir| names.map(|name| dir.join(name)));
    all.find(|path| path.is_file())
}

/// What a page says of itself once it is shown in a window of a size: its script puts that, as JSON, into the title.
/// Nothing may be said on the console. `hash` ends the address, such as `#dark`.
pub(crate) fn title(chromium: &Path, page: &Path, size: &str, hash: &str) -> serde_json::Value {
    let profile = page.with_extension(format!("{size}{}", hash.replace('#', "-")));
    let done = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={size}"))
        .arg(format!("file://{}{hash}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&done.stdout);
    let log = String::from_utf8_lossy(&done.stderr);
    assert!(!log.contains("CONSOLE"), "{log}");
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next());
    let title = title
        .unwrap_or_else(|| panic!("{dom}\n{log}"))
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    serde_json::from_str(&title).unwrap_or_else(|_| panic!("{title}\n{log}"))
}
