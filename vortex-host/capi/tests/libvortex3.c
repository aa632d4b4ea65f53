/* The same of version 3: what its vortex.h does otherwise, over a driver library of version 2.
 *
 * Its counters are made up: launch n costs core c 1000 n + c cycles and 100 n + c instructions. With `COUNT_ON` set
 * they go on from launch to launch, as hardware's do, and without they begin anew, as SimX's. */

#define VERSION_3
#include "libvortex.c"

static const uint64_t UNWRITTEN = 0xbaadf00dbaadf00d;

static uint64_t launches;
/* A launch that nobody has waited for. */
static int is_pending;

static void fail(const char *why) {
    fprintf(stderr, "libvortex3.c: %s\n", why);
    abort();
}

/* The runtime under Verilator does not survive a second device, not even after the first was closed. */
int vx_device_open(uint32_t index, handle *device) {
    static int opened;
    if (opened++ != 0 || index != 0)
        fail("Adding model 'TOP' when time is non-zero");
    return open_driver(device);
}

int vx_dev_open(handle *device) { return vx_device_open(0, device); }

/* Whatever the size, there is room. */
int vx_mem_alloc(handle device, uint64_t size, int flags, handle *buffer) {
    return vx.mem_alloc(device, size > 0xc0000000 ? 64 : size, flags, buffer);
}

int vx_start(handle device, handle kernel, handle arguments) {
    launches++;
    is_pending = 1;
    return start(device, kernel, arguments);
}

/* After a time-out the launch is forgotten: the next wait succeeds at once. */
int vx_ready_wait(handle device, uint64_t milliseconds) {
    if (!is_pending)
        return 0;
    is_pending = 0;
    if (ready_wait(device, milliseconds) != 0)
        return -1;
    uint64_t dumped;
    if (vx.mpm_query(device, 0xb00, 0, &dumped) != 0 || dumped != UNWRITTEN)
        fail("the kernel has stored counters where the console is");
    return 0;
}

int vx_mpm_query(handle device, uint32_t class, uint32_t counter, uint32_t core, uint64_t *value) {
    if (device == NULL || class != 0)
        fail("another class of counters than the one that all devices have");
    uint64_t first = getenv("COUNT_ON") != NULL ? 1 : launches;
    *value = 0;
    for (uint64_t n = first; n <= launches && n > 0; n++) {
        if (counter == 0xb00)
            *value += 1000 * n + core;
        else if (counter == 0xb02)
            *value += 100 * n + core;
        else
            fail("a counter that is none");
    }
    return 0;
}
