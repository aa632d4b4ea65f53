/* A host program as Vortex's runtime would be: loads the driver library, and goes through its table.
 *
 * usage: driver LIBRARY IMAGE CORES WARPS THREADS
 *
 * The image is the one of driver.rs: its arguments are a number of turns to waste, a number of words, and the addresses of as
 * many words to read and to write; it writes 3 * word + 1. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;

struct callbacks {
    int (*dev_open)(handle *device);
    int (*dev_close)(handle device);
    int (*dev_caps)(handle device, uint32_t id, uint64_t *value);
    int (*mem_alloc)(handle device, uint64_t size, int flags, handle *buffer);
    int (*mem_reserve)(handle device, uint64_t address, uint64_t size, int flags, handle *buffer);
    int (*mem_free)(handle buffer);
    int (*mem_access)(handle buffer, uint64_t offset, uint64_t size, int flags);
    int (*mem_address)(handle buffer, uint64_t *address);
    int (*mem_info)(handle device, uint64_t *free, uint64_t *used);
    int (*copy_to_dev)(handle buffer, const void *source, uint64_t offset, uint64_t size);
    int (*copy_from_dev)(void *destination, handle buffer, uint64_t offset, uint64_t size);
    int (*start)(handle device, handle kernel, handle arguments);
    int (*ready_wait)(handle device, uint64_t milliseconds);
    int (*dcr_read)(handle device, uint32_t address, uint32_t *value);
    int (*dcr_write)(handle device, uint32_t address, uint32_t value);
    int (*mpm_query)(handle device, uint32_t counter, uint32_t core, uint64_t *value);
};

/* What ready_wait returns when the kernel is no longer running, and failed. */
enum { ENDED_BY_FAULT = -2 };
enum { READ = 1, WRITE = 2, READ_WRITE = 3, PINNED = 4 };

static const uint64_t DAY = 24 * 60 * 60 * 1000;
static const uint64_t UNWRITTEN = 0xbaadf00dbaadf00d;

static void check(int holds, const char *what, int line) {
    if (!holds) {
        fprintf(stderr, "driver.c:%d: %s\n", line, what);
        exit(1);
    }
}

#define CHECK(condition) check((condition), #condition, __LINE__)
#define OK(call) CHECK((call) == 0)
#define FAILS(call) CHECK((call) != 0)

static struct callbacks vx;

/* As the runtime's upload of a kernel: reserves what the image covers, and copies its bytes there, read-only. */
static handle upload(handle device, const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    unsigned char bytes[4096];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(length > 16 && length < sizeof bytes);
    uint64_t range[2];
    memcpy(range, bytes, sizeof range);
    uint64_t in_file = length - sizeof range, in_memory = range[1] - range[0];
    handle kernel = NULL;
    OK(vx.mem_reserve(device, range[0], in_memory, 0, &kernel));
    OK(vx.mem_access(kernel, 0, in_file, READ));
    OK(vx.mem_access(kernel, in_file, in_memory - in_file, READ_WRITE));
    OK(vx.copy_to_dev(kernel, bytes + sizeof range, 0, in_file));
    return kernel;
}

static void capabilities(handle device, const uint64_t shape[3]) {
    uint64_t value = 1;
    OK(vx.dev_caps(device, 0, &value));
    CHECK(value == 0);
    for (uint32_t id = 1; id <= 3; id++) {
        OK(vx.dev_caps(device, id, &value));
        CHECK(value == shape[3 - id]);
    }
    OK(vx.dev_caps(device, 4, &value));
    CHECK(value == 64);
    OK(vx.dev_caps(device, 5, &value));
    CHECK(value == (uint64_t)1 << 32);
    OK(vx.dev_caps(device, 6, &value));
    CHECK(value == 16 << 10);
    OK(vx.dev_caps(device, 7, &value));
    CHECK((value & 1 << ('I' - 'A')) && (value & 1 << ('M' - 'A')) && (value & 1 << ('F' - 'A')));
    CHECK(!(value & 1 << ('D' - 'A')) && (value >> 30 & 3) == 1);
    CHECK(value >> 32 == 0x33);
    uint64_t banks = 0, bank = 0;
    OK(vx.dev_caps(device, 8, &banks));
    OK(vx.dev_caps(device, 9, &bank));
    CHECK(banks * bank == (uint64_t)1 << 32);
    FAILS(vx.dev_caps(device, 1000, &value));
    FAILS(vx.dev_caps(device, 1, NULL));
    FAILS(vx.dev_caps(NULL, 1, &value));
}

