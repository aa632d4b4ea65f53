//! What European options are worth, by the formula of Black and Scholes: a table of strikes and years.
//!
//! Every option is a work item, since none depends on another one. The grid of items is that of the table.
//!
//! ```sh
//! cargo run --release --example black_scholes          # 64 strikes, 16 years
//! cargo run --release --example black_scholes -- 4096
//! ```

mod shared;

use std::f32::consts::FRAC_1_SQRT_2;

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Market {
    price: f32,
    /// Of interest without a risk, a year.
    rate: f32,
    volatility: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Value {
    call: f32,
    put: f32,
}

/// How likely a normally distributed number is to be below `x`.
#[vortex::device]
fn normal(x: f32) -> f32 {
    0.5 + 0.5 * (x * FRAC_1_SQRT_2).erf()
}

#[vortex::kernel]
fn evaluate(market: Market, strikes: &[f32], years: &[f32], values: &mut [Value]) {
    let (x, y) = global_id_2d();
    let Market {
        price,
        rate,
        volatility,
    } = market;
    let (strike, time) = (strikes[x], years[y]);
    let spread = volatility * time.sqrt();
    let drift = (rate + 0.5 * volatility * volatility) * time;
    let d1 = ((price / strike).ln() + drift) / spread;
    let d2 = d1 - spread;
    let strike_now = strike * (-rate * time).exp();
    values[y * strikes.len() + x] = Value {
        call: price * normal(d1) - strike_now * normal(d2),
        put: strike_now * normal(-d2) - price * normal(-d1),
    };
}

/// The value of a call in `f64`, as what it says: the mean of what it will pay, discounted. The integral over normally
/// distributed returns is taken by Simpson's rule.
fn call_on_host(market: &Market, strike: f32, time: f32) -> f64 {
    let [price, rate, volatility] = [market.price, market.rate, market.volatility].map(f64::from);
    let (strike, time) = (f64::from(strike), f64::from(time));
    let spread = volatility * time.sqrt();
    let drift = (rate - 0.5 * volatility * volatility) * time;
    let paid = |z: f64| {
        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        density * (price * (drift + spread * z).exp() - strike)
    };
    // Below it nothing is paid; ten deviations further there is nothing left.
    let from = ((strike / price).ln() - drift) / spread;
    let pieces = 200;
    let width = 10.0f64.max(10.0 - from) / f64::from(pieces);
    let weight = |i: i32| match i {
        0 => 1.0,
        i if i == pieces => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=pieces)
        .map(|i| weight(i) * paid(from + f64::from(i) * width))
        .sum();
    sum * width / 3.0 * (-rate * time).exp()
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(64, 1 << 20);
    let market = Market {
        price: 100.0,
        rate: 0.03,
        volatility: 0.25,
    };
    let strikes: Vec<f32> = (0..n).map(|i| 60.0 + 80.0 * i as f32 / n as f32).collect();
    let years: Vec<f32> = (1..=16).map(|quarter| 0.25 * quarter as f32).collect();

    let device = Device::open()?;
    let (strikes_device, years_device) = (device.upload(&strikes)?, device.upload(&years)?);
    let mut values = device.alloc(n * years.len())?;
    let report = evaluate(market, &strikes_device, &years_device, &mut values)
        .over((n, years.len()))
        .launch(&device)?;
    let values = values.download()?;

    let mut worst = 0.0f64;
    for (i, value) in values.iter().enumerate() {
        let (strike, time) = (strikes[i % n], years[i / n]);
        let call = call_on_host(&market, strike, time);
        // Who has the one and owes the other owns the share and owes the strike.
        let owed = f64::from(strike) * (-f64::from(market.rate) * f64::from(time)).exp();
        let put = call - f64::from(market.price) + owed;
        let off = [f64::from(value.call) - call, f64::from(value.put) - put];
        worst = off.iter().fold(worst, |worst, off| worst.max(off.abs()));
    }
    // Differences of products of some 100, each rounded in the seventh digit.
    assert!(worst < 1e-4, "off by {worst}");
    println!("calls on a share of {}", market.price);
    print!("strike");
    for time in years.iter().skip(1).step_by(3) {
        print!("  {time:5.2} y");
    }
    println!();
    for strike in (0..n).step_by((n / 8).max(1)) {
        print!("{:6.2}", strikes[strike]);
        for row in (1..years.len()).step_by(3) {
            print!("  {:7.3}", values[row * n + strike].call);
        }
        println!();
    }
    println!("{report}");
    println!("{} options, off by {worst:.1e} at most", values.len());
    Ok(())
}
