use vortex::prelude::*;

#[vortex::kernel]
fn cuda(x: &mut [u32]) {
    let i = get_global_id(0);
    atomicAdd(&mut x[i], 1);
    __syncthreads();
    let sum = __shfl_sync(0xffff_ffff, x[i], 3) + plane_sum(x[i]);
    x[i] = __ballot_sync(0xffff_ffff, sum > 1);
    if __popc(sum) > 3 {
        sync_cube();
    }
}

#[vortex::kernel]
fn open_cl(x: &mut [f32]) {
    let i = global_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    printf("%f\n", x[i]);
    terminate!();
}

#[vortex::kernel]
fn memory(x: &mut [f32]) {
    let tile = SharedMemory::<f32>::new(256);
    x[0] = fmaf(x[0], 2.0, 1.0);
}

// One wraps at a bound, the other adds one.
#[vortex::kernel]
fn counters(n: &mut [u32]) {
    atomicInc(&mut n[0], 255);
    atomic_inc(&mut n[1]);
    let flags = CLK_LOCAL_MEM_FENCE;
    assert(n[0] > 0);
}

fn main() {}

// Mistakes: 19
