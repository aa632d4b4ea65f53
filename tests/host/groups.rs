//! Groups: their ids, local memory, barriers, and what is combined over them.

use vortex::prelude::*;

#[vortex::kernel(host)]
fn reversed(x: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 64]>();
    tile[local_id()] = x[global_id()];
    barrier();
    out[global_id()] = tile[local_size() - 1 - local_id()];
}

#[test]
fn items_of_a_group_share_memory() {
    let x: Vec<u32> = (0..32).collect();
    let mut out = vec![0; 32];
    reversed::on_host(&x, &mut out)
        .grid(4)
        .block(8)
        .launch()
        .unwrap();
    let expected: Vec<u32> = (0..32).map(|i| i / 8 * 8 + 7 - i % 8).collect();
    assert_eq!(out, expected);
}

#[vortex::kernel(host)]
fn sums(x: &[u32], out: &mut [u32], tile: &mut Local<[u32]>) {
    let (i, n) = (local_id(), local_size());
    let rounds = local::<u32>();
    *rounds = 0;
    tile[i] = x[global_id()];
    barrier();
    let mut step = n / 2;
    while step > 0 {
        if i < step {
            tile[i] += tile[i + step];
        }
        if i == 0 {
            *rounds += 1;
        }
        barrier();
        step /= 2;
    }
    if i == 0 {
        out[group_id()] = tile[0] * 10 + *rounds;
    }
}

#[test]
fn barriers_part_what_is_before_from_what_is_after() {
    let x: Vec<u32> = (0..64).collect();
    let mut out = vec![0; 4];
    sums::on_host(&x, &mut out, LocalLen(16))
        .grid(4)
        .block(16)
        .launch()
        .unwrap();
    let device = Device::open().unwrap();
    let (dx, mut dout) = (device.upload(&x).unwrap(), device.alloc(4).unwrap());
    sums(&dx, &mut dout, LocalLen(16))
        .grid(4)
        .block(16)
        .launch(&device)
        .unwrap();
    assert_eq!(out, dout.download().unwrap());
    assert_eq!(out[0], 120 * 10 + 4);
}

/// In global memory, which is lent anew after each barrier.
#[vortex::kernel(host)]
fn scan(x: &mut [u32]) {
    let i = local_id();
    let mut step = 1;
    while step < local_size() {
        let mut add = 0;
        if i >= step {
            add = x[i - step];
        }
        barrier();
        x[i] += add;
        barrier();
        step *= 2;
    }
}

#[test]
fn slices_are_lent_anew() {
    let mut x = vec![1u32; 100];
    scan::on_host(&mut x).grid(1).block(100).launch().unwrap();
    assert!((0..100).all(|i| x[i] == i as u32 + 1), "{x:?}");
}

/// Items that have returned are not waited for, and names may hide what is lent.
#[vortex::kernel(host)]
fn some_return(x: &mut [u32]) {
    let i = local_id();
    if i % 3 == 0 {
        return;
    }
    {
        let x = i as u32;
        let tile = local::<[u32; 32]>();
        tile[i] = x;
    }
    barrier();
    x[i] = i as u32;
    barrier();
    if let Some(x) = x.get(i + 1) {
        assert!(*x == 0 || *x == i as u32 + 1);
    }
    x[i] *= 2;
}

#[test]
fn barriers_do_not_wait_for_what_has_returned() {
    let mut x = vec![0u32; 32];
    some_return::on_host(&mut x)
        .grid(1)
        .block(32)
        .launch()
        .unwrap();
    assert!(
        (0..32).all(|i| x[i] == if i % 3 == 0 { 0 } else { 2 * i as u32 }),
        "{x:?}"
    );
}

#[vortex::kernel(host)]
fn combined(x: &[f32], n: &[i32], out: &mut [[u32; 9]]) {
    let i = global_id();
    out[i] = [
        group::reduce_add(x[i]).to_bits(),
        group::inclusive_add(x[i]).to_bits(),
        group::exclusive_add(n[i]) as u32,
        group::reduce_max(n[i]) as u32,
        group::exclusive_min(x[i]).to_bits(),
        group::inclusive_xor(n[i]) as u32,
        group::reduce_and(n[i] > -50) as u32,
        warp::reduce_add(n[i]) as u32 + warp::ballot(n[i] > 0),
        warp::exclusive_max(n[i]) as u32 ^ warp::shuffle_down(n[i], 1) as u32,
    ];
}

