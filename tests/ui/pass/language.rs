//! What a body can say, as Rust understands it: shadowing, precedence, order of evaluation, jumps.

use vortex::prelude::*;

type Real = f32;
type Index = usize;

const TABLE_SIZE: usize = 4;

#[vortex::kernel]
fn aliases(by: Real, at: Index, x: &mut [Real]) {
    let scaled: Real = x[at] * by;
    x[at] = scaled + TABLE_SIZE as Real;
}

#[vortex::kernel]
fn shadowing(mut n: i32, out: &mut [i32]) {
    let x = 1;
    let x = x + 1;
    {
        let mut x = x * 10;
        x += n;
        out[0] = x;
    }
    n -= 1;
    let (mut a, (b, _)) = (n, (x, 9));
    a *= 2;
    out[1] = a + b;
    let pair = (a, b);
    out[2] = pair.0 - pair.1;
}

#[vortex::kernel]
fn precedence(a: i32, b: i32, out: &mut [i32]) {
    out[0] = a + b * 2 - -a % 3;
    out[1] = (a + b) * 2 << 1 & 0xff | 1;
    out[2] = -(a - b) as i16 as i32 + !b;
    out[3] = if a < b && !(a == 3) || b == a { 1 } else { 0 } + 10;
    out[4] = {
        let t = a;
        t * t
    } + (b as u8 as i32);
    out[5] = -1 as i32 + i32::MAX;
    out[6] = a.max(b).min(5) - (a - 10).abs();
}

#[vortex::kernel]
fn jumps(limit: u32, out: &mut [u32]) {
    let mut sum = 0;
    let mut i = 0;
    loop {
        i += 1;
        let step = if i == 3 {
            continue;
        } else if i > limit {
            break;
        } else {
            i
        };
        sum += step;
    }
    out[0] = sum;
    for mut k in 0..=3 {
        k *= 2;
        out[1] += k;
    }
    if sum > 1000 {
        return;
    }
    out[2] = 1;
}

#[vortex::kernel]
fn order(x: &mut [u32]) {
    let mut i = 0;
    // The right side first, then the index, as in Rust.
    x[i] = {
        i = 1;
        5
    };
    x[i] += {
        i = 2;
        7
    };
    let mut n = 1;
    n += {
        n = 10;
        n
    };
    x[3] = n;
}

#[vortex::kernel]
fn handles(r#type: &mut [u32], r#fn: &mut [u32], mut last: usize) {
    if last > 2 {
        last = 2;
    }
    let mut either = r#type;
    if last == 2 {
        either = r#fn;
    }
    either[last] = 1;
    let mut pair = (either[last], 2.5);
    pair = (pair.0 + 1, pair.1 * 2.0);
    either[0] = pair.0 + pair.1 as u32;
    loop {
        if either[0] > 0 {
            return;
        }
    }
}

#[vortex::kernel]
unsafe fn pointers(mut to: *mut u32, from: *const u32) {
    // SAFETY: the host passes pointers to four elements each.
    unsafe {
        if !from.is_null() {
            *to = *from.add(3);
        }
        to = to.add(1);
        *to = *to.sub(1) + 1;
        *to.offset(1) += *to;
    }
}

#[vortex::kernel]
fn attributes(x: &mut [u32]) {
    #[cfg(any())]
    let value = not_there;
    #[cfg(not(any()))]
    let value = 4;
    #[allow(unused_variables)]
    let unused = 3;
    #[cfg(any())]
    {
        x[not_there] = 1;
    }
    x[0] = value;
}

#[test]
fn bodies_mean_what_they_mean_in_rust() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = device.upload(&[2.0f32; 2])?;
    aliases(3.0, 1, &mut x).over(1).launch(&device)?;
    assert_eq!(x.download()?, [2.0, 10.0]);

    let mut out = device.upload(&[0i32; 7])?;
    shadowing(7, &mut out).over(1).launch(&device)?;
    assert_eq!(out.download()?[..3], [27, 14, 10]);

    let (a, b) = (4i32, 9i32);
    precedence(a, b, &mut out).over(1).launch(&device)?;
    let expected = [
        a + b * 2 - -a % 3,
        (((a + b) * 2) << 1) & 0xff | 1,
        i32::from(-(a - b) as i16) + !b,
        11,
        a * a + b,
        i32::MAX - 1,
        5 - 6,
    ];
    assert_eq!(out.download()?, expected);

    let mut out = device.upload(&[0u32; 4])?;
    jumps(5, &mut out).over(1).launch(&device)?;
    assert_eq!(out.download()?, [12, 12, 1, 0]);

    let mut out = device.upload(&[1u32; 4])?;
    order(&mut out).over(1).launch(&device)?;
    let mut expected = [1u32; 4];
    {
        let x = &mut expected;
        x[1] = 5;
        x[2] += 7;
        x[3] = 20;
    }
    assert_eq!(out.download()?, expected);

    let mut other = device.upload(&[9u32; 3])?;
    handles(&mut out, &mut other, 7).over(1).launch(&device)?;
    assert_eq!(other.download()?, [7, 9, 1]);
    assert_eq!(out.download()?, expected);

    let from = device.upload(&[1u32, 2, 3, 4])?;
    let mut to = device.upload(&[10u32; 3])?;
    // SAFETY: no item accesses anything behind these elements.
    unsafe { pointers(to.as_mut_ptr(), from.as_ptr()) }
        .over(1)
        .launch(&device)?;
    assert_eq!(to.download()?, [4, 5, 15]);

    attributes(&mut out).over(1).launch(&device)?;
    assert_eq!(out.download()?[0], 4);
    Ok(())
}
