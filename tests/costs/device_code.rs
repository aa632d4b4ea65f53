//! The kernels of `benches/device_code`.

#![allow(dead_code)]

#[path = "../../benches/device_code/bound.rs"]
mod bound;
#[path = "../../benches/device_code/cpp.rs"]
mod cpp;
#[path = "../../benches/device_code/suite.rs"]
mod suite;

macro_rules! kernels {
    ($($name:ident $file:literal;)*) => {$(
        #[path = $file]
        pub(super) mod $name;
    )*};
}

kernels! {
    saxpy "../../benches/device_code/saxpy.rs";
    conv5x5 "../../benches/device_code/conv5x5.rs";
    sobel "../../benches/device_code/sobel.rs";
    layer_norm "../../benches/device_code/layer_norm.rs";
    kmeans "../../benches/device_code/kmeans.rs";
    fft "../../benches/device_code/fft.rs";
    lu "../../benches/device_code/lu.rs";
    bitonic "../../benches/device_code/bitonic.rs";
    spmv "../../benches/device_code/spmv.rs";
    conv3x3 "../../benches/device_code/conv3x3.rs";
    dot "../../benches/device_code/dot.rs";
    nbody "../../benches/device_code/nbody.rs";
    polynomial "../../benches/device_code/polynomial.rs";
    sgemm "../../benches/device_code/sgemm.rs";
    sgemv "../../benches/device_code/sgemv.rs";
    stencil5 "../../benches/device_code/stencil5.rs";
    stencil7 "../../benches/device_code/stencil7.rs";
    transpose "../../benches/device_code/transpose.rs";
    sgemm_tiled "../../benches/device_code/sgemm_tiled.rs";
    transpose_tiled "../../benches/device_code/transpose_tiled.rs";
    scan "../../benches/device_code/scan.rs";
    histogram "../../benches/device_code/histogram.rs";
    nearest "../../benches/device_code/nearest.rs";
    bfs "../../benches/device_code/bfs.rs";
    mandelbrot "../../benches/device_code/mandelbrot.rs";
    black_scholes "../../benches/device_code/black_scholes.rs";
    softmax "../../benches/device_code/softmax.rs";
    sha256 "../../benches/device_code/sha256.rs";
    vecadd "../../benches/device_code/vecadd.rs";
    heat "../../benches/device_code/heat.rs";
    max_pool "../../benches/device_code/max_pool.rs";
    life "../../benches/device_code/life.rs";
    bilinear "../../benches/device_code/bilinear.rs";
    gather "../../benches/device_code/gather.rs";
    lower_bound "../../benches/device_code/lower_bound.rs";
    reduction "../../benches/device_code/reduction.rs";
    rms_norm "../../benches/device_code/rms_norm.rs";
    collatz "../../benches/device_code/collatz.rs";
    gcd "../../benches/device_code/gcd.rs";
}
