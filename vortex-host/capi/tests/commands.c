/* Plays the part of Vortex 3's runtime: drives the library by commands in a ring. Arguments: the library, the code of a
 * kernel. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;

typedef struct {
    int (*dev_open)(handle *);
    int (*dev_close)(handle);
    int (*cp_reg_write)(handle, uint32_t, uint32_t);
    int (*cp_reg_read)(handle, uint32_t, uint32_t *);
    int (*host_mem_alloc)(handle, uint64_t, void **, uint64_t *);
    int (*host_mem_free)(handle, uint64_t);
} callbacks;

/* That the program has this function tells the library which table is wanted. */
int vx_device_open(uint32_t index, handle *device);
int vx_device_open(uint32_t index, handle *device) {
    (void)index, (void)device;
    return -1;
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { MEM_WRITE = 1, MEM_READ = 2, MEM_COPY = 3, DCR_WRITE = 4, DCR_READ = 5, LAUNCH = 6, FENCE = 7, SIGNAL = 8, WAIT = 9 };
enum { STATUS = 0x004, DEV_CAPS = 0x018, TAIL = 0x120, SEQNUM = 0x128, ERROR = 0x12c, LAST_READ = 0x130 };
enum { RING_LOG2 = 12, LINE = 64 };

static callbacks vx;
static handle device;
static char *ring;
static uint64_t tail;
/* Where the device says how many commands are done, and what commands call it. */
static uint64_t *completed, done_at;
static uint32_t done;

static uint32_t get(uint32_t reg) {
    uint32_t value;
    CHECK(vx.cp_reg_read(device, reg, &value) == 0);
    return value;
}

static void set(uint32_t reg, uint32_t value) { CHECK(vx.cp_reg_write(device, reg, value) == 0); }

static void set_long(uint32_t reg, uint64_t value) {
    set(reg, (uint32_t)value);
    set(reg + 4, (uint32_t)(value >> 32));
}

/* Submits a command without waiting for it. */
static void submit(uint8_t opcode, uint64_t a, uint64_t b, uint64_t c) {
    char *line = ring + (tail & ((1 << RING_LOG2) - 1));
    uint64_t operands[3] = {a, b, c};
    memset(line, 0, LINE);
    line[0] = (char)opcode;
    memcpy(line + 4, operands, sizeof operands);
    tail += LINE;
    set_long(TAIL, tail);
    done++;
}

static void finish(void) {
    while (get(SEQNUM) != done) {
    }
    CHECK((uint32_t)*completed == done);
}

static void run(uint8_t opcode, uint64_t a, uint64_t b, uint64_t c) {
    submit(opcode, a, b, c);
    finish();
}

static void write_dcr(uint32_t number, uint64_t value) {
    submit(DCR_WRITE, number, (uint32_t)value, 0);
}

static void launch(uint32_t start, uint32_t argument, uint32_t groups, uint32_t items) {
    write_dcr(0x10, start);
    write_dcr(0x12, start);
    write_dcr(0x14, argument);
    for (uint32_t axis = 0; axis < 3; axis++) {
        write_dcr(0x16 + axis, axis == 0 ? items : 1);
        write_dcr(0x19 + axis, axis == 0 ? groups : 1);
    }
    submit(LAUNCH, 0, 0, 0);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    int (*init)(callbacks *) = (int (*)(callbacks *))dlsym(library, "vx_dev_init");
    /* Whatever is behind the table stays as it is. */
    struct {
        callbacks table;
        uint64_t canary[16];
    } room;
    memset(&room, 0x5a, sizeof room);
    CHECK(init(NULL) == -1 && init(&room.table) == 0);
    for (int n = 0; n < 16; n++)
        CHECK(room.canary[n] == 0x5a5a5a5a5a5a5a5a);
    vx = room.table;

    CHECK(vx.dev_open(NULL) == -1 && vx.dev_open(&device) == 0);
    uint32_t value;
    CHECK(vx.cp_reg_read(device, STATUS, NULL) == -1);
    CHECK(vx.cp_reg_read((handle)12345, STATUS, &value) == -1 && vx.cp_reg_write(NULL, 0, 0) == -1);
    CHECK(get(0xffc) == 0xdeadbeef && get(STATUS) == 0);
    /* 4 threads, 4 warps, 1 core. */
    CHECK((get(DEV_CAPS) >> 8 & 7) == 2 && (get(DEV_CAPS) >> 11 & 7) == 2 && (get(DEV_CAPS) >> 17 & 7) == 0);

    void *memory;
    uint64_t ring_at, staging;
    CHECK(vx.host_mem_alloc(device, 1 << RING_LOG2, (void **)&ring, &ring_at) == 0);
    CHECK(vx.host_mem_alloc(device, 4096, (void **)&completed, &done_at) == 0);
    CHECK(vx.host_mem_alloc(device, 4096, &memory, &staging) == 0);
    CHECK(vx.host_mem_alloc(device, UINT64_MAX, &memory, &staging) == -1);
    CHECK(vx.host_mem_free(device, staging + 1) == -1);
    set_long(0x100, ring_at);
    set_long(0x110, done_at);
    set(0x118, RING_LOG2);
    set(0x11c, 1);
    /* Nothing happens before it is switched on. */
    submit(FENCE, 0, 0, 0);
    CHECK(get(SEQNUM) == 0 && get(STATUS) == 1);
    set(0, 1);
    finish();
    CHECK(get(STATUS) == 0);

    enum { CODE = 0x20000, ARGUMENT = 0x30000, OUT = 0x40000 };
    uint32_t *words = memory;
    FILE *file = fopen(argv[2], "rb");
    CHECK(file != NULL);
    size_t bytes = fread(words, 1, 4096, file);
    CHECK(bytes > 0 && fclose(file) == 0);
    run(MEM_WRITE, CODE, staging, bytes);
    words[0] = OUT;
    run(MEM_WRITE, ARGUMENT, staging, 4);
    memset(words, 0, 4096);
    run(MEM_WRITE, OUT, staging, 4096);

    /* Each item of 20 groups of 8 adds 1 plus its number to its word. The last command after it waits for it. */
    for (uint32_t turn = 1; turn <= 3; turn++) {
        launch(CODE, ARGUMENT, 20, 8);
        submit(MEM_READ, staging, OUT, 200 * 4);
        finish();
        for (uint32_t item = 0; item < 200; item++)
            CHECK(words[item] == (item < 160 ? turn * (1 + item) : 0));
    }
    /* The instructions of a core, of class 0. */
    run(DCR_READ, 1, 2 << 16, 0);
    CHECK(get(LAST_READ) > 160 / 4 * 10);
    uint32_t instructions = get(LAST_READ);
    /* The same of class 1 as what was scheduled, and its lanes; what the device does not count is zero. */
    run(DCR_READ, 1, 1 << 22 | 6 << 16, 0);
    CHECK(get(LAST_READ) == instructions);
    run(DCR_READ, 1, 1 << 22 | 7 << 16, 0);
    CHECK(get(LAST_READ) == instructions * 4);
    run(DCR_READ, 1, 4 << 22 | 3 << 16, 0);
    CHECK(get(LAST_READ) == 0);
    run(DCR_READ, 1, 2 << 16 | 5, 0);
    CHECK(get(LAST_READ) == 0);

    /* However short a kernel is, its end is seen. */
    for (uint32_t turn = 0; turn < 1000; turn++) {
        launch(CODE, ARGUMENT, 1, 1);
        finish();
    }
    run(MEM_COPY, OUT + 4096, OUT, 8);
    run(MEM_READ, staging, OUT + 4096, 8);
    CHECK(words[0] == 1003 && words[1] == 6);

    /* Memory of the device is not the host's, though where the heap is low both have it at one address. */
#ifndef __PIE__
    CHECK((uintptr_t)memory >> 32 == 0);
    words[0] = 11;
    words[1] = 22;
    run(MEM_WRITE, (uintptr_t)memory, staging + 4, 4);
    run(MEM_READ, staging + 8, (uintptr_t)memory, 4);
    CHECK(words[0] == 11 && words[2] == 22);
#endif

    /* A line has five commands at most. */
    char *line = ring + (tail & ((1 << RING_LOG2) - 1));
    memset(line, 0, LINE);
    for (int n = 0; n < LINE; n += 8)
        line[n] = FENCE;
    tail += LINE;
    done += 5;
    set_long(TAIL, tail);
    finish();
    CHECK(get(STATUS) == 0);

    /* Signals in memory: one that is there, and one that never comes, which holds up what follows. */
    run(SIGNAL, OUT + 8192, 7, 0);
    run(WAIT, OUT + 8192, 7, 0);
    submit(WAIT, OUT + 8192, 8, 1);
    CHECK(get(SEQNUM) == done - 1 && get(STATUS) == 1);
    submit(FENCE, 0, 0, 0);
    CHECK(get(SEQNUM) == done - 2 && get(STATUS) == 1);
    CHECK(vx.dev_close(device) == 0);
    CHECK(vx.cp_reg_read(device, STATUS, &value) == -1 && vx.dev_close(device) == -1);

    /* Mistakes of a kernel, and of launches. */
    tail = done = 0;
    CHECK(vx.dev_open(&device) == 0);
    CHECK(vx.host_mem_alloc(device, 1 << RING_LOG2, (void **)&ring, &ring_at) == 0);
    CHECK(vx.host_mem_alloc(device, 4096, (void **)&completed, &done_at) == 0);
    set_long(0x100, ring_at);
    set_long(0x110, done_at);
    set(0x118, RING_LOG2);
    set(0x11c, 1);
    set(0, 1);
    CHECK(get(ERROR) == 0);
    launch(CODE, ARGUMENT, 1, 1);
    finish();
    CHECK(get(ERROR) == 1 && get(STATUS) == 2);
    launch(CODE, ARGUMENT, 1, 17);
    run(MEM_WRITE, 0xffff0000, done_at, 4);
    run(WAIT, 0xffff0000, 0, 0);

    /* Another device has its own memory and registers. */
    handle other;
    CHECK(vx.dev_open(&other) == 0 && other != device);
    CHECK(vx.cp_reg_read(other, ERROR, &value) == 0 && value == 0);
    CHECK(vx.host_mem_free(other, done_at) == -1 && vx.dev_close(other) == 0);
    CHECK(vx.dev_close(device) == 0);
    puts("passed");
    return 0;
}