static void memory(handle device) {
    uint64_t before = 0, free = 0, used = 0, address = 0, other = 0;
    OK(vx.mem_info(device, &free, &before));
    CHECK(before == 0 && free > (uint64_t)1 << 31);

    handle a = NULL, b = NULL, c = NULL;
    OK(vx.mem_alloc(device, 5000, READ_WRITE, &a));
    OK(vx.mem_alloc(device, 1, READ | PINNED, &b));
    OK(vx.mem_info(device, NULL, &used));
    CHECK(used == 3 * 4096);
    OK(vx.mem_info(device, &free, NULL));
    OK(vx.mem_address(a, &address));
    OK(vx.mem_address(b, &other));
    CHECK(address >= 0x10000 && address % 64 == 0 && other >= address + 5000);

    OK(vx.mem_reserve(device, 0x40000000, 4096, WRITE, &c));
    OK(vx.mem_address(c, &address));
    CHECK(address == 0x40000000);
    handle none = (handle)0x1234;
    FAILS(vx.mem_reserve(device, 0x40000000, 64, READ, &none));
    FAILS(vx.mem_reserve(device, 0x40000fff, 4096, READ, &none));
    FAILS(vx.mem_reserve(device, 0, 64, READ, &none));
    FAILS(vx.mem_reserve(device, 0x40, 128, READ, &none));
    FAILS(vx.mem_reserve(device, 0xffc0, 128, READ, &none));
    FAILS(vx.mem_reserve(device, 0xffff0000, 64, READ, &none));
    FAILS(vx.mem_reserve(device, (uint64_t)1 << 32, 64, READ, &none));
    FAILS(vx.mem_reserve(device, 0x50000000, UINT64_MAX, READ, &none));
    FAILS(vx.mem_reserve(device, 0x50000000, 0, READ, &none));
    FAILS(vx.mem_alloc(device, 0, READ, &none));
    FAILS(vx.mem_alloc(device, (uint64_t)1 << 32, READ, &none));
    FAILS(vx.mem_alloc(device, UINT64_MAX, READ, &none));
    FAILS(vx.mem_alloc(device, 64, 8, &none));
    FAILS(vx.mem_alloc(device, 64, -1, &none));
    FAILS(vx.mem_alloc(device, 64, READ, NULL));
    FAILS(vx.mem_alloc(NULL, 64, READ, &none));
    CHECK(none == (handle)0x1234);

    char text[] = "written by the host", back[sizeof text] = "";
    OK(vx.copy_to_dev(a, text, 5000 - sizeof text, sizeof text));
    OK(vx.copy_from_dev(back, a, 5000 - sizeof text, sizeof text));
    CHECK(strcmp(text, back) == 0);
    OK(vx.copy_to_dev(a, text, 5000, 0));
    OK(vx.copy_from_dev(back, a, 0, 0));
    FAILS(vx.copy_to_dev(a, text, 5001 - sizeof text, sizeof text));
    FAILS(vx.copy_from_dev(back, a, UINT64_MAX, sizeof text));
    FAILS(vx.copy_from_dev(back, a, 0, UINT64_MAX));
    FAILS(vx.copy_to_dev(a, NULL, 0, 1));
    FAILS(vx.copy_from_dev(NULL, a, 0, 1));
    FAILS(vx.copy_to_dev(NULL, text, 0, 1));
    FAILS(vx.mem_access(a, 4096, 1000, READ));
    OK(vx.mem_access(a, 4096, 904, READ));
    FAILS(vx.mem_access(a, 0, 64, 64));
    FAILS(vx.mem_address(a, NULL));
    FAILS(vx.mem_address(device, &address));

    OK(vx.mem_free(a));
    FAILS(vx.mem_free(a));
    FAILS(vx.copy_from_dev(back, a, 0, 1));
    OK(vx.mem_free(NULL));
    FAILS(vx.mem_free(&none));
    OK(vx.mem_free(b));
    OK(vx.mem_free(c));
    OK(vx.mem_info(device, &free, &used));
    CHECK(used == before);
}

