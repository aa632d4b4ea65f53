#include "spawn.h"

#define CSR(name, number)                                                                                              \
    static inline uint32_t name() {                                                                                    \
        uint32_t value;                                                                                                \
        asm volatile("csrr %0, " #number : "=r"(value));                                                               \
        return value;                                                                                                  \
    }
CSR(lane, 0xcc0)
CSR(warp, 0xcc1)
CSR(core, 0xcc2)
CSR(lanes, 0xfc0)
CSR(warps, 0xfc1)
CSR(cores, 0xfc2)
CSR(hart, 0xf14)

struct Share {
    Body body;
    Launch const *launch;
    uint32_t first, batches, rest;
};

// What a core does with groups: in each of some batches, as many as it has room for at a time.
struct GroupShare {
    Body body;
    GroupLaunch const *launch;
    uint32_t first, batches, rest, at_a_time;
};

// One for each core: warps of different cores have different shares.
static Share shares[64];
static GroupShare group_shares[64];
// Where lanes keep their coordinates.
Point items[4096];
static Member members[4096];
uint32_t warps_per_group;

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

// Warps side by side have a group; lanes without an item rest.
extern "C" [[gnu::noinline]] void run_groups() {
    GroupShare const &share = group_shares[core()];
    Member &own = members[hart()];
    asm volatile("mv tp, %0" ::"r"(&own));
    Point const &grid = share.launch->grid, &block = share.launch->block;
    uint32_t const items = block.x * block.y * block.z;
    uint32_t const number = warp() / warps_per_group, first = (warp() - number * warps_per_group) * lanes();
    if (items - first < lanes())
        asm volatile(".insn r 0x0b, 0, 0, x0, %0, x0" ::"r"((1u << (items - first)) - 1));
    uint32_t const n = first + lane();
    own.in_core = number;
    own.inside = {n % block.x, n / block.x % block.y, n / (block.x * block.y)};
    uint32_t const batches = share.batches + (number < share.rest);
    uint32_t const begin = share.first + number, end = begin + batches * share.at_a_time;
    for (uint32_t group = begin; group < end; group += share.at_a_time) {
        own.group.x = group % grid.x;
        own.group.y = group / grid.x % grid.y;
        own.group.z = group / (grid.x * grid.y);
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
.macro warps other, first, run
.globl \other
\other:
    li t0, -1
    .insn r 0x0b, 0, 0, x0, t0, x0
    jal set_up
    jal \run
    .insn r 0x0b, 0, 0, x0, x0, x0
.globl \first
\first:
    addi sp, sp, -16
    sw ra, 0(sp)
    sw s0, 4(sp)
    mv s0, sp
    li t0, -1
    .insn r 0x0b, 0, 0, x0, t0, x0
    jal set_up
    addi sp, sp, -256
    jal \run
    li t0, 1
    .insn r 0x0b, 0, 0, x0, t0, x0
    mv sp, s0
    lw ra, 0(sp)
    lw s0, 4(sp)
    addi sp, sp, 16
    ret
.endm
warps other_warp, first_warp, run_share
warps other_warp_of_group, first_warp_of_group, run_groups
.text
)");

extern "C" void other_warp();
extern "C" void first_warp();
extern "C" void other_warp_of_group();
extern "C" void first_warp_of_group();

static void start(uint32_t warps, void (*routine)()) {
    asm volatile(".insn r 0x0b, 1, 0, x0, %0, %1" ::"r"(warps), "r"(routine) : "memory");
}

// Items beyond a multiple of all cores' lanes are not run: the suite has none.
void spawn(Body body) {
    auto const *launch = arguments<Launch>();
    uint32_t const total = launch->grid.x * launch->grid.y * launch->grid.z;
    uint32_t const of_core = total / cores(), steps = of_core / lanes();
    uint32_t const active = steps < warps() ? steps : warps();
    shares[core()] = {body, launch, core() * of_core, steps / active, steps % active};
    start(active, other_warp);
    first_warp();
    start(1, nullptr);
}

void spawn_groups(Body body) {
    auto const *launch = arguments<GroupLaunch>();
    uint32_t const total = launch->grid.x * launch->grid.y * launch->grid.z;
    uint32_t const items = launch->block.x * launch->block.y * launch->block.z;
    uint32_t const room = warps(), per_group = (items + lanes() - 1) / lanes();
    uint32_t const own = core(), rest = total % cores();
    uint32_t const of_core = total / cores() + (own < rest);
    if (of_core == 0)
        return;
    uint32_t const fit = room / per_group, at_a_time = of_core < fit ? of_core : fit;
    uint32_t const first = own * (total / cores()) + (own < rest ? own : rest);
    warps_per_group = per_group;
    group_shares[own] = {body, launch, first, of_core / at_a_time, of_core % at_a_time, at_a_time};
    start(at_a_time * per_group, other_warp_of_group);
    first_warp_of_group();
    start(1, nullptr);
}
