/* A stand-in for Vortex 3's libvortex.so: its vortex.h and the launching part of its vortex2.h, over a driver library
 * with a Command Processor. Memory is handed out once, from the lowest address on. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *handle;

struct {
    int (*dev_open)(handle *);
    int (*dev_close)(handle);
    int (*cp_reg_write)(handle, uint32_t, uint32_t);
    int (*cp_reg_read)(handle, uint32_t, uint32_t *);
    int (*host_mem_alloc)(handle, uint64_t, void **, uint64_t *);
    int (*host_mem_free)(handle, uint64_t);
} vx;

typedef struct {
    uint64_t address, size;
} buffer;

enum { MEM_WRITE = 1, MEM_READ = 2, DCR_WRITE = 4, DCR_READ = 5, LAUNCH = 6 };
enum { RING_LOG2 = 16, STAGING = 1 << 16 };

static handle device;
static char *ring;
static uint8_t *staging;
static uint64_t ring_at, staging_at, tail, next_address = 0x10000;
static uint32_t submitted;

static uint32_t get(uint32_t reg) {
    uint32_t value = 0;
    vx.cp_reg_read(device, reg, &value);
    return value;
}

static void set_long(uint32_t reg, uint64_t value) {
    vx.cp_reg_write(device, reg, (uint32_t)value);
    vx.cp_reg_write(device, reg + 4, (uint32_t)(value >> 32));
}

static uint32_t submit(uint8_t opcode, uint64_t a, uint64_t b, uint64_t c) {
    char *line = ring + (tail & ((1 << RING_LOG2) - 1));
    uint64_t operands[3] = {a, b, c};
    memset(line, 0, 64);
    line[0] = (char)opcode;
    memcpy(line + 4, operands, sizeof operands);
    tail += 64;
    set_long(0x120, tail);
    return ++submitted;
}

/* Waits until so many commands are done: 0, or 7 if they are not in time, or 8 if one has failed. */
static int wait_for(uint32_t number, uint64_t nanoseconds) {
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while ((int32_t)(get(0x128) - number) < 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t passed = (uint64_t)(now.tv_sec - start.tv_sec) * 1000000000 + (uint64_t)now.tv_nsec - (uint64_t)start.tv_nsec;
        if (passed > nanoseconds)
            return 7;
    }
    return get(0x12c) != 0 ? 8 : 0;
}

static void run(uint8_t opcode, uint64_t a, uint64_t b, uint64_t c) { wait_for(submit(opcode, a, b, c), UINT64_MAX); }

int vx_dev_open(handle *result) {
    char name[256];
    snprintf(name, sizeof name, "libvortex-%s.so", getenv("VORTEX_DRIVER"));
    void *library = dlopen(name, RTLD_NOW);
    if (library == NULL)
        return -1;
    int (*init)(void *) = (int (*)(void *))dlsym(library, "vx_dev_init");
    if (init(&vx) != 0 || vx.dev_open(&device) != 0)
        return -1;
    vx.host_mem_alloc(device, 1 << RING_LOG2, (void **)&ring, &ring_at);
    vx.host_mem_alloc(device, STAGING, (void **)&staging, &staging_at);
    set_long(0x100, ring_at);
    vx.cp_reg_write(device, 0x118, RING_LOG2);
    vx.cp_reg_write(device, 0x11c, 1);
    vx.cp_reg_write(device, 0, 1);
    *result = device;
    return 0;
}

int vx_device_open(uint32_t index, handle *result) { return index == 0 ? vx_dev_open(result) : 1; }

int vx_dev_close(handle opened) { return vx.dev_close(opened); }

/* `FAKE_CAPS` is the number of a capability and, after a colon, what it is to be, in hexadecimal digits. */
int vx_dev_caps(handle opened, uint32_t id, uint64_t *value) {
    (void)opened;
    char *said = getenv("FAKE_CAPS");
    if (said != NULL && strtoul(said, &said, 10) == id) {
        *value = strtoull(said + 1, NULL, 16);
        return 0;
    }
    uint64_t caps = (uint64_t)get(0x1c) << 32 | get(0x18);
    uint64_t values[] = {0,
                         1u << (caps >> 8 & 7),
                         1u << (caps >> 11 & 7),
                         1u << ((caps >> 14 & 7) + (caps >> 17 & 7) + (caps >> 20 & 7)),
                         64,
                         1ull << 32,
                         1u << (caps >> 26 & 0xff),
                         (uint64_t)get(0x24) << 32 | get(0x20),
                         1u << (caps >> 34 & 7),
                         1ull << (20 + (caps >> 37 & 0x1f)),
                         1u << (caps >> 20 & 7)};
    if (id >= sizeof values / sizeof *values)
        return -1;
    *value = values[id];
    return 0;
}