/* What the counters count, by the class in the configuration register: none, of the core, of the memory system. */
static void classes(const char *image) {
    enum { WORDS = 64 };
    static uint32_t words[WORDS];
    handle device = NULL, source, destination, arguments;
    setenv("VORTEX_MODEL", "cycle", 1);
    OK(vx.dev_open(&device));
    unsetenv("VORTEX_MODEL");
    handle kernel = upload(device, image);
    uint64_t from, to;
    OK(vx.mem_alloc(device, sizeof words, READ, &source));
    OK(vx.mem_alloc(device, sizeof words, WRITE, &destination));
    OK(vx.mem_alloc(device, 16, READ, &arguments));
    OK(vx.mem_address(source, &from));
    OK(vx.mem_address(destination, &to));
    OK(vx.copy_to_dev(source, words, 0, sizeof words));
    uint32_t block[4] = {1, WORDS, (uint32_t)from, (uint32_t)to};
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    for (uint32_t class = 0; class <= 2; class++) {
        uint64_t loads = 0;
        OK(vx.dcr_write(device, 5, class));
        OK(vx.start(device, kernel, arguments));
        OK(vx.ready_wait(device, DAY));
        OK(vx.mpm_query(device, 0xb0f, 0, &loads));
        /* In class 2 the number is one of the second level's, which there is none of. */
        CHECK(class == 1 ? loads > WORDS && loads < 3 * WORDS : loads == 0);
    }
    OK(vx.dev_close(device));
}

