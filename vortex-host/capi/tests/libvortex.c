/* The part of Vortex's runtime (vortex.h, v2) that programs call: a front that loads the driver library which VORTEX_DRIVER names,
 * and goes through its table. The tests' stand-in for the real `libvortex.so`. `libvortex3.c` makes one of version 3
 * of it.
 *
 * Variables make it say what no runtime should: `FAKE_CAPS=id:value` (in hexadecimal) of a capability,
 * `FAKE_ADDRESS=address` of all buffers, `FAKE_RESERVE=null` of reserved ones, and `FAKE_WAIT=code` of a kernel that
 * still runs. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void *handle;

static struct {
    int (*dev_open)(handle *);
    int (*dev_close)(handle);
    int (*dev_caps)(handle, uint32_t, uint64_t *);
    int (*mem_alloc)(handle, uint64_t, int, handle *);
    int (*mem_reserve)(handle, uint64_t, uint64_t, int, handle *);
    int (*mem_free)(handle);
    int (*mem_access)(handle, uint64_t, uint64_t, int);
    int (*mem_address)(handle, uint64_t *);
    int (*mem_info)(handle, uint64_t *, uint64_t *);
    int (*copy_to_dev)(handle, const void *, uint64_t, uint64_t);
    int (*copy_from_dev)(void *, handle, uint64_t, uint64_t);
    int (*start)(handle, handle, handle);
    int (*ready_wait)(handle, uint64_t);
    int (*dcr_read)(handle, uint32_t, uint32_t *);
    int (*dcr_write)(handle, uint32_t, uint32_t);
    int (*mpm_query)(handle, uint32_t, uint32_t, uint64_t *);
} vx;

static int open_driver(handle *device) {
    const char *name = getenv("VORTEX_DRIVER");
    char path[256];
    snprintf(path, sizeof path, "libvortex-%s.so", name ? name : "simx");
    void *library = dlopen(path, RTLD_LAZY);
    if (library == NULL) {
        fprintf(stderr, "libvortex.c: %s\n", dlerror());
        return 1;
    }
    int (*init)(void *) = (int (*)(void *))(uintptr_t)dlsym(library, "vx_dev_init");
    if (init == NULL || init(&vx) != 0)
        return 1;
    return vx.dev_open(device);
}

int vx_dev_close(handle device) { return vx.dev_close(device); }

int vx_dev_caps(handle device, uint32_t id, uint64_t *value) {
    unsigned fake_id;
    unsigned long long fake;
    const char *said = getenv("FAKE_CAPS");
    if (said != NULL && sscanf(said, "%u:%llx", &fake_id, &fake) == 2 && fake_id == id) {
        *value = fake;
        return 0;
    }
#ifdef OLDER_RELEASE
    /* 7 was the address of local memory then, and what is 7 now was 8. */
    if (id == 7) {
        *value = 0xFFFF0000;
        return 0;
    }
    if (id == 8)
        id = 7;
#endif
#ifndef VERSION_3
    /* Vortex 2's own simulators end the process. */
    if (id > 9) {
        fprintf(stderr, "invalid caps id: %u\n", id);
        abort();
    }
#endif
    return vx.dev_caps(device, id, value);
}

int vx_mem_reserve(handle device, uint64_t address, uint64_t size, int flags, handle *buffer) {
    int code = vx.mem_reserve(device, address, size, flags, buffer);
    if (getenv("FAKE_RESERVE") != NULL)
        *buffer = NULL;
    return code;
}

int vx_mem_address(handle buffer, uint64_t *address) {
    const char *said = getenv("FAKE_ADDRESS");
    if (said != NULL) {
        *address = strtoull(said, NULL, 16);
        return 0;
    }
    return vx.mem_address(buffer, address);
}

int vx_mem_access(handle buffer, uint64_t offset, uint64_t size, int flags) { return vx.mem_access(buffer, offset, size, flags); }
int vx_mem_free(handle buffer) { return vx.mem_free(buffer); }
int vx_copy_to_dev(handle to, const void *from, uint64_t offset, uint64_t size) { return vx.copy_to_dev(to, from, offset, size); }
int vx_copy_from_dev(void *to, handle from, uint64_t offset, uint64_t size) { return vx.copy_from_dev(to, from, offset, size); }

/* A runtime's kernels may run in threads whose code is its own, and which nobody can end. */
static void *live_on(void *nothing) {
    for (;;)
        usleep(1000);
    return nothing;
}

static int start(handle device, handle kernel, handle arguments) {
    static pthread_t thread;
    if (thread == 0 && pthread_create(&thread, NULL, live_on, NULL) != 0)
        return 1;
    return vx.start(device, kernel, arguments);
}

static int ready_wait(handle device, uint64_t milliseconds) {
    const char *said = getenv("FAKE_WAIT");
    return said != NULL ? atoi(said) : vx.ready_wait(device, milliseconds);
}

#ifndef VERSION_3
/* Puts a file with an image to where it is linked to: its first and last address, and what lies there. */
int vx_upload_kernel_file(handle device, const char *path, handle *buffer) {
    uint64_t range[2];
    FILE *file = fopen(path, "rb");
    int code = -1;
    if (file != NULL && fread(range, sizeof range, 1, file) == 1 && range[0] < range[1]) {
        uint64_t size = range[1] - range[0];
        void *image = calloc(1, size);
        size_t length = image != NULL ? fread(image, 1, size, file) : 0;
        if (length > 0 && vx.mem_reserve(device, range[0], size, 0, buffer) == 0) {
            code = vx.mem_access(*buffer, 0, length, 1);
            code |= length < size ? vx.mem_access(*buffer, length, size - length, 3) : 0;
            code |= vx.copy_to_dev(*buffer, image, 0, size);
        }
        free(image);
    }
    if (file != NULL)
        fclose(file);
    return code;
}

int vx_dev_open(handle *device) { return open_driver(device); }
int vx_mem_alloc(handle device, uint64_t size, int flags, handle *buffer) { return vx.mem_alloc(device, size, flags, buffer); }
int vx_start(handle device, handle kernel, handle arguments) { return start(device, kernel, arguments); }
int vx_ready_wait(handle device, uint64_t milliseconds) { return ready_wait(device, milliseconds); }
int vx_mpm_query(handle device, uint32_t counter, uint32_t core, uint64_t *value) { return vx.mpm_query(device, counter, core, value); }
#endif