#[vortex::kernel(host)]
fn counted(x: &[u32], bins: &mut [u32], sum: &mut [f32]) {
    let most = local::<u32>();
    if local_id() == 0 {
        *most = 0;
    }
    barrier();
    let value = x[global_id()];
    bins.atomic(value as usize % 4).fetch_add(1, Relaxed);
    most.atomic().fetch_max(value, Relaxed);
    sum.atomic(0).fetch_add(0.5, Relaxed);
    let _ = bins
        .atomic(4)
        .compare_exchange(0, value + 1, AcqRel, Relaxed);
    barrier();
    if local_id() == 0 {
        bins.atomic(5).fetch_max(*most, Relaxed);
    }
}

/// A device whose warps have one lane each, as the host's.
fn narrow() -> Device {
    Device::builder()
        .cores(1)
        .warps(16)
        .threads(1)
        .open()
        .unwrap()
}

#[test]
fn groups_and_warps_combine_as_on_a_device_with_warps_of_one_lane() {
    let x: Vec<f32> = (0..32).map(|i| (i * i) as f32 * 0.37 - 40.0).collect();
    let n: Vec<i32> = (0..32).map(|i| i * 37 % 101 - 50).collect();
    let mut out = vec![[0; 9]; 32];
    combined::on_host(&x, &n, &mut out)
        .grid(4)
        .block(8)
        .launch()
        .unwrap();
    let device = narrow();
    let (dx, dn) = (device.upload(&x).unwrap(), device.upload(&n).unwrap());
    let mut dout = device.alloc(32).unwrap();
    combined(&dx, &dn, &mut dout)
        .grid(4)
        .block(8)
        .launch(&device)
        .unwrap();
    assert_eq!(out, dout.download().unwrap());
}

#[test]
fn atomic_operations_count() {
    let x: Vec<u32> = (0..40).map(|i| i * 7 % 23).collect();
    let (mut bins, mut sum) = (vec![0; 6], vec![0.0]);
    counted::on_host(&x, &mut bins, &mut sum)
        .grid(4)
        .block(10)
        .launch()
        .unwrap();
    let device = narrow();
    let dx = device.upload(&x).unwrap();
    let (mut dbins, mut dsum) = (
        device.upload(&[0; 6]).unwrap(),
        device.upload(&[0.0]).unwrap(),
    );
    counted(&dx, &mut dbins, &mut dsum)
        .grid(4)
        .block(10)
        .launch(&device)
        .unwrap();
    assert_eq!(bins, dbins.download().unwrap());
    assert_eq!((sum[0], bins[5]), (20.0, 22));
}

#[test]
fn groups_have_to_be_said() {
    let (x, mut out) = ([0; 4], [0; 4]);
    let error = reversed::on_host(&x, &mut out)
        .over(4)
        .launch()
        .unwrap_err();
    assert!(
        matches!(
            error,
            vortex::Error::Refused {
                cause: vortex::LaunchError::NeedsGroups,
                ..
            }
        ),
        "{error}"
    );
}

#[vortex::kernel(host)]
fn fails_in_a_group(x: &mut [u32]) {
    let i = local_id();
    barrier();
    if i >= 5 {
        panic!("{i} of {}", local_size());
    }
    barrier();
    x[global_id()] = 1;
}

#[test]
fn an_item_that_fails_is_not_waited_for() {
    let mut x = vec![0; 14];
    let error = fails_in_a_group::on_host(&mut x)
        .grid(2)
        .block(7)
        .launch()
        .unwrap_err();
    assert_eq!(x, [1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0]);
    let text = error.to_string();
    assert!(
        text.starts_with("kernel fails_in_a_group, work item 5 of group 0: 5 of 7, at "),
        "{text}"
    );
}
