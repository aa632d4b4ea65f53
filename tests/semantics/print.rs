//! What kernels say: `println!`, `panic!`, `assert!`.

use crate::harness::DEVICES;
use vortex::prelude::*;
use vortex::{Error, Fault, FaultKind, Report};

const WIDTH: usize = 8;

#[vortex::kernel]
fn says(x: &[i32], y: &mut [f32]) {
    let i = global_id();
    let v = x[i];
    if v % 2 == 0 {
        println!(
            "item {i} has {v:>WIDTH$}, {:?}",
            (v < 0, v as u8, v as i64 * 5_000_000_000)
        );
        y[i] = v as f32 / 4.0;
        print!("{{{:.3}|{half:e}}}", y[i], half = y[i] / 2.0);
        println!();
    }
}

fn said(x: &[i32]) -> String {
    let mut text = String::new();
    for (i, &v) in x.iter().enumerate().filter(|(_, v)| **v % 2 == 0) {
        let y = v as f32 / 4.0;
        text += &format!(
            "item {i} has {v:>WIDTH$}, {:?}\n",
            (v < 0, v as u8, v as i64 * 5_000_000_000)
        );
        text += &format!("{{{:.3}|{half:e}}}\n", y, half = y / 2.0);
    }
    text
}

#[test]
fn text_is_rusts_and_in_the_order_of_items() {
    let x: Vec<i32> = (0..300).map(|i| i * 37 % 101 - 50).collect();
    for device in DEVICES.iter() {
        let x_device = device.upload(&x).unwrap();
        let mut y = device.alloc(x.len()).unwrap();
        for _ in 0..2 {
            let report = says(&x_device, &mut y)
                .over(x.len())
                .launch(device)
                .unwrap();
            assert_eq!(report.printed(), said(&x));
        }
    }
}

#[vortex::kernel]
fn chatty(times: u32) {
    for n in 0..times {
        println!("{n}");
    }
}

#[vortex::kernel]
fn wide(times: u32) {
    for n in 0..times {
        println!("{n:>60000}");
    }
}

#[test]
fn text_that_finds_no_room_is_left_out() {
    let device = Device::builder().released().open().unwrap();
    let report = wide(1000).over(1).launch(&device).unwrap();
    let room = (16u64 << 20).div_ceil(60_001);
    assert_eq!(report.printed().lines().count() as u64, room);
    assert_eq!(report.messages_lost(), 1000 - room);
}

#[test]
fn what_finds_no_room_is_left_out() {
    let device = Device::builder().released().open().unwrap();
    let report = chatty(100_000).over(2).launch(&device).unwrap();
    let lines = report.printed().lines().count();
    // 16 harts share 8 MiB, and a line is three words.
    let room: u32 = (8 << 20) / 16 / 12;
    assert_eq!(lines as u32, 2 * room);
    assert_eq!(report.messages_lost(), u64::from(2 * (100_000 - room)));
    let text = report.to_string();
    assert!(text.contains("  messages lost       112,620\n"), "{text}");
    assert!(report.printed().starts_with("0\n1\n2\n"));
    // Up to there nothing is lost.
    let report = chatty(room).over(16).launch(&device).unwrap();
    assert_eq!(report.printed().lines().count() as u32, 16 * room);
    assert_eq!(report.messages_lost(), 0);
    // Nothing of it is left.
    let report = chatty(1).over(3).launch(&device).unwrap();
    assert_eq!(report.printed(), "0\n0\n0\n");
}

#[vortex::device]
fn digit(n: u32) -> u32 {
    match n {
        0..=8 => n + 1,
        9 => 0,
        _ => unreachable!("no digit: {n}"),
    }
}

#[vortex::kernel]
fn checks(x: &[u32], y: &mut [u32], limit: u32) {
    let i = global_id();
    assert!(x[i] < limit);
    assert!(x[i] != 7, "item {i} is {}: {:?}", x[i], (limit, true));
    assert_eq!(x[i] % 5 == 4, false);
    assert_ne!(x[i], 36, "too much");
    debug_assert!(x[i] != 6);
    y[i] = if x[i] < 1000 { digit(x[i]) } else { panic!() };
}

