#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__cplusplus) && !defined(_Static_assert)
#define _Static_assert static_assert
#endif

#ifndef VORTEX_LAUNCH
#define VORTEX_LAUNCH

/* What vx_dev_caps says of a device. */
typedef struct {
    uint32_t cores;
    uint32_t warps;        /* of a core */
    uint32_t threads;      /* of a warp */
    uint32_t local_memory; /* bytes of a core */
} vortex_device_t;

/* What a kernel that knows of its work group reads of groups. */
typedef struct {
    uint32_t items;
    uint32_t size[3];
    uint32_t count;
    uint32_t groups[3];
    uint32_t stride;
    uint32_t step[3];
    uint32_t warps;
    uint32_t local_bytes;
} vortex_groups_t;

/* What is done by blocks of work items, several in each hardware thread: nothing, unless this library launches. */
typedef struct {
    uint32_t covered;
    uint32_t stride;
    uint32_t step[3];
} vortex_blocks_t;

/* What a kernel reads after its arguments. */
typedef struct {
    uint32_t total;
    uint32_t size[3];
    uint32_t stride;
    uint32_t step[3];
    uint32_t warps;
    uint32_t faults;
    uint32_t prints;
    uint32_t print_records;
    uint32_t print_room;
    vortex_blocks_t coarse;
    vortex_groups_t group;
    uint32_t answers; /* for what this library compiles as it launches; images in files ask nothing */
} vortex_header_t;

/* What a hardware thread leaves when a work item fails. The memory of a launch begins with a word that is not 0 once any
 * has failed; the records follow, that of thread n at (n + 1) * sizeof(vortex_fault_t). */
typedef struct {
    uint32_t site; /* 0 if it has not failed, else 1 + the number of the place in the source */
    uint32_t item;
    uint32_t operands[FAULT_OPERANDS];
} vortex_fault_t;

/* Hardware threads of a device. */
static inline uint32_t vortex_threads(const vortex_device_t *device) {
    return device->cores * device->warps * device->threads;
}

/* Bytes for faults: a record for each hardware thread, one before them, and words for exchanges and locks. */
static inline uint32_t vortex_fault_bytes(const vortex_device_t *device) {
    uint32_t record = (uint32_t)sizeof(vortex_fault_t);
    return record + vortex_threads(device) * (record + EXCHANGE_BYTES) + LOCK_BYTES;
}

/* Bytes for what is printed: two words (bytes used, messages lost) and room for records, of each hardware thread. */
static inline uint32_t vortex_print_bytes(const vortex_device_t *device) {
    return vortex_threads(device) * (8 + PRINT_ROOM);
}

/* Takes a number apart by an extent. */
static inline void vortex_steps(uint32_t step[3], uint32_t stride, const uint32_t size[3]) {
    uint32_t rows = stride / size[0];
    step[0] = stride % size[0];
    step[1] = rows % size[1];
    step[2] = rows / size[1];
}

/* The product of three numbers, or 0 if one is 0 or there are more than `most`. */
static inline uint32_t vortex_product(const uint32_t size[3], uint32_t most) {
    uint64_t product = size[0];
    int axis;
    for (axis = 1; axis < 3; axis++) {
        if (product == 0 || product > most)
            return 0;
        product *= size[axis];
    }
    return product > most ? 0 : (uint32_t)product;
}

/* Sizes of a launch. Returns 0, or -1 if no launch on this device has them. */
static inline int vortex_sizes(vortex_header_t *header, const vortex_device_t *device, const uint32_t grid[3],
                               const uint32_t block[3]) {
    uint32_t most = UINT32_MAX - vortex_threads(device);
    uint32_t items = vortex_product(block, most);
    uint32_t count = vortex_product(grid, most);
    int axis;
    if (vortex_threads(device) == 0 || items == 0 || count == 0 || items > most / count)
        return -1;
    header->total = items * count;
    for (axis = 0; axis < 3; axis++)
        header->size[axis] = grid[axis] * block[axis];
    return 0;
}

/* What follows from the number of warps that run on each core. */
static inline void vortex_warps(vortex_header_t *header, const vortex_device_t *device, uint32_t warps) {
    header->warps = warps;
    header->stride = warps * device->cores * device->threads;
    vortex_steps(header->step, header->stride, header->size);
}

/* The header of a kernel that knows nothing of groups. Returns 0, or -1 if there is no such launch. */
static inline int vortex_fill_items(vortex_header_t *header, const vortex_device_t *device, const uint32_t grid[3],
                                    const uint32_t block[3]) {
    uint32_t turn = device->cores * device->threads;
    uint32_t warps;
    if (vortex_sizes(header, device, grid, block) != 0)
        return -1;
    warps = header->total / turn + (header->total % turn != 0);
    vortex_warps(header, device, warps < device->warps ? warps : device->warps);
    return 0;
}

/* The header of a kernel that knows of its groups, each with so many bytes of local memory. Returns 0, or -1 if there is
 * no such launch. */
static inline int vortex_fill_groups(vortex_header_t *header, const vortex_device_t *device, const uint32_t grid[3],
                                     const uint32_t block[3], uint64_t local_bytes) {
    vortex_groups_t *group = &header->group;
    uint32_t needed, slots;
    int axis;
    if (vortex_sizes(header, device, grid, block) != 0 || local_bytes > device->local_memory)
        return -1;
    for (axis = 0; axis < 3; axis++) {
        group->size[axis] = block[axis];
        group->groups[axis] = grid[axis];
    }
    group->items = block[0] * block[1] * block[2];
    group->count = grid[0] * grid[1] * grid[2];
    group->warps = group->items / device->threads + (group->items % device->threads != 0);
    group->local_bytes = (uint32_t)local_bytes;
    slots = device->warps / group->warps;
    if (local_bytes > 0 && slots > device->local_memory / group->local_bytes)
        slots = device->local_memory / group->local_bytes;
    if (slots == 0)
        return -1;
    needed = group->count / device->cores + (group->count % device->cores != 0);
    slots = needed < slots ? needed : slots;
    group->stride = slots * device->cores;
    vortex_steps(group->step, group->stride, grid);
    vortex_warps(header, device, slots * group->warps);
    return 0;
}

/* Where faults and prints go: `memory` is the address of that many zeros. */
static inline void vortex_areas(vortex_header_t *header, const vortex_device_t *device, uint32_t memory, bool prints) {
    header->faults = memory;
    if (prints) {
        header->prints = memory + vortex_fault_bytes(device);
        header->print_records = header->prints + 8 * vortex_threads(device);
        header->print_room = PRINT_ROOM;
    }
}

#endif