static void run(handle device, const char *image, uint64_t cores) {
    enum { WORDS = 1000 };
    static uint32_t words[WORDS], results[WORDS];
    handle kernel = upload(device, image), source, destination, arguments;
    uint64_t source_address, destination_address;
    OK(vx.mem_alloc(device, sizeof words, READ, &source));
    OK(vx.mem_alloc(device, sizeof words, WRITE, &destination));
    OK(vx.mem_alloc(device, 16, READ, &arguments));
    OK(vx.mem_address(source, &source_address));
    OK(vx.mem_address(destination, &destination_address));
    for (uint32_t n = 0; n < WORDS; n++)
        words[n] = n * n;
    OK(vx.copy_to_dev(source, words, 0, sizeof words));

    uint64_t value = 0;
    OK(vx.mpm_query(device, 0xb00, 0, &value));
    CHECK(value == UNWRITTEN);
    OK(vx.ready_wait(device, 0));

    /* Long enough to be caught running. */
    uint32_t block[4] = {20 << 20, WORDS, (uint32_t)source_address, (uint32_t)destination_address};
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    OK(vx.start(device, kernel, arguments));
    CHECK(vx.ready_wait(device, 1) == -1);
    CHECK(vx.ready_wait(device, 0) == -1);
    OK(vx.ready_wait(device, DAY));
    OK(vx.ready_wait(device, 0));
    OK(vx.copy_from_dev(results, destination, 0, sizeof results));
    for (uint32_t n = 0; n < WORDS; n++)
        CHECK(results[n] == 3 * n * n + 1);

    uint32_t low = 0, high = 1;
    uint64_t address;
    OK(vx.mem_address(kernel, &address));
    OK(vx.dcr_read(device, 1, &low));
    OK(vx.dcr_read(device, 2, &high));
    CHECK(low == address && high == 0);
    OK(vx.mem_address(arguments, &address));
    OK(vx.dcr_read(device, 3, &low));
    OK(vx.dcr_read(device, 4, &high));
    CHECK(low == address && high == 0);

    for (uint32_t core = 0; core < cores; core++) {
        OK(vx.mpm_query(device, 0xb01, core, &value));
        CHECK(value == 40 + core);
        OK(vx.mpm_query(device, 0xb02, core, &value));
        CHECK(core == 0 ? value > 40 << 20 && value < UNWRITTEN : value > 5 && value < 50);
        OK(vx.mpm_query(device, 0xb00, core, &value));
        CHECK(value > 5 && value < UNWRITTEN);
        OK(vx.mpm_query(device, 0xb1f, core, &value));
        CHECK(value == UNWRITTEN);
    }
    FAILS(vx.mpm_query(device, 0xb00, (uint32_t)cores, &value));
    FAILS(vx.mpm_query(device, 0xaff, 0, &value));
    FAILS(vx.mpm_query(device, 0xb20, 0, &value));
    FAILS(vx.mpm_query(device, 0xb00, 0, NULL));

    /* A copy waits for the kernel, and so does the next start. */
    memset(results, 0, sizeof results);
    block[0] = 1 << 20;
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    OK(vx.start(device, kernel, arguments));
    OK(vx.start(device, kernel, arguments));
    OK(vx.copy_from_dev(results, destination, 0, sizeof results));
    CHECK(results[WORDS - 1] == 3 * (WORDS - 1) * (WORDS - 1) + 1);
    OK(vx.ready_wait(device, DAY));

    /* Writes one word too many: the launch fails, and the device goes on. */
    block[0] = 1;
    block[3] += 4;
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    OK(vx.start(device, kernel, arguments));
    CHECK(vx.ready_wait(device, DAY) == ENDED_BY_FAULT);
    CHECK(vx.ready_wait(device, 0) == ENDED_BY_FAULT);
    block[3] -= 4;
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    OK(vx.mem_access(source, 0, 64, WRITE));
    OK(vx.start(device, kernel, arguments));
    FAILS(vx.ready_wait(device, DAY));
    OK(vx.mem_access(source, 0, 64, READ));
    OK(vx.start(device, kernel, arguments));
    OK(vx.ready_wait(device, DAY));

    handle other;
    OK(vx.dev_open(&other));
    FAILS(vx.start(other, kernel, arguments));
    FAILS(vx.start(device, NULL, arguments));
    FAILS(vx.start(device, kernel, NULL));
    FAILS(vx.start(NULL, kernel, arguments));
    FAILS(vx.start(device, kernel, device));
    OK(vx.dev_close(other));

    /* Closing waits for the kernel, and takes the buffers along. */
    block[0] = 1 << 20;
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    OK(vx.start(device, kernel, arguments));
    OK(vx.dev_close(device));
    FAILS(vx.dev_close(device));
    FAILS(vx.mem_free(kernel));
    FAILS(vx.ready_wait(device, 0));
}

/* Data in the device's own memory, over the counters that programs leave there, as Vortex's regression test io_addr
 * has them. */