fn failure(result: Result<Report, Error>) -> Fault {
    match result {
        Err(Error::Fault(fault)) => *fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn failures_say_what_the_kernel_says() {
    let cases = [
        (12, "assertion failed: x[i] < limit"),
        (7, "item 2 is 7: (12, true)"),
        (
            4,
            "assertion `left == right` failed\n  left: true\n right: false",
        ),
        (6, "assertion failed: x[i] != 6"),
        (
            36,
            "assertion `left != right` failed: too much\n  left: 36\n right: 36",
        ),
        (10, "internal error: entered unreachable code: no digit: 10"),
        (5000, "explicit panic"),
    ];
    for device in DEVICES.iter() {
        let mut y = device.upload(&[77; 20]).unwrap();
        for (bad, expected) in cases {
            let mut x = vec![3; 20];
            (x[2], x[9]) = (bad, bad);
            // Bounds that let the value through to the check that is meant.
            let limit = if bad <= 12 { 12.max(bad) } else { 6000 };
            let fault = failure(
                checks(&device.upload(&x).unwrap(), &mut y, limit)
                    .over(20)
                    .launch(device),
            );
            assert_eq!(fault.kind, FaultKind::Panic);
            assert_eq!(fault.item, 2);
            assert_eq!(fault.message.as_deref(), Some(expected));
            assert!(fault.to_string().contains(expected), "{fault}");
            assert!(fault.at.file.ends_with("print.rs"), "{fault}");
            // The failing items have ended where they failed, the others went on.
            let y = y.download().unwrap();
            assert!(
                (0..20).all(|i| y[i] == if i == 2 || i == 9 { 77 } else { 4 }),
                "{y:?}"
            );
        }
    }
}

/// Generic, so that it has no test of its own, which would fail.
#[vortex::kernel]
fn says_too_much<const N: u32>(x: &[u32]) {
    let wide = x[1] as i64;
    assert!(x[0] == N + 1, "{} {} {} {}", wide, wide, wide, x[0]);
}

#[test]
fn failures_that_say_too_much_are_refused() {
    let device = &DEVICES[0];
    let x = device.upload(&[1u32, 2]).unwrap();
    let error = says_too_much::<1>(&x).over(1).launch(device).unwrap_err();
    let error = error.to_string();
    let expected = "the values in this message take 7 words of 32 bits, but in the message of a failure there is room for 6, at tests/semantics/print.rs:";
    assert!(error.contains(expected), "{error}");
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(u8)]
enum Mood {
    Calm = 3,
    Wild = 9,
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Beast<T> {
    mood: Mood,
    tame: bool,
    legs: [i8; 3],
    weight: u64,
    home: Vec2<T>,
    scale: f16,
}

fn beast<T>(i: u64, home: Vec2<T>) -> Beast<T> {
    Beast {
        mood: if i.is_multiple_of(2) {
            Mood::Calm
        } else {
            Mood::Wild
        },
        tame: i.is_multiple_of(3),
        legs: [i as i8, -1, 127],
        weight: i << 33 | 5,
        home,
        scale: f16::from_f32(0.5),
    }
}

#[test]
fn whole_values_are_printed() {
    #[vortex::kernel]
    fn shows(beasts: &[Beast<i16>]) {
        let i = global_id();
        let beast = beasts[i];
        let next = beasts
            .get(i + 1)
            .map(|next: Beast<i16>| (next.mood, next.home));
        println!("{:?} {next:?} {:?}", beast, (beast.mood, [i as u32, 2]));
        println!("{:?} {}", Some(beast.legs), beast.scale);
        println!("{:?} {:?}", [i, i + 1], Some([i as isize - 3]));
    }

    let beasts: Vec<_> = (0..7).map(|i| beast(i, vec2(-1i16, i as i16))).collect();
    let mut text = String::new();
    for (i, beast) in beasts.iter().enumerate() {
        let next = beasts.get(i + 1).map(|next| (next.mood, next.home));
        text += &format!("{:?} {next:?} {:?}\n", beast, (beast.mood, [i as u32, 2]));
        text += &format!("{:?} {}\n", Some(beast.legs), beast.scale);
        text += &format!("{:?} {:?}\n", [i, i + 1], Some([i as isize - 3]));
    }
    for device in DEVICES.iter() {
        let on_device = device.upload(&beasts).unwrap();
        let report = shows(&on_device).over(beasts.len()).launch(device).unwrap();
        assert_eq!(report.printed(), text);
    }
}

#[test]
fn whole_values_are_compared() {
    #[vortex::kernel]
    fn compares(moods: &[Mood]) {
        assert_eq!(moods[global_id()], Mood::Calm);
    }

    let device = Device::open().unwrap();
    let moods = device.upload(&[Mood::Calm, Mood::Wild]).unwrap();
    let error = compares(&moods).over(2).launch(&device).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("left: Wild\n right: Calm"), "{text}");
}