int vx_mem_reserve(handle opened, uint64_t address, uint64_t size, int flags, handle *result) {
    (void)opened, (void)flags;
    buffer *made = malloc(sizeof *made);
    *made = (buffer){address, size};
    *result = made;
    return 0;
}

int vx_mem_alloc(handle opened, uint64_t size, int flags, handle *result) {
    uint64_t address = next_address;
    next_address += (size + 0xfff) & ~0xfffull;
    return vx_mem_reserve(opened, address, size, flags, result);
}

int vx_mem_free(handle freed) {
    free(freed);
    return 0;
}

int vx_mem_access(buffer *memory, uint64_t offset, uint64_t size, int flags) {
    (void)flags;
    return offset + size <= memory->size ? 0 : -1;
}

int vx_mem_address(buffer *memory, uint64_t *address) {
    *address = memory->address;
    return 0;
}

int vx_copy_to_dev(buffer *to, const uint8_t *from, uint64_t offset, uint64_t size) {
    for (uint64_t done = 0; done < size; done += STAGING) {
        uint64_t part = size - done < STAGING ? size - done : STAGING;
        memcpy(staging, from + done, part);
        run(MEM_WRITE, to->address + offset + done, staging_at, part);
    }
    return 0;
}

int vx_copy_from_dev(uint8_t *to, buffer *from, uint64_t offset, uint64_t size) {
    for (uint64_t done = 0; done < size; done += STAGING) {
        uint64_t part = size - done < STAGING ? size - done : STAGING;
        run(MEM_READ, staging_at, from->address + offset + done, part);
        memcpy(to + done, staging, part);
    }
    return 0;
}

int vx_mpm_query(handle opened, uint32_t class, uint32_t counter, uint32_t core, uint64_t *value) {
    (void)opened;
    uint64_t halves[2];
    for (uint32_t high = 0; high < 2; high++) {
        run(DCR_READ, 1, class << 22 | (counter - 0xb00 + 32 * high) << 16 | core, 0);
        halves[high] = get(0x130);
    }
    *value = halves[1] << 32 | halves[0];
    return 0;
}

/* Programs that start their warps themselves are none of this library's business. */
int vx_start(handle opened, handle kernel, handle arguments) {
    (void)opened, (void)kernel, (void)arguments;
    return -1;
}

int vx_ready_wait(handle opened, uint64_t milliseconds) {
    (void)opened, (void)milliseconds;
    return -1;
}

typedef struct {
    size_t struct_size;
    const void *next;
    int priority;
    uint32_t flags;
} queue_info;

static int queues, is_profiled;

/* With `FAKE_TIMES=none` it takes no times. */
int vx_queue_create(handle opened, const queue_info *info, handle *result) {
    (void)opened;
    const char *said = getenv("FAKE_TIMES");
    if (info != NULL && (info->struct_size != sizeof *info || info->flags != 1 || info->priority != 1 || info->next != NULL ||
                         (said != NULL && strcmp(said, "none") == 0)))
        return 9;
    is_profiled = info != NULL;
    *result = &queues;
    return ++queues == 1 ? 0 : 2;
}

int vx_queue_release(handle queue) {
    (void)queue;
    queues--;
    return 0;
}

int vx_enqueue_dcr_write(handle queue, uint32_t number, uint32_t value, uint32_t waits, const handle *events, handle *event) {
    submit(DCR_WRITE, number, value, 0);
    return queue == &queues && waits == 0 && events == NULL && event == NULL ? 0 : 2;
}

typedef struct {
    size_t struct_size;
    const void *next;
    handle kernel;
    const void *arguments;
    size_t arguments_size;
    uint32_t dimensions, grid[3], block[3], local_bytes, cluster[3];
} launch_info;

int vx_enqueue_launch(handle queue, const launch_info *info, uint32_t waits, const handle *events, handle *event) {
    if (queue != &queues || waits != 0 || events != NULL || info->struct_size != sizeof *info || info->kernel != NULL ||
        info->arguments != NULL || info->dimensions != 0)
        return 2;
    uint32_t *number = malloc(sizeof *number);
    *number = submit(LAUNCH, 0, 0, 0);
    *event = number;
    return 0;
}

int vx_event_wait_value(const uint32_t *event, uint64_t value, uint64_t nanoseconds) {
    return value == 1 ? wait_for(*event, nanoseconds) : 3;
}

/* Made up, but for `FAKE_TIMES=disordered`. */
int vx_event_get_profiling(const uint32_t *event, uint64_t times[4]) {
    const char *said = getenv("FAKE_TIMES");
    if (!is_profiled || event == NULL)
        return 9;
    for (uint64_t n = 0; n < 4; n++)
        times[n] = 1000000000 + 1000 * n * n;
    if (said != NULL && strcmp(said, "disordered") == 0)
        times[3] = 0;
    return 0;
}

int vx_event_release(handle event) {
    free(event);
    return 0;
}