static void own_memory(const char *image, uint64_t cores) {
    enum { WORDS = 16 };
    uint32_t words[WORDS], results[WORDS];
    handle device = NULL, destination, arguments, data, overlapping;
    OK(vx.dev_open(&device));
    handle kernel = upload(device, image);
    uint64_t to, used, before, value, address;
    OK(vx.mem_alloc(device, sizeof results, WRITE, &destination));
    OK(vx.mem_alloc(device, 16, READ, &arguments));
    OK(vx.mem_address(destination, &to));
    uint32_t block[4] = {1, WORDS, 0x80, (uint32_t)to};
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));

    OK(vx.mem_info(device, NULL, &before));
    OK(vx.mem_reserve(device, 0x80, sizeof words, READ, &data));
    FAILS(vx.mem_reserve(device, 0xbc, 64, READ, &overlapping));
    OK(vx.mem_info(device, NULL, &used));
    CHECK(used == before);
    OK(vx.mem_address(data, &address));
    CHECK(address == 0x80);
    for (uint32_t n = 0; n < WORDS; n++)
        words[n] = n * n;
    OK(vx.copy_to_dev(data, words, 0, sizeof words));
    /* The kernel reads them, and the counters that it leaves there in the end are dropped. Others are not. */
    for (int turn = 0; turn < 2; turn++) {
        memset(results, 0, sizeof results);
        OK(vx.start(device, kernel, arguments));
        OK(vx.ready_wait(device, DAY));
        OK(vx.copy_from_dev(results, destination, 0, sizeof results));
        for (uint32_t n = 0; n < WORDS; n++)
            CHECK(results[n] == 3 * n * n + 1);
        OK(vx.copy_from_dev(results, data, 0, sizeof results));
        CHECK(memcmp(results, words, sizeof words) == 0);
        OK(vx.mpm_query(device, 0xb01, 0, &value));
        CHECK(value == ((uint64_t)words[3] << 32 | words[2]));
        OK(vx.mpm_query(device, 0xb0f, 0, &value));
        CHECK(value == 0);
        if (cores > 1) {
            OK(vx.mpm_query(device, 0xb01, 1, &value));
            CHECK(value == 41);
        }
    }
    /* Where kernels may write, they do; and what is given back is the device's again. */
    OK(vx.mem_access(data, 8, 8, READ_WRITE));
    OK(vx.start(device, kernel, arguments));
    OK(vx.ready_wait(device, DAY));
    OK(vx.copy_from_dev(results, data, 0, sizeof results));
    CHECK(results[2] == 40 && results[3] == 0);
    CHECK(memcmp(results, words, 8) == 0 && memcmp(results + 4, words + 4, sizeof words - 16) == 0);
    OK(vx.mem_free(data));
    OK(vx.mpm_query(device, 0xb01, 0, &value));
    CHECK(value == UNWRITTEN);

    /* Memory beyond the counters is like any other. */
    OK(vx.mem_reserve(device, 0xffc0, 64, READ, &data));
    OK(vx.copy_to_dev(data, words, 0, sizeof words));
    block[2] = 0xffc0;
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    OK(vx.start(device, kernel, arguments));
    OK(vx.ready_wait(device, DAY));
    OK(vx.mpm_query(device, 0xb01, 0, &value));
    CHECK(value == 40);
    block[3] = 0xffc0;
    OK(vx.copy_to_dev(arguments, block, 0, sizeof block));
    OK(vx.start(device, kernel, arguments));
    FAILS(vx.ready_wait(device, DAY));
    OK(vx.dev_close(device));
}

static void registers(handle device) {
    uint32_t value = 0;
    FAILS(vx.dcr_read(device, 5, &value));
    for (uint32_t address = 1; address <= 5; address++) {
        OK(vx.dcr_write(device, address, 100 + address));
        OK(vx.dcr_read(device, address, &value));
        CHECK(value == 100 + address);
    }
    FAILS(vx.dcr_write(device, 0, 0));
    FAILS(vx.dcr_write(device, 6, 0));
    FAILS(vx.dcr_read(device, 6, &value));
    FAILS(vx.dcr_read(device, 1, NULL));
    FAILS(vx.dcr_read(NULL, 1, &value));
}

static int load(const char *path, int (**initialise)(struct callbacks *), void **library) {
    *library = dlopen(path, RTLD_LAZY);
    if (*library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    *(void **)initialise = dlsym(*library, "vx_dev_init");
    CHECK(*initialise != NULL);
    return 1;
}

int main(int count, char **arguments) {
    CHECK(count == 6);
    uint64_t shape[3];
    for (int n = 0; n < 3; n++)
        shape[n] = strtoull(arguments[3 + n], NULL, 10);
    /* Twice, as a runtime that unloads its driver when it closes a device. */
    for (int turn = 0; turn < 2; turn++) {
        void *library;
        int (*initialise)(struct callbacks *);
        if (!load(arguments[1], &initialise, &library))
            return 1;
        FAILS(initialise(NULL));
        OK(initialise(&vx));
        FAILS(vx.dev_open(NULL));
        FAILS(vx.dev_close(NULL));
        setenv("VORTEX_WARPS", "many", 1);
        handle device = NULL;
        FAILS(vx.dev_open(&device));
        setenv("VORTEX_WARPS", "1000", 1);
        FAILS(vx.dev_open(&device));
        CHECK(device == NULL);
        setenv("VORTEX_WARPS", arguments[4], 1);
        OK(vx.dev_open(&device));
        capabilities(device, shape);
        memory(device);
        registers(device);
        classes(arguments[2]);
        own_memory(arguments[2], shape[0]);
        run(device, arguments[2], shape[0]);
        dlclose(library);
    }
    puts("passed");
    return 0;
}
