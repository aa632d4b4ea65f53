//! The page: what is in it, and what a browser makes of it.

use crate::said::said;
use std::path::Path;
use std::process::Command;

use vortex::prelude::*;
use vortex::{Generation, Profile};

use crate::{browser, seeds};

fn dir() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The profile of a kernel with groups, barriers, local memory and two ways.
fn example() -> Profile {
    let seed = seeds::all().find(|seed| seed.name == "barriers").unwrap();
    seed.profile(Generation::V2)
}

#[test]
fn pages_need_nothing_else() {
    for seed in seeds::all().step_by(4) {
        let profile = seed.profile(Generation::V3);
        let page = profile.to_html();
        for outside in ["http:", "https:", " src=", "url(", "@import", "<link"] {
            assert!(!page.contains(outside), "{}: {outside}", seed.name);
        }
        let limiter = profile.limiter().unwrap();
        let shown = page.split("<p class=\"sentence\">").nth(1).unwrap();
        let rest = &limiter.sentence[1..];
        assert!(
            shown[1..].starts_with(&rest.replace('\'', "&#39;")),
            "{}",
            seed.name
        );
        // What the page holds reads back.
        let json = page
            .split("id=\"profiles\">")
            .nth(1)
            .unwrap()
            .split("</script>")
            .next()
            .unwrap();
        let inside: Vec<Profile> = serde_json::from_str(json).unwrap();
        assert!(inside == [profile], "{}", seed.name);
    }
}

#[test]
fn json_reads_back() {
    let profile = example();
    assert!(serde_json::from_str::<Profile>(&profile.to_json()).unwrap() == profile);
    assert_eq!(profile.version, vortex::profile::VERSION);
}

#[vortex::kernel]
fn first(y: &mut [u32]) {
    y[global_id()] = 1;
}

#[vortex::kernel]
fn second(y: &mut [u32]) {
    y[global_id()] += 2;
}

/// In a process of its own, with `VORTEX_PROFILE`: it launches two kernels.
#[test]
#[ignore = "run by `every_launch_is_on_the_page`"]
fn launches_two() {
    let device = Device::open().unwrap();
    let mut y = device.alloc::<u32>(8).unwrap();
    let report = first(&mut y).over_each().launch(&device).unwrap();
    assert_eq!(report.profile().unwrap().kernel, "first");
    assert_eq!(report.cycles(), Some(report.profile().unwrap().cycles));
    device
        .stream()
        .unwrap()
        .launch(second(&mut y).over_each())
        .wait()
        .unwrap();
    assert_eq!(y.download().unwrap(), [3; 8]);
}

#[test]
fn every_launch_is_on_the_page() {
    let run = |path: &Path| {
        let test = std::env::current_exe().unwrap();
        let done = Command::new(test)
            .args(["--exact", "page::launches_two", "--ignored"])
            .env("VORTEX_PROFILE", path)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stdout)
        );
        std::fs::read_to_string(path).unwrap()
    };
    let page = run(&dir().join("two.html"));
    assert_eq!(page.matches("<main class=\"launch\"").count(), 2);
    let json: Vec<Profile> = serde_json::from_str(&run(&dir().join("two.json"))).unwrap();
    let names: Vec<&str> = json.iter().map(|profile| profile.kernel.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
}

#[test]
fn what_cannot_be_profiled_says_so() {
    let device = Device::builder()
        .cores(4)
        .clusters(2)
        .generation(Generation::V3)
        .open()
        .unwrap();
    let mut y = device.alloc::<u32>(8).unwrap();
    let error = first(&mut y).over_each().profile(&device).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel first: it cannot be profiled or traced here: only the embedded device, with one cluster, notes what a launch \
         does (unset VORTEX_DRIVER and VORTEX_CLUSTERS)"
    );
    let error = first(&mut y).over(0).profile(&device).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel first: a launch of no work items has no profile and no trace"
    );
}

/// What a page says of itself once a browser has shown it: appended to it, and found in its title.
const QUESTIONS: &str = r#"<script>
const of = (what) => [...document.querySelectorAll(what)];
const wide = of("main:not([hidden]) *").filter((part) => {
  const scrolls = (e) => e && (getComputedStyle(e).overflowX === "auto" || scrolls(e.parentElement));
  return part.getBoundingClientRect().right > innerWidth + 1 && !scrolls(part.parentElement) && !part.closest("svg");
});
const beyond = (part, card) => part.getBoundingClientRect().right > card.getBoundingClientRect().right;
const out = of("main:not([hidden]) .card").flatMap((card) =>
  [...card.querySelectorAll("p, .bars td, .list td, dd, li")].filter((part) => beyond(part, card) && !part.closest(".scroll, .pane")));
const chosen = of("main:not([hidden])")[0];
const shown = (what) => { const e = chosen.querySelector(what); return e && e.getBoundingClientRect().height > 5; };
document.title = JSON.stringify({
  theme: document.documentElement.dataset.theme,
  background: getComputedStyle(document.body).backgroundColor,
  launches: of("main").length, chosen: chosen.id,
  marked: of("main:not([hidden]) tr.line.on").length > 0 && of("main:not([hidden]) tr[data-of].on").length > 0,
  shown: ["h1", ".sentence", ".bars", "svg.roof", ".slots", ".lines", ".instructions", "svg.time", ".list"].filter((what) => !shown(what)),
  wide: wide.concat(out).slice(0, 3).map((part) => part.outerHTML.slice(0, 200)),
});
</script>"#;

#[test]
fn a_browser_shows_it() {
    let Some(chromium) = browser::chromium() else {
        println!(
            "skipped: there is no Chromium here to show the profile page in (Debian's chromium)"
        );
        return;
    };
    let page = example().to_html() + QUESTIONS;
    let path = dir().join("shown.html");
    std::fs::write(&path, page).unwrap();
    for (size, hash) in [
        ("1500,900", "#light"),
        ("1500,900", "#dark"),
        ("500,900", "#dark"),
    ] {
        let said = browser::title(&chromium, &path, size, hash);
        assert_eq!(said["theme"], hash[1..], "{said}");
        assert_eq!(
            (&said["launches"], &said["chosen"]),
            (&1.into(), &"launch-0".into())
        );
        assert_eq!(said["marked"], true, "{said}");
        assert_eq!(
            said["shown"],
            serde_json::json!([]),
            "not shown, {size}: {said}"
        );
        assert_eq!(said["wide"], serde_json::json!([]), "{size}: {said}");
        let dark = said["background"] == "rgb(15, 20, 27)";
        assert_eq!(dark, hash == "#dark", "{said}");
    }
}
